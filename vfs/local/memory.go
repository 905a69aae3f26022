package local

import (
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// maxContent is the most bytes that a file in memory can have: what a slice can have, and on large systems what no
// machine has, well below where the runtime panics.
const maxContent = min(math.MaxInt, 1<<40)

// memory is a [backend] that keeps everything in memory. It works as Unix does: names lead to inodes, and an inode
// lives as long as a name, an open file or a description ([fs.FileInfo]) refers to it.
//
// There are two kinds of locks, so that using one file does not wait for another. The lock of the tree guards which
// names lead where, the lock of an inode what it is like and a file's content. Who needs both takes the tree's first,
// and then only a directory's, which nobody holds for long; nobody takes two of a kind.
type memory struct {
	root *inode

	mu    sync.RWMutex // guards all entries, folded and links of inodes, and state
	state []byte
}

var _ project.Backend = (*memory)(nil)

// newMemory returns an empty tree.
func newMemory() *memory { return &memory{root: newInode(fs.ModeDir | 0o755)} }

// An inode is a file or a directory. It does not know its names.
//
// Anybody gets it from [fs.FileInfo.Sys]. So it must not have exported methods: they would be a way around views that
// are read-only, and around quotas.
type inode struct {
	// The lock of the tree guards the following; but whether entries is nil never changes.

	// entries is what a directory contains, by name. It is nil for a file.
	entries map[string]*inode
	// folded has the names in entries by what they fold to. Projects see to it that those are one each.
	folded map[string][]string
	// links is how many names there are for this.
	links int

	mu    sync.RWMutex // guards the following
	mode  fs.FileMode
	mtime time.Time
	// data is a file's content. The bytes from its end to its capacity are zero.
	data []byte

	claimed atomic.Bool
}

func newInode(mode fs.FileMode) *inode {
	n := &inode{mode: mode, mtime: now()}
	if mode.IsDir() {
		n.entries, n.folded = map[string]*inode{}, map[string][]string{}
	}
	return n
}

// now is the time as file systems have it. The reading of the monotonic clock would make times differ that are the
// same.
func now() time.Time { return time.Now().Round(0) }

func (n *inode) isDir() bool { return n.entries != nil }

// The callers of find, findDir, parent, place, put, drop and unlinkAll hold the lock of the tree.

// find returns what a name stands for.
func (m *memory) find(name string) (*inode, error) {
	n := m.root
	for part, rest := "", name[1:]; rest != ""; {
		if !n.isDir() {
			return nil, fsys.ErrNotDir
		}
		part, rest, _ = strings.Cut(rest, "/")
		if n = n.entries[part]; n == nil {
			return nil, syscall.ENOENT
		}
	}
	return n, nil
}

// findDir is find for what must be a directory.
func (m *memory) findDir(name string) (*inode, error) {
	n, err := m.find(name)
	if err == nil && !n.isDir() {
		return nil, fsys.ErrNotDir
	}
	return n, err
}

// parent returns the directory that has a name in it, or would have it, and the last part of the name. The root has no
// parent (EBUSY).
func (m *memory) parent(name string) (dir *inode, base string, err error) {
	if name == "/" {
		return nil, "", syscall.EBUSY
	}
	slash := strings.LastIndexByte(name, '/')
	dir, err = m.findDir(name[:max(slash, 1)])
	return dir, name[slash+1:], err
}

// place gives an inode a name. If the name is taken, it returns the other inode and EEXIST.
func (m *memory) place(name string, n *inode) (*inode, error) {
	if name == "/" {
		return m.root, syscall.EEXIST
	}
	dir, base, err := m.parent(name)
	if err != nil {
		return nil, err
	}
	if there := dir.entries[base]; there != nil {
		return there, syscall.EEXIST
	}
	dir.put(base, n)
	return n, nil
}

// put makes a name in a directory stand for n, whatever it stood for.
func (dir *inode) put(base string, n *inode) {
	base = strings.Clone(base) // all of the path that it is a part of would stay in memory
	if there := dir.entries[base]; there != nil {
		there.links--
	} else {
		folded := vfs.Fold(base)
		dir.folded[folded] = append(dir.folded[folded], base)
	}
	n.links++
	dir.entries[base] = n
	dir.touch()
}

// drop removes a name from a directory.
func (dir *inode) drop(base string) {
	dir.entries[base].links--
	delete(dir.entries, base)
	folded := vfs.Fold(base)
	if len(dir.folded[folded]) == 1 {
		delete(dir.folded, folded)
	} else {
		dir.folded[folded] = slices.DeleteFunc(dir.folded[folded], func(name string) bool { return name == base })
	}
	dir.touch()
}

// unlinkAll notes that what a directory contains has lost its names there, since the directory has been removed.
func (dir *inode) unlinkAll() {
	for _, n := range dir.entries {
		n.links--
		n.unlinkAll()
	}
}

// touch notes that a directory has changed.
func (dir *inode) touch() {
	dir.mu.Lock()
	defer dir.mu.Unlock()
	dir.mtime = now()
}

// lookup is find for callers that do not hold the lock.
func (m *memory) lookup(name string) (*inode, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.find(name)
}

func (m *memory) Lstat(name string) (fs.FileInfo, error) {
	n, err := m.lookup(name)
	if err != nil {
		return nil, err
	}
	return n.describe(path.Base(name)), nil
}

func (m *memory) Open(name string, flag int, perm fs.FileMode) (project.Node, error) {
	create := flag&os.O_CREATE != 0
	exclusive := create && flag&os.O_EXCL != 0
	n, err := m.lookup(name)
	if err == syscall.ENOENT && create {
		made := newInode(perm & fs.ModePerm)
		m.mu.Lock()
		n, err = m.place(name, made)
		m.mu.Unlock()
		if err == syscall.EEXIST && !exclusive {
			err = nil // somebody else has made it meanwhile
		}
	} else if err == nil && exclusive {
		err = syscall.EEXIST
	}
	if err != nil {
		return nil, err
	}
	if n.isDir() {
		return nil, syscall.EISDIR
	}
	return &inodeFile{name: path.Base(name), inode: n, writable: flag&os.O_RDWR != 0}, nil
}

func (m *memory) ReadDir(name string) ([]fs.FileInfo, error) {
	type entry struct {
		name string
		n    *inode
	}
	m.mu.RLock()
	dir, err := m.findDir(name)
	if err != nil {
		m.mu.RUnlock()
		return nil, err
	}
	entries := make([]entry, 0, len(dir.entries))
	for base, n := range dir.entries {
		entries = append(entries, entry{base, n})
	}
	m.mu.RUnlock()
	// From here on others can change the tree: describing a file may have to wait until something is written to it.
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	infos := make([]fs.FileInfo, len(entries))
	for i, e := range entries {
		infos[i] = e.n.describe(e.name)
	}
	return infos, nil
}

func (m *memory) Mkdir(name string, perm fs.FileMode) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.place(name, newInode(fs.ModeDir|perm&fs.ModePerm))
	return err
}

