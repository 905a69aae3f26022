package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/tool"
)

// compare returns the first difference between two results, or nil.
func compare(recorded, now tool.Result) *DifferenceError {
	differ := func(text string, args ...any) *DifferenceError {
		return &DifferenceError{Text: fmt.Sprintf(text, args...)}
	}
	if before, after := recorded.Text(), now.Text(); before != after {
		was, is := strings.Split(before, "\n"), strings.Split(after, "\n")
		for n := range max(len(was), len(is)) {
			switch {
			case n >= len(was):
				return differ("the output has another line %d: %s", n+1, excerpt([]byte(is[n])))
			case n >= len(is):
				return differ("the output has no line %d: %s", n+1, excerpt([]byte(was[n])))
			case was[n] != is[n]:
				return differ("line %d of the output was %s and is %s", n+1, excerpt([]byte(was[n])),
					excerpt([]byte(is[n])))
			}
		}
	}
	if recorded.Code != now.Code {
		return differ("the code of the result was %q and is %q", recorded.Code, now.Code)
	}
	if len(recorded.Content) != len(now.Content) {
		return differ("the result had %d parts and has %d", len(recorded.Content), len(now.Content))
	}
	for n, p := range recorded.Content {
		if q := now.Content[n]; !bytes.Equal(p.Data, q.Data) || p.MIME != q.MIME {
			return differ("part %d of the result is another one", n+1)
		}
	}
	before, after := timeless(recorded.Data), timeless(now.Data)
	if !bytes.Equal(before, after) {
		from := max(0, common(before, after)-20)
		return differ("the data of the result was %s and is %s", excerpt(before[from:]), excerpt(after[from:]))
	}
	return nil
}

// common returns how many bytes two texts have in common at their beginning.
func common(a, b []byte) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// timeless returns data as JSON without durations.
func timeless(data any) []byte {
	text, err := json.Marshal(data)
	if err != nil {
		return nil
	}
	value, err := decode(text)
	if err != nil {
		return text
	}
	// The data of a tool that runs code has them in usage and calls, beside the value that the code has returned.
	if object, ok := value.(map[string]any); ok {
		forget(object["usage"])
		if calls, ok := object["calls"].([]any); ok {
			for _, call := range calls {
				forget(call)
			}
		}
	}
	text, _ = json.Marshal(value)
	return text
}

// decode decodes JSON with numbers as written.
func decode(text []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
}

func forget(value any) {
	if object, ok := value.(map[string]any); ok {
		delete(object, "milliseconds")
	}
}
