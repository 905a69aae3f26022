package javascript

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/intl"
)

// The functions behind Intl (guest/quickjs/node/internal/intl). Their results depend on the arguments alone: what
// package intl keeps between runs are tables of its own data, and formatters that never change.

func init() {
	for name, f := range map[string]func(in *instance, ctx context.Context, args arguments) (quickjs.Value, error){
		"intl.tag": (*instance).intlTag, // tag: the canonical one
		// kind of formatter, tags, keys and options by turns: locale, data, values of the keys
		"intl.resolve":          (*instance).intlResolve,
		"intl.supported":        (*instance).intlSupported,      // tags: those that are there
		"intl.values":           (*instance).intlValues,         // key: the values that Intl.supportedValuesOf gives
		"intl.isUnit":           (*instance).intlIsUnit,         // name: 1 if it is a unit
		"intl.currencyDigits":   (*instance).intlCurrencyDigits, // code: how many digits follow the decimal point
		"intl.number":           (*instance).intlNumber,         // options, number: text
		"intl.numberParts":      (*instance).intlNumberParts,    // options, number: {list}
		"intl.numberRange":      (*instance).intlRange,          // options, two numbers: text
		"intl.numberRangeParts": (*instance).intlRangeParts,     // options, two numbers: {list}
		"intl.plurals":          (*instance).intlPlurals,        // locale, type: the categories
		"intl.plural":           (*instance).intlPlural,         // o or c and options, number: category
		"intl.pluralRange":      (*instance).intlPluralRange,    // o or c and options, two numbers: category
		"intl.relative":         (*instance).intlRelative,       // options, number, unit: text
		"intl.relativeParts":    (*instance).intlRelativeParts,  // options, number, unit: {list}
		"intl.list":             (*instance).intlList,           // locale, kind: the patterns
		"intl.name":             (*instance).intlName,           // options, code: + or - and the name, or 0
		"intl.locale":           (*instance).intlLocale,         // tag, parts and values by turns: tag
		"intl.localePart":       (*instance).intlLocalePart,     // tag, part: its value
		"intl.localeInfo":       (*instance).intlLocaleInfo,     // tag, what: the list
		"intl.maximize":         (*instance).intlMaximize,       // tag: tag
		"intl.minimize":         (*instance).intlMinimize,       // tag: tag
	} {
		webFunctions[name] = f
	}
}

// Bounds on the arguments, in bytes.
const (
	maxIntlOptions = 1 << 10
	maxIntlTags    = 64 << 10
)

// intlWork is the work that is charged for a call, beside that for the texts: what it takes at most if nothing is kept.
const intlWork = 8 << 10

// intlText reads a text argument of Intl, and charges it.
func (in *instance) intlText(args arguments, i, limit int) (string, error) {
	text, cut, ok := args.text(firstWeb+i, limit)
	if !ok {
		return "", failf("the argument must be a string")
	}
	if cut > 0 {
		return "", &failure{name: "RangeError", message: fmt.Sprintf("the text is longer than %d bytes", limit)}
	}
	return text, in.Spend(intlWork + 16*len(text))
}

func (in *instance) intlTag(ctx context.Context, args arguments) (quickjs.Value, error) {
	text, err := in.intlText(args, 0, maxIntlOptions)
	if err != nil {
		return 0, err
	}
	tag, ok := intl.CanonicalTag(text)
	if !ok {
		return quickjs.Undefined, nil
	}
	return in.vm.NewString(ctx, tag)
}

func (in *instance) intlResolve(ctx context.Context, args arguments) (quickjs.Value, error) {
	kind, err := in.intlText(args, 0, maxName)
	if err != nil {
		return 0, err
	}
	tags, err := in.intlText(args, 1, maxIntlTags)
	if err != nil {
		return 0, err
	}
	options, err := in.intlText(args, 2, maxIntlOptions)
	if err != nil {
		return 0, err
	}
	fields := intl.ResolveFor(kind, strings.Fields(tags), strings.Fields(options))
	return in.vm.NewString(ctx, strings.Join(fields, "|"))
}

