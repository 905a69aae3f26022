//go:build systemtest

package postgres_test

import (
	"context"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/admin"
	"github.com/toolrun/toolrun/vfs/partition"
	"github.com/toolrun/toolrun/vfs/postgres"
)

// TestPartitions has projects in two databases, moves one to a third, and takes the others to another rule.
func TestPartitions(t *testing.T) {
	stores := map[string]string{"a": pgtest.URL(t), "b": pgtest.URL(t)}
	open := func(rule partition.Rule) *partition.Store {
		store, err := partition.Open(t.Context(), &partition.Config{Stores: stores, Rule: rule}, nil,
			postgres.Opener(nil))
		require.NoError(t, err)
		return store
	}
	halves := partition.Rule{Slots: map[string]string{"0-511": "a", "512-1023": "b"}, Records: "a"}
	first := open(halves)
	for _, id := range []string{"p1", "p2", "p3", "p4", "p5"} {
		storetest.Write(t, storetest.Open(t, first, id).WithCall("call"), "/file", id)
	}
	require.NoError(t, first.Records("kind").Change(t.Context(), "name", 0, func([]byte) ([]byte, error) {
		return []byte("record"), nil
	}))

	// Another process sees what is changed in either database.
	second, err := first.With(nil)
	require.NoError(t, err)
	heard := make(chan string, 100)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- second.WatchProjects(ctx, func(id string) { heard <- id })
	}()
	for range stores {
		storetest.Hear(t, heard, "") // each says once that it hears of changes
	}
	for _, id := range []string{"p1", "p2"} {
		storetest.Write(t, storetest.Open(t, first, id), "/file", "new")
		storetest.Hear(t, heard, id) // what has been written before may be told as well
	}
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	data, err := second.Records("kind").Get(t.Context(), "name")
	require.NoError(t, err)
	require.Equal(t, "record", string(data))
	require.NoError(t, second.Close())

	// Without moving anything, a third database takes the projects of a new tenant.
	stores["c"] = pgtest.URL(t)
	rule := halves
	rule.Prefixes = map[string]string{"acme/": "c"}
	third := open(rule)
	require.Equal(t, "c", third.Name("acme/1"))
	storetest.Write(t, storetest.Open(t, third, "acme/1"), "/file", "acme")
	requireSound(t, third)

	// Moving a project: it is copied to where the new rule has it.
	rule.Projects = map[string]string{"p1": "c"}
	fourth := open(rule)
	_, err = fourth.OpenExisting(t.Context(), "p1")
	require.ErrorIs(t, err, fs.ErrNotExist)
	var problems []string
	require.NoError(t, fourth.Check(t.Context(), func(id, problem string) {
		problems = append(problems, id+": "+problem)
	}))
	require.Equal(t, []string{`p1: it is in the store b, and the rule says c: move it, or name b in "projects"`},
		problems)
	require.NoError(t, admin.Migrate(t.Context(), third, fourth, func(r admin.Result) {
		require.Equal(t, r.ID == "p1", r.Copied, r.ID)
	}))
	p := storetest.Open(t, fourth, "p1")
	require.Equal(t, "new", storetest.Read(t, p, "/file"))
	require.NoError(t, third.Delete(t.Context(), "p1"), "the old one")
	require.Equal(t, "new", storetest.Read(t, p, "/file"))
	requireSound(t, fourth)
	ids, err := fourth.List(t.Context(), "", 0)
	require.NoError(t, err)
	require.Equal(t, []string{"acme/1", "p1", "p2", "p3", "p4", "p5"}, ids)
	for _, store := range []vfs.Store{first, third, fourth} {
		require.NoError(t, store.Close())
	}
}
