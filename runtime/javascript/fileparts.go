package javascript

import (
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"syscall"

	"github.com/toolrun/toolrun/guest/quickjs"
)

// Parts of files, which open files read and write. The script keeps what is open; for the host each part is an
// operation of its own, with the rules, limits and records of one on a whole file.

// maxPart is the most that is read at once, in bytes. Scripts ask again for the rest.
const maxPart = 1 << 20

// preparePosition reads a position, which is a decimal number as text: it can be larger than the engine's integers.
func preparePosition(args arguments, i int, r *fileRequest) error {
	text, _, _ := args.text(i, 20)
	position, err := strconv.ParseInt(text, 10, 64)
	if err != nil || position < 0 {
		return invalid(codeValue, ", no such position", r.given)
	}
	r.position = position
	return nil
}

// prepareReadPart reads the position and the length.
func prepareReadPart(_ *instance, args arguments, r *fileRequest) error {
	length, ok := args.int(fileData + 1)
	if !ok || length < 0 {
		return invalid(codeValue, ", no such length", r.given)
	}
	r.length = min(length, maxPart)
	return preparePosition(args, fileData, r)
}

// prepareWritePart reads a buffer, an offset and a length, and the position. Without one, the file is appended to.
func prepareWritePart(in *instance, args arguments, r *fileRequest) error {
	memory, ok := args.view(fileData)
	if !ok {
		return invalid(codeArgument, ", data must be a buffer", r.given)
	}
	r.data = make([]byte, 0, len(memory))
	for part := range slices.Chunk(memory, quickjs.PieceSize) {
		if err := in.Spend(len(part)); err != nil {
			return err
		}
		r.data = append(r.data, part...)
	}
	if r.mode.appends = args.value(fileData+3) == quickjs.Undefined; r.mode.appends {
		return nil
	}
	return preparePosition(args, fileData+3, r)
}

// regular returns the size of a file that can be opened.
func (t tree) regular(p place) (int64, error) {
	info, err := t.stat(p)
	switch {
	case err != nil:
		return 0, err
	case info.IsDir():
		return 0, syscall.EISDIR
	case !info.Mode().IsRegular():
		return 0, syscall.EINVAL // opening it could block for ever
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
