package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDeleteAsks: on a terminal a project is deleted when the answer is yes, and not by anything else.
func TestDeleteAsks(t *testing.T) {
	data := t.TempDir()
	there := func() bool {
		_, err := os.Stat(filepath.Join(data, "projects", "notes"))
		return err == nil
	}
	make := command("files", "--data", data, "--project", "notes", "mkdir", "/x")
	require.NoError(t, make.Run())
	for _, test := range []struct {
		keys   string
		status int
		there  bool
	}{
		{"\r", 1, true}, {"n\r", 1, true}, {"yes please\r", 1, true}, {ctrlD, 1, true}, {ctrlC, 130, true}, {"y\r", 0, false},
	} {
		p := onTerminal(t, nil, "project", "--data", data, "delete", "notes")
		p.expect("Delete notes (1 file or directory, 0 bytes)? [y/N] ")
		p.send(test.keys)
		require.Equal(t, test.status, p.exits(), "%q", test.keys)
		require.Equal(t, test.there, there(), "%q", test.keys)
	}
	require.NoError(t, command("project", "--data", data, "restore", "notes").Run())
	require.True(t, there())
	p := onTerminal(t, nil, "project", "--data", data, "delete", "notes", "--yes")
	require.Equal(t, 0, p.exits())
	require.False(t, there())
}

func TestDiffInColours(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"a\\nb\\n", "a\\nc\\n"} {
		make := command("js", "--root", ".", "-e", "fs.writeFileSync('f', '"+text+"')")
		make.Dir = dir
		require.NoError(t, make.Run())
	}
	require.Equal(t, "\x1b[1m--- /f (before change 2)\r\n\x1b[0m\x1b[1m+++ /f\r\n\x1b[0m@@ -1,2 +1,2 @@\r\n a\r\n"+
		"\x1b[31m-b\r\n\x1b[0m\x1b[32m+c\r\n\x1b[0m", output(t, dir, nil, 0, "files", "--root", ".", "diff", "f"))
}
