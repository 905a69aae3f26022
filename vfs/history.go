package vfs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The history of a project is a directory with two things for each change, by its number: a description, and what the
// change replaced or removed, if anything. The description comes first, then what is kept, then the change itself, so that a process
// that dies leaves at most one change that has not happened, which is found and dropped.

// An Op is a kind of change.
type Op string

// The kinds of changes.
const (
	OpCreate Op = "create" // a file, or a directory with all that it contains, where there was none
	OpWrite  Op = "write"  // another content of a file
	OpMkdir  Op = "mkdir"  // an empty directory
	OpRemove Op = "remove" // a file, or a directory with all that it contained
	OpRename Op = "rename" // of a file or directory, perhaps over a file
	OpUndone Op = "undone" // the changes of a call have been undone
)

// A change is how the history describes one.
type change struct {
	number int64

	Time time.Time `json:"time"`
	Op   Op        `json:"op"`
	Path string    `json:"path"`
	To   string    `json:"to,omitempty"`
	Call string    `json:"call,omitempty"`
	// Part counts the changes of a call from 0.
	Part int `json:"part,omitempty"`
	// Kept says that what the change replaced or removed is kept, and Lost that it was too large for that.
	Kept bool `json:"kept,omitempty"`
	Lost bool `json:"lost,omitempty"`
	// After is what the file has become.
	After *stamp `json:"after,omitempty"`
	// Undoes is the unit that is undone by this, and Reverses the change.
	Undoes   string `json:"undoes,omitempty"`
	Reverses int64  `json:"reverses,omitempty"`
}

// A stamp tells contents of a file apart.
type stamp struct {
	Size    int64     `json:"size"`
	ModTime time.Time `json:"modTime"`
}

func stampOf(info fs.FileInfo) *stamp { return &stamp{info.Size(), info.ModTime().UTC()} }

func (s *stamp) matches(info fs.FileInfo) bool {
	return s.Size == info.Size() && s.ModTime.Equal(info.ModTime())
}

// unit is what the change is undone together with.
func (e *change) unit() string {
	if e.Call == "" {
		return "#" + strconv.FormatInt(e.number, 10)
	}
	return e.Call
}

const (
	changeSuffix = ".json"
	keptSuffix   = ".kept"
	// entryCost is what a description, or a file or directory that is kept, counts beside its size.
	entryCost = 4 << 10
	// maxChange is the longest description that is read.
	maxChange = 64 << 10
	// maxStamped is how many changes are looked at to find those to a file.
	maxStamped = 256
	// maxNumber is far more changes than can happen.
	maxNumber = 1 << 50
)

func changeFile(number int64) string {
	return fmt.Sprintf("%s/%016d%s", historyDir, number, changeSuffix)
}
func keptFile(number int64) string { return fmt.Sprintf("%s/%016d%s", historyDir, number, keptSuffix) }

// record adds a change to the history, before it happens. The number is -1 if there is no history.
func (p *Project) record(c *core, e change) (number int64, err error) {
	if c.options.History.Off {
		return -1, nil
	}
	return p.add(c, e, entryCost)
}

// add adds a change that costs so much.
func (p *Project) add(c *core, e change, cost int64) (number int64, err error) {
	if err := c.makeRoom(cost); err != nil {
		return 0, err
	}
	number = c.state.next
	e.Time = time.Now().UTC()
	if own := p.call; own != nil {
		e.Call, e.Undoes, e.Reverses = own.id, own.undoes, own.reverses
		if own.id != "" {
			e.Part = own.parts
			own.parts++
		}
		if e.Op != OpCreate && e.Op != OpWrite && e.Op != OpMkdir || own.next != number {
			own.written = nil // paths mean something else now
		}
		if e.Op == OpCreate || e.Op == OpWrite {
			if own.written == nil {
				own.written = map[string]int64{}
			}
			own.written[e.Path] = number
		}
		own.next = number + 1
	}
	if err := c.describe(changeFile(number), e); errors.Is(err, fs.ErrExist) {
		// Only somebody else can have put it there.
		err = errors.Join(c.b.removeAll(changeFile(number)), c.b.removeAll(keptFile(number)), c.describe(changeFile(number), e))
		if err != nil {
			return 0, err
		}
	} else if err != nil {
		return 0, err
	}
	if c.state.oldest == number {
		c.oldestTime = e.Time
	}
	c.state.next++
	c.state.kept += cost
	return number, nil
}

// describe writes a new file with the description of a change.
func (c *core) describe(file string, e change) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return c.writeFile(file, append(text, '\n'))
}

// recordReplacement records a change that replaces a file, or something at least, if before is not nil. If the same call
// has written the file before, and nobody has changed anything since, that stays one change: again is true.
func (p *Project) recordReplacement(c *core, e change, name string, before fs.FileInfo) (number int64, again bool, err error) {
	if c.options.History.Off {
		return -1, false, nil
	}
	if number, ok := p.written(c, name); ok && e.Op != OpRename {
		return number, true, nil
	}
	cost := int64(entryCost)
	if before != nil {
		e.Kept = before.Mode().IsRegular() && before.Size() <= c.options.History.Bytes-2*entryCost
		e.Lost = !e.Kept
	}
	if e.Kept {
		cost += entryCost + before.Size()
	}
	if number, err = p.add(c, e, cost); err != nil || !e.Kept {
		return number, false, err
	}
	// The file is going to be replaced, so another name for it is as good as a copy.
	if err := c.b.link(name, keptFile(number)); err != nil {
		err = c.keepCopy(name, number, before)
		if err != nil {
			return 0, false, err
		}
	}
	return number, false, nil
}

