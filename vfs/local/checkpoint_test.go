package local_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

// A checkpoint whose files somebody has changed is refused; that it was copied, with other times, is not in the way.
func TestDamagedCheckpoints(t *testing.T) {
	dir := t.TempDir()
	p := openIn(t, dir, nil)
	write(t, p, "/f", "before")
	_, err := p.CreateCheckpoint(t.Context(), "one", nil)
	require.NoError(t, err)
	write(t, p, "/f", "after")
	saved, err := filepath.Glob(filepath.Join(dir, "p", ".toolrun", "checkpoints", "*", "files", "f"))
	require.NoError(t, err)
	require.Len(t, saved, 1)
	require.NoError(t, os.Chtimes(saved[0], time.Unix(1, 0), time.Unix(1, 0)))
	done, err := p.RestoreCheckpoint(t.Context(), "one", nil)
	require.NoError(t, err)
	require.Len(t, done.Changed, 1)
	require.Equal(t, "before", read(t, p, "/f"))
	require.NoError(t, os.WriteFile(saved[0], []byte("tampered with"), 0o600))
	_, err = p.RestoreCheckpoint(t.Context(), "one", nil)
	require.ErrorIs(t, err, vfs.ErrCheckpointDamaged)
	require.NoError(t, p.Close())
}
