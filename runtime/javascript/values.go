package javascript

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/utf8text"
)

// Values cross between Go and JavaScript as JSON. Their bytes cross separately, in one piece; the JSON has a string in
// their place, with the run's mark and where they are in that piece: "MARK<offset>:<length>". The mark is random, so no
// other string begins with it by accident. A script that forges one refers to its own bytes.

// newMark returns the mark of a run, from random text.
func newMark(random string) string { return "\x00bytes " + random + " " }

// decode turns JSON from a guest into a value, with copies of the bytes in place of the marks. It returns about how
// many bytes of the host's memory the value takes; if that is more than room, the error is errLarge.
func (in *instance) decode(text string, data []byte, room int) (value any, size int, err error) {
	return decodeJSON(text, jsonOptions{mark: in.run.mark, data: data, work: in.Spend, room: room})
}

// compactJSON removes the white space from JSON, unless the result is longer than maxJSON. Invalid JSON becomes
// other invalid JSON.
func (in *instance) compactJSON(text string) string {
	var out []byte
	quoted, escaped := false, false
	for text != "" && len(out) <= maxJSON {
		part := text[:min(len(text), quickjs.PieceSize)]
		if in.Spend(len(part)) != nil {
			return ""
		}
		text = text[len(part):]
		from := 0
		for i := range len(part) {
			switch c := part[i]; {
			case escaped:
				escaped = false
			case quoted && c == '\\':
				escaped = true
			case c == '"':
				quoted = !quoted
			case !quoted && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
				out = append(out, part[from:i]...)
				from = i + 1
			}
		}
		out = append(out, part[from:]...)
	}
	return utf8text.View(out)
}

// An encoded is a value on its way to a guest: JSON, and the bytes that belong to it, or nil.
type encoded struct {
	text string
	data []byte
}

// isScalar reports whether a value crosses unchanged, without JSON.
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

// newScalar makes a guest's value of one that isScalar.
func (in *instance) newScalar(ctx context.Context, value any) (quickjs.Value, error) {
	switch v := value.(type) {
	case bool:
		return quickjs.Bool(v), nil
	case string:
		return in.VM.NewString(ctx, v)
	case int:
		return quickjs.Int(int32(v)), nil
	case float64:
		return quickjs.Int(int32(v)), nil
	}
	return quickjs.Null, nil
}

// encode encodes a value for a guest. It calls methods of the value, which may do anything.
func (r *run) encode(value any) (e encoded, err error) {
	if value, err = r.extract(value, &e.data, 0); err != nil {
		return encoded{}, err
	}
	e.text, err = marshal(value)
	return e, err
}

func marshal(value any) (string, error) {
	text, err := jsontree.Marshal(value)
	return utf8text.View(text), err
}

// maxNesting is how deep a value from Go may be nested. A cycle would have no end.
const maxNesting = 1000

// extract returns a copy of value with marks in place of bytes, which it appends to data. Bytes in other types (in
// structs, say) cross as encoding/json encodes them, in base64.
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
		if err := r.Context().Err(); err != nil {
			return nil, err // the run is over
		}
		out := make([]any, len(v))
		for i := range v {
			if out[i], err = r.extract(v[i], data, depth+1); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) { // so that equal values have equal encodings
			if out[key], err = r.extract(v[key], data, depth+1); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return value, nil
}
