package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/vfs"
)

// Unless the backend is a [Journal], the descriptions of changes are lines of JSON, some of them in one file: a page.
// Making a file costs more than anything else in recording a change. Later lines take precedence over earlier ones; a
// line that a process has not finished is not valid JSON, and the next begins anew.

const (
	// perPage is how many changes are described in one file.
	perPage = 64
	// maxPage is the size from which on a page is written anew, without what has become void.
	maxPage = 1 << 20
)

func pageOf(number int64) int64 { return number / perPage }

func pageFile(page int64) string { return fmt.Sprintf("%s/%016d%s", historyDir, page, pageSuffix) }

// A Change is how the history describes one.
type Change struct {
	Number int64 `json:"n"`
	// Void takes back the description of a change that has not happened.
	Void bool      `json:"void,omitempty"`
	Time time.Time `json:"time,omitzero"`
	// Op is "" in what only tells After anew.
	Op   vfs.Op `json:"op,omitempty"`
	Path string `json:"path,omitempty"`
	To   string `json:"to,omitempty"`
	Call string `json:"call,omitempty"`
	// Part counts the changes of a call from 0.
	Part int `json:"part,omitempty"`
	// Kept says that what the change replaced or removed is kept, Lost that it was too large for that, and Special that
	// it was neither a file nor a directory.
	Kept    bool `json:"kept,omitempty"`
	Lost    bool `json:"lost,omitempty"`
	Special bool `json:"special,omitempty"`
	// Thinned says that it was kept, but not for so long.
	Thinned bool `json:"thinned,omitempty"`
	// Purged is the number of the change by which it was purged, or a part of it if Kept is set.
	Purged int64 `json:"purged,omitempty"`
	// By is who has purged.
	By string `json:"by,omitempty"`
	// After is what the file has become, or the directory that was restored.
	After *Stamp `json:"after,omitempty"`
	// Undoes is the unit that is undone by this, and Reverses the change.
	Undoes   string `json:"undoes,omitempty"`
	Reverses int64  `json:"reverses,omitempty"`
	// Redoes is the unit whose undoing is taken back by this.
	Redoes string `json:"redoes,omitempty"`
}

// public is the change as callers see it.
func (e *Change) public() vfs.Change {
	return vfs.Change{
		ID: e.Number, Time: e.Time, Call: e.Call, Op: e.Op, Path: e.Path, To: e.To, Kept: e.Kept, Lost: e.Lost,
		Special: e.Special, Undoes: e.Undoes, Redoes: e.Redoes, Purged: e.Purged, By: e.By,
	}
}

// A Stamp tells contents of a file apart, or those of a directory.
type Stamp struct {
	Size    int64     `json:"size"`
	ModTime time.Time `json:"modTime"`
	// Tree is the fingerprint of a directory, and "" for a file.
	Tree string `json:"tree,omitempty"`
}

func stampOf(info fs.FileInfo) *Stamp {
	return &Stamp{Size: info.Size(), ModTime: jsontree.Time(info.ModTime())}
}

func (s *Stamp) matches(info fs.FileInfo) bool {
	return s.Size == info.Size() && s.ModTime.Equal(jsontree.Time(info.ModTime()))
}

// unit is what the change is undone together with.
func (e *Change) unit() string {
	if e.Call == "" {
		return "#" + strconv.FormatInt(e.Number, 10)
	}
	return e.Call
}

// Concerns reports whether the change is one of a unit, or undoes or redoes one of its changes.
func (e *Change) Concerns(unit string) bool {
	return e.unit() == unit || e.Undoes == unit || e.Redoes == unit
}

