package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// A purge is noted first, then the changes lose what they have kept. Where a process that dies leaves changes behind,
// whoever comes next finds the note, and does what is left.

// maxBy is how much of the name of who purges is kept.
const maxBy = 256

// A version is what a change has kept of what is to be purged: all of it, or parts of a directory.
type version struct {
	Change
	// at are the names of files and directories of the history.
	at []string
}

// A lingerer is a [Backend] in which bytes that nothing needs any more stay for some time, at most this long.
type lingerer interface{ Lingers() time.Duration }

// Purge implements [vfs.Project].
func (p *Project) Purge(ctx context.Context, name string, options *vfs.PurgeOptions) (done *vfs.Purged, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if options == nil {
		options = &vfs.PurgeOptions{}
	}
	err = onPath("purge", name, func(clean string) error {
		if clean == "/" {
			return fmt.Errorf("%w: name a file or a folder in it", fs.ErrInvalid)
		}
		return p.Change(ctx, func(c *Core) error {
			done, err = p.purge(ctx, c, clean, options)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

func (p *Project) purge(ctx context.Context, c *Core, clean string, options *vfs.PurgeOptions) (*vfs.Purged, error) {
	all, err := c.changes(c.State.Oldest)
	if err != nil {
		return nil, err
	}
	versions, at, known, err := c.versionsOf(all, clean)
	if err != nil {
		return nil, err
	}
	there, err := c.isThere(clean)
	if err != nil && !errors.Is(err, fsys.ErrNotDir) && !errors.Is(err, fsys.ErrNotFollowed) {
		return nil, err
	}
	done := &vfs.Purged{Removed: there && options.Remove}
	twin, _ := c.Backend.Twin(path.Dir(clean), path.Base(clean)) // the directory need not be there
	if twin != "" {
		twin = path.Join(path.Dir(clean), twin)
	}
	done.Others = c.others(all, at, clean, twin)
	if !known && (!there || twin != "") {
		for _, name := range done.Others {
			if vfs.Fold(name) == vfs.Fold(clean) {
				return nil, &vfs.NameConflictError{Name: clean, Existing: name}
			}
		}
		return nil, syscall.ENOENT
	}
	if err := c.heldByCheckpoints(ctx, all, clean, there && !options.Remove); err != nil {
		return nil, err
	}
	if len(versions) == 0 && !done.Removed {
		return done, nil
	}
	c.keepAll = true // nothing else has to make way
	defer func() { c.keepAll = false }()
	if done.Removed {
		if err := p.removePurged(c, clean); err != nil {
			return nil, err
		}
	}
	by := strings.ToValidUTF8(options.By[:min(maxBy, len(options.By))], "")
	number, err := p.record(c, Change{Op: vfs.OpPurged, Path: clean, By: by})
	if err != nil {
		return nil, err
	}
	done.Change = max(0, number) // without a history, something of an earlier one may be left
	done.Versions = len(versions)
	if done.Bytes, err = c.drop(versions, max(1, number)); err != nil {
		return nil, err
	}
	if l, ok := p.Core.Backend.(lingerer); ok {
		done.Within = l.Lingers()
	}
	return done, nil
}

// removePurged removes what is at a path, without keeping it, before the purge is noted.
func (p *Project) removePurged(c *Core, clean string) error {
	size, err := c.SizeOf(clean)
	if err != nil {
		return err
	}
	if err := c.guardTree(clean, size); err != nil {
		return err
	}
	e := Change{Op: vfs.OpRemove, Path: clean, Purged: max(1, c.State.Next) + 1}
	if _, err := p.record(c, e); err != nil {
		return err
	}
	if err := p.settle(); err != nil {
		return err
	}
	temp := c.temp()
	if err := c.Backend.Rename(clean, temp); err != nil {
		return err
	}
	c.State.Bytes -= size.Bytes
	c.State.Files -= size.Files
	return errors.Join(c.erase(temp), p.sync(path.Dir(clean)))
}

// removesPurged reports whether the change has removed what was at a path that is purged with the next change.
func (e *Change) removesPurged() bool { return e.Op == vfs.OpRemove && e.Purged == e.Number+1 }

// versionsOf returns what changes have kept of the file or directory at a path, and all paths that it has had. known
// says whether they know of it at all.
func (c *Core) versionsOf(all []Change, clean string) (versions []version, at lineage, known bool, err error) {
	at = lineage{clean: true}
	_, exact := c.Backend.(Journal) // no process that has died leaves anything behind
	for _, e := range slices.Backward(all) {
		if e.Op == vfs.OpUndone || e.Op == vfs.OpPurged || isState(e.Path) {
			continue
		}
		v := version{Change: e}
		switch whole := at.has(e.target()); {
		case exact && !e.Kept:
		case whole && e.Op != vfs.OpCreate && e.Op != vfs.OpMkdir:
			v.at = []string{KeptFile(e.Number)}
		case e.Op == vfs.OpRemove:
			for name := range at {
				if vfs.Within(name, e.Path) {
					v.at = append(v.at, KeptFile(e.Number)+name[len(e.Path):])
				}
			}
		}
		if e.Op != vfs.OpRename {
			known = known || at.has(e.Path)
		} else if at.concerns(e) {
			known = true
		}
		v.at = slices.DeleteFunc(v.at, func(name string) bool {
			there, failed := c.isThere(name)
			if failed != nil && !errors.Is(failed, fsys.ErrNotDir) && !errors.Is(failed, fsys.ErrNotFollowed) {
				err = errors.Join(err, failed)
			}
			return !there
		})
		if len(v.at) > 0 {
			versions, known = append(versions, v), true
		}
	}
	return versions, at, known, err
}

// drop drops versions for good, for which a change has been noted.
func (c *Core) drop(versions []version, purged int64) (freed int64, err error) {
	// In this order, so that nothing is promised that is gone, also after a failure of the system.
	pages := map[string]bool{}
	for _, v := range versions {
		if !v.Kept {
			continue
		}
		v.Kept, v.Purged = v.at[0] != KeptFile(v.Number), purged
		if err := c.describe(v.Change); err != nil {
			return 0, err
		}
		pages[pageFile(pageOf(v.Number))] = true
	}
	if !c.options.History.Off {
		pages[pageFile(pageOf(purged))] = true
	}
	if _, ok := c.Backend.(Journal); !ok && !c.options.NoSync {
		for name := range pages {
			n, err := c.Backend.Open(name, os.O_RDWR, 0)
			if err == nil {
				err = errors.Join(n.Sync(), n.Close())
			}
			if err != nil {
				return 0, err
			}
		}
	}
	for _, v := range versions {
		for _, name := range v.at {
			size, err := c.SizeOf(name)
			if errors.Is(err, fs.ErrNotExist) { // with a directory above
				continue
			}
			if err != nil {
				return freed, err
			}
			if err := c.erase(name); err != nil {
				return freed, err
			}
			freed += size.Bytes
			c.State.Kept = max(0, c.State.Kept-size.cost())
		}
	}
	return freed, c.sync(historyDir)
}

// erase removes what is the project's own, and fails if it is still there.
func (c *Core) erase(name string) error {
	c.cleanUp(name)
	there, err := c.isThere(name)
	if there && c.Backend.Chmod(path.Dir(name), 0o700) == nil {
		c.cleanUp(name)
		there, err = c.isThere(name)
	}
	if there {
		return errors.New("a version could not be removed from the history: purge it again")
	}
	return err
}

// resumePurging completes what a process had begun to purge that is no more. Changes before doubtful have been made.
func (c *Core) resumePurging(doubtful int64) error {
	if !c.lastsHalf() || c.options.ReadOnly {
		return nil
	}
	all, err := c.changes(max(c.State.Oldest, 1))
	if err != nil || len(all) == 0 {
		return err
	}
	note := all[len(all)-1]
	if note.Op != vfs.OpPurged || note.Number < doubtful {
		return nil
	}
	versions, _, _, err := c.versionsOf(all, note.Path)
	if err == nil {
		_, err = c.drop(versions, note.Number)
	}
	return err
}

// others returns what [vfs.Purged] says of other paths. twin is one that is there now and differs in case or Unicode
// form only, or "".
func (c *Core) others(all []Change, at lineage, clean, twin string) (others []string) {
	moved, mentioned := lineage{}, map[string]bool{twin: twin != ""}
	for _, e := range all {
		for _, name := range []string{e.Path, e.To} {
			mentioned[name] = name != "" && !isState(name)
		}
		if e.Op != vfs.OpRename {
			continue
		}
		for name := range maps.Clone(moved) {
			if vfs.Within(name, e.Path) {
				delete(moved, name)
				moved[e.To+name[len(e.Path):]] = true
			}
		}
		if at.has(e.Path) {
			moved[e.To] = true
			continue
		}
		for name := range at { // with a directory that it was in
			if vfs.Within(name, e.Path) {
				moved[e.To+name[len(e.Path):]] = true
			}
		}
	}
	for name := range moved {
		there, _ := c.isThere(name)
		if (there || mentioned[name]) && !at.has(name) {
			others = append(others, name)
		}
	}
	folded := vfs.Fold(clean)
	for name, is := range mentioned {
		if is && vfs.Fold(name) == folded && !at.has(name) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	return slices.Compact(others)
}

// heldByCheckpoints returns an error if checkpoints have the file or directory at a path, with a content that is not
// the present one if that stays.
func (c *Core) heldByCheckpoints(ctx context.Context, all []Change, clean string, stays bool) error {
	checkpoints, err := c.checkpoints()
	if err != nil {
		return err
	}
	var holding []string
	for _, k := range checkpoints {
		held, at := false, lineage{clean: true} // what it was called then
		for _, e := range slices.Backward(all) {
			if e.Number >= k.Next && e.Op == vfs.OpRename {
				at.concerns(e)
			}
		}
		for name := range at {
			if held, err = c.holds(ctx, checkpointDir(k.number), name, stays && name == clean); err != nil {
				return checkpointError(k.Name, err)
			}
			if held {
				break
			}
		}
		if held {
			holding = append(holding, k.Name)
		}
	}
	if holding == nil {
		return nil
	}
	return &vfs.CheckpointsError{Path: clean, Checkpoints: holding}
}

// holds reports whether a checkpoint in a directory has something at a path, which may be the same as now.
func (c *Core) holds(ctx context.Context, dir, name string, same bool) (bool, error) {
	then, err := c.Backend.Lstat(savedAt(dir, name))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsys.ErrNotDir) {
		return false, nil
	}
	if err != nil || !same {
		return true, err
	}
	now, err := c.Backend.Lstat(name)
	switch {
	case err != nil || then.IsDir() != now.IsDir():
		return true, err
	case then.IsDir():
		var found []difference
		err := c.compareDirs(ctx, dir, name, depth(name), &found)
		return slices.ContainsFunc(found, func(d difference) bool { return d.then != nil }), err
	}
	equal, err := c.sameFile(savedAt(dir, name), name, then, now)
	return !equal, err
}
