package javascript

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/toolrun/toolrun/guest/quickjs"
)

// prepareRead reads the encoding argument; without one, the result is bytes.
func prepareRead(_ *instance, args arguments, r *fileRequest) error {
	return readEncoding(args, fileData, r)
}

func readEncoding(args arguments, i int, r *fileRequest) error {
	if args.value(i) == quickjs.Undefined {
		return nil
	}
	name, _, _ := args.text(i, 100)
	encoding, ok := encodingNames[strings.ToLower(name)]
	if !ok {
		return invalid(codeValue, ", unknown encoding (known are "+knownEncodings+")", r.given)
	}
	r.encoding = encoding
	return nil
}

func readFile(t tree, r *fileRequest) (any, error) {
	data, err := t.read(r.place)
	if err != nil || r.encoding == "" {
		return data, err
	}
	size, err := encodedSize(r.encoding, data, t.work.spend)
	if err == nil && int64(size) >= t.limit {
		err = syscall.EFBIG
	}
	return encodedFile{r.encoding, data}, err
}

// An encodedFile is a file's content on its way to becoming text.
type encodedFile struct {
	encoding string
	data     []byte
}

func (in *instance) newText(ctx context.Context, f encodedFile) (quickjs.Value, error) {
	if size, ok := latin1Size(f.encoding, len(f.data)); ok {
		return in.vm.NewLatin1(ctx, size, func(text []byte) error {
			return encodeLatin1(text, f.encoding, f.data, in.Spend)
		})
	}
	return in.vm.NewText(ctx, func(do func(piece string) error) error {
		return encodeText(f.encoding, f.data, in.Spend, do)
	})
}

// newLatin1 makes a string of characters up to U+00FF.
func (in *instance) newLatin1(ctx context.Context, data []byte) (quickjs.Value, error) {
	return in.newText(ctx, encodedFile{"latin1", data})
}

// A writeMode is how a file is written.
type writeMode struct {
	appends   bool // keeps the present content
	exclusive bool // fails if the file exists
}

// writeModes are the flags of Node's that make sense for writing a file as a whole.
var writeModes = map[string]writeMode{
	"w": {}, "wx": {exclusive: true}, "xw": {exclusive: true},
	"a": {appends: true}, "ax": {appends: true, exclusive: true}, "xa": {appends: true, exclusive: true},
}

// prepareWrite reads the flag, and then either a text and its encoding, or a buffer, an offset and a length.
func prepareWrite(in *instance, args arguments, r *fileRequest) error {
	flag := "w"
	if r.operation == "appendFile" {
		flag = "a"
	}
	if args.value(fileOption) != quickjs.Undefined {
		flag, _, _ = args.text(fileOption, 10)
		// being read as well, and synchronous writing
		flag = strings.Replace(strings.Replace(flag, "+", "", 1), "s", "", 1)
	}
	var known bool
	if r.mode, known = writeModes[flag]; !known {
		return invalid(codeValue, ", unknown flag (known are 'w', 'wx', 'a' and 'ax')", r.given)
	}
	limit := in.memoryLimit()
	if args.value(fileData).IsString() {
		if err := readEncoding(args, fileData+1, r); err != nil {
			return err
		}
		text, cut, _ := in.vm.UTF8(args.value(fileData), limit)
		if cut > 0 {
			return fileError(syscall.EFBIG, r.given)
		}
		if in.run.options.Files == nil {
			return nil // the operation itself fails
		}
		var err error
		r.data, err = decodeText(r.encoding, text, limit, in.Spend)
		if errors.Is(err, syscall.EFBIG) {
			return fileError(err, r.given)
		}
		if errors.Is(err, errNotEncoded) {
			return invalid(codeValue, ", the data is not "+r.encoding, r.given)
		}
		return err
	}
	if args.value(fileData) == quickjs.Undefined {
		return missingArgument("data", r.operation)
	}
	if _, ok := args.bytes(fileData); !ok {
		return invalid(codeArgument, ", data must be string or buffer", r.given)
	}
	memory, ok := args.view(fileData)
	if !ok {
		return fileFailure("EINVAL", "invalid argument", r.given)
	}
	r.data = make([]byte, 0, len(memory))
	for part := range slices.Chunk(memory, quickjs.PieceSize) {
		if err := in.Spend(len(part)); err != nil {
			return err
		}
		r.data = append(r.data, part...)
	}
	return nil
}

