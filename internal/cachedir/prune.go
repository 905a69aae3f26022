package cachedir

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

const (
	// maxEntries is how many entries of a kind are kept. A few versions can alternate without remaking each other's
	// entries.
	maxEntries = 8
	// maxUnused is how long unused entries are kept.
	maxUnused = 30 * 24 * time.Hour
	// maxUnfinished is how long a process may take to finish an entry. It takes seconds.
	maxUnfinished = time.Hour
	// minUnfinished is how long it may take even if more than maxEntries are unfinished, as where each process is
	// killed at its start.
	minUnfinished = time.Minute
	// maxAhead is how far in the future a correct time can be: clocks of hosts that share a directory differ. Later
	// times come from a clock that has been set back since.
	maxAhead = time.Hour
)

// unfinished is the ending of unfinished entries, as a pattern for os.MkdirTemp.
const unfinished = ".new-*"

var entryName = regexp.MustCompile(`^([a-z]+)-[0-9a-f]{64}(\.new-[0-9]+)?$`)

// prune removes entries of a kind that are too old or too many, and the leftovers of killed processes, but not the
// entry keep. Other files in the directory stay.
func prune(parent, kind, keep string) error {
	list, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	type entry struct {
		path string
		used time.Time
	}
	now := time.Now()
	var remove []string
	var entries, begun []entry
	for _, d := range list {
		match := entryName.FindStringSubmatch(d.Name())
		if match == nil || match[1] != kind || d.Name() == keep || !d.IsDir() {
			continue
		}
		path := filepath.Join(parent, d.Name())
		info, err := d.Info()
		if err != nil || checkInEntry(path, info) != nil { // somebody else has removed it, or it is not ours
			continue
		}
		e := entry{path, info.ModTime()}
		if e.used.Sub(now) > maxAhead {
			e.used = time.Time{}
		}
		switch unused := now.Sub(e.used); {
		case match[2] != "" && unused > maxUnfinished, match[2] == "" && unused > maxUnused && !e.used.IsZero():
			remove = append(remove, path)
		case match[2] != "":
			begun = append(begun, e)
		default:
			entries = append(entries, e)
		}
	}
	for _, list := range [][]entry{entries, begun} {
		slices.SortFunc(list, func(a, b entry) int { return b.used.Compare(a.used) })
	}
	for i, e := range entries {
		if i >= maxEntries-1 { // the one to keep counts
			remove = append(remove, e.path)
		}
	}
	for i, e := range begun {
		if i >= maxEntries && now.Sub(e.used) > minUnfinished {
			remove = append(remove, e.path)
		}
	}
	for _, path := range remove {
		_ = os.RemoveAll(path) // what cannot be removed now stays for the next time
	}
	return nil
}
