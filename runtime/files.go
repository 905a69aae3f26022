package runtime

import (
	"context"
	"encoding/binary"
	"io"
	"slices"

	"github.com/toolrun/toolrun/internal/wasm/wasifs"
)

// Calls of WASI on open files and streams.

func fdPrestatGet(_ context.Context, c wasiCall) errno {
	d, e := c.descriptor(0)
	switch {
	case e != errnoSuccess:
		return e
	case !d.root:
		return wasifs.EBADF
	}
	return c.put64(1, uint64(len(rootName))<<32) // 0 is a directory
}

func fdPrestatDirName(_ context.Context, c wasiCall) errno {
	d, e := c.descriptor(0)
	switch {
	case e != errnoSuccess:
		return e
	case !d.root:
		return wasifs.EBADF
	case c.u32(2) < uint32(len(rootName)):
		return wasifs.ENAMETOOLONG
	}
	out := c.out(1, uint32(len(rootName)))
	if out == nil {
		return wasifs.EFAULT
	}
	copy(out, rootName)
	return errnoSuccess
}

// fdStatGet says that the standard streams are of an unknown type, as pipes are: not terminals.
func fdStatGet(_ context.Context, c wasiCall) errno {
	d, e := c.descriptor(0)
	if e != errnoSuccess {
		return e
	}
	out := c.out(1, 24)
	if out == nil {
		return wasifs.EFAULT
	}
	clear(out)
	flags := d.flags
	switch {
	case d.file == nil:
		out[0] = typeUnknown
	case d.file.IsDir():
		out[0] = typeDirectory
	default:
		out[0] = typeRegular
		if d.file.IsAppend() {
			flags |= flagAppend
		}
	}
	binary.LittleEndian.PutUint16(out[2:], flags)
	base, inherited := d.rights()
	binary.LittleEndian.PutUint64(out[8:], base)
	binary.LittleEndian.PutUint64(out[16:], inherited)
	return errnoSuccess
}

func fdStatSetFlags(_ context.Context, c wasiCall) errno {
	const known = flagAppend | flagDsync | flagNonblock | flagRsync | flagSync
	d, e := c.descriptor(0)
	flags := c.u32(1)
	switch {
	case e != errnoSuccess:
		return e
	case flags&^known != 0:
		return wasifs.EINVAL
	}
	if d.file != nil && !d.file.IsDir() {
		c.operate()
		file := d.file
		e = awaitErrno(c, func() errno {
			if appends := flags&flagAppend != 0; appends != file.IsAppend() {
				if e := file.SetAppend(appends); e != errnoSuccess {
					return e
				}
			}
			return file.SetSync(flags&(flagDsync|flagSync) != 0)
		})
		if e != errnoSuccess {
			return e
		}
	}
	d.flags = uint16(flags &^ flagAppend)
	return errnoSuccess
}

// fdStatSetRights refuses: rights cannot be given up.
func fdStatSetRights(_ context.Context, c wasiCall) errno {
	if _, e := c.descriptor(0); e != errnoSuccess {
		return e
	}
	return wasifs.ENOTSUP
}

func fdClose(_ context.Context, c wasiCall) errno {
	fd := c.u32(0)
	d, e := c.descriptor(0)
	if e != errnoSuccess {
		return e
	}
	c.in.open.table[fd] = nil // whatever comes of it, as on Linux
	return c.close(d)
}

// close closes what no number stands for any more.
func (c wasiCall) close(d *descriptor) errno {
	if d.file == nil || slices.Contains(c.in.open.table, d) {
		return errnoSuccess
	}
	c.operate()
	return awaitErrno(c, d.file.Close)
}

// fdRenumber moves a descriptor to the number of another one, which is closed.
func fdRenumber(_ context.Context, c wasiCall) errno {
	from, e := c.descriptor(0)
	if e != errnoSuccess {
		return e
	}
	to, e := c.descriptor(1)
	if e != errnoSuccess {
		return e
	}
	if c.u32(0) == c.u32(1) {
		return errnoSuccess
	}
	c.in.open.table[c.u32(0)], c.in.open.table[c.u32(1)] = nil, from
	return c.close(to)
}

func fdFilestatGet(_ context.Context, c wasiCall) errno {
	d, e := c.descriptor(0)
	if e != errnoSuccess {
		return e
	}
	out := c.out(1, filestatSize)
	if out == nil {
		return wasifs.EFAULT
	}
	if d.file == nil {
		d.stream.putFilestat(out)
		return errnoSuccess
	}
	c.operate()
	stat, e := await(c, d.file.Stat)
	if e != errnoSuccess {
		return e
	}
	putFilestat(out, stat)
	return errnoSuccess
}

