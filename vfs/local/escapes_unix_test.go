//go:build unix

package local_test

import (
	"context"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/toolrun/toolrun/vfs"
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
