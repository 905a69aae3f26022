package wasifs

import (
	"io"
	"time"
)

// An orphan is a file that the guest has removed or replaced while it had it open. It lives on in memory, as the
// temporary files of POSIX programs do that are removed as soon as they are open.
type orphan struct {
	fs    *FS
	users int // open files that are this one
	data  []byte
	mtime time.Time
}

// orphan makes files that the guest has just removed or replaced, all of one path, live on. If that is not possible,
// they stay what the afero.Fs has made of them: writing to them is ESTALE.
func (s *FS) orphan(files []*file) {
	o := &orphan{fs: s, mtime: s.Now()}
	written := false
	for _, f := range files {
		f.name = "" // whatever gets the path is another file
		written = written || f.writable
	}
	if !written || !o.adopt(files) {
		return
	}
	for _, f := range files {
		f.discard()
		f.closed, f.first, f.second, f.orphan = false, nil, nil, o
		s.open = append(s.open, f)
		o.users++
	}
}

// adopt reads what the files have, and reports whether all of it is known.
func (o *orphan) adopt(files []*file) bool {
	for _, f := range files {
		info, err := f.first.Stat()
		switch {
		case err != nil:
			return false
		case info.Size() == 0:
			return true
		case !f.readable:
			continue
		}
		if o.truncate(info.Size()) != 0 {
			return false
		}
		n, err := f.first.ReadAt(o.data, 0)
		if n < len(o.data) && err != nil && err != io.EOF {
			o.truncate(0)
			return false
		}
		return true
	}
	return false
}

func (o *orphan) readAt(b []byte, off int64) int {
	if off >= int64(len(o.data)) {
		return 0
	}
	return copy(b, o.data[off:])
}

func (o *orphan) writeAt(b []byte, off int64) (int, Errno) {
	if end := off + int64(len(b)); end > int64(len(o.data)) {
		if errno := o.truncate(end); errno != 0 {
			return 0, errno
		}
	}
	o.mtime = o.fs.Now()
	return copy(o.data[off:], b), 0
}

func (o *orphan) truncate(size int64) Errno {
	grows := size - int64(len(o.data))
	if grows > o.fs.spare {
		return ENOSPC
	}
	o.fs.spare -= grows
	o.mtime = o.fs.Now()
	if grows <= 0 {
		clear(o.data[size:])
		o.data = o.data[:size]
	} else {
		o.data = append(o.data, make([]byte, grows)...)
	}
	return 0
}

func (o *orphan) stat() Stat { return Stat{Ino: 1, Size: int64(len(o.data)), Mtim: o.mtime.UnixNano()} }

func (o *orphan) close() {
	if o.users--; o.users == 0 {
		o.fs.spare += int64(len(o.data))
		o.data = nil
	}
}
