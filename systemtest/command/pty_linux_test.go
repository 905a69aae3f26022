//go:build systemtest

package command_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/test/commandtest"
	"github.com/toolrun/toolrun/internal/test/toolruntest"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/toolrun/toolrun/internal/test/ptytest"
	"github.com/toolrun/toolrun/internal/test/pythontest"
)

// A pty is a command on a terminal.
type pty struct {
	t    *testing.T
	keys *os.File
	cmd  *exec.Cmd

	written toolruntest.Log
	from    int           // what has been expected is before it
	ended   chan struct{} // there is no more
}

// ctrl are keys.
const (
	ctrlC, ctrlD = "\x03", "\x04"
	tab, up      = "\t", "\x1b[A"
)

// onTerminal starts a command on a terminal, with what is set in the environment over a plain one.
func onTerminal(t *testing.T, env []string, args ...string) *pty {
	t.Helper()
	return onTerminalIn(t, t.TempDir(), env, args...)
}

func onTerminalIn(t *testing.T, dir string, env []string, args ...string) *pty {
	t.Helper()
	keys, terminal := ptytest.Open(t)
	p := &pty{t: t, keys: keys, cmd: commandtest.Command(args...)}
	p.cmd.Env = append(p.cmd.Env, "TERM=xterm", "NO_COLOR=", "CLICOLOR=", "TOOLRUN_HISTORY=")
	p.cmd.Env = append(p.cmd.Env, env...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = terminal, terminal, terminal
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	p.cmd.Dir = dir
	require.NoError(t, p.cmd.Start())
	require.NoError(t, terminal.Close()) // or it would not end with the command
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	p.ended = make(chan struct{})
	go func() {
		defer close(p.ended)
		defer p.written.Close()
		_, _ = io.Copy(&p.written, keys)
	}()
	return p
}

// all is everything that has been written to the terminal.
func (p *pty) all() string { return p.written.String() }

// expect waits until something is written, after what was expected before, and returns what came with it.
func (p *pty) expect(text string) string {
	p.t.Helper()
	var before string
	p.written.Until(p.t, fmt.Sprintf("%q", text), func(all string) bool {
		rest := all[p.from:]
		at := strings.Index(rest, text)
		if at >= 0 {
			before = rest[:at+len(text)]
		}
		return at >= 0
	})
	p.from += len(before)
	return before
}

func (p *pty) send(keys string) {
	p.t.Helper()
	_, err := p.keys.WriteString(keys)
	require.NoError(p.t, err)
}

// prompt waits for the prompt, at which keys are taken.
func (p *pty) prompt() string {
	p.t.Helper()
	return p.expect("\x1b[?2004h> ")
}

// enter enters a line at the prompt, and returns what is written until the next one.
func (p *pty) enter(line string) string {
	p.t.Helper()
	p.send(line + "\r")
	p.expect("\x1b[?2004l")
	return p.prompt()
}

// exits waits for the end of the command, and returns its exit status.
func (p *pty) exits() int {
	p.t.Helper()
	_ = p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}

// rest returns all that has been written once the command has ended.
func (p *pty) rest() string {
	p.t.Helper()
	<-p.ended
	return p.all()
}

func TestPrompt(t *testing.T) {
	p := onTerminal(t, nil, "repl", "--root", ".")
	require.Contains(t, p.prompt(), "Variables stay until you leave")
	require.Contains(t, p.enter("1 + 1"), "2\r\n")
	require.NotContains(t, p.enter("let x = 1"), "undefined\r\n")
	require.Contains(t, p.enter("typeof x"), "number\r\n")

	// An entry that is not complete goes on.
	p.send("[1, 2].map((n) => {\r")
	p.expect("... ")
	p.send("return n * 7\r")
	p.expect("... ")
	require.Contains(t, p.enter("}).join()"), "7,14\r\n")

	// Ctrl-C gives up what has been typed, and an entry that has begun.
	p.send("'given up'" + ctrlC)
	p.prompt()
	p.send("f(\r")
	p.expect("... ")
	p.send("'more'" + ctrlC)
	p.prompt()
	require.Contains(t, p.enter("'kept'"), "kept\r\n")

	// And it stops what is running.
	p.send("console.log('running'); for (;;) {}\r")
	p.expect("\x1b[?2004l")
	for !strings.Contains(p.all()[p.from:], "interrupted") { // it may not have begun to wait for the interrupt
		p.send(ctrlC)
		time.Sleep(50 * time.Millisecond)
	}
	p.expect("interrupted")
	p.prompt()
	p.send("await new Promise((end) => setTimeout(end, 10)), 'goes ' + 'on'\r") // the last Ctrl-C may have come here
	p.expect("goes on\r\n")
	p.prompt()

	// A paste is text, whatever is in it, and can have several lines.
	p.send("\x1b[200~[1,\r2\x03\x07,\t3].length\x1b[201~")
	require.Contains(t, p.enter(""), "3\r\n")
	p.send("\x1b[200~'\u009b2J\u202e'.length\x1b[201~")
	require.Contains(t, p.enter(""), "4\r\n")
	for _, bad := range []string{"\x07", "\u009b", "\u202e"} {
		require.NotContains(t, p.all(), bad)
	}

	// Keys that mean nothing, or never end.
	p.send("\x1b[" + strings.Repeat("1", 1000) + ctrlC)
	p.prompt()
	p.send("\x1b[200~\x1b[" + strings.Repeat("1", 1000) + "\x1b[201~" + ctrlC)
	p.prompt()
	p.send("\xff\xfe\x00\x1c\xe6\ufffd" + ctrlC)
	p.prompt()
	require.Contains(t, p.enter("6 * '7\x1d\xe6\x97'"), "42\r\n")
	require.Contains(t, p.enter("'日本'.length"), "2\r\n")

	p.send(ctrlD)
	require.Equal(t, 0, p.exits())
}

func TestPromptOfPython(t *testing.T) {
	pythontest.Module(t) // or there is nothing to run
	p := onTerminal(t, []string{pythontest.Variable + "=" + os.Getenv(pythontest.Variable)}, "repl", "--root", ".",
		"--lang", "python")
	require.Contains(t, p.prompt(), ": Python in a sandbox, on the files of ")
	require.Contains(t, p.enter("6 * 7"), "42\r\n")
	require.NotContains(t, p.enter("x = 1"), "None")

	// A block goes on until an empty line.
	p.send("for i in (1, 2):\r")
	p.expect("... ")
	p.send("    print(i * 7)\r")
	p.expect("... ")
	require.Contains(t, p.enter(""), "7\r\n14\r\n")
	p.send("x = (\r")
	p.expect("... ")
	p.send(ctrlC)
	p.prompt()

	for typed, want := range map[string]string{"enumer" + tab: "enumerate", "math.hyp" + tab +
		"(3, 4)": "math.hypot(3, 4)", "str.removepre" + tab: "str.removeprefix"} {
		p.send(typed + ctrlC)
		p.prompt()
		require.Equal(t, want+"^C", shownLast(p.all()[:p.from]), typed)
	}
	p.send("print('be' + 'gun'); sum(iter(int, 1))\r")
	p.expect("begun")
	p.send(ctrlC)
	p.expect("interrupted")
	p.prompt()
	p.send(ctrlD)
	require.Equal(t, 0, p.exits())
}

func TestLeaving(t *testing.T) {
	p := onTerminal(t, nil, "repl", "--root", ".")
	p.prompt()
	require.Contains(t, p.enter("null.x"), "TypeError")
	p.send(ctrlC)
	p.prompt()
	require.NoError(t, p.cmd.Process.Signal(os.Interrupt), "from elsewhere, with nothing to stop")
	require.Contains(t, p.enter("await new Promise((end) => setTimeout(end, 10)), 'done'"), "done\r\n")
	p.send(".exit\r")
	require.Equal(t, 0, p.exits(), "neither an error nor an interrupt before is that of the session")
}

// settings returns the state of the terminal.
func (p *pty) settings() unix.Termios {
	state, err := unix.IoctlGetTermios(int(p.keys.Fd()), unix.TCGETS)
	require.NoError(p.t, err)
	return *state
}

func TestKilledAtThePrompt(t *testing.T) {
	p := onTerminal(t, nil, "repl", "--root", ".")
	before := p.settings()
	require.NotZero(t, before.Lflag&unix.ECHO)
	p.prompt()
	require.Zero(t, p.settings().Lflag&unix.ECHO)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, -1, p.exits())
	require.Equal(t, before, p.settings(), "the shell gets its terminal back as it was")
}

