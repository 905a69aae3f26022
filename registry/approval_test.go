package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

type note struct {
	Text string `json:"text"`
}

// notes are tools of all kinds. Each returns its name and what it got; code calls the tool that its text names.
func notes(t *testing.T) *registry.Registry {
	make := func(name, source string, annotations tool.Annotations) tool.Tool {
		return tool.Func(tool.Spec{Name: name, Source: source, Description: "Notes.", Annotations: annotations},
			func(_ context.Context, in note, _ tool.Env) (string, error) { return name + " got " + in.Text, nil })
	}
	code := tool.Func(tool.Spec{Name: "code", Description: "Calls a tool.", Timeout: time.Second},
		func(ctx context.Context, in note, env tool.Env) (string, error) {
			result := env.Dispatch(ctx, tool.Call{Tool: in.Text, Input: json.RawMessage(`{"text":"from code"}`)})
			return result.Text(), nil
		})
	tools, err := registry.New(
		make("reads", "", tool.Annotations{ReadOnly: true}), make("writes_a", "", tool.Annotations{}),
		make("destroys", "", tool.Annotations{Destructive: true}), make("outside", "github",
			tool.Annotations{ReadOnly: true, OpenWorld: true}), code)
	require.NoError(t, err)
	return tools
}

func dispatchNote(t *testing.T, tools *registry.Registry, name, text string, env registry.Env) tool.Result {
	input, err := json.Marshal(note{text})
	require.NoError(t, err)
	return tools.Dispatch(t.Context(), tool.Call{ID: "1", Tool: name, Input: input}, env)
}

func TestWhoIsAskedFor(t *testing.T) {
	tools := notes(t)
	for rule, asked := range map[string][]string{
		registry.AskAll: {"reads", "writes_a", "destroys", "outside", "code"}, registry.AskWrites: {"writes_a",
			"destroys", "code"},
		registry.AskDestructive: {"destroys"}, registry.AskExternal: {"outside"}, registry.AskSource +
			"github": {"outside"}, "reads": {"reads"}, "nosuch": {},
		"writes_a:rm": {"writes_a"}, // a tool that does not ask for commands is asked for as a whole
	} {
		require.NoError(t, registry.CheckAsk(rule))
		for _, one := range []string{"reads", "writes_a", "destroys", "outside", "code"} {
			for _, inSettings := range []bool{true, false} {
				n := 0
				env := registry.Env{Approve: func(_ context.Context, r registry.ApprovalRequest) (registry.Decision,
					error) {
					n++
					require.Equal(t, rule, r.Rule)
					require.Equal(t, one, r.Spec.Name)
					return registry.Decision{Approved: true, By: "me"}, nil
				}}
				if env.Selection.Ask = []string{rule}; inSettings {
					env.Selection = registry.Selection{Settings: registry.Settings{Ask: []string{rule}}}
				}
				result := dispatchNote(t, tools, one, "x", env)
				want := 0
				for _, name := range asked {
					if name == one {
						want = 1
					}
				}
				require.Equal(t, want, n, "%s %s", rule, one)
				require.Equal(t, want == 1, result.Approval != nil)
			}
		}
	}
	for _, rule := range []string{"", "source:", "two words", "*", "9", "a:", "a:b c", "a:b:c", ":b"} {
		require.Error(t, registry.CheckAsk(rule), rule)
	}
	result := dispatchNote(t, tools, "reads", "x", registry.Env{Selection: registry.Selection{
		AskIf: func(call tool.Call, spec *tool.Spec) bool {
			return spec.Name == "reads" && string(call.Input) == `{"text":"x"}`
		}}})
	require.Equal(t, tool.CodeNeedsApproval, result.Code)
	settings, _, err := registry.ParseSettings([]byte(`{"ask":["writes"],"other":1}`))
	require.NoError(t, err)
	require.Equal(t, []string{"writes"}, settings.Ask)
	data, err := json.Marshal(settings)
	require.NoError(t, err)
	require.JSONEq(t, `{"ask":["writes"],"other":1}`, string(data))
}

