package javascript

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
)

// Changes are the files that differ from what they were when a run began, by path. What was made and removed again is not
// among them; what was written is changed, also if it is the same as before. A directory, with a slash at the end, is there
// only if nothing in it is. Each list is sorted.
type Changes struct {
	Created []string `json:"created,omitempty"`
	Changed []string `json:"changed,omitempty"`
	Deleted []string `json:"deleted,omitempty"`
	// More is how many there are beyond those that are listed. If it is more than some ten thousand, it is an estimate.
	More int `json:"more,omitempty"`
}

const (
	maxListed = 1000    // paths in Changes
	maxNoted  = 4 << 20 // bytes that a recorder may hold, about
	noteCost  = 100     // bytes of a note, beside its path
	maxShown  = 10      // paths of a kind in a text
	maxName   = 200     // bytes of a path in a text
)

// A recorder notes what is changed through Fs. It is safe for concurrent use, also with what goes on after a run.
type recorder struct {
	Fs afero.Fs

	mu    sync.Mutex
	notes map[string]note // by path; directories have a slash at the end
	size  int             // of the notes, in bytes
	more  int             // what has found no room among them
}

// A note says whether there was something when the recorder first heard of it, and whether there is now.
type note struct{ before, now bool }

// record returns a recorder for changes of files.
func record(files afero.Fs) *recorder {
	r := &recorder{notes: map[string]note{}}
	r.Fs = &recordedFs{files, r}
	return r
}

// note notes that something is or is not there now, and whether it was right before.
func (r *recorder) note(before, now bool, keys ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range keys {
		n, known := r.notes[key]
		switch cost := len(key) + noteCost; {
		case known && !n.before && !now:
			delete(r.notes, key)
			r.size -= cost
		case known:
			r.notes[key] = note{n.before, now}
		case before || now:
			if r.size+cost > maxNoted {
				r.more++
				continue
			}
			r.notes[key] = note{before, now}
			r.size += cost
		}
	}
}

