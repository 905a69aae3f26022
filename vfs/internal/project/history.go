package project

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/toolrun/toolrun/vfs"
)

// The history of a project is a directory with two things for each change, by its number: a description, and what the
// change replaced or removed, if anything. The description comes first, then what is kept, then the change itself, so
// that a process that dies leaves at most one change that has not happened, which is found and dropped.

const (
	pageSuffix = ".page"
	keptSuffix = ".kept"
	// entryCost is what a description, or a file or directory that is kept, counts beside its size.
	entryCost = 4 << 10
	// maxStamped is how many changes are looked at to find those to a file.
	maxStamped = 256
	// maxNumber is far more changes than can happen.
	maxNumber = 1 << 50
)

func KeptFile(number int64) string { return fmt.Sprintf("%s/%016d%s", historyDir, number, keptSuffix) }

// HistoryOff implements [vfs.History].
func (p *Project) HistoryOff() bool { return p.Core.options.History.Off }

// record adds a change to the history, before it happens. The number is -1 without a history.
func (p *Project) record(c *Core, e Change) (number int64, err error) {
	if c.options.History.Off {
		return -1, nil
	}
	return p.add(c, e, entryCost)
}

// add adds a change that costs so much.
func (p *Project) add(c *Core, e Change, cost int64) (number int64, err error) {
	if err := c.makeRoom(cost); err != nil {
		return 0, err
	}
	number = c.State.Next
	e.Number = number
	e.Time = time.Now().UTC()
	if own := p.call; own != nil {
		if _, ok := c.makers[own]; !ok {
			if c.makers == nil {
				c.makers = map[*call]int{}
			}
			c.makers[own] = own.parts
		}
		e.Call, e.Part, e.Undoes, e.Reverses, e.Redoes = own.id, own.parts, own.undoes, own.reverses, own.redoes
	}
	if err := c.describe(e); err != nil {
		return 0, err
	}
	if p.call != nil {
		p.call.add(e)
	}
	c.recorder, c.recorded = p.call, e
	if c.State.Oldest == number {
		c.oldestTime = e.Time
	}
	c.State.Next++
	c.State.Kept += cost
	return number, nil
}

// add notes a change of the call.
func (own *call) add(e Change) {
	if own.id != "" {
		own.parts++
	}
	writes := e.Op == vfs.OpCreate || e.Op == vfs.OpWrite
	if !writes && e.Op != vfs.OpMkdir || own.next != e.Number {
		own.written = nil // paths mean something else now
	}
	if writes {
		if own.written == nil {
			own.written = map[string]written{}
		}
		own.written[e.Path] = written{e.Number, e.After}
	}
	own.next = e.Number + 1
}

// recordReplacement records a change that replaces a file, or something at least, if before is not nil. If the same
// call has written the file before, and nobody has changed anything since, that stays one change: again is true.
func (p *Project) recordReplacement(
	c *Core, e Change, name string, before fs.FileInfo,
) (number int64, again bool, err error) {
	if c.options.History.Off {
		return -1, false, nil
	}
	if number, ok := p.written(c, name, before); ok && e.Op != vfs.OpRename {
		return number, true, nil
	}
	number, kept, err := p.addKeeping(c, e, before)
	if err != nil || !kept {
		return number, false, err
	}
	// The file is going to be replaced, so another name for it is as good as a copy.
	if err := c.Backend.Link(name, KeptFile(number)); err != nil {
		err = c.keepCopy(name, number, before)
		if err != nil {
			return 0, false, err
		}
	}
	return number, false, nil
}

// addKeeping records a change of an existing file, if any, and reports whether to keep the file.
func (p *Project) addKeeping(c *Core, e Change, before fs.FileInfo) (number int64, kept bool, err error) {
	cost := int64(entryCost)
	if before != nil {
		e.Special = !before.Mode().IsRegular()
		e.Kept = !e.Special && before.Size() <= c.options.History.Bytes-2*entryCost
		e.Lost = !e.Special && !e.Kept
	}
	if e.Kept {
		cost += entryCost + before.Size()
	}
	number, err = p.add(c, e, cost)
	return number, e.Kept, err
}

