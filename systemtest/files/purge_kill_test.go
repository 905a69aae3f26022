//go:build systemtest

package files_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
)

// purgeForever writes versions of a file, also one that is removed with its folder, and purges them, until it is
// killed.
func purgeForever(t *testing.T, work task, p vfs.Project, say func(...any)) {
	endWithInput()
	say("begun")
	for i := work.Seed; ; i++ {
		for n := range 10 {
			storetest.Write(t, p, "/d/secret", fmt.Sprint("secret ", i, n))
			storetest.Write(t, p, "/d/other", fmt.Sprint("other ", i, n))
		}
		require.NoError(t, p.RemoveAll("/d"))
		_, err := p.Purge(t.Context(), "/d/secret", &vfs.PurgeOptions{Remove: i%2 == 0})
		require.NoError(t, err)
		say("purged")
	}
}

// Whenever a process is killed that purges a file, whoever comes next finds that purged which the history says is.
func TestAKilledProcessPurgesAllOrNothing(t *testing.T) {
	for name, test := range map[string]struct {
		options      vfs.Options
		apart, layer bool
	}{
		"in a store":    {vfs.Options{NoSync: true}, false, false},
		"with syncing":  {vfs.Options{}, false, false},
		"history apart": {vfs.Options{NoSync: true}, true, false},
		"in a layer":    {vfs.Options{NoSync: true}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			times := 6
			if *soak {
				times *= 100
			}
			work := task{Role: "purge", Dir: t.TempDir(), Options: test.options, Layer: test.layer}
			own := filepath.Join(work.Dir, "p")
			if test.apart {
				work.Own = t.TempDir()
				own = work.Own
			}
			for i := range times {
				work.Seed = uint64(i)
				child := start(t, work)
				child.expect("begun")
				time.Sleep(rand.N(60 * time.Millisecond))
				child.kill()

				fresh := work.open(t)
				require.NoError(t, fresh.MkdirAll("/new", 0o755)) // takes the lock
				changes, err := fresh.Changes(t.Context(), "/")
				require.NoError(t, err)
				kept, purged := map[string]bool{}, false
				for _, c := range changes { // the latest first
					purged = purged || c.Op == vfs.OpPurged
					if c.Kept {
						kept[fmt.Sprintf("%016d.kept", c.ID)] = true
						require.False(t, purged && c.Path == "/d/secret", "round %d: change %d", i, c.ID)
					}
				}
				found := map[string]bool{}
				history := filepath.Join(own, ".toolrun", "history")
				entries, err := os.ReadDir(history)
				require.NoError(t, err)
				for _, e := range entries {
					if strings.HasSuffix(e.Name(), ".kept") {
						found[e.Name()] = true
					}
				}
				require.Equal(t, kept, found, "nothing else is left, round %d", i)
				requireNoLeftovers(t, work.temporaries())
				_, err = fresh.Purge(t.Context(), "/d/secret", &vfs.PurgeOptions{Remove: true})
				if err != nil { // nothing has been written yet
					require.ErrorIs(t, err, os.ErrNotExist)
				}
				for name, described := range storetest.FilesOfTheHost(t, history) {
					require.NotContains(t, described, fmt.Sprintf("%x", "secret "), "round %d: %s", i, name)
				}
				require.NoError(t, fresh.Close())
			}
		})
	}
}
