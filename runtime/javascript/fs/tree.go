package fs

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/text/filetype"
	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// A tree is a run's files. It enforces the same rules on every file system: some in memory allow files in files, remove
// directories that are not empty, or replace existing files.
type tree struct {
	work  *fileWork
	files afero.Fs
	limit int64 // how many bytes of the host's memory an operation may take
}

// fileWork counts the work of one operation, in bytes.
type fileWork struct {
	ctx  context.Context // ends with the run
	left int             // how many bytes may still be worked on
	used int
}

// Work that counts beside the bytes of files and names, in bytes.
const (
	callCost  = 4 << 10 // a call of a function of fs
	lookCost  = 1 << 10 // a look at a path
	EntryCost = 100     // an entry of a directory: about its memory in host and script, beside its name
)

// errSpent ends an operation for which the script has no work left.
var errSpent = errors.New("the work limit is reached")

// spend counts bytes of work. An error means that the operation must end.
func (w *fileWork) spend(bytes int) error {
	w.used += bytes
	if w.left -= bytes; w.left < 0 {
		return errSpent
	}
	return w.ctx.Err()
}

// Optional methods of file systems, which those of package vfs have.
type (
	exclusive interface {
		Exclusively(ctx context.Context, do func(files afero.Fs) error) error
	}
	protecting interface{ IsReadOnly(name string) bool }
	// scratch has paths that are not the project's. Its files that are not regular are safe to open.
	scratch interface{ Has(name string) bool }
)

func (t tree) isScratch(p place) bool {
	s, ok := t.files.(scratch)
	return ok && s.Has(p.name)
}

// opens reports whether a file, which is no directory, can be opened: others could block for ever.
func (t tree) opens(p place, info fs.FileInfo) bool { return info.Mode().IsRegular() || t.isScratch(p) }

// change runs do, which changes a path, and perhaps others. If the file system can exclude other changes to the project
// meanwhile, it does.
func (t tree) change(p place, verb string, do func(t tree) error, others ...place) error {
	if t.isReadOnly(p) {
		return at(p, verb, syscall.EROFS) // whatever is there
	}
	inProject := func(p place) bool { return !t.isScratch(p) }
	if e, ok := t.files.(exclusive); ok && (inProject(p) || slices.ContainsFunc(others, inProject)) {
		return at(p, verb, e.Exclusively(t.work.ctx, func(files afero.Fs) error {
			return do(tree{t.work, files, t.limit})
		}))
	}
	return at(p, verb, do(t))
}

func (t tree) isReadOnly(p place) bool {
	v, ok := t.files.(protecting)
	return ok && v.IsReadOnly(p.name)
}

// stat describes a path. A path through a file is ENOTDIR.
func (t tree) stat(p place) (fs.FileInfo, error) {
	if err := t.work.spend(lookCost); err != nil {
		return nil, err
	}
	info, err := t.files.Stat(p.name)
	if !errors.Is(err, fs.ErrNotExist) {
		return info, err
	}
	for dir := path.Dir(p.name); dir != "/"; dir = path.Dir(dir) {
		if err := t.work.spend(lookCost); err != nil {
			return nil, err
		}
		if above, aboveErr := t.files.Stat(dir); aboveErr == nil {
			if !above.IsDir() {
				return nil, syscall.ENOTDIR
			}
			break
		}
	}
	return nil, err
}

// Kinds of directory entries.
const (
	kindFile      = 'f'
	kindDirectory = 'd'
	kindOther     = 'o'
)

func kindOf(info fs.FileInfo) byte {
	switch {
	case info.IsDir():
		return kindDirectory
	case info.Mode().IsRegular():
		return kindFile
	}
	return kindOther
}

// A description is the result of stat.
type description struct {
	Kind     string `json:"kind"`
	Size     int64  `json:"size"`
	ReadOnly bool   `json:"readonly"`
	Modified int64  `json:"mtime"` // in milliseconds since 1970
	IsBinary bool   `json:"isBinary"`
	MIME     string `json:"mime"`
}

func (t tree) describe(p place) (any, error) {
	info, err := t.stat(p)
	if err != nil {
		return nil, err
	}
	d := description{
		Kind: string(kindOf(info)), Size: info.Size(), Modified: info.ModTime().UnixMilli(), MIME: filetype.Unknown,
		ReadOnly: info.Mode().Perm()&0o222 == 0 || t.isReadOnly(p),
	}
	switch kindOf(info) {
	case kindDirectory:
		d.Size, d.MIME = 0, filetype.Directory
	case kindFile:
		head, err := t.readHead(p, d.Size, filetype.HeadSize)
		if err != nil {
			return nil, err
		}
		d.MIME, d.IsBinary = filetype.Of(p.name, head)
	}
	return d, nil
}

