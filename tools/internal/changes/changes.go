// Package changes notes which files the code of a tool's call changes.
package changes

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/afero"
)

// Changes are the files that differ from when a run began, by path. Files that were created and removed again are
// not listed. A file that was written counts as changed even if its content is the same. A directory, with a slash
// at the end, is listed only if nothing in it is. Each list is sorted.
type Changes struct {
	Created []string `json:"created,omitempty"`
	Changed []string `json:"changed,omitempty"`
	Deleted []string `json:"deleted,omitempty"`
	// More is how many changes are not listed; created files are left out first. Above some ten thousand it is an
	// estimate. An operation still in progress, whose effect is unknown, counts as one.
	More int `json:"more,omitempty"`
}

const (
	maxListed = 1000    // paths in Changes
	maxNoted  = 4 << 20 // bytes that a recorder may hold, about
	noteCost  = 100     // bytes of a note, beside its path
	maxCount  = 10_000  // what is in a directory, beyond what can be noted
	maxShown  = 10      // paths of a kind in a text
	maxName   = 200     // bytes of a path in a text
)

// endTime is how long an operation that was under way when the code was stopped may take to end.
const endTime = 100 * time.Millisecond

// A Recorder notes what is changed through Fs. It is safe for concurrent use, also with what goes on after a run.
type Recorder struct {
	Fs afero.Fs

	mu    sync.Mutex
	notes map[string]note // by path; directories have a slash at the end
	// size is that of the notes in bytes: of those about what was there before, and of the others. Each have their own
	// half of the room, so that what is made and removed again cannot keep a change from being noted.
	size map[bool]int
	more int           // what has found no room among them
	busy int           // operations under way
	idle chan struct{} // closed when busy is 0, if somebody waits for that
}

// A note says whether there was something when the recorder first heard of it, and whether there is now.
type note struct{ before, now bool }

// Record returns a recorder for changes of files.
func Record(files afero.Fs) *Recorder {
	r := &Recorder{notes: map[string]note{}, size: map[bool]int{}}
	r.Fs = newRecordedFs(files, r)
	return r
}

// GoOn makes the recorder go on where another one has ended that has returned these changes, or nil.
func (r *Recorder) GoOn(c *Changes) {
	if c == nil {
		return
	}
	r.note(false, true, c.Created...)
	r.note(true, true, c.Changed...)
	r.note(true, false, c.Deleted...)
	r.countMore(c.More)
}

// note notes that something is or is not there now, and whether it was right before.
func (r *Recorder) note(before, now bool, keys ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range keys {
		n, known := r.notes[key]
		switch cost := len(key) + noteCost; {
		case known && !n.before && !now:
			delete(r.notes, key)
			r.size[false] -= cost
		case known:
			r.notes[key] = note{n.before, now}
		case before || now:
			if r.size[before]+cost > maxNoted/2 {
				r.more++
				continue
			}
			r.notes[key] = note{before, now}
			r.size[before] += cost
		}
	}
}

func (r *Recorder) countMore(n int) {
	r.mu.Lock()
	r.more += n
	r.mu.Unlock()
}

// began and ended are called around an operation.
func (r *Recorder) began() {
	r.mu.Lock()
	r.busy++
	r.mu.Unlock()
}

func (r *Recorder) ended() {
	r.mu.Lock()
	if r.busy--; r.busy == 0 && r.idle != nil {
		close(r.idle)
		r.idle = nil
	}
	r.mu.Unlock()
}

// settle waits a moment until no operation is under way.
func (r *Recorder) settle() {
	r.mu.Lock()
	if r.busy == 0 {
		r.mu.Unlock()
		return
	}
	idle := make(chan struct{})
	r.idle = idle
	r.mu.Unlock()
	timer := time.NewTimer(endTime)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	}
}

// Changes returns what has changed so far, or nil if nothing has. It waits a moment for an operation that is in
// progress.
func (r *Recorder) Changes() *Changes {
	r.settle()
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &Changes{More: r.more + r.busy}
	for _, key := range slices.Sorted(maps.Keys(r.notes)) {
		switch n := r.notes[key]; {
		case !n.before:
			c.Created = append(c.Created, key)
		case !n.now:
			c.Deleted = append(c.Deleted, key)
		case !strings.HasSuffix(key, "/"):
			c.Changed = append(c.Changed, key)
		}
	}
	left := maxListed
	for _, list := range []*[]string{&c.Changed, &c.Deleted, &c.Created} {
		*list = withoutParents(*list)
		n := min(len(*list), left)
		c.More += len(*list) - n
		*list = (*list)[:n]
		left -= n
	}
	if left == maxListed && c.More == 0 {
		return nil
	}
	return c
}

// withoutParents leaves out directories that other paths of a sorted list lie in.
func withoutParents(keys []string) []string {
	out := keys[:0]
	for i, key := range keys {
		if !strings.HasSuffix(key, "/") || i+1 == len(keys) || !strings.HasPrefix(keys[i+1], key) {
			out = append(out, key)
		}
	}
	return out
}

// String formats the changes as a line for a result.
func (c *Changes) String() string {
	var parts []string
	for _, kind := range []struct {
		name  string
		paths []string
	}{{"created", c.Created}, {"changed", c.Changed}, {"deleted", c.Deleted}} {
		if len(kind.paths) == 0 {
			continue
		}
		var shown []string
		for _, name := range kind.paths[:min(len(kind.paths), maxShown)] {
			if len(name) > maxName {
				name = strings.ToValidUTF8(name[:maxName], "") + "..."
			}
			shown = append(shown, name)
		}
		text := kind.name + " " + strings.Join(shown, ", ")
		if rest := len(kind.paths) - maxShown; rest > 0 {
			text += fmt.Sprintf(" and %d more", rest)
		}
		parts = append(parts, text)
	}
	if c.More > 0 {
		parts = append(parts, fmt.Sprintf("%d more", c.More))
	}
	return "Files: " + strings.Join(parts, "; ")
}
