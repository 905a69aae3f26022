// Package scratch is the files of a guest: those of a project, with what programs expect on every system.
//
// That is /tmp, whose files are in memory and gone with the guest, and /dev/null. A file or directory /tmp or /dev of
// the project takes their place. "/" does not list them. A file that is moved between /tmp and the project is copied.
//
// A project's files come from elsewhere, with their rules; this package has no others for them, and links neither.
package scratch

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/afero"
)

// An FS is the files of one guest. It is safe for concurrent use, as far as the project is. Paths are absolute, cleaned
// and separated by slashes, but may contain any byte.
type FS struct {
	project afero.Fs
	*state
}

// state is what views of the same files have in common.
type state struct {
	now func() time.Time

	mu   sync.Mutex
	top  *node // nil until a path in it is used
	left int64 // how many bytes more the files in /tmp may take
	used int   // how many files and directories are in /tmp
	// copied is how many bytes have been copied between /tmp and the project.
	copied int64
}

// A node is one file or directory of a scratch.
type node struct {
	name     string
	children map[string]*node // nil for a file
	data     []byte
	time     time.Time
	device   bool // it is /dev/null
	asked    bool // of a directory in the top: it is known whether the project has one
	handles  int  // how many times it is open
	removed  bool
}

// The permissions that files and directories are made with.
const (
	fileMode = 0o644
	dirMode  = 0o755
)

// nodeSize is what a file or directory takes beside its name and its content, in bytes.
const nodeSize = 512

// maxName is how long the name of a file in /tmp can be, in bytes.
const maxName = 255

// New returns the files of a project with an empty /tmp, in which files and their names may take most bytes of memory.
// now is the clock for their times.
func New(project afero.Fs, most int64, now func() time.Time) *FS {
	return &FS{project, &state{now: now, left: most}}
}

// newTop returns what a guest has at the beginning.
func newTop() *node {
	null := &node{name: "null", device: true}
	return &node{children: map[string]*node{
		"tmp": {name: "tmp", children: map[string]*node{}},
		"dev": {name: "dev", children: map[string]*node{"null": null}},
	}}
}

// On returns the same /tmp beside another view of the project.
func (s *FS) On(project afero.Fs) *FS { return &FS{project, s.state} }

// Has reports whether a path is not one of the project.
func (s *FS) Has(name string) bool {
	first, _, _ := strings.Cut(name[1:], "/")
	if first != "tmp" && first != "dev" {
		return false
	}
	s.mu.Lock()
	if s.top == nil {
		s.top = newTop()
	}
	own := s.top.children[first]
	known := own == nil || own.asked
	s.mu.Unlock()
	if known {
		return own != nil
	}
	_, err := s.project.Stat("/" + first) // which may take as long as it wants to
	s.mu.Lock()
	defer s.mu.Unlock()
	if !own.asked {
		own.asked, own.time = true, s.now()
		if !errors.Is(err, fs.ErrNotExist) {
			delete(s.top.children, first)
		}
	}
	return s.top.children[first] != nil
}

// find returns what is at a path, or nil, and the directory that has it.
func (s *state) find(name string) (in, found *node, err error) {
	found = s.top
	for part := range strings.SplitSeq(name[1:], "/") {
		switch {
		case found == nil:
			return nil, nil, fs.ErrNotExist
		case found.children == nil:
			return nil, nil, syscall.ENOTDIR
		case len(part) > maxName:
			return nil, nil, syscall.ENAMETOOLONG
		case strings.Contains(part, "\x00"):
			return nil, nil, fs.ErrInvalid
		}
		in, found = found, found.children[part]
	}
	return in, found, nil
}

// existing is find for what must be there.
func (s *state) existing(name string) (in, found *node, err error) {
	in, found, err = s.find(name)
	if err == nil && found == nil {
		err = fs.ErrNotExist
	}
	return in, found, err
}

// changeable returns an error if what a directory has cannot be changed.
func (s *state) changeable(in *node) error {
	if in == s.top || in == s.top.children["dev"] {
		return fs.ErrPermission
	}
	return nil
}

// add adds a file, or a directory if children is not nil.
func (s *state) add(in *node, name string, children map[string]*node) (*node, error) {
	if err := s.changeable(in); err != nil {
		return nil, err
	}
	size := int64(nodeSize + len(name))
	if size > s.left {
		return nil, syscall.ENOSPC
	}
	n := &node{name: name, children: children, time: s.now()}
	in.children[name], in.time = n, n.time
	s.left -= size
	s.used++
	return n, nil
}

