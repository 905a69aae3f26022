package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// A checkpoint is a directory with a number for its name. It has a description, a directory with all files of the
// project as they were, and one with the states of sessions, if there were any. On a disk these are other names for the
// project's own files, where nobody else writes to them: files are replaced as a whole, or separated first (see
// ownFile). In a database they are entries that share contents.
//
// What is being made or removed is under another name, so that a process that dies leaves no half of a checkpoint.

const (
	checkpointsDir = "/" + vfs.Reserved + "/checkpoints"
	makingDir      = checkpointsDir + "/making"
	removingDir    = checkpointsDir + "/removing"
	// maxAbout is far more than the size of a description in bytes.
	maxAbout = 16 << 10
	// mostCheckpoints is how many are looked at in a directory that somebody else has filled.
	mostCheckpoints = 1 << 10
)

// A checkpoint is the description of one.
type checkpoint struct {
	Name      string    `json:"name"`
	Time      time.Time `json:"time"`
	Bytes     int64     `json:"bytes"`
	Files     int64     `json:"files"`
	Automatic bool      `json:"automatic,omitempty"`
	// Next is the number that the next change had.
	Next int64 `json:"next"`
	// Tree is what savedPrint says of the files.
	Tree string `json:"tree"`

	number int64
}

func (k *checkpoint) public() vfs.Checkpoint {
	return vfs.Checkpoint{Name: k.Name, Time: k.Time, Bytes: k.Bytes, Files: k.Files, Automatic: k.Automatic}
}

// valid reports whether the description can be one of ours.
func (k *checkpoint) valid() bool {
	for _, v := range []int64{k.Bytes, k.Files, k.Next} {
		if v < 0 || v > maxNumber {
			return false
		}
	}
	return vfs.CheckCheckpointName(k.Name) == nil
}

func (k *checkpoint) cost() int64 { return treeSize{Bytes: k.Bytes, Files: k.Files}.cost() }

func checkpointDir(number int64) string { return fmt.Sprintf("%s/%016d", checkpointsDir, number) }

// filesOf returns where a checkpoint in a directory has the files.
func filesOf(dir string) string { return dir + "/files" }

// statesOf returns where it has the states of sessions.
func statesOf(dir string) string { return dir + "/sessions" }

// savedAt returns where it has what was at a path.
func savedAt(dir, name string) string {
	if isState(name) {
		return statesOf(dir) + strings.TrimPrefix(name, stateDir)
	}
	return path.Join(filesOf(dir), name)
}

func aboutFile(dir string) string { return dir + "/about.json" }

// checkpointNumbers returns the numbers of all checkpoints, the earliest first.
func (c *Core) checkpointNumbers() ([]int64, error) {
	infos, err := c.Backend.ReadDir(checkpointsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var numbers []int64
	for _, info := range infos {
		if number, ok := numberOf(info.Name(), ""); ok && info.IsDir() && len(numbers) < mostCheckpoints {
			numbers = append(numbers, number)
		}
	}
	return numbers, err
}

// checkpoints returns all checkpoints, the earliest first. It needs no lock.
func (c *Core) checkpoints() ([]checkpoint, error) {
	numbers, err := c.checkpointNumbers()
	if err != nil {
		return nil, err
	}
	var all []checkpoint
	for _, number := range numbers {
		switch k, err := c.readCheckpoint(number); {
		case err == nil:
			all = append(all, k)
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNoCheckpoint):
			// removed meanwhile, or nothing of ours
			return nil, err
		}
	}
	return all, nil
}

var errNoCheckpoint = errors.New("it is not a checkpoint")