// written returns the change by which the call has written a file already, if nobody has changed anything since.
func (p *Project) written(c *Core, name string, now fs.FileInfo) (number int64, ok bool) {
	own := p.call
	if own == nil || own.undoes != "" || own.next != c.State.Next {
		return 0, false
	}
	w, ok := own.written[name]
	fromOutside := w.after != nil && (now == nil || !w.after.matches(now))
	return w.number, ok && w.number >= c.State.Oldest && !fromOutside
}

// recordInPlace records that a file is about to be changed in place. It returns -1 without a history.
func (p *Project) recordInPlace(c *Core, name string, before fs.FileInfo) (number int64, err error) {
	if c.options.History.Off {
		return -1, nil
	}
	if number, ok := p.written(c, name, before); ok {
		return number, c.unstamp(number)
	}
	number, kept, err := p.addKeeping(c, Change{Op: vfs.OpWrite, Path: name}, before)
	if err != nil || !kept {
		return number, err
	}
	return number, c.keepCopy(name, number, before)
}

func (c *Core) keepCopy(name string, number int64, info fs.FileInfo) error {
	return c.Copier().Whole(name, c.temp(), KeptFile(number), info)
}

// cost is what keeping it counts in the history.
func (s treeSize) cost() int64 { return s.Bytes + s.Files*entryCost }

// recordRemoval records that something is going to be removed, and returns where to put it, or "" if it is not to be
// kept.
func (p *Project) recordRemoval(c *Core, name string, size treeSize) (kept string, err error) {
	if c.options.History.Off {
		return "", nil
	}
	info, err := c.Backend.Lstat(name)
	if err != nil {
		return "", err
	}
	cost := entryCost + size.cost()
	e := Change{Op: vfs.OpRemove, Path: name}
	e.Special = !info.IsDir() && !info.Mode().IsRegular()
	e.Kept = !e.Special && cost <= c.options.History.Bytes
	e.Lost = !e.Special && !e.Kept
	if !e.Kept {
		cost = entryCost
	}
	number, err := p.add(c, e, cost)
	if err != nil || !e.Kept {
		return "", err
	}
	return KeptFile(number), nil
}

// makeRoom drops the oldest changes until there is room for one that costs so much, and those that are too old.
func (c *Core) makeRoom(cost int64) error {
	if c.State.Next == 0 {
		c.State.Oldest, c.State.Next = 1, 1
	}
	if c.State.Next == c.State.Oldest { // perhaps the very first
		if err := c.makeMeta(historyDir); err != nil {
			return err
		}
	}
	limits := c.options.History
	if c.State.Oldest < c.State.Next && !c.keepAll {
		if c.oldestTime.IsZero() {
			c.oldestTime = c.oldPage.at(c, c.State.Oldest)
		}
		if err := c.thinIfDue(); err != nil {
			return err
		}
	}
	for c.State.Oldest < c.State.Next {
		if c.keepAll {
			return nil
		}
		if c.oldestTime.IsZero() {
			c.oldestTime = c.oldPage.at(c, c.State.Oldest)
		}
		if c.State.Kept+cost <= limits.Bytes && time.Since(c.oldestTime) <= limits.Age {
			return nil
		}
		if err := c.dropOldest(); err != nil {
			return err
		}
		c.oldestTime = time.Time{}
	}
	c.State.Kept = 0
	return nil
}

func (c *Core) dropOldest() error {
	number := c.State.Oldest
	// In this order, so that nothing is promised that is gone. All that has been recorded until now has happened.
	c.State.Oldest++
	if err := c.Backend.WriteState(c.State.Encode()); err != nil {
		return err
	}
	if j, ok := c.Backend.(Journal); ok {
		c.dropKept(number)
		return j.DropChange(number)
	}
	c.dropKept(number)
	if pageOf(c.State.Oldest) == pageOf(number) {
		return nil
	}
	c.cleanUp(pageFile(pageOf(number)))
	return nil
}