// remove takes a file or directory away. Its memory is free when nobody has it open any more.
func (s *state) remove(in, n *node) {
	delete(in.children, n.name)
	in.time = s.now()
	n.removed = true
	s.used--
	s.free(n)
}

func (s *state) free(n *node) {
	if n.removed && n.handles == 0 {
		s.left += int64(nodeSize + len(n.name) + len(n.data))
		n.data = nil
	}
}

// resize changes the size of a file.
func (s *state) resize(n *node, size int64) error {
	if n.device {
		return nil
	}
	grows := size - int64(len(n.data))
	if grows > s.left {
		return syscall.ENOSPC
	}
	s.left -= grows
	n.time = s.now()
	switch {
	case size == 0:
		n.data = nil
	case grows <= 0:
		clear(n.data[size:])
		n.data = n.data[:size]
	default:
		n.data = append(n.data, make([]byte, grows)...)
	}
	return nil
}

func (s *FS) stat(name string) (fs.FileInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, n, err := s.existing(name)
	if err != nil {
		return nil, err
	}
	return n.info(), nil
}

// Stat describes a file or directory.
func (s *FS) Stat(name string) (fs.FileInfo, error) {
	if s.Has(name) {
		return s.stat(name)
	}
	return s.project.Stat(name)
}

// Lstat describes a file without following links, if the project knows a way.
func (s *FS) Lstat(name string) (fs.FileInfo, error) {
	info, _, err := s.LstatIfPossible(name)
	return info, err
}

// LstatIfPossible implements [afero.Lstater].
func (s *FS) LstatIfPossible(name string) (fs.FileInfo, bool, error) {
	if looker, ok := s.project.(afero.Lstater); ok && !s.Has(name) {
		return looker.LstatIfPossible(name)
	}
	info, err := s.Stat(name)
	return info, false, err
}

// IsReadOnly reports what the project says of its own paths.
func (s *FS) IsReadOnly(name string) bool {
	v, ok := s.project.(interface{ IsReadOnly(name string) bool })
	return ok && !s.Has(name) && v.IsReadOnly(name)
}

// Exclusively runs do while nobody else changes the project, if that knows a way.
func (s *FS) Exclusively(ctx context.Context, do func(files afero.Fs) error) error {
	if e, ok := s.project.(interface {
		Exclusively(ctx context.Context, do func(files afero.Fs) error) error
	}); ok {
		return e.Exclusively(ctx, func(files afero.Fs) error { return do(s.On(files)) })
	}
	return do(s)
}

// Name implements [afero.Fs].
func (s *FS) Name() string { return "files of a guest" }

// Open opens a file or directory for reading.
func (s *FS) Open(name string) (afero.File, error) {
	if s.Has(name) {
		return s.openFile(name, os.O_RDONLY)
	}
	return s.project.Open(name)
}

// OpenFile opens a file or directory.
func (s *FS) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	if s.Has(name) {
		return s.openFile(name, flag)
	}
	return s.project.OpenFile(name, flag, perm)
}

func (s *FS) openFile(name string, flag int) (afero.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in, n, err := s.find(name)
	switch {
	case err != nil:
	case n == nil && flag&os.O_CREATE == 0:
		err = fs.ErrNotExist
	case n == nil:
		n, err = s.add(in, path.Base(name), nil)
	case flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0:
		err = fs.ErrExist
	case n.children != nil && flag != os.O_RDONLY:
		err = syscall.EISDIR
	case flag&os.O_TRUNC != 0:
		err = s.resize(n, 0)
	}
	if err != nil {
		return nil, err
	}
	n.handles++
	return &file{FS: s, node: n, appends: flag&os.O_APPEND != 0}, nil
}

// Create makes a file, or empties it.
func (s *FS) Create(name string) (afero.File, error) {
	return s.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, fileMode)
}

// MkdirAll makes a directory and those above it.
func (s *FS) MkdirAll(name string, perm fs.FileMode) error {
	if !s.Has(name) {
		return s.project.MkdirAll(name, perm)
	}
	if info, err := s.stat(name); err == nil {
		if !info.IsDir() {
			return syscall.ENOTDIR
		}
		return nil
	}
	if err := s.MkdirAll(path.Dir(name), perm); err != nil {
		return err
	}
	return s.Mkdir(name, perm)
}

