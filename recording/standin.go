package recording

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/toolrun/toolrun/tool"
)

// Tools returns tools that take the place of those in the header. A call with the tool and the input of one that was
// recorded gets its answer: the first such call the first answer, and so on. unknown, if not nil, is told of other
// calls; their results are errors that say so.
func (r *Recording) Tools(unknown func(tool.Call)) []tool.Tool {
	s := &standIns{of: r, unknown: unknown, used: make([]bool, len(r.calls))}
	var tools []tool.Tool
	for _, t := range r.header.Tools {
		tools = append(tools, tool.JSONFunc(tool.Spec{
			Name: t.Name, DisplayName: t.Title, Description: t.Description, Schema: t.Input, OutputSchema: t.Output,
			TextOutput: t.TextOutput, Annotations: t.Annotations,
		}, s.execute))
	}
	return tools
}

// standIns answer calls.
type standIns struct {
	of      *Recording
	unknown func(tool.Call)

	mu   sync.Mutex
	used []bool
}

func (s *standIns) execute(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, c := range s.of.calls {
		if !s.used[i] && c.result != nil && c.tool == call.Tool && sameJSON(c.input, string(call.Input)) {
			s.used[i] = true
			return c.result.result(), nil
		}
	}
	if s.unknown != nil {
		s.unknown(call)
	}
	return tool.Result{},
		fmt.Errorf("the recording has no further call of %s with %s", call.Tool, excerpt(call.Input))
}

// sameJSON reports whether two inputs mean the same.
func sameJSON(a, b string) bool {
	return a == b || canonical(a) == canonical(b)
}

// canonical returns JSON in the form in which this package writes it, or the text if it is not JSON. No input is {}.
func canonical(text string) string {
	if text == "" || text == "null" {
		return "{}"
	}
	value, err := decode([]byte(text))
	if err != nil {
		return text
	}
	out, _ := json.Marshal(value) // what has been decoded can be encoded
	return string(out)
}
