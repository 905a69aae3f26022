// Package escape_test makes the attempts of testdata/escape, each in several kinds of projects, and checks after each
// that nothing has got out and nothing has changed that must not.
package escape_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/archive"
)

var soak = flag.Bool("soak", false, "make each attempt in each kind of project")

var update = flag.Bool("update", false, "write what comes back into testdata/escape, where it is wanted exactly")

// What all trials share.
var (
	engine *enginetest.Engine
	tools  *registry.Registry
	counts = counter{calls: map[string]map[string]int{}}
	trials atomic.Int64
	// helpers are functions that all code can use.
	helpers string
)

func TestMain(m *testing.M) {
	flag.Parse()
	_ = os.Setenv(variable, secretOf("environment"))
	content, err := os.ReadFile("../../../testdata/escape/helpers.js")
	if err != nil {
		panic(err)
	}
	helpers = string(content)
	engine = enginetest.New(runtime.EngineOptions{})
	tools = newRegistry(engine.Interpreter, &counts)
	code := m.Run()
	_ = engine.Close(context.Background())
	os.Exit(code)
}

func TestAttempts(t *testing.T) {
	total := 0
	for _, table := range readTables(t) {
		total += len(table.attempts)
		t.Run(strings.TrimSuffix(filepath.Base(table.file), ".txtar"), func(t *testing.T) {
			for i, a := range table.attempts {
				kinds := a.kinds()
				if !*soak && !*update { // in one of them
					kinds = kinds[i%len(kinds):][:1]
				}
				for _, kind := range kinds {
					t.Run(a.name+" "+kind, func(t *testing.T) {
						if !*update {
							t.Parallel()
						}
						(&trial{T: t, table: table, attempt: a, kind: kind}).run()
					})
				}
			}
		})
		if *update {
			require.NoError(t, os.WriteFile(table.file, txtar.Format(table.archive), 0o644))
		}
	}
	require.GreaterOrEqual(t, total, 150, "some attempts are gone")
}

// A trial is an attempt in one kind of project.
type trial struct {
	*testing.T
	table   *table
	attempt *attempt
	kind    string

	value string // of the attempt's, the one that is being tried
	n     int    // which one that is
	world *world
	env   registry.Env
}

func (t *trial) run() {
	t.world = worlds[t.kind](t)
	t.world.put(t, t.attempt)
	t.control()
	t.env = t.newEnv(t.attempt.settings)
	t.env.Project = fmt.Sprint("trial ", trials.Add(1))
	for t.n, t.value = range t.attempt.values() {
		for i := range t.attempt.steps {
			t.step(&t.attempt.steps[i])
		}
	}
	require.Empty(t, t.world.problems(t))
	require.Empty(t, miscounted(t.callsWanted(), counts.of(t.env.Project)))
	t.works()
}

