package cli_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tools/code"
)

// TestOutputAppearsWhenItIsWritten reads what a script prints while the script waits for that.
func TestOutputAppearsWhenItIsWritten(t *testing.T) {
	t.Parallel()
	host := newHost(t)
	stdin, write := io.Pipe()
	host.Stdin = stdin
	s := start(t, host, "js", "-e", `
		console.log('one\n  two');
		console.warn('careful');
		process.stdout.write('half ');
		for await (const go of process.stdin) break;
		process.stdout.write('a line\n');
		return 'done'`)
	s.out.Until(t, "half", func(out string) bool { return out == "one\n  two\nhalf " })
	s.Await(t, "careful")
	require.NoError(t, write.Close())
	require.Zero(t, s.wait())
	require.Equal(t, "one\n  two\nhalf a line\ndone\n", s.out.String())
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
			out, errs, status := run(t, newHost(t), "js", "-e", test.code)
			require.Equal(t, test.errs, errs)
			require.Equal(t, test.out, out)
			require.Equal(t, test.status, status)
		})
	}
}

// TestAnInterruptedResultIsPrintedAsJSON: one document, with what the code had printed.
func TestAnInterruptedResultIsPrintedAsJSON(t *testing.T) {
	t.Parallel()
	m := meet(t)
	s := start(t, newHost(t), "js", "--json", "--allow", m.URL, "-e",
		`console.log('printed'); process.stdout.write('half'); `+m.wait+`; for (;;);`)
	<-m.arrived
	s.stop()
	require.Equal(t, 130, s.wait())
	var result struct {
		Data code.Output `json:"data"`
	}
	require.NoError(t, json.Unmarshal([]byte(s.out.String()), &result))
	require.Equal(t, []sandbox.Entry{{Text: "printed"}, {Text: "half", Unfinished: true}}, result.Data.Console)
	require.Equal(t, "stopped", result.Data.Error.Kind)
}
