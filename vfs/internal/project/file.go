package project

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"sync"
	"syscall"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// A File is an open regular file. If temp is set, it is being written anew, and temp is where.
type File struct {
	project *Project
	given   string // the name as it was given
	base    string // the last part of it
	flag    int
	handle

	mu     sync.Mutex // guards what follows; name and inPlace change under core.mu as well
	Node   Node
	offset int64
	closed bool
	// failed is why a file that is being written anew cannot be finished.
	failed error
	// allowed, if not nil, is asked before what has been written anew takes the place of the file.
	allowed func(c *Core) error
	// before is what the file was when writing it anew began, and staged how many bytes of it core.staged counts.
	before fs.FileInfo
	staged int64
	// created says that opening made the file, so that its directory is to be synced with it.
	created bool
	// recorded says that the history has what the file was before this handle changed it; it is the change's number or
	// 0, or -1 if nothing is kept.
	recorded int64
	// lost is how often transactions had come to nothing when recorded was set.
	lost int
	// wrote is what the last change through the handle has made of the file.
	wrote *Stamp
	// checked is the number up to which changes have been looked at, whether they are to this file.
	checked int64

	name string
	temp string
	// inPlace says that changes go to the file that name stands for.
	inPlace bool
}

var _ afero.File = (*File)(nil)

// openInPlace opens a file to change it in place, or creates it.
func (f *File) openInPlace(perm fs.FileMode) error {
	return f.project.changeAt(context.Background(), f.name, func(c *Core) error {
		access := f.flag & (os.O_WRONLY | os.O_RDWR)
		info, err := c.Backend.Lstat(f.name)
		if access != 0 || err != nil {
			if err := c.Guard(f.name, false); err != nil {
				return err
			}
		}
		switch {
		case err == nil && f.flag&os.O_EXCL != 0:
			return syscall.EEXIST
		case err == nil && fsys.NotFile(info) != nil:
			return fsys.NotFile(info)
		case err == nil:
			if access != 0 {
				if _, err := c.ownFile(f.name); err != nil {
					return err
				}
			}
		case f.flag&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist):
			return err
		default:
			if err := c.creatable(f.name, ""); err != nil {
				return err
			}
			if err := c.room(c.State, 0, 0, 1); err != nil {
				return err
			}
			f.recorded, err = f.project.record(c, Change{Op: vfs.OpCreate, Path: f.name})
			if err != nil {
				return err
			}
			f.created = true
			f.checked, f.lost = c.State.Next, c.lost
		}
		how := os.O_RDONLY
		if f.created {
			how = OpenNew
		} else if access != 0 {
			how = os.O_RDWR
		}
		n, err := c.Backend.Open(f.name, how, perm)
		if err != nil {
			return err
		}
		f.Node = n
		if f.created {
			c.State.Files++
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		f.inPlace = access != 0
		return nil
	})
}

// Name implements [afero.File]: it is the name that the file was opened with.
func (f *File) Name() string { return f.given }

// begin locks the handle for an operation, which must be allowed by the way in which it was opened.
func (f *File) begin(op string, write bool) (done func(), err error) {
	f.mu.Lock()
	access := f.flag & (os.O_WRONLY | os.O_RDWR)
	switch {
	case f.closed:
		err = fs.ErrClosed
	case write && access == 0, op == "read" && access == os.O_WRONLY:
		err = syscall.EBADF
	case write && f.temp != "" && f.failed != nil:
		err = f.failed
	}
	if err != nil {
		f.mu.Unlock()
		return nil, f.fail(op, err)
	}
	return f.mu.Unlock, nil
}

func (f *File) fail(op string, err error) error {
	if err == io.EOF {
		return err
	}
	return fsys.PathError(op, f.given, err)
}

// Read implements [afero.File].
func (f *File) Read(b []byte) (int, error) {
	done, err := f.begin("read", false)
	if err != nil {
		return 0, err
	}
	defer done()
	if len(b) == 0 {
		return 0, nil
	}
	n, err := readAt(f.Node, b, f.offset)
	f.offset += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, f.fail("read", err)
}

// ReadAt implements [afero.File].
func (f *File) ReadAt(b []byte, offset int64) (int, error) {
	done, err := f.begin("read", false)
	if err != nil {
		return 0, err
	}
	defer done()
	if offset < 0 {
		return 0, f.fail("read", syscall.EINVAL)
	}
	n, err := readAt(f.Node, b, offset)
	return n, f.fail("read", err)
}

