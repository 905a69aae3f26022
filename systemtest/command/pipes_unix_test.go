//go:build systemtest && unix

package command_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolrun/toolrun/internal/test/commandtest"

	"github.com/stretchr/testify/require"
)

// shell runs a line of a shell, in which toolrun is the command, and returns the exit status and what was printed
// where that was not closed.
func shell(t *testing.T, dir, line string) (status int, out, stderr string) {
	cmd := commandtest.Shell(t, "sh", "-c", line)
	cmd.Dir = dir
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	require.NoError(t, cmd.Start())
	hangs := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	require.True(t, hangs.Stop(), "it hangs: %s", line)
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

// TestStreamsThatAreClosed runs commands whose streams are not there, or fail.
func TestStreamsThatAreClosed(t *testing.T) {
	t.Parallel()
	const large = `'return "x".repeat(5e6)'`
	const gone = `( trap "" PIPE; while echo; do :; done ) 2>/dev/null` // returns when there is no reader
	full := "/dev/full"
	if _, err := os.Stat(full); err != nil {
		full = ""
	}
	for name, test := range map[string]struct {
		line   string
		status int
		out    string
		stderr string
	}{
		"a reader that goes away": {`{ toolrun js -e ` + large +
			`; echo $? >status; } | head -c 1; cat status`, 0, "x141\n", ""},
		"a reader that has gone": {`{ ` + gone +
			`; toolrun js -e 'return 1'; echo $? >status; } | true; cat status`, 0, "141\n", ""},
		"a reader of files that goes away": {
			`toolrun js --root . -e 'fs.writeFileSync("f", "y".repeat(5e6))' >undefined; ` +
				`{ toolrun files --root . cat f; echo $? >status; } | head -c 1; cat status`,
			0, "y141\n", "",
		},
		"a reader of an archive that goes away": {`{ ` + gone +
			`; toolrun files --root . export --format tar -; echo $? >status; } | true; cat status`, 0, "141\n", ""},
		"a reader of errors that has gone": {`{ ` + gone +
			`; toolrun nonsense; echo $? >status; } 2>&1 | true; cat status`, 0, "141\n", ""},
		"no input": {`toolrun js - <&-; echo $?`, 0, "0\n", ""},
		"no input of arguments": {`toolrun call filesystem - <&-`, 1, "Error:commandisrequired\n",
			""},
		"no output": {`toolrun js -e 'return 1' >&-; echo $?`, 0, "0\n", ""},
		"no output, into files": {
			`toolrun js --root . -e 'fs.writeFileSync("f", "whole"); return "result"' >&-; cat f`, 0, "whole", "",
		},
		"no output of errors": {`toolrun js --nonsense 2>&-; echo $?`, 0, "2\n", ""},
		"no streams at all": {
			`toolrun js --root . -e 'console.log(1); fs.writeFileSync("f", "whole"); ` +
				`return "result"' <&- >&- 2>&-; s=$?; cat f; echo $s`,
			0, "whole0\n", "",
		},
		"no streams at all, and nothing was there": {
			`mkdir new; toolrun files --root new put - /f <&- >&- 2>&-; echo $?; find new -type f -name f | wc -c`,
			0, "0\n6\n", "",
		},
		"an input that cannot be read": {`toolrun js - <.; echo $?`, 0, "2\n",
			"toolrun: read /dev/stdin: is a directory\n"},
		"a line without end": {`toolrun repl </dev/zero; echo $?`, 0, "2\n",
			"toolrun: an entry has at most 1000 lines and 256 KiB: put it into a file, and run that with toolrun js, " +
				"py or sh FILE\n"},
		"code without end": {`toolrun js - </dev/zero; echo $?`, 0, "2\n",
			"toolrun: standard input has more than 64 MiB\n"},
		"a file of code without end": {`toolrun js /dev/zero; echo $?`, 0, "2\n",
			"toolrun: /dev/zero has more than 64 MiB\n"},
		"arguments without end": {`toolrun call javascript - </dev/zero; echo $?`, 0, "2\n",
			"toolrun: standard input has more than 64 MiB\n"},
		"a file without end": {`toolrun files --root . put /dev/zero /f; echo $?`, 0, "2\n",
			"toolrun: /dev/zero has more than 32 MiB\n"},
		"entries on an output that is full": {`printf '1\n2\n' | toolrun repl >` + full, 1, "",
			strings.Repeat("toolrun: write /dev/stdout: no space left on device\n", 2)},
		"a reader of entries that goes away": {
			`{ { echo 1; yes 2 | head -n 1000; } | toolrun repl; echo $? >status; } | head -c 2; cat status`,
			0, "1\n141\n", "",
		},
		"no entries": {`toolrun repl <&-; echo $?`, 0, "0\n", ""},
		"entries that cannot be read": {`toolrun repl <.; echo $?`, 0, "2\n",
			"toolrun: read /dev/stdin: is a directory\n"},
		"an output that is full": {`toolrun js -e 'return 1' >` + full, 2, "",
			"toolrun: write /dev/stdout: no space left on device\n"},
		"a large output that is full": {`toolrun js -e ` + large + ` >` + full, 2, "",
			"toolrun: write /dev/stdout: no space left on device\n"},
		"an output that is full, and another error": {`toolrun js --json -e 'throw 1' >` + full, 2, "",
			"toolrun: write /dev/stdout: no space left on device\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if full == "" && strings.Contains(name, "full") {
				t.Skip("this system has no /dev/full")
			}
			dir := t.TempDir()
			status, out, stderr := shell(t, dir, test.line)
			require.NotContains(t, out+stderr, "goroutine ")
			require.Equal(t, test.out, strings.ReplaceAll(out, " ", ""))
			require.Equal(t, test.stderr, stderr)
			require.Equal(t, test.status, status)
			left, err := filepath.Glob(filepath.Join(dir, ".toolrun", "tmp", "*"))
			require.NoError(t, err)
			for _, file := range left {
				require.Equal(t, ".lock", filepath.Ext(file))
			}
		})
	}
}

// TestAReaderThatPauses lets a command wait until its output is read.
func TestAReaderThatPauses(t *testing.T) {
	t.Parallel()
	cmd := commandtest.Command("js", "-e", `return "x".repeat(7e5)`)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	first := make([]byte, 1000)
	_, err = io.ReadFull(out, first)
	require.NoError(t, err)
	time.Sleep(time.Second)
	require.NoError(t, cmd.Process.Signal(syscall.Signal(0)), "it is waiting")
	rest, err := io.ReadAll(out)
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
	require.True(t, string(first)+string(rest) == strings.Repeat("x", 7e5)+"\n", "it has %d bytes",
		len(first)+len(rest))
}
