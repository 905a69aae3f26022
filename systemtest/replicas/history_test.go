//go:build systemtest

package replicas_test

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/postgres"
)

// told is what clients know of a project.
type told struct {
	mu sync.Mutex
	// tried has all texts that clients have tried to write, by path, and whether they were told that one is written.
	tried map[string]map[string]bool
	// done are the texts of which they were told, by path and in this order.
	done map[string][]string
}

func newTold() *told {
	return &told{tried: map[string]map[string]bool{}, done: map[string][]string{}}
}

func (k *told) try(text string, paths ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, path := range paths {
		if k.tried[path] == nil {
			k.tried[path] = map[string]bool{}
		}
		k.tried[path][text] = false
	}
}

func (k *told) succeed(text string, paths ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, path := range paths {
		k.tried[path][text] = true
		k.done[path] = append(k.done[path], text)
	}
}

// A replay is a project's history, as it tells what has happened.
type replay struct {
	// calls are the ids of all calls, in the order of their last changes.
	calls []string
	// changed has the paths that a call has written, in order.
	changed map[string][]string
	// texts are all contents that a file has had, by path, the first first.
	texts map[string][]string
}

// newReplay reads the history of a project: what a change has written is what the next one to the file has replaced.
func newReplay(t *testing.T, project vfs.Project) *replay {
	changes, err := project.Changes(t.Context(), "/")
	require.NoError(t, err)
	slices.Reverse(changes)
	require.NotEmpty(t, changes)
	require.Equal(t, int64(1), changes[0].ID, "the history is whole")
	r := &replay{changed: map[string][]string{}, texts: map[string][]string{}}
	last := map[string]int64{}
	calls := map[string]int64{}
	for _, e := range changes {
		require.NotEmpty(t, e.Call)
		calls[e.Call] = e.ID
		if e.Op == vfs.OpMkdir {
			continue
		}
		require.Contains(t, []vfs.Op{vfs.OpCreate, vfs.OpWrite}, e.Op)
		require.Equal(t, e.Op == vfs.OpCreate, last[e.Path] == 0, "%s is created once", e.Path)
		if e.Op == vfs.OpWrite {
			f, err := project.OpenVersion(t.Context(), e.ID)
			require.NoError(t, err)
			text, err := io.ReadAll(f)
			require.NoError(t, errors.Join(err, f.Close()))
			r.texts[e.Path] = append(r.texts[e.Path], string(text))
		}
		last[e.Path] = e.ID
		r.changed[e.Call] = append(r.changed[e.Call], e.Path)
	}
	for path := range last {
		text, err := afero.ReadFile(project, path)
		require.NoError(t, err)
		r.texts[path] = append(r.texts[path], string(text))
	}
	for call := range calls {
		r.calls = append(r.calls, call)
	}
	slices.SortFunc(r.calls, func(a, b string) int { return int(calls[a] - calls[b]) })
	return r
}

// counts are what has become of calls.
type counts struct{ told, silent, undone atomic.Int64 }

// check compares what clients know with what the history says: what they were told has happened, in that order, and of
// the rest each file has been written as a whole, once, or not at all.
func (r *replay) check(t *testing.T, k *told, n *counts) {
	for path, texts := range r.texts {
		seen := map[string]bool{}
		var done []string
		for _, text := range texts {
			known, tried := k.tried[path][text]
			require.True(t, tried, "nobody has tried to write %q to %s", text, path)
			require.False(t, seen[text], "%q is in %s once", text, path)
			seen[text] = true
			if known {
				done = append(done, text)
				n.told.Add(1)
			} else {
				n.silent.Add(1)
			}
		}
		require.Equal(t, k.done[path], done, "what clients were told of %s", path)
	}
	for path, done := range k.done {
		require.NotEmpty(t, r.texts[path], "%s had %q", path, done)
	}
}

// undo undoes each call, the last one first, and sees that everything is then as it was before.
func (r *replay) undo(t *testing.T, project vfs.Project, n *counts) {
	for _, call := range slices.Backward(r.calls) {
		_, err := project.Undo(t.Context(), call)
		require.NoError(t, err)
		n.undone.Add(1)
		for _, path := range r.changed[call] {
			texts := r.texts[path][:len(r.texts[path])-1]
			r.texts[path] = texts
		}
		for _, path := range r.changed[call] {
			text, err := afero.ReadFile(project, path)
			if texts := r.texts[path]; len(texts) == 0 {
				require.ErrorIs(t, err, fs.ErrNotExist)
			} else {
				require.NoError(t, err)
				require.Equal(t, texts[len(texts)-1], string(text))
			}
		}
	}
	left, err := afero.ReadDir(project, "/")
	require.NoError(t, err)
	require.Empty(t, left, "nothing is left of what calls have made")
}

// checkUsage sees that a project is said to have what it has, and that its quota is right to the byte.
func checkUsage(t *testing.T, store *postgres.Store, project vfs.Project, id string) {
	var size, files int64
	require.NoError(t, afero.Walk(project, "/", func(path string, info fs.FileInfo, err error) error {
		if err != nil || path == "/" {
			return err
		}
		files++
		if !info.IsDir() {
			size += info.Size()
		}
		return nil
	}))
	usage, err := project.Usage(t.Context())
	require.NoError(t, err)
	require.Equal(t, [2]int64{size, files}, [2]int64{usage.Bytes, usage.Files}, id)

	const room = 10
	narrow, err := store.With(&vfs.Options{Quota: vfs.Quota{Bytes: size + room}})
	require.NoError(t, err)
	defer narrow.Close()
	limited, err := narrow.Open(t.Context(), id)
	require.NoError(t, err)
	defer limited.Close()
	err = vfs.WriteFile(t.Context(), limited, "/quota", make([]byte, room+1))
	_, exceeded := errors.AsType[*vfs.QuotaError](err)
	require.True(t, exceeded, "%v", err)
	require.NoError(t, vfs.WriteFile(t.Context(), limited, "/quota", make([]byte, room)))
	_, err = limited.Undo(t.Context(), "")
	require.NoError(t, err)
}
