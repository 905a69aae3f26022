package recording_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/wrapfs"
	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/recording"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/registrytest"
	sandbox "github.com/toolrun/toolrun/runtime"
	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

var engine *enginetest.Engine

func TestMain(m *testing.M) {
	engine = enginetest.New(sandbox.EngineOptions{})
	defer engine.Close(context.Background())
	m.Run()
}

var runsCode = javascript.New(func(context.Context) (*js.Interpreter, error) { return engine.Interpreter, nil }, nil)

type cityIn struct {
	City string `json:"city" jsonschema:"The city."`
}

// weather has another answer each time.
func weather() tool.Tool {
	calls := make(chan int, 1)
	calls <- 0
	return tool.Func(tool.Spec{Name: "weather", Description: "Tells the weather of a city, which changes."},
		func(_ context.Context, in cityIn, env tool.Env) (string, error) {
			n := <-calls
			calls <- n + 1
			if in.City == "" {
				return "", tool.Errorf("there is no city")
			}
			// What a tool does itself with the files is none of the code's business.
			return fmt.Sprintf("%d °C in %s", n, in.City), vfs.WriteFile(context.Background(), env.Files, "/seen.txt",
				[]byte(in.City))
		})
}

const asks = `
	const all = await Promise.all(['Rome', 'Oslo', 'Rome'].map((city) => tools.weather({city})));
	console.log(all.sort().join(), Math.random(), Date.now());
	await tools.weather({city: ''}).catch((e) => console.log(e.code, e.message));
	fs.writeFileSync('/out.txt', fs.readFileSync('/in.txt', 'utf8') + all[0]);
	try { fs.mkdirSync('/memories/x') } catch (e) { console.log(e.message) }
	return fs.readdirSync('/');`

// record runs code and returns the recording and the result.
func record(t testing.TB, code string, files map[string]string) (string, tool.Result) {
	t.Helper()
	project, err := local.NewMemoryStore(nil).Open(t.Context(), "p")
	require.NoError(t, err)
	for name, content := range files {
		require.NoError(t, afero.WriteFile(project, name, []byte(content), 0o600))
	}
	tools, err := registry.New(runsCode, weather())
	require.NoError(t, err)
	env := registry.Env{Project: "p", Files: project, Selection: selection}
	definitions, err := tools.Definitions("", selection)
	require.NoError(t, err)
	call := tool.Call{ID: "c1", Tool: "javascript", Input: input(code)}
	var out bytes.Buffer
	recorder := recording.NewRecorder(&out, recording.Header{
		ID: call.ID, Tool: call.Tool, Input: string(call.Input), Project: "p", Tools: recording.Tools(definitions)[1:],
	}, nil)
	env.Files = recorder.Files(env.Files)
	ctx := sandbox.WithSource(t.Context(), sandbox.Source{Tape: recorder})
	result := tools.Using(recorder.Middleware).Dispatch(ctx, call, env)
	require.NoError(t, recorder.End(&result))
	return out.String(), result
}

var selection = registry.Selection{}.WithOption("javascript", code.OptionToolCalls, true)

func input(code string) []byte {
	text, err := jsontree.Marshal(map[string]string{"code": code})
	if err != nil {
		panic(err)
	}
	return text
}

// replay plays a recording back, without the tools and the project. code replaces the recorded one, if it is not empty.
func replay(t testing.TB, text, code string) (tool.Result, *recording.DifferenceError) {
	t.Helper()
	recorded, err := recording.Read(strings.NewReader(text), nil)
	require.NoError(t, err)
	player := recorded.Player()
	tools, err := registry.New(append([]tool.Tool{runsCode}, recorded.Tools(nil)...)...)
	require.NoError(t, err)
	call := recorded.Call()
	if code != "" {
		call.Input = input(code)
	}
	ctx := sandbox.WithSource(t.Context(), sandbox.Source{Tape: player})
	result := tools.Using(player.Middleware).Dispatch(ctx, call, registry.Env{Project: "p", Files: player.Files(),
		Selection: selection})
	return result, player.End(result)
}

func TestACallIsPlayedBackWithoutItsToolsAndProject(t *testing.T) {
	text, want := record(t, asks, map[string]string{"/in.txt": "it was "})
	require.False(t, want.IsError(), want.Text())
	require.Contains(t, want.Text(), "Files: created /out.txt")
	require.Contains(t, want.Text(), "tool_error there is no city")
	for range 2 {
		got, difference := replay(t, text, "")
		require.Nil(t, difference)
		require.Equal(t, want.Text(), got.Text())
	}
	again, _ := record(t, asks, map[string]string{"/in.txt": "it was "})
	require.NotEqual(t, text, again)
}