// changes returns what has changed so far, or nil if nothing has.
func (r *recorder) changes() *Changes {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &Changes{More: r.more}
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
	for _, list := range []*[]string{&c.Created, &c.Changed, &c.Deleted} {
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

// String is a line for a result.
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

// A recordedFs is a file system whose changes are noted when they have succeeded.
type recordedFs struct {
	afero.Fs
	r *recorder
}

var _ vfs.Exclusive = (*recordedFs)(nil)

func (f *recordedFs) Exclusively(ctx context.Context, do func(files afero.Fs) error) error {
	return vfs.Exclusively(ctx, f.Fs, func(files afero.Fs) error { return do(&recordedFs{files, f.r}) })
}

func (f *recordedFs) IsReadOnly(name string) bool { return vfs.IsReadOnly(f.Fs, name) }

// clean is the path by which something is noted.
func clean(name string) string {
	if clean, err := vfs.Clean(name); err == nil {
		return clean
	}
	return path.Clean("/" + name)
}

func dirKey(name string) string { return strings.TrimSuffix(name, "/") + "/" }

func (f *recordedFs) Create(name string) (afero.File, error) {
	return f.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

func (f *recordedFs) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND) == 0 {
		return f.Fs.OpenFile(name, flag, perm)
	}
	_, err := f.Stat(name)
	before := err == nil
	opened, err := f.Fs.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	file := &recordedFile{File: opened, r: f.r, key: clean(name), before: before, whole: flag&os.O_TRUNC != 0}
	if !before && !file.whole {
		f.r.note(false, true, file.key)
	}
	return file, nil
}

func (f *recordedFs) Mkdir(name string, perm os.FileMode) error {
	err := f.Fs.Mkdir(name, perm)
	if err == nil {
		f.r.note(false, true, dirKey(clean(name)))
	}
	return err
}

func (f *recordedFs) MkdirAll(name string, perm os.FileMode) error {
	var made []string
	for dir := clean(name); dir != "/"; dir = path.Dir(dir) {
		if _, err := f.Stat(dir); err == nil {
			break
		}
		made = append(made, dirKey(dir))
	}
	err := f.Fs.MkdirAll(name, perm)
	if err == nil {
		f.r.note(false, true, made...)
	}
	return err
}

func (f *recordedFs) Remove(name string) error {
	key := clean(name)
	if info, err := f.Stat(name); err == nil && info.IsDir() {
		key = dirKey(key)
	}
	err := f.Fs.Remove(name)
	if err == nil {
		f.r.note(true, false, key)
	}
	return err
}

func (f *recordedFs) RemoveAll(name string) error {
	found := f.find(clean(name))
	err := f.Fs.RemoveAll(name)
	if err == nil {
		f.r.note(true, false, found.keys...)
		f.r.countMore(found.more)
	}
	return err
}

func (f *recordedFs) Rename(from, to string) error {
	oldName, newName := clean(from), clean(to)
	found := f.find(oldName)
	_, statErr := f.Stat(newName)
	err := f.Fs.Rename(from, to)
	if err != nil || oldName == newName {
		return err
	}
	f.r.note(true, false, found.keys...)
	for i, key := range found.keys {
		found.keys[i] = newName + strings.TrimPrefix(key, oldName)
	}
	f.r.note(statErr == nil, true, found.keys...) // only a single file replaces something
	f.r.countMore(2 * found.more)
	return nil
}

func (r *recorder) countMore(n int) {
	r.mu.Lock()
	r.more += n
	r.mu.Unlock()
}

// What is at a path: it and all that is below it.
type found struct {
	keys []string
	size int
	more int // how many there are beside keys
}

func (w *found) add(key string) {
	if cost := len(key) + noteCost; w.size+cost <= maxNoted {
		w.keys = append(w.keys, key)
		w.size += cost
	} else {
		w.more++
	}
}

// find looks what there is at a path. What cannot be read is left out: it is not for the recorder to fail.
func (f *recordedFs) find(name string) *found {
	w := &found{}
	info, err := f.Stat(name)
	switch {
	case err != nil:
	case info.IsDir():
		f.findBelow(name, w)
	default:
		w.add(name)
	}
	return w
}

func (f *recordedFs) findBelow(dir string, w *found) {
	w.add(dirKey(dir))
	opened, err := f.Fs.Open(dir)
	if err != nil {
		return
	}
	infos, err := opened.Readdir(-1)
	_ = opened.Close()
	if err != nil {
		return
	}
	for _, info := range infos {
		name := path.Join(dir, info.Name())
		switch {
		case path.Dir(name) != dir: // no name
		case info.IsDir():
			f.findBelow(name, w)
		default:
			w.add(name)
		}
	}
}

// A recordedFile is an open file that may be written.
type recordedFile struct {
	afero.File
	r      *recorder
	key    string
	before bool // whether there was a file
	whole  bool // it is written anew, and in its place when it is synced or closed
}

// written notes that the file has got another content, if it has.
func (f *recordedFile) written(err error) error {
	if err == nil {
		f.r.note(f.before, true, f.key)
	}
	return err
}

func (f *recordedFile) changed(n int, err error) (int, error) {
	if n > 0 && !f.whole {
		_ = f.written(nil)
	}
	return n, err
}

func (f *recordedFile) Write(b []byte) (int, error) { return f.changed(f.File.Write(b)) }
func (f *recordedFile) WriteAt(b []byte, at int64) (int, error) {
	return f.changed(f.File.WriteAt(b, at))
}
func (f *recordedFile) WriteString(s string) (n int, err error) {
	return f.changed(f.File.WriteString(s))
}

func (f *recordedFile) Truncate(size int64) error {
	err := f.File.Truncate(size)
	if !f.whole {
		return f.written(err)
	}
	return err
}

func (f *recordedFile) Sync() error {
	err := f.File.Sync()
	if f.whole {
		return f.written(err)
	}
	return err
}

func (f *recordedFile) Close() error {
	err := f.File.Close()
	if f.whole {
		return f.written(err)
	}
	return err
}
