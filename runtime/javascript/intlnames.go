package javascript

import (
	"context"
	"strings"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/intl"
)

// The functions behind Intl's classes other than NumberFormat and those of dates and texts.

// intlTexts reads the first text arguments.
func (in *instance) intlTexts(args arguments, count int) ([]string, error) {
	texts := make([]string, count)
	for i := range texts {
		var err error
		if texts[i], err = in.intlText(args, i, maxIntlOptions); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

func (in *instance) intlPlurals(ctx context.Context, args arguments) (quickjs.Value, error) {
	texts, err := in.intlTexts(args, 2)
	if err != nil {
		return 0, err
	}
	return in.vm.NewString(ctx, strings.Join(intl.Categories(texts[0], texts[1] == "ordinal"), " "))
}

// pluralRules returns the format for which options ask, without their first letter: o for ordinal numbers.
func pluralRules(options string) (f *intl.NumberFormat, ordinal bool, err error) {
	options, ordinal = strings.CutPrefix(options, "o")
	if !ordinal {
		options = strings.TrimPrefix(options, "c")
	}
	if f, err = intl.CachedNumberFormat(options); err != nil {
		err = failf("%v", err)
	}
	return f, ordinal, err
}

func (in *instance) intlPlural(ctx context.Context, args arguments) (quickjs.Value, error) {
	texts, err := in.intlTexts(args, 2)
	if err != nil {
		return 0, err
	}
	f, ordinal, err := pluralRules(texts[0])
	if err != nil {
		return 0, err
	}
	category, err := f.Category(texts[1], ordinal)
	return in.intlResult(ctx, category, err)
}

func (in *instance) intlPluralRange(ctx context.Context, args arguments) (quickjs.Value, error) {
	texts, err := in.intlTexts(args, 3)
	if err != nil {
		return 0, err
	}
	f, ordinal, err := pluralRules(texts[0])
	if err != nil {
		return 0, err
	}
	category, err := f.RangeCategory(texts[1], texts[2], ordinal)
	return in.intlResult(ctx, category, err)
}

func (in *instance) intlRelative(ctx context.Context, args arguments) (quickjs.Value, error) {
	texts, err := in.intlTexts(args, 3)
	if err != nil {
		return 0, err
	}
	f, err := intl.CachedRelativeFormat(texts[0])
	if err != nil {
		return 0, failf("%v", err)
	}
	text, err := f.Format(texts[1], texts[2])
	return in.intlResult(ctx, text, err)
}

func (in *instance) intlRelativeParts(ctx context.Context, args arguments) (quickjs.Value, error) {
	texts, err := in.intlTexts(args, 3)
	if err != nil {
		return 0, err
	}
	f, err := intl.CachedRelativeFormat(texts[0])
	if err != nil {
		return 0, failf("%v", err)
	}
	parts, err := f.Parts(texts[1], texts[2])
	return in.intlParts(ctx, parts, err)
}

func (in *instance) intlList(ctx context.Context, args arguments) (quickjs.Value, error) {
	texts, err := in.intlTexts(args, 2)
	if err != nil {
		return 0, err
	}
	return in.vm.NewString(ctx, strings.Join(intl.ListPatterns(texts[0], texts[1]), "|"))
}

func (in *instance) intlName(ctx context.Context, args arguments) (quickjs.Value, error) {
	texts, err := in.intlTexts(args, 2)
	if err != nil {
		return 0, err
	}
	names, err := intl.CachedDisplayNames(texts[0])
	if err != nil {
		return 0, failf("%v", err)
	}
	code, ok := names.Canonical(texts[1])
	if !ok {
		return quickjs.Int(0), nil
	}
	name, found := names.Of(code)
	switch {
	case found:
		return in.vm.NewString(ctx, "+"+name)
	case name == "":
		name = code
	}
	return in.vm.NewString(ctx, "-"+name)
}

func (in *instance) intlLocale(ctx context.Context, args arguments) (quickjs.Value, error) {
	texts, err := in.intlTexts(args, 2)
	if err != nil {
		return 0, err
	}
	tag, ok := intl.LocaleWith(texts[0], strings.Fields(texts[1]))
	if !ok {
		return quickjs.Undefined, nil
	}
	return in.vm.NewString(ctx, tag)
}

func (in *instance) intlLocalePart(ctx context.Context, args arguments) (quickjs.Value, error) {
	texts, err := in.intlTexts(args, 2)
	if err != nil {
		return 0, err
	}
	part, ok := intl.LocalePart(texts[0], texts[1])
	if !ok {
		return quickjs.Undefined, nil
	}
	return in.vm.NewString(ctx, part)
}

func (in *instance) intlLocaleInfo(ctx context.Context, args arguments) (quickjs.Value, error) {
	texts, err := in.intlTexts(args, 2)
	if err != nil {
		return 0, err
	}
	return in.vm.NewString(ctx, strings.Join(intl.LocaleInfo(texts[0], texts[1]), " "))
}

func (in *instance) intlMaximize(ctx context.Context, args arguments) (quickjs.Value, error) {
	texts, err := in.intlTexts(args, 1)
	if err != nil {
		return 0, err
	}
	return in.vm.NewString(ctx, intl.MaximizedLocale(texts[0]))
}

func (in *instance) intlMinimize(ctx context.Context, args arguments) (quickjs.Value, error) {
	texts, err := in.intlTexts(args, 1)
	if err != nil {
		return 0, err
	}
	return in.vm.NewString(ctx, intl.MinimizedLocale(texts[0]))
}
