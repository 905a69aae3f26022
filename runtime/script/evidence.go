package script

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/afero"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// Evidence is a file system that records what is read through it, so that a later run can check whether the files are
// still the same. It records until it is ended; then it only passes on what is done.
type Evidence struct {
	files afero.Fs
	most  int64 // bytes that it may take
	how   Witness

	mu      sync.Mutex
	seen    map[place]sighting
	size    int64
	ended   bool
	spoiled bool // something was changed or cannot be compared, or there is too much: nothing more is recorded
}

// A Witness says what code that reads files can notice.
type Witness int

const (
	// OfContent is for code that sees which files there are, and what is in them. Content is kept, so that it is
	// compared fast.
	OfContent Witness = iota
	// OfStat is for code that sees sizes and times as well. Of content, a hash is kept.
	OfStat
)

// place is a path, or the link itself that is there.
type place struct {
	name string
	link bool
}

// sighting is the observed state of a path. Times of directories are left out, because they change with files in them
// that nobody has looked at.
type sighting struct {
	exists bool
	kind   fs.FileMode
	size   int64     // of a file
	time   time.Time // of a file
	read   bool
	names  bool   // what was read of a directory is only the names
	sum    []byte // of what was read: the content of a file or the list of a directory, or its hash
}

// sightingSize is about how many bytes a sighting takes beside its name and content.
const sightingSize = 200

// NewEvidence makes evidence that may take most bytes.
func NewEvidence(files afero.Fs, most int64, how Witness) *Evidence {
	return &Evidence{files: files, most: most, how: how, seen: map[place]sighting{}}
}

// sightingOf returns what a result of Stat shows. It is false if that cannot be compared.
func (e *Evidence) sightingOf(info fs.FileInfo, err error) (s sighting, ok bool) {
	if err != nil {
		return s, e.how == OfContent || errors.Is(err, fs.ErrNotExist)
	}
	s = sighting{exists: true, kind: info.Mode().Type()}
	if !info.IsDir() {
		s.size, s.time = info.Size(), info.ModTime()
	}
	return s, true
}

func (e *Evidence) same(a, b sighting) bool {
	return a.exists == b.exists && a.kind == b.kind &&
		(e.how == OfContent || a.size == b.size && a.time.Equal(b.time))
}

// looked records a result of Stat.
func (e *Evidence) looked(at place, info fs.FileInfo, err error) {
	if s, ok := e.sightingOf(info, err); ok {
		e.note(at, s)
	} else {
		e.Spoil()
	}
}

// note records the state of a path. A state that contradicts an earlier one spoils the evidence.
func (e *Evidence) note(at place, s sighting) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended || e.spoiled {
		return
	}
	before, ok := e.seen[at]
	size := int64(len(s.sum))
	switch {
	case !ok:
		size += int64(len(at.name)) + sightingSize
	case !e.same(before, s), before.read && s.read && !bytes.Equal(before.sum, s.sum):
		e.drop()
		return
	case before.read:
		return
	}
	if e.size += size; e.size > e.most {
		e.drop()
		return
	}
	e.seen[at] = s
}

// Spoil gives up: something was read that cannot be compared later.
func (e *Evidence) Spoil() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.ended {
		e.drop()
	}
}

func (e *Evidence) drop() { e.spoiled, e.seen = true, nil }

// End ends the recording.
func (e *Evidence) End() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
}

// Missing ends the recording, and returns the names under which nothing was, in order. It is false if more was seen
// than that, and directories that were not listed.
func (e *Evidence) Missing() (names []string, ok bool) {
	e.End()
	for at, s := range e.seen {
		if !s.exists {
			names = append(names, at.name)
		} else if s.read || !s.kind.IsDir() {
			return nil, false
		}
	}
	slices.Sort(names)
	return slices.Compact(names), !e.spoiled
}

// Name implements [afero.Fs].
func (e *Evidence) Name() string { return e.files.Name() }

// Stat implements [afero.Fs].
func (e *Evidence) Stat(name string) (fs.FileInfo, error) {
	info, err := e.files.Stat(name)
	e.looked(place{name, false}, info, err)
	return info, err
}

// LstatIfPossible implements [afero.Lstater].
func (e *Evidence) LstatIfPossible(name string) (fs.FileInfo, bool, error) {
	info, looked, err := lstat(e.files, name)
	e.looked(place{name, true}, info, err)
	return info, looked, err
}

func lstat(files afero.Fs, name string) (fs.FileInfo, bool, error) {
	if l, ok := files.(afero.Lstater); ok {
		return l.LstatIfPossible(name)
	}
	info, err := files.Stat(name)
	return info, false, err
}

// IsReadOnly reports what the file system says.
func (e *Evidence) IsReadOnly(name string) bool {
	v, ok := e.files.(interface{ IsReadOnly(name string) bool })
	return ok && v.IsReadOnly(name)
}

