package fs

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// prepareRead reads the encoding argument; without one, the result is bytes.
func prepareRead(c *host.Call, r *fileRequest) error { return readEncoding(c, fileData, r) }

func readEncoding(c *host.Call, i int, r *fileRequest) error {
	if !c.Has(i) {
		return nil
	}
	encoding, ok := host.Encodings[strings.ToLower(c.Name(i))]
	if !ok {
		return invalid(codeValue, ", unknown encoding (known are "+host.KnownEncodings+")", r.given)
	}
	r.encoding = encoding
	return nil
}

func readFile(t tree, r *fileRequest) (any, error) {
	data, err := t.read(r.place)
	if err != nil || r.encoding == "" {
		return data, err
	}
	size, err := host.EncodedSize(r.encoding, data, t.work.spend)
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
func prepareWrite(c *host.Call, r *fileRequest) error {
	flag := "w"
	if r.operation == "appendFile" {
		flag = "a"
	}
	if c.Has(fileOption) {
		// being read as well, and synchronous writing
		flag = strings.Replace(strings.Replace(c.Name(fileOption), "+", "", 1), "s", "", 1)
	}
	var known bool
	if r.mode, known = writeModes[flag]; !known {
		return invalid(codeValue, ", unknown flag (known are 'w', 'wx', 'a' and 'ax')", r.given)
	}
	if c.Value(fileData).IsString() {
		if err := readEncoding(c, fileData+1, r); err != nil {
			return err
		}
		text, err := c.UTF8(fileData)
		if errors.Is(err, host.ErrNoMemory) {
			err = Error(syscall.EFBIG, r.given)
		}
		if err != nil {
			return err
		}
		r.data, err = host.DecodeText(r.encoding, text, c.MemoryLimit(), c.Spend)
		if errors.Is(err, syscall.EFBIG) {
			return Error(err, r.given)
		}
		if errors.Is(err, host.ErrNotEncoded) {
			return invalid(codeValue, ", the data is not "+r.encoding, r.given)
		}
		return err
	}
	if !c.Has(fileData) {
		return missingArgument("data", r.operation)
	}
	if !c.IsBuffer(fileData) {
		return invalid(codeArgument, ", data must be string or buffer", r.given)
	}
	return copyData(c, r)
}

// copyData copies the bytes that a view gives, since a file system may go on with them.
func copyData(c *host.Call, r *fileRequest) error {
	memory := c.View(fileData)
	r.data = make([]byte, 0, len(memory))
	for part := range slices.Chunk(memory, host.PieceSize) {
		if err := c.Spend(len(part)); err != nil {
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
	case !t.opens(p, info):
		return nil, at(p, "read", syscall.EINVAL)
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
	case !t.opens(p, info):
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