// TestMisspeltRules: a rule that is for nothing that there is asks for what it looks like.
func TestMisspeltRules(t *testing.T) {
	nothing := func(name, source, partOf string, annotations tool.Annotations) tool.Tool {
		return tool.Func(tool.Spec{Name: name, Source: source, PartOf: partOf, Description: "Does nothing.",
			Annotations: annotations},
			func(context.Context, struct{}, tool.Env) (string, error) { return "", nil })
	}
	reads := tool.Annotations{ReadOnly: true}
	names := []string{"javascript", "send_mail", "github_create_issue", "pay", "drop", "view_file", "files"}
	tools, err := registry.New(nothing("javascript", "", "", tool.Annotations{}), nothing("send_mail", "", "",
		tool.Annotations{OpenWorld: true}),
		nothing("github_create_issue", "github", "", reads), nothing("pay", "", "", reads),
		nothing("drop", "", "", tool.Annotations{Destructive: true}),
		nothing("files", "", "", reads), nothing("view_file", "", "files", reads))
	require.NoError(t, err)
	all := names
	for rule, want := range map[string]struct {
		asked []string
		like  string
	}{
		"javascirpt": {[]string{"javascript"}, "javascript"}, "javscrpt": {[]string{"javascript"}, "javascript"},
		"JavaScript":  {[]string{"javascript"}, "javascript"},
		"java-script": {[]string{"javascript"}, "javascript"}, "send_mial": {[]string{"send_mail"}, "send_mail"},
		"sendmail":   {[]string{"send_mail"}, "send_mail"},
		"send_email": {[]string{"send_mail"}, "send_mail"}, "send": {[]string{"send_mail"}, ""},
		"create_issue":  {[]string{"github_create_issue"}, ""},
		"source:githbu": {[]string{"github_create_issue"}, "source:github"}, "github": {[]string{"github_create_issue"},
			""}, "source:nosuch": {nil, ""},
		"source:javascript": {[]string{"javascript"}, ""}, "pya": {[]string{"pay"}, "pay"}, "pa": {[]string{"pay"},
			"pay"}, "destructiv": {[]string{"drop"}, "destructive"},
		"write": {[]string{"javascript", "send_mail", "drop"}, "writes"}, "Writes": {[]string{"javascript", "send_mail",
			"drop"}, "writes"},
		"extrenal": {[]string{"send_mail"}, "external"}, "al": {all, "all"}, "ALL": {all, "all"}, "nosuch": {nil, ""},
		"netwrok": {nil, "network"},
		"fiels":   {[]string{"files", "view_file"}, "files"}, "view_fiel": {[]string{"view_file"}, "view_file"},
	} {
		err := tools.CheckAsk(rule)
		var unknown *registry.UnknownRuleError
		require.ErrorAs(t, err, &unknown, rule)
		require.Equal(t, registry.UnknownRuleError{Rule: rule, Like: want.like}, *unknown)
		require.ErrorContains(t, err, rule)
		require.ElementsMatch(t, want.asked, asked(t, tools, rule, names), rule)
	}
	// What is no rule at all, which only files that somebody has edited and programs can have, asks for everything.
	for _, rule := range []string{"", "*", "two words", "source:", "9", "send mail", "rm -rf"} {
		require.Error(t, tools.CheckAsk(rule), rule)
		require.ElementsMatch(t, all, asked(t, tools, rule, names), rule)
	}
	// What is there is for itself alone, and a tool with its parts. The whole does what its parts do.
	for rule, want := range map[string][]string{"pay": {"pay"}, "files": {"files", "view_file"}, "view_file": {"files",
		"view_file"}, "source:github": {"github_create_issue"},
		"javascript": {"javascript"}, registry.AskNetwork: nil, registry.NetworkTool: nil} {
		require.NoError(t, tools.CheckAsk(rule), rule)
		require.ElementsMatch(t, want, asked(t, tools, rule, names), rule)
	}
	// A tool that comes later has the rule of its name, and what only looked like it has none any more.
	require.Equal(t, []string{"send_mail"}, asked(t, tools, "send_mall", names))
	tools, err = tools.With(nothing("send_mall", "", "", reads))
	require.NoError(t, err)
	require.Equal(t, []string{"send_mall"}, asked(t, tools, "send_mall", append(names, "send_mall")))
}