func TestTheFirstDifferenceHasAName(t *testing.T) {
	files := map[string]string{"/in.txt": "it was "}
	text, result := record(t, asks, files)
	require.False(t, result.IsError(), result.Text())
	change := func(old, with string) string {
		require.Contains(t, text, old)
		return strings.Replace(text, old, with, 1)
	}
	for name, test := range map[string]struct{ text, code, want string }{
		"an answer of a tool": {text: change("0 °C in ", "9 °C in "),
			want: `wrote something else to #2 /out.txt, from byte 7 of 20 on: "1 °C in `},
		"a file": {text: change(`"text":"it was "`, `"text":"it is "`),
			want: "wrote something else to #2 /out.txt, from byte 3 of 20 on"},
		"a random number": {text: text, code: strings.Replace(asks, "Math.random()", "0.5", 1),
			want: "line 2 of the output was"},
		"the input of a call": {text: text, code: strings.Replace(asks, "'Oslo'", "'Bonn'", 1),
			want: `call 2 of the run that was recorded was of weather with "{\"city\":\"Oslo\"}", ` +
				`and now it is of weather with "{\"city\":\"Bonn\"}"`},
		"another call": {text: text, code: strings.Replace(asks, "return", "await tools.weather({city: 'X'}); return",
			1), want: "looked at /, and this one called tools.weather"},
		"a path": {text: text, code: strings.Replace(asks, "'/in.txt'", "'/on.txt'", 1),
			want: "looked at /in.txt, and this one looked at /on.txt"},
		"less": {text: text, code: strings.Replace(asks, "return", "if (1) return; return", 1),
			want: "the output"},
		"the clock": {text: text, code: strings.Replace(asks, "Date.now()", "1", 1),
			want: "read the clock, and this one called tools.weather"},
		"no end": {text: text, code: "for (;;) Date.now()", want: "this one read the clock"},
	} {
		t.Run(name, func(t *testing.T) {
			_, difference := replay(t, test.text, test.code)
			require.NotNil(t, difference)
			require.ErrorContains(t, difference, test.want)
		})
	}
}

func TestChangedFilesAreNamed(t *testing.T) {
	text, _ := record(t,
		`fs.readFileSync('/a.txt'); fs.writeFileSync('/b.txt', 'mine');
			fs.readFileSync('/b.txt'); fs.readFileSync('/c.txt')`,
		map[string]string{"/a.txt": "a\nb\n", "/c.txt": "c"})
	recorded, err := recording.Read(strings.NewReader(text), nil)
	require.NoError(t, err)
	files := afero.NewMemMapFs()
	for _, step := range []struct{ name, content, want string }{
		{"/a.txt", "a\nb\n", `/c.txt cannot be read any more: file does not exist`},
		{"/c.txt", "c", ""},
		{"/a.txt", "a\nB\n", `/a.txt has changed since: line 2 is "B\n" and was "b\n"`},
		{"/a.txt", "a\nb\nc", `/a.txt has changed since: line 3 is "c" and was ""`},
	} {
		require.NoError(t, afero.WriteFile(files, step.name, []byte(step.content), 0o600))
		difference, err := recorded.Compare(files)
		require.NoError(t, err)
		if step.want == "" {
			require.Nil(t, difference)
		} else {
			require.ErrorContains(t, difference, step.want)
		}
	}
}

