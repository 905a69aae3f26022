package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// This file makes JSON Schemas of Go types, as package registry does. It is not shared with it: what that is built on
// would make each guest larger by 1.4 MB, and a test compares the two.

// schemaOf returns the schema of a struct as the input or the output of a tool.
func schemaOf(t reflect.Type, input bool) (json.RawMessage, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("the schema of %v: it is not a struct", t)
	}
	var r inferrer
	s, err := r.schema(t, []int{}, input)
	if err != nil {
		return nil, fmt.Errorf("the schema of %v: %w", t, err)
	}
	return json.Marshal(s)
}

// An object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

func (o *object) set(name string, value any) { *o = append(*o, member{name, value}) }

func (o object) get(name string) any {
	if i := slices.IndexFunc(o, func(m member) bool { return m.name == name }); i >= 0 {
		return o[i].value
	}
	return nil
}

// replace sets a member that is there.
func (o object) replace(name string, value any) {
	if i := slices.IndexFunc(o, func(m member) bool { return m.name == name }); i >= 0 {
		o[i].value = value
	}
}

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// An inferrer makes schemas, and collects the defaults of fields.
type inferrer struct {
	defaults []fieldDefault
	inside   []reflect.Type // the structs that are being described
}

type fieldDefault struct {
	index []int
	value reflect.Value
}

// errNoSchema means that there is no schema for a type.
var errNoSchema = errors.New("there is no schema for the type")

var timeType = reflect.TypeFor[time.Time]()

// schema returns the schema of a type: an *object, or true for anything. The index leads to the type from the input's
// struct; it is nil where a default cannot be set.
func (r *inferrer) schema(t reflect.Type, index []int, input bool) (any, error) {
	s := &object{}
	switch kind := t.Kind(); {
	case t == timeType:
		s.set("type", "string")
	case kind == reflect.Interface && t.NumMethod() == 0:
		return true, nil
	case marshals(t):
		return nil, fmt.Errorf("%w: %v encodes itself; set InputSchema or OutputSchema", errNoSchema, t)
	case kind == reflect.String:
		s.set("type", "string")
	case kind == reflect.Bool:
		s.set("type", "boolean")
	case kind == reflect.Float32 || kind == reflect.Float64:
		s.set("type", "number")
	case kind >= reflect.Int && kind <= reflect.Int64:
		s.set("type", "integer")
		if bits := t.Bits(); kind != reflect.Int && bits < 64 {
			s.set("minimum", -int64(1)<<(bits-1))
			s.set("maximum", int64(1)<<(bits-1)-1)
		}
	case kind >= reflect.Uint && kind <= reflect.Uint64:
		s.set("type", "integer")
		s.set("minimum", 0)
		if bits := t.Bits(); kind != reflect.Uint && bits < 64 {
			s.set("maximum", int64(1)<<bits-1)
		}
	case kind == reflect.Pointer:
		inner, err := r.schema(t.Elem(), nil, input)
		if pointed, ok := inner.(*object); ok {
			if one, ok := pointed.get("type").(string); ok {
				pointed.replace("type", []any{"null", one})
			}
		}
		return inner, err
	case kind == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !marshals(t.Elem()):
		s.set("type", "string")
		if !input {
			s.replace("type", []any{"null", "string"})
		}
		s.set("contentEncoding", "base64")
	case kind == reflect.Slice || kind == reflect.Array:
		items, err := r.schema(t.Elem(), nil, input)
		if err != nil {
			return nil, err
		}
		s.set("type", "array")
		s.set("items", items)
		if kind == reflect.Array {
			s.set("minItems", t.Len())
			s.set("maxItems", t.Len())
		} else if !input {
			s.replace("type", []any{"null", "array"})
		}
	case kind == reflect.Map && t.Key().Kind() == reflect.String:
		values, err := r.schema(t.Elem(), nil, input)
		if err != nil {
			return nil, err
		}
		s.set("type", "object")
		s.set("additionalProperties", values)
		if !input {
			s.replace("type", []any{"null", "object"})
		}
	case kind == reflect.Struct:
		return s, r.properties(s, t, index, input)
	default:
		return nil, fmt.Errorf("%w: %v", errNoSchema, t)
	}
	return s, nil
}

