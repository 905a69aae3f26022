package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/text/schema"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/tool"
)

// Dispatch runs a call; the package documentation lists the steps. It never panics, and every call has a result,
// which tells the model what went wrong if it failed.
//
// Dispatch keeps no state. Two calls share nothing but files.
func (r *Registry) Dispatch(ctx context.Context, call tool.Call, env Env) (result tool.Result) {
	given := call.ID
	if env.call == nil && env.Waiting != nil && call.ID == "" {
		call.ID = newKey() // by which its changes are recognised when it goes on
	}
	env.course = r.courseOf(&env)
	returned := false
	defer func() {
		if p := recover(); p != nil { // in middleware
			result = unexpected(ctx, call, env, newPanicError(p))
		} else if !returned {
			result = exited()
		}
		result.CallID, result.Tool, result.Item = given, call.Tool, call.Item
		env.returns(ctx, &result)
	}()
	handler := r.handler
	if handler == nil {
		handler = r.handle
	}
	result = handler(ctx, call, env)
	returned = true
	return result
}

// handle is the handler inside all middleware.
func (r *Registry) handle(ctx context.Context, call tool.Call, env Env) (result tool.Result) {
	defer func() {
		if p := recover(); p != nil { // in a method of the tool other than Execute
			result = unexpected(ctx, call, env, newPanicError(p))
		}
		result.CallID, result.Tool = call.ID, call.Tool
	}()
	if call.Err != nil {
		return failed(ctx, call, env, call.Err)
	}
	e, problem := r.find(call.Tool, &env)
	if problem != "" {
		return tool.Failure(problem, "Unknown tool: "+printable(plaintext.Cut(call.Tool, 200)))
	}
	if err := env.call.nests(e); err != nil {
		return resultOf(err, tool.CodeNested)
	}
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	options, err := e.options(&env.Selection)
	if err != nil {
		return misconfigured(call.Tool, err)
	}
	schema, err := e.schema(options)
	if err != nil {
		return misconfigured(call.Tool, err)
	}
	if call.Input, err = e.prepare(ctx, call.Input, schema, &env); err != nil {
		if ctx.Err() != nil {
			return stopped(ctx)
		}
		if err == context.DeadlineExceeded {
			return timedOut(e.timeout(&env))
		}
		return resultOf(err, tool.CodeInvalidInput)
	}
	if c := env.Selection.denied(&e.spec); c != "" {
		return withCause(tool.Failure(tool.CodeDenied, "permission denied for tool: "+call.Tool),
			fmt.Errorf("%q is not granted", c))
	}
	if ctx.Err() != nil { // while the input was being checked
		return stopped(ctx)
	}
	if env.call == nil && env.Waiting != nil && env.resumed == nil { // whatever the rules say now
		if result, ok := env.Waiting.Again(ctx, r, call, env); ok {
			return result
		}
	}
	asked := tool.Result{}
	var original json.RawMessage // if the input is another one
	if env.call == nil && env.resumed != nil && env.resumed.State != nil {
		original = env.resumed.Original // the tool has begun already
	} else {
		made := call.Input
		asked = r.approve(ctx, e, &call, schema, env)
		if asked.Approval != nil && asked.Approval.Edited {
			original = made
		}
	}
	if asked.Suspension != nil && env.call == nil {
		return r.keep(ctx, call, nil, asked, env, "")
	}
	if asked.IsError() {
		return asked
	}
	env.course.to(Running, nil)
	if e.loader != nil {
		_ = e.loader.Load(ctx)
	}
	if err := env.begins(ctx, call, asked.Approval); err != nil {
		return failed(ctx, call, env, err)
	}
	result, token := r.run(ctx, e, call, options, env)
	result.Approval = asked.Approval
	if result.Suspension != nil {
		return r.keep(ctx, call, original, result, env, token)
	}
	if original != nil {
		result.Content = slices.Insert(slices.Clone(result.Content), 0, edited(call.Input))
	}
	return result
}

// find returns the entry of a tool, or the code that explains why it cannot be called.
func (r *Registry) find(name string, env *Env) (*entry, tool.Code) {
	e := r.byName[name]
	if e == nil {
		return nil, tool.CodeUnknownTool
	}
	if !r.allows(&env.Selection, &e.spec) || e.spec.NeedsProject && env.Files == nil {
		return nil, tool.CodeDisabled
	}
	return e, ""
}