// Mkdir makes a directory.
func (s *FS) Mkdir(name string, perm fs.FileMode) error {
	if !s.Has(name) {
		return s.project.Mkdir(name, perm)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	in, n, err := s.find(name)
	switch {
	case err != nil:
		return err
	case n != nil:
		return fs.ErrExist
	}
	_, err = s.add(in, path.Base(name), map[string]*node{})
	return err
}

// Remove removes a file or an empty directory.
func (s *FS) Remove(name string) error {
	if !s.Has(name) {
		return s.project.Remove(name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	in, n, err := s.existing(name)
	switch {
	case err != nil:
		return err
	case s.changeable(in) != nil:
		return s.changeable(in)
	case len(n.children) > 0:
		return syscall.ENOTEMPTY
	}
	s.remove(in, n)
	return nil
}

// RemoveAll removes a file, or a directory with its content.
func (s *FS) RemoveAll(name string) error {
	if !s.Has(name) {
		return s.project.RemoveAll(name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	in, n, err := s.find(name)
	switch {
	case err != nil:
		return err
	case n == nil:
		return nil
	case s.changeable(in) != nil:
		return s.changeable(in)
	}
	s.removeAll(in, n)
	return nil
}

func (s *state) removeAll(in, n *node) {
	for _, child := range n.children {
		s.removeAll(n, child)
	}
	s.remove(in, n)
}

// Chmod has no effect in /tmp: all may be done there.
func (s *FS) Chmod(name string, mode fs.FileMode) error {
	if s.Has(name) {
		_, err := s.stat(name)
		return err
	}
	return s.project.Chmod(name, mode)
}

// Chown has no effect in /tmp.
func (s *FS) Chown(name string, uid, gid int) error {
	if s.Has(name) {
		_, err := s.stat(name)
		return err
	}
	return s.project.Chown(name, uid, gid)
}

// Rename moves a file or directory. What is not a file is not replaced.
func (s *FS) Rename(from, to string) error {
	fromHere, toHere := s.Has(from), s.Has(to)
	switch {
	case !fromHere && !toHere:
		return s.project.Rename(from, to)
	case fromHere != toHere:
		return s.move(from, to)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	in, n, err := s.existing(from)
	if err != nil {
		return err
	}
	into, old, err := s.find(to)
	if err == nil {
		err = errors.Join(s.changeable(in), s.changeable(into))
	}
	switch {
	case err != nil:
		return err
	case old != nil && (old.children != nil || n.children != nil):
		return fs.ErrExist
	case old != nil:
		s.remove(into, old)
	}
	delete(in.children, n.name)
	s.left += int64(len(n.name))
	n.name = path.Base(to)
	s.left -= int64(len(n.name))
	into.children[n.name] = n
	in.time, into.time = s.now(), s.now()
	return nil
}

// move moves a file between the project and the scratch, by a copy: programs take both for one disk.
func (s *FS) move(from, to string) (err error) {
	if info, err := s.Lstat(from); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return syscall.EXDEV
	}
	source, err := s.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	_, err = s.Lstat(to)
	isNew := err != nil
	target, err := s.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	n, err := io.Copy(target, source)
	s.mu.Lock()
	s.copied += n
	s.mu.Unlock()
	if err == nil {
		if err = target.Close(); err == nil {
			return s.Remove(from)
		}
	} else {
		Discard(target)
	}
	if isNew {
		_ = s.Remove(to)
	}
	return err
}

// Chtimes sets the time of a file or directory.
func (s *FS) Chtimes(name string, atime, mtime time.Time) error {
	if !s.Has(name) {
		return s.project.Chtimes(name, atime, mtime)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, n, err := s.existing(name)
	if err == nil {
		n.time = mtime
	}
	return err
}

// IsEmpty reports whether nothing is in /tmp.
func (s *FS) IsEmpty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used == 0
}

// Copied returns how many bytes have been copied since its last call, to move files between /tmp and the project.
func (s *FS) Copied() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.copied
	s.copied = 0
	return int(n)
}

// A file is an open file or directory in /tmp or /dev.
type file struct {
	*FS
	node    *node
	at      int64
	appends bool
	closed  bool
	listing []fs.FileInfo // what is left of it; nil before it is read
}

// use locks the scratch while the file is in use.
func (f *file) use() (done func(), err error) {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil, fs.ErrClosed
	}
	return f.mu.Unlock, nil
}

func (f *file) Name() string { return f.node.name }

func (f *file) Close() error {
	done, err := f.use()
	if err != nil {
		return err
	}
	defer done()
	f.closed = true
	f.node.handles--
	f.free(f.node)
	return nil
}

func (f *file) Stat() (fs.FileInfo, error) {
	done, err := f.use()
	if err != nil {
		return nil, err
	}
	defer done()
	return f.node.info(), nil
}

func (f *file) Sync() error { return nil }

func (f *file) Truncate(size int64) error {
	done, err := f.use()
	if err != nil {
		return err
	}
	defer done()
	return f.resize(f.node, size)
}

func (f *file) ReadAt(b []byte, off int64) (int, error) {
	done, err := f.use()
	if err != nil {
		return 0, err
	}
	defer done()
	n := 0
	if off < int64(len(f.node.data)) {
		n = copy(b, f.node.data[off:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *file) Read(b []byte) (int, error) {
	n, err := f.ReadAt(b, f.at)
	f.at += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (f *file) WriteAt(b []byte, off int64) (int, error) {
	done, err := f.use()
	if err != nil {
		return 0, err
	}
	defer done()
	end := off + int64(len(b))
	switch n := f.node; {
	case end < off:
		return 0, syscall.EFBIG
	case n.device:
		return len(b), nil
	case n.removed:
		return 0, syscall.ESTALE
	case end > int64(len(n.data)):
		if err := f.resize(n, end); err != nil {
			return 0, err
		}
	}
	f.node.time = f.now()
	return copy(f.node.data[off:], b), nil
}

func (f *file) Write(b []byte) (int, error) {
	if f.appends {
		info, err := f.Stat()
		if err != nil {
			return 0, err
		}
		f.at = info.Size()
	}
	n, err := f.WriteAt(b, f.at)
	f.at += int64(n)
	return n, err
}

func (f *file) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// Seek moves to an offset from the beginning, the present place or the end.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	done, err := f.use()
	if err != nil {
		return 0, err
	}
	defer done()
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += int64(len(f.node.data))
	}
	if offset < 0 {
		return 0, fs.ErrInvalid
	}
	f.at = offset
	return offset, nil
}

func (f *file) Readdir(n int) ([]fs.FileInfo, error) {
	done, err := f.use()
	if err != nil {
		return nil, err
	}
	defer done()
	if f.node.children == nil {
		return nil, syscall.ENOTDIR
	}
	if f.listing == nil {
		f.listing = make([]fs.FileInfo, 0, len(f.node.children))
		for _, child := range f.node.children {
			f.listing = append(f.listing, child.info())
		}
		slices.SortFunc(f.listing, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	}
	if n <= 0 {
		n = len(f.listing)
	} else if len(f.listing) == 0 {
		return nil, io.EOF
	}
	part := f.listing[:min(n, len(f.listing))]
	f.listing = f.listing[len(part):]
	return part, nil
}

func (f *file) Readdirnames(n int) (names []string, err error) {
	infos, err := f.Readdir(n)
	for _, info := range infos {
		names = append(names, info.Name())
	}
	return names, err
}

// info describes a node as it is now.
func (n *node) info() fs.FileInfo {
	mode := fs.FileMode(fileMode)
	switch {
	case n.children != nil:
		mode = fs.ModeDir | dirMode
	case n.device:
		mode = fs.ModeDevice | fs.ModeCharDevice | 0o666
	}
	return nodeInfo{n.name, int64(len(n.data)), mode, n.time}
}

type nodeInfo struct {
	name string
	size int64
	mode fs.FileMode
	time time.Time
}

func (i nodeInfo) Name() string       { return i.name }
func (i nodeInfo) Size() int64        { return i.size }
func (i nodeInfo) Mode() fs.FileMode  { return i.mode }
func (i nodeInfo) ModTime() time.Time { return i.time }
func (i nodeInfo) IsDir() bool        { return i.mode.IsDir() }
func (i nodeInfo) Sys() any           { return nil }

// Discard closes a file whose new content is not to take effect, if the file knows a way.
func Discard(handle afero.File) {
	if d, ok := handle.(interface{ Discard() }); ok {
		d.Discard()
	} else {
		_ = handle.Close()
	}
}
