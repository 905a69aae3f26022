package pypi

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/spf13/afero"
)

// A Package is one that a lock file has.
type Package struct {
	Name    string   `json:"name"`
	Version string   `json:"version"`
	File    string   `json:"file"` // the wheel
	SHA256  string   `json:"sha256"`
	Info    string   `json:"info"` // the folder with its metadata
	Needs   []string `json:"needs,omitempty"`
}

// A lock is the content of a lock file.
type lock struct {
	Format   int       `json:"format"`   // 1
	Requires []string  `json:"requires"` // what somebody asked for
	Packages []Package `json:"packages"` // with all that they need, by their names
}

// A Folder is a folder of packages in a project, with its lock file.
type Folder struct {
	Files    afero.Fs
	Packages string // the folder's path, such as /lib/python
	Lock     string // the path of the lock file, such as /python.lock
}

// maxLock bounds the lock file, and lists of files, in bytes.
const maxLock = 4 << 20

// List returns what the folder has by its lock file: what somebody asked for, and all packages.
func (f *Folder) List() (requires []string, packages []Package, err error) {
	l, err := f.lock()
	return l.Requires, l.Packages, err
}

func (f *Folder) lock() (l lock, err error) {
	data, err := f.read(f.Lock)
	if errors.Is(err, fs.ErrNotExist) {
		return lock{Format: 1}, nil
	}
	if err != nil {
		return l, err
	}
	if err := json.Unmarshal(data, &l); err != nil || l.Format != 1 || len(l.Packages) > maxPackages {
		return l, fmt.Errorf("%s is no lock file that toolrun has written: remove it to begin anew", f.Lock)
	}
	for _, p := range l.Packages {
		_, isVersion := parseVersion(p.Version)
		r, err := parseRequirement(p.Name)
		if err != nil || r.name != p.Name || !isVersion || len(p.SHA256) != 64 {
			return l, fmt.Errorf("%s names a package %.50q %.50q, which cannot be: remove the file to begin anew",
				f.Lock, p.Name, p.Version)
		}
	}
	return l, nil
}

func (f *Folder) read(name string) ([]byte, error) {
	info, err := f.Files.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxLock {
		return nil, fmt.Errorf("%s is no file of at most %d MiB", name, maxLock>>20)
	}
	return afero.ReadFile(f.Files, name)
}

// Add puts packages into the folder, each with all that it needs, and notes them in the lock file. requires are names,
// with conditions on versions as in rich==13.*; one takes the place of an earlier one of the same package. Without any,
// the folder gets what the lock file says. Packages that are locked keep their versions if they can. It returns what
// there is then. Nothing is changed before all has been downloaded and checked.
func (f *Folder) Add(ctx context.Context, index *Index, python *Python, requires []string) ([]Package, error) {
	old, err := f.lock()
	if err != nil {
		return nil, err
	}
	wanted := slices.Clone(old.Requires)
	named := map[string]bool{}
	for _, text := range requires {
		r, err := parseRequirement(text)
		if err != nil {
			return nil, err
		}
		named[r.name] = true
		wanted = slices.DeleteFunc(wanted, func(other string) bool {
			o, err := parseRequirement(other)
			return err != nil || o.name == r.name
		})
		if version := python.own(r.name); version != "" {
			if v, ok := parseVersion(version); ok && allowAll(r.conditions, v, version) {
				return nil, fmt.Errorf("%s %s is there already: Python has it itself", r.name, version)
			}
		}
		wanted = append(wanted, text)
	}
	r := resolver{index: index, python: python, locked: map[string]Package{}, files: map[string][]file{},
		wheels: map[string]*wheel{}, left: maxUnpacked, wants: map[string][]want{}}
	for _, p := range old.Packages {
		if !named[p.Name] { // adding it again takes a newer one
			r.locked[p.Name] = p
		}
	}
	all, err := r.resolve(ctx, wanted)
	if err != nil {
		return nil, err
	}
	l := lock{Format: 1, Requires: wanted}
	slices.Sort(l.Requires)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := all[name]
		l.Packages = append(l.Packages, Package{name, c.text, c.Filename, c.Hashes["sha256"], c.info, c.needs})
	}
	return l.Packages, f.change(&old, &l, all)
}

