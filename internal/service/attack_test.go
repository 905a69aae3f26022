package service_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// newDesk makes the desk of a runner that notes all its calls, with a tool that tells its time.
func newDesk(t *testing.T, options service.Options) (*service.Desk, *toolrun.Runner) {
	tells := tool.JSONFunc(tool.Spec{Name: "tells", Description: "Tells its time.",
		Schema: json.RawMessage(`{"type": "object"}`), Timeout: time.Hour},
		func(_ context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
			return tool.Text("it has " + env.Timeout.String()), nil
		})
	runner, err := toolrun.Open(t.Context(), &toolrun.Options{Tools: []tool.Tool{tells}, NoteCalls: true})
	require.NoError(t, err)
	desk, err := service.New(runner, &options)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, desk.Shutdown(context.Background()))
		require.NoError(t, runner.Close())
	})
	return desk, runner
}

// A waiter waits until a call has ended.
type waiter struct{ *testing.T }

func (w waiter) Send(string, string, any) error { return nil }

func (w waiter) Wait(_ time.Duration, news, _ <-chan struct{}) bool {
	select {
	case <-news:
		return true
	case <-w.Context().Done():
		return false
	}
}

// call makes a call and returns what is known of it when it has ended.
func call(t *testing.T, s *service.Service, in service.MakeCallRequest) service.CallDetail {
	made, err := s.MakeCall(t.Context(), in)
	require.NoError(t, err)
	require.NoError(t, s.FollowCall(t.Context(), service.OutputRequest{Project: in.Project, Call: made.Call},
		func() (service.Follower, error) { return waiter{t}, nil }))
	d, err := s.ShowCall(t.Context(), service.CallRequest{Project: in.Project, Call: made.Call})
	require.NoError(t, err)
	return d
}

// TestModelsSeeTheirOwnCalls: a model whose access names no client sees the calls that it has made, and not those of
// programs that name none either, nor of the page.
func TestModelsSeeTheirOwnCalls(t *testing.T) {
	desk, runner := newDesk(t, service.Options{})
	session, err := runner.Session(t.Context(), "p", nil)
	require.NoError(t, err)
	defer session.Close()
	_, err = session.DispatchAll(t.Context(), []tool.Call{{ID: "other", Tool: "tells"}})
	require.NoError(t, err)
	owner := desk.Open(&service.Access{Name: "page", Client: "page", Role: service.Operator})
	of := call(t, owner, service.MakeCallRequest{Project: "p", Tool: "tells", Input: []byte("{}")})
	for _, name := range []string{"", "ada", "page"} {
		model := desk.Open(&service.Access{Name: name, Project: "p"})
		own := call(t, model, service.MakeCallRequest{Project: "p", Tool: "tells", Input: []byte("{}")})
		list, err := model.ListCalls(t.Context(), service.CallsRequest{Project: "p"})
		require.NoError(t, err)
		require.Len(t, list.Calls, 1)
		require.Equal(t, own.Call, list.Calls[0].Call)
		for _, id := range []string{"other", of.Call, ""} {
			_, err = model.ShowCall(t.Context(), service.CallRequest{Project: "p", Call: id})
			require.Equal(t, "not_found", service.Explain(err).Code, "%s shows %q", name, id)
			err = model.ReadPicture(t.Context(), service.PictureRequest{Project: "p", Call: id, Number: 1},
				func(service.Content) error { return nil })
			require.Equal(t, "not_found", service.Explain(err).Code)
			_, err = model.StopCall(t.Context(), service.CallRequest{Project: "p", Call: id})
			require.Equal(t, "not_found", service.Explain(err).Code)
		}
	}
}

// TestCallsOfADeletedProject: whoever gets a new project of a name that was deleted does not see what calls did there.
func TestCallsOfADeletedProject(t *testing.T) {
	desk, _ := newDesk(t, service.Options{})
	operator := desk.Open(&service.Access{Name: "ops", Role: service.Operator})
	_, err := operator.MakeProject(t.Context(), service.InProject{Project: "p"})
	require.NoError(t, err)
	made := call(t, operator, service.MakeCallRequest{Project: "p", Tool: "tells", Input: []byte(`{"secret": 1}`)})
	_, err = operator.DeleteProject(t.Context(), service.DeleteRequest{Project: "p"})
	require.NoError(t, err)
	_, err = operator.MakeProject(t.Context(), service.InProject{Project: "p"})
	require.NoError(t, err)
	person := desk.Open(&service.Access{Name: "ada", Role: service.Person, Project: "p"})
	list, err := person.ListCalls(t.Context(), service.CallsRequest{Project: "p"})
	require.NoError(t, err)
	require.Empty(t, list.Calls)
	_, err = person.ShowCall(t.Context(), service.CallRequest{Project: "p", Call: made.Call})
	require.Equal(t, "not_found", service.Explain(err).Code)
}

