//go:build systemtest

package guests

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/pythontest"
	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/runtime/script"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/tools/python"
	"github.com/toolrun/toolrun/tools/shell"
)

// shellRunner is a runner with JavaScript, the shell, and other languages.
func shellRunner(t *testing.T, more ...code.Language) *toolrun.Runner {
	language := shell.Language
	language.Build = func() (script.Module, error) {
		module, err := buildShell()
		return script.FromBytes(module), err
	}
	options := toolrun.Options{Languages: append([]code.Language{javascript.Language, language}, more...)}
	options.EngineOptions.CacheDir = enginetest.CacheDir()
	runner, err := toolrun.Open(context.Background(), &options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, runner.Close()) })
	return runner
}

// A bashProject is a project of a runner, in which calls are made.
type bashProject struct {
	t       *testing.T
	session *toolrun.Session
	tools   *registry.Registry
	calls   int
}

var shellProjects atomic.Int64

func newBashProject(t *testing.T, runner *toolrun.Runner, selection registry.Selection) *bashProject {
	session, err := runner.Session(t.Context(), fmt.Sprintf("p%d", shellProjects.Add(1)), &toolrun.SessionOptions{
		Select: func(s registry.Selection) registry.Selection {
			selection.Settings = s.Settings
			return selection.WithOption(javascript.Name, code.OptionToolCalls, true).
				WithOption(python.Name, code.OptionToolCalls, true)
		},
	})
	require.NoError(t, err)
	return &bashProject{t: t, session: session}
}

func (p *bashProject) write(files map[string]string) {
	for name, content := range files {
		require.NoError(p.t, p.session.Project().MkdirAll(path.Dir(name), 0o755))
		require.NoError(p.t, afero.WriteFile(p.session.Project(), name, []byte(content), 0o644))
	}
}

func (p *bashProject) call(name, argument, text string) tool.Result {
	return p.callJSON(name, fmt.Sprintf(`{%q: %s}`, argument, quoteJSON(text)))
}

func (p *bashProject) callJSON(name, input string) tool.Result {
	p.calls++
	if p.tools != nil { // without a project
		return p.tools.Dispatch(p.t.Context(), tool.Call{ID: "call", Tool: name, Input: []byte(input)}, registry.Env{})
	}
	results, err := p.session.DispatchAll(p.t.Context(),
		[]tool.Call{{ID: fmt.Sprintf("call-%d", p.calls), Tool: name, Input: []byte(input)}})
	require.NoError(p.t, err)
	return results[0]
}

// bash runs a script, and returns what a model reads.
func (p *bashProject) bash(script string) string { return p.call(shell.Name, "command", script).Text() }

func quoteJSON(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(text) + `"`
}

