package tool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// A tagReader adds the contents of struct tags to an inferred schema.
type tagReader struct {
	// defaults are the values of default tags, with the index of their field in the input's struct.
	defaults []fieldDefault
}

type fieldDefault struct {
	index []int
	value reflect.Value
}

var timeType = reflect.TypeFor[time.Time]()

// exampleTime shows models the format of times.
const exampleTime = "2025-01-31T15:04:05Z"

// read reads the tags in a type into its schema. index is the path to the type from the input's struct, or nil where
// defaults are impossible, such as in the items of an array.
func (r *tagReader) read(t reflect.Type, s *jsonschema.Schema, index []int) error {
	if s == nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return r.read(t.Elem(), s, nil)
	case reflect.Slice, reflect.Array:
		return r.read(t.Elem(), s.Items, nil)
	case reflect.Map:
		return r.read(t.Elem(), s.AdditionalProperties, nil)
	case reflect.Struct:
	default:
		return nil
	}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		of := s.Properties[cmp.Or(name, field.Name)]
		if field.Anonymous || !field.IsExported() || name == "-" || of == nil {
			continue
		}
		var inside []int
		if index != nil && !throughPointer(t, field.Index) {
			inside = slices.Concat(index, field.Index)
		}
		if err := r.field(field, s, of, inside); err != nil {
			return fmt.Errorf("field %s: %w", field.Name, err)
		}
		if err := r.read(field.Type, of, inside); err != nil {
			return err
		}
	}
	return nil
}

// throughPointer reports whether the path to a field contains an embedded pointer.
func throughPointer(t reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

// field reads the tags of a field into of, the schema for the field, and s, the schema for its struct.
func (r *tagReader) field(field reflect.StructField, s, of *jsonschema.Schema, index []int) error {
	value := of // the schema for enum, format, pattern and bounds: for a list, that of its items
	t := indirect(field.Type)
	if t.Kind() == reflect.Slice && of.Items != nil {
		value, t = of.Items, indirect(t.Elem())
	}
	if t == timeType {
		value.Format = "date-time"
		of.Description = strings.TrimSpace(of.Description + " (written as in " + exampleTime + ")")
	}
	for _, tag := range []struct {
		name string
		read func(text string) error
	}{
		{"enum", func(text string) error {
			for choice := range strings.SplitSeq(text, ",") {
				v, err := parsed(strings.TrimSpace(choice), t)
				if err != nil {
					return err
				}
				value.Enum = append(value.Enum, v)
			}
			return nil
		}},
		{"format", func(text string) error { value.Format = text; return nil }},
		{"pattern", func(text string) error { value.Pattern = text; return nil }},
		{"minimum", func(text string) error { return bound(text, t, &value.Minimum) }},
		{"maximum", func(text string) error { return bound(text, t, &value.Maximum) }},
		{"minLength", func(text string) error { return size(text, t, &value.MinLength, reflect.String) }},
		{"maxLength", func(text string) error { return size(text, t, &value.MaxLength, reflect.String) }},
		{"minItems", func(text string) error { return size(text, indirect(field.Type), &of.MinItems, reflect.Slice) }},
		{"maxItems", func(text string) error { return size(text, indirect(field.Type), &of.MaxItems, reflect.Slice) }},
		{"default", func(text string) error { return r.fallback(text, field, s, of, index) }},
	} {
		if text, ok := field.Tag.Lookup(tag.name); ok {
			if err := tag.read(text); err != nil {
				return fmt.Errorf("tag %s: %w", tag.name, err)
			}
		}
	}
	return nil
}

// fallback sets the default of a field, which makes it optional.
func (r *tagReader) fallback(text string, field reflect.StructField, s, of *jsonschema.Schema, index []int) error {
	if index == nil || field.Type.Kind() == reflect.Pointer {
		return fmt.Errorf("a default is for fields that are not behind a pointer, in a list or in a map")
	}
	v, err := parsed(text, field.Type)
	if err != nil {
		return err
	}
	if of.Default, err = json.Marshal(v); err != nil {
		return err
	}
	if len(of.Enum) > 0 && !slices.Contains(of.Enum, v) {
		return fmt.Errorf("%s is not in the enum", text)
	}
	s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return s.Properties[name] == of })
	r.defaults = append(r.defaults, fieldDefault{index, reflect.ValueOf(v).Convert(field.Type)})
	return nil
}

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// parsed parses a value of a type, which must be a string, a number or a boolean.
func parsed(text string, t reflect.Type) (v any, err error) {
	switch kind := t.Kind(); {
	case kind == reflect.String:
		return text, nil
	case kind == reflect.Bool:
		v, err = strconv.ParseBool(text)
	case kind >= reflect.Int && kind <= reflect.Int64:
		v, err = strconv.ParseInt(text, 10, t.Bits())
	case kind >= reflect.Uint && kind <= reflect.Uintptr:
		v, err = strconv.ParseUint(text, 10, t.Bits())
	case kind == reflect.Float32 || kind == reflect.Float64:
		v, err = strconv.ParseFloat(text, t.Bits())
	default:
		return nil, fmt.Errorf("it is for text, numbers and booleans, not for %v", t)
	}
	if err != nil {
		return nil, fmt.Errorf("%q is no value of the type %v", text, t)
	}
	return v, nil
}

// bound parses a bound of a number.
func bound(text string, t reflect.Type, to **float64) error {
	if kind := t.Kind(); kind < reflect.Int || kind > reflect.Float64 {
		return fmt.Errorf("it is for numbers, not for %v", t)
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return fmt.Errorf("%q is no number", text)
	}
	*to = &n
	return nil
}

// size parses a bound of a length, for fields of the given kind.
func size(text string, t reflect.Type, to **int, kind reflect.Kind) error {
	if t.Kind() != kind {
		return fmt.Errorf("it is for a %v, not for %v", kind, t)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is no length", text)
	}
	*to = &n
	return nil
}
