//go:build systemtest && suites

package guests

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/command"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

var (
	shellSuites = os.Getenv("TOOLRUN_SHELL_SUITES")
	onlyShell   = flag.String("shellsuites.only", "", "run the scripts whose names match, and print how they differ")
)

// A scriptCase is a script of a suite, and the files that it finds.
type scriptCase struct {
	name, script string
	files        map[string]string // by their paths in the working directory
}

// An outcome is what a script has done. Files has what is in the working directory then.
type outcome struct {
	Stdout string            `json:"stdout"`
	Status int               `json:"status"`
	Files  map[string]string `json:"files"`
}

// scriptSuites are the suites, and the share of each, in percent, that must be as bash does it.
var scriptSuites = []struct {
	name  string
	cases func(t *testing.T) []scriptCase
	goal  float64
}{
	{"just-bash", justBashCases, 95},
	{"nl2bash", nl2bashCases, 97},
	{"oils", oilsCases, 85},
	{"bashkit", bashkitCases, 95},
}

// homeDir is the working directory of all scripts.
const homeDir = "/home/user"

var scriptEnvironment = map[string]string{"PATH": "/home/spec/bin:/usr/bin:/bin", "HOME": homeDir, "LC_ALL": "C.UTF-8",
	"TZ": "UTC", "SH": "bash", "TMP": "/tmp", "USER": "user"}

// scriptHelpers are programs that the scripts of Oils call. They do not print what Oils' own do, but tell apart what
// those tell apart.
var scriptHelpers = map[string]string{
	"argv.py":          "#!/bin/bash\nfor word; do printf '[%s]' \"$word\"; done\necho\n",
	"printenv.py":      "#!/bin/bash\nfor name; do printenv \"$name\" || echo None; done\n",
	"stdout_stderr.py": "#!/bin/bash\necho \"${1-STDOUT}\"\necho \"${2-STDERR}\" >&2\nexit \"${3-0}\"\n",
}

//go:embed testdata/shellsuites/differences.txt
var scriptDifferences string

// TestShellSuites runs the scripts of other projects' suites in bash with the commands of this machine, in the shell in
// the sandbox, and in just-bash, and compares standard output, exit status and files. What differs is listed in
// testdata/shellsuites/differences.txt: no more and no less, but for what that says is left out, because it measures
// the machine. .ci/shell fetches the suites.
func TestShellSuites(t *testing.T) {
	if shellSuites == "" {
		t.Skip("TOOLRUN_SHELL_SUITES does not name the folder of the suites")
	}
	known, leftOut := knownDifferences(t)
	only := regexp.MustCompile(*onlyShell)
	sandboxed := newSandboxedShell(t)
	others := make(chan *justBash, runtime.NumCPU())
	for range cap(others) {
		others <- &justBash{t: t}
	}
	var table strings.Builder
	for _, suite := range scriptSuites {
		var mutex sync.Mutex
		total, ours, theirs, differ := 0, 0, 0, []string{}
		work := make(chan scriptCase)
		var group sync.WaitGroup
		for range cap(others) {
			group.Go(func() {
				other := <-others
				defer func() { others <- other }()
				for c := range work {
					want, ok := inBash(t, c)
					if !ok {
						continue
					}
					got, gotThere := sandboxed.run(t, c), other.run(c)
					right, otherRight := same(c, want, got), same(c, want, gotThere)
					if !right || !otherRight { // perhaps because bash does not do the same each time
						again, ok := inBash(t, c)
						if !ok || !same(c, want, again) {
							continue
						}
					}
					mutex.Lock()
					total++
					if right {
						ours++
					} else {
						differ = append(differ, c.name)
					}
					if otherRight {
						theirs++
					}
					if *onlyShell != "" && !right {
						fmt.Printf("=== %s\n%s\n%s\n", c.name, c.script, difference(want, got))
					}
					mutex.Unlock()
				}
			})
		}
		left, names := 0, map[string]bool{}
		for _, c := range suite.cases(t) {
			names[c.name] = true
			if leftOut[c.name] {
				left++
			} else if only.MatchString(c.name) {
				work <- c
			}
		}
		close(work)
		group.Wait()
		if total == 0 {
			continue
		}
		share := func(n int) float64 { return 100 * float64(n) / float64(total) }
		fmt.Fprintf(&table, "| %s | %d | %d | %.1f %% | %.1f %% |\n", suite.name, total, left, share(ours),
			share(theirs))
		if *onlyShell != "" {
			continue
		}
		slices.Sort(differ)
		ofSuite := func(list map[string]bool) []string {
			return slices.DeleteFunc(slices.Sorted(maps.Keys(list)), func(name string) bool {
				return !strings.HasPrefix(name, suite.name+"/")
			})
		}
		for _, name := range ofSuite(leftOut) {
			if !names[name] {
				t.Errorf("%s is left out, but there is no such script", name)
			}
		}
		expected := ofSuite(known)
		for _, name := range differ {
			if !known[name] {
				t.Errorf("%s differs", name)
			}
		}
		for _, name := range expected {
			if !slices.Contains(differ, name) {
				t.Errorf("%s does not differ", name)
			}
		}
		if share(ours) < suite.goal {
			t.Errorf("%s: %.1f %% are as in bash, not %.0f %%", suite.name, share(ours), suite.goal)
		}
		if ours <= theirs {
			t.Errorf("%s: %d are as in bash, and %d in just-bash", suite.name, ours, theirs)
		}
	}
	fmt.Printf("| suite | scripts | left out | toolrun | just-bash |\n|---|---|---|---|---|\n%s", &table)
}