// bashClaims show that sentences of the description are true: scripts, and what models read of them must match. A
// sentence that only advises has none.
var bashClaims = map[string][][2]string{
	"Runs a script of bash in a sandbox, and returns what it printed, standard output and error in their order, and " +
		"its exit status if that is not 0": {
		{"echo a; echo b >&2; printf c", "^a\nb\nc$"},
		{"echo a; exit 3", `^a\n\[exit status 3\]$`},
		{"printf a; false", `^a\n\[exit status 1\]$`},
	},
	"The working directory, variables, functions and options stay from call to call, until no call has used them for " +
		"30 days; `restart` drops them": {
		{"mkdir d; cd d; x=5; f() { echo f $x; }; set -u; a=(1 2)", "."},
		{`pwd; f; echo $- ${a[1]}`, "^/d\nf 5\nhuBc 2$"},
		{"restart", "."},
		{"pwd; echo [$x]; f", `(?s)^/\n\[\]\n.*f: command not found`},
	},
	"If a call is stopped, they are as they were before it; a status other than 0 does not undo anything": {
		{"x=1; false", `\[exit status 1\]`},
		{"x=2; echo x >/left; while :; do :; done", "time limit"},
		{"echo $x; cat /left", "^1\nx$"},
	},
	"If a call is stopped, they and files are as they were before it; a status other than 0 does not undo anything": {
		{"x=1; echo x >/kept; false", `\[exit status 1\]`},
		{"x=2; echo y >/left; while :; do :; done", "time limit"},
		{"echo $x; cat /kept; ls /left", `(?s)^1\nx\nls: .*No such file`},
	},
	"Each call gets a fresh shell: nothing is kept from one call to the next but files": {
		{"x=1; echo kept >/kept", "."},
		{"echo [$x]; cat /kept", `^\[\]\nkept$`},
	},
	"Each call gets a fresh shell: nothing is kept from one call to the next": {{"x=1", "."}, {"echo [$x]", `^\[\]$`}},
	"The language is that of bash 5.2: arrays, `[[ ]]`, `(( ))`, here-documents, process substitution, " +
		"`set -euo pipefail`, `trap`, extglob and globstar": {
		{"a=(1 2); [[ ab == a* ]] && ((a[0] + 1 == 2)) && cat <<E\n${a[1]}\nE\ncat <(echo 3)", "^2\n3$"},
		{"set -euo pipefail; trap 'echo end' EXIT; false | cat; echo no", `^end\n\[exit status 1\]$`},
		{"shopt -s extglob globstar; [[ aab == +(a)b ]] && mkdir -p x/y && touch x/y/z && echo **/z", "^x/y/z\n"},
	},
	"Background jobs work with `wait`; the call waits for all of them": {
		{"(sleep 0.01; exit 4) & wait $!; echo $?", "^4$"}, {"(sleep 0.01; echo later) & echo now", "^now\nlater$"},
	},
	"The commands are those that Linux has for files and texts, with the options of GNU: ls, cat, cp, mv, rm, find, " +
		"xargs, grep, sed, awk, sort, uniq, cut, tr, head, tail, wc, diff, patch, tar, gzip, zip, sha256sum, base64, " +
		"date, bc, jq, yq and others; `compgen -c` lists them": {
		{"for c in ls cat cp mv rm find xargs grep sed awk sort uniq cut tr head tail wc diff patch tar gzip zip " +
			"sha256sum base64 date bc jq yq; do compgen -c | grep -qx $c || echo no $c; done", "^Note: "},
		{"seq 9 | grep -v 5 | sort -rn | head -2 | paste -sd+ | bc", "^17$"},
	},
	"There is no git, sudo, package manager, compiler, ssh or process of the system": {
		{"git status", `git: command not found\ngit is not in this shell: .*\n\[exit status 127\]$`},
		{"sudo ls; apt install x; gcc x.c; ssh x", "(?s)sudo: command.*apt: command.*gcc: command.*ssh: command"},
	},
	"`toolrun-call NAME JSON` calls the other tools, 100 times in one script at most, and prints what they return: " +
		"memory, javascript, filesystem": {
		{`toolrun-call filesystem '{"command": "view", "path": "/data/sales.csv"}' | grep -o a,b`,
			`^a,b\nTool calls: filesystem 1$`},
		{`for i in {1..101}; do toolrun-call memory '{"command": "view", "path": "/memories"}' >/dev/null; done`,
			`^toolrun-call: memory: Tools can be called 100 times`},
	},
	"`toolrun-call NAME JSON` calls the other tools, 100 times in one script at most, and prints what they return: " +
		"javascript": {{`toolrun-call javascript '{"code": "return 6 * 7"}'`, `^42\nTool calls: javascript 1$`}},
	"`python3`, `node` and `sqlite3` run by the tools python and javascript, if these are among them": {
		{"echo 41 | node -p 'Number(require(`fs`).readFileSync(0, `utf8`)) + 1'", `^42\nTool calls: javascript 1$`},
	},
	"Files are those of the project, at /, which is the working directory of a fresh shell": {
		{"pwd; cat /data/sales.csv data/sales.csv", "^/\na,b\na,b$"},
		{"ls /etc/passwd", "No such file"},
	},
	"Everything under /memories is read-only": {
		{"cat /memories/note.md; rm -rf /memories; echo x >/memories/note.md; cat /memories/note.md",
			"(?s)^remember\n.*Read-only file system\n.*Read-only file system\nremember$"},
	},
	"/tmp is empty when a call begins, and what is there is gone when it ends": {
		{"ls /tmp; echo x >/tmp/x; cat /tmp/x", "^x$"}, {"ls /tmp", "^Note: "},
	},
	"The result says which files were created, changed or deleted": {
		{"echo x >/said", `\nFiles: created /said$`}, {"echo y >>/said", `\nFiles: changed /said$`},
		{"rm /said", `\nFiles: deleted /said$`},
	},
	"Files /lib/*.sh are read first": {{"greet", "^hello from a, b$"}},
	"There are no files but those in /tmp, which are gone when a call ends": {
		{"ls /; echo x >/x", "Read-only|not permitted"}, {"echo x >/tmp/x; cat /tmp/x", "^x$"},
	},
	"A script is stopped after 60 seconds, or after `timeout` if that is less, and when it uses more than 64 MiB of " +
		"memory, of which the shell takes 10": {
		{"while :; do :; done", "^time limit exceeded: the script was stopped after 500ms"},
		{"echo a; x=a; while :; do x=$x$x; done", `^a\nmemory limit exceeded: the script may use 64 MiB`},
		{"x=$(head -c 3000000 /dev/zero | tr '\\0' a); echo ${#x}", "^3000000$"},
	},
	"Print what is needed instead of everything, and put large results into a file": nil,
	"Print what is needed instead of everything":                                    nil,
}

