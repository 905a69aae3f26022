package xmlcall

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/toolrun/toolrun/internal/jsontree"
)

// An object is a JSON object with its members in the order in which they are written. The values are *object, []any, string,
// json.Number, bool and nil. A nil *object has no members.
type object struct {
	names  []string
	values map[string]any
}

// get returns a member, or nil if it is not there.
func (o *object) get(name string) any {
	if o == nil {
		return nil
	}
	return o.values[name]
}

// object returns a member that is an object, or nil.
func (o *object) object(name string) *object {
	v, _ := o.get(name).(*object)
	return v
}

// list returns a member that is an array, or nil.
func (o *object) list(name string) []any {
	v, _ := o.get(name).([]any)
	return v
}

// text returns a member that is a string, or "".
func (o *object) text(name string) string {
	v, _ := o.get(name).(string)
	return v
}

// MarshalJSON keeps the order.
func (o *object) MarshalJSON() ([]byte, error) {
	var w objectWriter
	for _, name := range o.names {
		raw, err := jsontree.Marshal(o.values[name])
		if err != nil {
			return nil, err
		}
		w.member(name, raw)
	}
	return w.bytes(), nil
}

// maxNesting is how deep JSON is nested at most, as in package json.
const maxNesting = 10000

// decodeOrdered decodes one JSON value.
func decodeOrdered(data []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decodeValue(decoder, 0)
}

func decodeValue(decoder *json.Decoder, depth int) (any, error) {
	if depth > maxNesting {
		return nil, errors.New("nested too deep")
	}
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		o := &object{values: map[string]any{}}
		for decoder.More() {
			key, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			name, _ := key.(string)
			value, err := decodeValue(decoder, depth+1)
			if err != nil {
				return nil, err
			}
			if _, twice := o.values[name]; !twice {
				o.names = append(o.names, name)
			}
			o.values[name] = value
		}
		_, err = decoder.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			value, err := decodeValue(decoder, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err = decoder.Token()
		return list, err
	}
	return token, nil
}

// encodeText encodes a string.
func encodeText(s string) json.RawMessage {
	raw, _ := jsontree.Marshal(s) // a string always can be
	return raw
}

// An objectWriter puts a JSON object together.
type objectWriter struct{ b bytes.Buffer }

func (w *objectWriter) member(name string, value json.RawMessage) {
	separator := byte(',')
	if w.b.Len() == 0 {
		separator = '{'
	}
	w.b.WriteByte(separator)
	w.b.Write(encodeText(name))
	w.b.WriteByte(':')
	w.b.Write(value)
}

func (w *objectWriter) bytes() json.RawMessage {
	if w.b.Len() == 0 {
		return json.RawMessage("{}")
	}
	return append(w.b.Bytes(), '}')
}

// encodeList puts a JSON array together.
func encodeList(values []json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(v)
	}
	b.WriteByte(']')
	return b.Bytes()
}
