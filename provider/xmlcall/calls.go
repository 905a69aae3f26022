package xmlcall

import (
	"context"

	"github.com/toolrun/toolrun/registry"
)

// A Call is a call that a model has written, ready for [registry.Registry.Dispatch] if Err is nil. It has no ID; the host
// can give it one.
type Call struct {
	registry.Call
	// Block says where it is written, and how.
	Block Block
	// Err, a [*registry.ModelError], is why there is nothing to dispatch: the block is malformed, or a value cannot be
	// what the schema wants. Its text is for the model.
	Err error
}

// Calls finds the calls in a model's text, as [Parse] does, and makes JSON of their params, as the schemas in the
// definitions want it:
//
//   - A param that is repeated makes an array, and so does one for which the schema wants an array. Its key can be
//     the singular or the plural of the array's: path stands for paths. A JSON array is understood, too, and a single
//     empty value is an array with nothing in it.
//   - Integers, numbers and booleans are read as such, with every digit kept. An empty value, or null, is null where that
//     is allowed and text is not.
//   - Objects are JSON.
//   - Where the schema allows text and something else, the value is what it reads as: 5 is a number.
//
// A value that is not what it should be is an error like "Failed to parse 'x' as integer for parameter 'p'", and all
// of them are named. Keys that the schema does not know are kept as text, so that validation names them; so is everything in
// a call of a tool that has no definition. What else schemas ask for is checked by Dispatch.
func Calls(definitions []*registry.Definition, text string) []Call {
	byName := make(map[string]*registry.Definition, len(definitions))
	for _, d := range definitions {
		if byName[d.Name] == nil {
			byName[d.Name] = d
		}
	}
	var calls []Call
	for _, b := range Parse(text) {
		call := Call{Call: registry.Call{Tool: b.Tool}, Block: b, Err: b.Err}
		if call.Err == nil {
			c := &contract{}
			if d := byName[b.Tool]; d != nil {
				c = contractOf(d)
			}
			call.Input, call.Err = c.input(b.Params)
		}
		calls = append(calls, call)
	}
	return calls
}

// Result returns what the model gets instead of what the tool would have returned. It is for calls with an Err.
func (c *Call) Result() registry.Result {
	r := registry.Failure(registry.CodeInvalidInput, "")
	if c.Err != nil {
		r.Content[0].Text, r.Err = c.Err.Error(), c.Err
	}
	r.CallID, r.Tool = c.ID, c.Tool
	return r
}

// Dispatch does the calls of one answer, as [registry.Registry.DispatchAll] does, and returns a result for each of them
// in their order: those that have an Err are not dispatched, and get a result that says why.
func Dispatch(ctx context.Context, r *registry.Registry, calls []Call, env registry.Env) []registry.Result {
	results := make([]registry.Result, len(calls))
	var sound []registry.Call
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