// written returns the change by which the call has written a file already, if nobody has changed anything since.
func (p *Project) written(c *core, name string) (number int64, ok bool) {
	if own := p.call; own != nil && own.undoes == "" && own.next == c.state.next {
		number, ok = own.written[name]
	}
	return number, ok && number >= c.state.oldest
}

// recordInPlace records that a file is going to be changed as it is, and returns -1 if there is no history.
func (p *Project) recordInPlace(c *core, name string, before fs.FileInfo) (number int64, err error) {
	if c.options.History.Off {
		return -1, nil
	}
	if number, ok := p.written(c, name); ok {
		return number, nil
	}
	e := change{Op: OpWrite, Path: name, Kept: before.Size() <= c.options.History.Bytes-2*entryCost}
	e.Lost = !e.Kept
	cost := int64(entryCost)
	if e.Kept {
		cost += entryCost + before.Size()
	}
	if number, err = p.add(c, e, cost); err != nil || !e.Kept {
		return number, err
	}
	return number, c.keepCopy(name, number, before)
}

func (c *core) keepCopy(name string, number int64, info fs.FileInfo) error {
	temp := c.temp()
	if err := c.copyFile(name, temp, info); err != nil {
		return errors.Join(err, c.b.removeAll(temp))
	}
	return c.b.rename(temp, keptFile(number))
}

// recordRemoval records that something is going to be removed, and returns where to put it, or "" if it is not to be kept.
func (p *Project) recordRemoval(c *core, name string, size treeSize) (kept string, err error) {
	if c.options.History.Off {
		return "", nil
	}
	info, err := c.b.lstat(name)
	if err != nil {
		return "", err
	}
	cost := entryCost + size.bytes + size.files*entryCost
	e := change{Op: OpRemove, Path: name}
	e.Kept = (info.IsDir() || info.Mode().IsRegular()) && cost <= c.options.History.Bytes
	e.Lost = !e.Kept
	if e.Lost {
		cost = entryCost
	}
	number, err := p.add(c, e, cost)
	if err != nil || !e.Kept {
		return "", err
	}
	return keptFile(number), nil
}

// stamp notes what a file has become, in the change that has written it last, so that undoing does not take that for the work
// of somebody else.
func (c *core) stamp(name string, after *stamp) error {
	if c.options.History.Off {
		return nil
	}
	for number := c.state.next - 1; number >= max(c.state.oldest, c.state.next-maxStamped); number-- {
		e, err := c.readChange(number)
		switch {
		case err != nil:
			return nil
		case e.Path == name && (e.Op == OpCreate || e.Op == OpWrite):
			e.After = after
			temp := c.temp()
			if err := c.describe(temp, e); err != nil {
				return err
			}
			return c.b.rename(temp, changeFile(number))
		case e.Op == OpRename && within(name, e.To):
			name = e.Path + name[len(e.To):]
		case within(name, e.Path) && e.Op != OpUndone:
			return nil // it came with its directory
		}
	}
	return nil
}

// changedSince reports whether there is a change to a file, or to a directory that it is in, from a number on.
func (c *core) changedSince(number int64, name string) bool {
	if c.state.next-number > maxStamped {
		return true
	}
	for ; number < c.state.next; number++ {
		e, err := c.readChange(number)
		if err != nil || within(name, e.Path) && e.Op != OpUndone || e.To != "" && within(name, e.To) {
			return true
		}
	}
	return false
}

// makeRoom drops the oldest changes until there is room for one that costs so much, and those that are too old.
func (c *core) makeRoom(cost int64) error {
	if c.state.next == 0 {
		c.state.oldest, c.state.next = 1, 1
	}
	if c.state.next == c.state.oldest { // perhaps the very first
		if err := c.makeMeta(historyDir); err != nil {
			return err
		}
	}
	limits := c.options.History
	for c.state.oldest < c.state.next {
		if c.keepAll {
			return nil
		}
		if c.oldestTime.IsZero() {
			if info, err := c.b.lstat(changeFile(c.state.oldest)); err == nil {
				c.oldestTime = info.ModTime()
			}
		}
		if c.state.kept+cost <= limits.Bytes && time.Since(c.oldestTime) <= limits.Age {
			return nil
		}
		if err := c.dropChange(c.state.oldest); err != nil {
			return err
		}
		c.state.oldest++
		c.oldestTime = time.Time{}
	}
	c.state.kept = 0
	return nil
}

