package python

import (
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
)

// evidence is a file system that records what is read through it, so that a later run can check whether the files are
// still the same. It records until it is ended; then it only passes on what is done.
type evidence struct {
	files afero.Fs
	most  int64 // bytes that it may take

	mu      sync.Mutex
	seen    map[place]sighting
	size    int64
	ended   bool
	spoiled bool // something was changed or cannot be compared, or there is too much: nothing more is recorded
}

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
	hash   [sha256.Size]byte // of the content, or of the list of what is in a directory, if it was read
}

// sightingSize is about how many bytes a sighting takes beside its name.
const sightingSize = 200

// newEvidence makes evidence that may take most bytes.
func newEvidence(files afero.Fs, most int64) *evidence {
	return &evidence{files: files, most: most, seen: map[place]sighting{}}
}

// sightingOf returns what a result of Stat shows. It is false if that cannot be compared.
func sightingOf(info fs.FileInfo, err error) (s sighting, ok bool) {
	if err != nil {
		return s, errors.Is(err, fs.ErrNotExist)
	}
	s = sighting{exists: true, kind: info.Mode().Type()}
	if !info.IsDir() {
		s.size, s.time = info.Size(), info.ModTime()
	}
	return s, true
}

func (s sighting) same(other sighting) bool {
	return s.exists == other.exists && s.kind == other.kind && s.size == other.size && s.time.Equal(other.time)
}

// looked records a result of Stat.
func (e *evidence) looked(at place, info fs.FileInfo, err error) {
	if s, ok := sightingOf(info, err); ok {
		e.note(at, s)
	} else {
		e.spoil()
	}
}

// note records the state of a path. A state that contradicts an earlier one spoils the evidence.
func (e *evidence) note(at place, s sighting) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended || e.spoiled {
		return
	}
	before, ok := e.seen[at]
	switch {
	case !ok:
		if e.size += int64(len(at.name)) + sightingSize; e.size > e.most {
			e.drop()
			return
		}
	case !before.same(s), before.read && s.read && before.hash != s.hash:
		e.drop()
		return
	case before.read:
		return
	}
	e.seen[at] = s
}

// spoil gives up.
func (e *evidence) spoil() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.ended {
		e.drop()
	}
}

func (e *evidence) drop() { e.spoiled, e.seen = true, nil }

// end ends the recording, and reports whether there is evidence.
func (e *evidence) end() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
	return !e.spoiled
}

// record returns what was recorded, without the files.
func (e *evidence) record() *evidence { return &evidence{seen: e.seen} }

// Name implements [afero.Fs].
func (e *evidence) Name() string { return e.files.Name() }

// Stat implements [afero.Fs].
func (e *evidence) Stat(name string) (fs.FileInfo, error) {
	info, err := e.files.Stat(name)
	e.looked(place{name, false}, info, err)
	return info, err
}

// LstatIfPossible implements [afero.Lstater].
func (e *evidence) LstatIfPossible(name string) (fs.FileInfo, bool, error) {
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

// Open implements [afero.Fs].
func (e *evidence) Open(name string) (afero.File, error) {
	f, err := e.files.Open(name)
	return e.witness(name, f, err)
}

// OpenFile implements [afero.Fs].
func (e *evidence) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	f, err := e.files.OpenFile(name, flag, perm)
	if flag != os.O_RDONLY {
		e.spoil()
		return f, err
	}
	return e.witness(name, f, err)
}

func (e *evidence) witness(name string, f afero.File, err error) (afero.File, error) {
	if err != nil {
		e.looked(place{name, false}, nil, err)
		return f, err
	}
	return &witnessedFile{File: f, name: name, evidence: e, hash: sha256.New()}, nil
}

// What follows changes files.

// Create implements [afero.Fs].
func (e *evidence) Create(name string) (afero.File, error) { e.spoil(); return e.files.Create(name) }

// Mkdir implements [afero.Fs].
func (e *evidence) Mkdir(name string, perm fs.FileMode) error {
	e.spoil()
	return e.files.Mkdir(name, perm)
}

// MkdirAll implements [afero.Fs].
func (e *evidence) MkdirAll(name string, perm fs.FileMode) error {
	e.spoil()
	return e.files.MkdirAll(name, perm)
}

// Remove implements [afero.Fs].
func (e *evidence) Remove(name string) error { e.spoil(); return e.files.Remove(name) }

// RemoveAll implements [afero.Fs].
func (e *evidence) RemoveAll(name string) error { e.spoil(); return e.files.RemoveAll(name) }

// Rename implements [afero.Fs].
func (e *evidence) Rename(from, to string) error { e.spoil(); return e.files.Rename(from, to) }

// Chmod implements [afero.Fs].
func (e *evidence) Chmod(name string, mode fs.FileMode) error {
	e.spoil()
	return e.files.Chmod(name, mode)
}

