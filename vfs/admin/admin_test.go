package admin_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/admin"
	"github.com/toolrun/toolrun/vfs/local"
)

func onDisk(t *testing.T) vfs.Store {
	store, err := local.OpenStore(t.TempDir(), &vfs.Options{NoSync: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// eachKeeping runs a test with a store of each kind that can keep discarded projects.
func eachKeeping(t *testing.T, test func(t *testing.T, store vfs.Store)) {
	for name, open := range storetest.Stores {
		if name != "memory" {
			t.Run(name, func(t *testing.T) { test(t, open(t, &vfs.Options{NoSync: true})) })
		}
	}
}

var someState = vfs.StateID{Session: "main", Tool: "javascript"}

func writeState(t *testing.T, p vfs.Project, data string) {
	_, before, err := p.ReadState(t.Context(), someState)
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
	}
	require.NoError(t, p.WriteState(t.Context(), someState, []byte(data), before))
}

func readState(t *testing.T, p vfs.Project) string {
	data, _, err := p.ReadState(t.Context(), someState)
	require.NoError(t, err)
	return string(data)
}

// fill makes projects with a history, and returns how to see that it can be undone.
func fill(t *testing.T, store vfs.Store) {
	for i := range 3 {
		p, err := store.Open(t.Context(), fmt.Sprint("project é ", i))
		require.NoError(t, err)
		storetest.Write(t, p.WithCall("first"), "/dir/sub/file", "old")
		writeState(t, p.WithCall("first state"), "old variables")
		writeState(t, p.WithCall("second state"), "new variables")
		storetest.Write(t, p.WithCall("large"), "/large", strings.Repeat("0123456789", 250_000))
		require.NoError(t, p.Chmod("/large", 0o755))
		for _, name := range []string{"one", "two"} {
			_, err = p.CreateCheckpoint(t.Context(), name, nil)
			require.NoError(t, err)
		}
		storetest.Write(t, p.WithCall("second"), "/dir/sub/file", "new")
		require.NoError(t, p.MkdirAll("/gone/sub", 0o755))
		storetest.Write(t, p, "/gone/sub/file", "was here")
		require.NoError(t, p.WithCall("third").RemoveAll("/gone"))
		require.NoError(t, p.EditSettings(t.Context(), func([]byte) ([]byte, error) {
			return []byte(`{"retention":"all"}`), nil
		}))
		require.NoError(t, p.Close())
	}
}

// requireFilled checks a project, and undoes what fill has done.
func requireFilled(t *testing.T, store vfs.Store, id string) {
	p := storetest.Open(t, store, id)
	settings, err := p.Settings(t.Context())
	require.NoError(t, err)
	require.JSONEq(t, `{"retention":"all"}`, string(settings))
	for _, call := range []string{"third", "second"} {
		_, err := p.Undo(t.Context(), call)
		require.NoError(t, err)
	}
	require.Equal(t, "old", storetest.Read(t, p, "/dir/sub/file"))
	require.Equal(t, "was here", storetest.Read(t, p, "/gone/sub/file"))
	require.Equal(t, "new variables", readState(t, p))
	_, err = p.Undo(t.Context(), "second state")
	require.NoError(t, err)
	require.Equal(t, "old variables", readState(t, p))
	require.Len(t, storetest.Read(t, p, "/large"), 2_500_000)
	info, err := p.Stat("/large")
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o755), info.Mode().Perm())

	all, err := p.Checkpoints(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.NoError(t, p.RemoveAll("/large"))
	done, err := p.RestoreCheckpoint(t.Context(), "one", nil)
	require.NoError(t, err)
	require.NotEmpty(t, done.Changed)
	require.Equal(t, "old", storetest.Read(t, p, "/dir/sub/file"))
	require.Len(t, storetest.Read(t, p, "/large"), 2_500_000)
	require.Equal(t, "new variables", readState(t, p))
}

func requireSound(t *testing.T, store vfs.Store) {
	t.Helper()
	require.NoError(t, admin.Check(t.Context(), store, func(id, problem string) { t.Errorf("%s: %s", id, problem) }))
}

// count counts results.
func count(copied *int, failed *[]error) func(admin.Result) {
	return func(r admin.Result) {
		if r.Copied {
			*copied++
		}
		if r.Err != nil {
			*failed = append(*failed, r.Err)
		}
	}
}

// TestMigrate copies projects to a store of each kind and back, which can be undone there, and again, which changes
// nothing.
func TestMigrate(t *testing.T) {
	for name, open := range storetest.Stores {
		t.Run(name, func(t *testing.T) {
			disk, other, again := onDisk(t), open(t, &vfs.Options{NoSync: true}), onDisk(t)
			fill(t, disk)
			for _, way := range [][2]vfs.Store{{disk, other}, {other, again}} {
				copied, failed := 0, []error(nil)
				require.NoError(t, admin.Migrate(t.Context(), way[0], way[1], count(&copied, &failed)))
				require.Equal(t, 3, copied)
				require.Empty(t, failed)
				copied = 0
				require.NoError(t, admin.Migrate(t.Context(), way[0], way[1], count(&copied, &failed)))
				require.Zero(t, copied, "they are there already")
				require.Empty(t, failed)
				requireSound(t, way[1])
				for i := range 3 {
					id := fmt.Sprint("project é ", i)
					one, err := way[0].Usage(t.Context(), id)
					require.NoError(t, err)
					other, err := way[1].Usage(t.Context(), id)
					require.NoError(t, err)
					require.Equal(t, one, other)
				}
			}
			requireFilled(t, again, "project é 0")
			requireFilled(t, other, "project é 1")
			// What has been changed in the meantime is not overwritten.
			copied, failed := 0, []error(nil)
			require.ErrorIs(t, admin.Migrate(t.Context(), disk, other, count(&copied, &failed)), admin.ErrDifferent)
			require.Zero(t, copied)
			require.Len(t, failed, 1)
			requireSound(t, other)
		})
	}
}

// TestInterruptedMigration goes on where it was interrupted.
func TestInterruptedMigration(t *testing.T) {
	for name, open := range storetest.Stores {
		t.Run(name, func(t *testing.T) {
			from, to := onDisk(t), open(t, &vfs.Options{NoSync: true})
			fill(t, from)
			ctx, cancel := context.WithCancel(t.Context())
			require.ErrorIs(t, admin.Migrate(ctx, from, to, func(admin.Result) { cancel() }), context.Canceled)
			// One more has been copied in part, when the process died.
			p := storetest.Open(t, to, "project é 1")
			storetest.Write(t, p, "/large", "half")
			require.NoError(t, to.Records("store-migration").Change(t.Context(), "project é 1", 0,
				func([]byte) ([]byte, error) { return []byte("begun"), nil }))
			require.NoError(t, p.Close())
			copied, failed := 0, []error(nil)
			require.NoError(t, admin.Migrate(t.Context(), from, to, count(&copied, &failed)))
			require.Equal(t, 2, copied)
			requireSound(t, to)
			requireFilled(t, to, "project é 1")
		})
	}
}

// TestMigrateBeside copies discarded projects and records, which can be used there, and again.
func TestMigrateBeside(t *testing.T) {
	eachKeeping(t, func(t *testing.T, other vfs.Store) {
		disk, again := onDisk(t), onDisk(t)
		for i := range 3 { // probably within one second
			p, err := disk.Open(t.Context(), "gone é")
			require.NoError(t, err)
			storetest.Write(t, p.WithCall("call"), "/file", "old")
			storetest.Write(t, p.WithCall("call"), "/file", fmt.Sprint("content ", i))
			require.NoError(t, p.Close())
			require.NoError(t, disk.Discard(t.Context(), "gone é"))
		}
		records := func(store vfs.Store) vfs.Records { return store.Records("kind é") }
		set := func(store vfs.Store, name, text string, keep time.Duration) {
			require.NoError(t, records(store).Change(t.Context(), name, keep, func([]byte) ([]byte, error) {
				return []byte(text), nil
			}))
		}
		set(disk, "for good", "1", 0)
		set(disk, "for an hour", "2", time.Hour)
		for _, way := range [][2]vfs.Store{{disk, other}, {other, again}} {
			for _, want := range []int{5, 0} {
				copied, failed := 0, []error(nil)
				require.NoError(t, admin.Migrate(t.Context(), way[0], way[1], count(&copied, &failed)))
				require.Equal(t, want, copied)
				require.Empty(t, failed)
			}
			requireSound(t, way[1])
			before, err := way[0].Discarded(t.Context())
			require.NoError(t, err)
			after, err := way[1].Discarded(t.Context())
			require.NoError(t, err)
			require.ElementsMatch(t, before, after)
			for info, err := range way[1].AllRecords(t.Context()) {
				require.NoError(t, err)
				if info.Name == "for good" {
					require.Zero(t, info.Until)
				} else {
					require.WithinDuration(t, time.Now().Add(time.Hour), info.Until, 5*time.Minute)
				}
			}
			data, err := records(way[1]).Get(t.Context(), "for an hour")
			require.NoError(t, err)
			require.Equal(t, "2", string(data))
		}
		// They can be recovered, with their history.
		for _, store := range []vfs.Store{other, again} {
			contents := map[string]bool{}
			for i := range 3 {
				id := fmt.Sprint("back ", i)
				require.NoError(t, store.Recover(t.Context(), "gone é", id))
				p := storetest.Open(t, store, id)
				contents[storetest.Read(t, p, "/file")] = true
				_, err := p.Undo(t.Context(), "call")
				require.NoError(t, err)
				_, err = p.Stat("/file")
				require.ErrorIs(t, err, fs.ErrNotExist)
			}
			require.Len(t, contents, 3)
			requireSound(t, store)
		}
		// The originals are as they were.
		require.NoError(t, disk.Recover(t.Context(), "gone é", "gone é"))
		requireSound(t, disk)
		set(again, "for good", "changed", 0)
		copied, failed := 0, []error(nil)
		require.ErrorIs(t, admin.Migrate(t.Context(), other, again, count(&copied, &failed)), admin.ErrDifferent)
		require.Contains(t, fmt.Sprint(failed), "another one of this name")
	})
}

// TestInterruptedDiscarded fails in the middle of copying a discarded project, which must not seem to be there then.
func TestInterruptedDiscarded(t *testing.T) {
	eachKeeping(t, func(t *testing.T, to vfs.Store) {
		failed := errors.New("no more")
		d := vfs.Discarded{ID: "p", Time: time.Now().Truncate(time.Second)}
		require.ErrorIs(t, to.AddDiscarded(t.Context(), d, func(p vfs.Project) error {
			storetest.Write(t, p, "/file", "half")
			return failed
		}), failed)
		all, err := to.Discarded(t.Context())
		require.NoError(t, err)
		require.Empty(t, all)
		requireSound(t, to)
		_, err = to.OpenDiscarded(t.Context(), d, 0)
		require.ErrorIs(t, err, fs.ErrNotExist)
	})
}

// TestCheck finds what is wrong with a directory that somebody has changed.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	store, err := local.OpenStore(dir, nil)
	require.NoError(t, err)
	defer store.Close()
	storetest.Write(t, storetest.Open(t, store, "p"), "/file", "content")
	requireSound(t, store)
	require.NoError(t, os.WriteFile(dir+"/p/other", []byte("x"), 0o600))
	var problems []string
	require.NoError(t, admin.Check(t.Context(), store, func(id, problem string) {
		problems = append(problems, id+": "+problem)
	}))
	require.Equal(t, []string{"p: it is said to have 7 bytes in 1 files and directories, and has 8 in 2"}, problems)
}
