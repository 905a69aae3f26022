package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// An OptionType is the type of an option's values.
type OptionType string

// The types of options.
const (
	OptionBool   OptionType = "bool"
	OptionNumber OptionType = "number" // a float64
	OptionText   OptionType = "text"
	OptionSelect OptionType = "select" // a string, one of the choices
)

// OptionSplit is the id of the bool option that replaces a tool by its parts: see [Spec].PartOf.
const OptionSplit = "split"

// OptionForm is the id of the select option of a tool that can be offered in the form of other tools: see [Spec].Forms.
// The empty choice, which should be the first, is the tool itself.
const OptionForm = "form"

// OptionSession is the id of the text option of tools that run code: the name of the session whose variables a call
// goes on with, and leaves for the next one. Empty means that each call begins anew.
const OptionSession = "session"

// OptionRollback is the id of the bool option of tools whose files a call that fails, or is stopped, leaves as they
// were: what it has changed, and what calls have that it made, is undone when it has ended.
const OptionRollback = "rollback"

// An Option is a setting of a tool that users can change.
type Option struct {
	// ID is the key under which the value is stored. Label and Subtitle are for people.
	ID       string     `json:"id"`
	Label    string     `json:"label,omitempty"`
	Subtitle string     `json:"subtitle,omitempty"`
	Type     OptionType `json:"type"`
	// Default is the value unless another is set: a bool, a number of any Go type, or a string. Nil means false,
	// zero, "", or the first choice.
	Default any `json:"default"`
	// Min and Max, if not nil, limit a number.
	Min *float64 `json:"min,omitempty"`
	Max *float64 `json:"max,omitempty"`
	// Choices are the possible values of a select.
	Choices []Choice `json:"choices,omitempty"`
	// VisibleWhen, if not nil, tells user interfaces when to show the option. The option has its value in any case.
	VisibleWhen *Condition `json:"visibleWhen,omitempty"`
}

// A Choice is a possible value of a select.
type Choice struct {
	Value string `json:"value"`
	Label string `json:"label,omitempty"`
}

// A Condition holds if another option of the same tool has a certain value.
type Condition struct {
	Option string `json:"option"`
	Equals any    `json:"equals"`
}

// checkOptions checks the definitions of a tool's options.
func checkOptions(options []Option) error {
	for i, o := range options {
		fail := func(format string, args ...any) error {
			return fmt.Errorf("option %q: "+format, append([]any{o.ID}, args...)...)
		}
		if o.ID == "" {
			return errors.New("an option has no ID")
		}
		if slices.ContainsFunc(options[:i], func(other Option) bool { return other.ID == o.ID }) {
			return fail("defined twice")
		}
		switch o.Type {
		case OptionBool, OptionNumber, OptionText:
			if len(o.Choices) > 0 {
				return fail("only a select has choices")
			}
		case OptionSelect:
			if len(o.Choices) == 0 {
				return fail("a select needs choices")
			}
			for j, c := range o.Choices {
				if slices.ContainsFunc(o.Choices[:j], func(other Choice) bool { return other.Value == c.Value }) {
					return fail("the choice %q is there twice", c.Value)
				}
			}
		default:
			return fail("its type is %q, which is none of bool, number, text and select", o.Type)
		}
		if o.Type != OptionNumber && (o.Min != nil || o.Max != nil) {
			return fail("only a number has a Min and a Max")
		}
		if o.Min != nil && o.Max != nil && *o.Min > *o.Max {
			return fail("Min is larger than Max")
		}
		if o.Default != nil || o.Type == OptionNumber {
			if _, err := o.Value(o.fallback()); err != nil {
				return fail("its default: %w", err)
			}
		}
	}
	for _, o := range options {
		if o.VisibleWhen == nil {
			continue
		}
		i := slices.IndexFunc(options, func(other Option) bool { return other.ID == o.VisibleWhen.Option })
		if i < 0 || options[i].ID == o.ID {
			return fmt.Errorf("option %q: visible when another option is set that is not there: %q",
				o.ID, o.VisibleWhen.Option)
		}
		if _, err := options[i].Value(o.VisibleWhen.Equals); err != nil {
			return fmt.Errorf("option %q: visible when %q has a value that it cannot have: %w",
				o.ID, o.VisibleWhen.Option, err)
		}
	}
	return nil
}