func TestRecordingsThatAreNone(t *testing.T) {
	text, _ := record(t, `return 1`, nil)
	lines := strings.SplitAfter(text, "\n")
	for name, test := range map[string]struct{ text, want string }{
		"nothing":  {"", "line 1: the file is empty"},
		"anything": {"hello\nyou\n", "line 1: this is not a recording"},
		"JSON":     {"{}\n", "line 1: this is not a recording"},
		"another version": {strings.Replace(text, `"version":1`, `"version":2`, 1),
			"version 2 of the format; this program reads version 1"},
		"no end": {strings.Join(lines[:len(lines)-2], ""),
			"the recording is not complete: its end is missing"},
		"half a line":     {text[:len(text)-3], "the recording is not complete: its end is missing"},
		"a line less":     {lines[0] + strings.Join(lines[2:], ""), "the recording is not complete: it had"},
		"more":            {text + lines[1], "there is more after the end"},
		"a second header": {lines[0] + text, "a second header"},
		"no JSON":         {lines[0] + "]\n", "line 2: damaged"},
		"no kind":         {lines[0] + "{}\n", "it does not say what it is"},
		"an answer":       {lines[0] + `{"k":"answer","number":1,"result":{}}` + "\n", "an answer without a call"},
		"twice a request": {lines[0] + strings.Repeat(`{"k":"ask","tool":"request","of":1}`+"\n", 2),
			"two requests by one call"},
		"no request": {lines[0] + `{"k":"answered","tool":"request","of":1,"value":{}}` + "\n",
			"an answer without a request"},
		"two responses": {lines[0] + `{"k":"ask","tool":"request","of":1}` + "\n" +
			strings.Repeat(`{"k":"answered","tool":"request","of":1,"value":{}}`+"\n", 2),
			"an answer without a request"},
		"a later line":      {lines[0] + `{"k":"read","as":3}` + "\n", "line 3 has no data for it"},
		"no result":         {lines[0] + `{"k":"end","lines":2}` + "\n", "the result is missing"},
		"cut off":           {lines[0] + `{"k":"cut"}` + "\n", recording.ErrTooLarge.Error()},
		"a line too long":   {lines[0] + strings.Repeat(" ", 65<<20), "longer than"},
		"a number too many": {lines[0] + `{"k":"clock","numbers":[1e99]}` + "\n", "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := recording.Read(strings.NewReader(test.text), nil)
			require.ErrorContains(t, err, test.want)
			_, ok := errors.AsType[*recording.FormatError](err)
			require.True(t, ok)
		})
	}
	_, err := recording.Read(strings.NewReader(text), &recording.Options{Bytes: 100})
	require.ErrorContains(t, err, "more than 100 bytes")
}

func TestRecordingsAreBounded(t *testing.T) {
	var out bytes.Buffer
	recorder := recording.NewRecorder(&out, recording.Header{}, &recording.Options{Bytes: 2000})
	for n := range 100 {
		require.NoError(t, recorder.Fill(sandbox.TapeRandom, make([]byte, 100), func(data []byte) {
			data[0] = byte(n)
		}))
	}
	require.ErrorIs(t, recorder.End(nil), recording.ErrTooLarge)
	require.Less(t, out.Len(), 2100)
	_, err := recording.Read(&out, nil)
	require.ErrorContains(t, err, recording.ErrTooLarge.Error())
}

func TestTheSameDataIsRecordedOnce(t *testing.T) {
	long := strings.Repeat("long ", 10_000)
	text, _ := record(t,
		`for (let n = 0; n < 20; n++) fs.readFileSync('/a.txt', 'utf8');
			fs.writeFileSync('/b.txt', fs.readFileSync('/a.txt'))`,
		map[string]string{"/a.txt": long})
	require.Less(t, len(text), 3*len(long))
	_, difference := replay(t, text, "")
	require.Nil(t, difference)
}

// A test of a loop does without the tools.
func TestARecordingStandsInForTools(t *testing.T) {
	tools, err := registry.New(weather())
	require.NoError(t, err)
	definitions, err := tools.Definitions("", registry.Selection{})
	require.NoError(t, err)
	project, err := local.NewMemoryStore(nil).Open(t.Context(), "p")
	require.NoError(t, err)
	var out bytes.Buffer
	recorder := recording.NewRecorder(&out, recording.Header{Tools: recording.Tools(definitions)}, nil)
	var want []string
	calls := []tool.Call{{Tool: "weather", Input: []byte(`{"city":"Rome"}`)},
		{Tool: "weather", Input: []byte(`{"city":""}`)},
		{Tool: "weather", Input: []byte(`{"city": "Rome"}`)}}
	for _, call := range calls {
		want = append(want, tools.Using(recorder.Middleware).Dispatch(t.Context(), call,
			registry.Env{Files: project}).Text())
	}
	require.NoError(t, recorder.End(nil))

	recorded, err := recording.Read(&out, nil)
	require.NoError(t, err)
	failed := &failures{TB: t}
	standIns := registrytest.Recorded(failed, recorded)
	now, err := standIns.Definitions("", registry.Selection{})
	require.NoError(t, err)
	require.Equal(t, recording.Tools(definitions), recording.Tools(now))
	for n, call := range calls {
		require.Equal(t, want[n], standIns.Dispatch(t.Context(), call, registry.Env{}).Text())
	}
	require.Empty(t, failed.texts)
	standIns.Dispatch(t.Context(), calls[0], registry.Env{})
	require.Equal(t, []string{`the recording has no further call of weather with {"city":"Rome"}`}, failed.texts)
}