// Link is EPERM for directories, as on Unix: they have one name only, so that the tree is one.
func (m *memory) Link(old, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(old)
	if err != nil {
		return err
	}
	if n.isDir() {
		return syscall.EPERM
	}
	_, err = m.place(name, n)
	return err
}

// Rename does nothing if both names stand for the same file already, as on Unix: both stay.
func (m *memory) Rename(old, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, oldBase, err := m.parent(old)
	if err != nil {
		return err
	}
	n := from.entries[oldBase]
	switch {
	case n == nil:
		return syscall.ENOENT
	case n.isDir() && name != old && vfs.Within(name, old):
		return syscall.EINVAL
	}
	to, base, err := m.parent(name)
	if err != nil {
		return err
	}
	switch there := to.entries[base]; {
	case there == n:
		return nil
	case there == nil:
	case there.isDir():
		return syscall.EEXIST
	case n.isDir():
		return fsys.ErrNotDir
	}
	from.drop(oldBase)
	to.put(base, n)
	return nil
}

func (m *memory) Remove(name string) error { return m.unlink(name, false) }

func (m *memory) RemoveAll(name string) error {
	if err := m.unlink(name, true); err != syscall.ENOENT {
		return err
	}
	return nil
}

// unlink removes a name, and that of a directory that is not empty if all is true.
func (m *memory) unlink(name string, all bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.parent(name)
	if err != nil {
		return err
	}
	n := dir.entries[base]
	if n == nil {
		return syscall.ENOENT
	}
	if len(n.entries) > 0 && !all {
		return syscall.ENOTEMPTY
	}
	dir.drop(base)
	n.unlinkAll()
	return nil
}

func (m *memory) Chmod(name string, mode fs.FileMode) error {
	n, err := m.lookup(name)
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.mode = n.mode&fs.ModeDir | mode&fs.ModePerm
	return nil
}

// Chtimes leaves the time as it is if mtime is zero, as [os.Chtimes] does. There are no times of access.
func (m *memory) Chtimes(name string, _, mtime time.Time) error {
	n, err := m.lookup(name)
	if err != nil || mtime.IsZero() {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.mtime = mtime.Round(0).Local()
	return nil
}

func (m *memory) Twin(name, base string) (string, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	dir, err := m.findDir(name)
	if err != nil {
		return "", err
	}
	for _, twin := range dir.folded[vfs.Fold(base)] {
		if twin != base {
			return twin, nil
		}
	}
	return "", nil
}

// Same reports whether two infos are of one file or directory.
func (m *memory) Same(a, b fs.FileInfo) bool {
	x, ok := a.Sys().(*inode)
	y, _ := b.Sys().(*inode)
	return ok && x == y
}

func (m *memory) Linked(name string) (bool, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, err := m.find(name)
	if err != nil {
		return false, err
	}
	if n.isDir() {
		return false, syscall.EISDIR
	}
	return n.links > 1, nil
}

// Shared implements [project.Sharer].
func (m *memory) Shared(n project.Node, _ fs.FileInfo) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	f, ok := n.(*inodeFile)
	return ok && f.inode.links > 1
}

func (m *memory) ReadState(buf []byte) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.state == nil || len(m.state) != len(buf) {
		return syscall.ENOENT
	}
	copy(buf, m.state)
	return nil
}

func (m *memory) WriteState(buf []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state = append([]byte{}, buf...) // never nil
	return nil
}

// Claim makes a file that is claimed until release is called; others that open the same memory can ask for that.
func (m *memory) Claim(name string) (release func(), err error) {
	n := newInode(0o600)
	n.claimed.Store(true)
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.place(name, n); err != nil {
		return nil, err
	}
	return func() { n.claimed.Store(false) }, nil
}

func (m *memory) Alive(name string) (bool, error) {
	n, err := m.lookup(name)
	if err == syscall.ENOENT {
		return false, nil
	}
	return err == nil && n.claimed.Load(), err
}

// No other process sees what is in memory, and nothing outlasts this one.

func (m *memory) Lock(bool) (unlock func(), err error) { return func() {}, nil }
func (m *memory) Sync(string) error                    { return nil }
func (m *memory) Close() error                         { return nil }
