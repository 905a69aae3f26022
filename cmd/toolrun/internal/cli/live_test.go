package cli_test

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
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
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "go"), nil, 0o600))
	require.Equal(t, "half a line\ndone\n", p.rest())
}

// TestNothingPrintedIsLost stops scripts that have printed something.
func TestNothingPrintedIsLost(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent an interrupt")
	}
	for name, test := range map[string]struct {
		signal os.Signal
		rest   string
	}{
		"by an interrupt": {os.Interrupt, "unfinished\n"},
		"by killing it":   {os.Kill, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startPiped(t, "js", "--root", ".", "-e", `console.log('printed'); process.stdout.write('unfinished'); for (;;);`)
			require.Equal(t, "printed\n", p.line(p.out))
			require.NoError(t, p.process.Signal(test.signal))
			require.Equal(t, test.rest, p.rest())
		})
	}
}