// asked are the tools whose calls a rule asks for.
func asked(t *testing.T, tools *registry.Registry, rule string, names []string) (found []string) {
	for _, name := range names {
		result := tools.Dispatch(t.Context(), tool.Call{Tool: name}, registry.Env{Selection: registry.Selection{
			Settings: registry.Settings{Ask: []string{rule}}, Enable: map[string]bool{"view_file": true}}})
		if result.Code == tool.CodeNeedsApproval {
			found = append(found, name)
		} else {
			require.Empty(t, result.Code, result.Text())
		}
	}
	return found
}

func TestDecisions(t *testing.T) {
	tools := notes(t)
	decide := func(decisions ...registry.Decision) registry.Env {
		return registry.Env{Project: "p", Selection: registry.Selection{Ask: []string{"writes_a"}},
			Approve: func(context.Context, registry.ApprovalRequest) (registry.Decision, error) {
				next := decisions[0]
				decisions = decisions[1:]
				return next, nil
			}}
	}
	for name, test := range map[string]struct {
		decisions []registry.Decision
		code      tool.Code
		text      string
		edited    bool
	}{
		"approved": {[]registry.Decision{{Approved: true}}, "", "writes_a got x", false},
		"the same input": {[]registry.Decision{{Approved: true, Input: json.RawMessage(`{"text":"x"}`)}}, "",
			"writes_a got x", false},
		"refused": {[]registry.Decision{{}}, tool.CodeRefused,
			"A person has refused the call of writes_a. Do not repeat it as it was.", false},
		"refused with reason": {[]registry.Decision{{Reason: " not today. "}}, tool.CodeRefused,
			"A person has refused the call of writes_a: not today. Do not repeat it as it was.", false},
		"another input": {[]registry.Decision{{Approved: true, Input: json.RawMessage(`{"text":"y"}`)}}, "",
			"[A person has approved the call with other arguments: {\"text\":\"y\"}]\nwrites_a got y", true},
		"an input that does not fit": {[]registry.Decision{{Approved: true, Input: json.RawMessage(`{"text":[]}`)},
			{Approved: true, Input: json.RawMessage(`{`)}, {Reason: "no"}},
			tool.CodeRefused, "A person has refused the call of writes_a: no. Do not repeat it as it was.", false},
	} {
		result := dispatchNote(t, tools, "writes_a", "x", decide(test.decisions...))
		require.Equal(t, test.code, result.Code, name)
		require.Equal(t, test.text, result.Text(), name)
		require.Equal(t, test.edited, result.Approval.Edited, name)
		require.Equal(t, test.code == "", result.Approval.Approved)
	}
	nobody := dispatchNote(t, tools, "writes_a", "x", registry.Env{Selection: registry.Selection{Ask: []string{"all"}}})
	require.Equal(t, tool.CodeNeedsApproval, nobody.Code)
	require.Equal(t, "The call of writes_a needs the approval of a person, and there is nobody here who could give "+
		"it. "+
		"Do without it, or ask the user to allow it.", nobody.Text())

	env := decide()
	env.Approve = func(context.Context, registry.ApprovalRequest) (registry.Decision, error) {
		return registry.Decision{}, errors.New("broken")
	}
	require.Equal(t, tool.CodeFailed, dispatchNote(t, tools, "writes_a", "x", env).Code)
	env.Approve = func(context.Context, registry.ApprovalRequest) (registry.Decision, error) { panic("broken") }
	require.Equal(t, tool.CodeFailed, dispatchNote(t, tools, "writes_a", "x", env).Code)
	ctx, cancel := context.WithCancel(t.Context())
	env.Approve = func(ctx context.Context, _ registry.ApprovalRequest) (registry.Decision, error) {
		cancel()
		return registry.Decision{Approved: true}, nil
	}
	require.Equal(t, tool.CodeCanceled, tools.Dispatch(ctx, tool.Call{Tool: "writes_a",
		Input: json.RawMessage(`{"text":"x"}`)}, env).Code)
}