// properties describes a struct.
func (r *inferrer) properties(s *object, t reflect.Type, index []int, input bool) error {
	if slices.Contains(r.inside, t) {
		return fmt.Errorf("%w: %v contains itself", errNoSchema, t)
	}
	r.inside = append(r.inside, t)
	defer func() { r.inside = r.inside[:len(r.inside)-1] }()
	properties, required := object{}, []string{}
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" && options == "" || !field.IsExported() ||
			field.Anonymous && name == "" && indirect(field.Type).Kind() == reflect.Struct {
			continue
		}
		if name == "" {
			name = field.Name
		}
		var inside []int
		if index != nil && !throughPointer(t, field.Index) {
			inside = slices.Concat(index, field.Index)
		}
		of, err := r.schema(field.Type, inside, input)
		if err != nil {
			return fmt.Errorf("field %s: %w", field.Name, err)
		}
		list := strings.Split(options, ",")
		optional := slices.Contains(list, "omitempty") || slices.Contains(list, "omitzero")
		if described, ok := of.(*object); ok {
			if text := field.Tag.Get("jsonschema"); text != "" {
				described.set("description", text)
			}
			if input {
				if nullable, ok := described.get("type").([]any); ok && optional {
					described.replace("type", nullable[1])
				}
				fallback, err := r.tags(field, described, inside)
				if err != nil {
					return fmt.Errorf("field %s: %w", field.Name, err)
				}
				optional = optional || fallback
			}
		}
		properties.set(name, of)
		if !optional {
			required = append(required, name)
		}
	}
	s.set("type", "object")
	s.set("properties", properties)
	if len(required) > 0 {
		s.set("required", required)
	}
	s.set("additionalProperties", false)
	return nil
}

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// throughPointer reports whether an embedded pointer is on the way to a field.
func throughPointer(t reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

// exampleTime shows models how times are written.
const exampleTime = "2025-01-31T15:04:05Z"

// tags adds what the tags of a field say, and reports whether there is a default.
func (r *inferrer) tags(field reflect.StructField, of *object, index []int) (fallback bool, err error) {
	value, t := of, indirect(field.Type) // what most tags are about: the items of a list
	if items, ok := of.get("items").(*object); ok && t.Kind() == reflect.Slice {
		value, t = items, indirect(t.Elem())
	}
	if t == timeType {
		value.set("format", "date-time")
		note := "(written as in " + exampleTime + ")"
		if text, ok := of.get("description").(string); ok {
			of.replace("description", text+" "+note)
		} else {
			of.set("description", note)
		}
	}
	for _, name := range []string{"enum", "format", "pattern", "minimum", "maximum",
		"minLength", "maxLength", "minItems", "maxItems",
		"default"} {
		text, ok := field.Tag.Lookup(name)
		if !ok {
			continue
		}
		var v any
		to := value
		switch name {
		case "enum":
			var list []any
			for choice := range strings.SplitSeq(text, ",") {
				if v, err = parsed(strings.TrimSpace(choice), t); err != nil {
					break
				}
				list = append(list, v)
			}
			v = list
		case "minimum", "maximum":
			value.remove(name)
			v, err = bound(text, t)
		case "minLength", "maxLength":
			v, err = size(text, t, reflect.String)
		case "minItems", "maxItems":
			to = of
			v, err = size(text, indirect(field.Type), reflect.Slice)
		case "default":
			to, fallback = of, true
			v, err = r.fallback(text, field, of, index)
		default:
			v = text
		}
		if err != nil {
			return false, fmt.Errorf("tag %s: %w", name, err)
		}
		to.set(name, v)
	}
	return fallback, nil
}

func (o *object) remove(name string) {
	*o = slices.DeleteFunc(*o, func(m member) bool { return m.name == name })
}

// fallback notes the default of a field.
func (r *inferrer) fallback(text string, field reflect.StructField, of *object, index []int) (any, error) {
	if index == nil || field.Type.Kind() == reflect.Pointer {
		return nil, errors.New("a default is for fields that are not behind a pointer, in a list or in a map")
	}
	v, err := parsed(text, field.Type)
	if err != nil {
		return nil, err
	}
	if list, ok := of.get("enum").([]any); ok && !slices.Contains(list, v) {
		return nil, fmt.Errorf("%s is not in the enum", text)
	}
	r.defaults = append(r.defaults, fieldDefault{index, reflect.ValueOf(v).Convert(field.Type)})
	return v, nil
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

// bound reads a bound of a number.
func bound(text string, t reflect.Type) (any, error) {
	if kind := t.Kind(); kind < reflect.Int || kind > reflect.Float64 {
		return nil, fmt.Errorf("it is for numbers, not for %v", t)
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return nil, fmt.Errorf("%q is no number", text)
	}
	return n, nil
}

// size reads a bound of a length. It is for fields of a kind.
func size(text string, t reflect.Type, kind reflect.Kind) (any, error) {
	if t.Kind() != kind {
		return nil, fmt.Errorf("it is for a %v, not for %v", kind, t)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return nil, fmt.Errorf("%q is no length", text)
	}
	return n, nil
}
