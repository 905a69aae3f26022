//go:build systemtest

package files_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
)

// someTree makes all files of one kind of a project: in directories and beside them, some of which only one kind has.
func someTree(t *testing.T, p vfs.Project, kind string) {
	t.Helper()
	for i := range 6 {
		storetest.Write(t, p, fmt.Sprintf("/both/%d", i), kind)
		storetest.Write(t, p, fmt.Sprintf("/%s/%d/%d", kind, i%2, i), kind)
	}
	storetest.Write(t, p, "/file", kind)
	states := statesOf(t, p)
	id := vfs.StateID{Session: "main", Tool: "javascript"}
	_, before, _ := states.ReadState(t.Context(), id) // there is none at first
	require.NoError(t, states.WriteState(t.Context(), id, []byte(kind), before))
	if kind == "a" {
		storetest.Write(t, p, "/either/inside", kind)
	} else {
		storetest.Write(t, p, "/either", kind)
	}
}

func statesOf(t *testing.T, p vfs.Project) vfs.States {
	t.Helper()
	states, ok := vfs.StatesOf(p)
	require.True(t, ok)
	return states
}

// filesAndState returns the content of all files and of the state.
func filesAndState(t *testing.T, p vfs.Project) map[string]string {
	t.Helper()
	all := storetest.Snapshot(t, p)
	data, _, err := statesOf(t, p).ReadState(t.Context(), vfs.StateID{Session: "main", Tool: "javascript"})
	require.NoError(t, err)
	all["the state"] = string(data)
	return all
}

// restoreForever restores two checkpoints by turns, and creates and deletes a third one, until it is killed. It says
// when it has begun, and what it restores and has restored.
func restoreForever(t *testing.T, work task, p vfs.Project, say func(...any)) {
	endWithInput()
	ctx := context.Background()
	say("begun")
	for i := work.Seed; ; i++ {
		name := []string{"a", "b"}[i%2]
		_, err := p.RestoreCheckpoint(ctx, name, nil)
		require.NoError(t, err)
		say("restored", name)
		_, err = p.CreateCheckpoint(ctx, "third", &vfs.CheckpointOptions{Automatic: true})
		require.NoError(t, err)
		if i%3 == 0 {
			require.NoError(t, p.DeleteCheckpoint(ctx, "third"))
		}
	}
}

// Whenever a process is killed that restores a checkpoint, whoever comes next finds all files as they were, or as they
// are in the checkpoint, and can undo that.
func TestAKilledProcessRestoresAllOrNothing(t *testing.T) {
	for name, test := range map[string]struct {
		options      vfs.Options
		times        int
		apart, layer bool
	}{
		"with syncing":    {vfs.Options{}, 3, false, false},
		"without syncing": {vfs.Options{NoSync: true}, 6, false, false},
		"without history": {vfs.Options{History: vfs.HistoryOptions{Off: true}, NoSync: true}, 3, false, false},
		"history apart":   {vfs.Options{NoSync: true}, 3, true, false},
		"in a layer":      {vfs.Options{NoSync: true}, 3, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			times := test.times
			if *soak {
				times *= 100
			}
			work := task{Role: "restore", Dir: t.TempDir(), Options: test.options, Layer: test.layer}
			if test.apart {
				work.Own = t.TempDir()
			}
			first := work.open(t)
			want := map[string]map[string]string{}
			for _, kind := range []string{"a", "b"} {
				for _, name := range []string{"/a", "/both", "/file", "/either"} {
					require.NoError(t, first.RemoveAll(name))
				}
				someTree(t, first, kind)
				want[kind] = filesAndState(t, first)
				_, err := first.CreateCheckpoint(t.Context(), kind, nil)
				require.NoError(t, err)
			}
			_, err := first.RestoreCheckpoint(t.Context(), "a", nil)
			require.NoError(t, err)
			require.NoError(t, first.Close())
			for i := range times {
				work.Seed = uint64(i)
				child := start(t, work)
				child.expect("begun")
				time.Sleep(rand.N(30 * time.Millisecond))
				child.kill()

				fresh := work.open(t)
				found := filesAndState(t, fresh)
				kind := found["/file"]
				require.Equal(t, want[kind], found, "all of one kind, round %d", i)
				requireExactUsageWithCheckpoints(t, fresh)
				require.NoError(t, fresh.MkdirAll("/", 0o755)) // takes the lock
				requireNoLeftovers(t, work.temporaries())
				_, err := os.Stat(filepath.Join(filepath.Dir(work.temporaries()), "restoring.json"))
				require.ErrorIs(t, err, os.ErrNotExist)
				all, err := fresh.Checkpoints(t.Context())
				require.NoError(t, err)
				for _, k := range all {
					if k.Name == "third" {
						_, err := fresh.RestoreCheckpoint(t.Context(), k.Name, &vfs.RestoreOptions{DryRun: true})
						require.NoError(t, err, "it is there as a whole")
						require.NoError(t, fresh.DeleteCheckpoint(t.Context(), k.Name))
					}
				}
				require.LessOrEqual(t, len(all), 3)
				if !test.options.History.Off {
					changes, err := fresh.Changes(t.Context(), "/")
					require.NoError(t, err)
					if last := changes[0]; last.Call != "" {
						_, err = fresh.Undo(t.Context(), last.Call)
						require.NoError(t, err)
						found = filesAndState(t, fresh)
						require.NotEqual(t, kind, found["/file"])
						require.Equal(t, want[found["/file"]], found, "and all can be undone")
					}
				}
				require.NoError(t, fresh.Close())
			}
		})
	}
}

func requireExactUsageWithCheckpoints(t *testing.T, p vfs.Project) {
	t.Helper()
	usage, err := p.Usage(t.Context())
	require.NoError(t, err)
	found, err := storetest.Recount(p)
	require.NoError(t, err)
	states, err := statesOf(t, p).ListStates(t.Context())
	require.NoError(t, err)
	for _, state := range states {
		found.Bytes, found.Files = found.Bytes+state.Size, found.Files+1
	}
	require.Equal(t, [2]int64{found.Bytes, found.Files}, [2]int64{usage.Bytes, usage.Files})
	all, err := p.Checkpoints(t.Context())
	require.NoError(t, err)
	cost := int64(0)
	for _, k := range all {
		cost += k.Cost()
	}
	require.Equal(t, cost, usage.CheckpointBytes)
}
