package fs

import (
	"errors"
	"io"
	"os"
	"strconv"
	"syscall"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// Parts of files, which open files read and write. The script keeps what is open; for the host each part is an
// operation of its own, with the rules, limits and records of one on a whole file.

// maxPart is the most that is read at once, in bytes. Scripts ask again for the rest.
const maxPart = 1 << 20

// preparePosition reads a position, which is a decimal number as text: it can be larger than the engine's integers.
func preparePosition(c *host.Call, i int, r *fileRequest) error {
	position, err := strconv.ParseInt(c.Name(i), 10, 64)
	if err != nil || position < 0 {
		return invalid(codeValue, ", no such position", r.given)
	}
	r.position = position
	return nil
}

// prepareReadPart reads the position and the length.
func prepareReadPart(c *host.Call, r *fileRequest) error {
	length, ok := c.Int(fileData + 1)
	if !ok || length < 0 {
		return invalid(codeValue, ", no such length", r.given)
	}
	r.length = min(length, maxPart)
	return preparePosition(c, fileData, r)
}

// prepareWritePart reads a buffer, an offset and a length, and the position. Without one, the file is appended to.
func prepareWritePart(c *host.Call, r *fileRequest) error {
	if !c.IsBuffer(fileData) {
		return invalid(codeArgument, ", data must be a buffer", r.given)
	}
	if err := copyData(c, r); err != nil {
		return err
	}
	if r.mode.appends = !c.Has(fileData + 3); r.mode.appends {
		return nil
	}
	return preparePosition(c, fileData+3, r)
}

// regular returns the size of a file that can be opened.
func (t tree) regular(p place) (int64, error) {
	info, err := t.stat(p)
	switch {
	case err != nil:
		return 0, err
	case info.IsDir():
		return 0, syscall.EISDIR
	case !t.opens(p, info):
		return 0, syscall.EINVAL
	}
	return info.Size(), nil
}

// readRange reads a part of a file. It is shorter than asked for only at the end of the file, or if it is long.
func readRange(t tree, r *fileRequest) (any, error) {
	size, err := t.regular(r.place)
	if err != nil {
		return nil, at(r.place, "read", err)
	}
	length := max(min(int64(r.length), size-r.position), 0)
	if err := t.work.spend(int(length)); err != nil {
		return nil, err
	}
	if length == 0 {
		return []byte{}, nil
	}
	f, err := t.files.Open(r.name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, length)
	n, err := f.ReadAt(data, r.position)
	if n < 0 || n > len(data) {
		return nil, syscall.EIO
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:n], at(r.place, "read", err)
}

// writeRange writes a part of a file, which must exist. What lies between its end and the part becomes zeros.
func writeRange(t tree, r *fileRequest) (any, error) {
	return nil, t.change(r.place, "write", func(t tree) error {
		size, err := t.regular(r.place)
		switch {
		case err != nil:
			return err
		case r.mode.appends:
			return t.put(r.place, os.O_WRONLY|os.O_APPEND, r.data)
		case r.position > t.limit-int64(len(r.data)):
			return syscall.EFBIG
		}
		if err := t.work.spend(len(r.data) + int(max(r.position-size, 0))); err != nil {
			return err
		}
		f, err := t.files.OpenFile(r.name, os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		n, err := f.WriteAt(r.data, r.position)
		if err == nil && n < len(r.data) {
			err = io.ErrShortWrite
		}
		if closed := f.Close(); err == nil {
			err = closed
		}
		return err
	})
}