// Open implements [afero.Fs].
func (e *Evidence) Open(name string) (afero.File, error) {
	f, err := e.files.Open(name)
	return e.witness(name, f, err)
}

// OpenFile implements [afero.Fs].
func (e *Evidence) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	f, err := e.files.OpenFile(name, flag, perm)
	if flag != os.O_RDONLY {
		e.Spoil()
		return f, err
	}
	return e.witness(name, f, err)
}

func (e *Evidence) witness(name string, f afero.File, err error) (afero.File, error) {
	if err != nil {
		e.looked(place{name, false}, nil, err)
		return f, err
	}
	return &witnessedFile{File: f, name: name, evidence: e, read: e.digest()}, nil
}

// What follows changes files.

// Create implements [afero.Fs].
func (e *Evidence) Create(name string) (afero.File, error) { e.Spoil(); return e.files.Create(name) }

// Mkdir implements [afero.Fs].
func (e *Evidence) Mkdir(name string, perm fs.FileMode) error {
	e.Spoil()
	return e.files.Mkdir(name, perm)
}

// MkdirAll implements [afero.Fs].
func (e *Evidence) MkdirAll(name string, perm fs.FileMode) error {
	e.Spoil()
	return e.files.MkdirAll(name, perm)
}

// Remove implements [afero.Fs].
func (e *Evidence) Remove(name string) error { e.Spoil(); return e.files.Remove(name) }

// RemoveAll implements [afero.Fs].
func (e *Evidence) RemoveAll(name string) error { e.Spoil(); return e.files.RemoveAll(name) }

// Rename implements [afero.Fs].
func (e *Evidence) Rename(from, to string) error { e.Spoil(); return e.files.Rename(from, to) }

// Chmod implements [afero.Fs].
func (e *Evidence) Chmod(name string, mode fs.FileMode) error {
	e.Spoil()
	return e.files.Chmod(name, mode)
}

// Chown implements [afero.Fs].
func (e *Evidence) Chown(name string, uid, gid int) error {
	e.Spoil()
	return e.files.Chown(name, uid, gid)
}

// Chtimes implements [afero.Fs].
func (e *Evidence) Chtimes(name string, atime, mtime time.Time) error {
	e.Spoil()
	return e.files.Chtimes(name, atime, mtime)
}

// A digest is what is kept of content: all of it, or its hash.
type digest interface {
	io.Writer
	Sum(b []byte) []byte
}

func (e *Evidence) digest() digest {
	if e.how == OfContent {
		return &content{}
	}
	return sha256.New()
}

type content struct{ data []byte }

func (c *content) Write(p []byte) (int, error) { c.data = append(c.data, p...); return len(p), nil }

// Sum returns the content itself.
func (c *content) Sum([]byte) []byte { return c.data }

// witnessedFile is a file that is read from its beginning to its end, or a directory that is listed.
type witnessedFile struct {
	afero.File
	name     string
	evidence *Evidence

	mu      sync.Mutex
	read    digest
	next    int64 // where what was read ends
	began   bool
	listed  bool // to the end
	entries []string
}

func (f *witnessedFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	f.evidence.looked(place{f.name, false}, info, err)
	return info, err
}

func (f *witnessedFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	f.note(p, n, off, err)
	return n, err
}

func (f *witnessedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.note(p, n, f.next, err)
	return n, err
}

// note records what was read at an offset.
func (f *witnessedFile) note(p []byte, n int, off int64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n < 0 || n > len(p) || n > 0 && off != f.next ||
		err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		f.evidence.Spoil()
		return
	}
	_, _ = f.read.Write(p[:n]) // which never fails
	f.next += int64(n)
	f.began = true
}

// maxEntries is how many entries a directory can have that is listed.
const maxEntries = 100_000

func (f *witnessedFile) Readdirnames(n int) ([]string, error) {
	names, err := f.File.Readdirnames(n)
	f.list(names, true, err == nil && (n <= 0 || len(names) < n), err)
	return names, err
}

func (f *witnessedFile) Readdir(n int) ([]fs.FileInfo, error) {
	infos, err := f.File.Readdir(n)
	f.list(entriesOf(infos), false, err == nil && len(infos) == 0, err)
	return infos, err
}

// list records what was listed of a directory, and whether that was the end.
func (f *witnessedFile) list(entries []string, names, ended bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.entries = append(f.entries, entries...)
	switch {
	case ended, errors.Is(err, io.EOF):
		f.evidence.note(place{f.name, false}, sighting{
			exists: true, kind: fs.ModeDir, read: true, names: names, sum: f.evidence.sum(f.entries),
		})
		f.entries, f.listed = nil, true
	case err != nil || len(f.entries) > maxEntries:
		f.evidence.Spoil()
	}
}

func entriesOf(infos []fs.FileInfo) (entries []string) {
	for _, info := range infos {
		entries = append(entries, info.Mode().Type().String()+" "+info.Name())
	}
	return entries
}

