package project

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// Where a process that dies leaves changes behind, a file says that a checkpoint is being restored, from before the
// first change until after the last one. Whoever comes next compares again, and does what is left.
const restoringFile = "/" + vfs.Reserved + "/restoring.json"

// restoring is what that file says.
type restoring struct {
	// Checkpoint is the number of the checkpoint, and Call the call to which the changes belong.
	Checkpoint int64  `json:"checkpoint"`
	Call       string `json:"call"`
}

// A difference is between what a checkpoint has at a path and what is there now.
type difference struct {
	path string
	// then and now describe the two; nil is nothing.
	then, now fs.FileInfo
}

// removes reports whether what is there has to go before anything else is done: it is not just replaced.
func (d *difference) removes() bool {
	return d.now != nil && (d.then == nil || d.then.IsDir() || d.now.IsDir())
}

func (d *difference) op() vfs.Op {
	switch {
	case d.then == nil:
		return vfs.OpCreate
	case d.now == nil:
		return vfs.OpRemove
	}
	return vfs.OpWrite
}

// RestoreCheckpoint implements [vfs.Checkpoints].
func (p *Project) RestoreCheckpoint(
	ctx context.Context, name string, options *vfs.RestoreOptions,
) (done *vfs.Restored, err error) {
	if err := errors.Join(vfs.CheckCheckpointName(name), ctx.Err()); err != nil {
		return nil, err
	}
	err = p.Change(ctx, func(c *Core) error {
		k, err := c.findCheckpoint(name)
		if err != nil {
			return err
		}
		found, err := c.compare(ctx, &k)
		if err != nil {
			return checkpointError(name, err)
		}
		done = &vfs.Restored{Checkpoint: k.public(), Incomplete: c.State.Oldest > max(1, k.Next)}
		if done.Changed, err = c.changedSinceThen(&k, found); err != nil {
			return err
		}
		if len(found) == 0 || options != nil && options.DryRun {
			return nil
		}
		if err := p.settle(); err != nil {
			return err
		}
		done.Call, err = p.restoreAll(c, &k, found)
		return err
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// compare returns what is different from a checkpoint.
func (c *Core) compare(ctx context.Context, k *checkpoint) ([]difference, error) {
	dir := checkpointDir(k.number)
	if loader, ok := c.Backend.(preloader); ok {
		for _, at := range []string{"/", filesOf(dir)} {
			if err := loader.Preload(at); err != nil {
				return nil, err
			}
		}
	}
	tree, err := c.savedPrint(dir)
	if err != nil {
		return nil, err
	}
	if tree != k.Tree {
		return nil, vfs.ErrCheckpointDamaged
	}
	var found []difference
	if err := c.compareDirs(ctx, dir, "/", 0, &found); err != nil {
		return nil, err
	}
	var then []fs.FileInfo
	saved, err := c.isThere(statesOf(dir))
	if saved {
		then, err = c.inside(statesOf(dir), 0)
		then = slices.DeleteFunc(then, func(info fs.FileInfo) bool {
			return !isState(path.Join(stateDir, info.Name()))
		})
	}
	now, err2 := c.states()
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	err = c.compareLists(ctx, dir, stateDir, then, now, 0, &found)
	return found, err
}

// A preloader is a [Backend] that can read all that a directory contains at once, to find it soon afterwards.
type preloader interface{ Preload(dir string) error }

// compareDirs compares a directory with what a checkpoint has of it.
func (c *Core) compareDirs(ctx context.Context, saved, dir string, deep int, found *[]difference) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	then, err := c.inside(savedAt(saved, dir), deep)
	if err != nil {
		return err
	}
	now, err := c.inside(dir, deep)
	if err != nil {
		return err
	}
	return c.compareLists(ctx, saved, dir, then, now, deep, found)
}

// compareLists compares what a directory contains with what it contained, both sorted by name.
func (c *Core) compareLists(
	ctx context.Context, saved, dir string, then, now []fs.FileInfo, deep int, found *[]difference,
) (err error) {
	for both := range pairs(then, now) {
		d := difference{path.Join(dir, both.name), both.then, both.now}
		same := false
		switch {
		case d.then == nil || d.now == nil || d.then.IsDir() != d.now.IsDir():
		case d.then.IsDir():
			if err := c.compareDirs(ctx, saved, d.path, deep+1, found); err != nil {
				return err
			}
			same = true
		default:
			if same, err = c.sameFile(savedAt(saved, d.path), d.path, d.then, d.now); err != nil {
				return err
			}
		}
		if !same {
			*found = append(*found, d)
		}
	}
	return nil
}

// A comparer is a [Backend] that can tell by descriptions whether files have the same content.
type comparer interface{ SameContent(a, b fs.FileInfo) bool }

// sameFile reports whether two files have the same content.
func (c *Core) sameFile(a, b string, one, other fs.FileInfo) (bool, error) {
	if one.Size() != other.Size() {
		return false, nil
	}
	if comparer, ok := c.Backend.(comparer); ok {
		return comparer.SameContent(one, other), nil
	}
	if c.Backend.Same(one, other) {
		return true, nil
	}
	return SameContent(c.Backend, a, c.Backend, b, one.Size())
}

// restoreAll makes the files what they are in a checkpoint, or changes nothing.
func (p *Project) restoreAll(c *Core, k *checkpoint, all []difference) (id string, err error) {
	if err := c.restorable(k, all); err != nil {
		return "", err
	}
	own := &call{id: fsys.CallID("restore-" + strings.ToLower(rand.Text()))}
	if p.call != nil && p.call.id != "" {
		own.id, own.parts = p.call.id, p.call.parts
		defer func() { p.call.parts, p.call.written = own.parts, nil }()
	}
	restoring := restoring{k.number, own.id}
	lasting := c.lastsHalf()
	if lasting {
		if err := c.noteRestoring(&restoring); err != nil {
			return "", err
		}
	}
	first := c.State.Next
	if err := p.restoreDifferences(c, k, own, all); err != nil {
		if backErr := p.takeBack(c, own, first); backErr != nil {
			c.Counted.Store(false) // so that what is left is done with the next change
			return "", fmt.Errorf("%w; it is completed with the next change: %w", checkpointError(k.Name, err), backErr)
		}
		return "", errors.Join(checkpointError(k.Name, err), c.noteRestored(lasting))
	}
	return own.id, c.noteRestored(lasting)
}

// lastsHalf reports whether a process that dies leaves some changes, which the next one completes. In a directory that
// can come from anywhere nothing is done that a file in it asks for.
func (c *Core) lastsHalf() bool {
	_, whole := c.Backend.(Journal)
	return !whole && (c.InStore || c.OwnApart)
}

func (c *Core) noteRestoring(r *restoring) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := c.replaceOwn(restoringFile, data, true); err != nil {
		return err
	}
	return c.sync("/" + vfs.Reserved)
}

func (c *Core) noteRestored(noted bool) error {
	if !noted {
		return nil
	}
	if err := c.Backend.Remove(restoringFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return c.sync("/" + vfs.Reserved)
}

// restorable checks everything that could be in the way, before the first change.
func (c *Core) restorable(k *checkpoint, all []difference) error {
	dir := checkpointDir(k.number)
	var bytes, count int64
	for _, d := range all {
		if err := c.replaceable(&d); err != nil {
			return fsys.PathError("restore", shown(d.path), err)
		}
		if d.now != nil {
			size, err := c.SizeOf(d.path)
			if err != nil {
				return err
			}
			bytes, count = bytes-size.Bytes, count-size.Files
		}
		if d.then == nil {
			continue
		}
		if err := c.Guard(d.path, d.then.IsDir()); err != nil {
			return fsys.PathError("restore", shown(d.path), err)
		}
		if d.now == nil { // it may be a link, or something else that no checkpoint has
			if _, err := c.Backend.Lstat(d.path); !errors.Is(err, fs.ErrNotExist) {
				if err == nil {
					err = fsys.ErrNotFollowed
				}
				return fsys.PathError("restore", shown(d.path), err)
			}
		}
		size, err := c.SizeOf(savedAt(dir, d.path))
		if err != nil {
			return err
		}
		if size.protected != "" {
			return &vfs.ProtectedError{Path: strings.TrimPrefix(size.protected, filesOf(dir))}
		}
		bytes, count = bytes+size.Bytes, count+size.Files
	}
	return c.roomFor(c.State, bytes, count)
}

// replaceable checks that what is at a path now can be removed, and that the history can keep it.
func (c *Core) replaceable(d *difference) error {
	if d.now == nil {
		return nil
	}
	size, err := c.SizeOf(d.path)
	if err != nil {
		return err
	}
	if err := c.guardTree(d.path, size); err != nil || c.options.History.Off {
		return err
	}
	if size.special != "" {
		return specialError(size.special)
	}
	if cost := entryCost + size.cost(); cost > c.options.History.Bytes {
		return &vfs.QuotaError{Limit: "history", Max: c.options.History.Bytes, Want: cost}
	}
	return nil
}

// restoreDifferences does what is to be done, on behalf of a call.
func (p *Project) restoreDifferences(c *Core, k *checkpoint, own *call, all []difference) error {
	c.keepAll = true // nothing that is replaced must make way for what is replaced later
	defer func() { c.keepAll = false }()
	inside := &Project{Core: p.Core, opening: p.opening, call: own, scope: p.scope}
	for _, d := range all {
		if d.removes() {
			if err := inside.remove(c, d.path); err != nil {
				return fsys.PathError("restore", shown(d.path), err)
			}
		}
	}
	var made []string
	for _, d := range all {
		if d.then == nil {
			continue
		}
		if isState(d.path) {
			if err := c.makeMeta(stateDir); err != nil {
				return err
			}
		}
		if err := inside.putBack(c, savedAt(checkpointDir(k.number), d.path), &d, &made); err != nil {
			return fsys.PathError("restore", shown(d.path), err)
		}
		made = append(made, path.Dir(d.path))
	}
	return p.sync(made...)
}

// putBack puts back what a checkpoint has at a path. It adds the directories that are to be synced to made.
func (p *Project) putBack(c *Core, kept string, d *difference, made *[]string) error {
	if err := c.creatable(d.path, ""); d.now == nil && err != nil {
		return err
	}
	size, err := c.SizeOf(kept)
	if err != nil {
		return err
	}
	temp := c.temp()
	defer func() { _ = c.Backend.RemoveAll(temp) }() // it is gone if all went well
	if d.then.IsDir() {
		var dirs []string
		if err := c.shareTree(context.Background(), kept, temp, 0, &dirs); err != nil {
			return err
		}
		for _, dir := range dirs {
			*made = append(*made, d.path+strings.TrimPrefix(dir, temp))
		}
		tree, err := Fingerprint(c.Backend, temp)
		if err != nil {
			return err
		}
		if _, err := p.record(c, Change{Op: vfs.OpCreate, Path: d.path, After: &Stamp{Tree: tree}}); err != nil {
			return err
		}
	} else {
		if err := c.share(kept, temp, d.then); err != nil {
			return err
		}
		info, err := c.Backend.Lstat(temp)
		if err != nil {
			return err
		}
		e, before := Change{Op: vfs.OpCreate, Path: d.path, After: stampOf(info)}, fs.FileInfo(nil)
		if !d.removes() && d.now != nil {
			e.Op, before = vfs.OpWrite, d.now
			size.Bytes -= d.now.Size()
			size.Files--
		}
		if _, _, err := p.recordReplacement(c, e, d.path, before); err != nil {
			return err
		}
	}
	if err := c.Backend.Rename(temp, d.path); err != nil {
		return err
	}
	c.State.Bytes += size.Bytes
	c.State.Files += size.Files
	return nil
}

// takeBack reverses what a call has done from a change on.
func (p *Project) takeBack(c *Core, own *call, first int64) error {
	if c.State.Next > first && c.unhappened(c.recorded) {
		if err := c.forget(c.recorded); err != nil {
			return err
		}
	}
	made, err := c.changes(first)
	if err != nil || c.options.History.Off {
		return errors.Join(err, errors.New("without a history nothing can be taken back"))
	}
	c.keepAll = true
	defer func() { c.keepAll = false }()
	for _, e := range slices.Backward(made) {
		back := &Project{
			Core: p.Core, opening: p.opening, call: &call{undoes: own.id, reverses: e.Number}, scope: p.scope,
		}
		if err := back.reverse(c, e, nil); err != nil {
			return err
		}
	}
	if len(made) == 0 {
		return nil
	}
	done := &Project{Core: p.Core, opening: p.opening, call: &call{undoes: own.id}, scope: p.scope}
	_, err = done.record(c, Change{Op: vfs.OpUndone})
	return err
}

// resumeRestoring completes what a process has begun to restore that is no more. If something is protected now that was
// not, it stays as it is.
func (c *Core) resumeRestoring() error {
	if !c.lastsHalf() {
		return nil
	}
	r, err := c.readRestoring()
	if err != nil || r == nil {
		return err
	}
	k, err := c.readCheckpoint(r.Checkpoint)
	if err != nil || c.options.ReadOnly {
		return c.noteRestored(err != nil)
	}
	all, err := c.compare(context.Background(), &k)
	if err != nil {
		return checkpointError(k.Name, err)
	}
	own := &call{id: r.Call}
	made, err := c.changes(c.State.Oldest)
	if err != nil {
		return err
	}
	for _, e := range made {
		if e.unit() == own.id {
			own.parts = max(own.parts, e.Part+1)
		}
	}
	p := &Project{Core: c, opening: &opening{done: make(chan struct{})}}
	if err := p.restoreDifferences(c, &k, own, all); err != nil {
		if _, protected := errors.AsType[*vfs.ProtectedError](err); !protected {
			return checkpointError(k.Name, err)
		}
	}
	return c.noteRestored(true)
}

// readRestoring returns what is being restored, or nil.
func (c *Core) readRestoring() (*restoring, error) {
	n, err := c.Backend.Open(restoringFile, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer n.Close()
	data, err := io.ReadAll(io.NewSectionReader(n, 0, maxAbout))
	var r restoring
	if err == nil && (json.Unmarshal(data, &r) != nil || r.Checkpoint <= 0 || r.Call == "" ||
		r.Call != fsys.CallID(r.Call)) {
		return nil, c.noteRestored(true) // nothing of ours
	}
	return &r, err
}

// IsRestoring reports whether a process has died while it restored a checkpoint, or is at it.
func (c *Core) IsRestoring() bool {
	if !c.lastsHalf() {
		return false
	}
	_, err := c.Backend.Lstat(restoringFile)
	return err == nil
}
