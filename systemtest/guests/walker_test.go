//go:build systemtest

package guests

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/guesttest"
	"github.com/toolrun/toolrun/internal/wasm/wasifs/wasifstest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

var update = flag.Bool("update", false, "write what the guest reports to testdata instead of comparing it")

// theWalker is the program of testdata/walker, as a guest of an engine that lives as long as the process.
var theWalker = sync.OnceValues(func() (*sandbox.Program, error) {
	code, err := buildGo("./testdata/walker")
	if err != nil {
		return nil, err
	}
	engine, err := sandbox.New(&sandbox.EngineOptions{CacheDir: enginetest.CacheDir()})
	if err != nil {
		return nil, err
	}
	walker := guesttest.Guest("walker", code)
	walker.Files = true
	return engine.Load(context.Background(), walker)
})

// walk runs the walker on files and returns its report.
func walk(t *testing.T, files afero.Fs, mode string) string {
	t.Helper()
	walker, err := theWalker()
	require.NoError(t, err)
	ran, err := guesttest.Run(t.Context(), walker, sandbox.RunOptions{Args: []string{"walker", mode}, Files: files})
	var report strings.Builder
	require.Zero(t, ran.Truncated)
	for _, entry := range ran.Console {
		require.Equal(t, sandbox.LevelLog, entry.Level, entry.Text)
		report.WriteString(entry.Text + "\n")
	}
	require.NoError(t, err, report.String())
	return report.String()
}

// requireReport compares a report with the file in testdata.
func requireReport(t *testing.T, name, report string) {
	t.Helper()
	file := filepath.Join("testdata", "walker", name)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(report), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), report)
}

func TestGuestWorksOnFiles(t *testing.T) {
	wasifstest.ForEachKind(t, func(t *testing.T, files afero.Fs) {
		wasifstest.Fill(t, files)
		requireReport(t, "writable.txt", walk(t, files, "writable"))
		require.Equal(t, map[string]string{
			"/":             "a directory",
			"/d":            "a directory",
			"/d/e":          "a directory",
			"/d/e/f":        "a directory",
			"/d/e/f/g":      "a directory",
			"/d/e/f/g/file": "deep",
			"/docs":         "a directory",
			"/docs/a.md":    "# a",
			"/empty":        "a directory",
			"/etc":          "a directory",
			"/etc/passwd":   "the project's own",
			"/hello.txt":    "hello, world",
			"/w":            "a directory",
			"/w/a":          "OVERb56789\x00\x00end",
			"/w/log":        "anew",
			"/w/new":        "",
			"/w/synced":     "safe",
			"/w/t":          "0123\x00\x00",
			"/w/time":       "now",
		}, wasifstest.Contents(t, files))
	})
}

func TestGuestCannotChangeWhatIsReadOnly(t *testing.T) {
	wasifstest.ForEachKind(t, func(t *testing.T, files afero.Fs) {
		wasifstest.Fill(t, files)
		before := wasifstest.Contents(t, files)
		requireReport(t, "readonly.txt", walk(t, vfs.ReadOnly(files, "/"), "readonly"))
		require.Equal(t, before, wasifstest.Contents(t, files))
	})
}

func TestGuestCannotFollowLinks(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o644))
	project := wasifstest.InDirectory(t, dir)
	wasifstest.Fill(t, project)
	for link, target := range map[string]string{"secret": secret, "dir": outside, "self": "hello.txt"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip("no links here:", err)
		}
	}
	// The links really lead there.
	content, err := os.ReadFile(filepath.Join(dir, "dir", "secret"))
	require.NoError(t, err)
	require.Equal(t, "secret", string(content))

	requireReport(t, "linked.txt", walk(t, project, "linked"))
	content, err = os.ReadFile(secret)
	require.NoError(t, err)
	require.Equal(t, "secret", string(content))
}

// TestGuestOfAClosedProject can open the root, and nothing else.
func TestGuestOfAClosedProject(t *testing.T) {
	project, err := local.OpenDir(t.TempDir(), &vfs.Options{NoSync: true})
	require.NoError(t, err)
	wasifstest.Fill(t, project)
	require.NoError(t, project.Close())
	requireReport(t, "closed.txt", walk(t, project, "closed"))
}
