package module

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolrun/toolrun/internal/ownversion"
	"github.com/toolrun/toolrun/runtime/command"
	"github.com/toolrun/toolrun/tool"
)

// Files of a module in its directory.
const (
	manifestFile  = "tool.json"
	moduleFile    = "module.wasm"
	installedFile = "installed.json"
)

// A Store keeps modules in a directory of the operator, outside of projects: NAME/tool.json is the manifest,
// NAME/module.wasm the module, and NAME/installed.json where it came from and what it may use. Several processes can
// use it at the same time. Whoever can write to the directory decides which modules there are and what they may use.
type Store struct{ dir string }

// OpenStore returns the store in a directory, which need not exist.
func OpenStore(dir string) *Store { return &Store{dir} }

// Installed is a module of a store, without its bytes. As JSON and without its manifest it is the content of
// installedFile.
type Installed struct {
	Manifest *Manifest `json:"manifest,omitempty"`
	Grants   Grants    `json:"grants"`
	// From is where the module came from: a path, a URL or an npm package. It is for people.
	From string `json:"from,omitempty"`
	// Original is the SHA-256 of the module before its custom sections were left out, in hexadecimal.
	Original string    `json:"original,omitempty"`
	Added    time.Time `json:"added,omitzero"`
	// Toolrun is the version of toolrun that added it; "" if it did not say so.
	Toolrun string `json:"toolrun,omitempty"`

	dir string
}

// ErrNotFound means that a store has no module of a name.
var ErrNotFound = errors.New("there is no such module")

// ErrExists means that a store has a module of the name.
var ErrExists = errors.New("there is a module of this name already")

// A ChangedError means that a module is not the one that was added.
type ChangedError struct{ Name, Want, Is string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the module %s has been changed since it was added: its SHA-256 is %s, and not %s. "+
		"Add it again if you trust it", e.Name, e.Is, e.Want)
}

// List returns the modules in the order of their names. Modules that cannot be read are left out, and their errors
// joined.
func (s *Store) List() ([]*Installed, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []*Installed
	var errs []error
	for _, entry := range entries {
		if tool.CheckName(entry.Name()) != nil { // one that is just being written, or anything else
			continue
		}
		i, err := s.Get(entry.Name())
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, i)
	}
	return list, errors.Join(errs...)
}

// Get returns a module. The error wraps [ErrNotFound] if there is none of this name.
func (s *Store) Get(name string) (*Installed, error) {
	if err := tool.CheckName(name); err != nil {
		return nil, fmt.Errorf("module %q: %w", name, err)
	}
	i := &Installed{}
	fail := func(err error) (*Installed, error) {
		if errors.Is(err, fs.ErrNotExist) {
			err = ErrNotFound
		}
		return nil, fmt.Errorf("module %s: %w%s", name, err, ownversion.Difference(i.Toolrun))
	}
	dir := filepath.Join(s.dir, name)
	data, err := readFile(filepath.Join(dir, manifestFile), maxManifest)
	if err != nil {
		return fail(err)
	}
	more, inInstalled := readFile(filepath.Join(dir, installedFile), maxManifest)
	if inInstalled == nil {
		inInstalled = json.Unmarshal(more, i)
	}
	m, err := ParseManifest(data)
	if err != nil {
		return fail(err)
	}
	if m.Name != name {
		return fail(fmt.Errorf("its manifest is that of %q", m.Name))
	}
	if m.SHA256 == "" {
		return fail(errors.New("its manifest has no sha256"))
	}
	if inInstalled == nil {
		inInstalled = i.Grants.check(m)
	}
	if inInstalled != nil {
		return fail(fmt.Errorf("%s: %w", installedFile, inInstalled))
	}
	i.Manifest, i.dir = m, dir
	return i, nil
}

