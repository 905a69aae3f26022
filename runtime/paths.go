package runtime

import (
	"context"
	"encoding/binary"
	"path"
	"slices"

	"github.com/toolrun/toolrun/internal/wasm/wasifs"
)

// Calls of WASI on paths. A path is relative to an open directory and cannot lead out of it.

// path returns the path that three arguments name: a directory, and where the path is and how long.
func (c wasiCall) path(dir, text int) (string, errno) {
	d, e := c.descriptor(dir)
	switch {
	case e != errnoSuccess:
		return "", e
	case d.file == nil || !d.file.IsDir():
		return "", wasifs.ENOTDIR
	}
	data := c.memory(c.u32(text), c.u32(text+1))
	switch {
	case data == nil:
		return "", wasifs.EFAULT
	case len(data) > wasifs.MaxPath:
		return "", wasifs.ENAMETOOLONG
	}
	c.operate()
	return wasifs.Join(d.file.Name(), string(data))
}

// onPath does something to the path that the second and the third argument name.
func (c wasiCall) onPath(do func(s *wasifs.FS, path string) errno) errno {
	path, e := c.path(0, 1)
	if e != errnoSuccess {
		return e
	}
	files := c.in.open.files
	return awaitErrno(c, func() errno { return do(files, path) })
}

func pathCreateDirectory(_ context.Context, c wasiCall) errno { return c.onPath((*wasifs.FS).Mkdir) }
func pathRemoveDirectory(_ context.Context, c wasiCall) errno { return c.onPath((*wasifs.FS).Rmdir) }
func pathUnlinkFile(_ context.Context, c wasiCall) errno      { return c.onPath((*wasifs.FS).Unlink) }

// followLinks is the flag of calls that look at what links lead to.
const followLinks = 1

// pathWith returns the path that the third and the fourth argument name, for calls with flags.
func (c wasiCall) pathWith(flags uint32) (path string, follow bool, e errno) {
	if flags&^followLinks != 0 {
		return "", false, wasifs.EINVAL
	}
	path, e = c.path(0, 2)
	return path, flags&followLinks != 0, e
}

// streamNames are the paths of the standard streams, as on every system.
var streamNames = [streams]string{stdin: "/dev/stdin", stdout: "/dev/stdout", stderr: "/dev/stderr"}

// streamAt returns the standard stream that is at a path, unless the project has a /dev of its own.
func (c wasiCall) streamAt(name string) (s stream, ok bool) {
	at := slices.Index(streamNames[:], path.Clean(name))
	if at < 0 {
		return 0, false
	}
	own, e := await(c, func() (bool, errno) { return c.in.open.files.HasDevices(), errnoSuccess })
	return stream(at), own && e == errnoSuccess
}

func pathFilestatGet(_ context.Context, c wasiCall) errno {
	path, follow, e := c.pathWith(c.u32(1))
	if e != errnoSuccess {
		return e
	}
	out := c.out(4, filestatSize)
	if out == nil {
		return wasifs.EFAULT
	}
	if s, ok := c.streamAt(path); ok {
		s.putFilestat(out)
		return errnoSuccess
	}
	look := c.in.open.files.Lstat
	if follow {
		look = c.in.open.files.Stat
	}
	stat, e := await(c, func() (wasifs.Stat, errno) { return look(path) })
	if e != errnoSuccess {
		return e
	}
	putFilestat(out, stat)
	return errnoSuccess
}

func pathFilestatSetTimes(_ context.Context, c wasiCall) errno {
	path, _, e := c.pathWith(c.u32(1))
	if e != errnoSuccess {
		return e
	}
	atim, mtim, e := c.times(4)
	if e != errnoSuccess {
		return e
	}
	files := c.in.open.files
	return awaitErrno(c, func() errno { return files.Utimens(path, atim, mtim) })
}

// Flags of opening.
const (
	openCreate    = 1
	openDirectory = 2
	openExclusive = 4
	openTruncate  = 8
)

func pathOpen(_ context.Context, c wasiCall) errno {
	how, rights, flags := c.u32(4), c.arg[5], c.u32(7)
	if how >= openTruncate<<1 || flags >= flagSync<<1 {
		return wasifs.EINVAL
	}
	path, follow, e := c.pathWith(c.u32(1))
	if e != errnoSuccess {
		return e
	}
	out := c.out(8, 4)
	switch {
	case out == nil:
		return wasifs.EFAULT
	case c.in.open.full():
		return wasifs.EMFILE
	}
	d := &descriptor{flags: uint16(flags &^ flagAppend)}
	d.writable = rights&rightWrite != 0
	d.readable = !d.writable || rights&rightRead != 0
	if s, ok := c.streamAt(path); ok {
		switch {
		case how&openDirectory != 0:
			return wasifs.ENOTDIR
		case how&openCreate != 0 && how&openExclusive != 0:
			return wasifs.EEXIST
		}
		d.stream = s
		binary.LittleEndian.PutUint32(out, c.in.open.add(d))
		return errnoSuccess
	}
	files, flag := c.in.open.files, openFlags(how, flags, follow)
	switch {
	case d.writable && d.readable:
		flag |= wasifs.O_RDWR
	case d.writable:
		flag |= wasifs.O_WRONLY
	}
	// A call that is stopped leaves the file open, and closing the session closes it.
	if d.file, e = await(c, func() (wasifs.File, errno) { return files.Open(path, flag) }); e != errnoSuccess {
		return e
	}
	binary.LittleEndian.PutUint32(out, c.in.open.add(d))
	return errnoSuccess
}

