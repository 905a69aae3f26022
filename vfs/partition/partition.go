// Package partition spreads the projects of one store over several others, such as databases on several servers, so
// that their number is not bounded by what one server can do.
//
//	store, err := partition.New(&partition.Rule{
//		Slots:   map[string]string{"0-511": "a", "512-1023": "b"},
//		Records: "a",
//	}, map[string]vfs.Store{"a": a, "b": b})
//
// The [Rule] says in which store each project lies. Lists show the projects of all stores. A project in another store
// than the rule names is not seen; [Store.Check] finds it.
//
// All processes need the same rule. To change it, stop them first.
//
// # Experimental
//
// For installations with more projects than one database can hold. The Go API may change with any
// version.
package partition

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/toolrun/toolrun/vfs"
)

// A Store is a [vfs.Store] whose projects lie in several others, its members.
type Store struct {
	router  *router
	rule    *Rule
	members map[string]vfs.Store
	names   []string // sorted
	// reopen opens a member with other options, if it was opened by this package.
	reopen openFunc
}

var _ vfs.Store = (*Store)(nil)

// New returns a store whose projects lie in several others, which have names. It closes them when it is closed.
func New(rule *Rule, members map[string]vfs.Store) (*Store, error) {
	router, err := rule.check(func(name string) bool { return members[name] != nil })
	if err != nil {
		return nil, err
	}
	return &Store{router: router, rule: rule, members: maps.Clone(members), names: slices.Sorted(maps.Keys(members))},
		nil
}

// Open opens all stores of a configuration with the openers of their places, and returns the store that they are
// together. The context is for opening only.
func Open(ctx context.Context, c *Config, options *vfs.Options, openers ...vfs.Opener) (*Store, error) {
	open := func(ctx context.Context, name string, options *vfs.Options) (vfs.Store, error) {
		return vfs.OpenStore(ctx, c.Stores[name], options, openers...)
	}
	return openAll(&c.Rule, slices.Sorted(maps.Keys(c.Stores)), open, func(name string) (vfs.Store, error) {
		return open(ctx, name, options)
	})
}

