package vfstest

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

func purge(t *testing.T, p vfs.Project, name string, options *vfs.PurgeOptions) *vfs.Purged {
	t.Helper()
	done, err := p.Purge(t.Context(), name, options)
	require.NoError(t, err)
	return done
}

// kept are the contents of files that the history of a path still has, the latest first.
func kept(t *testing.T, p vfs.Project, name string) (found []string) {
	t.Helper()
	changes, err := p.Changes(t.Context(), name)
	require.NoError(t, err)
	for _, c := range changes {
		f, err := p.OpenVersion(t.Context(), c.ID)
		switch {
		case errors.Is(err, syscall.EISDIR):
			found = append(found, c.Path+"/")
			continue
		case c.Purged != 0 && !c.Kept && c.Op != vfs.OpRename:
			require.ErrorIs(t, err, vfs.ErrPurged)
		case !c.Kept:
			require.ErrorIs(t, err, vfs.ErrNotKept)
		default:
			require.NoError(t, err)
			content, err := afero.ReadAll(f)
			require.NoError(t, err)
			found = append(found, string(content))
			closeNow(t, f)
		}
	}
	return found
}

func checkPurging(t *testing.T, store vfs.Store) {
	p := project(t, store, "p")
	_, err := p.Purge(t.Context(), "/none", nil)
	require.ErrorIs(t, err, fs.ErrNotExist)
	for _, name := range []string{"/", "..", "/a/../..", ""} {
		_, err := p.Purge(t.Context(), name, &vfs.PurgeOptions{Remove: true})
		require.ErrorIs(t, err, fs.ErrInvalid, name)
	}

	// The file has had another name, and was removed with its directory once.
	mkdir(t, p, "/d")
	write(t, p, "/d/other", "other")
	write(t, p, "/d/old", "one")
	write(t, p, "/d/old", "two")
	require.NoError(t, p.RemoveAll("/d"))
	changes, err := p.Changes(t.Context(), "/d")
	require.NoError(t, err)
	removal := changes[0].ID
	require.NoError(t, p.Restore(t.Context(), removal, ""))
	require.NoError(t, p.Rename("/d/old", "/secret"))
	write(t, p, "/secret", "three")
	before, err := p.Usage(t.Context())
	require.NoError(t, err)
	done := purge(t, p, "/d/../secret", &vfs.PurgeOptions{By: "ada"})
	require.Equal(t, 3, done.Versions, "before each writing, and in the directory")
	require.EqualValues(t, len("one")+len("two")+len("two"), done.Bytes)
	require.False(t, done.Removed)
	require.Empty(t, done.Others)
	require.Equal(t, "three", read(t, p, "/secret"))
	after, err := p.Usage(t.Context())
	require.NoError(t, err)
	require.Equal(t, before.Bytes, after.Bytes)
	require.Less(t, after.HistoryBytes, before.HistoryBytes)
	require.Empty(t, kept(t, p, "/secret"))
	changes, err = p.Changes(t.Context(), "/secret")
	require.NoError(t, err)
	note := changes[0]
	require.Equal(t, vfs.Change{ID: done.Change, Time: note.Time, Op: vfs.OpPurged, Path: "/secret", By: "ada"}, note)
	require.Equal(t, note.ID, changes[1].Purged)
	for _, id := range []int64{changes[1].ID, note.ID} {
		_, err = vfs.Revert(t.Context(), p, id, "")
		require.ErrorIs(t, err, vfs.ErrPurged)
	}
	require.ErrorIs(t, p.Restore(t.Context(), changes[1].ID, "/again"), vfs.ErrPurged)
	absent(t, p, "/again")

	// The rest of what was removed with it comes back.
	require.NoError(t, p.RemoveAll("/d"))
	_, err = p.RestoreMissing(t.Context(), removal, "/d/old", false)
	require.ErrorIs(t, err, vfs.ErrPurged)
	did, err := vfs.Revert(t.Context(), p, removal, "")
	require.NoError(t, err)
	require.Equal(t, "restored /d, without what has been purged", did)
	require.Equal(t, "other", read(t, p, "/d/other"))
	absent(t, p, "/d/old")
	require.Zero(t, purge(t, p, "/secret", nil).Change, "nothing more is kept")

	// What comes later is kept again, also of what was being written meanwhile.
	f := openFile(t, p.WithCall("writing"), "/secret", os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	_, err = f.WriteString("four")
	require.NoError(t, err)
	place := openFile(t, p, "/place", os.O_RDWR|os.O_CREATE)
	_, err = place.WriteString("first")
	require.NoError(t, err)
	write(t, p, "/secret", "three again")
	require.Equal(t, 1, purge(t, p, "/secret", nil).Versions)
	require.Zero(t, purge(t, p, "/place", nil).Versions, "it was empty")
	closeNow(t, f)
	require.Equal(t, []string{"three again"}, kept(t, p, "/secret"))
	_, err = place.WriteAt([]byte("F"), 0)
	require.NoError(t, err)
	closeNow(t, place)
	require.Equal(t, "First", read(t, p, "/place"))

	// A file that is no longer there, one that goes with its history, and one that has been moved.
	require.NoError(t, p.Remove("/secret"))
	require.Equal(t, 2, purge(t, p, "/secret", nil).Versions)
	require.Empty(t, kept(t, p, "/secret"))
	removed, err := vfs.Removed(t.Context(), p, "/")
	require.NoError(t, err)
	require.NotContains(t, removed, "/secret")
	write(t, p, "/secret", "five")
	write(t, p, "/secret", "six")
	usage, err := p.Usage(t.Context())
	require.NoError(t, err)
	done = purge(t, p, "/secret", &vfs.PurgeOptions{Remove: true})
	require.True(t, done.Removed)
	require.Equal(t, 1, done.Versions)
	absent(t, p, "/secret")
	require.Empty(t, kept(t, p, "/secret"))
	now, err := p.Usage(t.Context())
	require.NoError(t, err)
	require.Equal(t, usage.Bytes-3, now.Bytes)
	require.Equal(t, usage.Files-1, now.Files)
	write(t, p, "/from", "seven")
	write(t, p, "/from", "eight")
	require.NoError(t, p.Rename("/from", "/to"))
	write(t, p, "/to", "nine")
	done = purge(t, p, "/from", nil)
	require.Equal(t, []string{"/to"}, done.Others)
	require.Equal(t, []string{"eight"}, kept(t, p, "/to"))

	// A whole directory.
	write(t, p, "/d/new", "ten")
	write(t, p, "/d/new", "eleven")
	require.NoError(t, p.RemoveAll("/d"))
	purge(t, p, "/d", nil)
	require.Empty(t, kept(t, p, "/d"))

	// Names that differ in case are others.
	write(t, p, "/Case", "lower")
	write(t, p, "/Case", "upper")
	_, err = p.Purge(t.Context(), "/CASE", nil)
	conflict, ok := errors.AsType[*vfs.NameConflictError](err)
	require.True(t, ok, err)
	require.Equal(t, "/Case", conflict.Existing)
	require.Equal(t, []string{"lower"}, kept(t, p, "/Case"))
	require.NoError(t, p.Remove("/Case"))
	write(t, p, "/CASE", "another")
	require.Equal(t, []string{"/Case"}, purge(t, p, "/CASE", nil).Others)
	require.Equal(t, []string{"upper", "lower"}, kept(t, p, "/Case"))
	require.NoError(t, p.Exclusively(t.Context(), func(files afero.Fs) error {
		require.Equal(t, 2, purge(t, files.(vfs.Project), "/Case", nil).Versions)
		return nil
	}))
	require.Empty(t, kept(t, p, "/Case"))
}

func checkPurgedCalls(t *testing.T, store vfs.Store) {
	p := project(t, store, "p")
	write(t, p, "/secret", "one")
	write(t, p, "/over", "overwritten")
	write(t, p, "/file", "one")
	write(t, p, "/only", "one")
	write(t, p.WithCall("only"), "/only", "two")
	call := p.WithCall("call")
	write(t, call, "/secret", "two")
	write(t, call, "/file", "two")
	write(t, call, "/made", "secret, too")
	require.NoError(t, call.Rename("/file", "/over"))
	call.EndCall()
	for _, name := range []string{"/secret", "/over", "/only"} {
		purge(t, p.WithCall("purge "+name), name, nil)
	}
	purge(t, p.WithCall("all of it"), "/made", &vfs.PurgeOptions{Remove: true})

	// What has been purged is left as it is, and the list says so; the rest is undone, and can be redone.
	undone, err := p.Undo(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, "call", undone[0].Call)
	purged := map[string]bool{}
	for _, c := range undone {
		purged[string(c.Op)+" "+c.Path] = c.Purged != 0
	}
	require.Equal(t, map[string]bool{"write /secret": true, "write /file": true, "rename /file": true,
		"create /made": false}, purged)
	require.Equal(t, map[string]string{"/secret": "two", "/file": "two", "/only": "two"}, tree(t, p))
	_, err = p.Redo(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"/secret": "two", "/over": "two", "/only": "two"}, tree(t, p))
	_, err = p.Undo(t.Context(), "")
	require.NoError(t, err)
	_, err = p.Undo(t.Context(), "only")
	refused, ok := errors.AsType[*vfs.UndoError](err)
	require.True(t, ok, err)
	require.Equal(t, []string{"what /only was before has been purged"}, refused.Reasons)
	_, err = p.Undo(t.Context(), "all of it")
	require.ErrorContains(t, err, "what /made was before has been purged")
	_, err = p.Undo(t.Context(), "purge /secret")
	require.ErrorIs(t, err, vfs.ErrNotKept)
}