func (c *Core) readCheckpoint(number int64) (k checkpoint, err error) {
	n, err := c.Backend.Open(aboutFile(checkpointDir(number)), os.O_RDONLY, 0)
	if err != nil {
		return k, err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	data, err := io.ReadAll(io.NewSectionReader(n, 0, maxAbout))
	if err != nil {
		return k, err
	}
	if json.Unmarshal(data, &k) != nil || !k.valid() {
		return k, errNoCheckpoint
	}
	k.number = number
	return k, nil
}

// findCheckpoint returns the checkpoint of a name, or fs.ErrNotExist.
func (c *Core) findCheckpoint(name string) (checkpoint, error) {
	all, err := c.checkpoints()
	if err != nil {
		return checkpoint{}, err
	}
	for _, k := range all {
		if k.Name == name {
			return k, nil
		}
	}
	return checkpoint{}, checkpointError(name, fs.ErrNotExist)
}

// checkpointError adds the name of a checkpoint to an error.
func checkpointError(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("checkpoint %q: %w", name, fsys.Bare(err))
}

// Checkpoints implements [vfs.Checkpoints].
func (p *Project) Checkpoints(ctx context.Context) ([]vfs.Checkpoint, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.Over() {
		return nil, fs.ErrClosed
	}
	c := p.view()
	if c.IsDeleted() {
		return nil, vfs.ErrDeleted
	}
	all, err := c.checkpoints()
	if err != nil {
		return nil, fsys.PathError("checkpoints", "", err)
	}
	var found []vfs.Checkpoint
	for _, k := range slices.Backward(all) {
		found = append(found, k.public())
	}
	return found, nil
}

// CreateCheckpoint implements [vfs.Checkpoints].
func (p *Project) CreateCheckpoint(
	ctx context.Context, name string, options *vfs.CheckpointOptions,
) (made vfs.Checkpoint, err error) {
	if err := errors.Join(vfs.CheckCheckpointName(name), ctx.Err()); err != nil {
		return made, err
	}
	k := checkpoint{Name: name, Automatic: options != nil && options.Automatic}
	err = p.Change(ctx, func(c *Core) error {
		if err := p.settle(); err != nil {
			return err
		}
		return checkpointError(name, c.createCheckpoint(ctx, &k))
	})
	if err != nil {
		return made, err
	}
	return k.public(), nil
}

func (c *Core) createCheckpoint(ctx context.Context, k *checkpoint) error {
	all, err := c.checkpoints()
	if err != nil {
		return err
	}
	size := treeSize{Bytes: max(0, c.State.Bytes), Files: max(0, c.State.Files)}
	if !c.InStore { // others make changes as well
		if size.Bytes, size.Files, err = c.sizeOfAll(); err != nil {
			return err
		}
	}
	k.Time, k.Next = jsontree.Time(time.Now().UTC()), c.State.Next
	k.Bytes, k.Files = size.Bytes, size.Files
	drop, err := c.checkpointRoom(k, all)
	if err != nil {
		return err
	}
	numbers, err := c.checkpointNumbers()
	if err != nil {
		return err
	}
	k.number = 1
	if len(numbers) > 0 {
		k.number = numbers[len(numbers)-1] + 1
	}
	if err := c.makeMeta(checkpointsDir); err != nil {
		return err
	}
	if err := c.fillCheckpoint(ctx, k); err != nil {
		c.cleanUp(makingDir)
		return err
	}
	for _, old := range drop {
		if err := c.dropCheckpoint(old.number); err != nil {
			return err
		}
	}
	if err := c.Backend.Rename(makingDir, checkpointDir(k.number)); err != nil {
		return err
	}
	return c.sync(checkpointsDir)
}

// checkpointRoom checks that there may be one more checkpoint, and returns the automatic ones that make room for it.
func (c *Core) checkpointRoom(k *checkpoint, all []checkpoint) (drop []checkpoint, err error) {
	limits := c.options.Quota
	number, bytes, automatic := int64(1), k.cost(), int64(0)
	for _, old := range all {
		if old.Name == k.Name && !(old.Automatic && k.Automatic) {
			return nil, fs.ErrExist
		}
		number++
		bytes = sum(bytes, old.cost())
		if old.Automatic {
			automatic++
		}
	}
	limit := int64(vfs.MaxAutomaticCheckpoints)
	if k.Automatic {
		limit--
	}
	dropping := func(old checkpoint) {
		drop = append(drop, old)
		number, automatic, bytes = number-1, automatic-1, bytes-old.cost()
	}
	for _, old := range all {
		if old.Name == k.Name {
			dropping(old)
		}
	}
	for _, old := range all {
		full := number > limits.Checkpoints || bytes > limits.CheckpointBytes || automatic > limit
		if old.Automatic && old.Name != k.Name && full {
			dropping(old)
		}
	}
	switch {
	case bytes > limits.CheckpointBytes:
		return nil, &vfs.QuotaError{Limit: "checkpoint bytes", Max: limits.CheckpointBytes, Want: bytes}
	case number > limits.Checkpoints:
		return nil, &vfs.QuotaError{Limit: "checkpoints", Max: limits.Checkpoints, Want: number}
	}
	return drop, nil
}

// fillCheckpoint makes a checkpoint under the name of what is being made.
func (c *Core) fillCheckpoint(ctx context.Context, k *checkpoint) error {
	c.cleanUp(makingDir)
	if err := c.Backend.Mkdir(makingDir, 0o700); err != nil {
		return err
	}
	var made []string
	if err := c.shareTree(ctx, "/", filesOf(makingDir), 0, &made); err != nil {
		return err
	}
	states, err := c.states()
	if err != nil {
		return err
	}
	if len(states) > 0 {
		if err := c.Backend.Mkdir(statesOf(makingDir), 0o700); err != nil {
			return err
		}
		for _, info := range states {
			name := path.Join(stateDir, info.Name())
			if err := c.share(name, savedAt(makingDir, name), info); err != nil {
				return err
			}
		}
		made = append(made, statesOf(makingDir))
	}
	if k.Tree, err = c.savedPrint(makingDir); err != nil {
		return err
	}
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if err := c.replaceOwn(aboutFile(makingDir), data, true); err != nil {
		return err
	}
	return c.sync(append(made, makingDir)...) // all at once, which takes little more than one
}

// savedPrint tells by names and sizes whether a checkpoint still has what it had.
func (c *Core) savedPrint(dir string) (string, error) {
	files, err1 := shape(c.Backend, filesOf(dir))
	states, err2 := shape(c.Backend, statesOf(dir))
	return files + " " + states, errors.Join(err1, err2)
}

// shareTree makes a directory that has the files that another one has, but for what is protected and what is no file.
// It adds the directories that are to be synced to made.
func (c *Core) shareTree(ctx context.Context, old, name string, deep int, made *[]string) error {
	if cloner, ok := c.Backend.(cloner); ok {
		return cloner.Clone(old, name)
	}
	info, err := c.Backend.Lstat(old)
	if err != nil {
		return err
	}
	if err := c.Backend.Mkdir(name, info.Mode().Perm()|0o700); err != nil {
		return err
	}
	*made = append(*made, name)
	infos, err := c.inside(old, deep)
	if err != nil {
		return err
	}
	for _, info := range c.linkFiles(old, name, infos) {
		from, to := path.Join(old, info.Name()), path.Join(name, info.Name())
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case info.IsDir():
			err = c.shareTree(ctx, from, to, deep+1, made)
		default:
			err = c.share(from, to, info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A fileLinker is a [Backend] that can link many files of one directory into another one.
type fileLinker interface {
	// LinkFiles does so with files of these names, one after the other, and returns how many it has done.
	LinkFiles(old, name string, files []string) int
}

// linkFiles shares files of a directory with another one, if that can be done with many at once. It returns the rest.
func (c *Core) linkFiles(old, name string, infos []fs.FileInfo) []fs.FileInfo {
	linker, ok := c.Backend.(fileLinker)
	if !ok || !c.InStore {
		return infos
	}
	var files, rest []fs.FileInfo
	var names []string
	for _, info := range infos {
		if info.IsDir() {
			rest = append(rest, info)
			continue
		}
		files, names = append(files, info), append(names, info.Name())
	}
	if len(names) == 0 {
		return rest
	}
	return append(rest, files[linker.LinkFiles(old, name, names):]...)
}

// inside describes the files and directories in a directory that is so deep, but not what is protected.
func (c *Core) inside(dir string, deep int) ([]fs.FileInfo, error) {
	if deep >= vfs.MaxDepth {
		return nil, nil // no path leads to what is in it
	}
	infos, err := c.Backend.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []fs.FileInfo
	for _, info := range infos {
		name, ok := vfs.CleanName(info.Name())
		if ok && name != info.Name() {
			if ok, err = c.isThere(path.Join(dir, name)); err != nil {
				return nil, err
			}
		}
		switch {
		case !ok, !info.IsDir() && !info.Mode().IsRegular():
			continue
		case c.Protection != nil && c.Protection.protects(name, info.IsDir()):
			continue
		case name != info.Name():
			info = &renamedInfo{info, name}
		}
		out = append(out, info)
	}
	slices.SortFunc(out, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

// A renamedInfo describes a file by a name in another Unicode form.
type renamedInfo struct {
	fs.FileInfo
	name string
}

func (i *renamedInfo) Name() string { return i.name }

// share makes a file that has the content, times and permissions of another one: another name for it, if all who write
// to it separate them first.
func (c *Core) share(old, name string, info fs.FileInfo) error {
	if c.InStore {
		if err := c.Backend.Link(old, name); err == nil {
			return nil
		}
	}
	return c.Copier().File(old, name, info)
}

// separate gives checkpoints copies of a file that they share with the project, before that is changed in place. Those
// who have the file open go on using it.
func (c *Core) separate(name string, info fs.FileInfo) error {
	numbers, err := c.checkpointNumbers()
	if err != nil {
		return err
	}
	copied := ""
	give := func(at string) error {
		temp := c.temp()
		if copied == "" || c.Backend.Link(copied, temp) != nil {
			if err := c.Copier().File(name, temp, info); err != nil {
				return errors.Join(err, c.Backend.RemoveAll(temp))
			}
		}
		if err := c.Backend.Rename(temp, at); err != nil {
			return errors.Join(err, c.Backend.RemoveAll(temp))
		}
		copied = at
		return c.sync(path.Dir(at))
	}
	for _, number := range numbers { // most of the time it has the same path there
		at := savedAt(checkpointDir(number), name)
		if there, err := c.Backend.Lstat(at); err == nil && c.Backend.Same(there, info) {
			if err := give(at); err != nil {
				return err
			}
		}
	}
	for _, number := range numbers {
		if linked, err := c.Backend.Linked(name); err != nil || !linked {
			return err
		}
		at, err := c.findSame(filesOf(checkpointDir(number)), info, 0)
		if err == nil && at != "" {
			err = give(at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// findSame returns where in a directory a file has another name, or "".
func (c *Core) findSame(dir string, file fs.FileInfo, deep int) (string, error) {
	infos, err := c.Backend.ReadDir(dir)
	if err != nil || deep > vfs.MaxDepth {
		return "", err
	}
	for _, info := range infos {
		at := path.Join(dir, info.Name())
		if c.Backend.Same(info, file) {
			return at, nil
		}
		if info.IsDir() {
			if found, err := c.findSame(at, file, deep+1); found != "" || err != nil {
				return found, err
			}
		}
	}
	return "", nil
}

// DeleteCheckpoint implements [vfs.Checkpoints].
func (p *Project) DeleteCheckpoint(ctx context.Context, name string) error {
	if err := errors.Join(vfs.CheckCheckpointName(name), ctx.Err()); err != nil {
		return err
	}
	return p.Change(ctx, func(c *Core) error {
		k, err := c.findCheckpoint(name)
		if err != nil {
			return err
		}
		return checkpointError(name, c.dropCheckpoint(k.number))
	})
}

// dropCheckpoint removes a checkpoint, which others see as a whole or not at all.
func (c *Core) dropCheckpoint(number int64) error {
	c.cleanUp(removingDir)
	if err := c.Backend.Rename(checkpointDir(number), removingDir); err != nil {
		return err
	}
	c.cleanUp(removingDir)
	return c.sync(checkpointsDir)
}

// checkpointBytes is what all checkpoints count together.
func (c *Core) checkpointBytes() (int64, error) {
	all, err := c.checkpoints()
	total := int64(0)
	for _, k := range all {
		total = sum(total, k.cost())
	}
	return total, err
}

// recoverCheckpoints removes what a process has left that died while it made or removed one, and completes what it has
// begun to restore.
func (c *Core) recoverCheckpoints() error {
	if _, err := c.Backend.Lstat(checkpointsDir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}
	c.cleanUp(makingDir)
	c.cleanUp(removingDir)
	return c.resumeRestoring()
}
