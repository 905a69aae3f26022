package local_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/vfs/vfstest"
)

// TestHostThatSeemsToIgnoreCase runs what is done on hosts that ignore case on one that may not.
func TestHostThatSeemsToIgnoreCase(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Parallel()
	parent, n := t.TempDir(), 0 // removing each directory by itself takes more time than all else
	vfstest.TestFs(t, func(t *testing.T) afero.Fs {
		n++
		dir := filepath.Join(parent, fmt.Sprint(n))
		require.NoError(t, os.Mkdir(dir, 0o700))
		p, err := local.OpenDir(dir, &vfs.Options{NoSync: true, History: vfs.HistoryOptions{Off: !*soak}})
		require.NoError(t, err)
		t.Cleanup(func() { _ = p.Close() })
		local.IgnoreCase(p)
		return p
	})
}

func TestNamesThatCannotBeUsedAreNotListed(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"good", `back\slash`, "new\nline", "bad\xff", "e\u0301", "\u00e9"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Skip("the host does not have such names: ", err)
		}
	}
	p, err := local.OpenDir(dir, nil)
	require.NoError(t, err)
	defer p.Close()
	infos, err := afero.ReadDir(p, "/")
	require.NoError(t, err)
	require.NotEmpty(t, infos)
	for _, info := range infos {
		_, err := p.Stat(info.Name())
		require.NoError(t, err, "what is listed can be reached: %q", info.Name())
	}
	require.Equal(t, "good", infos[0].Name())
	require.Equal(t, "\u00e9", infos[len(infos)-1].Name())
}

func TestTwinsThatAreThereCanBeReached(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Readme"), []byte("1"), 0o600))
	if _, err := os.Stat(filepath.Join(dir, "README")); err == nil {
		t.Skip("the host ignores case")
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "README"), []byte("2"), 0o600))
	p, err := local.OpenDir(dir, nil)
	require.NoError(t, err)
	defer p.Close()
	require.Equal(t, "1", read(t, p, "Readme"))
	require.Equal(t, "2", read(t, p, "README"))
	write(t, p, "README", "3")
	require.Equal(t, "1", read(t, p, "Readme"))
	require.ErrorIs(t, afero.WriteFile(p, "readme", nil, 0o600), fs.ErrExist)
	require.NoError(t, p.Remove("README"))
	require.ErrorIs(t, afero.WriteFile(p, "readme", nil, 0o600), fs.ErrExist)
	require.NoError(t, p.Remove("Readme"))
	write(t, p, "readme", "4")
}