func checkPurgingCheckpoints(t *testing.T, store vfs.Store) {
	p := project(t, store, "p")
	write(t, p, "/old", "secret")
	checkpoint(t, p, "first")
	require.NoError(t, p.Rename("/old", "/file"))
	checkpoint(t, p, "second")
	write(t, p, "/old", "something else")
	write(t, p, "/file", "clean")
	checkpoint(t, p, "third")
	_, err := p.Purge(t.Context(), "/file", nil)
	held, ok := errors.AsType[*vfs.CheckpointsError](err)
	require.True(t, ok, err)
	require.Equal(t, []string{"first", "second"}, held.Checkpoints, "the third has what stays anyway")
	require.ErrorIs(t, err, syscall.EBUSY)
	require.Equal(t, []string{"secret"}, kept(t, p, "/file"))
	require.NoError(t, p.DeleteCheckpoint(t.Context(), "first"))
	require.NoError(t, p.DeleteCheckpoint(t.Context(), "second"))
	_, err = p.Purge(t.Context(), "/file", &vfs.PurgeOptions{Remove: true})
	require.ErrorContains(t, err, `the checkpoint "third" has a version of /file; delete it first`)
	require.Equal(t, "clean", read(t, p, "/file"))
	require.Equal(t, 1, purge(t, p, "/file", nil).Versions)

	// A directory has what stays if nothing in it has changed since.
	mkdir(t, p, "/d")
	write(t, p, "/d/a", "a")
	write(t, p, "/d/b", "b")
	checkpoint(t, p, "fourth")
	write(t, p, "/d/c", "c")
	write(t, p, "/d/c", "C")
	require.Equal(t, 1, purge(t, p, "/d", nil).Versions)
	write(t, p, "/d/a", "A")
	_, err = p.Purge(t.Context(), "/d", nil)
	require.ErrorContains(t, err, `"fourth"`)
	require.Equal(t, 0, purge(t, p, "/d/b", nil).Versions)
	restore(t, p, "third")
	require.Equal(t, "clean", read(t, p, "/file"))
}

