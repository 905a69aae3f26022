package vfstest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

// TestStore checks that a store and its projects behave as package vfs documents: ids, pages, deletion, settings,
// calls, history, checkpoints and usage, and each project as [TestFs] does. open returns an empty store with default
// options, each time another; what has to be closed is open's to see to, with t.Cleanup.
func TestStore(t *testing.T, open func(t *testing.T) vfs.Store) {
	for _, rule := range []struct {
		name  string
		check func(t *testing.T, store vfs.Store)
	}{
		{"projects are opened by their ids", checkOpening},
		{"ids come in pages", checkPages},
		{"a project can be deleted while it is open", checkDeleting},
		{"a discarded project can be recovered", checkDiscarding},
		{"settings are out of reach", checkSettings},
		{"calls end", checkCalls},
		{"calls are undone as a whole", checkUndo},
		{"what was undone can be redone", checkRedoing},
		{"versions can be had back", checkVersions},
		{"versions can be purged", checkPurging},
		{"purging a file leaves the rest of a call", checkPurgedCalls},
		{"purging waits for checkpoints", checkPurgingCheckpoints},
		{"checkpoints bring back all files", checkCheckpoints},
		{"checkpoints do not change with what they share", checkCheckpointsShare},
		{"checkpoints have the states of sessions", checkCheckpointsOfStates},
		{"checkpoints are limited", checkCheckpointLimits},
		{"checkpoints last as long as their project", checkCheckpointsLast},
		{"usage is exact", checkUsage},
		{"states of sessions are files that no path leads to", checkStates},
		{"states change with calls, and are undone with them", checkStateHistory},
		{"sessions are locked", checkSessionLocks},
		{"the key is one", checkSealKey},
		{"a context that has ended stops what may wait", checkContexts},
		{"records", checkRecords},
		{"records are kept for a time", checkRecordTimes},
		{"records change together, and are watched", checkRecordsTogether},
	} {
		t.Run(rule.name, func(t *testing.T) { rule.check(t, open(t)) })
	}
	t.Run("files", func(t *testing.T) {
		store, n := open(t), 0
		TestFs(t, func(t *testing.T) afero.Fs {
			n++
			return project(t, store, fmt.Sprint("files", n))
		})
	})
}