// Read returns the bytes of a module. The error is a [*ChangedError] if they are not those that were added.
func (i *Installed) Read() ([]byte, error) {
	data, err := readFile(filepath.Join(i.dir, moduleFile), command.MaxModule)
	if err != nil {
		return nil, fmt.Errorf("module %s: %w", i.Manifest.Name, err)
	}
	if is := digest(data); !strings.EqualFold(is, i.Manifest.SHA256) {
		return nil, &ChangedError{i.Manifest.Name, i.Manifest.SHA256, is}
	}
	return data, nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// readFile reads a file of at most so many bytes.
func readFile(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", filepath.Base(name))
	}
	if info.Size() > most {
		return nil, fmt.Errorf("%s has %d bytes, and may have %d", filepath.Base(name), info.Size(), most)
	}
	return os.ReadFile(name)
}

// AddOptions say how a module is added.
type AddOptions struct {
	// Grants are what it may use.
	Grants Grants
	// From is where it came from, for people.
	From string
	// Replace replaces a module of the same name. Otherwise that is [ErrExists].
	Replace bool
}

// Add adds a module, without its custom sections. If the manifest has a SHA-256, it must be that of the module as
// given; the one that is kept is that of what is kept. The error is a [*command.RefusedError] if the module cannot be
// run.
func (s *Store) Add(manifest *Manifest, module []byte, options AddOptions) (*Installed, error) {
	m := *manifest
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	original := digest(module)
	if m.SHA256 != "" && !strings.EqualFold(m.SHA256, original) {
		return nil, fmt.Errorf("the SHA-256 of the module is %s, and its manifest says %s", original, m.SHA256)
	}
	if err := options.Grants.check(&m); err != nil {
		return nil, fmt.Errorf("grant: %w", err)
	}
	check := func() error { _, err := command.Check(module); return err }
	if m.Language {
		check = func() error { return command.CheckLanguage(module) }
	}
	if err := check(); err != nil {
		return nil, err
	}
	stripped, err := command.Strip(module)
	if err != nil {
		return nil, err
	}
	m.SHA256 = digest(stripped)
	more := Installed{
		Grants: options.Grants, From: options.From, Original: original, Added: time.Now().UTC().Truncate(time.Second),
		Toolrun: ownversion.Get(),
	}
	if err := s.write(&m, stripped, more, options.Replace); err != nil {
		return nil, err
	}
	return s.Get(m.Name)
}

// write makes the directory of a module under another name, and renames it when it is complete.
func (s *Store) write(m *Manifest, module []byte, more Installed, replace bool) error {
	target := filepath.Join(s.dir, m.Name)
	if _, err := os.Lstat(target); err == nil && !replace {
		return fmt.Errorf("module %s: %w", m.Name, ErrExists)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(s.dir, "."+m.Name+"-new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // is not there if it was renamed
	manifest, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	also, err := json.MarshalIndent(more, "", "  ")
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name string
		data []byte
	}{{manifestFile, append(manifest, '\n')}, {moduleFile, module}, {installedFile, append(also, '\n')}} {
		if err := writeFile(filepath.Join(dir, file.name), file.data); err != nil {
			return err
		}
	}
	if !replace {
		err := os.Rename(dir, target)
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("module %s: %w", m.Name, ErrExists)
		}
		return err
	}
	return s.exchange(dir, target)
}

// exchange puts a directory in the place of another one, which it removes. "" stands for none.
func (s *Store) exchange(dir, target string) error {
	old, err := os.MkdirTemp(s.dir, ".old-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(old)
	gone := filepath.Join(old, "module")
	err = os.Rename(target, gone)
	if dir == "" || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(dir, target); err != nil {
		return errors.Join(err, os.Rename(gone, target))
	}
	return nil
}

// writeFile writes a file that only the user can read, since it can have secrets, so that it is there after a crash.
func writeFile(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// Remove removes a module. The error wraps [ErrNotFound] if there is none of this name. One that cannot be read is
// removed as well.
func (s *Store) Remove(name string) error {
	if err := tool.CheckName(name); err != nil {
		return fmt.Errorf("module %q: %w", name, err)
	}
	target := filepath.Join(s.dir, name)
	if _, err := os.Lstat(target); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = ErrNotFound
		}
		return fmt.Errorf("module %s: %w", name, err)
	}
	return s.exchange("", target)
}