const filestatSize = 64

// putFilestat writes the attributes of a file. All are on one device, and have one name.
func putFilestat(out []byte, stat wasifs.Stat) {
	clear(out)
	out[16] = fileType(stat.Mode)
	for at, v := range map[int]uint64{
		0: 1, 8: stat.Ino, 24: 1, 32: uint64(stat.Size), 40: uint64(stat.Mtim), 48: uint64(stat.Mtim),
		56: uint64(stat.Mtim),
	} {
		binary.LittleEndian.PutUint64(out[at:], v)
	}
}

func fdFilestatSetSize(_ context.Context, c wasiCall) errno {
	d, e := c.file()
	if e != errnoSuccess {
		return e
	}
	size := int64(c.arg[1])
	return awaitErrno(c, func() errno { return d.file.Truncate(size) })
}

func fdFilestatSetTimes(_ context.Context, c wasiCall) errno {
	d, e := c.file()
	if e != errnoSuccess {
		return e
	}
	atim, mtim, e := c.times(1)
	if e != errnoSuccess {
		return e
	}
	return awaitErrno(c, func() errno { return d.file.Utimens(atim, mtim) })
}

// times decodes three arguments: times of access and of modification, and flags.
func (c wasiCall) times(i int) (atim, mtim int64, e errno) {
	const set, now = 1, 2 // for the time of access; for that of modification, four times as much
	flags := c.u32(i + 2)
	times := [2]int64{wasifs.OmitTime, wasifs.OmitTime}
	for n := range times {
		switch flags >> (2 * n) & (set | now) {
		case set:
			times[n] = int64(c.arg[i+n])
			if times[n] < 0 {
				return 0, 0, wasifs.EINVAL
			}
		case now:
			c.in.timed = true
			times[n] = c.in.now(clockRealtime)
		case set | now:
			return 0, 0, wasifs.EINVAL
		}
	}
	if flags >= 1<<4 {
		return 0, 0, wasifs.EINVAL
	}
	return times[0], times[1], errnoSuccess
}

// fdAllocate makes a file at least as long as it is told to.
func fdAllocate(_ context.Context, c wasiCall) errno {
	d, e := c.file()
	if e != errnoSuccess {
		return e
	}
	offset, length := int64(c.arg[1]), int64(c.arg[2])
	switch {
	case d.file.IsDir() || !d.writable:
		return wasifs.EBADF
	case offset < 0 || length <= 0:
		return wasifs.EINVAL
	case offset+length < 0:
		return wasifs.EFBIG
	}
	return awaitErrno(c, func() errno {
		stat, e := d.file.Stat()
		if e != errnoSuccess || stat.Size >= offset+length {
			return e
		}
		return d.file.Truncate(offset + length)
	})
}

// fdAdvise does nothing: advice makes no difference.
func fdAdvise(_ context.Context, c wasiCall) errno {
	const lastAdvice = 5
	d, e := c.descriptor(0)
	switch {
	case e != errnoSuccess:
		return e
	case d.file == nil:
		return wasifs.ESPIPE
	case d.file.IsDir():
		return wasifs.EBADF
	case int64(c.arg[1]) < 0 || int64(c.arg[2]) < 0 || c.u32(3) > lastAdvice:
		return wasifs.EINVAL
	}
	return errnoSuccess
}

func fdSync(_ context.Context, c wasiCall) errno {
	d, e := c.descriptor(0)
	switch {
	case e != errnoSuccess:
		return e
	case d.file == nil:
		return wasifs.EINVAL // as on Linux
	}
	c.operate()
	return awaitErrno(c, d.file.Sync)
}

func fdSeek(_ context.Context, c wasiCall) errno {
	return c.seek(int64(c.arg[1]), int(c.u32(2)), 3)
}

func fdTell(_ context.Context, c wasiCall) errno { return c.seek(0, io.SeekCurrent, 1) }

// seek moves in the file that the first argument names, and writes the position to where argument i points. WASI has
// the numbers of package io for what positions are relative to.
func (c wasiCall) seek(offset int64, whence, i int) errno {
	d, e := c.descriptor(0)
	switch {
	case e != errnoSuccess:
		return e
	case d.file == nil:
		return wasifs.ESPIPE
	}
	out := c.out(i, 8)
	if out == nil {
		return wasifs.EFAULT
	}
	var at int64
	if whence == io.SeekEnd {
		c.operate()
		at, e = await(c, func() (int64, errno) { return d.file.Seek(offset, whence) })
	} else {
		at, e = d.file.Seek(offset, whence)
	}
	if e != errnoSuccess {
		return e
	}
	binary.LittleEndian.PutUint64(out, uint64(at))
	return errnoSuccess
}

