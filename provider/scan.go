package provider

import (
	"bytes"
	"encoding/json"
)

// What is here reads JSON that is known to be valid, without decoding or copying what nobody asks for: a message can have
// megabytes beside its calls. All that is returned is part of the data.

// first is the first byte of a JSON value, or 0.
func first(data []byte) byte {
	if i := skipSpace(data, 0); i < len(data) {
		return data[i]
	}
	return 0
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\r' || data[i] == '\n') {
		i++
	}
	return i
}

// skipString returns where the string that begins at i ends.
func skipString(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(data)
}

// skipValue returns where the value that begins at i ends.
func skipValue(data []byte, i int) int {
	depth := 0
	for i < len(data) {
		switch data[i] {
		case '"':
			i = skipString(data, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\r', '\n':
			i++
			continue
		default:
			for i < len(data) && !bytes.ContainsRune(delimiters, rune(data[i])) {
				i++
			}
		}
		if depth <= 0 {
			break
		}
	}
	return min(i, len(data))
}

var delimiters = []byte(",:]} \t\r\n")

// fields are some members of an object, as they are written.
type fields map[string]json.RawMessage

// fieldsOf returns the named members of an object, the last one where a name is there twice, or nothing if it is no object.
// Names count as they are written, other than for package json.
func fieldsOf(data []byte, names ...string) fields {
	if first(data) != '{' {
		return nil
	}
	f := make(fields, len(names))
	i := skipSpace(data, 0) + 1
	for {
		i = skipSpace(data, i)
		if i >= len(data) || data[i] != '"' {
			return f
		}
		end := skipString(data, i)
		name := data[i:end]
		i = skipSpace(data, end) + 1 // behind the colon
		i = skipSpace(data, i)
		end = skipValue(data, i)
		for _, wanted := range names {
			if isNamed(name, wanted) {
				f[wanted] = json.RawMessage(data[min(i, end):end:end])
			}
		}
		i = skipSpace(data, end) + 1 // behind the comma
	}
}

// isNamed reports whether a JSON string is a name.
func isNamed(quoted []byte, name string) bool {
	if bytes.IndexByte(quoted, '\\') >= 0 {
		return textOf(quoted) == name
	}
	return len(quoted) == len(name)+2 && string(quoted[1:len(quoted)-1]) == name
}

// has reports whether a member is there and not null.
func (f fields) has(name string) bool { return len(f[name]) > 0 && string(f[name]) != "null" }

// text returns a member that is a string, or "".
func (f fields) text(name string) string { return textOf(f[name]) }

// input returns a member that has arguments, or an empty object if there is none.
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

// each calls do with the elements of an array.
func each(data []byte, do func(element json.RawMessage) error) error {
	for i := skipSpace(data, 0) + 1; ; {
		i = skipSpace(data, i)
		if i >= len(data) || data[i] == ']' {
			return nil
		}
		end := skipValue(data, i)
		if err := do(json.RawMessage(data[i:end:end])); err != nil {
			return err
		}
		i = skipSpace(data, end) + 1 // behind the comma
	}
}
