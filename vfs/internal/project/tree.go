package project

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/toolrun/toolrun/vfs"
)

// DirectoryPrint begins the fingerprints of directories.
const DirectoryPrint = "directory "

// Fingerprint tells states of what is at a path apart: of a file by its kind, size and time, of a directory by all that
// is in it, whatever its name. It is "" if there is nothing.
func Fingerprint(b Backend, name string) (string, error) { return fingerprint(b, name, FilePrint) }

// shape is Fingerprint without times, which those who copy directories do not keep.
func shape(b Backend, name string) (string, error) {
	return fingerprint(b, name, func(info fs.FileInfo) string {
		return fmt.Sprintf("%v %d", info.Mode().Type(), info.Size())
	})
}

func fingerprint(b Backend, name string, print func(fs.FileInfo) string) (string, error) {
	info, err := b.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return fingerprintOf(b, name, info, print)
}

// FilePrint is the fingerprint of what is not a directory.
func FilePrint(info fs.FileInfo) string {
	return fmt.Sprintf("%v %d %d", info.Mode().Type(), info.Size(), info.ModTime().UnixNano())
}

func fingerprintOf(b Backend, name string, info fs.FileInfo, print func(fs.FileInfo) string) (string, error) {
	if !info.IsDir() {
		return print(info), nil
	}
	infos, err := b.ReadDir(name)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, inside := range infos {
		state, err := fingerprintOf(b, path.Join(name, inside.Name()), inside, print)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%q %s\n", inside.Name(), state)
	}
	return fmt.Sprintf(DirectoryPrint+"%x", sum.Sum(nil)[:16]), nil
}

// alike reports whether there is the same at two paths, as far as fingerprints tell.
func (c *Core) alike(a, b string) bool {
	first, err1 := Fingerprint(c.Backend, a)
	second, err2 := Fingerprint(c.Backend, b)
	return err1 == nil && err2 == nil && first != "" && first == second
}

// A restoredTree is a directory that a change has restored as a whole.
type restoredTree struct {
	number     int64
	path, tree string
}

// restoredTrees are those that an undo or redo restores, and perhaps moves and changes afterwards.
type restoredTrees []restoredTree

// reversed notes that a change has been reversed on behalf of a call.
func (r *restoredTrees) reversed(e Change, by *call) {
	if e.Op == vfs.OpRename {
		for i, t := range *r {
			if vfs.Within(t.path, e.To) {
				(*r)[i].path = e.Path + t.path[len(e.To):]
			}
		}
	}
	*r = append(*r, by.trees...)
	by.trees = nil
}

// stampTrees notes what the trees have become by all that was reversed.
func (c *Core) stampTrees(trees restoredTrees) error {
	for _, t := range trees {
		if info, err := c.Backend.Lstat(t.path); err != nil || !info.IsDir() {
			continue
		}
		tree, err := Fingerprint(c.Backend, t.path)
		if err != nil {
			return err
		}
		if tree == t.tree {
			continue
		}
		if err := c.describe(Change{Number: t.number, After: &Stamp{Tree: tree}}); err != nil {
			return err
		}
	}
	return nil
}
