package vfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

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

// A Store has projects, which it finds by their id. Ids that differ in case only are not allowed beside each other. A
// store is safe for concurrent use, and several processes can use the same directory.
type Store struct {
	options Options
	place   place
}

// A place is where the projects of a store are.
type place interface {
	// open opens a project. Unless it is to be created, fs.ErrNotExist means that there is none.
	open(id string, options Options, create bool) (*core, error)
	list() ([]string, error)
	remove(id string) error
	close() error
}

// NewMemoryStore returns a store that lasts as long as the process. Closing a project of it loses nothing.
func NewMemoryStore(options *Options) *Store {
	return &Store{options.withDefaults(), &memoryPlace{projects: map[string]*core{}}}
}

// OpenStore opens a store in a directory of the host, which is made if it is not there. Each project is a directory in it.
func OpenStore(dir string, options *Options) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	place := &diskPlace{dir: dir, root: root, loose: ignoresCase(root, dir), counted: map[string]bool{}}
	place.sweep()
	return &Store{options.withDefaults(), place}, nil
}

// OpenDir makes a project of a directory of the host, with everything that is in it, and nothing outside of it. What a
// project keeps for itself is in its subdirectory ".toolrun", which is made at the first change.
func OpenDir(dir string, options *Options) (*Project, error) {
	b, err := openDisk(dir)
	if err != nil {
		return nil, err
	}
	return &Project{core: newCore(b, options.withDefaults())}, nil
}

// Open opens a project, which begins to exist with that. Close it when it is no longer needed. The error is an
// [*InvalidIDError], or a [*NameConflictError] if there is a project whose id differs in case only.
func (s *Store) Open(id string) (*Project, error) {
	return s.open(id, true)
}

func (s *Store) open(id string, create bool) (*Project, error) {
	if err := CheckID(id); err != nil {
		return nil, err
	}
	c, err := s.place.open(id, s.options, create)
	if err != nil {
		return nil, fmt.Errorf("project %s: %w", id, bare(err))
	}
	return &Project{core: c}, nil
}

// List returns the ids of all projects, sorted.
func (s *Store) List() ([]string, error) { return s.place.list() }

// Delete removes a project with all its files and its history. Whoever has it open finds nothing in it any more, and gets
// ErrDeleted for changes. The error is fs.ErrNotExist if there is no such project.
func (s *Store) Delete(id string) error {
	if err := CheckID(id); err != nil {
		return err
	}
	if err := s.place.remove(id); err != nil {
		return fmt.Errorf("project %s: %w", id, bare(err))
	}
	return nil
}

// Usage says what a project holds. The error is fs.ErrNotExist if there is no such project.
func (s *Store) Usage(id string) (Usage, error) {
	p, err := s.open(id, false)
	if err != nil {
		return Usage{}, err
	}
	usage, err := p.Usage()
	return usage, errors.Join(err, p.Close())
}

// Close closes the store. Projects that are open stay open; those in memory can no longer be reached by others.
func (s *Store) Close() error { return s.place.close() }

// twinID is an error if there is an id that differs from the given one in case only.
func twinID(ids []string, id string) error {
	for _, other := range ids {
		if other != id && strings.EqualFold(other, id) {
			return &NameConflictError{id, other}
		}
	}
	return nil
}

// delete marks the project as deleted, for all that have it open, and has it put away.
func (c *core) delete(away func() error) error {
	unlock, err := c.lock(context.Background())
	if err != nil {
		return err
	}
	defer unlock()
	if s, err := readState(c.b); err == nil && s.deleted {
		return ErrDeleted
	}
	gone := state{deleted: true, oldest: 1, next: 1}
	if err := c.b.writeState(gone.encode()); err != nil {
		return err
	}
	if err := away(); err != nil {
		return errors.Join(err, c.b.writeState(state{dirty: true}.encode()))
	}
	return nil
}