// TestTimeOfCalls: nobody's call takes longer than the desk, or the access, lets it.
func TestTimeOfCalls(t *testing.T) {
	for name, c := range map[string]struct {
		desk, own time.Duration
		seconds   float64
		want      string
	}{
		"the tool's":              {want: "1h0m0s"},
		"as long as wanted":       {seconds: 2, want: "2s"},
		"the desk's":              {desk: time.Second, want: "1s"},
		"longer than the desk's":  {desk: time.Second, seconds: 3600, want: "1s"},
		"longer than their own":   {desk: time.Hour, own: time.Second, seconds: 3600, want: "1s"},
		"shorter than their own":  {own: time.Minute, seconds: 1, want: "1s"},
		"less than without limit": {desk: tool.NoTimeout, seconds: 1, want: "1s"},
	} {
		t.Run(name, func(t *testing.T) {
			desk, _ := newDesk(t, service.Options{Limits: registry.Limits{Timeout: c.desk}})
			s := desk.Open(&service.Access{Name: "ada", Role: service.Person, Project: "p",
				Limits: registry.Limits{Timeout: c.own}})
			d := call(t, s, service.MakeCallRequest{Project: "p", Tool: "tells", Input: []byte("{}"),
				Seconds: c.seconds})
			require.Equal(t, "it has "+c.want, d.Result)
		})
	}
}

// TestSessionsOfOtherDoors: an access that opens one project's session, and does not say which, reaches none.
func TestSessionsOfOtherDoors(t *testing.T) {
	desk, runner := newDesk(t, service.Options{})
	s := desk.Open(&service.Access{Name: "ada", Role: service.Person,
		Session: func(ctx context.Context) (*toolrun.Session, error) { return runner.Session(ctx, "p", nil) }})
	for _, id := range []string{"p", "other"} {
		require.Equal(t, "not_found", service.Explain(s.MayUse(id)).Code)
		_, err := s.ListFiles(t.Context(), service.ListFilesRequest{Project: id, Path: "/"})
		require.Equal(t, "not_found", service.Explain(err).Code)
	}
}

// TestPersonsDoNotChooseForThemselves: a person whose token says which tools there are, and with what options, changes
// that by no operation.
func TestPersonsDoNotChooseForThemselves(t *testing.T) {
	desk, runner := newDesk(t, service.Options{})
	operator := desk.Open(&service.Access{Name: "ops", Role: service.Operator})
	_, err := operator.MakeProject(t.Context(), service.InProject{Project: "p"})
	require.NoError(t, err)
	change := func(s *service.Service, setting string, change service.SettingChange) error {
		_, err := s.ChangeSettings(t.Context(), service.ChangeSettingsRequest{Project: "p",
			Changes: service.SettingChanges{setting: change}})
		return err
	}
	err = change(operator, "ask", service.SettingChange{Add: []string{"memory"}})
	require.NoError(t, err)
	settings := func() string {
		p, err := runner.Store().OpenExisting(t.Context(), "p")
		require.NoError(t, err)
		defer p.Close()
		stored, err := p.Settings(t.Context())
		require.NoError(t, err)
		return string(stored)
	}
	before := settings()
	person := desk.Open(&service.Access{Name: "ada", Role: service.Person, Project: "p",
		Select: func(s registry.Selection) registry.Selection {
			return s.Only("javascript", "memory").WithOption("javascript", "memory", 16)
		}})
	_, err = person.MakeCheckpoint(t.Context(), service.CheckpointRequest{Project: "p", Name: "c"})
	require.NoError(t, err)
	for name, attempt := range map[string]func() error{
		"a tool": func() error {
			return change(person, "tools", service.SettingChange{Add: []string{"filesystem"}})
		},
		"no approval": func() error {
			return change(person, "ask", service.SettingChange{Remove: []string{"memory"}})
		},
		"an option": func() error {
			return change(person, "options", service.SettingChange{Add: []string{"javascript.memory=1024"}})
		},
		"a rule": func() error {
			return change(person, "network", service.SettingChange{Add: []string{"GET https://example.com/**"}})
		},
		"a project": func() error {
			return change(person, "mounts", service.SettingChange{Add: []string{"/sharerw other"}})
		},
		"no checkpoints": func() error {
			return change(person, "checkpoint", service.SettingChange{Set: []string{"never"}})
		},
		"an option of a call": func() error {
			_, err := person.MakeCall(t.Context(), service.MakeCallRequest{Project: "p", Tool: "javascript",
				Input: []byte(`{"code": "1"}`), Options: map[string]any{"memory": "1024"}})
			return err
		},
		"a file": func() error {
			_, err := person.SaveText(t.Context(), service.SaveRequest{Project: "p", Path: "/.toolrun/settings.json",
				Text: "{}"})
			return err
		},
		"an upload": func() error {
			_, err := person.Upload(t.Context(), service.UploadRequest{Project: "p", Path: "/.toolrun/settings.json",
				Replace: true}, strings.NewReader("{}"))
			return err
		},
		"a name": func() error {
			_, err := person.MoveFile(t.Context(), service.MoveRequest{Project: "p", Path: "/a", To: "/.toolrun"})
			return err
		},
		"another project": func() error {
			_, err := person.MakeProject(t.Context(), service.InProject{Project: "mine"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, []string{"forbidden", "invalid", "not_found"}, service.Explain(attempt()).Code)
			require.JSONEq(t, before, settings())
		})
	}
	_, err = person.RestoreCheckpoint(t.Context(), service.CheckpointRequest{Project: "p", Name: "c"})
	require.NoError(t, err)
	require.JSONEq(t, before, settings())
	require.Equal(t, "tool_disabled", call(t, person, service.MakeCallRequest{Project: "p", Tool: "filesystem",
		Input: []byte(`{"command": "view", "path": "/"}`)}).Code)
}