// readAt reads, and knows that no file reaches to where offsets end, which hosts call invalid.
func readAt(n Node, b []byte, offset int64) (int, error) {
	if offset > math.MaxInt64-int64(len(b)) {
		return 0, io.EOF
	}
	return n.ReadAt(b, offset)
}

// Seek implements [afero.File].
func (f *File) Seek(offset int64, whence int) (int64, error) {
	done, err := f.begin("seek", false)
	if err != nil {
		return 0, err
	}
	defer done()
	from := int64(0)
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		from = f.offset
	case io.SeekEnd:
		info, err := f.Node.Stat()
		if err != nil {
			return 0, f.fail("seek", err)
		}
		from = info.Size()
	default:
		return 0, f.fail("seek", syscall.EINVAL)
	}
	if offset < -from || offset > math.MaxInt64-from {
		return 0, f.fail("seek", syscall.EINVAL)
	}
	f.offset = from + offset
	return f.offset, nil
}

// Write implements [afero.File]. It writes all or nothing, unless the host fails.
func (f *File) Write(b []byte) (int, error) {
	done, err := f.begin("write", true)
	if err != nil {
		return 0, err
	}
	defer done()
	if len(b) == 0 {
		return 0, nil
	}
	end, n := int64(0), 0
	err = f.modify(func(size int64) int64 {
		if f.flag&os.O_APPEND != 0 {
			f.offset = size
		}
		end = sum(f.offset, int64(len(b)))
		return max(size, end)
	}, func() (err error) {
		n, err = f.Node.WriteAt(b, f.offset)
		return err
	})
	f.offset += int64(n)
	return n, f.fail("write", err)
}

// sum adds sizes. The result is at most the largest int64.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// WriteAt implements [afero.File]. It is not possible with os.O_APPEND.
func (f *File) WriteAt(b []byte, offset int64) (int, error) {
	done, err := f.begin("write", true)
	if err != nil {
		return 0, err
	}
	defer done()
	if offset < 0 || f.flag&os.O_APPEND != 0 {
		return 0, f.fail("write", syscall.EINVAL)
	}
	if len(b) == 0 {
		return 0, nil
	}
	n := 0
	err = f.modify(func(size int64) int64 { return max(size, sum(offset, int64(len(b)))) }, func() (err error) {
		n, err = f.Node.WriteAt(b, offset)
		return err
	})
	return n, f.fail("write", err)
}

// WriteString implements [afero.File].
func (f *File) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// Truncate implements [afero.File].
func (f *File) Truncate(size int64) error {
	done, err := f.begin("truncate", true)
	if err != nil {
		return err
	}
	defer done()
	if size < 0 {
		return f.fail("truncate", syscall.EINVAL)
	}
	return f.fail("truncate", f.modify(func(int64) int64 {
		return size
	}, func() error { return f.Node.Truncate(size) }))
}

// modify changes the content. sizeAfter says what the size will be, given what it is.
func (f *File) modify(sizeAfter func(size int64) int64, do func() error) error {
	if f.temp != "" {
		err := f.modifyStaged(sizeAfter, do)
		f.failed = err
		return err
	}
	return f.project.changeAt(context.Background(), f.name, func(c *Core) error {
		info, err := f.current(c)
		if err != nil {
			return err
		}
		after := sizeAfter(info.Size())
		if err := c.room(c.State, after, info.Size(), 0); err != nil {
			return err
		}
		if info, err = f.unshare(c, info); err != nil {
			return err
		}
		recorded := f.recorded
		if f.lost != c.lost {
			recorded, f.lost = 0, c.lost
		}
		f.recorded = 0 // what is recorded is taken back if nothing comes of it
		if recorded == 0 || recorded > 0 && c.changedSince(f.checked, f.name) {
			if recorded, err = f.project.recordInPlace(c, f.name, info); err != nil {
				return err
			}
		}
		f.checked = c.State.Next
		if err = do(); err == nil {
			f.recorded = recorded
		}
		if f.flag&os.O_SYNC != 0 && err == nil && !c.options.NoSync {
			err = f.Node.Sync()
		}
		now, statErr := f.Node.Stat()
		if statErr != nil {
			c.Counted.Store(false)
			return errors.Join(err, statErr)
		}
		c.State.Bytes += now.Size() - info.Size()
		f.wrote = stampOf(now)
		return err
	})
}