// sum returns what is kept of a list, whose order does not matter.
func (e *Evidence) sum(entries []string) []byte {
	entries = slices.Clone(entries)
	slices.Sort(entries)
	d := e.digest()
	_, _ = io.WriteString(d, strings.Join(entries, "\x00")) // which never fails
	return d.Sum(nil)
}

func (f *witnessedFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch info, err := f.File.Stat(); {
	case err != nil:
		f.evidence.Spoil()
	case info.IsDir() && len(f.entries) > 0: // it was not listed to its end
		f.evidence.Spoil()
	case info.IsDir() && f.listed:
	case info.IsDir(), !f.began:
		f.evidence.looked(place{f.name, false}, info, nil)
	case f.next != info.Size(): // not read to its end, or just now changed
		f.evidence.Spoil()
	default:
		s, _ := f.evidence.sightingOf(info, nil)
		s.read, s.sum = true, f.read.Sum(nil)
		f.evidence.note(place{f.name, false}, s)
	}
	return f.File.Close()
}

// holds reports whether the files still have the recorded state. It is false if the context ends first.
func (e *Evidence) holds(ctx context.Context, files afero.Fs) bool {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	for at, s := range e.seen {
		if ctx.Err() != nil {
			return false
		}
		var info fs.FileInfo
		var err error
		if at.link {
			info, _, err = lstat(files, at.name)
		} else {
			info, err = files.Stat(at.name)
		}
		if now, ok := e.sightingOf(info, err); !ok || !e.same(s, now) {
			return false
		}
		switch {
		case !s.read:
		case s.kind.IsDir():
			if !e.isListed(ctx, files, at.name, s) {
				return false
			}
		case info.Size() != s.size || !e.contains(ctx, files, at.name, s, *buffer):
			return false
		}
	}
	return true
}

var buffers = sync.Pool{New: func() any {
	b := make([]byte, 16<<10) // stays in the first level of the processor's cache
	return &b
}}

// contains reports whether a file still has its content.
func (e *Evidence) contains(ctx context.Context, files afero.Fs, name string, s sighting, buffer []byte) bool {
	f, err := files.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var h hash.Hash
	if e.how == OfStat {
		h = sha256.New()
	}
	for at := int64(0); ctx.Err() == nil; {
		n, err := f.Read(buffer)
		if n < 0 || n > len(buffer) || at+int64(n) > s.size {
			return false
		}
		if h != nil {
			h.Write(buffer[:n])
		} else if !bytes.Equal(buffer[:n], s.sum[at:at+int64(n)]) {
			return false
		}
		at += int64(n)
		switch {
		case errors.Is(err, io.EOF):
			return at == s.size && (h == nil || bytes.Equal(h.Sum(nil), s.sum))
		case err != nil:
			return false
		}
	}
	return false
}

// isListed reports whether a directory still has the same entries.
func (e *Evidence) isListed(ctx context.Context, files afero.Fs, name string, s sighting) bool {
	f, err := files.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	const some = 1000
	var entries []string
	for ctx.Err() == nil && len(entries) <= maxEntries {
		var more []string
		var err error
		if s.names {
			more, err = f.Readdirnames(some)
		} else {
			var infos []fs.FileInfo
			infos, err = f.Readdir(some)
			more = entriesOf(infos)
		}
		entries = append(entries, more...)
		switch {
		case errors.Is(err, io.EOF), err == nil && len(more) < some:
			return bytes.Equal(e.sum(entries), s.sum)
		case err != nil:
			return false
		}
	}
	return false
}

// MaxLibraryAge is how long an image is used whose libraries have read the time. In other systems libraries also stay
// loaded for a while, but not forever.
const MaxLibraryAge = time.Minute

// Libraries are those in an image, which is kept so that not every run has to load them.
type Libraries struct {
	evidence *Evidence
	// Made is when they were loaded.
	Made  time.Time
	timed bool // they have read the time
}

// Hold reports whether the libraries are those of a run on files. It reads files, so call it where it can be abandoned.
func (l *Libraries) Hold(run *sandbox.Run, files afero.Fs) bool {
	return !(l.timed && run.Started().Sub(l.Made) > MaxLibraryAge) && l.evidence.holds(run.Context(), files)
}

// Keep keeps an image of an instance with loaded libraries, if it can be taken. made makes its state know of them, and
// returns how many bytes that takes. The recording of the evidence ends.
func (e *Evidence) Keep(program *sandbox.Program, key [sha256.Size]byte, in *sandbox.Instance,
	made func(image *sandbox.Image, libraries Libraries) int64) {
	e.End()
	if e.spoiled || in.MemorySize()+e.size > program.ImageRoom() { // it might not fit
		return
	}
	image, err := in.Capture()
	if err != nil {
		return // the next run loads them again
	}
	recorded := &Evidence{how: e.how, seen: e.seen} // without the files
	size := made(image, Libraries{recorded, in.Run().Started(), in.Timed()})
	program.Keep(key, image, e.size+size)
}
