package shell_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/guest/shell/internal/commands"
	"github.com/toolrun/toolrun/guest/shell/internal/shell"
	"github.com/toolrun/toolrun/guest/shell/internal/shelltest"
)

func TestLanguage(t *testing.T) { shelltest.Run(t, "testdata/*.txt") }

// TestSession runs scripts one after the other in one shell, which keeps what they set, however they end.
func TestSession(t *testing.T) {
	sh := shell.New(shell.Options{Table: commands.Table, Root: t.TempDir()})
	run := func(ctx context.Context, script string) (string, int) {
		var out strings.Builder
		status := sh.Run(ctx, script, nil, shell.Streams{Stdout: &out, Stderr: &out})
		return out.String(), status
	}
	out, status := run(t.Context(), "x=1; f() { local x=2; echo f $x; $1; }; mkdir d; cd d; shopt -s nullglob; exit 3")
	require.Empty(t, out)
	require.Equal(t, 3, status)
	out, _ = run(t.Context(), "echo $x $? ${PWD##*/} *; f; sleep 1000 & kill $!")
	require.Equal(t, "1 3 d\nf 2\n", out)

	out, status = run(t.Context(), "die() { kill -9 $$; }; while true; do f die; done")
	require.Equal(t, "f 2\n", out)
	require.Equal(t, 137, status)
	out, _ = run(t.Context(), "echo $x; f; for i in 1 2; do break; done; echo $i")
	require.Equal(t, "1\nf 2\n1\n", out, "what a function has made local is gone with its script")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, status = run(ctx, "while true; do sleep 1000; done")
	require.Equal(t, 143, status)
	out, _ = run(t.Context(), "echo $x")
	require.Equal(t, "1\n", out, "a script that was ended from outside ends nothing else")
}