// describe adds a line about a change.
func (c *Core) describe(e Change) error {
	if e.Op == "" && e.Number == c.recorded.Number {
		c.recorded.After = e.After
	}
	if j, ok := c.Backend.(Journal); ok {
		return j.Describe(e)
	}
	line, err := e.line()
	if err != nil {
		return err
	}
	name := pageFile(pageOf(e.Number))
	n, err := c.Backend.Open(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := n.Stat()
	if err == nil && info.Size() > maxPage {
		return errors.Join(n.Close(), c.shorten(e, name))
	}
	if err == nil {
		_, err = n.WriteAt(line, info.Size())
	}
	return errors.Join(err, n.Close())
}

// line returns the description as a line of its own, even after an unfinished line.
func (e Change) line() ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('\n')
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // which would make names six times as long
	err := encoder.Encode(e)
	return text.Bytes(), err
}

// shorten writes a page anew, with one more line.
func (c *Core) shorten(e Change, name string) error {
	page, err := c.readPage(pageOf(e.Number))
	if err != nil {
		return err
	}
	page.add(e)
	var text bytes.Buffer
	for _, number := range slices.Sorted(maps.Keys(page)) {
		line, err := page[number].line()
		if err != nil {
			return err
		}
		text.Write(line)
	}
	return c.replaceOwn(name, text.Bytes(), false)
}

// A page is what a file describes, by number.
type page map[int64]Change

func (p page) add(e Change) {
	switch known, ok := p[e.Number]; {
	case e.Void:
		delete(p, e.Number)
	case e.Op != "":
		p[e.Number] = e
	case ok:
		known.After = e.After
		p[e.Number] = known
	}
}

// readPage reads a page. Nothing in it is to be trusted: a directory can come from anywhere.
func (c *Core) readPage(number int64) (page, error) {
	n, err := c.Backend.Open(pageFile(number), os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer n.Close()
	text, err := io.ReadAll(io.NewSectionReader(n, 0, 2*maxPage))
	if err != nil {
		return nil, err
	}
	found := page{}
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		var e Change
		if json.Unmarshal(line, &e) == nil && e.Number > 0 && pageOf(e.Number) == number && e.Valid() {
			found.add(e)
		}
	}
	return found, nil
}

// Valid reports whether a description can be one of ours.
func (e *Change) Valid() bool {
	if e.Op != vfs.OpRename && e.Op != vfs.OpMkdir && e.To == "" && isState(e.Path) {
		return e.Op != vfs.OpUndone
	}
	for _, name := range []string{e.Path, e.To} {
		if name == "" {
			continue
		}
		if clean, err := vfs.Clean(name); err != nil || clean != name || clean == "/" {
			return false
		}
	}
	switch e.Op {
	case vfs.OpCreate, vfs.OpWrite, vfs.OpMkdir, vfs.OpRemove, vfs.OpPurged:
		return e.Path != "" && e.To == ""
	case vfs.OpRename:
		return e.Path != "" && e.To != ""
	case vfs.OpUndone:
		return e.Path == "" && e.To == ""
	}
	return e.Op == ""
}

// A pageReader reads changes one by one, and a page only once as long as the next one is on it as well.
type pageReader struct {
	c      *Core
	number int64
	page   page
}

func (r *pageReader) read(number int64) (Change, error) {
	if j, ok := r.c.Backend.(Journal); ok {
		return j.ReadChange(number)
	}
	if r.page == nil || r.number != pageOf(number) {
		p, err := r.c.readPage(pageOf(number))
		if err != nil {
			return Change{}, err
		}
		r.number, r.page = pageOf(number), p
	}
	e, ok := r.page[number]
	if !ok {
		return Change{}, fs.ErrNotExist
	}
	return e, nil
}

// at returns when a change was made, or else the zero time.
func (r *pageReader) at(c *Core, number int64) time.Time {
	r.c = c
	e, err := r.read(number)
	if err != nil {
		r.page = nil // it may have been made since
		e, _ = r.read(number)
	}
	return e.Time
}

// readChange reads the description of a change.
func (c *Core) readChange(number int64) (Change, error) {
	r := pageReader{c: c}
	return r.read(number)
}

