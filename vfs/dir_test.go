package vfs_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

const secret = "secret of the host"

// openProject returns a directory inside of another one that has a secret in it.
func openProject(t *testing.T) (dir *vfs.Dir, inside, outside string) {
	t.Helper()
	outside = t.TempDir()
	inside = filepath.Join(outside, "project")
	require.NoError(t, os.Mkdir(inside, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte(secret), 0o600))
	dir, err := vfs.OpenDir(inside)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dir.Close()) })
	return dir, inside, outside
}

func TestDir(t *testing.T) {
	t.Run("reads and writes what lies in it, by any spelling", func(t *testing.T) {
		dir, inside, _ := openProject(t)
		require.NoError(t, dir.MkdirAll("/a/b", 0o700))
		require.NoError(t, afero.WriteFile(dir, "a/b/../c.txt", []byte("text"), 0o600))
		for _, name := range []string{"/a/c.txt", "a/c.txt", "//a/./c.txt", "../../a/c.txt"} {
			data, err := afero.ReadFile(dir, name)
			require.NoError(t, err, name)
			require.Equal(t, "text", string(data))
		}
		data, err := os.ReadFile(filepath.Join(inside, "a", "c.txt"))
		require.NoError(t, err)
		require.Equal(t, "text", string(data))
	})
	t.Run("does the rest of what a file system does", func(t *testing.T) {
		dir, _, _ := openProject(t)
		require.NoError(t, dir.Mkdir("d", 0o700))
		f, err := dir.Create("d/f")
		require.NoError(t, err)
		require.Equal(t, "d/f", f.Name())
		_, err = io.WriteString(f, "12345")
		require.NoError(t, err)
		require.NoError(t, f.Close())
		require.NoError(t, dir.Rename("d/f", "/g"))
		then := time.Unix(1_000_000, 0)
		require.NoError(t, dir.Chtimes("g", then, then))
		require.NoError(t, dir.Chmod("g", 0o600))
		info, err := dir.Stat("g")
		require.NoError(t, err)
		require.EqualValues(t, 5, info.Size())
		require.Equal(t, then, info.ModTime())
		names, err := afero.ReadDir(dir, "/")
		require.NoError(t, err)
		require.Len(t, names, 2)
		require.NoError(t, dir.Remove("g"))
		require.NoError(t, dir.RemoveAll("d"))
		_, err = dir.Stat("d")
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.NoError(t, dir.MkdirAll("/", 0o700))
	})
	t.Run("names the caller's path in errors, not the host's", func(t *testing.T) {
		dir, inside, _ := openProject(t)
		for _, err := range []error{
			func() error { _, err := dir.Open("/no/file"); return err }(),
			func() error { _, err := dir.Stat("/no/file"); return err }(),
			dir.Rename("/no/file", "/x"),
			dir.Chmod("/no/file", 0o700),
			dir.Remove("/no/file"),
			dir.Mkdir("/no/file", 0o700),
		} {
			require.ErrorIs(t, err, fs.ErrNotExist)
			require.Contains(t, err.Error(), "/no/file")
			require.NotContains(t, err.Error(), inside)
		}
	})
	t.Run("refuses paths that no file can have", func(t *testing.T) {
		dir, _, _ := openProject(t)
		for _, err := range []error{
			afero.WriteFile(dir, `a\b`, nil, 0o600), dir.Mkdir("a\x00b", 0o700), dir.Rename("a", "b\n"), dir.Remove("\xff"),
			func() error { _, err := dir.Stat("a\x00"); return err }(),
		} {
			require.ErrorIs(t, err, fs.ErrInvalid)
		}
	})
	t.Run("cannot be opened where there is none", func(t *testing.T) {
		_, err := vfs.OpenDir(filepath.Join(t.TempDir(), "missing"))
		require.ErrorIs(t, err, fs.ErrNotExist)
	})
}

// waysOut are attempts to reach the secret. Each gets the project's directory to prepare something in it.
var waysOut = map[string]struct {
	prepare func(t *testing.T, inside string)
	name    string
}{
	"dots":                           {nil, "../secret"},
	"dots behind a directory":        {func(t *testing.T, inside string) { require.NoError(t, os.Mkdir(filepath.Join(inside, "d"), 0o700)) }, "d/../../secret"},
	"a relative link":                {link("../secret", "l"), "l"},
	"an absolute link":               {absoluteLink("secret", "l"), "l"},
	"a link to the directory above":  {link("..", "l"), "l/secret"},
	"a link through a link":          {func(t *testing.T, inside string) { link("m", "l")(t, inside); link("..", "m")(t, inside) }, "l/secret"},
	"a link that climbs and returns": {link("../project/../secret", "l"), "l"},
	"a link to the root of the host": {link("/", "l"), "l/etc/passwd"},
	"a link below a directory": {func(t *testing.T, inside string) {
		require.NoError(t, os.Mkdir(filepath.Join(inside, "d"), 0o700))
		link("../../secret", "d/l")(t, inside)
	}, "d/l"},
}

func link(to, name string) func(*testing.T, string) {
	return func(t *testing.T, inside string) { require.NoError(t, os.Symlink(to, filepath.Join(inside, name))) }
}

func absoluteLink(to, name string) func(*testing.T, string) {
	return func(t *testing.T, inside string) {
		require.NoError(t, os.Symlink(filepath.Join(filepath.Dir(inside), to), filepath.Join(inside, name)))
	}
}

func TestDirHasNoWayOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a privilege")
	}
	for name, test := range waysOut {
		t.Run(name, func(t *testing.T) {
			dir, inside, outside := openProject(t)
			if test.prepare != nil {
				test.prepare(t, inside)
			}
			// The control: without the guard, the attempt reaches something.
			_, err := os.Stat(filepath.Join(inside, filepath.FromSlash(test.name)))
			require.NoError(t, err)

			_, err = afero.ReadFile(dir, test.name)
			require.Error(t, err)
			_, err = dir.Stat(test.name)
			require.Error(t, err)
			// Writing must not get out either. Where dots are clamped, it makes a file inside.
			_ = afero.WriteFile(dir, test.name, []byte("changed"), 0o600)
			_ = dir.Chmod(test.name, 0o777)
			_ = dir.RemoveAll(test.name)
			data, err := os.ReadFile(filepath.Join(outside, "secret"))
			require.NoError(t, err)
			require.Equal(t, secret, string(data))
		})
	}
}

// TestDirUnderRace swaps a directory for a link to the outside while files in it are read and written.
func TestDirUnderRace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a privilege")
	}
	dir, inside, outside := openProject(t)
	require.NoError(t, os.Mkdir(filepath.Join(inside, "real"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(inside, "real", "secret"), []byte("harmless"), 0o600))
	at := filepath.Join(inside, "d")

	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = os.Symlink("..", at)
				_ = os.Remove(at)
				_ = os.Symlink("real", at)
				_ = os.Remove(at)
			}
		}
	})
	reached := 0
	for range 20_000 {
		data, err := afero.ReadFile(dir, "d/secret")
		require.False(t, strings.Contains(string(data), secret), "the secret was read")
		if err == nil {
			reached++
		}
	}
	for range 5_000 {
		if f, err := dir.OpenFile("d/secret", os.O_WRONLY, 0); err == nil {
			_, _ = f.WriteString("harmless")
			_ = f.Close()
		}
	}
	close(stop)
	swapping.Wait()
	data, err := os.ReadFile(filepath.Join(outside, "secret"))
	require.NoError(t, err)
	require.Equal(t, secret, string(data))
	require.Positive(t, reached, "the files were never reached at all")
}
