package local

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"path"

	"github.com/toolrun/toolrun/internal/jsontree"
	"github.com/toolrun/toolrun/vfs"
)

// treeOf tells states of a directory with all that is in it apart, by names, kinds, sizes and times.
func (c *core) treeOf(dir string) (string, error) {
	sum := sha256.New()
	if err := c.addTree(sum, dir, ""); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:16]), nil
}

func (c *core) addTree(sum hash.Hash, dir, inside string) error {
	infos, err := c.b.readDir(dir)
	if err != nil {
		return err
	}
	for _, info := range infos {
		name := path.Join(inside, info.Name())
		if info.IsDir() {
			fmt.Fprintf(sum, "%q\n", name+"/")
			if err := c.addTree(sum, path.Join(dir, info.Name()), name); err != nil {
				return err
			}
			continue
		}
		at := jsontree.Time(info.ModTime()).UnixNano()
		fmt.Fprintf(sum, "%q %v %d %d\n", name, info.Mode().Type(), info.Size(), at)
	}
	return nil
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
		tree, err := c.treeOf(t.path)
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
