package partition_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/pgtest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/admin"
	"github.com/toolrun/toolrun/vfs/internal/storetest"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/vfs/partition"
	"github.com/toolrun/toolrun/vfs/vfstest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

var halves = partition.Rule{Slots: map[string]string{"0-511": "a", "512-1023": "b"}, Records: "a"}

func memory(t *testing.T, rule partition.Rule) (*partition.Store, map[string]vfs.Store) {
	members := map[string]vfs.Store{"a": local.NewMemoryStore(nil), "b": local.NewMemoryStore(nil)}
	store, err := partition.New(&rule, members)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store, members
}

func TestStore(t *testing.T) {
	vfstest.TestStore(t, func(t *testing.T) vfs.Store {
		store, _ := memory(t, halves)
		return store
	})
}

// TestSlots has the slots of ids, which must be the same forever.
func TestSlots(t *testing.T) {
	for id, slot := range map[string]int{"notes": 1018, "NOTES": 1018, "team/é": 181, "team/É": 181,
		"alice@example.com": 700} {
		require.Equal(t, slot, partition.Slot(id), id)
	}
	// Ids that differ in case only conflict, so they must be in the same store.
	for c := rune(1); c <= unicode.MaxRune; c++ {
		for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
			require.Equal(t, partition.Slot(string(c)), partition.Slot(string(other)), "%q %q", c, other)
		}
	}
	counts := map[bool]int{}
	for i := range 10_000 {
		counts[partition.Slot(fmt.Sprint("project", i)) < 512]++
	}
	require.InDelta(t, counts[true], counts[false], 500)
}

func TestRules(t *testing.T) {
	rule := halves
	rule.Projects = map[string]string{"acme/one": "a", "notes": "b"}
	rule.Prefixes = map[string]string{"acme/": "b", "acme/sub/": "a", "": "a"}
	store, _ := memory(t, rule)
	for id, name := range map[string]string{
		"notes": "b", "Notes": "b", "acme/one": "a", "ACME/ONE": "a", "acme/two": "b", "Acme/Sub/x": "a", "other": "a",
		"other2": "a",
	} {
		require.Equal(t, name, store.Name(id), id)
	}
	for text, rule := range map[string]string{
		`slots "0-2000"`:                 `{"stores": {"a": "x"}, "slots": {"0-2000": "a"}, "records": "a"}`,
		`slots "-1"`:                     `{"stores": {"a": "x"}, "slots": {"-1": "a"}, "records": "a"}`,
		"slot 1023 is not in":            `{"stores": {"a": "x"}, "slots": {"0-1022": "a"}, "records": "a"}`,
		"slot 7 is in the":               `{"stores": {"a": "x"}, "slots": {"0-1023": "a", "7": "a"}, "records": "a"}`,
		`no store "b"`:                   `{"stores": {"a": "x"}, "slots": {"0-1023": "b"}, "records": "a"}`,
		`no store ""`:                    `{"stores": {"a": "x"}, "slots": {"0-1023": "a"}}`,
		"project A is in":                `{"stores": {"a": "x", "b": "y"}, "projects": {"a": "a", "A": "b"}, "slots": {"0-1023": "b"}, "records": "a"}`,
		"unknown field":                  `{"stores": {"a": "x"}, "slot": {}}`,
		"no stores":                      `{}`,
		`"slots" is in an object twice`:  `{"stores": {"a": "x", "b": "y"}, "slots": {"0-1023": "a"}, "records": "a", "slots": {"0-1023": "b"}}`,
		`"0-1023" is in an object twice`: `{"stores": {"a": "x", "b": "y"}, "slots": {"0-1023": "a", "0-1023": "b"}, "records": "a"}`,
		`"p" is in an object twice`:      `{"stores": {"a": "x", "b": "y"}, "projects": {"p": "a", "\u0070": "b"}, "slots": {"0-1023": "a"}, "records": "a"}`,
		`unknown field "Slots"`:          `{"stores": {"a": "x", "b": "y"}, "slots": {"0-1023": "a"}, "records": "a", "Slots": {"0-1023": "b"}}`,
		"cannot unmarshal array":         `[]`,
		"after top-level value":          `{"stores": {"a": "x"}, "slots": {"0-1023": "a"}, "records": "a"} 1`,
		"it has control chars": "{\"stores\": {\"a\": \"x\"}, \"projects\": {\"\\u0001\": \"a\"}, " +
			"\"slots\": {\"0-1023\": \"a\"}, \"records\": \"a\"}",
	} {
		_, err := partition.ParseConfig([]byte(rule))
		if strings.HasPrefix(text, "project A") { // or a: whichever comes first
			require.ErrorContains(t, err, "is in the rule twice")
			continue
		}
		require.ErrorContains(t, err, strings.TrimSuffix(text, "s"), rule)
	}
	_, err := partition.ParseConfig([]byte(`{"stores": {"a": "postgres://u:secret@h/d", "a": "x"}}`))
	require.ErrorContains(t, err, "twice")
	require.NotContains(t, err.Error(), "secret")
}

