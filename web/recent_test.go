package web_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/web"
)

// A countingStore counts how often the whole history of a project is read.
type countingStore struct {
	vfs.Store
	whole atomic.Int64
}

type countingProject struct {
	vfs.Project
	store *countingStore
}

func (s *countingStore) OpenExisting(ctx context.Context, id string) (vfs.Project, error) {
	p, err := s.Store.OpenExisting(ctx, id)
	if err != nil {
		return nil, err
	}
	return countingProject{p, s}, nil
}

func (p countingProject) Changes(ctx context.Context, name string) ([]vfs.Change, error) {
	p.store.whole.Add(1)
	return p.Project.Changes(ctx, name)
}

// TestProjectsAreListedWithoutTheirHistory has many changes, of which the list shows the last.
func TestProjectsAreListedWithoutTheirHistory(t *testing.T) {
	store := &countingStore{Store: local.NewMemoryStore(nil)}
	b := begin(t, toolrun.Options{}, web.Options{Store: store})
	p, err := store.Store.Open(t.Context(), "p")
	require.NoError(t, err)
	defer p.Close()
	for i := range 200 {
		require.NoError(t, vfs.WriteFile(t.Context(), p, "/a.txt", []byte(fmt.Sprint(i))))
	}
	changes, err := p.Changes(t.Context(), "/")
	require.NoError(t, err)
	var list struct{ Projects []struct{ Changed time.Time } }
	b.get("/api/projects", &list)
	require.Len(t, list.Projects, 1)
	require.True(t, changes[0].Time.Equal(list.Projects[0].Changed))
	require.Zero(t, store.whole.Load())
}

// TestCallsInParts lists calls of this process and of others in parts, and compares them with the whole.
func TestCallsInParts(t *testing.T) {
	store := local.NewMemoryStore(nil)
	one := tool.Func(tool.Spec{Name: "note", Description: "Writes a file."}, func(ctx context.Context,
		in struct{ File string }, env tool.Env) (string, error) {
		return "ok", vfs.WriteFile(ctx, env.Files, in.File, []byte("x"))
	})
	b := begin(t, toolrun.Options{Store: store, Tools: []tool.Tool{one}}, web.Options{})
	p, err := store.Open(t.Context(), "p")
	require.NoError(t, err)
	defer p.Close()
	var want []string
	for i := range 30 {
		if i%3 == 0 { // of another process
			id := fmt.Sprintf("other-%d", i)
			of := p.WithCall(id)
			for n := range 1 + i%2 {
				require.NoError(t, vfs.WriteFile(t.Context(), of, fmt.Sprintf("/a%d.txt", n), []byte(fmt.Sprint(i))))
			}
			of.EndCall()
			want = append(want, fmt.Sprintf("%s %d", id, 1+i%2))
			continue
		}
		var made struct{ Call string }
		b.post("/api/calls", m{"project": "p", "tool": "note", "input": m{"File": fmt.Sprintf("/%d.txt", i)}}, &made)
		await(b, "p", made.Call)
		want = append(want, made.Call+" 1")
	}
	slices.Reverse(want)
	for _, size := range []int{1, 7, 29, 30, 100} {
		var got []string
		for offset := 0; ; offset += size {
			var list struct {
				Calls []call
				More  bool
			}
			b.get(q("/api/calls", "project", "p", "offset", fmt.Sprint(offset), "limit", fmt.Sprint(size)), &list)
			for _, c := range list.Calls {
				got = append(got, fmt.Sprintf("%s %d", c.Call, c.Changes))
			}
			if !list.More {
				break
			}
		}
		require.Equal(t, want, got, "in parts of %d", size)
	}
}

// TestHistoryIsReadOnce looks at a project while others change it.
// TestUndoneCallsAreMarked: calls are marked by the history, whoever undoes and redoes them.
func TestUndoneCallsAreMarked(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	b.project("p", nil)
	p, err := b.runner.Store().Open(t.Context(), "p")
	require.NoError(t, err)
	defer p.Close()
	for _, id := range []string{"first", "second"} {
		call := p.WithCall(id)
		require.NoError(t, vfs.WriteFile(t.Context(), call, "/"+id, []byte("x")))
		call.EndCall()
	}
	undone := func() (marked []string) {
		t.Helper()
		var list struct {
			Calls []struct {
				Call   string
				Undone bool
			}
		}
		b.get(q("/api/calls", "project", "p"), &list)
		for _, c := range list.Calls {
			var one struct{ Undone bool }
			b.get(q("/api/calls/one", "project", "p", "call", c.Call), &one)
			require.Equal(t, c.Undone, one.Undone, c.Call)
			if c.Undone {
				marked = append(marked, c.Call)
			}
		}
		return marked
	}
	require.Empty(t, undone())
	_, err = p.Undo(t.Context(), "first") // such as by a command
	require.NoError(t, err)
	require.Equal(t, []string{"first"}, undone())
	b.post("/api/history/undo", m{"project": "p", "call": "second"}, nil)
	require.Equal(t, []string{"second", "first"}, undone())
	_, err = p.Redo(t.Context(), "first")
	require.NoError(t, err)
	require.Equal(t, []string{"second"}, undone())
	b.post("/api/history/redo", m{"project": "p", "call": "second"}, nil)
	require.Empty(t, undone())
}

func TestHistoryIsReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // it is read anew each minute
		store := &countingStore{Store: local.NewMemoryStore(nil)}
		b := begin(t, toolrun.Options{}, web.Options{Store: store})
		write := func(call, text string) {
			p, err := store.Store.Open(t.Context(), "p")
			require.NoError(t, err)
			defer p.Close()
			of := p.WithCall(call)
			defer of.EndCall()
			require.NoError(t, vfs.WriteFile(t.Context(), of, "/a.txt", []byte(text)))
		}
		calls := func() (ids []string) {
			var list struct{ Calls []call }
			b.get(q("/api/calls", "project", "p"), &list)
			for _, c := range list.Calls {
				ids = append(ids, fmt.Sprintf("%s %d", c.Call, c.Changes))
			}
			return ids
		}
		write("one", "1")
		next, end := b.events("p") // somebody looks
		defer end()
		require.Equal(t, "ready", next())
		require.Equal(t, []string{"one 1"}, calls())
		before := store.whole.Load()
		for i := range 50 {
			write("more", fmt.Sprint(i))
			require.Equal(t, []string{fmt.Sprintf("more %d", i+1), "one 1"}, calls())
		}
		require.LessOrEqual(t, store.whole.Load(), before)

		// A project that takes the place of another has a history of its own.
		require.NoError(t, store.Delete(t.Context(), "p"))
		write("other", "x")
		require.Equal(t, []string{"other 1"}, calls())
	})
}
