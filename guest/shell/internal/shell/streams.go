package shell

import (
	"io"
	"io/fs"
	"sync"
	"syscall"
	"time"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// A description is an open file, to which descriptors of several shells can refer.
type description struct {
	file command.File // nil for pipes
	pipe *pipe
	// writing says which end of a pipe it is.
	writing bool

	mu   sync.Mutex
	refs int
	// back are bytes that were read too far: see unread.
	back []byte
}

func newDescription(file command.File) *description { return &description{file: file, refs: 1} }

func (d *description) keep() *description {
	d.mu.Lock()
	d.refs++
	d.mu.Unlock()
	return d
}

// release gives a reference back, and closes what nobody refers to.
func (d *description) release() {
	d.mu.Lock()
	d.refs--
	last := d.refs == 0
	d.mu.Unlock()
	switch {
	case !last:
	case d.pipe != nil:
		d.pipe.close(d.writing)
	default:
		_ = d.file.Close()
	}
}

func (d *description) read(p *process, data []byte) (int, error) {
	p.check()
	if len(d.back) > 0 {
		n := copy(data, d.back)
		d.back = d.back[n:]
		return n, nil
	}
	if d.pipe == nil {
		return d.file.Read(data)
	}
	if d.writing {
		return 0, syscall.EBADF
	}
	return d.pipe.read(p, data)
}

func (d *description) write(p *process, data []byte) (int, error) {
	p.check()
	if d.pipe == nil {
		n, err := d.file.Write(data)
		if err == io.ErrClosedPipe {
			// The pipe of a command that runs this one, and has closed it.
			if p.ignores("PIPE") {
				return n, syscall.EPIPE
			}
			panic(ended{128 + int(syscall.SIGPIPE)})
		}
		return n, err
	}
	if !d.writing {
		return 0, syscall.EBADF
	}
	return d.pipe.write(p, data)
}

// A stream is a description, as one process uses it.
type stream struct {
	d *description
	p *process
}

func (s stream) Read(data []byte) (int, error)  { return s.d.read(s.p, data) }
func (s stream) Write(data []byte) (int, error) { return s.d.write(s.p, data) }

// Seek seeks in a file.
func (s stream) Seek(offset int64, whence int) (int64, error) {
	if seeker, ok := s.d.file.(io.Seeker); ok && len(s.d.back) == 0 {
		return seeker.Seek(offset, whence)
	}
	return 0, syscall.ESPIPE
}

// Stat describes a file, or a pipe.
func (s stream) Stat() (fs.FileInfo, error) {
	if file, ok := s.d.file.(interface{ Stat() (fs.FileInfo, error) }); ok {
		return file.Stat()
	}
	return pipeInfo{}, nil
}

type pipeInfo struct{}

func (pipeInfo) Name() string       { return "pipe" }
func (pipeInfo) Size() int64        { return 0 }
func (pipeInfo) Mode() fs.FileMode  { return fs.ModeNamedPipe | 0o600 }
func (pipeInfo) ModTime() time.Time { return time.Time{} }
func (pipeInfo) IsDir() bool        { return false }
func (pipeInfo) Sys() any           { return nil }

// A reference is a description that is closed by the one who opened it: what Files.Device returns.
type reference struct {
	stream
	once sync.Once
}

func (r *reference) Close() error {
	r.once.Do(r.d.release)
	return nil
}

// pipeSize is how many bytes a pipe holds, as on Linux.
const pipeSize = 64 << 10

// A pipe leads from writers to readers.
type pipe struct {
	mu       sync.Mutex
	changed  *sync.Cond
	data     []byte // its unread bytes are data[from:]
	from     int
	noReader bool
	noWriter bool
}

// newPipe returns both ends of a pipe.
func newPipe() (reading, writing *description) {
	p := &pipe{}
	p.changed = sync.NewCond(&p.mu)
	return &description{pipe: p, refs: 1}, &description{pipe: p, writing: true, refs: 1}
}

func (p *pipe) close(writing bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if writing {
		p.noWriter = true
	} else {
		p.noReader = true
		p.data, p.from = nil, 0
	}
	p.changed.Broadcast()
}

func (p *pipe) read(by *process, data []byte) (int, error) {
	if len(data) == 0 {
		return 0, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.data) == p.from {
		if p.noWriter {
			return 0, io.EOF
		}
		by.wait(p.changed)
	}
	n := copy(data, p.data[p.from:])
	if p.from += n; p.from == len(p.data) {
		p.data, p.from = p.data[:0], 0
	}
	p.changed.Broadcast()
	return n, nil
}

// write ends a process as SIGPIPE does if there is no reader.
func (p *pipe) write(by *process, data []byte) (written int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(data) > 0 {
		if p.noReader {
			if by.ignores("PIPE") {
				return written, syscall.EPIPE
			}
			panic(ended{128 + int(syscall.SIGPIPE)})
		}
		room := pipeSize - (len(p.data) - p.from)
		if room == 0 {
			by.wait(p.changed)
			continue
		}
		if p.from > 0 {
			p.data = p.data[:copy(p.data, p.data[p.from:])]
			p.from = 0
		}
		n := min(room, len(data))
		p.data = append(p.data, data[:n]...)
		data = data[n:]
		written += n
		p.changed.Broadcast()
	}
	return written, nil
}

// text is a file that is a text, as here-documents are.
type text struct {
	data string
	at   int
}

func (t *text) Read(data []byte) (int, error) {
	if t.at == len(t.data) {
		return 0, io.EOF
	}
	n := copy(data, t.data[t.at:])
	t.at += n
	return n, nil
}

func (t *text) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += int64(t.at)
	case io.SeekEnd:
		offset += int64(len(t.data))
	}
	if offset < 0 {
		return 0, syscall.EINVAL
	}
	t.at = int(min(offset, int64(len(t.data))))
	return offset, nil
}

func (t *text) Write([]byte) (int, error) { return 0, syscall.EBADF }
func (t *text) Close() error              { return nil }

// outside is a stream of the host.
type outside struct {
	r io.Reader
	w io.Writer
}

func (o outside) Read(data []byte) (int, error) {
	if o.r == nil {
		return 0, io.EOF
	}
	return o.r.Read(data)
}

func (o outside) Write(data []byte) (int, error) {
	if o.w == nil {
		return 0, syscall.EBADF
	}
	return o.w.Write(data)
}

func (o outside) Close() error { return nil }
