package local_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestTieredHistory writes a file every twenty minutes for three days, and looks which versions are left.
func TestTieredHistory(t *testing.T) {
	for why, test := range map[string]struct {
		options  vfs.HistoryOptions
		settings string
		compact  bool
		tiered   bool
	}{
		"by the options":  {options: vfs.HistoryOptions{Tiered: true}, tiered: true},
		"by the settings": {settings: `{"retention":"tiered"}`, tiered: true},
		"not if the settings say otherwise": {options: vfs.HistoryOptions{Tiered: true},
			settings: `{"retention":"all"}`},
		"not by default":       {settings: `{"retention":"some"}`},
		"when it is asked for": {compact: true, tiered: true},
	} {
		t.Run(why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, err := local.NewMemoryStore(&vfs.Options{History: test.options}).Open(t.Context(), "p")
				require.NoError(t, err)
				require.NoError(t, p.EditSettings(t.Context(), func([]byte) ([]byte, error) {
					return []byte(test.settings), nil
				}))
				require.NoError(t, afero.WriteFile(p, "/gone", []byte("kept"), 0o644))
				require.NoError(t, p.Remove("/gone"))
				const writes = 3 * 24 * 3
				for i := range writes {
					call := p.WithCall(fmt.Sprint("call", i))
					require.NoError(t, afero.WriteFile(call, "/f", fmt.Append(nil, i), 0o644))
					call.EndCall()
					time.Sleep(20 * time.Minute)
				}
				if test.compact {
					before, err := p.Usage(t.Context())
					require.NoError(t, err)
					freed, err := p.Compact(t.Context())
					require.NoError(t, err)
					after, err := p.Usage(t.Context())
					require.NoError(t, err)
					require.Positive(t, freed)
					require.Equal(t, before.HistoryBytes-freed, after.HistoryBytes)
				}
				changes, err := p.Changes(t.Context(), "/f")
				require.NoError(t, err)
				require.Len(t, changes, writes, "the changes themselves are not forgotten")
				kept := map[string]int{}
				for _, e := range changes {
					age := time.Since(e.Time)
					switch {
					case !e.Kept:
					case age <= time.Hour:
						kept["hour"]++
					case age <= 25*time.Hour:
						kept["day"]++
					default:
						kept["month"]++
					}
				}
				removed, err := vfs.Removed(t.Context(), p, "/")
				require.NoError(t, err)
				require.Len(t, removed, 1)
				if !test.tiered {
					require.Equal(t, writes-1, kept["hour"]+kept["day"]+kept["month"])
					return
				}
				require.Equal(t, 3, kept["hour"])
				require.InDelta(t, 24, kept["day"], 4)
				require.InDelta(t, 3, kept["month"], 2)

				// What is left can be had back, and what is gone cannot be undone.
				latest := changes[0]
				require.NoError(t, p.Restore(t.Context(), latest.ID, "/copy"))
				content, err := afero.ReadFile(p, "/copy")
				require.NoError(t, err)
				require.Equal(t, fmt.Sprint(writes-2), string(content))
				for _, e := range changes {
					if e.Op == vfs.OpWrite && !e.Kept {
						_, err := p.OpenVersion(t.Context(), e.ID)
						require.ErrorIs(t, err, vfs.ErrNotKept)
						_, err = p.Undo(t.Context(), e.Call)
						require.ErrorContains(t, err, "the former content of /f is no longer kept")
						break
					}
				}
			})
		})
	}
}

// TestThinnedHistoriesAreRecovered thins out a history, and counts it anew.
func TestThinnedHistoriesAreRecovered(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		open := func() (vfs.Store, vfs.Project) {
			store, err := local.OpenStore(dir, &vfs.Options{NoSync: true})
			require.NoError(t, err)
			p, err := store.Open(t.Context(), "p")
			require.NoError(t, err)
			return store, p
		}
		store, p := open()
		for i := range 20 {
			require.NoError(t, afero.WriteFile(p, "/f", fmt.Append(nil, i), 0o644))
			time.Sleep(20 * time.Minute)
		}
		freed, err := p.Compact(t.Context())
		require.NoError(t, err)
		require.Positive(t, freed)
		before, err := p.Usage(t.Context())
		require.NoError(t, err)
		require.NoError(t, p.Close())
		require.NoError(t, store.Close())
		store, p = open()
		require.NoError(t, afero.WriteFile(p, "/g", nil, 0o644))
		after, err := p.Usage(t.Context())
		require.NoError(t, err)
		require.Equal(t, before.HistoryBytes+4<<10, after.HistoryBytes)
		changes, err := p.Changes(t.Context(), "/f")
		require.NoError(t, err)
		require.Len(t, changes, 20)
		require.NoError(t, p.Close())
		require.NoError(t, store.Close())
	})
}

// TestAgeOfWhatAnotherProcessDropped: how old the oldest change is has to be looked up again when another process has
// dropped the one that was the oldest.
func TestAgeOfWhatAnotherProcessDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		open := func(history vfs.HistoryOptions) vfs.Project {
			store, err := local.OpenStore(dir, &vfs.Options{History: history, NoSync: true})
			require.NoError(t, err)
			p, err := store.Open(t.Context(), "p")
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, errors.Join(p.Close(), store.Close())) })
			return p
		}
		one := open(vfs.HistoryOptions{Age: time.Hour})
		other := open(vfs.HistoryOptions{Age: time.Hour, Bytes: 10 << 10}) // two changes
		require.NoError(t, one.Mkdir("/first", 0o755))
		time.Sleep(50 * time.Minute)
		require.NoError(t, one.Mkdir("/second", 0o755))
		require.NoError(t, other.Mkdir("/third", 0o755))
		time.Sleep(20 * time.Minute)
		require.NoError(t, one.Mkdir("/fourth", 0o755))
		changes, err := one.Changes(t.Context(), "/")
		require.NoError(t, err)
		var paths []string
		for _, e := range changes {
			paths = append(paths, e.Path)
		}
		require.Equal(t, []string{"/fourth", "/third", "/second"}, paths)
	})
}