func fdRead(_ context.Context, c wasiCall) errno {
	return c.transfer(3, stream.read, func(d *descriptor, buffers [][]byte, size int) (int, errno) {
		return c.readFile(buffers, size, func(b []byte, _ int64) (int, errno) { return d.file.Read(b) })
	})
}

func fdPread(_ context.Context, c wasiCall) errno {
	return c.transfer(4, nil, func(d *descriptor, buffers [][]byte, size int) (int, errno) {
		offset := int64(c.arg[3])
		return c.readFile(buffers, size, func(b []byte, done int64) (int, errno) {
			return d.file.Pread(b, offset+done)
		})
	})
}

func fdWrite(_ context.Context, c wasiCall) errno {
	return c.transfer(3, stream.write, func(d *descriptor, buffers [][]byte, size int) (int, errno) {
		return c.writeFile(buffers, size, func(b []byte, _ int64) (int, errno) { return d.file.Write(b) })
	})
}

func fdPwrite(_ context.Context, c wasiCall) errno {
	return c.transfer(4, nil, func(d *descriptor, buffers [][]byte, size int) (int, errno) {
		offset := int64(c.arg[3])
		return c.writeFile(buffers, size, func(b []byte, done int64) (int, errno) {
			return d.file.Pwrite(b, offset+done)
		})
	})
}

// transfer reads or writes: the arguments are a descriptor, buffers, and at i where the number of bytes goes. A nil
// stream means that streams have no positions.
func (c wasiCall) transfer(i int, onStream func(stream, wasiCall, [][]byte) (int, errno),
	onFile func(d *descriptor, buffers [][]byte, size int) (int, errno),
) errno {
	d, e := c.descriptor(0)
	switch {
	case e != errnoSuccess:
		return e
	case d.file == nil && onStream == nil:
		return wasifs.ESPIPE
	}
	buffers, size, e := c.vectors()
	if e != errnoSuccess {
		return e
	}
	out := c.out(i, 4)
	if out == nil {
		return wasifs.EFAULT
	}
	var n int
	if d.file == nil {
		n, e = onStream(d.stream, c, buffers)
	} else {
		c.operate()
		n, e = onFile(d, buffers, size)
	}
	if n == 0 && e != errnoSuccess {
		return e // otherwise the next attempt tells
	}
	binary.LittleEndian.PutUint32(out, uint32(n))
	return errnoSuccess
}

// maxPiece is how many bytes are read from a file or written to it at a time. Less is written as a whole.
const maxPiece = 1 << 20

// piece returns the buffer for files, for a transfer of which so much is left.
func (c wasiCall) piece(left int) []byte {
	t := c.in.open
	if left = min(left, maxPiece); left > len(t.buffer) {
		t.buffer = make([]byte, left)
	}
	return t.buffer[:left]
}

// readFile fills buffers from a file, until there is no more.
func (c wasiCall) readFile(buffers [][]byte, size int, read func(b []byte, done int64) (int, errno),
) (done int, e errno) {
	for {
		piece := c.piece(size - done)
		n, e := await(c, func() (int, errno) { return read(piece, int64(done)) })
		for rest := piece[:n]; len(rest) > 0; {
			if len(buffers[0]) == 0 {
				buffers = buffers[1:]
				continue
			}
			part := rest[:min(len(rest), len(buffers[0]), PieceSize)]
			c.spend(len(part))
			copy(buffers[0], part)
			buffers[0], rest = buffers[0][len(part):], rest[len(part):]
		}
		done += n
		if n < len(piece) || done == size || e != errnoSuccess {
			return done, e
		}
	}
}

// writeFile writes buffers to a file.
func (c wasiCall) writeFile(buffers [][]byte, size int, write func(b []byte, done int64) (int, errno),
) (done int, e errno) {
	for {
		piece := c.piece(size - done)
		for room := piece; len(room) > 0; {
			if len(buffers[0]) == 0 {
				buffers = buffers[1:]
				continue
			}
			part := buffers[0][:min(len(room), len(buffers[0]), PieceSize)]
			c.spend(len(part))
			copy(room, part)
			buffers[0], room = buffers[0][len(part):], room[len(part):]
		}
		n, e := await(c, func() (int, errno) { return write(piece, int64(done)) })
		done += n
		if n < len(piece) || done == size || e != errnoSuccess {
			return done, e
		}
	}
}