var bashSentence = regexp.MustCompile(`\.(?:\s+|$)`)

// TestBashDescription checks each sentence that models are told, with different options.
func TestBashDescription(t *testing.T) {
	runner := shellRunner(t)
	spec, _ := runner.Registry().Spec(shell.Name)
	require.Equal(t, 60.0, spec.Timeout.Seconds())
	used := map[string]bool{}
	for i, options := range []map[string]any{
		{}, {"session": "main"}, {"session": "main", "rollback": true}, {},
	} {
		selection := registry.Selection{Options: map[string]map[string]any{shell.Name: options}, NoProject: i == 3}
		definitions, err := runner.Registry().Definitions(tool.OpenAIChat, selection)
		require.NoError(t, err)
		description := ""
		for _, d := range definitions {
			if d.Name == shell.Name {
				description = d.Description
			}
		}
		for _, sentence := range bashSentence.Split(strings.TrimSpace(description), -1) {
			if sentence == "" || used[sentence] {
				continue
			}
			used[sentence] = true
			t.Run(fmt.Sprint(i, " ", sentence), func(t *testing.T) {
				claims, ok := bashClaims[sentence]
				require.True(t, ok, "nothing shows that this is true: %s", sentence)
				p := newBashProject(t, runner, selection)
				p.write(map[string]string{
					"/data/sales.csv": "a,b\n", "/memories/note.md": "remember\n", "/lib/a.sh": "from=a\n",
					"/lib/b.sh": "greet() { echo hello from $from, b; }\n",
				})
				if selection.NoProject {
					p.tools = runner.Registry()
				}
				for _, claim := range claims {
					input := fmt.Sprintf(`{"command": %s}`, quoteJSON(claim[0]))
					switch {
					case claim[0] == "restart":
						input = `{"restart": true}`
					case strings.Contains(claim[1], "time limit"):
						input = fmt.Sprintf(`{"command": %s, "timeout": 0.5}`, quoteJSON(claim[0]))
					}
					result := p.callJSON(shell.Name, input)
					require.Regexp(t, claim[1], result.Text(), claim[0])
				}
			})
		}
	}
	for sentence := range bashClaims {
		require.Contains(t, used, sentence)
	}
}

