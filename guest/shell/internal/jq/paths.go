package jq

import (
	"math"
	"slices"
)

func getPath(v any, at []any) (any, error) {
	for _, key := range at {
		if v == nil {
			return nil, nil
		}
		var err error
		if v, err = lookup(v, key); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// maxIndex bounds what setting one element can make.
const maxIndex = 1 << 26

func setPath(v any, at []any, x any) (any, error) {
	if len(at) == 0 {
		return x, nil
	}
	old, err := lookup(v, at[0])
	if err != nil {
		return nil, err
	}
	if x, err = setPath(old, at[1:], x); err != nil {
		return nil, err
	}
	switch key := at[0].(type) {
	case string:
		o, _ := v.(*Object)
		if o == nil {
			o = &Object{}
		}
		return o.with(key, x), nil
	case float64:
		list, _ := v.([]any)
		i := int(math.Floor(key))
		if i < 0 {
			if i += len(list); i < 0 {
				return nil, failf("Out of bounds negative array index")
			}
		}
		if i > maxIndex {
			return nil, failf("Array index too large")
		}
		c := make([]any, max(len(list), i+1))
		copy(c, list)
		c[i] = x
		return c, nil
	case *Object:
		list, _ := v.([]any)
		if v != nil && list == nil {
			if _, ok := v.([]any); !ok {
				return nil, failf("Cannot update field at object index of %s", typeName(v))
			}
		}
		values, ok := x.([]any)
		if !ok {
			return nil, failf("A slice of an array can only be assigned another array")
		}
		from, to, err := bounds(key, len(list))
		if err != nil {
			return nil, err
		}
		return slices.Concat(list[:from], values, list[to:]), nil
	}
	return nil, failf("Invalid path component %s", describe(at[0]))
}

// deletePaths deletes the last ones first, so that the others still lead to what they did.
func deletePaths(v any, paths []any) (any, error) {
	paths = sortValues(paths)
	for i := len(paths) - 1; i >= 0; i-- {
		at, ok := paths[i].([]any)
		if !ok {
			return nil, failf("Path must be specified as an array")
		}
		var err error
		if v, err = deletePath(v, at); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func deletePath(v any, at []any) (any, error) {
	if v == nil || len(at) == 0 {
		return nil, nil
	}
	if len(at) > 1 {
		inner, err := lookup(v, at[0])
		if err != nil || inner == nil {
			return v, err
		}
		if inner, err = deletePath(inner, at[1:]); err != nil {
			return nil, err
		}
		return setPath(v, at[:1], inner)
	}
	switch key := at[0].(type) {
	case string:
		if o, ok := v.(*Object); ok {
			return o.without(key), nil
		}
		return nil, failf("Cannot delete field at object index of %s", typeName(v))
	case float64:
		list, ok := v.([]any)
		if !ok {
			return nil, failf("Cannot delete field at array index of %s", typeName(v))
		}
		i := int(math.Floor(key))
		if i < 0 {
			i += len(list)
		}
		if i < 0 || i >= len(list) {
			return v, nil
		}
		return slices.Concat(list[:i], list[i+1:]), nil
	case *Object:
		list, ok := v.([]any)
		if !ok {
			return nil, failf("Cannot delete field at object index of %s", typeName(v))
		}
		from, to, err := bounds(key, len(list))
		if err != nil {
			return nil, err
		}
		return slices.Concat(list[:from], list[to:]), nil
	}
	return nil, failf("Cannot delete field at %s index of %s", typeName(at[0]), typeName(v))
}