func TestCompletion(t *testing.T) {
	p := onTerminal(t, nil, "repl", "--root", ".")
	p.prompt()
	p.enter("await Promise.all(['notes/a.txt', 'notes/b.txt', 'x/only.md', 'new\u202eline'].map((f) => " +
		"fs.writeFile(f, '')))")
	for range 30 { // names are asked for once, with a time limit, and again if it was exceeded
		p.send("struct" + tab + ctrlC)
		p.prompt()
		if shownLast(p.all()[:p.from]) == "structuredClone^C" {
			break
		}
	}
	for typed, want := range map[string]string{
		".to" + tab:                 ".tool",
		".h" + tab:                  ".help",
		".tool fil" + tab:           ".tool filesystem",
		".call mem" + tab:           ".call memory",
		".files no" + tab:           ".files notes/",
		".files x/" + tab:           ".files x/only.md",
		".files /x/o" + tab:         ".files /x/only.md",
		".files new" + tab + "!":    ".files new!",
		"struct" + tab:              "structuredClone",
		"1 + fs.readFileSy" + tab:   "1 + fs.readFileSync",
		"fs.nothing" + tab + "!":    "fs.nothing!",
		"Math.hy" + tab + "(3, 4)":  "Math.hypot(3, 4)",
		"nothing.fs" + tab + "!":    "nothing.fs!",
		"'x'.constructor" + tab:     "'x'.constructor",
		tab + "5":                   "5",
		".files notes/" + tab + "a": ".files notes/a",
	} {
		p.send(typed + ctrlC)
		require.Contains(t, p.prompt(), "^C", typed)
		require.Equal(t, want+"^C", shownLast(p.all()[:p.from]), typed)
	}
	// What there is, is listed.
	p.send(".files notes/" + tab)
	p.expect("notes/a.txt  notes/b.txt")
}