// dropKept drops what a change has kept.
func (c *Core) dropKept(number int64) {
	cost := int64(entryCost)
	if size, err := c.SizeOf(KeptFile(number)); err == nil {
		cost += size.cost()
	}
	c.State.Kept = max(0, c.State.Kept-cost)
	c.cleanUp(KeptFile(number))
}

// forget drops the last change, which certainly has not happened.
func (c *Core) forget(e Change) error {
	if err := c.describe(Change{Number: e.Number, Void: true}); err != nil {
		return err
	}
	c.State.Next--
	c.dropKept(e.Number)
	if own := c.recorder; own != nil {
		own.parts = max(0, own.parts-1)
		own.written, own.next = nil, c.State.Next
	}
	return nil
}

// recoverHistory finds out what the history has, and drops what does not belong there, and the last change if it has
// not happened. Changes before doubtful have; those before oldest have been dropped.
func (c *Core) recoverHistory(s *State, doubtful, oldest int64) error {
	s.Oldest, s.Next = 1, 1
	infos, err := c.Backend.ReadDir(historyDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	all, err := c.changes(oldest)
	if err != nil {
		return err
	}
	for len(all) > 0 && all[len(all)-1].Number >= maxNumber/2 {
		all = all[:len(all)-1] // nobody has made that many
	}
	if n := len(all); n > 0 && all[n-1].Number >= doubtful && c.unhappened(all[n-1]) {
		if err := c.describe(Change{Number: all[n-1].Number, Void: true}); err != nil {
			return err
		}
		all = all[:n-1]
	}
	// What a change says to be kept must be there; if not, the process died while it dropped that one. Numbers far
	// before the others are not ours.
	first := len(all)
	for first > 0 && (first == len(all) || all[first-1].Number > all[first].Number-maxStamped) {
		if e := all[first-1]; e.Kept {
			if there, err := c.isThere(KeptFile(e.Number)); err != nil {
				return err
			} else if !there {
				break
			}
		}
		first--
	}
	all = all[first:]
	if n := len(all); n > 0 {
		s.Oldest, s.Next = all[0].Number, all[n-1].Number+1
	} else if oldest < maxNumber {
		s.Oldest, s.Next = oldest, oldest // where numbers go on, so that none is used twice
	}
	s.Kept = int64(len(all)) * entryCost
	dropped := map[int64]bool{} // a process died before it could remove what they had kept
	for _, e := range all {
		dropped[e.Number] = !e.Kept
	}
	for _, info := range infos {
		name := historyDir + "/" + info.Name()
		page, isPage := numberOf(info.Name(), pageSuffix)
		if isPage && info.Mode().IsRegular() && page >= pageOf(s.Oldest) && page <= pageOf(s.Next) {
			continue
		}
		number, isKept := numberOf(info.Name(), keptSuffix)
		if !isKept || number < s.Oldest || number >= s.Next || dropped[number] {
			c.cleanUp(name)
			continue
		}
		size, err := c.SizeOf(name)
		if err != nil {
			return err
		}
		s.Kept += size.cost()
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
	return number, err == nil && number >= 0 && number < maxNumber && digits == fmt.Sprintf("%016d", number)
}

// unhappened reports whether it is certain that a change has not been made, and is only described.
func (c *Core) unhappened(e Change) bool {
	if e.Op == vfs.OpUndone || e.Op == vfs.OpPurged {
		return false // to note it is all there is to do
	}
	now, err := c.Backend.Lstat(e.Path)
	gone := errors.Is(err, fs.ErrNotExist)
	kept, keptErr := c.Backend.Lstat(KeptFile(e.Number))
	notKept := errors.Is(keptErr, fs.ErrNotExist)
	switch e.Op {
	case vfs.OpCreate, vfs.OpMkdir:
		return gone
	case vfs.OpRemove:
		// With the history in another directory, what is removed is in both for a moment.
		return err == nil && (notKept || keptErr == nil && c.alike(e.Path, KeptFile(e.Number)))
	case vfs.OpRename:
		return err == nil
	case vfs.OpWrite:
		if e.Kept && keptErr == nil && err == nil {
			return c.Backend.Same(now, kept) || stampOf(kept).matches(now)
		}
		return e.Kept && notKept
	}
	return false
}
