package vfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
)

// A Store has projects, which it finds by their ids. Ids that differ in case only are not allowed beside each other. A
// store is safe for concurrent use, by several processes as well if it outlasts them.
//
// Methods that may wait, for a disk, a network or another process, end with the context. An error about an id is an
// [*InvalidIDError], or a [*NameConflictError] if there is a project whose id differs in case only.
type Store interface {
	// Open opens a project, which begins to exist with that. Close it when done. Projects that are opened twice by one
	// store share all that they know; each is closed by itself.
	Open(ctx context.Context, id string) (Project, error)
	// OpenExisting opens a project that exists, and changes nothing by that. Otherwise the error is fs.ErrNotExist.
	OpenExisting(ctx context.Context, id string) (Project, error)
	// List returns ids in byte order: those after the given one ("" is before all), not more than limit. Zero means
	// [DefaultPage]. A page that has fewer is the last one.
	List(ctx context.Context, after string, limit int) (ids []string, err error)
	// Delete removes a project with all its files and its history. Whoever has it open finds nothing in it any more, and
	// gets [ErrDeleted] for changes. The error is fs.ErrNotExist if there is no such project.
	Delete(ctx context.Context, id string) error
	// Close closes the store, and not the projects that are open.
	Close() error
}

// DefaultPage is how many ids [Store] lists at once unless a limit is given.
const DefaultPage = 1000

// IDs returns the ids of all projects of a store in byte order, page by page. It ends after the first error.
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

// A UsageStore is a [Store] that can say what a project holds without opening it.
type UsageStore interface {
	Store
	// Usage is what the function of that name returns.
	Usage(ctx context.Context, id string) (Usage, error)
}

// StoreUsage says what a project of a store holds, and changes nothing. The error is fs.ErrNotExist if there is no such
// project.
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

// MaxID is the most bytes that the id of a project may have.
const MaxID = 128

// An InvalidIDError says why something cannot be the id of a project. It is fs.ErrInvalid.
type InvalidIDError struct {
	// ID is the id as it was given, and Reason says what is wrong with it.
	ID, Reason string
}

func (e *InvalidIDError) Error() string {
	return fmt.Sprintf("invalid project id %q: %s", e.ID, e.Reason)
}

// Unwrap makes errors.Is hold for fs.ErrInvalid.
func (e *InvalidIDError) Unwrap() error { return fs.ErrInvalid }

// CheckID checks the id of a project: 1 to [MaxID] ASCII letters, digits, "-" and "_", and not the name of a device on
// Windows. The error is an [*InvalidIDError].
func CheckID(id string) error {
	switch {
	case id == "":
		return &InvalidIDError{id, "it is empty"}
	case len(id) > MaxID:
		return &InvalidIDError{id[:MaxID] + "...", fmt.Sprintf("it has more than %d characters", MaxID)}
	}
	for _, c := range []byte(id) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return &InvalidIDError{id, `only letters, digits, "-" and "_" are allowed`}
		}
	}
	upper := strings.ToUpper(id)
	device := slices.Contains([]string{"CON", "PRN", "AUX", "NUL"}, upper) ||
		len(upper) == 4 && (upper[:3] == "COM" || upper[:3] == "LPT") && upper[3] >= '0' && upper[3] <= '9'
	if device {
		return &InvalidIDError{id, "it is the name of a device on Windows"}
	}
	return nil
}
