package provider

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// The functions below read JSON that is known to be valid. They neither decode nor copy more than the caller needs,
// because a message can contain megabytes beside its calls. Slices that they return are parts of the data.

// first returns the first byte of a JSON value, or 0.
func first(data []byte) byte {
	if data = bytes.TrimLeft(data, " \t\r\n"); len(data) > 0 {
		return data[0]
	}
	return 0
}

// fields holds some members of an object, as raw JSON.
type fields map[string]json.RawMessage

// fieldsOf returns the named members of an object, or nil if data is not an object. Of repeated names, the last one
// counts. Unlike package json, it compares names exactly.
func fieldsOf(data []byte, names ...string) fields {
	f := make(fields, len(names))
	if !jsontree.Members(data, func(name, value []byte) {
		if i := slices.Index(names, string(name)); i >= 0 {
			f[names[i]] = json.RawMessage(value[:len(value):len(value)])
		}
	}) {
		return nil
	}
	return f
}

// has reports whether a member exists and is not null.
func (f fields) has(name string) bool { return len(f[name]) > 0 && string(f[name]) != "null" }

// text returns the text of a member that is a string, or "".
func (f fields) text(name string) string { return textOf(f[name]) }

// input returns a member that contains arguments, or an empty object if it is missing.
func (f fields) input(name string) json.RawMessage {
	if !f.has(name) {
		return json.RawMessage("{}")
	}
	return f[name]
}

// textOf returns the text of a JSON string, or "".
func textOf(data []byte) string {
	var s string
	if first(data) != '"' || json.Unmarshal(data, &s) != nil {
		return ""
	}
	return s
}

// each calls do with each element of an array, until do returns an error.
func each(data []byte, do func(element json.RawMessage) error) (err error) {
	jsontree.Elements(data, func(element []byte) bool {
		err = do(json.RawMessage(element[:len(element):len(element)]))
		return err == nil
	})
	return err
}