// knownDifferences reads differences.txt: names of cases, in paragraphs, each after lines "# reason". Reasons of what
// is left out begin with "# Left out: ".
func knownDifferences(t *testing.T) (known, leftOut map[string]bool) {
	known, leftOut = map[string]bool{}, map[string]bool{}
	for paragraph := range strings.SplitSeq(scriptDifferences, "\n\n") {
		list := known
		if strings.HasPrefix(paragraph, "# Left out: ") {
			list = leftOut
		}
		require.True(t, strings.HasPrefix(paragraph, "# "), "there is no reason for %s", paragraph)
		for line := range strings.Lines(paragraph) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				require.False(t, known[line] || leftOut[line], "%s is there twice", line)
				list[line] = true
			}
		}
	}
	return known, leftOut
}

// noOrder matches scripts whose output has no documented order: that of directories, or of associative arrays.
var noOrder = regexp.MustCompile(`\b(find|du|tar|rg|(declare|local|typeset) -\w*A)\b|\bls\b.* -\w*[fU]|` +
	`\bgrep\b.* -\w*[rR]|--recursive|\bawk\b(?s:.*)\bin\b`)

// same tells whether a script has done the same.
func same(c scriptCase, a, b outcome) bool {
	equal := func(a, b string) bool { return a == b }
	if noOrder.MatchString(c.script) || inBackground.MatchString(c.script) {
		equal = func(a, b string) bool { return a == b || slices.Equal(sortedWords(a), sortedWords(b)) }
	}
	return a.Status == b.Status && equal(a.Stdout, b.Stdout) && maps.EqualFunc(a.Files, b.Files, equal)
}

func sortedWords(s string) []string {
	words := strings.FieldsFunc(strings.TrimPrefix(s, "="), func(r rune) bool { return r <= ' ' })
	slices.Sort(words)
	return words
}

// difference shows how what a script does differs.
func difference(want, got outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- bash, status %d\n%s\n", want.Status, want.Stdout)
	fmt.Fprintf(&b, "+++ here, status %d\n%s\n", got.Status, got.Stdout)
	for _, name := range slices.Sorted(maps.Keys(want.Files)) {
		if text, ok := got.Files[name]; !ok || text != want.Files[name] {
			fmt.Fprintf(&b, "file %s: %q, here %q\n", name, want.Files[name], text)
		}
	}
	for name := range got.Files {
		if _, ok := want.Files[name]; !ok {
			fmt.Fprintf(&b, "file %s here\n", name)
		}
	}
	return b.String()
}

var scriptTime = time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)

// missingCommand matches what bash says of commands that this machine does not have.
var missingCommand = regexp.MustCompile(`(?m)^\S+: (line \d+: )?([a-z][\w.-]*): command not found$`)

// inBackground matches scripts that may begin what bash does not wait for.
var inBackground = regexp.MustCompile(`(^|[^&>|<])&([^&>\d-]|$)|>\(|\bcoproc\b`)

