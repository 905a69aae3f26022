package project

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// Transfer makes a project, which must be empty, what another one is: with all files, their times and permissions, the
// settings and the history. Limits do not apply. Nobody changes either of them meanwhile. If it fails, something may
// have been transferred.
func Transfer(ctx context.Context, from, to *Project) error {
	return from.Change(ctx, func(source *Core) error {
		return to.Change(ctx, func(target *Core) error {
			if s := target.State; s.Files > 0 || s.Next > s.Oldest {
				return fs.ErrExist
			}
			t := &transfer{ctx: ctx, from: source, to: target}
			if err := t.all(); err != nil {
				return err
			}
			target.State = t.state
			target.oldestTime = time.Time{} // to be looked up
			return nil
		})
	})
}

// A transfer copies a project.
type transfer struct {
	ctx      context.Context
	from, to *Core
	state    State
}

func (t *transfer) all() error {
	for _, dir := range []string{historyDir, TempDir} {
		if err := t.to.makeMeta(dir); err != nil {
			return err
		}
	}
	changes, err := t.from.changes(t.from.State.Oldest)
	if err != nil {
		return err
	}
	t.state = State{Oldest: t.from.State.Oldest, Next: t.from.State.Next}
	if t.state.Next == 0 {
		t.state.Oldest, t.state.Next = 1, 1
	}
	for _, e := range changes {
		t.state.Kept += entryCost
		if err := t.to.describe(e); err != nil {
			return err
		}
		if !e.Kept {
			continue
		}
		size, err := t.copy(KeptFile(e.Number))
		if err != nil {
			return fmt.Errorf("what change %d of %s has kept: %w", e.Number, e.target(), err)
		}
		t.state.Kept += size.cost()
	}
	size, err := t.inside("/")
	if err != nil {
		return err
	}
	states, err := t.states()
	if err != nil {
		return err
	}
	t.state.Bytes, t.state.Files = size.Bytes+states.Bytes, size.Files+states.Files
	if err := t.checkpoints(); err != nil {
		return err
	}
	settings, err := t.from.readSettings()
	if err != nil {
		return err
	}
	if len(settings) > 0 {
		err = t.to.writeSettings(settings)
	}
	return errors.Join(err, t.to.sync(historyDir))
}

// copy copies what is at a path.
func (t *transfer) copy(name string) (size treeSize, err error) {
	info, err := t.from.Backend.Lstat(name)
	switch {
	case err != nil:
		return size, err
	case t.ctx.Err() != nil:
		return size, t.ctx.Err()
	case info.IsDir():
		perm := info.Mode().Perm() | 0o700
		if err := t.to.Backend.Mkdir(name, perm); err != nil {
			return size, err
		}
		if size, err = t.inside(name); err != nil {
			return size, err
		}
		size.Files++
		return size, errors.Join(t.to.Backend.Chmod(name, perm),
			t.to.Backend.Chtimes(name, info.ModTime(), info.ModTime()))
	case !info.Mode().IsRegular():
		return size, fsys.PathError("copy", name, fsys.ErrNotFollowed)
	}
	to := Copier{From: t.from.Backend, To: t.to.Backend, Durable: !t.to.options.NoSync}
	if err := to.Whole(name, t.to.temp(), name, info); err != nil {
		return size, fsys.PathError("copy", name, err)
	}
	return treeSize{Files: 1, Bytes: info.Size()}, nil
}

// inside copies what is in a directory.
func (t *transfer) inside(dir string) (size treeSize, err error) {
	infos, err := t.from.list(dir)
	if err != nil {
		return size, err
	}
	return t.each(dir, infos)
}

// each copies some of what is in a directory.
func (t *transfer) each(dir string, infos []fs.FileInfo) (size treeSize, err error) {
	for _, info := range infos {
		one, err := t.copy(path.Join(dir, info.Name()))
		if err != nil {
			return size, err
		}
		size.Bytes += one.Bytes
		size.Files += one.Files
	}
	return size, t.to.sync(dir)
}

// states copies the states of sessions.
func (t *transfer) states() (size treeSize, err error) {
	found, err := t.from.states()
	if err != nil || len(found) == 0 {
		return size, err
	}
	if err := t.to.makeMeta(stateDir); err != nil {
		return size, err
	}
	return t.each(stateDir, found)
}

// checkpoints copies all checkpoints, which share what they share with the project or the one before.
func (t *transfer) checkpoints() error {
	all, err := t.from.checkpoints()
	if err != nil || len(all) == 0 {
		return err
	}
	if err := t.to.makeMeta(checkpointsDir); err != nil {
		return err
	}
	before, statesBefore := "/", stateDir
	for _, k := range all {
		dir := checkpointDir(k.number)
		if err := t.to.Backend.Mkdir(dir, 0o700); err != nil {
			return err
		}
		if err := t.checkpointFiles(filesOf(dir), before); err != nil {
			return checkpointError(k.Name, err)
		}
		states := statesOf(dir)
		there, err := t.from.isThere(states)
		if err != nil {
			return checkpointError(k.Name, err)
		}
		if there {
			if err := t.checkpointFiles(states, statesBefore); err != nil {
				return checkpointError(k.Name, err)
			}
			statesBefore = states
		}
		if _, err := t.copy(aboutFile(dir)); err != nil {
			return err
		}
		before = filesOf(dir)
	}
	return t.to.sync(checkpointsDir)
}

