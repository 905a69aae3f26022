package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/toolrun/toolrun/vfs"
)

// Records implements [vfs.RecordStore].
func (s *store) Records(kind string) vfs.Records {
	if err := vfs.CheckID(kind); err != nil {
		panic("local: Records: " + err.Error())
	}
	return &records{place: s.place.records(kind)}
}

// A recordPlace is where the records of one kind are. Records whose time is over are not there.
type recordPlace interface {
	// names returns all names, in any order.
	names() ([]string, error)
	get(name string) ([]byte, error)
	// until returns how long a record is kept; zero means for good.
	until(name string) (time.Time, error)
	// lock excludes all other changes until the record is unlocked.
	lock(ctx context.Context, name string) (lockedRecord, error)
	// watch is [vfs.Records].Watch.
	watch(ctx context.Context, changed func(name string)) error
}

// A lockedRecord is one that can be changed, once.
type lockedRecord interface {
	get() ([]byte, error)
	// put replaces it, after get. Nil data removes it. A zero time means that it is kept for good.
	put(data []byte, until time.Time) error
	unlock()
}

// records are [vfs.Records] in a place.
type records struct{ place recordPlace }

func recordError(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("record %s: %w", name, err)
}

func (r *records) Get(ctx context.Context, name string) ([]byte, error) {
	if err := vfs.CheckID(name); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := r.place.get(name)
	return data, recordError(name, err)
}

func (r *records) Change(ctx context.Context, name string, keep time.Duration,
	change func(data []byte) ([]byte, error)) error {
	if err := vfs.CheckID(name); err != nil {
		return err
	}
	if keep < 0 {
		return recordError(name, fmt.Errorf("%w: it is to be kept for a negative time", fs.ErrInvalid))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	record, err := r.place.lock(ctx, name)
	if err != nil {
		return recordError(name, err)
	}
	defer record.unlock()
	before, err := record.get()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return recordError(name, err)
	}
	after, err := change(before)
	if err != nil {
		return err
	}
	if len(after) > vfs.MaxRecord {
		return recordError(name, vfs.ErrTooLarge)
	}
	if before == nil && after == nil {
		return nil
	}
	var until time.Time
	if keep > 0 {
		until = time.Now().Add(keep)
	}
	return recordError(name, record.put(after, until))
}

func (r *records) List(ctx context.Context, after string, limit int) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	names, err := r.place.names()
	if err != nil {
		return nil, err
	}
	return listPage(names, after, limit)
}

func (r *records) Watch(ctx context.Context, changed func(name string)) error {
	return r.place.watch(ctx, changed)
}

// listPage returns a part of a list as [vfs.Store].List and [vfs.Records].List do. It sorts the list.
func listPage(names []string, after string, limit int) ([]string, error) {
	if limit < 0 {
		return nil, fmt.Errorf("%w: the limit of a page is negative", fs.ErrInvalid)
	}
	if limit == 0 {
		limit = vfs.DefaultPage
	}
	slices.Sort(names)
	first, found := slices.BinarySearch(names, after)
	if found {
		first++
	}
	names = names[first:]
	return names[:min(limit, len(names))], nil
}

// watchers are those in this process that watch records of one kind, or projects. The zero value has none.
type watchers struct {
	mu  sync.Mutex
	all map[*watcher]bool
}

// A watcher has the names that its goroutine has yet to report.
type watcher struct {
	names map[string]bool
	some  chan struct{} // gets a value when there are names
}

func (w *watchers) tell(names ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.all {
		for _, name := range names {
			one.names[name] = true
		}
		select {
		case one.some <- struct{}{}:
		default:
		}
	}
}

// watch reports names until the context ends. If look is not nil, it is called again and again, and returns further
// ones.
func (w *watchers) watch(ctx context.Context, changed func(name string), look func() []string) error {
	// there may have been changes before
	one := &watcher{names: map[string]bool{"": true}, some: make(chan struct{}, 1)}
	one.some <- struct{}{}
	w.mu.Lock()
	if w.all == nil {
		w.all = map[*watcher]bool{}
	}
	w.all[one] = true
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.all, one)
	}()
	var tick <-chan time.Time
	if look != nil {
		ticker := time.NewTicker(lookInterval)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		var names []string
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick:
			names = look()
		case <-one.some:
			w.mu.Lock()
			for name := range one.names {
				names = append(names, name)
			}
			clear(one.names)
			w.mu.Unlock()
		}
		for _, name := range names {
			changed(name)
		}
	}
}

// lookInterval is how often a directory is looked at that other processes may change.
const lookInterval = time.Second

// AllRecords implements [vfs.Store].
func (s *store) AllRecords(ctx context.Context) iter.Seq2[vfs.RecordInfo, error] {
	return func(yield func(vfs.RecordInfo, error) bool) {
		kinds, err := s.place.recordKinds()
		if err != nil {
			yield(vfs.RecordInfo{}, err)
			return
		}
		slices.Sort(kinds)
		for _, kind := range kinds {
			place := s.place.records(kind)
			names, err := place.names()
			if err = errors.Join(err, ctx.Err()); err != nil {
				yield(vfs.RecordInfo{}, err)
				return
			}
			slices.Sort(names)
			for _, name := range names {
				until, err := place.until(name)
				if errors.Is(err, fs.ErrNotExist) { // its time is over
					continue
				}
				if !yield(vfs.RecordInfo{Kind: kind, Name: name, Until: until}, recordError(name, err)) || err != nil {
					return
				}
			}
		}
	}
}
