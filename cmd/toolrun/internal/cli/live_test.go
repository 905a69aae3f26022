package cli_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tools/javascript"
)

// untilThere is code that waits for a file, so that a test knows what has happened before.
const untilThere = `while (!await fs.exists('go')) await new Promise((r) => setTimeout(r, 5));`

// startPiped starts a command in a new directory, and returns it with its output.
func startPiped(t *testing.T, args ...string) (p *piped) {
	cmd := command(args...)
	cmd.Dir = t.TempDir()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	errs, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return &piped{t, cmd.Dir, cmd.Process, cmd.Wait, bufio.NewReader(out), bufio.NewReader(errs)}
}

type piped struct {
	t         *testing.T
	dir       string
	process   *os.Process
	wait      func() error
	out, errs *bufio.Reader
}

// line returns the next line of a stream.
func (p *piped) line(from *bufio.Reader) string {
	line, err := from.ReadString('\n')
	require.NoError(p.t, err)
	return line
}

// rest returns what else there is of the output, once the command has ended.
func (p *piped) rest() string {
	rest, err := io.ReadAll(p.out)
	require.NoError(p.t, err)
	_ = p.wait()
	return string(rest)
}

// TestOutputAppearsWhenItIsWritten reads what a script prints while the script waits for that.
func TestOutputAppearsWhenItIsWritten(t *testing.T) {
	t.Parallel()
	p := startPiped(t, "js", "--root", ".", "-e", `
		console.log('one\n  two');
		console.warn('careful');
		process.stdout.write('half ');
		`+untilThere+`
		process.stdout.write('a line\n');
		return 'done'`)
	require.Equal(t, "one\n", p.line(p.out))
	require.Equal(t, "  two\n", p.line(p.out))
	require.Equal(t, "careful\n", p.line(p.errs))
	half := make([]byte, len("half "))
	_, err := io.ReadFull(p.out, half)
	require.NoError(t, err)
	require.Equal(t, "half ", string(half))
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "go"), nil, 0o600))
	require.Equal(t, "a line\ndone\n", p.rest())
}

// TestLinesThatAreNotEnded has code that writes no newline, or continues a line by other means.
func TestLinesThatAreNotEnded(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		code, out, errs string
		status          int
	}{
		"pieces": {`for (let i = 0; i < 1e4; i++) process.stdout.write('.'.repeat(i % 3))`,
			strings.Repeat(".", 9999), "", 0},
		"a result":     {`process.stdout.write('a'); return 'b'`, "a\nb\n", "", 0},
		"an exception": {`process.stdout.write('a'); process.stderr.write('b'); throw 'c'`, "a", "b\nc\n", 1},
		"an exit": {`process.stdout.write('a'); console.log('b'); process.stderr.write('c'); process.exit(3)`,
			"ab\n", "c", 3},
		"entries in between": {`process.stdout.write('a'); console.warn('b'); process.stdout.write('c\n\nd')`,
			"ac\n\nd", "b\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := command("js", "-e", test.code)
			var out, errs strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &errs
			_ = cmd.Run()
			require.Equal(t, test.errs, errs.String())
			require.Equal(t, test.out, out.String())
			require.Equal(t, test.status, cmd.ProcessState.ExitCode())
		})
	}
}

// TestAnInterruptedResultIsPrintedAsJSON: one document, with what the code had printed.
func TestAnInterruptedResultIsPrintedAsJSON(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent an interrupt")
	}
	t.Parallel()
	p := startPiped(t, "js", "--root", ".", "--json", "-e",
		`console.log('printed'); process.stdout.write('half'); fs.writeFileSync('started', ''); for (;;);`)
	require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(p.dir, "started")); return err == nil },
		time.Minute, 10*time.Millisecond)
	require.NoError(t, p.process.Signal(os.Interrupt))
	var result struct {
		Data javascript.Output `json:"data"`
	}
	require.NoError(t, json.Unmarshal([]byte(p.rest()), &result))
	require.Equal(t, []sandbox.Entry{{Text: "printed"}, {Text: "half", Unfinished: true}}, result.Data.Console)
	require.Equal(t, "stopped", result.Data.Error.Kind)
}