func (c *core) dropChange(number int64) error {
	cost := int64(entryCost)
	if size, err := c.sizeOf(keptFile(number)); err == nil {
		cost += size.bytes + size.files*entryCost
	}
	// In this order, so that no description promises what is gone.
	if err := errors.Join(c.b.removeAll(changeFile(number)), c.b.removeAll(keptFile(number))); err != nil {
		return err
	}
	c.state.kept = max(0, c.state.kept-cost)
	return nil
}

// forget drops the last change, which has not happened.
func (p *Project) forget(c *core) error {
	if err := c.dropChange(c.state.next - 1); err != nil {
		return err
	}
	c.state.next--
	if own := p.call; own != nil {
		own.parts = max(0, own.parts-1)
		own.written, own.next = nil, c.state.next
	}
	return nil
}

// recoverHistory finds out what the history has, and drops what does not belong there, and the last change if it has not
// happened. Those before doubtful have.
func (c *core) recoverHistory(s *state, doubtful int64) error {
	s.oldest, s.next = 1, 1
	infos, err := c.b.readDir(historyDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	described := map[int64]bool{}
	var numbers []int64
	for _, info := range infos {
		if number, ok := numberOf(info.Name(), changeSuffix); ok && info.Mode().IsRegular() {
			described[number] = true
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	// Changes without a gap up to the last one are the history.
	first := len(numbers)
	for first > 0 && (first == len(numbers) || numbers[first-1] == numbers[first]-1) {
		first--
	}
	for _, number := range numbers[:first] {
		delete(described, number)
	}
	numbers = numbers[first:]
	if n := len(numbers); n > 0 && numbers[n-1] >= doubtful && !c.happened(numbers[n-1]) {
		delete(described, numbers[n-1])
		numbers = numbers[:n-1]
	}
	for _, info := range infos {
		number, isChange := numberOf(info.Name(), changeSuffix)
		if !isChange {
			number, _ = numberOf(info.Name(), keptSuffix)
		}
		if !described[number] {
			if err := c.b.removeAll(historyDir + "/" + info.Name()); err != nil {
				return err
			}
			continue
		}
		s.kept += entryCost
		if !isChange {
			size, err := c.sizeOf(historyDir + "/" + info.Name())
			if err != nil {
				return err
			}
			s.kept += size.bytes + (size.files-1)*entryCost
		}
	}
	if n := len(numbers); n > 0 {
		s.oldest, s.next = numbers[0], numbers[n-1]+1
	}
	return nil
}

// numberOf returns the number in the name of a file of the history.
func numberOf(name, suffix string) (number int64, ok bool) {
	digits, ok := strings.CutSuffix(name, suffix)
	if !ok || len(digits) != 16 {
		return 0, false
	}
	number, err := strconv.ParseInt(digits, 10, 64)
	return number, err == nil && number > 0 && number < maxNumber && digits == fmt.Sprintf("%016d", number)
}

// happened reports whether the last change in the history has been made, or is only described.
func (c *core) happened(number int64) bool {
	e, err := c.readChange(number)
	if err != nil {
		return false
	}
	if e.Op == OpUndone {
		return true
	}
	now, err := c.b.lstat(e.Path)
	gone := errors.Is(err, fs.ErrNotExist)
	kept, keptErr := c.b.lstat(keptFile(number))
	switch e.Op {
	case OpCreate, OpMkdir:
		return !gone
	case OpRemove:
		return gone || keptErr == nil
	case OpRename:
		return gone
	case OpWrite:
		if e.Kept && (keptErr != nil || err == nil && (c.b.same(now, kept) || stampOf(kept).matches(now))) {
			return false
		}
	}
	return true
}

// readChange reads the description of a change. Nothing in it is to be trusted: a directory can come from anywhere.
func (c *core) readChange(number int64) (change, error) {
	var e change
	text, err := c.readFile(changeFile(number), maxChange)
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(text, &e); err != nil {
		return e, err
	}
	e.number = number
	for _, name := range []*string{&e.Path, &e.To} {
		if *name == "" {
			continue
		}
		if clean, err := Clean(*name); err != nil || clean != *name || clean == "/" {
			return e, errBadState
		}
	}
	if e.Op != OpUndone && e.Path == "" || (e.Op == OpRename) != (e.To != "") {
		return e, errBadState
	}
	return e, nil
}

// changes returns all changes that can be read, oldest first. It needs no lock.
func (c *core) changes() ([]change, error) {
	infos, err := c.b.readDir(historyDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []change
	for _, info := range infos {
		if number, ok := numberOf(info.Name(), changeSuffix); ok {
			if e, err := c.readChange(number); err == nil {
				all = append(all, e)
			}
		}
	}
	return all, nil
}

// writeFile writes a new file of the project's own.
func (c *core) writeFile(name string, data []byte) error {
	n, err := c.b.open(name, openNew, 0o600)
	if err != nil {
		return err
	}
	_, err = n.WriteAt(data, 0)
	return errors.Join(err, n.Close())
}

// readFile reads a file of the project's own, of at most limit bytes.
func (c *core) readFile(name string, limit int64) ([]byte, error) {
	n, err := c.b.open(name, 0, 0)
	if err != nil {
		return nil, err
	}
	defer n.Close()
	return io.ReadAll(io.NewSectionReader(n, 0, limit))
}