// Opener returns the opener of files that have a [Config], whose names end in ".json". The openers are those of the
// places in it. Directories in it are relative to its own.
func Opener(openers ...vfs.Opener) vfs.Opener {
	return vfs.Opener{Opens: isConfig, Open: func(ctx context.Context, file string,
		options *vfs.Options) (vfs.Store, error) {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		config, err := parsePlaces(data, filepath.Dir(file))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		store, err := Open(ctx, config, options, openers...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return store, nil
	}}
}

func isURL(place string) bool { return strings.Contains(place, "://") }

func isConfig(place string) bool { return strings.HasSuffix(place, ".json") && !isURL(place) }

// parsePlaces is [ParseConfig] for a file in a directory, to which directories in it are relative.
func parsePlaces(data []byte, dir string) (*Config, error) {
	config, err := ParseConfig(data)
	if err != nil {
		return nil, err
	}
	for name, place := range config.Stores {
		if isConfig(place) {
			return nil, fmt.Errorf("store %s: %s is a rule again", name, place)
		}
		if !isURL(place) && !filepath.IsAbs(place) {
			config.Stores[name] = filepath.Join(dir, place)
		}
	}
	return config, nil
}

type openFunc func(ctx context.Context, name string, options *vfs.Options) (vfs.Store, error)

func openAll(rule *Rule, names []string, reopen openFunc, open func(name string) (vfs.Store, error)) (*Store, error) {
	members := map[string]vfs.Store{}
	fail := func(err error) (*Store, error) {
		for _, member := range members {
			err = errors.Join(err, member.Close())
		}
		return nil, err
	}
	for _, name := range names {
		member, err := open(name)
		if err != nil {
			return fail(fmt.Errorf("store %s: %w", name, err))
		}
		members[name] = member
	}
	s, err := New(rule, members)
	if err != nil {
		return fail(err)
	}
	s.reopen = reopen
	return s, nil
}

// With returns a store with other options on the connections of this one, if the members can do that or were opened by
// [Open]. Close it by itself.
func (s *Store) With(options *vfs.Options) (vfs.Store, error) {
	return openAll(s.rule, s.names, s.reopen, func(name string) (vfs.Store, error) {
		if m, ok := s.members[name].(interface {
			With(options *vfs.Options) (vfs.Store, error)
		}); ok {
			return m.With(options)
		}
		if s.reopen != nil {
			return s.reopen(context.Background(), name, options)
		}
		return nil, errors.ErrUnsupported
	})
}

// Name returns the name of the member in which a project lies, or would lie.
func (s *Store) Name(id string) string { return s.router.of(id) }

func (s *Store) of(id string) vfs.Store { return s.members[s.router.of(id)] }

// Open implements [vfs.Store].
func (s *Store) Open(ctx context.Context, id string) (vfs.Project, error) {
	return s.of(id).Open(ctx, id)
}

// OpenExisting implements [vfs.Store].
func (s *Store) OpenExisting(ctx context.Context, id string) (vfs.Project, error) {
	return s.of(id).OpenExisting(ctx, id)
}

// Delete implements [vfs.Store].
func (s *Store) Delete(ctx context.Context, id string) error { return s.of(id).Delete(ctx, id) }

// Usage implements [vfs.Store].
func (s *Store) Usage(ctx context.Context, id string) (vfs.Usage, error) {
	return s.of(id).Usage(ctx, id)
}

// A cursor goes through the projects of a member that are its own.
type cursor struct {
	store *Store
	name  string
	page  []string
	after string
	size  int
	last  bool
}

// next moves to the next project, which is then the first of the page, unless there is none.
func (c *cursor) next(ctx context.Context) error {
	if len(c.page) > 0 {
		c.page = c.page[1:]
	}
	for len(c.page) == 0 && !c.last {
		ids, err := c.store.members[c.name].List(ctx, c.after, c.size)
		if err != nil {
			return fmt.Errorf("store %s: %w", c.name, err)
		}
		c.last = len(ids) < c.size
		if len(ids) > 0 {
			c.after = ids[len(ids)-1]
		}
		c.page = slices.DeleteFunc(ids, func(id string) bool { return c.store.router.of(id) != c.name })
	}
	return nil
}

// List implements [vfs.Store].
func (s *Store) List(ctx context.Context, after string, limit int) ([]string, error) {
	if limit < 0 {
		return nil, fmt.Errorf("%w: the limit of a page is negative", fs.ErrInvalid)
	}
	if limit == 0 {
		limit = vfs.DefaultPage
	}
	cursors := make([]*cursor, len(s.names))
	group, together := errgroup.WithContext(ctx)
	for i, name := range s.names {
		cursors[i] = &cursor{store: s, name: name, after: after, size: min(limit, vfs.DefaultPage)}
		group.Go(func() error { return cursors[i].next(together) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var all []string
	for len(all) < limit {
		var first *cursor
		for _, c := range cursors {
			if len(c.page) > 0 && (first == nil || c.page[0] < first.page[0]) {
				first = c
			}
		}
		if first == nil {
			break
		}
		all = append(all, first.page[0])
		if err := first.next(ctx); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Discard implements [vfs.Store].
func (s *Store) Discard(ctx context.Context, id string) error { return s.of(id).Discard(ctx, id) }

// Discarded implements [vfs.Store].
func (s *Store) Discarded(ctx context.Context) ([]vfs.Discarded, error) {
	var all []vfs.Discarded
	for _, name := range s.names {
		some, err := s.members[name].Discarded(ctx)
		if err != nil {
			return nil, fmt.Errorf("store %s: %w", name, err)
		}
		all = append(all, slices.DeleteFunc(some, func(d vfs.Discarded) bool { return s.router.of(d.ID) != name })...)
	}
	slices.SortStableFunc(all, func(a, b vfs.Discarded) int {
		return cmp.Compare(b.Time.UnixNano(), a.Time.UnixNano())
	})
	return all, nil
}

// Recover implements [vfs.Store]. The project stays in its member, so its new id must be one of that.
func (s *Store) Recover(ctx context.Context, id, as string) error {
	name := s.router.of(id)
	if other := s.router.of(as); other != name {
		return fmt.Errorf("%w: the project %s is in the store %s, and %s would be in the store %s: "+
			"recover it under its own id", fs.ErrInvalid, id, name, as, other)
	}
	return s.members[name].Recover(ctx, id, as)
}

// Records implements [vfs.RecordStore]. All records are in one member.
func (s *Store) Records(kind string) vfs.Records { return s.members[s.rule.Records].Records(kind) }

// AllRecords implements [vfs.Store].
func (s *Store) AllRecords(ctx context.Context) iter.Seq2[vfs.RecordInfo, error] {
	return s.members[s.rule.Records].AllRecords(ctx)
}

// OpenDiscarded implements [vfs.Store].
func (s *Store) OpenDiscarded(ctx context.Context, d vfs.Discarded, n int) (vfs.Project, error) {
	return s.of(d.ID).OpenDiscarded(ctx, d, n)
}

// AddDiscarded implements [vfs.Store].
func (s *Store) AddDiscarded(ctx context.Context, d vfs.Discarded, fill func(p vfs.Project) error) error {
	return s.of(d.ID).AddDiscarded(ctx, d, fill)
}

// WatchProjects implements [vfs.Store]. It ends when a member can tell no more.
func (s *Store) WatchProjects(ctx context.Context, changed func(id string)) error {
	var mu sync.Mutex
	group, together := errgroup.WithContext(ctx)
	for _, name := range s.names {
		group.Go(func() error {
			return s.members[name].WatchProjects(together, func(id string) {
				mu.Lock()
				defer mu.Unlock()
				if id == "" || s.router.of(id) == name {
					changed(id)
				}
			})
		})
	}
	return group.Wait()
}

// Check calls report with what is wrong: with projects that are in a member that the rule does not name, and with what
// members that can check themselves find.
func (s *Store) Check(ctx context.Context, report func(id, problem string)) error {
	for _, name := range s.names {
		for id, err := range vfs.IDs(ctx, s.members[name]) {
			if err != nil {
				return fmt.Errorf("store %s: %w", name, err)
			}
			if right := s.router.of(id); right != name {
				report(id, fmt.Sprintf("it is in the store %s, and the rule says %s: "+
					"move it, or name %s in \"projects\"", name, right, name))
			}
		}
		if c, ok := s.members[name].(interface {
			Check(ctx context.Context, report func(id, problem string)) error
		}); ok {
			if err := c.Check(ctx, report); err != nil {
				return fmt.Errorf("store %s: %w", name, err)
			}
		}
	}
	return nil
}

// Close implements [vfs.Store]. It closes all members.
func (s *Store) Close() error {
	var failed error
	for _, name := range s.names {
		failed = errors.Join(failed, s.members[name].Close())
	}
	return failed
}