// TestPersonsWithoutFiles: a person who may not read files is told neither what is in them nor what was, and can still
// decide on calls.
func TestPersonsWithoutFiles(t *testing.T) {
	desk, _ := newDesk(t, service.Options{})
	operator := desk.Open(&service.Access{Name: "ops", Role: service.Operator})
	_, err := operator.MakeProject(t.Context(), service.InProject{Project: "p"})
	require.NoError(t, err)
	_, err = operator.SaveText(t.Context(), service.SaveRequest{Project: "p", Path: "/a.txt", Text: "secret"})
	require.NoError(t, err)
	person := desk.Open(&service.Access{Name: "ada", Role: service.Person, Project: "p", NoFiles: true})
	_, err = person.SaveText(t.Context(), service.SaveRequest{Project: "p", Path: "/a.txt", Text: "mine"})
	f := service.Explain(err)
	require.Equal(t, "changed", f.Code)
	require.NotContains(t, f.Diff, "secret")
	_, err = person.ListApprovals(t.Context(), service.InProject{Project: "p"})
	require.NoError(t, err)
	_, err = person.Diff(t.Context(), service.ChangeRequest{Project: "p", Change: 1})
	require.Equal(t, "this token may not read files", service.Explain(err).Message)
}

// TestWaitingCallsOfOthers: nobody finds a call that waits in a project that is not theirs, nor learns what was decided
// on it.
func TestWaitingCallsOfOthers(t *testing.T) {
	desk, runner := newDesk(t, service.Options{})
	session, err := runner.Session(t.Context(), "p", &toolrun.SessionOptions{
		Select: func(s registry.Selection) registry.Selection { s.Ask = []string{"tells"}; return s }})
	require.NoError(t, err)
	defer session.Close()
	results, err := session.DispatchAll(t.Context(), []tool.Call{{ID: "asks", Tool: "tells", Input: []byte("{}")}})
	require.NoError(t, err)
	token := results[0].Pending.Token
	operator := desk.Open(&service.Access{Name: "ops", Role: service.Operator})
	own := desk.Open(&service.Access{Name: "ada", Role: service.Person, Project: "p"})
	other := desk.Open(&service.Access{Name: "eve", Role: service.Person, Project: "q"})
	show := func(s *service.Service, project string) string {
		_, err := s.ShowWaiting(t.Context(), service.WaitingRequest{Project: project, Token: token})
		if err == nil {
			return "shown"
		}
		return service.Explain(err).Message
	}
	decide := func(s *service.Service, project string) string {
		result, err := s.DecideNow(t.Context(), service.DecideRequest{Project: project, Token: token,
			Calls: []string{"asks"}, Reason: "no"})
		if err != nil {
			return service.Explain(err).Message
		}
		return result.Text()
	}
	const none = "no call waits with this token"
	for project, want := range map[string]string{"": none, "q": none, "p": "no project named p"} {
		require.Equal(t, want, show(other, project))
		list, _ := other.ListWaiting(t.Context(), service.InProject{Project: project})
		require.Empty(t, list)
	}
	require.Equal(t, "this call does not wait any more", decide(other, "q"))
	require.Equal(t, "no project named p", decide(other, "p"))
	require.Equal(t, none, show(operator, "q"))
	for _, s := range []*service.Service{own, operator} {
		for _, project := range []string{"", "p"} {
			require.Equal(t, "shown", show(s, project))
			list, err := s.ListWaiting(t.Context(), service.InProject{Project: project})
			require.NoError(t, err)
			require.Len(t, list, 1)
		}
	}
	everybodys := desk.Open(&service.Access{Name: "bob", Role: service.Person})
	require.NotEqual(t, "shown", show(everybodys, "")) // directories of the host are an operator's
	require.Equal(t, "shown", show(everybodys, "p"))

	require.Contains(t, decide(own, "p"), "A person has refused the call")
	require.Contains(t, show(own, "p"), "was refused by ada")
	require.Equal(t, none, show(other, ""))
}

