package intl

import (
	"strings"

	"github.com/toolrun/toolrun/internal/js/intl"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// Results depend on the arguments alone: what the library keeps between runs are tables of its own data, and formatters
// that never change.

// Bounds on the arguments, in bytes.
const (
	maxName    = 256
	maxOptions = 1 << 10
	maxTags    = 64 << 10
)

// callWork is the work that is charged for a text, beside that for its length: what it takes at most if nothing is
// kept.
const callWork = 8 << 10

// text reads a text, and charges it. It is empty if the call has failed.
func text(c *host.Call, i, limit int) string {
	text := c.Text(i, limit)
	if c.Spend(callWork+16*len(text)) != nil {
		return ""
	}
	return text
}

// returnIf returns a value if it is there.
func returnIf(c *host.Call, value any, ok bool) {
	if ok {
		c.Return(value, nil)
	}
}

// returnText returns a text, or throws a RangeError.
func returnText(c *host.Call, text string, err error) {
	c.Return(text, rangeError(err))
}

// returnParts does that with the pieces of a text.
func returnParts(c *host.Call, parts []intl.Part, err error) {
	if !c.Fail(rangeError(err)) && c.Spend(256*len(parts)) == nil {
		c.Return(map[string][]intl.Part{"list": parts}, nil)
	}
}

func rangeError(err error) error {
	if err != nil {
		return &host.Failure{Name: "RangeError", Message: err.Error()}
	}
	return nil
}

// malformed makes the call fail if its options are none, and reports that.
func malformed(c *host.Call, err error) bool {
	if err != nil {
		err = host.Errorf("%v", err)
	}
	return c.Fail(err)
}

func tag(c *host.Call) {
	tag, ok := intl.CanonicalTag(text(c, 0, maxOptions))
	returnIf(c, tag, ok)
}

func resolve(c *host.Call) {
	kind, tags, options := text(c, 0, maxName), text(c, 1, maxTags), text(c, 2, maxOptions)
	c.Return(strings.Join(intl.ResolveFor(kind, strings.Fields(tags), strings.Fields(options)), "|"), nil)
}

func supported(c *host.Call) {
	c.Return(strings.Join(intl.Supported(strings.Fields(text(c, 0, maxTags))), " "), nil)
}

func values(c *host.Call) {
	values, ok := intl.SupportedValues(text(c, 0, maxName))
	returnIf(c, strings.Join(values, " "), ok)
}

func isUnit(c *host.Call) {
	is := 0
	if intl.IsUnit(text(c, 0, maxName)) {
		is = 1
	}
	c.Return(is, nil)
}

func currencyDigits(c *host.Call) { c.Return(intl.CurrencyDigits(text(c, 0, maxName)), nil) }

func list(c *host.Call) {
	c.Return(strings.Join(intl.ListPatterns(text(c, 0, maxOptions), text(c, 1, maxOptions)), "|"), nil)
}

func name(c *host.Call) {
	options, code := text(c, 0, maxOptions), text(c, 1, maxOptions)
	names, err := intl.CachedDisplayNames(options)
	if malformed(c, err) {
		return
	}
	code, ok := names.Canonical(code)
	if !ok {
		c.Return(0, nil)
		return
	}
	name, found := names.Of(code)
	switch {
	case found:
		name = "+" + name
	case name == "":
		name = "-" + code
	default:
		name = "-" + name
	}
	c.Return(name, nil)
}

func locale(c *host.Call) {
	tag, ok := intl.LocaleWith(text(c, 0, maxOptions), strings.Fields(text(c, 1, maxOptions)))
	returnIf(c, tag, ok)
}

func localePart(c *host.Call) {
	part, ok := intl.LocalePart(text(c, 0, maxOptions), text(c, 1, maxOptions))
	returnIf(c, part, ok)
}

func localeInfo(c *host.Call) {
	c.Return(strings.Join(intl.LocaleInfo(text(c, 0, maxOptions), text(c, 1, maxOptions)), " "), nil)
}

func maximize(c *host.Call) { c.Return(intl.MaximizedLocale(text(c, 0, maxOptions)), nil) }

func minimize(c *host.Call) { c.Return(intl.MinimizedLocale(text(c, 0, maxOptions)), nil) }