// failures keeps what fails a test.
type failures struct {
	testing.TB
	texts []string
}

func (f *failures) Errorf(format string, args ...any) {
	f.texts = append(f.texts, fmt.Sprintf(format, args...))
}

// Errors of files that come from a recording are the same to whoever looks.
func TestErrorsOfFiles(t *testing.T) {
	for name, err := range map[string]error{
		"missing":     &fs.PathError{Op: "open", Path: "/x", Err: syscall.ENOENT},
		"quota":       &fs.PathError{Op: "write", Path: "/x", Err: &vfs.QuotaError{Limit: "bytes", Max: 5, Want: 6}},
		"conflict":    &vfs.NameConflictError{Name: "a", Existing: "A"},
		"protected":   &fs.PathError{Op: "open", Path: "/.git", Err: &vfs.ProtectedError{Path: "/.git"}},
		"unavailable": &vfs.UnavailableError{Reason: "gone"},
		"full":        syscall.ENOSPC,
		"directory":   syscall.ENOTEMPTY,
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			recorder := recording.NewRecorder(&out, recording.Header{}, nil)
			_, live := recorder.Files(wrapfs.Foreign(failing{afero.NewMemMapFs(), err})).Stat("/x")
			require.NoError(t, recorder.End(nil))
			recorded, readErr := recording.Read(&out, nil)
			require.NoError(t, readErr)
			_, played := recorded.Player().Files().Stat("/x")
			require.Equal(t, live.Error(), played.Error())
			for _, is := range []error{fs.ErrNotExist, fs.ErrExist, syscall.ENOSPC, syscall.EROFS, syscall.ENOTEMPTY,
				syscall.EEXIST, fs.ErrInvalid} {
				require.Equal(t, errors.Is(live, is), errors.Is(played, is), "%v", is)
			}
			quota, _ := errors.AsType[*vfs.QuotaError](live)
			samequota, _ := errors.AsType[*vfs.QuotaError](played)
			require.Equal(t, quota, samequota)
			conflict, _ := errors.AsType[*vfs.NameConflictError](live)
			sameconflict, _ := errors.AsType[*vfs.NameConflictError](played)
			require.Equal(t, conflict, sameconflict)
		})
	}
}

type failing struct {
	afero.Fs
	err error
}

func (f failing) Stat(string) (fs.FileInfo, error) { return nil, f.err }

// FuzzRead plays whatever it is given back: it has no effect, and nothing panics.
func FuzzRead(f *testing.F) {
	text, _ := record(f, asks, map[string]string{"/in.txt": "it was "})
	small, _ := record(f, `return fs.readFileSync('/a.txt', 'utf8') + Date.now()`, map[string]string{"/a.txt": "a"})
	f.Add(text)
	f.Add(small)
	for _, change := range [][2]string{
		{`"numbers":[`, `"numbers":[],"x":[`}, {`"numbers":[`, `"numbers":[-1,-2,9223372036854775807,`},
		{`"value":{}`, `"value":[]`},
		{`"value":`, `"x":`}, {`"k":"stat"`, `"k":"poll"`}, {`"as":`, `"as":-`}, {`"wait","numbers":[`,
			`"wait","numbers":[77,`},
		{`"text":"a"`, `"text":"` + strings.Repeat("a", 100_000) + `"`}, {`"size":`, `"size":-`}, {`"result":{`,
			`"result":{"data":1,`},
		{`"of":1`, `"of":-1`}, {`javascript`, `weather`}, {`"is":[`, `"is":["EOF",`},
	} {
		f.Add(strings.Replace(text, change[0], change[1], 1))
		f.Add(strings.ReplaceAll(small, change[0], change[1]))
	}
	f.Fuzz(func(t *testing.T, text string) {
		recorded, err := recording.Read(strings.NewReader(text), &recording.Options{Bytes: 1 << 20})
		if err != nil {
			return
		}
		_, err = recorded.Compare(afero.NewMemMapFs())
		require.NoError(t, err)
		player := recorded.Player()
		tools, err := registry.New(append([]tool.Tool{runsCode}, recorded.Tools(nil)...)...)
		if err != nil {
			return
		}
		ctx := sandbox.WithSource(t.Context(), sandbox.Source{Tape: player})
		env := registry.Env{Files: player.Files(), Selection: selection, Limits: registry.Limits{Timeout: 5e9}}
		_ = player.End(tools.Using(player.Middleware).Dispatch(ctx, recorded.Call(), env))
	})
}