// TestProjectsThatCallsRead: the tools that read several projects show those that are mounted in the one of the call,
// and no other, whoever makes the call. A model cannot enable them, nor mount a project.
func TestProjectsThatCallsRead(t *testing.T) {
	desk, _ := newDesk(t, service.Options{})
	operator := desk.Open(&service.Access{Name: "ops", Role: service.Operator})
	for _, id := range []string{"own", "shared", "secret"} {
		_, err := operator.MakeProject(t.Context(), service.InProject{Project: id})
		require.NoError(t, err)
		_, err = operator.SaveText(t.Context(), service.SaveRequest{Project: id, Path: "/a.txt", Text: "of " + id})
		require.NoError(t, err)
	}
	change := func(s *service.Service, setting string, values ...string) error {
		_, err := s.ChangeSettings(t.Context(), service.ChangeSettingsRequest{Project: "own",
			Changes: service.SettingChanges{setting: {Add: values}}})
		return err
	}
	model := desk.Open(&service.Access{Name: "bot", Project: "own"})
	person := desk.Open(&service.Access{Name: "ada", Role: service.Person, Project: "own"})
	run := func(s *service.Service, tool, input string) service.CallDetail {
		return call(t, s, service.MakeCallRequest{Project: "own", Tool: tool, Input: []byte(input)})
	}
	require.NoError(t, change(operator, "mounts", "read-only /share shared"))
	for tool, input := range map[string]string{"list_projects": `{}`, "read_files": `{"paths": ["/a.txt"]}`,
		"search_files": `{"regex": "of"}`} {
		require.Equal(t, "tool_disabled", run(model, tool, input).Code)
	}
	require.Equal(t, "forbidden", service.Explain(change(model, "tools", "read_files")).Code)
	require.Equal(t, "forbidden", service.Explain(change(model, "mounts", "/other secret")).Code)
	require.Equal(t, "forbidden", service.Explain(change(person, "mounts", "/other secret")).Code)
	require.NoError(t, change(person, "tools", "list_projects", "read_files", "search_files"))

	for name, s := range map[string]*service.Service{"model": model, "person": person, "operator": operator} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, "Projects:\n- own\n- shared: also at /share", run(s, "list_projects", "{}").Result)
			require.Contains(t, run(s, "read_files", `{"project":"shared","paths":["a.txt"]}`).Result, "of shared")
			for _, attack := range [][2]string{
				{"secret", "/a.txt"}, {"none", "/a.txt"}, {"SHARED", "/a.txt"}, {"../secret", "/a.txt"},
				{"", "/../secret/a.txt"}, {"own", "../../projects/secret/a.txt"}, {"shared", "../../secret/a.txt"},
				{"shared", "/../own/a.txt"},
			} {
				for tool, input := range map[string]string{"read_files": `{"project": %q, "paths": [%q]}`,
					"search_files": `{"project": %q, "path": %q, "regex": "of"}`} {
					d := run(s, tool, fmt.Sprintf(input, attack[0], attack[1]))
					require.Equal(t, "tool_error", d.Code, "%s by %s", attack, tool)
					require.NotContains(t, d.Result, "of secret")
					require.NotContains(t, d.Result, "of own")
				}
			}
			require.Equal(t, strings.ReplaceAll(run(s, "read_files", `{"project":"secret","paths":["/a.txt"]}`).Result,
				"secret", "none"), run(s, "read_files", `{"project":"none","paths":["/a.txt"]}`).Result)
			require.Contains(t, run(s, "search_files", `{"regex":"^of"}`).Result, "Found 2 line(s) in 2 file(s):")
		})
	}
	_, err := operator.ChangeSettings(t.Context(), service.ChangeSettingsRequest{Project: "own",
		Changes: service.SettingChanges{"mounts": {Remove: []string{"/share"}}}})
	require.NoError(t, err)
	require.Equal(t, "Projects:\n- own", run(model, "list_projects", "{}").Result)
	require.Equal(t, "tool_error", run(model, "read_files", `{"project":"shared","paths":["/a.txt"]}`).Code)
}