// What is refused before is not asked for: a person has not to look at calls that cannot be made.
func TestOnlyWhatCanBeMadeIsAskedFor(t *testing.T) {
	tools := notes(t)
	env := registry.Env{Selection: registry.Selection{Ask: []string{"all"}, Enable: map[string]bool{"reads": false}},
		Approve: func(context.Context, registry.ApprovalRequest) (registry.Decision, error) {
			require.FailNow(t, "asked")
			return registry.Decision{}, nil
		}}
	require.Equal(t, tool.CodeDisabled, dispatchNote(t, tools, "reads", "x", env).Code)
	require.Equal(t, tool.CodeUnknownTool, dispatchNote(t, tools, "nosuch", "x", env).Code)
	require.Equal(t, tool.CodeInvalidInput, tools.Dispatch(t.Context(), tool.Call{Tool: "writes_a",
		Input: json.RawMessage(`{}`)}, env).Code)
}

// Calls by code are asked for one by one, and the time in which a person thinks is not that of the code.
func TestCodeWaitsForApproval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tools := notes(t)
		var paused, resumed atomic.Int64
		env := registry.Env{Selection: registry.Selection{Ask: []string{"writes_a", "code"}},
			Approve: func(_ context.Context, r registry.ApprovalRequest) (registry.Decision, error) {
				time.Sleep(time.Hour)
				if r.Call.Tool == "writes_a" {
					require.Len(t, r.Callers, 1)
					require.Equal(t, "code", r.Callers[0].Tool)
					require.Equal(t, "1", r.Callers[0].ID)
					require.JSONEq(t, `{"text":"writes_a"}`, string(r.Callers[0].Input))
				} else {
					require.Empty(t, r.Callers)
				}
				return registry.Decision{Approved: true}, nil
			}}
		result := dispatchNote(t, tools, "code", "writes_a", env)
		require.Equal(t, "writes_a got from code", result.Text())

		slow := tool.Func(tool.Spec{Name: "slow", Description: "Takes its time.", Timeout: time.Second},
			func(ctx context.Context, _ struct{}, env tool.Env) (string, error) {
				ctx = tool.WithPause(ctx, func() func() {
					paused.Add(1)
					return func() { resumed.Add(1) }
				})
				time.Sleep(600 * time.Millisecond)
				text := env.Dispatch(ctx, tool.Call{Tool: "writes_a",
					Input: json.RawMessage(`{"text":"x"}`)}).Text()
				<-ctx.Done() // after its own second
				return text, ctx.Err()
			})
		tools, err := tools.With(slow)
		require.NoError(t, err)
		began := time.Now()
		result = tools.Dispatch(t.Context(), tool.Call{Tool: "slow"},
			registry.Env{Selection: registry.Selection{Ask: []string{"writes_a"}},
				Approve: func(context.Context, registry.ApprovalRequest) (registry.Decision, error) {
					time.Sleep(time.Hour)
					return registry.Decision{Approved: true}, nil
				}})
		require.Equal(t, tool.CodeTimeout, result.Code)
		require.Equal(t, time.Hour+time.Second, time.Since(began))
		require.EqualValues(t, 1, paused.Load())
		require.EqualValues(t, 1, resumed.Load())
	})
}

func TestRememberedApprovals(t *testing.T) {
	tools := notes(t)
	asked := 0
	approve := registry.RememberApprovals(func(_ context.Context, r registry.ApprovalRequest) (registry.Decision,
		error) {
		asked++
		return registry.Decision{Approved: r.Spec.Name != "destroys", Always: true, By: "me"}, nil
	})
	call := func(name, project string) tool.Result {
		return dispatchNote(t, tools, name, "x", registry.Env{Project: project, Approve: approve,
			Selection: registry.Selection{Ask: []string{"all"}}})
	}
	for range 3 {
		require.Equal(t, "me", call("writes_a", "a").Approval.By)
	}
	require.Equal(t, 1, asked)
	call("reads", "a")
	call("writes_a", "b")
	require.Equal(t, 3, asked, "another tool, another project")
	call("destroys", "a")
	require.Equal(t, tool.CodeRefused, call("destroys", "a").Code)
	require.Equal(t, 5, asked, "refusals are not remembered")
}
