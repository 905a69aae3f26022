package cachedir

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

const (
	// maxEntries is how many entries of a kind are kept. It lets some versions alternate without making each other's entries again and again.
	maxEntries = 8
	// maxUnused is how long entries are kept that nobody uses.
	maxUnused = 30 * 24 * time.Hour
	// maxUnfinished is how long what a process has begun is left to it. It takes seconds.
	maxUnfinished = time.Hour
)

// unfinished is the ending of entries that are being made, as a pattern for os.MkdirTemp.
const unfinished = ".new-*"

var entryName = regexp.MustCompile(`^([a-z]+)-[0-9a-f]{64}(\.new-[0-9]+)?$`)

// prune removes entries of a kind that are old or too many, and what processes that were killed have left, but not the entry to keep.
// Whatever else is in the directory stays.
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
	var entries []entry
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
		switch unused := now.Sub(info.ModTime()); {
		case match[2] != "":
			if unused > maxUnfinished {
				remove = append(remove, path)
			}
		case unused > maxUnused:
			remove = append(remove, path)
		default:
			entries = append(entries, entry{path, info.ModTime()})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(b.used.UnixNano(), a.used.UnixNano()) })
	for i, e := range entries {
		if i >= maxEntries-1 { // the one to keep counts
			remove = append(remove, e.path)
		}
	}
	for _, path := range remove {
		_ = os.RemoveAll(path) // what cannot be removed now stays for the next time
	}
	return nil
}
