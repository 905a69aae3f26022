package xmlcall

import (
	"context"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// A Call is a call in a model's text, ready for [registry.Registry.Dispatch] if Err is nil. It has no ID; the host
// can set one.
type Call struct {
	tool.Call
	// Block is the call as written.
	Block Block
	// Err, a [*tool.ModelError], is why the call cannot be dispatched: the block is malformed, or a value does
	// not fit the schema. Its text is for the model.
	Err error
}

// Calls finds the calls in a model's text, as [Parse] does, and converts their params to JSON, guided by the
// schemas in the definitions:
//
//   - A param makes an array if it is repeated, or if the schema wants an array. Its key can be the singular or the
//     plural of the array's: path stands for paths. A JSON array works too, and a single empty value is an empty
//     array.
//   - Integers, numbers and booleans are parsed, with every digit kept. An empty value, or null, is null if the
//     schema allows null and not text.
//   - Objects are JSON or, in the dialect [UseTool], elements.
//   - If the schema allows text and another type, the value gets the type that it looks like: 5 is a number.
//
// A value of the wrong type is an error like "Failed to parse 'x' as integer for parameter 'p'"; the error lists
// all of them. Unknown keys stay text, so that validation can name them; so does everything in a call of an unknown
// tool. Dispatch checks all other rules of the schema.
func Calls(definitions []*tool.Definition, text string) []Call {
	return callsOf(definitions, Parse(text))
}

func callsOf(definitions []*tool.Definition, blocks []Block) []Call {
	byName := make(map[string]*tool.Definition, len(definitions))
	for _, d := range definitions {
		if byName[d.Name] == nil {
			byName[d.Name] = d
		}
	}
	var calls []Call
	for _, b := range blocks {
		call := Call{Call: tool.Call{Tool: b.Tool}, Block: b, Err: b.Err}
		if call.Err == nil {
			call.Input, call.Err = contractOf(byName[b.Tool]).input(b)
		}
		calls = append(calls, call)
	}
	return calls
}

// Result returns the result for a call with an Err, for the model.
func (c *Call) Result() tool.Result {
	r := tool.Failure(tool.CodeInvalidInput, "")
	if c.Err != nil {
		r.Content[0].Text, r.Err = c.Err.Error(), c.Err
	}
	r.CallID, r.Tool = c.ID, c.Tool
	return r
}

// Dispatch runs the calls of one answer, as [registry.Registry.DispatchAll] does, and returns a result for each, in
// order. A call with an Err is not dispatched; its result says why.
func Dispatch(ctx context.Context, r *registry.Registry, calls []Call, env registry.Env) []tool.Result {
	results := make([]tool.Result, len(calls))
	var sound []tool.Call
	var at []int
	for i := range calls {
		if calls[i].Err != nil {
			results[i] = calls[i].Result()
			continue
		}
		sound, at = append(sound, calls[i].Call), append(at, i)
	}
	for i, result := range r.DispatchAll(ctx, sound, env) {
		results[at[i]] = result
	}
	return results
}
