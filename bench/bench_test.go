package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/bench/protocol"
)

// TestMain lets the test's own program be that of the engines.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "-serve" {
		main()
	}
	os.Exit(m.Run())
}

// TestQuick does all work that needs Go only, once.
func TestQuick(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Zero(t, run([]string{"-quick", "-node=false"}, &stdout, &stderr), "%s", stderr.String())
	require.NotContains(t, stdout.String(), "failed (")
	for _, want := range []string{
		"\n### A fresh sandbox for `return 1`\n", "\n### Calls at the same time\n", "\n### Memory\n",
		"\n### Programs in JavaScript\n", "\n### The V8 benchmark suite, version 7\n",
	} {
		_, table, ok := strings.Cut(stdout.String(), want)
		require.True(t, ok, want)
		table, _, _ = strings.Cut(table, "\n### ")
		for _, name := range []string{"toolrun", "fastschema/qjs", "goja", "modernc.org/quickjs"} {
			require.Contains(t, table, "\n| "+name+" | ")
		}
	}
	_, shells, _ := strings.Cut(stdout.String(), "\n### Shells\n")
	require.Contains(t, shells, "\n| toolrun, shell | ")
	require.Contains(t, shells, "\n| bash, native | ")
}

func TestOnly(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Zero(t, run([]string{"-quick", "-node=false", "-only", "start/(toolrun|goja)$"}, &stdout, &stderr), "%s",
		stderr.String())
	require.Equal(t, 1, strings.Count(stdout.String(), "\n### "))
	_, table, _ := strings.Cut(stdout.String(), "\n### ")
	require.Contains(t, table, "| goja |")
	require.NotContains(t, table, "modernc")
}

func TestWrongArguments(t *testing.T) {
	for _, args := range [][]string{{"-only", "("}, {"-rounds", "0"}, {"more"}, {"-unknown"}} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, 2, run(args, &stdout, &stderr), args)
		require.NotEmpty(t, stderr.String())
	}
}

func TestWriteDocument(t *testing.T) {
	for _, test := range []struct{ name, before, after string }{
		{"without marks all is replaced", "old\n", "new\n"},
		{"with marks what is between them is replaced", "a\n" + beginMark + "old\n" + endMark + "b\n",
			"a\n" + beginMark + "new\n" + endMark + "b\n"},
		{"with one mark all is replaced", "a\n" + beginMark + "old\n", "new\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "document.md")
			require.NoError(t, os.WriteFile(name, []byte(test.before), 0o600))
			require.NoError(t, writeDocument(name, "new\n"))
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			require.Equal(t, test.after, string(data))
		})
	}
}

func TestTable(t *testing.T) {
	ours, other := &contestant{id: oursID, name: "ours"}, &contestant{id: "other", name: "other"}
	newTable := func() *table {
		return &table{
			title: "Title", about: "About.", base: oursID, mean: true, format: formatTime,
			rows: []*contestant{ours, other},
			columns: []*column{
				{name: "a", samples: map[string][]float64{oursID: {3, 1, 2}, "other": {4, 4}}},
				{name: "b", samples: map[string][]float64{oursID: {0.001}, "other": {0.008}},
					counts: map[string]int{"other": 7}},
			},
		}
	}
	show := func(t *table) string {
		var b strings.Builder
		t.write(&b)
		return b.String()
	}
	tbl := newTable()
	require.Equal(t, `
### Title

About.

| | a | b | mean |
|---|--:|--:|--:|
| ours | 2.00 s | 1 ms | 1.00× |
| other | 4.00 s (2.00×) | 8 ms (8.00×) (1) | 4.00× |

(1) other, b: 7, since it cannot do more.
`, show(tbl))

	tbl.higher = true
	require.Contains(t, show(tbl), "| other | 4.00 s (0.50×) | 8 ms (0.12×) (1) | 0.25× |")

	tbl = newTable()
	tbl.columns[1].failures = map[string]error{"other": os.ErrInvalid}
	delete(tbl.columns[1].samples, "other")
	require.Contains(t, show(tbl), "| other | 4.00 s (2.00×) | failed (1) | 2.00× of 1 |")
	require.NoError(t, tbl.failureOfOurs())
	tbl.columns[0].failures = map[string]error{oursID: os.ErrInvalid}
	require.ErrorIs(t, tbl.failureOfOurs(), os.ErrInvalid)
}

// TestPeer asks a process for what it cannot do, and goes on after it has ended.
func TestPeer(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	p := &peer{command: []string{self, "-serve", "goja"}, patience: patience, log: &bytes.Buffer{}}
	defer p.close()
	_, err = p.ask(protocol.Request{Op: "unknown"})
	require.ErrorContains(t, err, `cannot do "unknown"`)
	_, err = p.ask(protocol.Request{Op: protocol.OpCall, Body: "return 2", Want: "1", Count: 1})
	require.ErrorContains(t, err, `the result is "2" instead of "1"`)
	require.NoError(t, p.process.Process.Kill())
	_, err = p.ask(protocol.Request{Op: protocol.OpVersion})
	require.ErrorContains(t, err, "the process has ended")
	_, err = p.ask(protocol.Request{Op: protocol.OpVersion})
	require.NoError(t, err)

	p.patience = 50 * time.Millisecond
	_, err = p.ask(protocol.Request{Op: protocol.OpCall, Body: "for (;;);", Want: "1", Count: 1})
	require.ErrorContains(t, err, "it has taken more than 50ms")

	none := &peer{command: []string{self, "-serve", "none"}, patience: patience, log: &bytes.Buffer{}}
	_, err = none.ask(protocol.Request{Op: protocol.OpVersion})
	require.Error(t, err)
}