// TestBashIsTheProviders gives models their provider's definition where they know it, whose calls are ours.
func TestBashIsTheProviders(t *testing.T) {
	runner := shellRunner(t)
	for _, test := range []struct {
		api              tool.API
		native, with     string // the definition, and how it is had
		calls, want, not string
	}{
		{tool.Anthropic, `{"type":"bash_20250124","name":"bash"}`, shell.OptionNative,
			`{"content": [{"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "x=1; pwd"}},
				{"type": "tool_use", "id": "b", "name": "bash", "input": {"restart": true}}]}`,
			`{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"/"}]}`, "unknown"},
		{tool.AnthropicAgents, `{"type":"bash","name":"bash","enabled":true}`, shell.OptionNative,
			`[{"type": "agent.tool_use", "id": "a", "name": "bash",
				"input": {"command": "echo a; while :; do :; done", "timeout_ms": 500}}]`,
			`{"type":"user.tool_result","tool_use_id":"a","content":[{"type":"text",` +
				`"text":"a\ntime limit exceeded: the script was stopped after 500ms.`, "unknown"},
		{tool.OpenAIResponses, `{"type":"shell","environment":{"type":"local"}}`, "shell",
			`[{"type": "shell_call", "call_id": "a", "action": {"commands": ["cd /tmp", "pwd; printf e >&2; exit 3",
				"echo a; while :; do :; done"], "timeout_ms": 500, "max_output_length": 100}}]`,
			`{"type":"shell_call_output","call_id":"a","max_output_length":100,"output":[` +
				`{"stdout":"","stderr":"","outcome":{"type":"exit","exit_code":0}},` +
				`{"stdout":"/tmp\n","stderr":"e","outcome":{"type":"exit","exit_code":3}},` +
				`{"stdout":"a\n","stderr":"time limit exceeded`, `"exit_code":1`},
		{tool.OpenAIResponses, `{"type":"local_shell"}`, "local_shell",
			`[{"type": "local_shell_call", "call_id": "a", "action": {"type": "exec", "command": ["bash", "-lc",
				"pwd; echo $A '$A' \"it's\""], "env": {"A": "a  b"}, "working_directory": "/tmp", "user": "root"}}]`,
			`{"type":"local_shell_call_output","id":"a","call_id":"a","output":"/tmp\na b $A it's"}`, "unknown"},
	} {
		with := registry.Selection{Session: "main"}
		without := with.WithOption(shell.Name, shell.OptionNative, false)
		if test.with == shell.OptionNative {
			require.NotContains(t, definitionsOf(t, runner, test.api, registry.Selection{}), test.native)
		} else {
			with = with.WithOption(shell.Name, shell.OptionOpenAI, test.with)
		}
		require.Contains(t, definitionsOf(t, runner, test.api, with), test.native)
		require.NotContains(t, definitionsOf(t, runner, test.api, without), test.native)
		p := newBashProject(t, runner, with)
		messages, err := p.session.Do(t.Context(), test.api, []byte(test.calls))
		require.NoError(t, err)
		require.Contains(t, string(messages), test.want)
		require.NotContains(t, string(messages), test.not)
	}
}

func definitionsOf(t *testing.T, runner *toolrun.Runner, api tool.API, selection registry.Selection) string {
	data, err := provider.Definitions(runner.Registry(), api, selection, nil)
	require.NoError(t, err)
	return string(data)
}

