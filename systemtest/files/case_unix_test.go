//go:build systemtest && unix

package files_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs/local"
)

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
