package vfs

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Store holds projects, which have ids. Ids that differ only in case conflict. A store is safe for concurrent
// use, also by several processes if it outlasts them.
//
// Methods that may wait, for a disk, a network or another process, end with the context. An invalid id is an
// [*InvalidIDError]; an id that differs from an existing one only in case is a [*NameConflictError]. What a store
// cannot do is errors.ErrUnsupported.
type Store interface {
	RecordStore

	// Open opens a project, and creates it if it does not exist. Close it when done. Projects opened twice by one
	// store share their state; close each separately.
	Open(ctx context.Context, id string) (Project, error)
	// OpenExisting opens a project that exists, without changing anything. Otherwise the error is fs.ErrNotExist.
	OpenExisting(ctx context.Context, id string) (Project, error)
	// List returns at most limit ids in byte order, beginning after the given one ("" is before all). Zero means
	// [DefaultPage]. A page with fewer ids is the last one.
	List(ctx context.Context, after string, limit int) (ids []string, err error)
	// Usage returns what a project holds, without changing anything. The error is fs.ErrNotExist if the project does
	// not exist.
	Usage(ctx context.Context, id string) (Usage, error)
	// WatchProjects calls changed with the id of each project that is changed, removed or restored, by this process or
	// another, until the context ends, whose error it returns, or until the store can no longer tell. It may call it
	// once for several changes of one project, or when nothing has changed. An empty id means that any project may have
	// changed. It is sent once when watching begins, and once per source of changes. Changes are reported soon, but not
	// if the process that made one dies at that moment: look from time to time as well.
	WatchProjects(ctx context.Context, changed func(id string)) error

	// Delete removes a project with all its files and its history, for good. Those who have it open find it empty, and
	// get [ErrDeleted] for changes. The error is fs.ErrNotExist if the project does not exist.
	Delete(ctx context.Context, id string) error
	// Discard removes a project as Delete does, but keeps what it held for [HistoryOptions].Age. Then, or when Delete
	// is called with its id, it is gone. A store without history deletes the project.
	Discard(ctx context.Context, id string) error
	// Discarded lists the discarded projects that can be recovered, the latest first. There can be several of one id.
	Discarded(ctx context.Context) ([]Discarded, error)
	// Recover brings back the project of this id that was discarded last, with its history and settings, under the
	// same or another id. The error is fs.ErrNotExist if none is kept, and fs.ErrExist if a project has the new id.
	Recover(ctx context.Context, id, as string) error
	// OpenDiscarded opens a discarded project, for reading. Of those with the same id and time, n is how many come
	// before it in the list. The error is fs.ErrNotExist if there is none.
	OpenDiscarded(ctx context.Context, d Discarded, n int) (Project, error)
	// AddDiscarded adds a discarded project with the id and time of d, which fill makes of an empty one. If that fails,
	// there is none, and the error is its error.
	AddDiscarded(ctx context.Context, d Discarded, fill func(p Project) error) error

	// AllRecords iterates over all records, one kind after the other. It ends after the first error.
	AllRecords(ctx context.Context) iter.Seq2[RecordInfo, error]
	// Close closes the store, but not its open projects.
	Close() error
}

// Discarded is a project that was discarded.
type Discarded struct {
	// ID is the id that the project had.
	ID string
	// Time is when it was discarded, to the second. It is kept until Until.
	Time, Until time.Time
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