// Remove removes packages that somebody asked for, and all that only they need. It returns what was removed.
func (f *Folder) Remove(names []string) ([]Package, error) {
	old, err := f.lock()
	if err != nil {
		return nil, err
	}
	l := lock{Format: 1}
	left := map[string]bool{}
	for _, text := range old.Requires {
		r, err := parseRequirement(text)
		if err != nil {
			continue
		}
		if !slices.ContainsFunc(names, func(name string) bool { return normalize(name) == r.name }) {
			l.Requires = append(l.Requires, text)
			left[r.name] = true
		}
	}
	for _, name := range names {
		i := slices.IndexFunc(old.Packages, func(p Package) bool { return p.Name == normalize(name) })
		if i < 0 {
			return nil, fmt.Errorf("there is no package %s in %s", name, f.Lock)
		}
	}
	for more := true; more; {
		more = false
		for _, p := range old.Packages {
			for _, need := range p.Needs {
				if left[p.Name] && !left[need] {
					left[need], more = true, true
				}
			}
		}
	}
	var removed []Package
	for _, p := range old.Packages {
		if left[p.Name] {
			l.Packages = append(l.Packages, p)
		} else {
			removed = append(removed, p)
		}
	}
	for _, name := range names {
		if left[normalize(name)] {
			return nil, fmt.Errorf("%s is needed by another package: remove that", name)
		}
	}
	return removed, f.change(&old, &l, nil)
}

// change removes the files of packages that are in the old lock and not in the new one, or in another version, and
// writes those of packages that are new.
func (f *Folder) change(old, to *lock, all map[string]*chosen) error {
	owned := map[string]bool{} // files of packages that go
	kept := map[string]string{}
	isKept := func(p Package) bool { return slices.ContainsFunc(to.Packages, isSame(p)) }
	for _, p := range old.Packages {
		for _, name := range f.filesOf(p) {
			if isKept(p) {
				kept[strings.ToLower(name)] = p.Name
			} else {
				owned[name] = true
			}
		}
	}
	write := map[string][]byte{}
	by := map[string]string{}
	for _, p := range to.Packages {
		c := all[p.Name]
		if c == nil {
			continue
		}
		if slices.ContainsFunc(old.Packages, isSame(p)) && len(f.filesOf(p)) > 0 {
			continue // it is there
		}
		var record strings.Builder
		rows := csv.NewWriter(&record)
		for _, name := range slices.Sorted(maps.Keys(c.wheel.files)) {
			_ = rows.Write([]string{name, "", ""}) // to a strings.Builder
			key := strings.ToLower(name)
			if other := kept[key] + by[key]; other != "" && other != p.Name {
				return fmt.Errorf("%s and %s both have the file %s", p.Name, other, name)
			}
			if _, err := f.Files.Stat(path.Join(f.Packages, name)); err == nil && !owned[name] && kept[key] != p.Name {
				return fmt.Errorf("%s is there already, and belongs to no package: move it away, since %s has a file "+
					"of this name", path.Join(f.Packages, name), p.Name)
			}
			write[name], by[key] = c.wheel.files[name], p.Name
		}
		rows.Flush()
		write[c.info+"/RECORD"] = []byte(record.String())
	}
	for _, name := range slices.Sorted(maps.Keys(owned)) {
		err := f.Files.Remove(path.Join(f.Packages, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !isProtected(err) {
			return err
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			list, err := afero.ReadDir(f.Files, path.Join(f.Packages, dir))
			if err != nil || len(list) > 0 || f.Files.Remove(path.Join(f.Packages, dir)) != nil {
				break
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(write)) {
		at := path.Join(f.Packages, name)
		if err := f.Files.MkdirAll(path.Dir(at), 0o755); err != nil {
			return err
		}
		if err := afero.WriteFile(f.Files, at, write[name], 0o644); err != nil && !isProtected(err) {
			return err
		}
	}
	if len(to.Packages) == 0 {
		if err := f.Files.Remove(f.Lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	data, err := json.MarshalIndent(to, "", "  ")
	if err != nil {
		return err
	}
	return afero.WriteFile(f.Files, f.Lock, append(data, '\n'), 0o644)
}

// isProtected reports whether an error means that a file is one that other programs may execute, such as conftest.py:
// vfs.ProtectedError is one. A package's are left out, for nobody imports them.
func isProtected(err error) bool {
	_, ok := errors.AsType[interface {
		error
		Protected() string
	}](err)
	return ok
}

func isSame(p Package) func(Package) bool {
	return func(o Package) bool { return o.Name == p.Name && o.SHA256 == p.SHA256 }
}

// filesOf returns the files of a package, as its RECORD lists them: paths in the folder, and none that leads out of it.
func (f *Folder) filesOf(p Package) []string {
	if !fs.ValidPath(p.Info) || strings.Contains(p.Info, "/") || !strings.HasSuffix(p.Info, ".dist-info") {
		return nil
	}
	data, err := f.read(path.Join(f.Packages, p.Info, "RECORD"))
	if err != nil {
		return nil
	}
	rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	if err != nil {
		return nil
	}
	names := []string{p.Info + "/RECORD"}
	for _, row := range rows {
		if fs.ValidPath(row[0]) && row[0] != "." && !strings.ContainsFunc(row[0], isUnusual) {
			names = append(names, row[0])
		}
	}
	return names
}