// Chown implements [afero.Fs].
func (e *evidence) Chown(name string, uid, gid int) error {
	e.spoil()
	return e.files.Chown(name, uid, gid)
}

// Chtimes implements [afero.Fs].
func (e *evidence) Chtimes(name string, atime, mtime time.Time) error {
	e.spoil()
	return e.files.Chtimes(name, atime, mtime)
}

// witnessedFile is a file that is read from its beginning to its end, or a directory that is listed.
type witnessedFile struct {
	afero.File
	name     string
	evidence *evidence

	mu      sync.Mutex
	hash    hash.Hash // of what was read
	next    int64     // where that ends
	read    bool
	entries []string
}

func (f *witnessedFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	f.evidence.looked(place{f.name, false}, info, err)
	return info, err
}

func (f *witnessedFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	f.mu.Lock()
	defer f.mu.Unlock()
	if n < 0 || n > len(p) || n > 0 && off != f.next ||
		err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		f.evidence.spoil()
		return n, err
	}
	f.hash.Write(p[:n])
	f.next += int64(n)
	f.read = true
	return n, err
}

func (f *witnessedFile) Read(p []byte) (int, error) {
	f.evidence.spoil() // nobody does it
	return f.File.Read(p)
}

func (f *witnessedFile) Readdirnames(n int) ([]string, error) {
	f.evidence.spoil() // nobody does it
	return f.File.Readdirnames(n)
}

func (f *witnessedFile) Readdir(n int) ([]fs.FileInfo, error) {
	infos, err := f.File.Readdir(n)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, info := range infos {
		f.entries = append(f.entries, entryOf(info))
	}
	switch {
	case errors.Is(err, io.EOF), err == nil && len(infos) == 0:
		f.evidence.note(place{f.name, false}, sighting{
			exists: true, kind: fs.ModeDir, read: true, hash: hashOf(f.entries),
		})
		f.entries = nil
	case err != nil || len(f.entries) > maxEntries:
		f.evidence.spoil()
	}
	return infos, err
}

// maxEntries is how many entries a directory can have that is listed.
const maxEntries = 100_000

func entryOf(info fs.FileInfo) string { return info.Mode().Type().String() + " " + info.Name() }

// hashOf hashes entries, which it sorts.
func hashOf(entries []string) [sha256.Size]byte {
	slices.Sort(entries)
	return sha256.Sum256([]byte(strings.Join(entries, "\x00")))
}

func (f *witnessedFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch info, err := f.File.Stat(); {
	case err != nil:
		f.evidence.spoil()
	case info.IsDir():
		if len(f.entries) > 0 { // it was not listed to its end
			f.evidence.spoil()
		}
	case !f.read:
		f.evidence.looked(place{f.name, false}, info, nil)
	case f.next != info.Size(): // not read to its end, or just now changed
		f.evidence.spoil()
	default:
		s, _ := sightingOf(info, nil)
		s.read, s.hash = true, [sha256.Size]byte(f.hash.Sum(nil))
		f.evidence.note(place{f.name, false}, s)
	}
	return f.File.Close()
}

// holds reports whether the files still have the recorded state. It is false if the context ends first.
func (e *evidence) holds(ctx context.Context, files afero.Fs) bool {
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
		if now, ok := sightingOf(info, err); !ok || !s.same(now) {
			return false
		}
		switch {
		case !s.read:
		case s.kind.IsDir():
			if !isListed(ctx, files, at.name, s.hash) {
				return false
			}
		case !contains(ctx, files, at.name, s, *buffer):
			return false
		}
	}
	return true
}

var buffers = sync.Pool{New: func() any {
	b := make([]byte, 64<<10)
	return &b
}}

// contains reports whether a file still has its content.
func contains(ctx context.Context, files afero.Fs, name string, s sighting, buffer []byte) bool {
	f, err := files.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	h := sha256.New()
	for at := int64(0); ctx.Err() == nil; {
		n, err := f.ReadAt(buffer, at)
		if n < 0 || n > len(buffer) || at+int64(n) > s.size {
			return false
		}
		h.Write(buffer[:n])
		at += int64(n)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), err == nil && n == 0:
			return at == s.size && [sha256.Size]byte(h.Sum(nil)) == s.hash
		case err != nil:
			return false
		}
	}
	return false
}

// isListed reports whether a directory still has the same entries.
func isListed(ctx context.Context, files afero.Fs, name string, want [sha256.Size]byte) bool {
	f, err := files.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var entries []string
	for ctx.Err() == nil && len(entries) <= maxEntries {
		infos, err := f.Readdir(1000)
		for _, info := range infos {
			entries = append(entries, entryOf(info))
		}
		switch {
		case errors.Is(err, io.EOF), err == nil && len(infos) == 0:
			return hashOf(entries) == want
		case err != nil:
			return false
		}
	}
	return false
}