// inBash runs a script in bash, with nothing but the commands of this machine, /tmp and the working directory. It
// returns false if the script does not end, or uses commands which the machine does not have, but the shell does.
func inBash(t *testing.T, c scriptCase) (outcome, bool) {
	home := t.TempDir() // which is removed at the end, too
	defer os.RemoveAll(home)
	files := startFiles(c)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file, mode := filepath.Join(home, strings.TrimPrefix(name, "/home/")), fs.FileMode(0o644)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		if strings.HasPrefix(files[name], "#!") {
			mode = 0o755
		}
		require.NoError(t, os.WriteFile(file, []byte(files[name]), mode))
	}
	dir := filepath.Join(home, "user")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, filepath.WalkDir(home, func(name string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(name, scriptTime, scriptTime))
	}))
	passwd := filepath.Join(home, "spec", "passwd")
	users := "root:x:0:0::/root:/bin/bash\nuser:x:1000:1000::/home/user:/bin/bash\n"
	require.NoError(t, os.WriteFile(passwd, []byte(users), 0o644))
	group := filepath.Join(home, "spec", "group")
	require.NoError(t, os.WriteFile(group, []byte("root:x:0:\nuser:x:1000:\n"), 0o644))
	args := []string{"--ro-bind", "/usr", "/usr", "--tmpfs", "/usr/local", "--symlink", "usr/bin", "/bin",
		"--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
		"--ro-bind", "/etc/alternatives", "/etc/alternatives",
		"--ro-bind", passwd, "/etc/passwd", "--ro-bind", group, "/etc/group", "--proc", "/proc", "--dev", "/dev",
		"--tmpfs", "/tmp", "--bind", home, "/home", "--chdir", homeDir, "--unshare-all", "--die-with-parent",
		"--uid", "1000", "--gid", "1000", "--hostname", "toolrun", "--clearenv"}
	for _, name := range slices.Sorted(maps.Keys(scriptEnvironment)) {
		args = append(args, "--setenv", name, scriptEnvironment[name])
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if inBackground.MatchString(c.script) {
		// What bash does not wait for ends, too, as in the sandbox.
		args = append(args, "sh", "-c", `"$@"; status=$?; sleep 0.2; exit $status`, "sh")
	}
	cmd := exec.CommandContext(ctx, "bwrap", append(args, "bash", "-c", c.script, "bash")...)
	cmd.WaitDelay = time.Second
	stdout, stderr := &limitedBuffer{left: 1 << 20}, &limitedBuffer{left: 1 << 20}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || !exit.Exited()) || ctx.Err() != nil ||
		stdout.left == 0 {
		return outcome{}, false
	}
	for _, match := range missingCommand.FindAllStringSubmatch(stderr.kept.String()+stdout.kept.String(), -1) {
		if name := match[2]; shellCommands()[name] || strings.HasSuffix(name, ".py") {
			return outcome{}, false
		}
	}
	return outcome{Stdout: validText(stdout.kept.Bytes()), Status: cmd.ProcessState.ExitCode(),
		Files: filesOf(t, afero.NewBasePathFs(afero.NewOsFs(), dir), "/")}, true
}

// archive matches names of archives, which differ in times and in how they are compressed.
var archive = regexp.MustCompile(`\.(tar|tgz|gz|bz2|xz|zst|zip)$`)

// fileContent is what is compared of a file.
func fileContent(name string, data []byte) string {
	if archive.MatchString(name) {
		return "an archive"
	}
	return "=" + validText(data)
}

// limitedBuffer keeps the beginning of what is written.
type limitedBuffer struct {
	kept bytes.Buffer
	left int
}

func (b *limitedBuffer) Write(data []byte) (int, error) {
	n, _ := b.kept.Write(data[:min(len(data), b.left)])
	b.left -= n
	return len(data), nil
}

// validText is output as text, in which one mark is for all bytes in a row that are no text.
func validText(data []byte) string {
	return noText.ReplaceAllLiteralString(strings.ToValidUTF8(string(data), "\uFFFD"), "\uFFFD")
}

var noText = regexp.MustCompile("\uFFFD+")

// startFiles are the files that a script finds, by their paths.
func startFiles(c scriptCase) map[string]string {
	files := map[string]string{}
	for name, content := range scriptHelpers {
		files["/home/spec/bin/"+name] = content
	}
	for name, content := range c.files {
		files[path.Join(homeDir, name)] = content
	}
	return files
}