// TestPurge checks that the bytes of what is purged are gone from a store. open returns an empty store, and a function
// that reports whether it still has a text anywhere; what a store only removes after a time, has been removed then.
func TestPurge(t *testing.T, open func(t *testing.T) (store vfs.Store, has func(t *testing.T, text string) bool)) {
	store, has := open(t)
	p := project(t, store, "p")
	text := func(word string) string { return strings.Repeat("the "+word+" version of a secret. ", 50_000) } // > 1 MiB
	words := []string{"first", "second", "third", "fourth"}
	mkdir(t, p, "/d")
	write(t, p, "/d/other", text("other"))
	write(t, p, "/d/secret", text("first"))
	write(t, p, "/d/secret", text("second"))
	require.NoError(t, p.RemoveAll("/d"))
	_, err := p.Undo(t.Context(), "")
	require.NoError(t, err)
	require.NoError(t, p.Rename("/d/secret", "/secret"))
	write(t, p, "/secret", text("third"))
	write(t, p, "/secret", text("fourth"))
	for _, word := range append(words, "other") {
		require.True(t, has(t, text(word)[:100]), word)
	}
	purge(t, p, "/secret", nil)
	for _, word := range words[:3] {
		require.False(t, has(t, text(word)[:100]), word)
	}
	require.Equal(t, text("fourth"), read(t, p, "/secret"))
	require.True(t, has(t, text("other")[:100]))
	purge(t, p, "/secret", &vfs.PurgeOptions{Remove: true})
	require.False(t, has(t, text("fourth")[:100]))
	require.Equal(t, text("other"), read(t, p, "/d/other"))
}
