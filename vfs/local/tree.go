package local

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/toolrun/toolrun/vfs"
)

// directoryPrint begins the fingerprints of directories.
const directoryPrint = "directory "

// fingerprint tells states of what is at a path apart: of a file by its kind, size and time, of a directory by all that
// is in it, whatever its name. It is "" if there is nothing.
func fingerprint(b backend, name string) (string, error) {
	info, err := b.lstat(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return fingerprintOf(b, name, info)
}

// filePrint is the fingerprint of what is not a directory.
func filePrint(info fs.FileInfo) string {
	return fmt.Sprintf("%v %d %d", info.Mode().Type(), info.Size(), info.ModTime().UnixNano())
}

func fingerprintOf(b backend, name string, info fs.FileInfo) (string, error) {
	if !info.IsDir() {
		return filePrint(info), nil
	}
	infos, err := b.readDir(name)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, inside := range infos {
		state, err := fingerprintOf(b, path.Join(name, inside.Name()), inside)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%q %s\n", inside.Name(), state)
	}
	return fmt.Sprintf(directoryPrint+"%x", sum.Sum(nil)[:16]), nil
}

// alike reports whether there is the same at two paths, as far as fingerprints tell.
func (c *core) alike(a, b string) bool {
	first, err1 := fingerprint(c.b, a)
	second, err2 := fingerprint(c.b, b)
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
func (r *restoredTrees) reversed(e change, by *call) {
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
func (c *core) stampTrees(trees restoredTrees) error {
	for _, t := range trees {
		if info, err := c.b.lstat(t.path); err != nil || !info.IsDir() {
			continue
		}
		tree, err := fingerprint(c.b, t.path)
		if err != nil {
			return err
		}
		if tree == t.tree {
			continue
		}
		if err := c.describe(change{Number: t.number, After: &stamp{Tree: tree}}); err != nil {
			return err
		}
	}
	return nil
}