func openFlags(how, flags uint32, follow bool) (out wasifs.Flag) {
	for _, f := range []struct {
		set  bool
		flag wasifs.Flag
	}{
		{how&openCreate != 0, wasifs.O_CREAT},
		{how&openDirectory != 0, wasifs.O_DIRECTORY},
		{how&openExclusive != 0, wasifs.O_EXCL},
		{how&openTruncate != 0, wasifs.O_TRUNC},
		{flags&flagAppend != 0, wasifs.O_APPEND},
		{flags&(flagDsync|flagSync) != 0, wasifs.O_SYNC},
		{!follow, wasifs.O_NOFOLLOW},
	} {
		if f.set {
			out |= f.flag
		}
	}
	return out
}

// pathRename moves from the path of the first three arguments to that of the last three.
func pathRename(_ context.Context, c wasiCall) errno {
	from, e := c.path(0, 1)
	if e != errnoSuccess {
		return e
	}
	to, e := c.path(3, 4)
	if e != errnoSuccess {
		return e
	}
	files := c.in.open.files
	e = awaitErrno(c, func() errno { return files.Rename(from, to) })
	c.spend(files.Copied())
	return e
}

func pathLink(_ context.Context, c wasiCall) errno {
	if c.u32(1) != 0 { // links to what links lead to
		return wasifs.EINVAL
	}
	from, e := c.path(0, 2)
	if e != errnoSuccess {
		return e
	}
	to, e := c.path(4, 5)
	if e != errnoSuccess {
		return e
	}
	files := c.in.open.files
	return awaitErrno(c, func() errno { return files.Link(from, to) })
}

// pathSymlink has what the link is to lead to in front.
func pathSymlink(_ context.Context, c wasiCall) errno {
	if c.memory(c.u32(0), c.u32(1)) == nil {
		return wasifs.EFAULT
	}
	path, e := c.path(2, 3)
	if e != errnoSuccess {
		return e
	}
	files := c.in.open.files
	return awaitErrno(c, func() errno { return files.Symlink(path) })
}

func pathReadlink(_ context.Context, c wasiCall) errno {
	if c.memory(c.u32(3), c.u32(4)) == nil || c.out(5, 4) == nil {
		return wasifs.EFAULT
	}
	return c.onPath((*wasifs.FS).Readlink)
}

// fdReaddir writes entries of a directory, from a position on. The last one may be cut off, which tells the guest that
// there is more.
func fdReaddir(_ context.Context, c wasiCall) errno {
	d, e := c.file()
	if e != errnoSuccess {
		return e
	}
	room, out := c.memory(c.u32(1), c.u32(2)), c.out(4, 4)
	if room == nil || out == nil {
		return wasifs.EFAULT
	}
	cookie := c.arg[3]
	if cookie == 0 || d.listing == nil {
		if e := c.list(d); e != errnoSuccess {
			return e
		}
	}
	if cookie > uint64(len(d.listing)) {
		cookie = uint64(len(d.listing))
	}
	used := 0
	for i, entry := range d.listing[cookie:] {
		const headSize = 24
		var head [headSize]byte
		binary.LittleEndian.PutUint64(head[0:], cookie+uint64(i)+1)
		binary.LittleEndian.PutUint64(head[8:], entry.Ino)
		binary.LittleEndian.PutUint32(head[16:], uint32(len(entry.Name)))
		head[20] = fileType(entry.Type)
		n := copy(room[used:], head[:])
		n += copy(room[used+n:], entry.Name)
		c.spend(n)
		if used += n; n < headSize+len(entry.Name) {
			break
		}
	}
	binary.LittleEndian.PutUint32(out, uint32(used))
	return errnoSuccess
}

// maxListings is how many entries of directories a run keeps at the same time, beside those of the last directory that
// it has read.
const maxListings = 100_000

// list reads a directory, and drops what is known of others if that is too much. They are read again then.
func (c wasiCall) list(d *descriptor) errno {
	const entryCost = 100 // about the memory that an entry takes, beside its name
	entries, e := await(c, d.list)
	if e != errnoSuccess {
		return e
	}
	c.spend(len(entries) * entryCost)
	d.listing = entries
	kept := 0
	for _, other := range c.in.open.table {
		if other == nil || other == d {
			continue
		}
		if kept += len(other.listing); kept > maxListings {
			other.listing = nil
		}
	}
	return errnoSuccess
}

// list lists a directory, itself and the one above included.
func (d *descriptor) list() ([]wasifs.Entry, errno) {
	own, e := d.file.Stat()
	if e != errnoSuccess {
		return nil, e
	}
	entries, e := d.file.List()
	if e != errnoSuccess {
		return nil, e
	}
	// Above the directory the guest cannot look.
	kind := own.Mode.Type()
	dots := []wasifs.Entry{{Ino: own.Ino, Name: ".", Type: kind}, {Ino: own.Ino, Name: "..", Type: kind}}
	return slices.Concat(dots, entries), errnoSuccess
}
