package registrytest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tool"
)

// A fake is a tool made of functions.
type fake struct {
	spec    func() tool.Spec
	execute func(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error)
}

func (f *fake) Spec() tool.Spec { return f.spec() }

func (f *fake) Execute(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
	return f.execute(ctx, call, env)
}

const describedWell = "Echoes a text, which is of use in tests of the kit."

var echoSchema = json.RawMessage(
	`{"type":"object","properties":{"text":{"type":"string","description":"The text."}},"required":["text"]}`)

func textOf(call tool.Call) string {
	var in struct{ Text string }
	_ = json.Unmarshal(call.Input, &in)
	return in.Text
}

// echo returns a tool without faults, modified by the given functions.
func echo(change ...func(spec *tool.Spec, f *fake)) *fake {
	spec := tool.Spec{Name: "echo", Description: describedWell, Schema: echoSchema}
	f := &fake{execute: func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
		return tool.Text("echo: " + strings.ToValidUTF8(textOf(call), "?")), nil
	}}
	for _, c := range change {
		c(&spec, f)
	}
	if f.spec == nil {
		f.spec = func() tool.Spec { return spec }
	}
	return f
}

// with returns an echo with another Execute.
func with(execute func(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error)) *fake {
	return echo(func(_ *tool.Spec, f *fake) { f.execute = execute })
}

// specified returns an echo with a changed spec.
func specified(change func(spec *tool.Spec)) *fake {
	return echo(func(spec *tool.Spec, _ *fake) { change(spec) })
}

// orExamples returns options with which an echo succeeds, in place of nil.
func orExamples(options *Options) *Options {
	if options == nil {
		options = &Options{Inputs: []string{`{"text":"one"}`, `{"text":"two"}`}}
	}
	return options
}

func examine(t tool.Tool, name string, options *Options) *findings {
	found := new(findings)
	s := newSubject(t, orExamples(options), found)
	if i := slices.IndexFunc(checks, func(c check) bool { return c.name == name }); s != nil && i >= 0 {
		checks[i].run(s, found)
	}
	return found
}

func TestGoodTools(t *testing.T) {
	type in struct {
		Path  string            `json:"path" jsonschema:"The file to write."`
		Lines []string          `json:"lines,omitempty" jsonschema:"What to write."`
		Count int               `json:"count,omitempty" jsonschema:"How often to write it, 1 to 100."`
		Tags  map[string]string `json:"tags,omitempty" jsonschema:"What else there is to say."`
	}
	lowest, highest := 1.0, 10.0
	for name, test := range map[string]struct {
		tool    tool.Tool
		options *Options
	}{
		"a simple one": {echo(), nil},
		"one that writes": {tool.Func(tool.Spec{
			Name: "write", Description: "Writes lines into a file.", NeedsProject: true,
			Annotations: tool.Annotations{Idempotent: true},
		}, func(_ context.Context, in in, env tool.Env) (string, error) {
			if in.Path == "" || in.Count < 0 || in.Count > 100 {
				return "", tool.Errorf("path or count is wrong")
			}
			if err := afero.WriteFile(env.Files, in.Path, []byte(strings.Repeat(strings.Join(in.Lines, "\n"),
				in.Count)), 0o644); err != nil {
				return "", tool.Errorf("it cannot be written: %w", err)
			}
			return "written", nil
		}), &Options{
			Inputs:  []string{`{"path":"a.txt"}`, `{"path":"/b.txt","lines":["x","y"],"count":3}`},
			Prepare: func(files afero.Fs) error { return afero.WriteFile(files, "/a.txt", []byte("old"), 0o644) },
		}},
		"one that can be stopped": {with(func(ctx context.Context, call tool.Call, _ tool.Env) (tool.Result,
			error) {
			if textOf(call) == "slow" {
				<-ctx.Done()
				return tool.Result{}, ctx.Err()
			}
			return tool.Text("done"), nil
		}), &Options{Inputs: []string{`{"text":"fast"}`}, Slow: `{"text":"slow"}`}},
		"one that keeps the time": {echo(func(spec *tool.Spec, f *fake) {
			spec.KeepsTime = true
			f.execute = func(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
				if textOf(call) != "slow" {
					return tool.Text("done"), nil
				}
				patience := context.Background()
				if env.Timeout > 0 {
					var cancel context.CancelFunc
					patience, cancel = context.WithTimeout(patience, env.Timeout)
					defer cancel()
				}
				select {
				case <-ctx.Done():
					return tool.Result{}, ctx.Err()
				case <-patience.Done():
					return tool.Failure(tool.CodeTimeout, "that was too slow"), nil
				}
			}
		}), &Options{Inputs: []string{`{"text":"fast"}`}, Slow: `{"text":"slow"}`}},
		"one with everything": {specified(func(spec *tool.Spec) {
			spec.OffByDefault = true
			spec.Modes, spec.Requires = []tool.Mode{"agent"}, []tool.Capability{"network"}
			spec.Description, spec.Schema = "", nil
			spec.DescriptionFor = func(o tool.Offer) string {
				return describedWell + fmt.Sprint(o.Options.Bool("a"))
			}
			spec.SchemaFor = func(o tool.Options) json.RawMessage {
				return json.RawMessage(strings.ReplaceAll(string(echoSchema), "The text.", "The text, "+o.Text("c")))
			}
			for i := range 8 {
				spec.Options = append(spec.Options, tool.Option{ID: string(rune('d' + i)), Label: "x",
					Type: tool.OptionBool})
			}
			spec.Options = append(spec.Options,
				tool.Option{ID: "a", Label: "A", Type: tool.OptionBool},
				tool.Option{ID: "b", Label: "B", Type: tool.OptionNumber, Min: &lowest, Max: &highest,
					Default: 3},
				tool.Option{ID: "c", Label: "C", Type: tool.OptionSelect,
					Choices: []tool.Choice{{Value: "x"}, {Value: "y"}}},
				tool.Option{ID: "t", Label: "T", Type: tool.OptionText})
		}), nil},
		"one that knows of an API": {&overriding{fake: echo(), override: `{"type":"echo_20250818","name":"echo"}`},
			nil},
		"one without arguments": {tool.Func(tool.Spec{Name: "now", Description: "Tells what time it is, in " +
			"UTC."},
			func(context.Context, struct{}, tool.Env) (string, error) { return time.Now().UTC().String(), nil }),
			&Options{Inputs: []string{`{}`}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			TestTool(t, test.tool, orExamples(test.options))
		})
	}
}

// TestWithoutOptions checks that missing options result in advice, but no faults.
func TestWithoutOptions(t *testing.T) {
	for _, c := range checks {
		require.Empty(t, examine(echo(), c.name, &Options{}).faults, c.name)
	}
	require.Contains(t, examine(echo(), "inputs", &Options{}).advice[0], "Set Options.Inputs")
	require.Contains(t, examine(echo(), "cancellation", &Options{}).advice[0], "Set Options.Slow")
}

func TestFindingsAreFew(t *testing.T) {
	one := with(func(context.Context, tool.Call, tool.Env) (tool.Result, error) { panic("always") })
	require.LessOrEqual(t, len(examine(one, "bad inputs", nil).faults), maxFindings+1)
	f := new(findings)
	f.fault("the same")
	f.fault("the same")
	require.Len(t, f.faults, 1)
}
