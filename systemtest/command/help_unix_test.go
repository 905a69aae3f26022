//go:build systemtest && unix

package command_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/toolrun/toolrun/internal/test/commandtest"
	"github.com/toolrun/toolrun/internal/test/toolruntest"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/archive"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestExamples runs each line of each command's examples as it is written, where there is what they speak of.
func TestExamples(t *testing.T) {
	t.Parallel()
	for name, help := range toolruntest.HelpTexts(func(args ...string) string {
		out, err := commandtest.Command(args...).Output()
		require.NoError(t, err)
		return string(out)
	}) {
		// that are not our own, or have commands alone
		if strings.HasPrefix(name, "completion") || name == "" || name == "help" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, line := range toolruntest.Section(help, "Examples") {
				if hasTestsOfItsOwn.MatchString(line) {
					continue
				}
				status, out, stderr := shell(t, exampleDir(t),
					"set -e; export TOOLRUN_DATA=$PWD/.data EDITOR=true; ("+line+") </dev/null")
				require.Zero(t, status, "%s\n%s%s", line, out, stderr)
				require.Empty(t, stderr, line)
			}
		})
	}
}

// hasTestsOfItsOwn matches what takes long, serves until it is stopped, changes what is the user's own, opens a
// browser, or needs a call that runs, a layer outside of the directory, modules, recordings, Python, or the shell.
var hasTestsOfItsOwn = regexp.MustCompile(
	`^ *toolrun (selftest|serve|setup|docs$|mcp --http|store sweep|.*--overlay|files --root ` +
		`\S+ (apply|discard|diff)|module (add|show|remove)|approvals (show|approve|refuse)|calls stop|` +
		`py |sh |replay )|\| toolrun (py|sh)\b`)

// exampleDir returns a directory with what examples speak of, and with the default project in .data.
func exampleDir(t *testing.T) string {
	dir := t.TempDir()
	store, err := local.OpenStore(filepath.Join(dir, ".data", "projects"), nil)
	require.NoError(t, err)
	defer store.Close()
	project, err := store.Open(t.Context(), "default")
	require.NoError(t, err)
	defer project.Close()
	for _, change := range []struct{ call, name, content string }{
		{"js-0", "/notes.md", "one\n"}, {"js-0", "/notes.md", "two\n"}, {"js-0", "/site/index.html",
			"<p>hello"}, {"js-1", "/new.txt", "new\n"},
	} {
		require.NoError(t, vfs.WriteFile(t.Context(), project.WithCall(change.call), change.name,
			[]byte(change.content)))
	}
	for name, content := range map[string]string{
		"go.mod": "module example\n", "report.ts": "const n: number = 1; return n\n", "notes.md": "# Notes\n",
		"site/index.html": "<p>hello", "settings.json": "{}",
		"toolrun.yaml": "project: default\n",
	} {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(content), 0o644))
	}
	// What .toolrun has in a directory is what has been done there: the example undoes a change.
	here, err := local.OpenDir(dir, nil)
	require.NoError(t, err)
	defer here.Close()
	require.NoError(t, afero.WriteFile(here.WithCall("js-2"), "/made.txt", nil, 0o644))
	for file, format := range map[string]archive.Format{"backup.zip": archive.Zip, "backup.tgz": archive.TarGzip} {
		var packed bytes.Buffer
		require.NoError(t, archive.Export(t.Context(), project, &packed, format))
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), packed.Bytes(), 0o644))
	}
	return dir
}
