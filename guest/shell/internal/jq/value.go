// Package jq has the language of jq. Unlike libraries in which objects are maps of Go, it keeps the order of keys.
//
// Values are nil, bool, float64, string, []any and *[Object]. They do not change once they are made.
package jq

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Object has values by keys, in the order in which they were put in.
type Object struct {
	keys  []string
	vals  []any
	index map[string]int // for those that are not small
}

const smallObject = 8

// Len returns how many keys there are.
func (o *Object) Len() int { return len(o.keys) }

// Keys returns the keys in their order. It must not be changed.
func (o *Object) Keys() []string { return o.keys }

func (o *Object) at(key string) int {
	if o.index != nil {
		if i, ok := o.index[key]; ok {
			return i
		}
		return -1
	}
	return slices.Index(o.keys, key)
}

// Get returns the value of a key.
func (o *Object) Get(key string) (any, bool) {
	if i := o.at(key); i >= 0 {
		return o.vals[i], true
	}
	return nil, false
}

// Put sets a key of an object that nobody else has yet.
func (o *Object) Put(key string, v any) {
	if i := o.at(key); i >= 0 {
		o.vals[i] = v
		return
	}
	o.keys, o.vals = append(o.keys, key), append(o.vals, v)
	switch {
	case o.index != nil:
		o.index[key] = len(o.keys) - 1
	case len(o.keys) > smallObject:
		o.index = make(map[string]int, 2*len(o.keys))
		for i, k := range o.keys {
			o.index[k] = i
		}
	}
}

func (o *Object) clone() *Object {
	c := &Object{keys: slices.Clip(slices.Clone(o.keys)), vals: slices.Clone(o.vals)}
	if len(c.keys) > smallObject {
		c.index = make(map[string]int, len(c.keys)+1)
		for i, k := range c.keys {
			c.index[k] = i
		}
	}
	return c
}

// with returns an object with a key changed.
func (o *Object) with(key string, v any) *Object {
	c := o.clone()
	c.Put(key, v)
	return c
}

// without returns an object that lacks a key.
func (o *Object) without(key string) *Object {
	if o.at(key) < 0 {
		return o
	}
	c := &Object{}
	for i, k := range o.keys {
		if k != key {
			c.Put(k, o.vals[i])
		}
	}
	return c
}

func (o *Object) sorted() []string {
	keys := slices.Clone(o.keys)
	slices.Sort(keys)
	return keys
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	case *Object:
		return "object"
	}
	return "unknown"
}

func truthy(v any) bool {
	if v == nil {
		return false
	}
	b, ok := v.(bool)
	return !ok || b
}

func rank(v any) int {
	switch v := v.(type) {
	case nil:
		return 0
	case bool:
		if v {
			return 2
		}
		return 1
	case float64:
		return 3
	case string:
		return 4
	case []any:
		return 5
	}
	return 6
}

// Compare orders values as jq's sort does.
func Compare(a, b any) int {
	if x, y := rank(a), rank(b); x != y {
		return x - y
	}
	switch a := a.(type) {
	case float64:
		switch b := b.(float64); {
		case a < b || a != a:
			return -1
		case a == b:
			return 0
		}
		return 1
	case string:
		return strings.Compare(a, b.(string))
	case []any:
		return slices.CompareFunc(a, b.([]any), Compare)
	case *Object:
		o := b.(*Object)
		keys := a.sorted()
		if c := slices.Compare(keys, o.sorted()); c != 0 {
			return c
		}
		for _, key := range keys {
			x, _ := a.Get(key)
			y, _ := o.Get(key)
			if c := Compare(x, y); c != 0 {
				return c
			}
		}
	}
	return 0
}

func sortValues(list []any) []any {
	list = slices.Clone(list)
	sort.SliceStable(list, func(i, j int) bool { return Compare(list[i], list[j]) < 0 })
	return list
}

// A Style is how values are written.
type Style struct {
	// Indent is what each level is indented by. Empty means that all is on one line.
	Indent string
	Sort   bool // keys
	ASCII  bool
}

// Append appends the JSON of a value.
func (s Style) Append(b []byte, v any) []byte { return s.append(b, v, 0) }

func (s Style) append(b []byte, v any, depth int) []byte {
	line := func(depth int) {
		if s.Indent != "" {
			b = append(b, '\n')
			for range depth {
				b = append(b, s.Indent...)
			}
		}
	}
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case float64:
		return append(b, formatNumber(v)...)
	case string:
		return appendString(b, v, s.ASCII)
	case []any:
		if len(v) == 0 {
			return append(b, "[]"...)
		}
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			line(depth + 1)
			b = s.append(b, e, depth+1)
		}
		line(depth)
		return append(b, ']')
	case *Object:
		if len(v.keys) == 0 {
			return append(b, "{}"...)
		}
		b = append(b, '{')
		keys := v.keys
		if s.Sort {
			keys = v.sorted()
		}
		for i, key := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			line(depth + 1)
			b = appendString(b, key, s.ASCII)
			b = append(b, ':')
			if s.Indent != "" {
				b = append(b, ' ')
			}
			e := v.vals[i]
			if s.Sort {
				e, _ = v.Get(key)
			}
			b = s.append(b, e, depth+1)
		}
		line(depth)
		return append(b, '}')
	}
	return b
}

// JSON returns a value as JSON on one line.
func JSON(v any) string { return string(Style{}.Append(nil, v)) }

func formatNumber(n float64) string {
	switch {
	case n != n:
		return "null"
	case math.IsInf(n, 0):
		n = math.Copysign(math.MaxFloat64, n)
	case n == math.Trunc(n) && math.Abs(n) < 1e15:
		if n == 0 && math.Signbit(n) {
			return "-0"
		}
		return strconv.FormatInt(int64(n), 10)
	}
	s := strconv.FormatFloat(n, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	e, _ := strconv.Atoi(exponent)
	digits := len(strings.TrimLeft(strings.Replace(mantissa, ".", "", 1), "-"))
	if point := e + 1; point <= -4 || point > digits+15 {
		return s
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

const hexDigits = "0123456789abcdef"

func appendString(b []byte, s string, ascii bool) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			switch c {
			case '"', '\\':
				b = append(b, '\\', c)
			case '\n':
				b = append(b, '\\', 'n')
			case '\t':
				b = append(b, '\\', 't')
			case '\r':
				b = append(b, '\\', 'r')
			case '\b':
				b = append(b, '\\', 'b')
			case '\f':
				b = append(b, '\\', 'f')
			default:
				if c < ' ' || c == 127 {
					b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
				} else {
					b = append(b, c)
				}
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if !ascii {
			b = utf8.AppendRune(b, r)
			continue
		}
		unit := func(u rune) {
			b = append(b, '\\', 'u', hexDigits[u>>12&15], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
		}
		if r >= 0x10000 {
			r -= 0x10000
			unit(0xd800 + r>>10)
			unit(0xdc00 + r&0x3ff)
		} else {
			unit(r)
		}
	}
	return append(b, '"')
}
