package waiting_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/waiting"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// officeTools are a tool sign that needs approval, and a tool clerk whose code calls it. Both tell their options.
// styles are the choices of one of them.
func officeTools(t *testing.T, styles ...string) *registry.Registry {
	t.Helper()
	of := func(env tool.Env) string {
		data, err := json.Marshal(env.Options.Map())
		require.NoError(t, err)
		return string(data)
	}
	style := tool.Option{ID: "style", Type: tool.OptionSelect}
	for _, s := range styles {
		style.Choices = append(style.Choices, tool.Choice{Value: s})
	}
	sign := tool.Func(tool.Spec{Name: "sign", Description: "Signs.", Options: []tool.Option{
		{ID: "name", Type: tool.OptionText, Default: "nobody"}, {ID: "copies", Type: tool.OptionNumber}, style,
	}}, func(_ context.Context, _ note, env tool.Env) (string, error) { return of(env), nil })
	clerk := tool.JSONFunc(tool.Spec{Name: "clerk", Description: "Calls.",
		Schema: json.RawMessage(`{"type":"object"}`),
		Options: []tool.Option{{ID: "calls", Type: tool.OptionBool}, {ID: "color", Type: tool.OptionText,
			Default: "black"},
			{ID: tool.OptionSession, Type: tool.OptionText}}},
		func(ctx context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
			if !env.Options.Bool("calls") {
				return tool.Result{}, tool.Errorf("it may make no calls")
			}
			result, later := env.DispatchNumbered(ctx, tool.Call{Tool: "sign",
				Input: json.RawMessage(`{"text":"x"}`)}, 0)
			if later {
				return tool.Suspended([]byte("state")), nil
			}
			return tool.Text(of(env) + " " + result.Text()), nil
		})
	tools, err := registry.New(sign, clerk)
	require.NoError(t, err)
	return tools
}