// TestBashHints says what to do instead of what models try on computers that they know.
func TestBashHints(t *testing.T) {
	p := newBashProject(t, shellRunner(t), registry.Selection{})
	p.write(map[string]string{"/src/main.go": "package main\n", "/srv/log": "x\n"})
	for script, want := range map[string]string{
		"cd /home/user":                   "there is no /home here: the project's files begin at /",
		"cd /home/user/shop/src":          "use /src instead of /home/user/shop/src.",
		"cat /Users/ann/shop/src/main.go": "use /src/main.go instead of /Users/ann/shop/src/main.go.",
		"ls -l /workspace/none.txt 2>&1":  "there is no /workspace here",
		"wc -l </repo/src/main.go":        "use /src/main.go instead of /repo/src/main.go.",
		"find '/tmp x/src/main.go'":       "use /src/main.go instead of /tmp x/src/main.go.",
		"git commit -m x":                 "compare files with diff, and keep copies with cp",
		"pip install x":                   "import what python3 has",
		"python3 -m pip install x":        "python",
		"npx x":                           "use modules that are in the project's files",
		"apt-get install x":               `use the commands that "compgen -c" lists`,
		"sudo rm x":                       "run the command itself",
		"docker run x":                    "do it with the commands here, or ask the user",
		"gcc x.c":                         "write it for node or python3",
		"nano x":                          "the nearest command here is sed",
	} {
		require.Contains(t, p.bash(script), want, script)
	}
	for _, script := range []string{"cat /srv/none/src", "cat none/src", "cat /etc/passwd", "echo /home/user",
		"cat /none"} {
		require.NotContains(t, p.bash(script), "Note: t", script)
	}
}

// TestBashCommandsAreApproved has a person approve commands when they run, however a script hides them.
func TestBashCommandsAreApproved(t *testing.T) {
	runner := shellRunner(t)
	var asked []string
	decision := registry.Decision{Approved: true}
	open := func(approve registry.Approver) *bashProject {
		session, err := runner.Session(t.Context(), fmt.Sprintf("p%d", shellProjects.Add(1)), &toolrun.SessionOptions{
			Approve: approve, Select: func(s registry.Selection) registry.Selection {
				s.Ask = []string{"bash:rm", "bash:curl"}
				return s
			},
		})
		require.NoError(t, err)
		return &bashProject{t: t, session: session}
	}
	p := open(func(_ context.Context, request registry.ApprovalRequest) (registry.Decision, error) {
		require.Equal(t, "bash:rm", request.Rule)
		require.Equal(t, "bash", request.Callers[len(request.Callers)-1].Tool)
		asked = append(asked, string(request.Call.Input))
		return decision, nil
	})
	require.NotContains(t, p.bash("touch a b c d e f g h; ls >/dev/null; rm a"), "rm:")
	require.Equal(t, []string{`{"args":["a"],"command":"rm"}`}, asked)
	decision, asked = registry.Decision{Reason: "Keep it."}, nil
	for script, arguments := range map[string]string{
		"$(echo rm) b": "b", "f() { rm $1; }; f c": "c", "echo d | xargs rm": "d",
		"find . -name e -exec rm {} +": "./e",
		`\rm f`:                        "f", "command rm f": "f", "/bin/rm f": "f", "eval 'r''m' f": "f",
		"(x=rm; $x g)": "g", "env rm h": "h",
		"bash -c 'rm h'": "h", "timeout 1 rm h": "h", "shopt -s expand_aliases\nalias gone=rm\ngone h": "h",
		"cp /dev/null s; echo 'rm h' >s; . ./s": "h", "coproc rm h; wait": "h", "cat <(rm h)": "h",
		"sudo() { $@; }; sudo rm h": "h",
	} {
		asked = nil
		text := p.bash(script)
		require.Equal(t, []string{fmt.Sprintf(`{"args":[%q],"command":"rm"}`, arguments)}, asked, script)
		require.Contains(t, text, "a person has refused it: Keep it", script)
	}
	require.Equal(t, "b c d e f g h s", p.bash("echo *"))
	asked = nil
	require.NotContains(t, p.bash("rm() { echo mine; }; rm; echo rm"), "refused", "a function is no command")
	require.Empty(t, asked)

	nobody := open(nil)
	require.Contains(t, nobody.bash("echo x >x; rm x; echo $?; cat x"),
		"needs the approval of a person, and there is nobody here who could give it: "+
			"do without it, or ask the user to allow it\n126\nx")
}