func TestLists(t *testing.T) {
	store, members := memory(t, halves)
	var want []string
	for i := range 50 {
		id := fmt.Sprintf("p%02d", i)
		want = append(want, id)
		p, err := store.Open(t.Context(), id)
		require.NoError(t, err)
		require.NoError(t, p.Close())
		// There is one of each in the other store, too, which is not seen.
		for _, member := range members {
			p, err := member.Open(t.Context(), id)
			require.NoError(t, err)
			require.NoError(t, p.Close())
		}
	}
	for _, limit := range []int{0, 1, 7, 50, 51} {
		var all []string
		for after := ""; ; after = all[len(all)-1] {
			page, err := store.List(t.Context(), after, limit)
			require.NoError(t, err)
			all = append(all, page...)
			if len(page) < limit || limit == 0 {
				break
			}
		}
		require.Equal(t, want, all, limit)
	}
	var problems []string
	require.NoError(t, store.Check(t.Context(), func(id, problem string) { problems = append(problems, id) }))
	require.ElementsMatch(t, want, problems)
	_, err := store.List(t.Context(), "", -1)
	require.ErrorIs(t, err, fs.ErrInvalid)
}

func TestDiscarded(t *testing.T) {
	members := map[string]vfs.Store{}
	for _, name := range []string{"a", "b"} {
		var err error
		members[name], err = local.OpenStore(t.TempDir(), &vfs.Options{NoSync: true})
		require.NoError(t, err)
	}
	store, err := partition.New(&halves, members)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	require.Equal(t, "a", store.Name("p2"))
	require.Equal(t, "b", store.Name("p3"))
	for _, id := range []string{"p2", "p3"} {
		storetest.Write(t, storetest.Open(t, store, id), "/file", id)
		require.NoError(t, store.Discard(t.Context(), id))
	}
	all, err := store.Discarded(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.ErrorIs(t, store.Recover(t.Context(), "p2", "p3"), fs.ErrInvalid, "it would be in the other store")
	require.NoError(t, store.Recover(t.Context(), "p3", "p3"))
	require.Equal(t, "p3", storetest.Read(t, storetest.Open(t, store, "p3"), "/file"))
}

// TestDatabases has projects in two databases, moves one to a third, and takes the others to another rule.
func TestDatabases(t *testing.T) {
	stores := map[string]string{"a": pgtest.URL(t), "b": pgtest.URL(t)}
	open := func(rule partition.Rule) *partition.Store {
		store, err := partition.Open(&partition.Config{Stores: stores, Rule: rule}, nil,
			func(place string, options *vfs.Options) (vfs.Store, error) {
				return storetest.OpenDatabaseAt(t, place, options)
			})
		require.NoError(t, err)
		return store
	}
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
		done <- second.(vfs.WatchedStore).WatchProjects(ctx, func(id string) { heard <- id })
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
	data, err := second.(vfs.RecordStore).Records("kind").Get(t.Context(), "name")
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

func requireSound(t *testing.T, store vfs.Store) {
	t.Helper()
	require.NoError(t, admin.Check(t.Context(), store, func(id, problem string) { t.Errorf("%s: %s", id, problem) }))
}

// TestMembersThatFail has a member that cannot be opened, or cannot do something.
func TestMembersThatFail(t *testing.T) {
	failed := errors.New("no answer")
	closed := 0
	_, err := partition.Open(&partition.Config{Stores: map[string]string{"a": "1", "b": "2"}, Rule: halves}, nil,
		func(place string, _ *vfs.Options) (vfs.Store, error) {
			if place == "2" {
				return nil, failed
			}
			return closing{local.NewMemoryStore(nil), &closed}, nil
		})
	require.ErrorIs(t, err, failed)
	require.ErrorContains(t, err, "store b")
	require.Equal(t, 1, closed)
	_, err = partition.New(&halves, map[string]vfs.Store{"a": closing{local.NewMemoryStore(nil), &closed},
		"b": local.NewMemoryStore(nil)})
	require.ErrorIs(t, err, errors.ErrUnsupported, "it keeps no records")
	synctest.Test(t, func(t *testing.T) {
		store, err := partition.New(&halves, map[string]vfs.Store{"a": local.NewMemoryStore(nil),
			"b": closing{local.NewMemoryStore(nil), &closed}})
		require.NoError(t, err)
		require.ErrorIs(t, store.WatchProjects(t.Context(), func(string) {}), errors.ErrUnsupported)
		require.ErrorIs(t, store.Discard(t.Context(), "p3"), errors.ErrUnsupported)
		_, err = store.With(nil)
		require.ErrorIs(t, err, errors.ErrUnsupported)
	})
}

// closing is a plain store that counts how often it is closed.
type closing struct {
	vfs.Store
	closed *int
}

func (c closing) Close() error {
	*c.closed++
	return c.Store.Close()
}
