package runtime

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Values cross between Go and JavaScript as JSON. Bytes in them are taken out and cross beside it, in one piece; in
// their place stands the run's mark and where in that piece they are: "MARK<offset>:<length>". The mark is random, so no
// other string begins with it by accident. A script that forges one names bytes of its own.

// newMark returns a mark that is not in use elsewhere.
func newMark() string { return "\x00bytes " + rand.Text()[:12] + " " }

// decode turns JSON from a guest into a value.
func (r *run) decode(text string, data []byte) (any, error) {
	if text == "" {
		return nil, nil
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return nil, err
	}
	if data == nil {
		return value, nil
	}
	return r.restore(value, data)
}

// restore puts copies of the bytes where the marks are.
func (r *run) restore(value any, data []byte) (any, error) {
	var err error
	switch v := value.(type) {
	case string:
		place, ok := strings.CutPrefix(v, r.mark)
		if !ok {
			return v, nil
		}
		first, second, _ := strings.Cut(place, ":")
		offset, err1 := strconv.Atoi(first)
		length, err2 := strconv.Atoi(second)
		if err1 != nil || err2 != nil || offset < 0 || length < 0 || offset > len(data) || length > len(data)-offset {
			return nil, errors.New("a reference to bytes that are not there")
		}
		return append([]byte{}, data[offset:offset+length]...), nil
	case []any:
		for i := range v {
			if v[i], err = r.restore(v[i], data); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range v {
			if v[key], err = r.restore(v[key], data); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// encode turns a value into JSON for a guest, and the bytes that belong to it (nil if there are none).
func (r *run) encode(value any) (text []byte, data []byte, err error) {
	if value, err = r.extract(value, &data, 0); err != nil {
		return nil, nil, err
	}
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), data, nil
}

// maxNesting is how deep a value from Go may be nested. A value with a cycle would be nested without end.
const maxNesting = 1000

// extract returns value with marks in the place of bytes, which it appends to data. It does not change value. Bytes in
// other types than these (in structs, say) cross as encoding/json has them, in base64.
func (r *run) extract(value any, data *[]byte, depth int) (any, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("the value is nested more than %d deep", maxNesting)
	}
	var err error
	switch v := value.(type) {
	case []byte:
		mark := fmt.Sprintf("%s%d:%d", r.mark, len(*data), len(v))
		if *data = append(*data, v...); *data == nil {
			*data = []byte{}
		}
		return mark, nil
	case []any:
		out := make([]any, len(v))
		for i := range v {
			if out[i], err = r.extract(v[i], data, depth+1); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for key := range v {
			if out[key], err = r.extract(v[key], data, depth+1); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return value, nil
}