// filesOf returns what is in a directory.
func filesOf(t *testing.T, files afero.Fs, dir string) map[string]string {
	found := map[string]string{}
	require.NoError(t, afero.Walk(files, dir, func(name string, info fs.FileInfo, err error) error {
		if err != nil || name == dir {
			return nil // what a script has made unreadable
		}
		content := "a directory"
		if info.Mode().IsRegular() {
			data, _ := afero.ReadFile(files, name)
			content = fileContent(name, data)
		} else if !info.IsDir() {
			content = "a link"
		}
		found[strings.TrimPrefix(strings.TrimPrefix(name, dir), "/")] = content
		return nil
	}))
	return found
}

// sandboxedShell is the shell as its users have it, on a project.
type sandboxedShell struct {
	command *command.Command
	store   vfs.Store
	count   chan int
}

func newSandboxedShell(t *testing.T) *sandboxedShell {
	store := local.NewMemoryStore(&vfs.Options{})
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	s := &sandboxedShell{loadShell(t), store, make(chan int, 1)}
	s.count <- 0
	return s
}

func (s *sandboxedShell) run(t *testing.T, c scriptCase) outcome {
	n := <-s.count
	s.count <- n + 1
	name := fmt.Sprintf("p%d", n)
	project, err := s.store.Open(t.Context(), name)
	require.NoError(t, err)
	defer func() { require.NoError(t, errors.Join(project.Close(), s.store.Delete(t.Context(), name))) }()
	files := startFiles(c)
	files["/home/spec/lib/start.sh"] = "cd " + homeDir + "\nunset OLDPWD\nexport OLDPWD\n"
	require.NoError(t, project.MkdirAll(homeDir, 0o755))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		require.NoError(t, project.MkdirAll(path.Dir(name), 0o755))
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(files[name], "#!") {
			mode = 0o755
		}
		require.NoError(t, afero.WriteFile(project, name, []byte(files[name]), mode))
	}
	require.NoError(t, afero.Walk(project, "/home", func(name string, _ fs.FileInfo, err error) error {
		return errors.Join(err, project.Chtimes(name, scriptTime, scriptTime))
	}))
	env := []string{}
	for name, value := range scriptEnvironment {
		env = append(env, name+"="+value)
	}
	input, err := json.Marshal(map[string]any{"command": c.script, "separate": true, "env": env,
		"libraries": []string{"/home/spec/lib"}})
	require.NoError(t, err)
	result, err := s.command.RunWith(t.Context(), sandbox.RunOptions{Stdin: input, Files: project.WithCall("call"),
		Limits: sandbox.Limits{Time: 10 * time.Second, Output: 8 << 20}}, command.Host{})
	got := outcome{Files: filesOf(t, project, homeDir)}
	if result != nil {
		got.Stdout = validText(result.Output)
	}
	if exit, ok := errors.AsType[*sandbox.ExitError](err); ok {
		got.Status = exit.Code
	} else if err != nil {
		got.Status, got.Stdout = -1, got.Stdout+err.Error()
	}
	return got
}

// shellCommands are the commands that the shell has.
var shellCommands = sync.OnceValue(func() map[string]bool {
	list := exec.Command("go", "run", ".", "-c", "compgen -c")
	list.Dir = shellDir
	out, err := list.Output()
	if err != nil {
		panic(err)
	}
	commands := map[string]bool{}
	for _, name := range strings.Fields(string(out)) {
		commands[name] = true
	}
	return commands
})