// movement matches what moves the cursor or clears the rest of the line.
var movement = regexp.MustCompile(`^\x1b\[([0-9]*)([CDK])`)

// shownLast returns what is shown behind the last prompt but one.
func shownLast(written string) string {
	written = written[:strings.LastIndex(written, "\r\n")]
	written = written[strings.LastIndex(written, "\x1b[?2004h> ")+len("\x1b[?2004h> "):]
	if again := strings.LastIndex(written, "\n> "); again >= 0 { // words have been listed
		written = written[again+len("\n> "):]
	}
	var line []rune
	at := 0
	for written != "" {
		if match := movement.FindStringSubmatch(written); match != nil {
			n, err := strconv.Atoi(match[1])
			if err != nil {
				n = 1
			}
			switch match[2] {
			case "C":
				at += n
			case "D":
				at -= n
			case "K":
				line = line[:at]
			}
			written = written[len(match[0]):]
			continue
		}
		r, size := utf8.DecodeRuneInString(written)
		line = append(line[:at], append([]rune{r}, line[min(len(line), at+1):]...)...)
		at++
		written = written[size:]
	}
	return strings.TrimRight(string(line), " ")
}

func TestHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "history")
	env := []string{"TOOLRUN_HISTORY=" + file}
	p := onTerminal(t, env, "repl", "--root", ".")
	p.prompt()
	for _, line := range []string{"'first'", " 'secret'", "'last'", "'last'"} {
		p.enter(line)
	}
	p.send("'given up'" + ctrlC)
	p.prompt()
	p.send(ctrlD)
	require.Equal(t, 0, p.exits())
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "'first'\n'last'\n", string(data))
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	// Another run goes on with it, without what would drive the terminal.
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.WriteFile(file, []byte("'first'\n'\x1b]0;title\x07'\n'\u009b2J'\n'last'\n"), 0o644))
	p = onTerminal(t, env, "repl", "--root", ".")
	p.prompt()
	p.send(up + up)
	require.Contains(t, p.enter(""), "first\r\n")
	require.NotContains(t, p.all(), "title")
	p.send(ctrlD)
	require.Equal(t, 0, p.exits())
	info, err = os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "whoever has made it")

	// It does not grow without end.
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("'a'\n'b'\n", 5000)), 0o600))
	p = onTerminal(t, env, "repl", "--root", ".")
	p.prompt()
	p.send(ctrlD)
	require.Equal(t, 0, p.exits())
	data, err = os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("'a'\n'b'\n", 500), string(data))

	// What cannot be a history is left alone.
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	p = onTerminal(t, []string{"TOOLRUN_HISTORY=" + pipe}, "repl", "--root", ".")
	p.expect("entries are not kept")
	p.prompt()
	require.Contains(t, p.enter("1 + 1"), "2\r\n")
	p.send(ctrlD)
	require.Equal(t, 0, p.exits())
}

// TestOutputAppearsOnATerminal prints while the progress line is there, and after an interrupt.
func TestOutputAppearsOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := onTerminalIn(t, dir, nil, "js", "--root", ".", "-e", `
		console.log('first');
		while (!await fs.exists("go")) await new Promise((r) => setTimeout(r, 5));
		console.error('second\x1b[2J');
		process.stdout.write('third');
		for (;;);`)
	p.expect("first\r\n")
	p.expect("1s") // the progress line
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o600))
	require.Contains(t, p.expect("second\\x1b[2J"), "\r\x1b[K", "the line is removed before anything is printed")
	p.expect("third")
	p.send(ctrlC)
	p.expect("\r\n") // the prompt of a shell is on a line of its own
	<-p.ended
	_ = p.cmd.Wait()
	require.Equal(t, 130, p.cmd.ProcessState.ExitCode())
}
