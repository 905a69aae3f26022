package registrytest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tool"
)

type overriding struct {
	*fake
	override string
}

func (o *overriding) APIOverride(api tool.API, _ tool.Options) json.RawMessage {
	if api == tool.Anthropic {
		return json.RawMessage(o.override)
	}
	return nil
}

type prompting struct {
	*fake
	prompt func(prompt tool.PromptContext) (string, error)
}

func (p *prompting) SystemPrompt(_ context.Context, prompt tool.PromptContext) (string, error) {
	return p.prompt(prompt)
}

type checking struct{ *fake }

func (checking) CheckInput(input map[string]any) error {
	_ = input["text"].(string)
	return nil
}

type rendering struct{ *fake }

func (rendering) RenderInput(input json.RawMessage) string {
	var in map[string]any
	if err := json.Unmarshal(input, &in); err != nil {
		panic(err)
	}
	return fmt.Sprint(in)
}

func (rendering) RenderOutput(result tool.Result) string { return result.Content[0].Text }

// broken returns tools with one fault each, with the check that must find it and the text that it must report.
func broken() map[string]struct {
	tool        tool.Tool
	check, want string
	options     *Options
} {
	type tools = map[string]struct {
		tool        tool.Tool
		check, want string
		options     *Options
	}
	var n atomic.Int64
	var kept sync.Map
	var files atomic.Value
	writes := func(name string) *fake {
		return with(func(_ context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
			if env.Files == nil {
				return tool.Text("no files"), nil
			}
			return tool.Text("written"), afero.WriteFile(env.Files, strings.ReplaceAll(name, "N",
				fmt.Sprint(n.Add(1))), []byte("x"), 0o644)
		})
	}
	annotated := func(f *fake, a tool.Annotations) *fake {
		spec := f.spec()
		spec.Annotations = a
		f.spec = func() tool.Spec { return spec }
		return f
	}
	slow := &Options{Inputs: []string{`{"text":"one"}`}, Slow: `{"text":"slow"}`}
	sleeping := func(ctx context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
		if textOf(call) == "slow" {
			time.Sleep(3 * time.Second)
		}
		return tool.Text("done"), nil
	}
	returns := func(result tool.Result) *fake {
		return with(func(context.Context, tool.Call, tool.Env) (tool.Result, error) { return result, nil })
	}
	output := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	withOutput := func(data any) *fake {
		f := returns(tool.Result{Content: []tool.Part{{Text: "1"}}, Data: data})
		spec := f.spec()
		spec.OutputSchema = output
		f.spec = func() tool.Spec { return spec }
		return f
	}
	return tools{
		"no name": {specified(func(s *tool.Spec) { s.Name = "1 2" }), registration,
			"letters, digits", nil},
		"a spec that panics": {&fake{spec: func() tool.Spec { panic("no spec") }}, registration,
			"panic: no spec", nil},
		"a malformed schema": {specified(func(s *tool.Spec) {
			s.Schema = []byte(`{"type":"object","required":1}`)
		}), registration, "does not compile", nil},
		"a spec that changes": {echo(func(s *tool.Spec, f *fake) {
			f.spec = func() tool.Spec { s.Subtitle = fmt.Sprint(n.Add(1)); return *s }
		}), registration, "Return the same each time", nil},
		"destructive reading": {annotated(echo(), tool.Annotations{ReadOnly: true, Destructive: true}),
			registration, "both ReadOnly and Destructive", nil},
		"a short description": {specified(func(s *tool.Spec) { s.Description = "Echo." }), "description",
			"says too little", nil},
		"a name as it": {specified(func(s *tool.Spec) {
			s.Name = "a_name_that_is_longer"
			s.Description = s.Name
		}), "description", "says too little", nil},
		"a blank description": {specified(func(s *tool.Spec) { s.Description = " \n" }), "description",
			"is empty", nil},
		"a binary description": {specified(func(s *tool.Spec) { s.Description += "\xff" }), "description",
			"is not UTF-8", nil},
		"an argument without a description": {
			specified(func(s *tool.Spec) {
				s.Schema = []byte(`{"type":"object","properties":{"text":{"type":"string"}}}`)
			}),
			"description", `The argument "text" has no description`, nil},
		"a description by chance": {specified(func(s *tool.Spec) {
			s.Description, s.DescriptionFor = "", func(tool.Offer) string {
				return describedWell + fmt.Sprint(n.Add(1))
			}
		}), "options", "another one when it is asked for again", nil},
		"a description that an option empties": {specified(func(s *tool.Spec) {
			s.Options = []tool.Option{{ID: "terse", Type: tool.OptionBool}}
			s.Description, s.DescriptionFor = "", func(o tool.Offer) string {
				if o.Options.Bool("terse") {
					return ""
				}
				return describedWell
			}
		}), "options", `with the options {"terse":true} is empty`, nil},
		"a schema that two options break": {specified(func(s *tool.Spec) {
			s.Options = []tool.Option{{ID: "a", Type: tool.OptionBool}, {ID: "b", Type: tool.OptionBool}}
			s.Schema, s.SchemaFor = nil, func(o tool.Options) json.RawMessage {
				if o.Bool("a") && o.Bool("b") {
					return []byte(`{`)
				}
				return echoSchema
			}
		}), "options", `with the options {"a":true,"b":true}: tool "echo": the schema cannot be read`, nil},
		"a description that panics": {specified(func(s *tool.Spec) {
			s.Description, s.DescriptionFor = "", func(o tool.Offer) string { panic("no words") }
		}), "options", "panic: no words", nil},
		"a prompt that needs files": {&prompting{echo(), func(p tool.PromptContext) (string, error) {
			_, err := p.Files.Stat("/")
			return "", err
		}}, "options", "without a project fails: ", nil},
		"a prompt that fails": {&prompting{echo(), func(p tool.PromptContext) (string, error) {
			return "", errors.New("no prompt")
		}},
			"options", "no prompt", nil},
		"a prompt that writes": {&prompting{echo(), func(p tool.PromptContext) (string, error) {
			if p.Files == nil {
				return "", nil
			}
			return "", afero.WriteFile(p.Files, fmt.Sprint("x", n.Add(1)), nil, 0o644)
		}}, "options", "changes files", nil},
		"an override that is no object": {&overriding{fake: echo(), override: `"echo"`}, "definitions",
			"must return a JSON object", nil},
		"an override that is no JSON": {&overriding{fake: echo(), override: `{`}, "definitions",
			"There is no definition for anthropic", nil},
		"a definition for one API only": {specified(func(s *tool.Spec) {
			s.Description, s.DescriptionFor = "", func(o tool.Offer) string {
				if o.API == tool.Bedrock {
					panic("not for Bedrock")
				}
				return describedWell
			}
		}), "definitions", "for bedrock", nil},
		"a definition by chance": {specified(func(s *tool.Spec) {
			s.Description, s.DescriptionFor = "", func(tool.Offer) string {
				return describedWell + fmt.Sprint(n.Add(1))
			}
		}), "definitions", "another one when it is asked for again", nil},
		"an input that is refused": {echo(), "inputs", "does not fit the schema",
			&Options{Inputs: []string{`{"text": 1`}}},
		"an error": {returns(tool.Failure(tool.CodeTool, "no")), "inputs",
			"should succeed, but is an error (tool_error): no", nil},
		"an error without a text": {returns(tool.Failure(tool.CodeTool, "")), "bad inputs",
			"an error without a text", nil},
		"an empty result":        {returns(tool.Result{}), "inputs", "the result is empty", nil},
		"an empty text":          {returns(tool.Text("")), "inputs", "the result is empty", nil},
		"text that is not UTF-8": {returns(tool.Text("\xff")), "inputs", "is not UTF-8", nil},
		"a text that is too long": {returns(tool.Text(strings.Repeat("x", 17<<20))), "inputs",
			"more than the 16777216", nil},
		"data without a type": {returns(tool.Result{Content: []tool.Part{{Data: []byte{1}}}}), "inputs",
			"without a MIME type", nil},
		"a resource without key": {returns(tool.Result{Content: []tool.Part{{Text: "x",
			Resource: &tool.Resource{Name: "x"}}}}), "inputs", "without a key", nil},
		"data that are no JSON": {returns(tool.Result{Content: []tool.Part{{Text: "x"}}, Data: func() {}}),
			"inputs", "cannot be encoded", nil},
		"no data for the schema": {withOutput(nil), "inputs", "Result.Data is nil", nil},
		"data of another schema": {withOutput(map[string]any{"n": "x"}), "inputs", "do not fit the OutputSchema", nil},
		"files that are not there": {echo(), "inputs", "Options.Prepare: no such thing", &Options{
			Inputs: []string{`{"text":"x"}`}, Prepare: func(afero.Fs) error { return errors.New("no such thing") },
		}},
		"a panic at a NUL": {with(func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
			if strings.Contains(textOf(call), "\x00") {
				panic("a NUL")
			}
			return tool.Text("done"), nil
		}), "bad inputs", "\"text\" = a NUL: the tool panicked: a NUL", nil},
		"a panic at a long text": {with(func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result,
			error) {
			var buffer [1 << 16]byte
			for i, c := range []byte(textOf(call)) {
				buffer[i] = c
			}
			return tool.Text("done"), nil
		}), "bad inputs", "1 MiB: the tool panicked: runtime error: index out of range", nil},
		"a failure for an empty text": {with(func(_ context.Context, call tool.Call,
			_ tool.Env) (tool.Result, error) {
			if textOf(call) == "" {
				return tool.Result{}, errors.New("there must be a text")
			}
			return tool.Text("done"), nil
		}), "bad inputs", "return tool.Errorf(...)", nil},
		"a result that is not UTF-8": {with(func(_ context.Context, call tool.Call,
			_ tool.Env) (tool.Result, error) {
			if text := textOf(call); len(text) > 1000 {
				return tool.Text(text[:999] + "\xff"), nil
			}
			return tool.Text("done"), nil
		}), "bad inputs", "is not UTF-8", nil},
		"an argument that nobody expects": {echo(func(s *tool.Spec, f *fake) {
			f.execute = func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
				var in map[string]string
				if err := json.Unmarshal(call.Input, &in); err != nil {
					return tool.Result{}, err
				}
				return tool.Text("done"), nil
			}
		}), "bad inputs", "With an argument that nobody knows as input: the tool failed", nil},
		"a type that is not checked": {echo(func(s *tool.Spec, f *fake) {
			s.Schema = []byte(`{"type":"object","properties":{"text":{"description":"The text."}}}`)
			f.execute = func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
				var in map[string]any
				_ = json.Unmarshal(call.Input, &in)
				return tool.Text("done " + in["text"].(string)), nil
			}
		}), "bad inputs", `"text" = a boolean: the tool panicked`, nil},
		"a check of inputs that panics": {checking{echo()}, "bad inputs", "the tool panicked", nil},
		"reading that writes at a bad input": {echo(func(s *tool.Spec, f *fake) {
			s.Annotations.ReadOnly = true
			f.execute = func(_ context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
				if textOf(call) == "" && env.Files != nil {
					_ = afero.WriteFile(env.Files, "log.txt", nil, 0o644)
				}
				return tool.Text("done"), nil
			}
		}), "bad inputs", "although Spec.Annotations say ReadOnly", nil},
		"files that it does not ask for": {with(func(_ context.Context, _ tool.Call,
			env tool.Env) (tool.Result, error) {
			_, err := env.Files.Stat("/")
			return tool.Text("done"), err
		}), "no project", "Set Spec.NeedsProject", nil},
		"a tool that cannot be stopped": {with(sleeping), "cancellation", "canceled after 100ms: the tool did not stop",
			slow},
		"a tool that is slow whatever it is given": {with(func(context.Context, tool.Call,
			tool.Env) (tool.Result, error) {
			time.Sleep(700 * time.Millisecond)
			return tool.Text("x"), nil
		}), "cancellation", "with a context that ends at once: the tool did not stop",
			&Options{Inputs: []string{`{"text":"one"}`}}},
		"a slow input that is fast": {echo(), "cancellation", "too soon to be stopped", slow},
		"a slow input that is wrong": {echo(), "cancellation", "the call is an error at once",
			&Options{Slow: `{"text":1,"text":[{}]}`}},
		"a tool that does not keep the time": {echo(func(s *tool.Spec, f *fake) {
			s.KeepsTime = true
			f.execute = func(ctx context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
				if textOf(call) == "slow" {
					<-ctx.Done()
				}
				return tool.Text("done"), nil
			}
		}), "cancellation", "Spec.KeepsTime says", slow},
		"state": {with(func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
			kept.Store("text", textOf(call))
			time.Sleep(5 * time.Millisecond)
			text, _ := kept.Load("text")
			return tool.Text(strings.ToValidUTF8(text.(string), "?")), nil
		}), "isolation", "keep no state in the tool", nil},
		"files of another call": {with(func(_ context.Context, call tool.Call, env tool.Env) (tool.Result,
			error) {
			if env.Files == nil || textOf(call) != "one" && textOf(call) != "two" {
				return tool.Text("no files"), nil
			}
			files.Store(&env.Files)
			time.Sleep(10 * time.Millisecond)
			_ = afero.WriteFile(*files.Load().(*afero.Fs), "mine", nil, 0o644)
			return tool.Text("done"), nil
		}), "isolation", "comes to something else than alone", nil},
		"a changed input": {with(func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
			call.Input[0] = '['
			return tool.Text("done"), nil
		}), "environment", "changed the bytes of Call.Input", nil},
		"reading that writes": {annotated(writes("x.txt"), tool.Annotations{ReadOnly: true}), "annotations",
			"/x.txt is new", nil},
		"reading that writes back": {echo(func(s *tool.Spec, f *fake) {
			s.Annotations.ReadOnly = true
			f.execute = func(_ context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
				if env.Files != nil {
					_ = afero.WriteFile(env.Files, "lock", nil, 0o644)
					_ = env.Files.Remove("lock")
				}
				return tool.Text("done"), nil
			}
		}), "annotations", "changed", nil},
		"writing that is not idempotent": {annotated(writes("xN.txt"), tool.Annotations{Idempotent: true}),
			"annotations", "does something more when it is made again: /x", nil},
		"an input that cannot be shown": {rendering{echo()}, "rendering", "RenderInput panics with half an object",
			nil},
		"a result that cannot be shown": {rendering{echo()}, "rendering", "RenderOutput panics with an empty result",
			nil},
	}
}

func TestBrokenTools(t *testing.T) {
	for name, test := range broken() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var faults []string
			synctest.Test(t, func(*testing.T) {
				faults = examine(test.tool, test.check, test.options).faults
				time.Sleep(time.Minute) // so that calls end that were left behind
			})
			require.True(t, slices.ContainsFunc(faults, func(text string) bool {
				return strings.Contains(text, test.want)
			}),
				"want %q among the faults of %q, got\n%s", test.want, test.check, strings.Join(faults, "\n"))
		})
	}
}

// TestEveryCheckCanFail checks that broken has a tool for every check.
func TestEveryCheckCanFail(t *testing.T) {
	failing := map[string]bool{}
	for _, test := range broken() {
		failing[test.check] = true
	}
	for _, c := range checks {
		require.True(t, failing[c.name], c.name)
	}
}
