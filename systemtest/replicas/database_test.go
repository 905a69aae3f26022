//go:build systemtest

package replicas_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/commandtest"
	"github.com/toolrun/toolrun/internal/test/pgtest"
)

// TestDatabase uses projects in a database: from one process after the other, and copied from a directory and back.
func TestDatabase(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	dir, back := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "back")
	run := func(data string, args ...string) string {
		t.Helper()
		cmd := commandtest.Command(args...)
		cmd.Env = append(cmd.Env, "TOOLRUN_DATA="+data)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%v: %s", args, out)
		return string(out)
	}
	run(dir, "js", "--project", "notes", "-e", "await fs.writeFile('/todo.txt', 'milk')")
	run(dir, "js", "--project", "notes", "-e", "await fs.writeFile('/todo.txt', 'bread')")
	require.Equal(t, "notes: copied\nrecords: 1 copied\n", run(dir, "store", "migrate", "--from", dir, "--to", url))
	require.Equal(t, "notes: the same already\n", run(dir, "store", "migrate", "--from", dir, "--to", url))

	require.Equal(t, "bread", run(url, "files", "--project", "notes", "cat", "/todo.txt"))
	run(url, "files", "--project", "notes", "undo")
	require.Equal(t, "milk", run(dir, "files", "--data", url, "--project", "notes", "cat", "/todo.txt"))
	run(url, "js", "--project", "other", "-e", "await fs.writeFile('/file', 'x')")
	run(url, "project", "mount", "--project", "notes", "/other", "other")
	require.Equal(t, "x\n", run(url, "js", "--project", "notes", "-p", "await fs.readFile('/other/file', 'utf8')"))
	var list []struct{ ID string }
	require.NoError(t, json.Unmarshal([]byte(run(url, "project", "list", "--json")), &list))
	require.Len(t, list, 2)
	require.Equal(t, "No problems found.\n", run(url, "store", "check"))
	require.Empty(t, run(url, "store", "sweep"))
	run(url, "project", "delete", "other", "--yes")
	run(url, "project", "restore", "other")
	run(url, "js", "--project", "gone", "-e", "await fs.writeFile('/file', 'was there')")
	run(url, "project", "delete", "gone", "--yes")

	require.Regexp(t, `^notes: copied\nother: copied\ngone, deleted 20[^:]+:[0-9:]+Z: copied\nrecords: 1 copied\n$`,
		run(dir, "store", "migrate", "--from", url, "--to", back))
	require.Equal(t, "other: the same already\n", run(dir, "store", "migrate", "--from", url, "--to", back, "--project",
		"other"))
	run(back, "project", "restore", "gone")
	require.Equal(t, "was there", run(back, "files", "--project", "gone", "cat", "/file"))
	require.Equal(t, "No problems found.\n", run(back, "store", "check"))
	run(back, "files", "--project", "notes", "redo")
	require.Equal(t, "bread", run(back, "files", "--project", "notes", "cat", "/todo.txt"))

	// A file says which projects are in which database, or directory.
	rule := filepath.Join(t.TempDir(), "projects.json")
	write := func(projects string) {
		require.NoError(t, os.WriteFile(rule, fmt.Appendf(nil,
			`{"stores": {"a": %q, "b": %q}, "projects": {%s}, "slots": {"0-1023": "a"}, "records": "a"}`,
			url, "other-data", projects), 0o600))
	}
	write("")
	require.Equal(t, "x", run(rule, "files", "--project", "other", "cat", "/file"))
	write(`"other": "b"`)
	out, err := commandtest.Command("store", "check", "--data", rule).Output()
	require.Error(t, err)
	require.Contains(t, string(out), `other: it is in the store a, and the rule says b`)
	run(rule, "js", "--project", "other", "-e", "await fs.writeFile('/file', 'in the directory')")
	require.Equal(t, "x", run(url, "files", "--project", "other", "cat", "/file"))
	require.Equal(t, "in the directory", run(rule, "files", "--project", "other", "cat", "/file"))
	require.DirExists(t, filepath.Join(filepath.Dir(rule), "other-data", "projects", "other"))

	cmd := commandtest.Command("store", "migrate", "--from", back, "--to", url)
	out, err = cmd.Output()
	require.Error(t, err)
	require.Contains(t, string(out), "notes: failed: the other store has another one of this name")
	require.Equal(t, 1, cmd.ProcessState.ExitCode())
}