func (in *instance) intlSupported(ctx context.Context, args arguments) (quickjs.Value, error) {
	tags, err := in.intlText(args, 0, maxIntlTags)
	if err != nil {
		return 0, err
	}
	return in.vm.NewString(ctx, strings.Join(intl.Supported(strings.Fields(tags)), " "))
}

func (in *instance) intlValues(ctx context.Context, args arguments) (quickjs.Value, error) {
	key, err := in.intlText(args, 0, maxName)
	if err != nil {
		return 0, err
	}
	values, ok := intl.SupportedValues(key)
	if !ok {
		return quickjs.Undefined, nil
	}
	return in.vm.NewString(ctx, strings.Join(values, " "))
}

func (in *instance) intlIsUnit(_ context.Context, args arguments) (quickjs.Value, error) {
	name, err := in.intlText(args, 0, maxName)
	if err != nil {
		return 0, err
	}
	if !intl.IsUnit(name) {
		return quickjs.Int(0), nil
	}
	return quickjs.Int(1), nil
}

func (in *instance) intlCurrencyDigits(_ context.Context, args arguments) (quickjs.Value, error) {
	code, err := in.intlText(args, 0, maxName)
	if err != nil {
		return 0, err
	}
	return quickjs.Int(int32(intl.CurrencyDigits(code))), nil
}

// numberFormat returns the formatter and the numbers that the arguments give.
func (in *instance) numberFormat(args arguments, count int) (*intl.NumberFormat, []string, error) {
	options, err := in.intlText(args, 0, maxIntlOptions)
	if err != nil {
		return nil, nil, err
	}
	numbers := make([]string, count)
	for i := range numbers {
		if numbers[i], err = in.intlText(args, 1+i, intl.MaxNumber); err != nil {
			return nil, nil, err
		}
	}
	f, err := intl.CachedNumberFormat(options)
	if err != nil {
		return nil, nil, failf("%v", err)
	}
	return f, numbers, nil
}

func (in *instance) intlNumber(ctx context.Context, args arguments) (quickjs.Value, error) {
	f, numbers, err := in.numberFormat(args, 1)
	if err != nil {
		return 0, err
	}
	text, err := f.Format(numbers[0])
	return in.intlResult(ctx, text, err)
}

func (in *instance) intlNumberParts(ctx context.Context, args arguments) (quickjs.Value, error) {
	f, numbers, err := in.numberFormat(args, 1)
	if err != nil {
		return 0, err
	}
	parts, err := f.Parts(numbers[0])
	return in.intlParts(ctx, parts, err)
}

func (in *instance) intlRange(ctx context.Context, args arguments) (quickjs.Value, error) {
	f, numbers, err := in.numberFormat(args, 2)
	if err != nil {
		return 0, err
	}
	text, err := f.FormatRange(numbers[0], numbers[1])
	return in.intlResult(ctx, text, err)
}

func (in *instance) intlRangeParts(ctx context.Context, args arguments) (quickjs.Value, error) {
	f, numbers, err := in.numberFormat(args, 2)
	if err != nil {
		return 0, err
	}
	parts, err := f.RangeParts(numbers[0], numbers[1])
	return in.intlParts(ctx, parts, err)
}

// intlResult hands a text to the guest.
func (in *instance) intlResult(ctx context.Context, text string, err error) (quickjs.Value, error) {
	if err != nil {
		return 0, &failure{name: "RangeError", message: err.Error()}
	}
	return in.vm.NewString(ctx, text)
}

// intlParts hands the pieces of a text to the guest.
func (in *instance) intlParts(ctx context.Context, parts []intl.Part, err error) (quickjs.Value, error) {
	if err != nil {
		return 0, &failure{name: "RangeError", message: err.Error()}
	}
	if err := in.Spend(256 * len(parts)); err != nil {
		return 0, err
	}
	return in.webObject(ctx, map[string][]intl.Part{"list": parts})
}