// changes returns all changes from a number on that can be read, oldest first. It needs no lock.
func (c *Core) changes(oldest int64) ([]Change, error) {
	if j, ok := c.Backend.(Journal); ok {
		return j.Changes(oldest)
	}
	infos, err := c.Backend.ReadDir(historyDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var numbers []int64
	for _, info := range infos { // sorted by name, and so by number
		if number, ok := numberOf(info.Name(), pageSuffix); ok && number >= pageOf(oldest) {
			numbers = append(numbers, number)
		}
	}
	if most := mostPages(c.options.History); int64(len(numbers)) > most { // they come from somebody else
		numbers = numbers[int64(len(numbers))-most:]
	}
	var all []Change
	for _, number := range numbers {
		found, err := c.readPage(number)
		if err != nil {
			continue // dropped meanwhile, or nothing of ours
		}
		for _, n := range slices.Sorted(maps.Keys(found)) {
			if n >= oldest {
				all = append(all, found[n])
			}
		}
	}
	return all, nil
}

// backward calls do with each change of a state's history, the latest first, until it returns false. It reads little
// more than that, and needs no lock.
func (c *Core) backward(s State, do func(e Change) bool) error {
	_, isJournal := c.Backend.(Journal)
	if most := mostPages(c.options.History); !isJournal && pageOf(s.Next)-pageOf(s.Oldest) <= most {
		for number := pageOf(s.Next); number >= pageOf(s.Oldest); number-- {
			found, err := c.readPage(number)
			if err != nil {
				continue // there is none yet, it has been dropped meanwhile, or it is nothing of ours
			}
			for _, n := range slices.Backward(slices.Sorted(maps.Keys(found))) {
				if n >= s.Oldest && !do(found[n]) {
					return nil
				}
			}
		}
		return nil
	}
	before := int64(maxNumber)
	for size := int64(perPage); before > s.Oldest; size *= 4 {
		from := max(s.Oldest, s.Next-size)
		all, err := c.changes(from)
		if err != nil {
			return err
		}
		for _, e := range slices.Backward(all) {
			if e.Number < before && !do(e) {
				return nil
			}
		}
		before = from
	}
	return nil
}

// mostPages is how many pages a history can have: each change costs something, and undoing one as much again.
func mostPages(h vfs.HistoryOptions) int64 { return 2*(h.Bytes/(entryCost*perPage)) + 2 }

// stamp notes what a file has become, in the change that has written it last, so that undoing does not take that for
// the work of somebody else: if allowed agrees, which gets what the change has noted until now, or nil.
func (c *Core) stamp(name string, after *Stamp, allowed func(until *Stamp) bool) error {
	if c.options.History.Off {
		return nil
	}
	r := pageReader{c: c}
	for number := c.State.Next - 1; number >= max(c.State.Oldest, c.State.Next-maxStamped); number-- {
		e, err := c.recorded, error(nil)
		if number != e.Number {
			e, err = r.read(number)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil
		case e.Path == name && (e.Op == vfs.OpCreate || e.Op == vfs.OpWrite):
			if !allowed(e.After) {
				return nil
			}
			return c.describe(Change{Number: number, After: after})
		case e.Op == vfs.OpRename && vfs.Within(name, e.To):
			name = e.Path + name[len(e.To):]
		case vfs.Within(name, e.Path) && e.Op != vfs.OpUndone && e.Op != vfs.OpPurged:
			return nil // it came with its directory
		}
	}
	return nil
}

// unstamp takes back what a file has become by a change, before the same change goes on: if this process dies before it
// can say what the file is then, that is not the work of somebody else. Changes of a [Journal] are one with their file.
func (c *Core) unstamp(number int64) error {
	if _, ok := c.Backend.(Journal); ok {
		return nil
	}
	return c.describe(Change{Number: number})
}

// changedSince reports whether there is a change to a file, or to a directory that it is in, from a number on.
func (c *Core) changedSince(number int64, name string) bool {
	if c.State.Next-number > maxStamped {
		return true
	}
	r := pageReader{c: c}
	for ; number < c.State.Next; number++ {
		e, err := r.read(number)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || vfs.Within(name, e.Path) && e.Op != vfs.OpUndone || e.To != "" && vfs.Within(name, e.To) {
			return true
		}
	}
	return false
}