// howToRead explains how to read a file with the enabled tools.
func (r *Registry) howToRead(selection *Selection) string {
	var ways []string
	for _, e := range r.entries {
		if e.spec.ReadsFiles != "" && r.offers(selection, &e.spec) {
			ways = append(ways, e.spec.ReadsFiles)
		}
	}
	if len(ways) == 0 {
		return ""
	}
	return " Read on with " + strings.Join(ways, ", or ") + "."
}

// maxDepth is how deeply arrays and objects may be nested in an input.
const maxDepth = 128

// prepare checks an input, and returns it in the form that the tool receives. If checking exceeds the call's time
// limit, the error is context.DeadlineExceeded.
func (e *entry) prepare(ctx context.Context, input json.RawMessage, schema *schema.Schema, env *Env) (json.RawMessage,
	error) {
	if limit := env.Limits.input(); len(input) > limit {
		return nil, tool.Errorf("invalid tool call: the arguments have %d bytes, and may have %d. "+
			"Pass less, for example the name of a file.", len(input), limit)
	}
	if len(input) == 0 || string(input) == "null" {
		input = json.RawMessage("{}")
	}
	if jsontree.Separators(input) > maxDepth && jsontree.Check(input, jsontree.Limits{Depth: maxDepth}) != nil {
		return nil, tool.Errorf("invalid tool call: the arguments are nested deeper than %d levels. "+
			"Pass something flatter, for example text or the name of a file.", maxDepth)
	}
	accepted := schema.Accepts(input)
	if accepted && e.checker == nil {
		return input, nil
	}
	if limit := e.timeout(env); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	if len(input) > smallInput {
		size := min(decodingSize(input), maxDecoding)
		if err := decoding.Acquire(ctx, size); err != nil {
			return nil, err
		}
		defer decoding.Release(size)
	}
	decoded, again, err := decodeInput(input)
	if _, syntax := errors.AsType[*json.SyntaxError](err); syntax {
		return nil, tool.Errorf("invalid tool call: the arguments are not valid JSON: %w", err)
	} else if errors.Is(err, jsontree.ErrTooManyValues) {
		return nil, tool.Errorf("invalid tool call: the arguments cannot be used: "+
			"%w. Pass less, for example the name of a file.", err)
	} else if err != nil {
		return nil, tool.Errorf("invalid tool call: the arguments cannot be used: %w", err)
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return nil, tool.Errorf("invalid tool call: the arguments must be a JSON object, not %s", kindOf(decoded))
	}
	if accepted { // nothing else is to be found out, or to be changed
		if err := e.checker.CheckInput(object); err != nil {
			return nil, withUnknown(schema, object, err)
		}
		return input, nil
	}
	// Most tools decode with package json, which ignores the case of names. They would use values that were not
	// checked.
	for name := range object {
		if known := schema.Resembles(name); known != "" {
			return nil, tool.Errorf("invalid tool call: there is no argument %q. Do you mean %q?",
				plaintext.Cut(name, 100), known)
		}
	}
	changed := schema.Coerce(ctx, object, maxDepth) || again
	if e.checker != nil {
		if err := e.checker.CheckInput(object); err != nil {
			return nil, withUnknown(schema, object, err)
		}
	}
	if err := schema.Validate(ctx, object); err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	} else if err != nil {
		return nil, withUnknown(schema, object,
			tool.Errorf("invalid tool call: the arguments do not fit the schema of %s:\n%w", e.spec.Name, err))
	}
	if changed {
		return jsontree.Marshal(object)
	}
	return input, nil
}

// decodeInput decodes an input. Some models and clients encode the whole of it twice: a text that is a JSON object or
// nothing is decoded again, and again is true. Each text is shorter than the one around it.
func decodeInput(input json.RawMessage) (decoded any, again bool, err error) {
	decoded, err = jsontree.Decode(input)
	for text, ok := decoded.(string); ok && err == nil; text, ok = decoded.(string) {
		text = strings.TrimSpace(text)
		switch {
		case text == "" || text == "null":
			return map[string]any{}, true, nil
		case text[0] == '{':
			if err = jsontree.Check([]byte(text), jsontree.Limits{Depth: maxDepth}); err != nil {
				return nil, true, err
			}
		case text[0] != '"' || !json.Valid([]byte(text)): // it is only text
			return decoded, again, nil
		}
		decoded, err = jsontree.Decode([]byte(text))
		again = true
	}
	return decoded, again, err
}

// kindOf names the kind of a decoded value, with its article.
func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a bool"
	case string:
		return "text"
	case []any:
		return "an array"
	}
	return "a number" // since it is no object
}
