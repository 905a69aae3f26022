package vfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Store holds projects, which have ids. Ids that differ only in case conflict. A store is safe for concurrent
// use, also by several processes if it outlasts them.
//
// Methods that may wait, for a disk, a network or another process, end with the context. An invalid id is an
// [*InvalidIDError]; an id that differs from an existing one only in case is a [*NameConflictError].
type Store interface {
	// Open opens a project, and creates it if it does not exist. Close it when done. Projects opened twice by one
	// store share their state; close each separately.
	Open(ctx context.Context, id string) (Project, error)
	// OpenExisting opens a project that exists, without changing anything. Otherwise the error is fs.ErrNotExist.
	OpenExisting(ctx context.Context, id string) (Project, error)
	// List returns at most limit ids in byte order, beginning after the given one ("" is before all). Zero means
	// [DefaultPage]. A page with fewer ids is the last one.
	List(ctx context.Context, after string, limit int) (ids []string, err error)
	// Delete removes a project with all its files and its history, for good: see [KeepingStore] for another way. Those
	// who have it open find it empty, and get [ErrDeleted] for changes. The error is fs.ErrNotExist if the project does
	// not exist.
	Delete(ctx context.Context, id string) error
	// Close closes the store, but not its open projects.
	Close() error
}

// DefaultPage is how many ids [Store.List] returns if the limit is zero.
const DefaultPage = 1000

// IDs returns the ids of all projects of a store in byte order. It ends after the first error.
func IDs(ctx context.Context, store Store) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for after := ""; ; {
			ids, err := store.List(ctx, after, DefaultPage)
			for _, id := range ids {
				if !yield(id, nil) {
					return
				}
				after = id
			}
			if err != nil {
				yield("", err)
			}
			if err != nil || len(ids) < DefaultPage {
				return
			}
		}
	}
}

// A UsageStore is a [Store] that can measure a project without opening it.
type UsageStore interface {
	Store
	// Usage does what [StoreUsage] does.
	Usage(ctx context.Context, id string) (Usage, error)
}

// StoreUsage returns what a project of a store holds, without changing anything. The error is fs.ErrNotExist if the
// project does not exist.
func StoreUsage(ctx context.Context, store Store, id string) (Usage, error) {
	if s, ok := store.(UsageStore); ok {
		return s.Usage(ctx, id)
	}
	p, err := store.OpenExisting(ctx, id)
	if err != nil {
		return Usage{}, err
	}
	usage, err := p.Usage(ctx)
	return usage, errors.Join(err, p.Close())
}

// A WatchedStore is a [Store] that tells when projects change.
type WatchedStore interface {
	Store
	// WatchProjects calls changed with the id of each project that is changed, removed or restored, by this process or
	// another, until the context ends, whose error it returns, or until the store can no longer tell. It may call it
	// once for several changes of one project, or when nothing has changed. An empty id means that any project may have
	// changed. It is sent once when watching begins, and once per source of changes. Changes are reported soon, but not
	// if the process that made one dies at that moment: look from time to time as well. The error is
	// [errors.ErrUnsupported] if the store cannot watch at all.
	WatchProjects(ctx context.Context, changed func(id string)) error
}

// MaxID is the longest id of a project in bytes.
const MaxID = 128

// An InvalidIDError means that a text cannot be the id of a project. It is fs.ErrInvalid.
type InvalidIDError struct {
	// ID is the id as given. Reason is what is wrong with it.
	ID, Reason string
}

func (e *InvalidIDError) Error() string {
	return fmt.Sprintf("invalid project id %q: %s", e.ID, e.Reason)
}

// Unwrap makes errors.Is hold for fs.ErrInvalid.
func (e *InvalidIDError) Unwrap() error { return fs.ErrInvalid }

// CheckID checks the id of a project: 1 to [MaxID] bytes of UTF-8 without control characters. A host can use the names
// that it has, such as alice@example.com or team/notes: stores encode what files cannot be called. The error is an
// [*InvalidIDError].
func CheckID(id string) error {
	switch {
	case id == "":
		return &InvalidIDError{id, "it is empty"}
	case len(id) > MaxID:
		return &InvalidIDError{
			strings.ToValidUTF8(id[:MaxID], "") + "...", fmt.Sprintf("it has more than %d bytes", MaxID),
		}
	case !utf8.ValidString(id):
		return &InvalidIDError{id, "it is not UTF-8"}
	case strings.ContainsFunc(id, unicode.IsControl):
		return &InvalidIDError{id, "it has control characters"}
	}
	return nil
}

// IsPlainID reports whether an id can be the name of a directory on all systems: it has only ASCII letters, digits, "-"
// and "_", and is not the name of a device on Windows.
func IsPlainID(id string) bool {
	for _, c := range []byte(id) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	upper := strings.ToUpper(id)
	device := slices.Contains([]string{"CON", "PRN", "AUX", "NUL"}, upper) ||
		len(upper) == 4 && (upper[:3] == "COM" || upper[:3] == "LPT") && upper[3] >= '0' && upper[3] <= '9'
	return id != "" && !device
}
