package wasifs_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/toolrun/toolrun/internal/wasifs"
	"github.com/toolrun/toolrun/vfs"
)

var update = flag.Bool("update", false, "write what the guest reports to testdata instead of comparing it")

// walker is the compiled program of testdata/walker, and its runtime.
type walker struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
}

// theWalker builds the walker when the first test needs it. The walker lives as long as the process.
var theWalker = sync.OnceValues(func() (*walker, error) {
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
	ctx := context.Background()
	w := &walker{runtime: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig())}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, w.runtime); err != nil {
		return nil, err
	}
	w.compiled, err = w.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0)), code)
	return w, err
})

// walk runs the walker on files and returns its report.
func walk(t *testing.T, files afero.Fs, mode string) string {
	t.Helper()
	w, err := theWalker()
	require.NoError(t, err)
	var report, complaints bytes.Buffer
	config := wazero.NewModuleConfig().WithName("").WithArgs("walker", mode).WithStdout(&report).WithStderr(&complaints).
		WithSysWalltime().WithSysNanotime().
		WithFSConfig(wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(wasifs.New(files), "/"))
	module, err := w.runtime.InstantiateModule(context.Background(), w.compiled, config)
	require.NoError(t, err, "%s%s", report.String(), complaints.String())
	require.NoError(t, module.Close(context.Background()))
	require.Empty(t, complaints.String())
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