// checkpointFiles copies the directory of a checkpoint. What is the same in another one, or in the project, is shared.
func (t *transfer) checkpointFiles(dir, before string) error {
	info, err := t.from.Backend.Lstat(dir)
	if err != nil {
		return err
	}
	perm := info.Mode().Perm() | 0o700
	if err := t.to.Backend.Mkdir(dir, perm); err != nil {
		return err
	}
	infos, err := t.from.Backend.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, info := range infos {
		name, other := path.Join(dir, info.Name()), path.Join(before, info.Name())
		switch {
		case info.IsDir():
			err = t.checkpointFiles(name, other)
		case t.shared(name, other, info):
			err = t.to.share(other, name, info)
		default:
			_, err = t.copy(name)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(t.to.Backend.Chtimes(dir, info.ModTime(), info.ModTime()), t.to.sync(dir))
}

// shared reports whether the same file is at another name, too.
func (t *transfer) shared(name, other string, info fs.FileInfo) bool {
	there, err := t.from.Backend.Lstat(other)
	if err != nil || !there.Mode().IsRegular() || there.Mode() != info.Mode() ||
		!there.ModTime().Equal(info.ModTime()) {
		return false
	}
	same, err := t.from.sameFile(name, other, info, there)
	return err == nil && same
}

// Difference returns in what two projects differ, for people, or "". Nothing may change them meanwhile.
func Difference(ctx context.Context, one, other *Project) (string, error) {
	a, b := one.view(), other.view()
	x, err1 := a.readSettings()
	y, err2 := b.readSettings()
	if err := errors.Join(err1, err2); err != nil || !bytes.Equal(x, y) {
		return "the settings", err
	}
	var changes [2][]Change
	for i, p := range []*Project{one, other} {
		s, _ := p.peek()
		all, err := p.view().changes(s.Oldest)
		if err != nil {
			return "", err
		}
		changes[i] = all
	}
	if len(changes[0]) != len(changes[1]) {
		return fmt.Sprintf("the histories, of %d and %d changes", len(changes[0]), len(changes[1])), nil
	}
	for i, e := range changes[0] {
		x, err1 := json.Marshal(e)
		y, err2 := json.Marshal(changes[1][i])
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(x, y) {
			return fmt.Sprintf("change %d", e.Number), err
		}
		if e.Kept {
			if found, err := differenceAt(ctx, a, b, KeptFile(e.Number)); found != "" || err != nil {
				return fmt.Sprintf("what change %d has kept", e.Number), err
			}
		}
	}
	first, err1 := a.checkpoints()
	second, err2 := b.checkpoints()
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	if len(first) != len(second) {
		return fmt.Sprintf("%d and %d checkpoints", len(first), len(second)), nil
	}
	for i, k := range first {
		if other := second[i]; k.number != other.number || k.Name != other.Name || k.Tree != other.Tree {
			return fmt.Sprintf("the checkpoints %q and %q", k.Name, other.Name), nil
		}
		for _, dir := range []string{filesOf(checkpointDir(k.number)), statesOf(checkpointDir(k.number))} {
			one, err1 := a.isThere(dir)
			other, err2 := b.isThere(dir)
			if err := errors.Join(err1, err2); err != nil {
				return "", err
			}
			if !one && !other {
				continue
			}
			if found, err := differenceAt(ctx, a, b, dir); found != "" || err != nil {
				return fmt.Sprintf("the checkpoint %q", k.Name), err
			}
		}
	}
	if found, err := differenceIn(ctx, a, b, "/"); found != "" || err != nil {
		return found, err
	}
	var states [2][]fs.FileInfo
	for i, c := range []*Core{a, b} {
		found, err := c.states()
		if err != nil {
			return "", err
		}
		states[i] = found
	}
	return differenceOf(ctx, a, b, stateDir, states[0], states[1])
}

// differenceIn is Difference for what is in a directory.
func differenceIn(ctx context.Context, a, b *Core, dir string) (string, error) {
	x, err1 := a.list(dir)
	y, err2 := b.list(dir)
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	return differenceOf(ctx, a, b, dir, x, y)
}

// differenceOf is Difference for what a directory has in the one project and in the other, sorted by name.
func differenceOf(ctx context.Context, a, b *Core, dir string, x, y []fs.FileInfo) (string, error) {
	for one := range pairs(x, y) {
		name := path.Join(dir, one.name)
		if one.then == nil || one.now == nil {
			return name, nil
		}
		if found, err := differenceAt(ctx, a, b, name); found != "" || err != nil {
			return found, err
		}
	}
	return "", nil
}

// differenceAt is Difference for what is at a path.
func differenceAt(ctx context.Context, a, b *Core, name string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	x, err1 := a.Backend.Lstat(name)
	y, err2 := b.Backend.Lstat(name)
	switch err := errors.Join(err1, err2); {
	case err != nil:
		return name, err
	case x.Mode().Type() != y.Mode().Type(), x.Mode().Perm()|0o700 != y.Mode().Perm()|0o700:
		return name, nil
	case x.IsDir():
		return differenceIn(ctx, a, b, name)
	case x.Size() != y.Size(), !x.ModTime().Equal(y.ModTime()):
		return name, nil
	}
	same, err := SameContent(a.Backend, name, b.Backend, name, x.Size())
	if same || err != nil {
		return "", err
	}
	return name, nil
}