// miscounted lists the tools that have not been called as often as wanted: forbidden ones not at all, unless it says
// so.
func miscounted(wanted, made map[string]int) (problems []string) {
	for _, name := range slices.Sorted(maps.Keys(made)) {
		if _, ok := wanted[name]; !ok && forbidden[name] != nil {
			problems = append(problems, fmt.Sprintf("%s has been called", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if wanted[name] != made[name] {
			problems = append(problems, fmt.Sprintf("%s has been called %d times, not %d", name, made[name],
				wanted[name]))
		}
	}
	return problems
}

// control shows that a link leads out, unless something keeps from following it.
func (t *trial) control() {
	path, ok := t.attempt.settings["unguarded"]
	if !ok {
		return
	}
	content, err := os.ReadFile(t.world.dir + "/" + fill(path, "", t.world.outside, false))
	require.NoError(t, err, "without a guard")
	require.True(t, tells(string(content)) || string(content) == "kept\n", "without a guard")
}

// newEnv is what settings say.
func (t *trial) newEnv(settings map[string]string) registry.Env {
	env := registry.Env{Project: t.env.Project, Files: t.world.project, Limits: registry.Limits{Timeout: time.Minute}}
	if settings["project"] == "other" {
		env.Files = t.world.other
	}
	s := &env.Selection
	if text := settings["settings"]; text != "" {
		var err error
		s.Settings, _, err = registry.ParseSettings([]byte(text))
		require.NoError(t, err)
	}
	if names, ok := settings["enable"]; ok {
		*s = s.Only(strings.Fields(names)...)
	}
	s.Enable = map[string]bool{}
	for _, name := range strings.Fields(settings["on"]) {
		s.Enable[name] = true
	}
	for _, name := range strings.Fields(settings["off"]) {
		s.Enable[name] = false
	}
	for _, name := range strings.Fields(settings["grants"]) {
		s.Grants = append(s.Grants, tool.Capability(name))
	}
	s.Mode = tool.Mode(settings["mode"])
	if text := settings["options"]; text != "" {
		require.NoError(t, json.Unmarshal([]byte(text), &s.Options))
	}
	if text := settings["timeout"]; text != "" {
		var err error
		env.Limits.Timeout, err = time.ParseDuration(text)
		require.NoError(t, err)
	}
	if text := settings["inline"]; text != "" {
		var err error
		env.Limits.Inline, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	if paths := strings.Fields(settings["readonly"]); len(paths) > 0 {
		env.Files = vfs.ReadOnly(t.world.project, paths...)
	}
	if settings["files"] == "none" {
		env.Files = nil
	}
	return env
}

// callsWanted is how often tools are to be called, as in "calls: echo 2, net 1".
func (t *trial) callsWanted() map[string]int {
	counts := map[string]int{}
	for part := range strings.SplitSeq(t.attempt.settings["calls"], ",") {
		if name, n, ok := strings.Cut(strings.TrimSpace(part), " "); ok {
			var err error
			counts[name], err = strconv.Atoi(n)
			require.NoError(t, err)
		}
	}
	return counts
}

// step does something, and checks what comes back.
func (t *trial) step(s *step) {
	switch s.kind {
	case "set":
		t.env = t.newEnv(s.settings)
		return
	case "put":
		require.NoError(t, t.world.place(s.thing))
		return
	}
	text, code, everything := t.do(s)
	require.Empty(t, t.revealed(everything), everything)
	if *update && !s.pattern {
		t.update(s, text, code)
		return
	}
	if s.results != nil {
		require.Greater(t, len(s.results), t.n, "there is no result for %q", t.value)
		require.Equal(t, s.results[t.n], oneLine(text, code), "%q", t.value)
		return
	}
	want := fill(s.want, t.value, t.world.outside, false)
	if s.pattern {
		require.Regexp(t, regexp.MustCompile("(?s)^(?:"+want+")$"), text, "%q", t.value)
	} else {
		require.Equal(t, want, text, "%q", t.value)
	}
	require.Equal(t, s.code, code, "%q: %s", t.value, text)
}

// revealed lists what a result tells that it must not.
func (t *trial) revealed(result string) (problems []string) {
	if tells(result) {
		problems = append(problems, "a secret")
	}
	for _, internal := range []string{"goroutine ", "runtime error", "wasm"} {
		if strings.Contains(result, internal) {
			problems = append(problems, "what is inside: "+internal)
		}
	}
	says := slices.ContainsFunc(t.attempt.steps, func(s step) bool { return strings.Contains(s.input, "$outside") })
	if outside := t.world.outside; outside != "" && !says && strings.Contains(result, outside) {
		problems = append(problems, "where the project lies")
	}
	return problems
}

// oneLine is a result as a line of results has it: the text, and what went wrong behind it.
func oneLine(text, code string) string {
	quoted := strconv.QuoteToGraphic(text)
	return strings.TrimSpace(strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`) +
		" " + strings.TrimSuffix("("+code+")", "()"))
}

// update puts what comes back into the table.
func (t *trial) update(s *step, text, code string) {
	f := &t.table.archive.Files[s.at]
	switch {
	case s.results == nil:
		f.Name, f.Data = strings.TrimSpace("want "+code), []byte(text+"\n")
	case t.n == 0:
		f.Data = nil
		fallthrough
	default:
		f.Data = append(f.Data, oneLine(text, code)+"\n"...)
	}
}

// do does what a step says. everything is all that comes back of it.
func (t *trial) do(s *step) (text, code, everything string) {
	input := fill(s.input, t.value, t.world.outside, s.kind == "js" || s.kind == "call")
	failure := func(err error) (text, code, everything string) {
		if err == nil {
			return "done", "", ""
		}
		return err.Error(), "error", err.Error()
	}
	one := fill(s.what, t.value, t.world.outside, false)
	switch s.kind {
	case "undo":
		_, err := t.world.project.Undo(t.Context(), one)
		return failure(err)
	case "import":
		_, err := archive.Import(t.Context(), t.world.project, archiveOf(t, input), archive.Tar)
		return failure(err)
	case "js":
		encoded, err := json.Marshal(map[string]string{"code": helpers + input})
		require.NoError(t, err)
		one, input = javascript.Name, string(encoded)
	}
	id := "call-1"
	if text := t.attempt.settings["id"]; text != "" {
		id = fill(text, t.value, t.world.outside, false)
	}
	result := tools.Dispatch(t.Context(), tool.Call{ID: id, Tool: one, Input: json.RawMessage(input)}, t.env)
	require.Equal(t, id, result.CallID)
	return t.everything(result)
}

// everything is all that comes back of a call, and may be shown to somebody.
func (t *trial) everything(result tool.Result) (text, code, everything string) {
	everything = fmt.Sprintf("%s\n%s\n%s\n", result.Text(), result.Status, result.Data)
	for _, part := range result.Content {
		everything += fmt.Sprintf("%s\n%s\n%s\n%+v\n", part.Text, part.Data, part.MIME, part.Resource)
	}
	return result.Text(), string(result.Code), everything
}

// archiveOf makes a tar of lines such as "file NAME", "dir NAME", "symlink NAME TARGET" and "hardlink NAME TARGET".
func archiveOf(t testing.TB, lines string) *bytes.Reader {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	types := map[string]byte{"file": tar.TypeReg, "dir": tar.TypeDir, "symlink": tar.TypeSymlink,
		"hardlink": tar.TypeLink, "pipe": tar.TypeFifo}
	for line := range strings.Lines(lines) {
		words := append(strings.Fields(line), "")
		require.Contains(t, types, words[0])
		header := &tar.Header{Typeflag: types[words[0]], Name: words[1], Linkname: words[2], Mode: 0o644}
		if words[0] == "file" {
			header.Size = 1
		}
		require.NoError(t, w.WriteHeader(header))
		if words[0] == "file" {
			_, err := w.Write([]byte("x"))
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	return bytes.NewReader(b.Bytes())
}

// works shows that what is allowed can be done afterwards.
func (t *trial) works() {
	env := registry.Env{Project: "test", Files: t.world.project}
	// the attempt's libraries may be broken
	env.Selection.Options = map[string]map[string]any{javascript.Name: {javascript.OptionLoadLib: false}}
	for _, c := range []struct{ tool, input, want string }{
		{"javascript", `{"code": "await fs.writeFile('/after.txt', ` +
			`'after'); return [6 * 7, await fs.readFile('/after.txt', 'utf8'), Object.keys({}).length].join()"}`,
			"42,after,0\nFiles: created /after.txt"},
		{"filesystem", `{"command": "view", "path": "/after.txt"}`,
			"Here's the content of /after.txt with line numbers:\n     1\tafter"},
		{"echo", `{"a":1}`, `{"a":1}`},
	} {
		result := tools.Dispatch(t.Context(), tool.Call{ID: "after", Tool: c.tool, Input: json.RawMessage(c.input)},
			env)
		require.Equal(t, c.want, result.Text(), "afterwards")
	}
}