// justBash is a process of Node that runs scripts in just-bash.
type justBash struct {
	t       *testing.T
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func (j *justBash) run(c scriptCase) outcome {
	if j.process == nil {
		j.process = exec.CommandContext(j.t.Context(), "node", "testdata/shellsuites/justbash.mjs",
			filepath.Join(shellSuites, "node_modules/just-bash/dist/bundle/index.js"))
		j.process.Stderr = os.Stderr
		var err error
		j.in, err = j.process.StdinPipe()
		require.NoError(j.t, err)
		out, err := j.process.StdoutPipe()
		require.NoError(j.t, err)
		j.out = bufio.NewReader(out)
		require.NoError(j.t, j.process.Start())
		process := j.process
		j.t.Cleanup(func() { _ = process.Process.Kill(); _ = process.Wait() })
	}
	line, err := json.Marshal(map[string]any{"script": c.script, "files": startFiles(c), "dir": homeDir,
		"env": scriptEnvironment})
	require.NoError(j.t, err)
	process := j.process
	stop := time.AfterFunc(10*time.Second, func() { _ = process.Process.Kill() })
	defer stop.Stop()
	var got outcome
	if _, err = j.in.Write(append(line, '\n')); err == nil {
		if line, err = j.out.ReadBytes('\n'); err == nil {
			require.NoError(j.t, json.Unmarshal(line, &got))
			got.Stdout = validText([]byte(got.Stdout))
			for name, content := range got.Files {
				if data, ok := strings.CutPrefix(content, "="); ok {
					got.Files[name] = fileContent(name, []byte(data))
				}
			}
			return got
		}
	}
	j.process = nil // it has not come to an end
	return outcome{Status: -1}
}

// suiteFiles are the files of a suite, sorted: none if it could not be fetched.
func suiteFiles(t *testing.T, pattern string) []string {
	files, err := filepath.Glob(filepath.Join(shellSuites, pattern))
	require.NoError(t, err)
	if len(files) == 0 {
		fmt.Printf("!! %s IS NOT THERE: its scripts are left out\n", pattern)
	}
	return files
}

// justBashCases are those that just-bash compares with bash.
func justBashCases(t *testing.T) (cases []scriptCase) {
	const fixtures = "vercel-labs/just-bash/packages/just-bash/src/comparison-tests/fixtures/*.json"
	for _, file := range suiteFiles(t, fixtures) {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var scripts map[string]struct {
			Command string            `json:"command"`
			Files   map[string]string `json:"files"`
		}
		require.NoError(t, json.Unmarshal(data, &scripts))
		suite, _, _ := strings.Cut(filepath.Base(file), ".comparison")
		for _, id := range slices.Sorted(maps.Keys(scripts)) {
			cases = append(cases, scriptCase{"just-bash/" + suite + "/" + id, scripts[id].Command, scripts[id].Files})
		}
	}
	return cases
}

// oilsProcesses matches files of Oils that are about processes or a prompt, and oilsProcess scripts that are.
var (
	oilsProcesses = regexp.MustCompile(`^(background|builtin-(bind|completion|fc|history|kill|process|times)|` +
		`interactive|prompt|ysh|hay)`)
	oilsProcess = regexp.MustCompile(`python|/proc/|\b(ps|kill|strace|sleep|jobs|wait|mkfifo|ulimit|tty|osh|ysh)\b|` +
		`\$\$|\$!|(fd_table|read_from_fd)\.py|\$SH (.* )?(-\w*i|--rcfile)\b|\$REPO_ROOT|_tmp/|spec/`)
	oilsShells = regexp.MustCompile(`(?m)^## compare_shells:.*\bbash\b`)
)

// oilsCases are those of Oils that test bash and need no processes.
func oilsCases(t *testing.T) (cases []scriptCase) {
	for _, file := range suiteFiles(t, "oils-for-unix/oils/spec/*.test.sh") {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		suite := strings.TrimSuffix(filepath.Base(file), ".test.sh")
		if oilsProcesses.MatchString(suite) || !oilsShells.Match(data) {
			continue
		}
		for i, section := range strings.Split("\n"+string(data), "\n#### ")[1:] {
			_, script, _ := strings.Cut(section, "\n")
			script, rest, _ := strings.Cut("\n"+script, "\n## ")
			if code, ok := strings.CutPrefix(rest, "code: "); ok {
				script, _, _ = strings.Cut(code, "\n")
			}
			script = strings.TrimPrefix(script, "\n") + "\n"
			if !oilsProcess.MatchString(script) {
				cases = append(cases, scriptCase{fmt.Sprintf("oils/%s/%d", suite, i+1), script, nil})
			}
		}
	}
	return cases
}

// bashkitCases are those of bashkit, but those of its commands that are other programs elsewhere.
func bashkitCases(t *testing.T) (cases []scriptCase) {
	for _, kind := range []string{"awk", "bash", "grep", "jq", "sed"} {
		for _, file := range suiteFiles(t, "everruns/bashkit/crates/bashkit/tests/spec_cases/"+kind+"/*.test.sh") {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			suite := kind + "-" + strings.TrimSuffix(filepath.Base(file), ".test.sh")
			var name, script string
			for line := range strings.Lines("\n" + string(data)) {
				directive, ok := strings.CutPrefix(line, "### ")
				switch directive, _, _ = strings.Cut(strings.TrimSpace(directive), ":"); {
				case !ok:
					script += line
				case directive == "expect":
					if name != "" {
						cases = append(cases, scriptCase{"bashkit/" + suite + "/" + name, script, nil})
					}
					name = ""
				case strings.Contains(" end skip bash_diff exit_code paused_time ", " "+directive+" "):
				case name == "":
					name, script = directive, ""
				}
			}
		}
	}
	return cases
}

var (
	shellQuoted  = regexp.MustCompile(`\\[;{}]|'[^']*'|"(?:\\.|[^"\\])*"`)
	shellWords   = regexp.MustCompile(`\b(?:do|done|then|else|elif|fi|while|until|if)\b`)
	commandWords = regexp.MustCompile("(?:^|[|;&(`])\\s*([^\\s|;&()`]*)")
	innerWords   = regexp.MustCompile(`(?:-exec(?:dir)?|-ok(?:dir)?|\bxargs(?:\s+-(?:[LnIPds]\s+\S+|\S+)|\s+\{\})*|` +
		`\b(?:sudo|time|exec|command|nice)\b)\s+([^\s|;&()` + "`" + `]*)`)
	fileWords = regexp.MustCompile(`(^|[\s"'<])([\w-]*[A-Za-z][\w-]*\.(txt|log|csv|c|h|java|py|sh|html|xml|json|php|` +
		`conf|dat|in|out|tsv|md)|(file|input|output|infile|data|log|list|foo|bar|test|a|b)\d*)\b`)
	// ofTheMachine matches scripts that ask for what is of the machine, or name its files.
	ofTheMachine = regexp.MustCompile(`\$\{?\w+\}?"?/|` +
		`(^|[\s"'=<>:])(~|\.\./|\$HOME|/(usr|etc|home|var|proc|opt|mnt|root|bin|sbin|` +
		`sys|boot|media|path|dev/[^n]|lib|data|tmp|[a-z]+\s|\s|$))|\b(df|hostname|uname|nproc|uptime|who|whoami|id|` +
		`ps|kill|jobs|history|tty|stty|date|cal|shuf|RANDOM|mktemp|sudo|top|free|env|printenv|python3?|node|curl|` +
		`which|du|wget|sqlite3|ping|ssh|make|sleep|yes)\b|` +
		`\s-(ls|links|inum|size|cmin|ctime|amin|atime)\b|%[sibkDAC]`)
)

// nl2bashCases are 1 000 pipelines whose commands the shell has, chosen by chance, the same each time. The files that
// they name are there.
func nl2bashCases(t *testing.T) (cases []scriptCase) {
	files := suiteFiles(t, "TellinaTool/nl2bash/data/bash/all.cm")
	if len(files) == 0 {
		return nil
	}
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	seen := map[string]bool{}
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		bare := shellWords.ReplaceAllString(shellQuoted.ReplaceAllString(line, "Q"), ";")
		if line == "" || seen[line] || !strings.Contains(line, " ") || ofTheMachine.MatchString(line) {
			continue
		}
		seen[line] = true
		known := true
		words := slices.Concat(commandWords.FindAllStringSubmatch(bare, -1), innerWords.FindAllStringSubmatch(bare, -1))
		for _, match := range words {
			known = known && (match[1] == "" || match[1] == "for" || shellCommands()[match[1]])
		}
		if !known {
			continue
		}
		files := map[string]string{"src/main.c": "int main(void) {\n\treturn 0;\n}\n", "src/main.h": "#define N 1\n",
			"docs/Read me.txt": "foo\nbar foo\n\nTODO: more\n", "logs/old/app.log": "error: 1\nwarning 2\n",
			"image.jpg": "\x00\x01\x02", "empty": ""}
		for _, match := range fileWords.FindAllStringSubmatch(line, -1) {
			if !strings.HasPrefix(match[2], "-") {
				files[match[2]] = sampleText
			}
		}
		cases = append(cases, scriptCase{fmt.Sprintf("nl2bash/%d", i+1), line, files})
	}
	require.Greater(t, len(cases), 1000)
	slices.SortFunc(cases, func(a, b scriptCase) int { return cmp.Compare(chance(a.script), chance(b.script)) })
	return cases[:1000]
}

// chance is a number of a text that tells nothing of it, so that few other scripts are chosen when the shell has a
// command more.
func chance(s string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, s)
	return h.Sum64()
}

const sampleText = "foo bar 12\nalpha beta 7\nfoo,x,3\n\n  indented line\nbar:foo:9\nalpha beta 7\n" +
	"ERROR test 192.168.0.1\n2024-05-06 end\tTab\n"