// TestBashIsUndone takes back what a script has done to all files.
func TestBashIsUndone(t *testing.T) {
	p := newBashProject(t, shellRunner(t), registry.Selection{})
	p.write(map[string]string{"/a.txt": "a\n", "/dir/b.txt": "b\n", "/dir/deep/c.txt": "c\n"})
	before := p.bash("find / -type f | sort | xargs sha256sum")
	require.NotContains(t, p.bash("rm -rf /dir; echo new >a.txt; mv a.txt z.txt; mkdir -p more; echo x >more/x"), "rm:")
	require.Equal(t, "/more/x\n/z.txt", p.bash("find / -type f | sort"))
	_, err := p.session.Project().Undo(t.Context(), "call-2")
	require.NoError(t, err)
	require.Equal(t, before, p.bash("find / -type f | sort | xargs sha256sum"))
}

// TestBashIsCalledByCode calls the shell from JavaScript, as any other tool.
func TestBashIsCalledByCode(t *testing.T) {
	p := newBashProject(t, shellRunner(t), registry.Selection{})
	result := p.call(javascript.Name, "code", `
		const ok = await tools.bash({command: "echo made > made; seq 3 | paste -sd,"});
		const failed = await tools.bash({command: "exit 4"});
		const made = await fs.readFile('/made', 'utf8');
		return [ok.console[0].text, ok.files.created[0], failed.status, made].join()`)
	require.Equal(t, "1,2,3,/made,4,made\n\nTool calls: bash 2", result.Text())
}

// TestBashIsCalledByPython does so from Python.
func TestBashIsCalledByPython(t *testing.T) {
	language := python.Language
	module := pythontest.Module(t)
	language.Build = func() (script.Module, error) { return module, nil }
	p := newBashProject(t, shellRunner(t, language), registry.Selection{})
	result := p.call(python.Name, "code", `
ok = tools.bash(command="echo made > made; seq 3 | paste -sd,")
failed = tools.bash(command="exit 4")
[ok["console"][0]["text"], ok["files"]["created"][0], failed["status"], open("/made").read()]`)
	require.Equal(t, "['1,2,3', '/made', 4, 'made\\n']\nTool calls: bash 2", result.Text())
}

// TestBashIsSeenLive gets what scripts print while they run.
func TestBashIsSeenLive(t *testing.T) {
	runner := shellRunner(t)
	var mu sync.Mutex
	var seen []string
	session, err := runner.Session(t.Context(), "p", &toolrun.SessionOptions{Progress: func(p tool.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if p.Console != nil {
			seen = append(seen, p.Console.Level+" "+p.Console.Text)
		}
	}})
	require.NoError(t, err)
	_, err = session.DispatchAll(t.Context(), []tool.Call{{
		ID: "c", Tool: shell.Name, Input: []byte(`{"command": "echo one; echo two >&2; echo three"}`),
	}})
	require.NoError(t, err)
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, []string{"LOG one", "ERROR two", "LOG three"}, seen)
}

// TestBashSessions keeps a shell in another process's way: its state is sealed and opened.
func TestBashSessions(t *testing.T) {
	p := newBashProject(t, shellRunner(t), registry.Selection{Session: "main"})
	require.Equal(t, "bye", p.bash(`declare -A m=([k]=v); shopt -s nullglob; alias ll='ls -l'; trap 'echo bye' EXIT`))
	require.Equal(t, "v\nnullglob\nalias ll='ls -l'",
		p.bash(`echo ${m[k]}; shopt -q nullglob && echo nullglob; alias ll`))
	require.Equal(t, "1 2\nFiles: created /file", p.bash(`exec 5>/file; echo 1 >&5; x=$(cat /file); echo $x 2`))
	require.Contains(t, p.bash(`echo $x; echo 3 >&5`), "1\n")
	require.NotEqual(t, p.bash(`echo $RANDOM $RANDOM $RANDOM`), p.bash(`echo $RANDOM $RANDOM $RANDOM`))
	require.Equal(t, "new", strings.TrimSpace(p.callJSON(shell.Name,
		`{"command": "echo ${m[k]}new", "restart": true}`).Text()))
	require.Equal(t, "[]", p.bash(`echo [${m[k]}]`))
}