func writeFile(t tree, r *fileRequest) (any, error) {
	return nil, t.change(r.place, "write", func(t tree) error { return t.write(r.place, r.data, r.mode) })
}

// read reads a file. One that has the limit's size or more is refused: it would not fit into the script's memory.
func (t tree) read(p place) ([]byte, error) {
	info, err := t.stat(p)
	switch {
	case err != nil:
		return nil, at(p, "read", err)
	case info.IsDir():
		return nil, at(p, "read", syscall.EISDIR)
	case !info.Mode().IsRegular():
		return nil, at(p, "read", syscall.EINVAL) // opening it could block for ever
	case info.Size() >= t.limit:
		return nil, at(p, "read", syscall.EFBIG)
	}
	data, err := t.readHead(p, max(info.Size(), 0), t.limit)
	if err == nil && int64(len(data)) >= t.limit {
		err = syscall.EFBIG // it has grown, or was larger than it said
	}
	return data, at(p, "read", err)
}

// readHead reads at most limit bytes from the beginning of a file, probably as many as expected.
func (t tree) readHead(p place, expected, limit int64) ([]byte, error) {
	f, err := t.files.Open(p.name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var content bytes.Buffer
	content.Grow(int(min(expected, limit)) + bytes.MinRead)
	_, err = content.ReadFrom(&untilDone{t.work, io.LimitReader(f, limit)})
	return content.Bytes(), err
}

// An untilDone is a reader that fails once the run has ended.
type untilDone struct {
	work *fileWork
	r    io.Reader
}

// readPart is how many bytes are read at a time.
const readPart = 256 << 10

func (u *untilDone) Read(b []byte) (int, error) {
	n, err := u.r.Read(b[:min(len(b), readPart)])
	if over := u.work.spend(n); over != nil {
		return 0, over
	}
	return n, err
}

// write writes a file and creates its parent directories.
func (t tree) write(p place, data []byte, mode writeMode) error {
	info, err := t.stat(p)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case p.name == "/":
		return syscall.EISDIR
	case err != nil && !missing:
		return err
	case missing:
	case mode.exclusive:
		return syscall.EEXIST
	case info.IsDir():
		return syscall.EISDIR
	case !info.Mode().IsRegular():
		return syscall.EINVAL
	}
	var made []string
	if missing {
		if made, err = t.makeParents(p); err != nil {
			return err
		}
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if mode.appends && !missing {
		flags = os.O_WRONLY | os.O_APPEND
	}
	if err = t.put(p, flags, data); err != nil {
		t.unmake(made)
	}
	return err
}

func (t tree) put(p place, flags int, data []byte) error {
	if err := t.work.spend(len(data)); err != nil {
		return err
	}
	f, err := t.files.OpenFile(p.name, flags, 0o644)
	if err != nil {
		return err
	}
	n, err := f.Write(data) // all of it, even if the run ends meanwhile
	if err == nil && n < len(data) {
		err = io.ErrShortWrite
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// truncate cuts a file, or fills it with zeros.
func (t tree) truncate(p place, size int) error {
	return t.change(p, "write", func(t tree) error {
		switch data, err := t.read(p); {
		case err != nil:
			return err
		case size < 0:
			return syscall.EINVAL
		case int64(size) > t.limit:
			return syscall.EFBIG
		case size <= len(data):
			return t.write(p, data[:size], writeMode{})
		default:
			if err := t.work.spend(size); err != nil {
				return err
			}
			longer := make([]byte, size)
			copy(longer, data)
			return t.write(p, longer, writeMode{})
		}
	})
}

// copyFile copies a file. It replaces an existing one unless exclusive is set.
func (t tree) copyFile(from, to place, exclusive bool) error {
	return t.change(to, "write", func(t tree) error { return t.copyOne(from, to, exclusive) })
}

func (t tree) copyOne(from, to place, exclusive bool) error {
	// Files are read before others are opened for writing, since both can be the same.
	data, err := t.read(from)
	if err != nil {
		return err
	}
	return at(to, "write", t.write(to, data, writeMode{exclusive: exclusive}))
}
