package local

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

func allFiles(t *testing.T, files afero.Fs) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, afero.Walk(files, "/", func(name string, info fs.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			all[name] = "directory"
			return err
		}
		data, err := afero.ReadFile(files, name)
		all[name] = string(data)
		return err
	}))
	states, ok := vfs.StatesOf(files)
	require.True(t, ok)
	list, err := states.ListStates(t.Context())
	require.NoError(t, err)
	for _, info := range list {
		data, _, err := states.ReadState(t.Context(), info.StateID)
		require.NoError(t, err)
		all[info.String()] = string(data)
	}
	return all
}

// putState gives a project the state of a session.
func putState(t *testing.T, files afero.Fs, session, text string) {
	t.Helper()
	states, ok := vfs.StatesOf(files)
	require.True(t, ok)
	id := vfs.StateID{Session: session, Tool: "javascript"}
	_, before, err := states.ReadState(t.Context(), id)
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
	}
	require.NoError(t, states.WriteState(t.Context(), id, []byte(text), before))
}

// TestCheckpointsOnAHostThatFails lets one operation after the other fail while a checkpoint is created, restored and
// deleted. Whatever fails, the files are all as they were or all restored, at once or when somebody else comes.
func TestCheckpointsOnAHostThatFails(t *testing.T) {
	broken := errors.New("the disk is broken")
	for _, op := range []string{"sync", "lstat", "open", "rename", "removeAll"} {
		t.Run(op, func(t *testing.T) {
			for failing := 1; ; failing++ {
				h := &faulty{Backend: newMemory()}
				p := projectOn(h, nil)
				p.Core.InStore = true
				require.NoError(t, vfs.WriteFile(t.Context(), p, "/d/keep", []byte("kept")))
				require.NoError(t, vfs.WriteFile(t.Context(), p, "/f", []byte("old")))
				require.NoError(t, vfs.WriteFile(t.Context(), p, "/g", []byte("old")))
				putState(t, p, "main", "old")
				old := allFiles(t, p)
				_, err := p.CreateCheckpoint(t.Context(), "first", nil)
				require.NoError(t, err)
				require.NoError(t, p.RemoveAll("/d"))
				require.NoError(t, vfs.WriteFile(t.Context(), p, "/f", []byte("new")))
				require.NoError(t, vfs.WriteFile(t.Context(), p, "/e/f", []byte("new")))
				putState(t, p, "main", "new")
				putState(t, p, "other", "new")
				changed := allFiles(t, p)
				count := 0
				h.fail = func(what, _ string) error {
					if what == op {
						if count++; count == failing {
							return broken
						}
					}
					return nil
				}
				_, createErr := p.CreateCheckpoint(t.Context(), "second", nil)
				_, restoreErr := p.RestoreCheckpoint(t.Context(), "first", nil)
				deleteErr := p.DeleteCheckpoint(t.Context(), "second")
				h.fail = nil
				reached := count >= failing

				// Somebody else finds everything in order.
				if _, err := p.Stat("/somebody"); restoreErr != nil {
					require.ErrorIs(t, err, fs.ErrNotExist)
					require.NoError(t, p.MkdirAll("/", 0o755)) // takes the lock
				}
				found := allFiles(t, p)
				if restoreErr == nil {
					require.Equal(t, old, found, "failing %d", failing)
				} else if found["/f"] == "old" {
					require.Equal(t, old, found, "failing %d: %v", failing, restoreErr)
				} else {
					require.Equal(t, changed, found, "failing %d: %v", failing, restoreErr)
				}
				p = projectOn(h, nil)
				p.Core.InStore = true
				require.Equal(t, found, allFiles(t, p))
				all, err := p.Checkpoints(t.Context())
				require.NoError(t, err)
				names := map[string]bool{}
				for _, k := range all {
					names[k.Name] = true
					_, err := p.RestoreCheckpoint(t.Context(), k.Name, &vfs.RestoreOptions{DryRun: true})
					require.NoError(t, err)
				}
				require.True(t, names["first"])
				if createErr == nil && deleteErr == nil {
					require.False(t, names["second"])
				}
				_, err = p.RestoreCheckpoint(t.Context(), "first", nil)
				require.NoError(t, err)
				require.Equal(t, old, allFiles(t, p))
				usage, err := p.Usage(t.Context())
				require.NoError(t, err)
				require.EqualValues(t, len(old)-1, usage.Files)
				if !reached {
					require.NoError(t, errors.Join(createErr, restoreErr, deleteErr))
					return
				}
			}
		})
	}
}
