package runtime

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest"
	"github.com/toolrun/toolrun/internal/plainjson"
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
	left := len(data)
	return r.restore(value, data, &left)
}

// compactJSON takes the white space out of JSON. What is none stays as it is.
func compactJSON(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text
	}
	return b.String()
}

// restore puts copies of the bytes where the marks are. left is how many bytes may still be copied: an honest prelude
// refers to each byte once, but a script could make many marks for the same bytes.
func (r *run) restore(value any, data []byte, left *int) (any, error) {
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
		if err1 != nil || err2 != nil || offset < 0 || length < 0 || offset > len(data) || length > len(data)-offset || length > *left {
			return nil, errors.New("a reference to bytes that are not there")
		}
		*left -= length
		return append([]byte{}, data[offset:offset+length]...), nil
	case []any:
		for i := range v {
			if v[i], err = r.restore(v[i], data, left); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range v {
			if v[key], err = r.restore(v[key], data, left); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// weight estimates how many bytes of the host's memory the value of a JSON text takes, without decoding it.
func weight(text string) int {
	const perValue, perList, perObject = 48, 64, 400
	size, quoted := len(text), false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',':
			size += perValue
		case c == '[':
			size += perList
		case c == '{':
			size += perObject
		}
	}
	return size
}

// encoded is a value on its way to a guest: JSON, and the bytes that belong to it (nil if there are none).
type encoded struct {
	text string
	data []byte
}

// isScalar says whether value crosses as it is, without JSON, as the same value.
func isScalar(value any) bool {
	switch v := value.(type) {
	case nil, bool:
		return true
	case string:
		return utf8.ValidString(v)
	case int:
		return v == int(int32(v))
	case float64:
		return v == float64(int32(v)) && (v != 0 || !math.Signbit(v))
	}
	return false
}

// newScalar makes a value of the guest of one that isScalar.
func (in *instance) newScalar(ctx context.Context, value any) (guest.Value, error) {
	switch v := value.(type) {
	case bool:
		return guest.Bool(v), nil
	case string:
		return in.vm.NewString(ctx, v)
	case int:
		return guest.Int(int32(v)), nil
	case float64:
		return guest.Int(int32(v)), nil
	}
	return guest.Null, nil
}

// encode makes a value ready for a guest. It calls methods of the value, which may do anything.
func (r *run) encode(value any) (e encoded, err error) {
	if value, err = r.extract(value, &e.data, 0); err != nil {
		return encoded{}, err
	}
	text, err := plainjson.Marshal(value)
	if err != nil {
		return encoded{}, err
	}
	e.text = string(text)
	return e, nil
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
		for _, key := range slices.Sorted(maps.Keys(v)) { // equal values cross in equal ways
			if out[key], err = r.extract(v[key], data, depth+1); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return value, nil
}
