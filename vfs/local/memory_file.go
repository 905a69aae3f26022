package local

import (
	"io"
	"io/fs"
	"syscall"
	"time"
)

// An inodeFile is an open file. Closing it does nothing; do not use it afterwards.
type inodeFile struct {
	name     string
	inode    *inode
	writable bool
}

// ReadAt implements [io.ReaderAt]. A read of nothing is never at the end, as with [os.File].
func (f *inodeFile) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, syscall.EINVAL
	}
	f.inode.mu.RLock()
	defer f.inode.mu.RUnlock()
	if data := f.inode.data; off < int64(len(data)) {
		n = copy(p, data[off:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt implements [io.WriterAt]. It writes everything or nothing.
func (f *inodeFile) WriteAt(p []byte, off int64) (int, error) {
	switch {
	case !f.writable:
		return 0, syscall.EBADF
	case off < 0:
		return 0, syscall.EINVAL
	case len(p) == 0:
		return 0, nil // it does not make the file longer either
	case off > maxContent-int64(len(p)):
		return 0, syscall.EFBIG
	}
	f.inode.mu.Lock()
	defer f.inode.mu.Unlock()
	if end := int(off) + len(p); end > len(f.inode.data) {
		f.inode.resize(end)
	}
	f.inode.mtime = now()
	return copy(f.inode.data[off:], p), nil
}

// Truncate makes the file shorter, or longer with zeros.
func (f *inodeFile) Truncate(size int64) error {
	switch {
	case !f.writable:
		return syscall.EBADF
	case size < 0:
		return syscall.EINVAL
	case size > maxContent:
		return syscall.EFBIG
	}
	f.inode.mu.Lock()
	defer f.inode.mu.Unlock()
	f.inode.resize(int(size))
	f.inode.mtime = now()
	return nil
}

// resize makes the content size bytes long. The caller holds the inode's lock.
func (n *inode) resize(size int) {
	old := n.data
	switch room := cap(old); {
	case size > room:
		// The first size is often the last, so it is met exactly. Who comes back gets a quarter more than there was, so
		// that on average a byte is copied a few times only, however small the pieces are in which a file grows.
		if room > 0 {
			room += min(room/4+64, maxContent-room)
		}
		n.data = make([]byte, size, max(size, room))
		copy(n.data, old)
	case size < room/4:
		n.data = make([]byte, size) // this gives the memory back
		copy(n.data, old)
	default:
		n.data = old[:size]
		clear(old[min(size, len(old)):])
	}
}

func (f *inodeFile) Stat() (fs.FileInfo, error) { return f.inode.describe(f.name), nil }
func (f *inodeFile) Sync() error                { return nil }
func (f *inodeFile) Close() error               { return nil }

// An inodeInfo is what an inode was like at one moment.
type inodeInfo struct {
	name  string
	inode *inode
	size  int64
	mode  fs.FileMode
	mtime time.Time
}

// describe returns what an inode is like, under one of its names.
func (n *inode) describe(name string) *inodeInfo {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return &inodeInfo{name: name, inode: n, size: int64(len(n.data)), mode: n.mode, mtime: n.mtime}
}

func (i *inodeInfo) Name() string       { return i.name }
func (i *inodeInfo) Size() int64        { return i.size }
func (i *inodeInfo) Mode() fs.FileMode  { return i.mode }
func (i *inodeInfo) ModTime() time.Time { return i.mtime }
func (i *inodeInfo) IsDir() bool        { return i.mode.IsDir() }
func (i *inodeInfo) Sys() any           { return i.inode }
