//go:build unix

package local_test

import (
	"context"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestSpecialFilesAreNotOpened would wait for ever if they were: a pipe has no other end here.
func TestSpecialFilesAreNotOpened(t *testing.T) {
	for name, make := range map[string]func(t *testing.T, at string){
		"a pipe": func(t *testing.T, at string) { require.NoError(t, unix.Mkfifo(at, 0o600)) },
		"a socket": func(t *testing.T, at string) {
			l, err := net.Listen("unix", at)
			if err != nil {
				t.Skip(err) // the path may be too long for a socket
			}
			t.Cleanup(func() { _ = l.Close() })
		},
		"a device": func(t *testing.T, at string) {
			if err := unix.Mknod(at, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 5))); err != nil { // /dev/zero on Linux
				t.Skip(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, inside, _ := openInside(t)
			make(t, filepath.Join(inside, "x"))
			for _, flag := range []int{
				os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_TRUNC, os.O_RDWR | os.O_CREATE,
				os.O_WRONLY | os.O_APPEND,
			} {
				_, err := p.OpenFile("x", flag, 0o600)
				require.ErrorIs(t, err, fs.ErrPermission)
			}
			require.Error(t, vfs.Copy(context.Background(), p, "x", "y"))
			require.Error(t, p.Chmod("x", 0o777))
			require.ErrorIs(t, p.Mkdir("x/y", 0o700), fs.ErrPermission)
			infos, err := afero.ReadDir(p, "/")
			require.NoError(t, err)
			require.NotZero(t, infos[0].Mode().Type())
			require.NoError(t, p.Remove("x"))
		})
	}
}

// TestHostsThatIgnoreCase needs a file system that does. On Linux that takes the right to mount one.
func TestHostsThatIgnoreCase(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mounted")
	require.NoError(t, os.Mkdir(dir, 0o700))
	if runtime.GOOS == "linux" {
		if err := exec.Command("mount", "-t", "tmpfs", "-o", "casefold", "tmpfs", dir).Run(); err != nil {
			t.Skip("no file system that ignores case can be mounted: ", err)
		}
		t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
		if err := exec.Command("chattr", "+F", dir).Run(); err != nil {
			t.Skip("the file system cannot be made to ignore case: ", err)
		}
	}
	inside := filepath.Join(dir, "project")
	require.NoError(t, os.Mkdir(inside, 0o700))
	if _, err := os.Stat(filepath.Join(dir, "PROJECT")); err != nil {
		t.Skip("the file system does not ignore case")
	}
	p, err := local.OpenDir(inside, nil)
	require.NoError(t, err)
	defer p.Close()
	require.NoError(t, p.MkdirAll("Dir/Sub", 0o700))
	require.NoError(t, afero.WriteFile(p, "Dir/Sub/Readme", []byte("1"), 0o600))
	// The control: the host finds it.
	_, err = os.Stat(filepath.Join(inside, "dir", "SUB", "README"))
	require.NoError(t, err)

	for _, name := range []string{"Dir/Sub/README", "dir/Sub/Readme", "Dir/SUB/Readme", ".TOOLRUN/state"} {
		_, err := p.Open(name)
		require.Error(t, err, name)
		_, err = p.Stat(name)
		require.Error(t, err, name)
		require.Error(t, afero.WriteFile(p, name, []byte("2"), 0o600), name)
		require.Error(t, p.Remove(name), name)
		require.Error(t, p.Rename(name, "x"), name)
	}
	require.NoError(t, p.Rename("Dir/Sub/Readme", "Dir/Sub/README"))
	data, err := afero.ReadFile(p, "Dir/Sub/README")
	require.NoError(t, err)
	require.Equal(t, "1", string(data))
	_, err = p.Stat("Dir/Sub/Readme")
	require.ErrorIs(t, err, fs.ErrNotExist)

	store, err := local.OpenStore(filepath.Join(dir, "store"), nil)
	require.NoError(t, err)
	defer store.Close()
	one, err := store.Open(t.Context(), "One")
	require.NoError(t, err)
	require.NoError(t, one.Close())
	_, err = store.Open(t.Context(), "ONE")
	require.ErrorIs(t, err, fs.ErrExist)
}
