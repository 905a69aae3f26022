package local

import (
	"errors"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

// TestPurgingIsCompleted kills a process at one operation after the other while it purges. What has been noted as
// purged is gone once somebody else has come, and if nothing was noted, everything is there.
func TestPurgingIsCompleted(t *testing.T) {
	killed := errors.New("killed")
	for failing := 1; ; failing++ {
		h := &faulty{Backend: newMemory()}
		p := projectOn(h, nil)
		p.Core.InStore = true
		put := func(name, text string) { require.NoError(t, vfs.WriteFile(t.Context(), p, name, []byte(text))) }
		put("/d/secret", "first secret")
		put("/d/secret", "second secret")
		put("/d/other", "first")
		put("/d/other", "second")
		require.NoError(t, p.RemoveAll("/d"))
		_, err := p.Undo(t.Context(), "")
		require.NoError(t, err)
		put("/d/secret", "third")
		count := 0
		h.fail = func(op, _ string) error {
			if count++; count >= failing {
				return killed
			}
			return nil
		}
		_, purgeErr := p.Purge(t.Context(), "/d/secret", nil)
		h.fail = nil

		p = projectOn(h, nil)
		p.Core.InStore = true
		require.NoError(t, p.MkdirAll("/new", 0o755))
		changes, err := p.Changes(t.Context(), "/d/secret")
		require.NoError(t, err)
		noted := changes[0].Op == vfs.OpPurged
		for _, secret := range []string{"first secret", "second secret"} {
			require.Equal(t, !noted, InMemory(p, secret), "failing %d", failing)
		}
		require.True(t, noted || purgeErr != nil)
		require.Equal(t, "third", allFiles(t, p)["/d/secret"])
		others, err := p.Changes(t.Context(), "/d/other")
		require.NoError(t, err)
		f, err := p.OpenVersion(t.Context(), others[len(others)-2].ID)
		require.NoError(t, err)
		content, err := afero.ReadAll(f)
		require.NoError(t, err)
		require.Equal(t, "first", string(content))
		require.NoError(t, f.Close())
		usage, err := p.Usage(t.Context())
		require.NoError(t, err)
		q := projectOn(h.Backend, nil) // counts anew
		require.NoError(t, q.MkdirAll("/new", 0o755))
		counted, err := q.Usage(t.Context())
		require.NoError(t, err)
		require.Equal(t, counted, usage)
		if count < failing {
			require.NoError(t, purgeErr)
			return
		}
	}
}
