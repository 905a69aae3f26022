package changes

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
)

// A recordedFs is a file system whose changes are noted when they have succeeded.
type recordedFs struct {
	vfs.View
	r *Recorder
}

func newRecordedFs(files afero.Fs, r *Recorder) *recordedFs {
	return &recordedFs{vfs.NewView(files, func(files afero.Fs) afero.Fs { return newRecordedFs(files, r) }), r}
}

func (f *recordedFs) Exclusively(ctx context.Context, do func(files afero.Fs) error) error {
	f.r.began()
	defer f.r.ended()
	return f.View.Exclusively(ctx, do)
}

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
	if err != nil { // after it has removed some, maybe
		found.keys = slices.DeleteFunc(found.keys, func(key string) bool {
			_, statErr := f.Stat(path.Clean(key))
			return !errors.Is(statErr, fs.ErrNotExist)
		})
		found.more = 0
	}
	f.r.note(true, false, found.keys...)
	f.r.countMore(found.more)
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
	defer opened.Close()
	for w.more < maxCount {
		infos, err := opened.Readdir(1000)
		for _, info := range infos {
			name := path.Join(dir, info.Name())
			switch {
			case path.Dir(name) != dir: // no name
			case w.more >= maxCount: // there may be no end to it
				return
			case info.IsDir():
				f.findBelow(name, w)
			default:
				w.add(name)
			}
		}
		if err != nil || len(infos) == 0 {
			return
		}
	}
}

// A recordedFile is an open file that may be written.
type recordedFile struct {
	afero.File
	r      *Recorder
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