// A sharer is a [Backend] that can tell whether an open file has other names, perhaps those in a checkpoint.
type sharer interface {
	Shared(n Node, info fs.FileInfo) bool
}

// unshare sees to it that nothing else changes with the file: it may have got another name since it was opened.
func (f *File) unshare(c *Core, info fs.FileInfo) (fs.FileInfo, error) {
	sharer, ok := c.Backend.(sharer)
	if !ok || !sharer.Shared(f.Node, info) {
		return info, nil
	}
	now, err := c.ownFile(f.name)
	if err != nil || c.Backend.Same(now, info) {
		return info, err
	}
	n, err := c.Backend.Open(f.name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	old := f.Node
	f.Node = n
	return now, old.Close()
}

// current describes the file, if it is still the one that its name stands for. core.mu guards the name, since renaming
// changes it; whoever has the lock may read it.
func (f *File) current(c *Core) (fs.FileInfo, error) {
	info, err := c.Backend.Lstat(f.name)
	if err != nil {
		return nil, syscall.ESTALE
	}
	own, err := f.Node.Stat()
	if err != nil {
		return nil, err
	}
	if !c.Backend.Same(info, own) {
		return nil, syscall.ESTALE
	}
	return own, nil
}

// Stat implements [afero.File].
func (f *File) Stat() (fs.FileInfo, error) {
	done, err := f.begin("stat", false)
	if err != nil {
		return nil, err
	}
	defer done()
	info, err := f.Node.Stat()
	if err != nil {
		return nil, f.fail("stat", err)
	}
	return fsys.Describe(f.base, info), nil
}

// Readdir implements [afero.File].
func (f *File) Readdir(int) ([]fs.FileInfo, error) { return nil, f.fail("readdir", fsys.ErrNotDir) }

// Readdirnames implements [afero.File].
func (f *File) Readdirnames(int) ([]string, error) { return nil, f.fail("readdir", fsys.ErrNotDir) }

// Sync implements [afero.File]: it makes what has been written durable. A file that is being written anew takes the
// place of the old one with this; from then on it is written in place.
func (f *File) Sync() error {
	done, err := f.begin("sync", false)
	if err != nil {
		return err
	}
	defer done()
	if f.temp != "" {
		return f.fail("sync", f.publish())
	}
	c := f.project.Core
	if c.options.NoSync || f.flag&(os.O_WRONLY|os.O_RDWR) == 0 {
		return nil
	}
	if err := f.Node.Sync(); err != nil {
		return f.fail("sync", err)
	}
	if f.created {
		return f.fail("sync", f.project.Change(context.Background(), func(*Core) error {
			return f.project.sync(path.Dir(f.name))
		}))
	}
	return nil
}

// Close implements [afero.File]. A file that has been written anew takes the place of the old one; if it cannot, the
// old one stays, and the error says why.
func (f *File) Close() error {
	done, err := f.begin("close", false)
	if err != nil {
		return err
	}
	defer done()
	if f.temp != "" {
		err = f.publish()
		if f.temp != "" { // it may be in place, and only making that durable has failed
			f.drop()
		}
	} else if f.recorded > 0 && f.wrote != nil {
		err = f.noteContent()
	}
	f.closed = true
	f.project.Core.isClosed(&f.handle)
	return f.fail("close", errors.Join(err, f.Node.Close()))
}

// noteContent tells the history what the handle has made of the file, so that undoing does not take that for the work
// of somebody else.
func (f *File) noteContent() error {
	return f.project.Change(context.Background(), func(c *Core) error {
		return c.stamp(f.name, f.wrote, func(until *Stamp) bool {
			if until == nil {
				return true
			}
			now, err := f.current(c)
			return err == nil && f.wrote.matches(now)
		})
	})
}

func (f *File) owner() *Project { return f.project }

// copyContent copies what one file has to another, which is empty.
func copyContent(to, from Node) error {
	reader := io.NewSectionReader(from, 0, math.MaxInt64)
	_, err := io.Copy(&offsetWriter{to: to}, reader)
	return err
}

type offsetWriter struct {
	to Node
	at int64
}

func (w *offsetWriter) Write(b []byte) (int, error) {
	n, err := w.to.WriteAt(b, w.at)
	w.at += int64(n)
	return n, err
}