// fallback returns the default as given, or the default of the type.
func (o *Option) fallback() any {
	switch {
	case o.Default != nil:
		return o.Default
	case o.Type == OptionBool:
		return false
	case o.Type == OptionNumber:
		return 0.0
	case o.Type == OptionSelect:
		return o.Choices[0].Value
	}
	return ""
}

// Value checks a value of the option, and converts it to the option's type.
func (o *Option) Value(v any) (any, error) {
	switch o.Type {
	case OptionBool:
		if b, ok := v.(bool); ok {
			return b, nil
		}
	case OptionNumber:
		n, ok := number(v)
		switch {
		case !ok:
		case math.IsNaN(n) || math.IsInf(n, 0):
			return nil, errors.New("the number is not finite")
		case o.Min != nil && n < *o.Min:
			return nil, fmt.Errorf("%s is less than %s", decimal(n), decimal(*o.Min))
		case o.Max != nil && n > *o.Max:
			return nil, fmt.Errorf("%s is more than %s", decimal(n), decimal(*o.Max))
		default:
			return n, nil
		}
	case OptionText:
		if s, ok := v.(string); ok {
			return s, nil
		}
	case OptionSelect:
		if s, ok := v.(string); ok {
			values := make([]string, len(o.Choices))
			for i, c := range o.Choices {
				if values[i] = c.Value; c.Value == s {
					return s, nil
				}
			}
			return nil, fmt.Errorf("%q is none of its choices: %s", s, strings.Join(values, ", "))
		}
		return nil, fmt.Errorf("want text, got %s", typeName(v))
	}
	return nil, fmt.Errorf("want %s, got %s", o.Type, typeName(v))
}

// decimal writes a number without an exponent, unless that takes more digits than anybody reads.
func decimal(n float64) string {
	if size := math.Abs(n); n == 0 || 1e-6 <= size && size < 1e21 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case json.Number:
		f, err := n.Float64() // infinite if it is too large
		return f, err == nil || math.IsInf(f, 0)
	}
	return 0, false
}

// typeName returns the name of a value's JSON type.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "bool"
	case string:
		return "text"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	if _, ok := number(v); ok {
		return "number"
	}
	return fmt.Sprintf("%T", v)
}

// Options are the values of a tool's options, defaults included. The zero value has none. Options are immutable.
type Options struct {
	values map[string]any
}

// Bool returns the value of an option of type bool, or false if there is none.
func (o Options) Bool(id string) bool { v, _ := o.values[id].(bool); return v }

// Number returns the value of an option of type number, or 0 if there is none.
func (o Options) Number(id string) float64 { v, _ := o.values[id].(float64); return v }

// Text returns the value of an option of type text or select, or "" if there is none.
func (o Options) Text(id string) string { v, _ := o.values[id].(string); return v }

// Map returns all values by their ids.
func (o Options) Map() map[string]any { return maps.Clone(o.values) }

// NewOptions returns Options with values of the options' types: see [Option.Value]. The map must not change any more.
func NewOptions(values map[string]any) Options { return Options{values} }

// ParseOption parses a value from text, such as a command line or a form. The error says which values are allowed.
func (o Option) ParseOption(text string) (any, error) {
	var v any = text
	switch o.Type {
	case OptionBool:
		switch text {
		case "true":
			v = true
		case "false":
			v = false
		default:
			return nil, fmt.Errorf("option %q is true or false, not %q", o.ID, text)
		}
	case OptionNumber:
		v = json.Number(text)
		if !json.Valid([]byte(text)) {
			return nil, fmt.Errorf("option %q is a number, not %q", o.ID, text)
		}
	}
	v, err := o.Value(v)
	if err != nil {
		return nil, fmt.Errorf("option %q: %w", o.ID, err)
	}
	return v, nil
}

// Defaults returns the default values of options. The definitions must be valid.
func Defaults(definitions []Option) Options {
	if len(definitions) == 0 {
		return Options{}
	}
	values := make(map[string]any, len(definitions))
	for i := range definitions {
		values[definitions[i].ID], _ = definitions[i].Value(definitions[i].fallback())
	}
	return Options{values}
}
