package cachedir

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

const (
	// maxEntries and maxBytes limit the entries of a kind, of which those stay that were used last. There is room for
	// what a server runs, and for a few versions that alternate, so that they need not make each other's entries again.
	maxEntries = 32
	maxBytes   = 4 << 30
	// maxUnused is how long unused entries are kept.
	maxUnused = 30 * 24 * time.Hour
	// maxUnfinished is how long an unfinished entry is kept. Finishing it takes seconds.
	maxUnfinished = time.Hour
	// minUnfinished is how long an unfinished entry is kept even if there are more than maxEntries of them, as when
	// processes are killed at their start again and again.
	minUnfinished = time.Minute
	// maxAhead is how far in the future a correct time may lie, because the clocks of hosts that share a directory
	// differ. Later times come from a clock that has been set back since.
	maxAhead = time.Hour
)

// unfinished is the ending of the names of unfinished entries, as a pattern for os.MkdirTemp.
const unfinished = ".new-*"

// entryName matches the names of entries, and of what killed processes have left of them.
var entryName = lazyregexp.New(`^([a-z]+)-[0-9a-f]{64}(\.new-[0-9]+)?$`)

// prune removes entries of a kind that are too old or too many, and the leftovers of killed processes, but not the
// entry keep. Other files in the directory stay. The directory must just have been changed: its time is the present by
// the clock that has given the entries theirs. That of a process may be wrong, and others would lose what they make.
func prune(parent, kind, keep string) error {
	changed, err := os.Stat(parent)
	if err != nil {
		return err
	}
	now := changed.ModTime()
	list, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	type entry struct {
		path string
		used time.Time
	}
	var old, leftovers []string
	var entries, begun []entry
	for _, d := range list {
		match := entryName().FindStringSubmatch(d.Name())
		if match == nil || match[1] != kind || d.Name() == keep || !d.IsDir() {
			continue
		}
		path := filepath.Join(parent, d.Name())
		info, err := d.Info()
		// another process has removed it, or it does not belong to this user
		if err != nil || checkInEntry(path, info) != nil {
			continue
		}
		e := entry{path, info.ModTime()}
		if e.used.Sub(now) > maxAhead {
			e.used = time.Time{}
		}
		switch unused := now.Sub(e.used); {
		case match[2] != "" && unused > maxUnfinished:
			leftovers = append(leftovers, path)
		case match[2] != "":
			begun = append(begun, e)
		case unused > maxUnused && !e.used.IsZero():
			old = append(old, path)
		default:
			entries = append(entries, e)
		}
	}
	for _, list := range [][]entry{entries, begun} {
		slices.SortFunc(list, func(a, b entry) int { return b.used.Compare(a.used) })
	}
	bytes := size(filepath.Join(parent, keep))
	for i, e := range entries {
		bytes += size(e.path)
		if i >= maxEntries-1 || bytes > maxBytes { // the entry to keep counts, too
			old = append(old, e.path)
		}
	}
	for i, e := range begun {
		if i >= maxEntries && now.Sub(e.used) > minUnfinished {
			leftovers = append(leftovers, e.path)
		}
	}
	// If it fails, the next process tries again.
	for _, path := range old {
		_ = remove(path)
	}
	for _, path := range leftovers {
		_ = os.RemoveAll(path)
	}
	return nil
}

// size returns the bytes of an entry's files, as far as they can be read.
func size(entry string) (bytes int64) {
	sizes, _ := walk(entry)
	for _, n := range sizes {
		bytes += n
	}
	return bytes
}
