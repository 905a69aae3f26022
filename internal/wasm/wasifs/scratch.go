package wasifs

import (
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

// A scratch is a guest's files with what programs expect on every system: /tmp, whose files are in memory and gone with
// the guest, and /dev/null. A file or directory /tmp or /dev of the project takes their place. "/" does not list them.
type scratch struct {
	project afero.Fs
	now     func() time.Time

	mu   sync.Mutex
	top  *node
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

// nodeSize is what a file or directory takes beside its name and its content, in bytes.
const nodeSize = 512

// maxName is how long the name of a file in /tmp can be, in bytes.
const maxName = 255

func newScratch(project afero.Fs, most int64, now func() time.Time) *scratch {
	null := &node{name: "null", device: true}
	return &scratch{project: project, now: now, left: most, top: &node{children: map[string]*node{
		"tmp": {name: "tmp", children: map[string]*node{}},
		"dev": {name: "dev", children: map[string]*node{"null": null}},
	}}}
}

// has reports whether a path is not one of the project.
func (s *scratch) has(name string) bool {
	first, _, _ := strings.Cut(name[1:], "/")
	if first != "tmp" && first != "dev" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.top.children[first]
	if own != nil && !own.asked {
		own.asked, own.time = true, s.now()
		if _, err := s.project.Stat("/" + first); !errors.Is(err, fs.ErrNotExist) {
			delete(s.top.children, first)
			own = nil
		}
	}
	return own != nil
}

// find returns what is at a path, or nil, and the directory that has it.
func (s *scratch) find(name string) (in, found *node, err error) {
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
func (s *scratch) existing(name string) (in, found *node, err error) {
	in, found, err = s.find(name)
	if err == nil && found == nil {
		err = fs.ErrNotExist
	}
	return in, found, err
}

// changeable returns an error if what a directory has cannot be changed.
func (s *scratch) changeable(in *node) error {
	if in == s.top || in == s.top.children["dev"] {
		return fs.ErrPermission
	}
	return nil
}

// add adds a file, or a directory if children is not nil.
func (s *scratch) add(in *node, name string, children map[string]*node) (*node, error) {
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
func (s *scratch) remove(in, n *node) {
	delete(in.children, n.name)
	in.time = s.now()
	n.removed = true
	s.used--
	s.free(n)
}

func (s *scratch) free(n *node) {
	if n.removed && n.handles == 0 {
		s.left += int64(nodeSize + len(n.name) + len(n.data))
		n.data = nil
	}
}

// resize changes the size of a file.
func (s *scratch) resize(n *node, size int64) error {
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

func (s *scratch) stat(name string) (fs.FileInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, n, err := s.existing(name)
	if err != nil {
		return nil, err
	}
	return n.info(), nil
}

// Stat describes a file or directory.
func (s *scratch) Stat(name string) (fs.FileInfo, error) {
	if s.has(name) {
		return s.stat(name)
	}
	return s.project.Stat(name)
}

// Lstat describes a file without following links, if the project knows a way.
func (s *scratch) Lstat(name string) (fs.FileInfo, error) {
	if s.has(name) {
		return s.stat(name)
	}
	if looker, ok := s.project.(afero.Lstater); ok {
		info, _, err := looker.LstatIfPossible(name)
		return info, err
	}
	return s.project.Stat(name)
}

// Open opens a file or directory for reading.
func (s *scratch) Open(name string) (afero.File, error) {
	if s.has(name) {
		return s.openFile(name, os.O_RDONLY)
	}
	return s.project.Open(name)
}

// OpenFile opens a file or directory.
func (s *scratch) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	if s.has(name) {
		return s.openFile(name, flag)
	}
	return s.project.OpenFile(name, flag, perm)
}

func (s *scratch) openFile(name string, flag int) (afero.File, error) {
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
	return &scratchFile{scratch: s, node: n}, nil
}

// Mkdir makes a directory.
func (s *scratch) Mkdir(name string, perm fs.FileMode) error {
	if !s.has(name) {
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
func (s *scratch) Remove(name string) error {
	if !s.has(name) {
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

// Rename moves a file or directory. What is not a file is not replaced.
func (s *scratch) Rename(from, to string) error {
	fromHere, toHere := s.has(from), s.has(to)
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
func (s *scratch) move(from, to string) (err error) {
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
		discard(target)
	}
	if isNew {
		_ = s.Remove(to)
	}
	return err
}

// Chtimes sets the time of a file or directory.
func (s *scratch) Chtimes(name string, atime, mtime time.Time) error {
	if !s.has(name) {
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

// empty reports whether nothing is in /tmp.
func (s *scratch) empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used == 0
}

// A scratchFile is an open file or directory of a scratch.
type scratchFile struct {
	*scratch
	node    *node
	at      int64
	closed  bool
	listing []fs.FileInfo // what is left of it; nil before it is read
}

// use locks the scratch while the file is in use.
func (f *scratchFile) use() (done func(), err error) {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil, fs.ErrClosed
	}
	return f.mu.Unlock, nil
}

func (f *scratchFile) Name() string { return f.node.name }

func (f *scratchFile) Close() error {
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

func (f *scratchFile) Stat() (fs.FileInfo, error) {
	done, err := f.use()
	if err != nil {
		return nil, err
	}
	defer done()
	return f.node.info(), nil
}

func (f *scratchFile) Sync() error { return nil }

func (f *scratchFile) Truncate(size int64) error {
	done, err := f.use()
	if err != nil {
		return err
	}
	defer done()
	return f.resize(f.node, size)
}

func (f *scratchFile) ReadAt(b []byte, off int64) (int, error) {
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

func (f *scratchFile) Read(b []byte) (int, error) {
	n, err := f.ReadAt(b, f.at)
	f.at += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (f *scratchFile) WriteAt(b []byte, off int64) (int, error) {
	done, err := f.use()
	if err != nil {
		return 0, err
	}
	defer done()
	switch n := f.node; {
	case n.device:
		return len(b), nil
	case n.removed:
		return 0, syscall.ESTALE
	case off+int64(len(b)) > int64(len(n.data)):
		if err := f.resize(n, off+int64(len(b))); err != nil {
			return 0, err
		}
	}
	f.node.time = f.now()
	return copy(f.node.data[off:], b), nil
}

func (f *scratchFile) Write(b []byte) (int, error) {
	n, err := f.WriteAt(b, f.at)
	f.at += int64(n)
	return n, err
}

func (f *scratchFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// Seek moves to an offset from the beginning, the present place or the end.
func (f *scratchFile) Seek(offset position, whence int) (int64, error) {
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

func (f *scratchFile) Readdir(n int) ([]fs.FileInfo, error) {
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

func (f *scratchFile) Readdirnames(n int) (names []string, err error) {
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
