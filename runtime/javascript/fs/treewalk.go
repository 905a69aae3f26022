package fs

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// batch is how many entries of a directory are read at a time.
const batch = 1000

// Entries calls do with the entries of a directory as the functions of fs find them, until do fails or the context
// ends.
func Entries(ctx context.Context, files afero.Fs, dir string, do func(info fs.FileInfo) error) error {
	t := tree{work: &fileWork{ctx: ctx, left: math.MaxInt}, files: files}
	return t.each(place{dir, dir}, do)
}

// each calls do with the entries of a directory, in no order, until do fails or returns fs.SkipAll. Entries whose names
// cannot be part of a path are left out.
func (t tree) each(p place, do func(info fs.FileInfo) error) error {
	f, err := t.files.Open(p.name)
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		if err := t.work.spend(lookCost); err != nil {
			return err
		}
		infos, err := f.Readdir(batch)
		if err := t.work.spend(EntryCost * len(infos)); err != nil {
			return err
		}
		for _, info := range infos {
			if name := info.Name(); name == "" || name == "." || name == ".." || strings.Contains(name, "/") {
				continue
			}
			if err := do(info); errors.Is(err, fs.SkipAll) {
				return nil
			} else if err != nil {
				return err
			}
		}
		if err != nil && err != io.EOF {
			return err
		}
		if err != nil || len(infos) == 0 {
			return nil
		}
	}
}

// An entry is a directory entry, with its path relative to the start of the listing.
type entry struct {
	name string
	kind byte
}

// list lists a directory. With recursive, the entries of each subdirectory follow its name. The result is the JSON
// of an object: the names, and as kinds a letter for each.
func (t tree) list(p place, recursive bool) (any, error) {
	info, err := t.stat(p)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, syscall.ENOTDIR
	}
	text, kinds := []byte(`{"names":[`), []byte{}
	left := t.limit / 2 // the script holds them twice while it reads them
	err = t.walk(p, "", recursive, &left, func(e entry) error {
		if len(kinds) > 0 {
			text = append(text, ',')
		}
		text = jsontree.AppendString(text, e.name)
		kinds = append(kinds, e.kind)
		return t.work.spend(len(e.name))
	})
	text = append(append(append(text, `],"kinds":"`...), kinds...), `"}`...)
	return json.RawMessage(text), err
}

// walk calls visit with the entries of the directory dir below p: directories first, then the rest, each sorted by
// name. left is how many bytes may still be listed.
func (t tree) walk(p place, dir string, recursive bool, left *int64, visit func(e entry) error) error {
	var entries []entry
	err := t.each(p.below(dir), func(info fs.FileInfo) error {
		e := entry{path.Join(dir, info.Name()), kindOf(info)}
		if *left -= int64(len(e.name)) + EntryCost; *left < 0 {
			return syscall.ENOMEM
		}
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return err
	}
	compared := 0
	slices.SortFunc(entries, func(a, b entry) int {
		if compared++; compared%batch == 0 && err == nil {
			err = t.work.ctx.Err() // the rest compares as equal, so sorting ends soon
		}
		if err != nil {
			return 0
		}
		switch first, second := a.kind == kindDirectory, b.kind == kindDirectory; {
		case first && !second:
			return -1
		case second && !first:
			return 1
		}
		return strings.Compare(a.name, b.name)
	})
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := visit(e); err != nil {
			return err
		}
		if recursive && e.kind == kindDirectory {
			if err := t.walk(p, e.name, true, left, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyAny copies a file, or with the recursive flag a directory with its content, possibly into an existing one.
func (t tree) copyAny(r *fileRequest) error {
	return t.change(r.to, "write", func(t tree) error {
		info, err := t.stat(r.place)
		switch {
		case err != nil:
			return at(r.place, "read", err)
		case !info.IsDir():
			return t.copyOver(r, r.place, r.to)
		case !r.has(fileRecursive):
			return at(r.place, "read", syscall.EISDIR)
		case r.to.name == r.name, strings.HasPrefix(r.to.name, strings.TrimSuffix(r.name, "/")+"/"):
			return syscall.EINVAL
		}
		left := t.limit
		if err := t.ensureDirectory(r.to); err != nil {
			return err
		}
		return t.walk(r.place, "", true, &left, func(e entry) error {
			from, to := r.below(e.name), r.to.below(e.name)
			if e.kind == kindDirectory {
				return at(to, "mkdir", t.ensureDirectory(to))
			}
			return t.copyOver(r, from, to)
		})
	})
}

func (t tree) ensureDirectory(p place) error {
	info, err := t.stat(p)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return syscall.ENOTDIR
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return t.files.MkdirAll(p.name, 0o755)
}

// copyOver copies a file over an existing one, as far as the flags allow.
func (t tree) copyOver(r *fileRequest, from, to place) error {
	if !r.has(fileForce) {
		if _, err := t.stat(to); err == nil {
			if r.has(fileExclusive) {
				return at(to, "write", syscall.EEXIST)
			}
			return nil
		}
	}
	return t.copyOne(from, to, false)
}
