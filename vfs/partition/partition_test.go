package partition_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/vfs/partition"
	"github.com/toolrun/toolrun/vfs/vfstest"
)

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
		`slots "0-2000"`:      `{"stores": {"a": "x"}, "slots": {"0-2000": "a"}, "records": "a"}`,
		`slots "-1"`:          `{"stores": {"a": "x"}, "slots": {"-1": "a"}, "records": "a"}`,
		"slot 1023 is not in": `{"stores": {"a": "x"}, "slots": {"0-1022": "a"}, "records": "a"}`,
		"slot 7 is in the":    `{"stores": {"a": "x"}, "slots": {"0-1023": "a", "7": "a"}, "records": "a"}`,
		`no store "b"`:        `{"stores": {"a": "x"}, "slots": {"0-1023": "b"}, "records": "a"}`,
		`no store ""`:         `{"stores": {"a": "x"}, "slots": {"0-1023": "a"}}`,
		"project A is in": `{"stores": {"a": "x", "b": "y"}, ` +
			`"projects": {"a": "a", "A": "b"}, "slots": {"0-1023": "b"}, "records": "a"}`,
		"unknown field": `{"stores": {"a": "x"}, "slot": {}}`,
		"no stores":     `{}`,
		`"slots" is in an object twice`: `{"stores": {"a": "x", "b": "y"}, ` +
			`"slots": {"0-1023": "a"}, "records": "a", "slots": {"0-1023": "b"}}`,
		`"0-1023" is in an object twice`: `{"stores": {"a": "x", "b": "y"}, ` +
			`"slots": {"0-1023": "a", "0-1023": "b"}, "records": "a"}`,
		`"p" is in an object twice`: `{"stores": {"a": "x", "b": "y"}, ` +
			`"projects": {"p": "a", "\u0070": "b"}, "slots": {"0-1023": "a"}, "records": "a"}`,
		`unknown field "Slots"`: `{"stores": {"a": "x", "b": "y"}, ` +
			`"slots": {"0-1023": "a"}, "records": "a", "Slots": {"0-1023": "b"}}`,
		"cannot unmarshal array": `[]`,
		"after top-level value":  `{"stores": {"a": "x"}, "slots": {"0-1023": "a"}, "records": "a"} 1`,
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

// TestMembersThatFail has a member that cannot be opened, or cannot do something.
func TestMembersThatFail(t *testing.T) {
	failed := errors.New("no answer")
	closed := 0
	_, err := partition.Open(t.Context(), &partition.Config{Stores: map[string]string{"a": "1", "b": "2"},
		Rule: halves}, nil, vfs.Opener{
		Opens: func(string) bool { return true },
		Open: func(_ context.Context, place string, _ *vfs.Options) (vfs.Store, error) {
			if place == "2" {
				return nil, failed
			}
			return closing{local.NewMemoryStore(nil), &closed}, nil
		},
	})
	require.ErrorIs(t, err, failed)
	require.ErrorContains(t, err, "store b")
	require.Equal(t, 1, closed)
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

// TestOpener opens the stores that a file names.
func TestOpener(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "rule.json")
	opener := partition.Opener(local.Opener())
	for place, opens := range map[string]bool{file: true, "rule.json": true, dir: false, "json": false,
		"postgres://host/rule.json": false} {
		require.Equal(t, opens, opener.Opens(place), place)
	}
	open := func(b string) (vfs.Store, error) {
		config := fmt.Sprintf(`{"stores": {"a": "near", "b": %q}, "slots": {"0-1023": "a"}, "projects": {"p": "b"},
			"records": "a"}`, b)
		require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
		return opener.Open(t.Context(), file, &vfs.Options{NoSync: true})
	}
	far := t.TempDir()
	store, err := open(far)
	require.NoError(t, err)
	storetest.Write(t, storetest.Open(t, store, "p"), "/file", "in b")
	storetest.Write(t, storetest.Open(t, store, "q"), "/file", "in a")
	again, err := store.(*partition.Store).With(nil)
	require.NoError(t, err)
	require.Equal(t, "in b", storetest.Read(t, storetest.Open(t, again, "p"), "/file"))
	require.NoError(t, errors.Join(store.Close(), again.Close()))
	require.DirExists(t, filepath.Join(far, "projects"))
	require.DirExists(t, filepath.Join(dir, "near", "projects"))

	_, err = open("other.json")
	require.ErrorContains(t, err, file+": store b: other.json is a rule again")
	_, err = open("postgres://u:secret@host/d")
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, file+": store b: no opener for postgres:// URLs")
	require.NotContains(t, err.Error(), "secret")
	_, err = opener.Open(t.Context(), filepath.Join(dir, "missing.json"), nil)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// closing is a store that cannot tell of changes nor keep what is removed, and counts how often it is closed.
type closing struct {
	vfs.Store
	closed *int
}

func (closing) WatchProjects(context.Context, func(string)) error { return errors.ErrUnsupported }

func (closing) Discard(context.Context, string) error { return errors.ErrUnsupported }

func (c closing) Close() error {
	*c.closed++
	return c.Store.Close()
}