// Modes of access. The numbers are those of POSIX.
const (
	accessExecute = 1
	accessWrite   = 2
)

func (t tree) access(p place, mode int) error {
	info, err := t.stat(p)
	switch {
	case err != nil:
		return err
	case mode&accessWrite != 0 && t.isReadOnly(p):
		return at(p, "access", syscall.EROFS)
	case mode&accessWrite != 0 && info.Mode().Perm()&0o222 == 0,
		mode&accessExecute != 0 && !info.IsDir() && info.Mode().Perm()&0o111 == 0:
		return syscall.EACCES
	}
	return nil
}

// mkdir creates a directory and its parents. An existing one is an error unless recursive is set. With recursive, the
// answer is the first directory that was missing, as JSON, or nil if there was none.
func (t tree) mkdir(p place, recursive bool) (answer any, err error) {
	err = t.change(p, "mkdir", func(t tree) error {
		info, err := t.stat(p)
		switch {
		case err == nil && recursive && info.IsDir():
			return nil
		case err == nil:
			return syscall.EEXIST
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		made, err := t.makeParents(p.below("x"))
		if err == nil && recursive {
			first := made[len(made)-1]
			if !strings.HasPrefix(p.given, "/") {
				first = first[1:]
			}
			answer = json.RawMessage(jsontree.AppendString(nil, first))
		}
		return err
	})
	return answer, err
}

// makeParents creates the missing parents of a path, and returns them, the deepest first. No existing parent may be a
// file.
func (t tree) makeParents(p place) (made []string, err error) {
	for dir := path.Dir(p.name); dir != "/"; dir = path.Dir(dir) {
		if err := t.work.spend(lookCost); err != nil {
			return nil, err
		}
		if _, err := t.files.Stat(dir); err == nil {
			break
		}
		made = append(made, dir)
	}
	if len(made) == 0 {
		return nil, nil
	}
	return made, t.files.MkdirAll(made[0], 0o755)
}

// unmake removes the directories that makeParents created, after the operation has failed.
func (t tree) unmake(made []string) {
	for _, dir := range made {
		_ = t.files.Remove(dir)
	}
}

func (t tree) unlink(p place) error {
	return t.change(p, "unlink", func(t tree) error {
		info, err := t.stat(p)
		if err != nil {
			return err
		}
		if info.IsDir() {
			return syscall.EISDIR
		}
		return t.files.Remove(p.name)
	})
}

func (t tree) rmdir(p place, recursive bool) error {
	return t.change(p, "rmdir", func(t tree) error {
		info, err := t.stat(p)
		switch {
		case err != nil:
			return err
		case !info.IsDir():
			return syscall.ENOTDIR
		case p.name == "/":
			return syscall.EBUSY
		case recursive:
			return t.files.RemoveAll(p.name)
		}
		empty := true
		if err := t.each(p, func(fs.FileInfo) error { empty = false; return fs.SkipAll }); err != nil {
			return err
		}
		if !empty {
			return syscall.ENOTEMPTY
		}
		return t.files.Remove(p.name)
	})
}

// remove removes a file, or with recursive a directory with its content. With force, a missing path is no error.
func (t tree) remove(p place, recursive, force bool) error {
	info, err := t.stat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist) && force && !t.isReadOnly(p):
		return nil
	case err != nil || !info.IsDir():
		return t.unlink(p)
	case !recursive && !t.isReadOnly(p):
		return at(p, "rmdir", syscall.EISDIR)
	}
	return t.rmdir(p, true)
}

// rename moves a file or directory. It never replaces anything.
func (t tree) rename(from, to place) error {
	if t.isReadOnly(from) {
		return at(from, "rename", syscall.EROFS)
	}
	return t.change(to, "rename", func(t tree) error {
		info, err := t.stat(from)
		if err != nil {
			return at(from, "rename", err)
		}
		switch _, err := t.stat(to); {
		case from.name == "/":
			return at(from, "rename", syscall.EBUSY)
		case err == nil:
			return syscall.EEXIST
		case !errors.Is(err, fs.ErrNotExist):
			return err
		case strings.HasPrefix(to.name, from.name+"/"):
			return syscall.EINVAL
		}
		if t.isScratch(from) != t.isScratch(to) { // it is copied
			if info.IsDir() {
				return fileFailure("EXDEV", "cross-device link not permitted", from.given)
			}
			if err := t.work.spend(int(info.Size())); err != nil {
				return err
			}
		}
		made, err := t.makeParents(to)
		if err != nil {
			return err
		}
		if err = t.files.Rename(from.name, to.name); err == nil {
			return nil
		}
		t.unmake(made)
		if errors.Is(err, syscall.EROFS) {
			return at(from, "rename", err) // it contains something read-only
		}
		return err
	}, from)
}
