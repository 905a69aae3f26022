package wasifs_test

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/vfs"
)

var update = flag.Bool("update", false, "write what the guest reports to testdata instead of comparing it")

// theWalker is the program of testdata/walker, as a guest of package runtime, which serves WASI with this package. It
// is built when the first test needs it, and lives as long as the process.
var theWalker = sync.OnceValues(func() (*sandbox.Program, error) {
	dir, err := os.MkdirTemp("", "wasifs")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "walker.wasm")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "./testdata/walker")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off")
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, output)
	}
	code, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	engine, err := sandbox.New(&sandbox.EngineOptions{CacheDir: enginetest.CacheDir()})
	if err != nil {
		return nil, err
	}
	return engine.Load(context.Background(), sandbox.Guest{
		Name:        "walker",
		Module:      func() ([]byte, error) { return sandbox.Meter(code) },
		Digest:      sha256.Sum256(code),
		Files:       true,
		New:         func(in *sandbox.Instance) (sandbox.Driver, error) { return program{in}, nil },
		DecodeState: func([]byte) (any, error) { return nil, nil },
	})
})

// program is the driver of a program that only has to be started.
type program struct{ in *sandbox.Instance }

func (program) Start() error     { return nil }
func (program) State() any       { return nil }
func (program) Resume(any) error { return nil }
func (program) Idle() bool       { return false }

// walk runs the walker on files and returns its report.
func walk(t *testing.T, files afero.Fs, mode string) string {
	t.Helper()
	walker, err := theWalker()
	require.NoError(t, err)
	run, err := walker.Begin(t.Context(), sandbox.RunOptions{Args: []string{"walker", mode}, Files: files})
	require.NoError(t, err)
	defer run.End()
	in, err := run.Start(nil)
	require.NoError(t, err)
	_, err = in.Module().ExportedFunction("_start").Call(in.Context())
	err = in.Reason(err)
	var report strings.Builder
	console, truncated := run.Output().End()
	require.Zero(t, truncated)
	for _, entry := range console {
		require.Equal(t, sandbox.LevelLog, entry.Level, entry.Text)
		report.WriteString(entry.Text + "\n")
	}
	require.ErrorAs(t, err, new(*sandbox.ExitError), report.String())
	require.Zero(t, err.(*sandbox.ExitError).Code, report.String())
	require.NoError(t, in.CloseFiles())
	return report.String()
}

// requireReport compares a report with the file in testdata.
func requireReport(t *testing.T, name, report string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(report), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), report)
}

// fill creates the files that the walker expects.
func fill(t *testing.T, files afero.Fs) {
	t.Helper()
	for _, dir := range []string{"/docs", "/empty", "/etc"} {
		require.NoError(t, files.Mkdir(dir, 0o755))
	}
	for name, content := range map[string]string{
		"/hello.txt":  "hello, world",
		"/docs/a.md":  "# a",
		"/etc/passwd": "the project's own",
	} {
		require.NoError(t, afero.WriteFile(files, name, []byte(content), 0o644))
	}
	then := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	require.NoError(t, files.Chtimes("/hello.txt", then, then))
}

// contents maps all files to their contents, and directories to "a directory".
func contents(t *testing.T, files afero.Fs) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, afero.Walk(files, "/", func(name string, info fs.FileInfo, err error) error {
		switch {
		case err != nil:
			return err
		case info.IsDir():
			found[filepath.ToSlash(name)] = "a directory"
			return nil
		}
		content, err := afero.ReadFile(files, name)
		found[filepath.ToSlash(name)] = string(content)
		return err
	}))
	return found
}

func TestGuestWorksOnFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	forEachKind(t, func(t *testing.T, files afero.Fs) {
		fill(t, files)
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
		}, contents(t, files))
	})
}

func TestGuestCannotChangeWhatIsReadOnly(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	forEachKind(t, func(t *testing.T, files afero.Fs) {
		fill(t, files)
		before := contents(t, files)
		requireReport(t, "readonly.txt", walk(t, vfs.ReadOnly(files, "/"), "readonly"))
		require.Equal(t, before, contents(t, files))
	})
}

func TestGuestCannotFollowLinks(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o644))
	project := inDirectory(t, dir)
	fill(t, project)
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