// A call goes on elsewhere with the options that it was made with, and with what the project has chosen since. What the
// one who goes on with it has chosen for its own calls does not count.
func TestACallGoesOnWithItsOwnOptions(t *testing.T) {
	made := registry.Selection{Ask: []string{"sign"}, Mode: tool.ModeMCP, Session: "main",
		Settings: registry.Settings{}.WithOption("clerk", "color", "red")}.
		WithOption("clerk", "calls", true).WithOption("sign", "name", "ada").WithOption("sign", "copies", 2)
	ofProject := registry.Selection{Settings: registry.Settings{}.WithOption("clerk", "color",
		"blue").WithOption("sign", "name", "bob")}
	for name, test := range map[string]struct {
		made, resumed registry.Selection
		tool, want    string
	}{
		"code": {made, ofProject, "clerk",
			`{"calls":true,"color":"blue","session":"main"} {"copies":2,"name":"ada","style":"plain"}`},
		"the call itself": {made, ofProject, "sign", `{"copies":2,"name":"ada","style":"plain"}`},
		"options of the one who goes on": {made.WithOption("clerk", "session", "own"), func() registry.Selection {
			s := ofProject.WithOption("clerk", "calls", false).WithOption("clerk", "session",
				"other").WithOption("sign", "style", "bold")
			s.Session = "another"
			return s
		}(), "clerk", `{"calls":true,"color":"blue","session":"own"} {"copies":2,"name":"ada","style":"plain"}`},
		"what is none": {made.WithOption("elsewhere", "f", func() {}).WithOption("elsewhere", "n", math.NaN()),
			ofProject, "clerk",
			`{"calls":true,"color":"blue","session":"main"} {"copies":2,"name":"ada","style":"plain"}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRuns(t, local.NewMemoryStore(nil), nil)
			k := r.In("p")
			call := tool.Call{ID: "1", Tool: test.tool, Input: json.RawMessage(`{"text":"x"}`)}
			tools := officeTools(t, "plain", "bold")
			pending := tools.Dispatch(t.Context(), call, registry.Env{Project: "p", Waiting: k, Selection: test.made})
			require.NotNil(t, pending.Pending, pending.Text())
			run, err := r.Get(t.Context(), pending.Pending.Token)
			require.NoError(t, err)
			require.Equal(t, tool.ModeMCP, run.Choice.Mode)
			id := "1"
			if test.tool == "clerk" {
				id = "1.1"
			}
			resumed := registry.Env{Project: "p", Selection: test.resumed}
			resumed.Selection.Ask = []string{"sign"}
			result, err := k.ResumeFor(t.Context(), tools, resumed, pending.Pending.Token, yes(id))
			require.NoError(t, err)
			require.Equal(t, test.want, result.Text())
		})
	}
}

// The options that are kept give nothing: what is off, or not permitted, stays so, and they are checked as others are.
func TestOptionsThatAreKeptGrantNothing(t *testing.T) {
	made := registry.Selection{Ask: []string{"sign"}, Enable: map[string]bool{"sign": true}}.
		WithOption("clerk", "calls", true).WithOption("sign", "style", "bold")
	off := registry.Selection{Enable: map[string]bool{"sign": false}}
	for name, test := range map[string]struct {
		tool    string
		tools   *registry.Registry
		resumed registry.Selection
		code    tool.Code
		text    string
	}{
		"a tool that is off now": {"sign", officeTools(t, "plain", "bold"), off, tool.CodeDisabled,
			"Unknown tool: sign"},
		"that code calls": {"clerk", officeTools(t, "plain", "bold"), off, "", "Unknown tool: sign"},
		"an option that is not allowed": {"sign", officeTools(t, "plain", "wide"), registry.Selection{},
			tool.CodeOptions,
			`Tool sign cannot be used, ` +
				`since it is set up wrongly: option "style": "bold" is none of its choices: plain, wide`},
		"in a call of code": {"clerk", officeTools(t, "plain", "wide"), registry.Selection{}, "",
			`option "style": "bold" is none of its choices`},
	} {
		t.Run(name, func(t *testing.T) {
			k := newRuns(t, local.NewMemoryStore(nil), nil).In("p")
			call := tool.Call{ID: "1", Tool: test.tool, Input: json.RawMessage(`{"text":"x"}`)}
			pending := officeTools(t, "plain", "bold").Dispatch(t.Context(), call,
				registry.Env{Project: "p", Waiting: k, Selection: made})
			require.NotNil(t, pending.Pending, pending.Text())
			id := map[string]string{"sign": "1", "clerk": "1.1"}[test.tool]
			result, err := k.ResumeFor(t.Context(), test.tools, registry.Env{Project: "p", Selection: test.resumed},
				pending.Pending.Token, yes(id))
			require.NoError(t, err)
			require.Equal(t, test.code, result.Code, result.Text())
			require.Contains(t, result.Text(), test.text)
		})
	}
}

// Options count for the size of what is kept, and a call that is too large is told so.
func TestLargeOptions(t *testing.T) {
	r := newRuns(t, local.NewMemoryStore(nil), nil)
	selection := registry.Selection{Ask: []string{"sign"}}.WithOption("sign", "name",
		strings.Repeat("x", vfs.MaxRecord))
	result := officeTools(t, "plain").Dispatch(t.Context(), tool.Call{Tool: "sign",
		Input: json.RawMessage(`{"text":"x"}`)},
		registry.Env{Project: "p", Waiting: r.In("p"), Selection: selection})
	require.Equal(t, tool.CodeNeedsApproval, result.Code)
	require.Contains(t, result.Text(), "too large to be kept")
	for range r.All(t.Context()) {
		require.FailNow(t, "it was kept")
	}
}

// A tool that a project's list has lost while a call waited is not enabled again by the call.
func TestToolsSwitchedOffMeanwhileStayOff(t *testing.T) {
	for name, c := range map[string]struct{ then, now, want []string }{
		"a list that has lost one":   {[]string{"a", "b"}, []string{"a", "c"}, []string{"a"}},
		"a list that has lost all":   {[]string{"a"}, []string{}, []string{}},
		"a list of the caller's own": {[]string{"a"}, nil, []string{"a"}},
		"a list since then":          {nil, []string{"c"}, []string{"c"}},
	} {
		t.Run(name, func(t *testing.T) {
			var s registry.Selection
			s.Settings.EnabledTools = c.now
			require.Equal(t, c.want, waiting.Choice{EnabledTools: c.then}.In(s).Settings.EnabledTools)
		})
	}
}

// TestACallHasNoToolsThatItDidNotHave: the settings and flags of those who go on with a call switch no tool on for it.
func TestACallHasNoToolsThatItDidNotHave(t *testing.T) {
	on, off := map[string]bool{"a": true}, map[string]bool{"a": false}
	for name, c := range map[string]struct {
		then waiting.Choice
		now  registry.Selection
		want bool
	}{
		"it had it by the settings": {waiting.Choice{ToolEnabled: on}, registry.Selection{}, true},
		"by a flag":                 {waiting.Choice{Enable: on}, registry.Selection{}, true},
		"by a flag, and the list lacks it": {waiting.Choice{EnabledTools: []string{}, Enable: on},
			registry.Selection{Settings: registry.Settings{EnabledTools: []string{}}}, true},
		"the settings switch it on now": {waiting.Choice{EnabledTools: []string{"b"}},
			registry.Selection{Settings: registry.Settings{ToolEnabled: on}}, false},
		"the list has it now": {waiting.Choice{EnabledTools: []string{"b"}},
			registry.Selection{Settings: registry.Settings{EnabledTools: []string{"a", "b"}}}, false},
		"it was off, and is on now": {waiting.Choice{ToolEnabled: off},
			registry.Selection{Settings: registry.Settings{ToolEnabled: on}}, false},
		"a flag switches it on now": {waiting.Choice{EnabledTools: []string{"b"}},
			registry.Selection{Enable: on}, false},
		"the settings switch it off now": {waiting.Choice{ToolEnabled: on},
			registry.Selection{Settings: registry.Settings{ToolEnabled: off}}, false},
		"the list has lost it": {waiting.Choice{ToolEnabled: on},
			registry.Selection{Settings: registry.Settings{EnabledTools: []string{"b"}}}, false},
		"a flag switches it off now": {waiting.Choice{Enable: on}, registry.Selection{Enable: off}, false},
		"it is for another mode":     {waiting.Choice{Enable: on, Mode: "other"}, registry.Selection{}, false},
		"for that mode":              {waiting.Choice{Enable: on, Mode: tool.ModeMCP}, registry.Selection{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			noTool := func(context.Context, note, tool.Env) (string, error) { return "", nil }
			tools, err := registry.New(tool.Func(tool.Spec{Name: "a", Description: "A.", OffByDefault: true,
				Modes: []tool.Mode{tool.ModeMCP}}, noTool))
			require.NoError(t, err)
			require.Equal(t, c.want, len(tools.Enabled(c.then.In(c.now))) == 1)
		})
	}
}
