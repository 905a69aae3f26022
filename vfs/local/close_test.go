package local_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestOpeningWhileClosing opens a file while its project is closed.
func TestOpeningWhileClosing(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("text"), 0o600))
	rounds := 100
	if *soak {
		rounds = 5000
	}
	for range rounds {
		p, err := local.OpenDir(dir, &vfs.Options{NoSync: true})
		require.NoError(t, err)
		var all sync.WaitGroup
		var f afero.File
		all.Go(func() { f, err = p.Open("/f") })
		all.Go(func() { assert.NoError(t, p.Close()) })
		all.Wait()
		if err != nil {
			require.ErrorIs(t, err, fs.ErrClosed)
			continue
		}
		_, err = f.Read(make([]byte, 1))
		require.ErrorIs(t, err, fs.ErrClosed, "all files have been closed")
	}
}
