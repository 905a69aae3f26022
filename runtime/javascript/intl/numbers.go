package intl

import (
	"strings"

	"github.com/toolrun/toolrun/internal/js/intl"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// withNumbers calls do with the formatter and the numbers that the arguments give.
func withNumbers(c *host.Call, count int, do func(f *intl.NumberFormat, numbers [2]string)) {
	options := text(c, 0, maxOptions)
	var numbers [2]string
	for i := range count {
		numbers[i] = text(c, 1+i, intl.MaxNumber)
	}
	if c.Fail(nil) {
		return
	}
	if f, err := intl.CachedNumberFormat(options); !malformed(c, err) {
		do(f, numbers)
	}
}

func number(c *host.Call) {
	withNumbers(c, 1, func(f *intl.NumberFormat, numbers [2]string) {
		text, err := f.Format(numbers[0])
		returnText(c, text, err)
	})
}

func numberParts(c *host.Call) {
	withNumbers(c, 1, func(f *intl.NumberFormat, numbers [2]string) {
		parts, err := f.Parts(numbers[0])
		returnParts(c, parts, err)
	})
}

func numberRange(c *host.Call) {
	withNumbers(c, 2, func(f *intl.NumberFormat, numbers [2]string) {
		text, err := f.FormatRange(numbers[0], numbers[1])
		returnText(c, text, err)
	})
}

func numberRangeParts(c *host.Call) {
	withNumbers(c, 2, func(f *intl.NumberFormat, numbers [2]string) {
		parts, err := f.RangeParts(numbers[0], numbers[1])
		returnParts(c, parts, err)
	})
}

func plurals(c *host.Call) {
	tag, kind := text(c, 0, maxOptions), text(c, 1, maxOptions)
	c.Return(strings.Join(intl.Categories(tag, kind == "ordinal"), " "), nil)
}

// withPlurals calls do with the format for which the first argument asks, after a letter: o for ordinal numbers. The
// next arguments are numbers.
func withPlurals(c *host.Call, count int,
	do func(f *intl.NumberFormat, numbers [2]string, ordinal bool) (category string, err error)) {
	options, ordinal := strings.CutPrefix(text(c, 0, maxOptions), "o")
	if !ordinal {
		options = strings.TrimPrefix(options, "c")
	}
	var numbers [2]string
	for i := range count {
		numbers[i] = text(c, 1+i, maxOptions)
	}
	if c.Fail(nil) {
		return
	}
	if f, err := intl.CachedNumberFormat(options); !malformed(c, err) {
		category, err := do(f, numbers, ordinal)
		returnText(c, category, err)
	}
}

func plural(c *host.Call) {
	withPlurals(c, 1, func(f *intl.NumberFormat, numbers [2]string, ordinal bool) (string, error) {
		return f.Category(numbers[0], ordinal)
	})
}

func pluralRange(c *host.Call) {
	withPlurals(c, 2, func(f *intl.NumberFormat, numbers [2]string, ordinal bool) (string, error) {
		return f.RangeCategory(numbers[0], numbers[1], ordinal)
	})
}

// withRelative calls do with the formatter, the number and the unit that the arguments give.
func withRelative(c *host.Call, do func(f *intl.RelativeFormat, number, unit string)) {
	options, number, unit := text(c, 0, maxOptions), text(c, 1, maxOptions), text(c, 2, maxOptions)
	if c.Fail(nil) {
		return
	}
	if f, err := intl.CachedRelativeFormat(options); !malformed(c, err) {
		do(f, number, unit)
	}
}

func relative(c *host.Call) {
	withRelative(c, func(f *intl.RelativeFormat, number, unit string) {
		text, err := f.Format(number, unit)
		returnText(c, text, err)
	})
}

func relativeParts(c *host.Call) {
	withRelative(c, func(f *intl.RelativeFormat, number, unit string) {
		parts, err := f.Parts(number, unit)
		returnParts(c, parts, err)
	})
}
