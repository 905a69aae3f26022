package main

import (
	"bytes"
	"compress/flate"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Values that stand for no text, and for the parent's text.
const (
	absent  = "\x01"
	inherit = "\x02"
)

// encode returns an area's file, which package intl reads (data.go): the sizes of the keys and of the index as lines of
// text, the keys, the index with a line for each locale (its name, its parent, and where its values are), and the
// values of each locale in the order of the keys. All parts are compressed by themselves.
func encode(a area, s *source, locales []string) ([]byte, error) {
	texts := map[string]map[string]string{}
	keys := map[string]bool{}
	for _, locale := range locales {
		t, err := a.texts(s, locale)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", locale, err)
		}
		for key, value := range t {
			if strings.ContainsAny(key+value, "\x00\x01\x02") {
				return nil, fmt.Errorf("%s: %q has a control character", locale, key)
			}
			keys[key] = true
		}
		texts[locale] = t
	}
	sorted := slices.Sorted(maps.Keys(keys))
	var index strings.Builder
	var body bytes.Buffer
	for _, locale := range locales {
		parent := ""
		if locale != root {
			for parent = s.parent(locale); texts[parent] == nil; parent = s.parent(parent) {
				continue // a parent without data of its own
			}
		}
		values := make([]string, len(sorted))
		for i, key := range sorted {
			value, ok := texts[locale][key]
			if !ok {
				value = absent
			}
			inherited, has := texts[parent][key]
			if parent != "" && has == ok && (!ok || inherited == value) {
				value = inherit
			}
			values[i] = value
		}
		data := deflate(strings.Join(values, "\x00"))
		fmt.Fprintf(&index, "%s %s %d %d\n", locale, parent, body.Len(), len(data))
		body.Write(data)
	}
	head, list := deflate(strings.Join(sorted, "\n")), deflate(index.String())
	file := fmt.Appendf(nil, "%d %d\n", len(head), len(list))
	return slices.Concat(file, head, list, body.Bytes()), nil
}

func deflate(text string) []byte {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil { // a buffer takes everything
		panic(err)
	}
	return b.Bytes()
}

// flatten adds the texts of an object to out, by their paths.
func flatten(out map[string]string, path string, value any) {
	switch v := value.(type) {
	case string:
		out[path] = v
	case map[string]any:
		for key, part := range v {
			flatten(out, path+"/"+key, part)
		}
	}
}