// project opens a project, which is closed at the end of the test if it has not been before.
func project(t *testing.T, store vfs.Store, id string) vfs.Project {
	t.Helper()
	p, err := store.Open(t.Context(), id)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func checkOpening(t *testing.T, store vfs.Store) {
	_, err := store.OpenExisting(t.Context(), "one")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = store.Usage(t.Context(), "one")
	require.ErrorIs(t, err, fs.ErrNotExist)
	ids, err := store.List(t.Context(), "", 0)
	require.NoError(t, err)
	require.Empty(t, ids, "nothing has been made by asking")

	first, second := project(t, store, "one"), project(t, store, "one")
	write(t, first, "/file", "text")
	require.Equal(t, "text", read(t, second, "/file"))
	existing, err := store.OpenExisting(t.Context(), "one")
	require.NoError(t, err)
	require.Equal(t, "text", read(t, existing, "/file"))
	require.NoError(t, existing.Close())
	require.Equal(t, "text", read(t, second, "/file"), "each is closed by itself")
	absent(t, project(t, store, "two"), "/file")

	_, err = store.Open(t.Context(), "ONE")
	_, conflict := errors.AsType[*vfs.NameConflictError](err)
	require.True(t, conflict, err)
	for _, id := range []string{"", strings.Repeat("x", vfs.MaxID+1), "a\x00b", "a\nb", "\xff"} {
		_, err := store.Open(t.Context(), id)
		_, invalid := errors.AsType[*vfs.InvalidIDError](err)
		require.True(t, invalid, id)
		_, err = store.OpenExisting(t.Context(), id)
		require.ErrorIs(t, err, fs.ErrInvalid, id)
		require.ErrorIs(t, store.Delete(t.Context(), id), fs.ErrInvalid, id)
		_, err = store.Usage(t.Context(), id)
		require.ErrorIs(t, err, fs.ErrInvalid, id)
	}

	// Any other text is an id, and leads to no other project.
	ids = []string{"..", "../one", "/a", `a\b`, "NUL", "alice@example.com", strings.Repeat("é", vfs.MaxID/2)}
	for _, id := range ids {
		p := project(t, store, id)
		absent(t, p, "/file")
		write(t, p, "/file", id)
	}
	for _, id := range ids {
		require.Equal(t, id, read(t, project(t, store, id), "/file"))
	}
	listed, err := store.List(t.Context(), "", 0)
	require.NoError(t, err)
	require.ElementsMatch(t, append(ids, "one", "two"), listed)
	for _, id := range ids {
		require.NoError(t, store.Delete(t.Context(), id))
		_, err := store.OpenExisting(t.Context(), id)
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
}

func checkPages(t *testing.T, store vfs.Store) {
	want := []string{"Z", "a", "b-1", "b_1", "c"}
	for _, id := range []string{"c", "a", "Z", "b_1", "b-1"} {
		require.NoError(t, project(t, store, id).Close())
	}
	var got []string
	for id, err := range vfs.IDs(t.Context(), store) {
		require.NoError(t, err)
		got = append(got, id)
	}
	require.Equal(t, want, got)
	for limit := 1; limit < 7; limit++ {
		got, after := []string(nil), ""
		for {
			page, err := store.List(t.Context(), after, limit)
			require.NoError(t, err)
			require.LessOrEqual(t, len(page), limit)
			if got = append(got, page...); len(page) < limit {
				break
			}
			after = page[limit-1]
		}
		require.Equal(t, want, got, "pages of %d", limit)
	}
	page, err := store.List(t.Context(), "b", 1) // which is none itself
	require.NoError(t, err)
	require.Equal(t, []string{"b-1"}, page)
	_, err = store.List(t.Context(), "", -1)
	require.ErrorIs(t, err, fs.ErrInvalid)
}

func checkDeleting(t *testing.T, store vfs.Store) {
	require.ErrorIs(t, store.Delete(t.Context(), "one"), fs.ErrNotExist)
	old := project(t, store, "one")
	write(t, old, "/file", "old")
	require.NoError(t, old.EditSettings(t.Context(), func([]byte) ([]byte, error) { return []byte("old"), nil }))
	require.NoError(t, store.Delete(t.Context(), "one"))
	require.ErrorIs(t, store.Delete(t.Context(), "one"), fs.ErrNotExist)
	require.ErrorIs(t, old.Mkdir("/d", 0o755), vfs.ErrDeleted)
	_, err := old.Settings(t.Context())
	require.ErrorIs(t, err, vfs.ErrDeleted)
	_, err = old.Usage(t.Context())
	require.ErrorIs(t, err, vfs.ErrDeleted)

	fresh := project(t, store, "one")
	require.Empty(t, tree(t, fresh))
	changes, err := fresh.Changes(t.Context(), "/")
	require.NoError(t, err)
	require.Empty(t, changes)
	settings, err := fresh.Settings(t.Context())
	require.NoError(t, err)
	require.Nil(t, settings)
	write(t, fresh, "/file", "new")
	require.ErrorIs(t, old.Mkdir("/d", 0o755), vfs.ErrDeleted, "the new project is none of its business")
}

func checkSettings(t *testing.T, store vfs.Store) {
	p := project(t, store, "one")
	put := func(data []byte) error {
		return p.EditSettings(t.Context(), func([]byte) ([]byte, error) { return data, nil })
	}
	require.NoError(t, put([]byte("first")))
	require.NoError(t, p.EditSettings(t.Context(), func(before []byte) ([]byte, error) {
		return append(before, "+"...), nil
	}))
	refused := errors.New("refused")
	require.ErrorIs(t, p.EditSettings(t.Context(), func([]byte) ([]byte, error) { return nil, refused }), refused)
	require.Error(t, put(make([]byte, vfs.MaxSettings+1)))
	changes, err := p.Changes(t.Context(), "/")
	require.NoError(t, err)
	require.Empty(t, changes)
	settings, err := project(t, store, "one").Settings(t.Context())
	require.NoError(t, err)
	require.Equal(t, "first+", string(settings))
	require.Empty(t, tree(t, p))
	usage, err := p.Usage(t.Context())
	require.NoError(t, err)
	require.Zero(t, usage.Bytes+usage.Files+usage.HistoryBytes)
	require.NoError(t, put(nil))
	settings, err = p.Settings(t.Context())
	require.NoError(t, err)
	require.Empty(t, settings)
}

func checkCalls(t *testing.T, store vfs.Store) {
	p := project(t, store, "one")
	write(t, p, "/file", "before")
	for name, see := range map[string]func(files afero.Fs) afero.Fs{
		"itself": func(files afero.Fs) afero.Fs { return files },
		"a view": func(files afero.Fs) afero.Fs { return vfs.ReadOnly(vfs.Sub(files, "/"), "/memories") },
	} {
		t.Run(name, func(t *testing.T) {
			call, end, err := vfs.BeginCall(see(p), "ends")
			require.NoError(t, err)
			left := openFile(t, call, "/file", os.O_RDWR|os.O_TRUNC)
			writeTo(t, left, "left behind")
			end()
			_, err = left.Write([]byte("more"))
			require.ErrorIs(t, err, fs.ErrClosed)
			require.ErrorIs(t, afero.WriteFile(call, "/other", nil, 0o644), fs.ErrClosed)
			_, err = call.Stat("/file")
			require.ErrorIs(t, err, fs.ErrClosed)
			require.ErrorIs(t, vfs.Exclusively(t.Context(), call, func(afero.Fs) error { return nil }), fs.ErrClosed)
			require.Equal(t, map[string]string{"/file": "before"}, tree(t, p))
		})
	}
	p.EndCall() // it is no call, so nothing ends
	write(t, p, "/file", "after")
}

func checkUndo(t *testing.T, store vfs.Store) {
	p := project(t, store, "one")
	_, err := p.Undo(t.Context(), "")
	require.ErrorIs(t, err, vfs.ErrNotKept)
	mkdir(t, p, "/d")
	write(t, p, "/file", "before")
	write(t, p, "/d/removed", "kept")
	before := tree(t, p)
	call := p.WithCall("call")
	write(t, call, "/file", "call")
	mkdir(t, call, "/new")
	write(t, call, "/new/file", "new")
	require.NoError(t, call.Rename("/file", "/moved"))
	require.NoError(t, call.RemoveAll("/d"))
	call.EndCall()
	changes, err := p.Changes(t.Context(), "/")
	require.NoError(t, err)
	for _, change := range changes[:5] {
		require.Equal(t, "call", change.Call)
	}
	undone, err := p.Undo(t.Context(), "")
	require.NoError(t, err)
	require.NotEmpty(t, undone)
	require.Equal(t, before, tree(t, p))
	_, err = p.Undo(t.Context(), "call")
	_, twice := errors.AsType[*vfs.UndoError](err)
	require.True(t, twice, err)

	write(t, p.WithCall("first"), "/file", "first")
	write(t, p.WithCall("second"), "/file", "second")
	_, err = p.Undo(t.Context(), "first")
	later, refused := errors.AsType[*vfs.UndoError](err)
	require.True(t, refused, err)
	require.Contains(t, later.Reasons, "/file has been changed since by second")
	require.Equal(t, "second", read(t, p, "/file"))

	// What a call does after it has been undone is in the way of undoing others.
	on := p.WithCall("on")
	write(t, on, "/on", "on")
	_, err = p.Undo(t.Context(), "on")
	require.NoError(t, err)
	write(t, p.WithCall("other"), "/other", "other")
	write(t, on, "/other", "on")
	_, err = p.Undo(t.Context(), "other")
	require.ErrorContains(t, err, "/other has been changed since by on")
	unit, err := p.CheckUndo(t.Context(), "")
	require.ErrorContains(t, err, "/other has been changed since by on",
		"the latest that can be undone at all is %s", unit)

	// In an exclusive section, all that it has done so far counts.
	require.NoError(t, p.Exclusively(t.Context(), func(files afero.Fs) error {
		inside := files.(vfs.Project)
		write(t, inside.WithCall("early"), "/x", "early")
		write(t, inside.WithCall("late"), "/x", "late")
		_, err := inside.Undo(t.Context(), "early")
		require.ErrorContains(t, err, "/x has been changed since by late")
		for _, want := range []string{"late", "early"} {
			unit, err := inside.CheckUndo(t.Context(), "")
			require.NoError(t, err)
			require.Equal(t, want, unit)
			_, err = inside.Undo(t.Context(), "")
			require.NoError(t, err)
		}
		absent(t, inside, "/x")
		return nil
	}))
	absent(t, p, "/x")

	for i := range 70 {
		write(t, p, "/many", strconv.Itoa(i))
	}
	all, err := p.Changes(t.Context(), "/")
	require.NoError(t, err)
	for i, c := range all { // what is new can be asked for alone
		newer, err := p.ChangesAfter(t.Context(), c.ID)
		require.NoError(t, err)
		if i == 0 {
			require.Empty(t, newer)
		} else {
			require.Equal(t, all[:i], newer)
		}
	}
	for _, n := range []int{-1, 0, 1, 2, len(all) - 1, len(all), len(all) + 100} { // and what is latest
		latest, err := p.LatestChanges(t.Context(), n)
		require.NoError(t, err)
		require.Equal(t, append([]vfs.Change(nil), all[:max(0, min(n, len(all)))]...), latest)
	}
}

func checkVersions(t *testing.T, store vfs.Store) {
	p := project(t, store, "one")
	write(t, p, "/file", "first")
	write(t, p, "/file", "second")
	require.NoError(t, p.Remove("/file"))
	changes, err := p.Changes(t.Context(), "/file")
	require.NoError(t, err)
	require.Len(t, changes, 3)
	require.Equal(t, []vfs.Op{vfs.OpRemove, vfs.OpWrite, vfs.OpCreate},
		[]vfs.Op{changes[0].Op, changes[1].Op, changes[2].Op})
	for i, want := range []string{"second", "first"} {
		f, err := p.OpenVersion(t.Context(), changes[i].ID)
		require.NoError(t, err)
		content, err := afero.ReadAll(f)
		require.NoError(t, err)
		require.Equal(t, want, string(content))
		closeNow(t, f)
	}
	_, err = p.OpenVersion(t.Context(), changes[2].ID)
	require.ErrorIs(t, err, vfs.ErrNotKept)
	require.NoError(t, p.Restore(t.Context(), changes[1].ID, ""))
	require.Equal(t, "first", read(t, p, "/file"))
	require.ErrorIs(t, p.Restore(t.Context(), 1000, ""), vfs.ErrNotKept)

	// The history follows a rename, of the file or of a directory that it is in.
	mkdir(t, p, "/dir")
	require.NoError(t, p.Rename("/file", "/dir/new"))
	require.NoError(t, p.Rename("/dir", "/moved"))
	write(t, p, "/file", "another")
	changes, err = p.Changes(t.Context(), "/moved/new")
	require.NoError(t, err)
	var ops []vfs.Op
	for _, e := range changes {
		ops = append(ops, e.Op)
	}
	require.Equal(t, []vfs.Op{vfs.OpRename, vfs.OpRename, vfs.OpCreate, vfs.OpRemove, vfs.OpWrite, vfs.OpCreate}, ops)
	write(t, p, "/moved/new", "latest")
	changes, err = p.Changes(t.Context(), "/moved/new")
	require.NoError(t, err)
	require.NoError(t, p.Restore(t.Context(), changes[0].ID, "/copy/of"))
	require.Equal(t, "first", read(t, p, "/copy/of"))
	require.Equal(t, "latest", read(t, p, "/moved/new"))
	require.Error(t, p.Restore(t.Context(), changes[0].ID, "/moved"), "a directory is not replaced")
	write(t, p, "/a", "1")
	write(t, p, "/a", "2")
	require.NoError(t, p.Rename("/a", "/b"))
	changes, err = p.Changes(t.Context(), "/b")
	require.NoError(t, err)
	require.Equal(t, vfs.OpWrite, changes[1].Op)
	require.NoError(t, p.Restore(t.Context(), changes[1].ID, ""))
	require.Equal(t, "1", read(t, p, "/b"), "it goes where the file is now")
	absent(t, p, "/a")

	// What has been removed is listed, and can be put elsewhere.
	require.NoError(t, p.RemoveAll("/moved"))
	require.NoError(t, p.Remove("/b"))
	write(t, p, "/b", "anew")
	removed, err := vfs.Removed(t.Context(), p, "/")
	require.NoError(t, err)
	require.Len(t, removed, 1)
	require.Equal(t, "/moved", removed[0].Path)
	require.NoError(t, p.Restore(t.Context(), removed[0].ID, "/elsewhere"))
	require.Equal(t, "latest", read(t, p, "/elsewhere/new"))

	// So is what was in a directory where there is another one now, but not what has been brought back.
	paths := func(name string) (paths []string) {
		removed, err := vfs.Removed(t.Context(), p, name)
		require.NoError(t, err)
		for _, e := range removed {
			paths = append(paths, e.Path)
		}
		return paths
	}
	mkdir(t, p, "/again/sub")
	write(t, p, "/again/sub/file", "in it")
	require.NoError(t, p.RemoveAll("/again"))
	mkdir(t, p, "/again")
	write(t, p, "/again/other", "another")
	require.Equal(t, []string{"/again/sub"}, paths("/again"))
	mkdir(t, p, "/again/sub")
	require.Equal(t, []string{"/again/sub/file"}, paths("/again"))
	require.Equal(t, []string{"/again/sub/file"}, paths("/again/sub"))
	require.Equal(t, []string{"/again/sub/file"}, paths("/again/sub/file"))
	require.Empty(t, paths("/again/other"))
	removed, err = vfs.Removed(t.Context(), p, "/again")
	require.NoError(t, err)
	require.ErrorIs(t, p.Restore(t.Context(), removed[0].ID, ""), fs.ErrExist)
	require.NoError(t, p.Restore(t.Context(), removed[0].ID, "/recovered"))
	require.Equal(t, "in it", read(t, p, "/recovered/sub/file"))
	write(t, p, "/again/sub/new", "stays")
	did, err := vfs.Revert(t.Context(), p, removed[0].ID, "")
	require.NoError(t, err)
	require.Equal(t, "restored /again/sub/file", did)
	require.Equal(t, "in it", read(t, p, "/again/sub/file"))
	require.Equal(t, "stays", read(t, p, "/again/sub/new"))
	require.Empty(t, paths("/again"))
	_, err = vfs.Revert(t.Context(), p, removed[0].ID, "")
	require.ErrorIs(t, err, fs.ErrExist)
	require.NoError(t, p.Rename("/again/sub/file", "/again/renamed"))
	require.Empty(t, paths("/again"), "it has been brought back, and renamed")
	checkParts(t, p)
	require.NoError(t, p.RemoveAll("/recovered"))
	require.Equal(t, []string{"/recovered"}, paths("/recovered"))
	removed, err = vfs.Removed(t.Context(), p, "/recovered")
	require.NoError(t, err)
	require.NoError(t, p.Restore(t.Context(), removed[0].ID, ""))
	require.Empty(t, paths("/recovered"))
	write(t, p, "/file or not", "a file")
	require.NoError(t, p.Remove("/file or not"))
	mkdir(t, p, "/file or not")
	require.Empty(t, paths("/file or not"))
}

// checkParts has directories removed and made again: what was in them is listed and comes back by itself, also of the
// time before the last one, and replaces nothing.
func checkParts(t *testing.T, p vfs.Project) {
	removed := func(name string) (paths []string, of vfs.Change) {
		list, err := vfs.Removed(t.Context(), p, name)
		require.NoError(t, err)
		for _, e := range list {
			paths = append(paths, e.Path)
			of = e
		}
		return paths, of
	}
	mkdir(t, p, "/parts/deep")
	write(t, p, "/parts/first", "first")
	write(t, p, "/parts/deep/one", "one")
	write(t, p, "/parts/deep/two", "two")
	require.NoError(t, p.RemoveAll("/parts"))
	mkdir(t, p, "/parts")
	write(t, p, "/parts/second", "second")
	require.NoError(t, p.RemoveAll("/parts"))
	mkdir(t, p, "/parts")
	write(t, p, "/parts/deep", "a file now")
	paths, first := removed("/parts")
	require.Equal(t, []string{"/parts/second", "/parts/first"}, paths)
	require.NoError(t, p.Remove("/parts/deep"))
	paths, _ = removed("/parts")
	require.Equal(t, []string{"/parts/deep", "/parts/second", "/parts/first"}, paths)
	mkdir(t, p, "/parts/deep")
	paths, _ = removed("/parts")
	require.Equal(t, []string{"/parts/second", "/parts/deep/one", "/parts/deep/two", "/parts/first"}, paths)

	restored, err := p.RestoreMissing(t.Context(), first.ID, "/parts/deep/two", true)
	require.NoError(t, err)
	require.Equal(t, []string{"/parts/deep/two"}, restored)
	absent(t, p, "/parts/deep/two")
	did, err := vfs.RevertPart(t.Context(), p, first.ID, "/parts/deep/two")
	require.NoError(t, err)
	require.Equal(t, "restored /parts/deep/two", did)
	require.Equal(t, "two", read(t, p, "/parts/deep/two"))
	absent(t, p, "/parts/deep/one")
	for _, name := range []string{"/parts/second", "/parts/none", "/", "/other"} {
		_, err = vfs.RevertPart(t.Context(), p, first.ID, name)
		require.ErrorIs(t, err, fs.ErrNotExist, name)
	}
	call := p.WithCall("bring back")
	did, err = vfs.Revert(t.Context(), call, first.ID, "")
	call.EndCall()
	require.NoError(t, err)
	require.Equal(t, "restored /parts/deep/one, /parts/first", did)
	require.Equal(t, "one", read(t, p, "/parts/deep/one"))
	undone, err := p.Undo(t.Context(), "bring back")
	require.NoError(t, err)
	require.Len(t, undone, 2)
	absent(t, p, "/parts/first")
	require.Equal(t, "two", read(t, p, "/parts/deep/two"))
	changes, err := p.LatestChanges(t.Context(), 1)
	require.NoError(t, err)
	_, err = p.RestoreMissing(t.Context(), changes[0].ID, "", true)
	require.ErrorIs(t, err, vfs.ErrNotKept)
}

func checkUsage(t *testing.T, store vfs.Store) {
	p := project(t, store, "one")
	mkdir(t, p, "/d/e")
	write(t, p, "/d/file", "12345")
	write(t, p, "/d/file", "123")
	usage, err := p.Usage(t.Context())
	require.NoError(t, err)
	require.Equal(t, [2]int64{3, 3}, [2]int64{usage.Bytes, usage.Files})
	require.GreaterOrEqual(t, usage.HistoryBytes, int64(5), "what was replaced is kept")
	usual, err := (&vfs.Options{}).WithDefaults()
	require.NoError(t, err)
	require.Equal(t, usual.Quota, usage.Quota)
	for _, view := range []afero.Fs{p, vfs.Sub(p, "/d"), vfs.ReadOnly(p)} {
		same, err := vfs.UsageOf(t.Context(), view)
		require.NoError(t, err)
		require.Equal(t, usage, same, "a view has its project's")
	}
	same, err := store.Usage(t.Context(), "one")
	require.NoError(t, err)
	require.Equal(t, usage, same)
	require.NoError(t, p.Close())
	same, err = store.Usage(t.Context(), "one")
	require.NoError(t, err)
	require.Equal(t, usage, same)
	mebibytes := make([]byte, 1<<20)
	p = project(t, store, "two")
	f, err := p.Create("/large")
	require.NoError(t, err)
	for err == nil {
		_, err = f.Write(mebibytes)
	}
	_, exceeded := errors.AsType[*vfs.QuotaError](err)
	require.True(t, exceeded, err)
	require.Error(t, f.Close())
	absent(t, p, "/large")
	usage, err = p.Usage(t.Context())
	require.NoError(t, err)
	require.Zero(t, usage.Bytes+usage.Files)
}

func checkContexts(t *testing.T, store vfs.Store) {
	p := project(t, store, "one")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, do := range map[string]func() error{
		"open":          func() error { _, err := store.Open(ended, "two"); return err },
		"open existing": func() error { _, err := store.OpenExisting(ended, "one"); return err },
		"list":          func() error { _, err := store.List(ended, "", 0); return err },
		"usage":         func() error { _, err := p.Usage(ended); return err },
		"settings":      func() error { _, err := p.Settings(ended); return err },
		"changes":       func() error { _, err := p.Changes(ended, "/"); return err },
	} {
		require.ErrorIs(t, do(), context.Canceled, name)
	}
	require.NoError(t, p.Exclusively(t.Context(), func(afero.Fs) error {
		require.ErrorIs(t, p.Exclusively(ended, func(afero.Fs) error { return nil }), context.Canceled)
		return nil
	}))
}
