package runtime

import (
	"encoding/binary"
	"io"
	"slices"

	"github.com/toolrun/toolrun/internal/wasm/wasifs"
)

// A stream is one of the standard streams.
type stream byte

const (
	stdin stream = iota
	stdout
	stderr
	streams
)

// putFilestat writes what fd_filestat_get says of the stream.
func (s stream) putFilestat(out []byte) {
	clear(out[:filestatSize])
	binary.LittleEndian.PutUint64(out[8:], uint64(s)+1)
	binary.LittleEndian.PutUint64(out[24:], 1)
}

// read reads the run's input.
func (s stream) read(c wasiCall, buffers [][]byte) (int, errno) {
	if s != stdin {
		return 0, wasifs.EBADF
	}
	c.in.impure = true
	read := 0
	for _, buffer := range buffers {
		for part := range slices.Chunk(buffer[:min(len(buffer), len(c.in.run.stdin))], PieceSize) {
			c.spend(len(part))
			n := copy(part, c.in.run.stdin)
			c.in.run.stdin = c.in.run.stdin[n:]
			read += n
		}
	}
	if from := c.in.run.options.StdinFrom; read == 0 && from != nil {
		return c.readFrom(from, buffers)
	}
	return read, errnoSuccess
}

// readFrom fills a part of the first buffer that has room, as soon as there is something.
func (c wasiCall) readFrom(from io.Reader, buffers [][]byte) (int, errno) {
	for _, buffer := range buffers {
		if len(buffer) == 0 {
			continue
		}
		piece, e := await(c, func() ([]byte, errno) {
			piece := make([]byte, min(len(buffer), PieceSize)) // a read that is left behind must not touch the guest
			n, err := io.ReadAtLeast(from, piece, 1)
			if err != nil && err != io.EOF {
				return nil, wasifs.EIO
			}
			return piece[:n], errnoSuccess
		})
		c.spend(len(piece))
		return copy(buffer, piece), e
	}
	return 0, errnoSuccess
}

// write prints to the console, or writes the run's result.
func (s stream) write(c wasiCall, buffers [][]byte) (written int, e errno) {
	if s == stdin {
		return 0, wasifs.EBADF
	}
	level := LevelLog
	if s == stderr {
		level = LevelError
	}
	result := c.in.run.options.Stdout
	for _, data := range buffers { // each can be all of the memory
		var err error
		if s == stdout && result != nil {
			err = result.write(c.in, data)
		} else {
			err = c.in.Print(level, data)
		}
		if err != nil {
			panic(err)
		}
		written += len(data)
	}
	return written, errnoSuccess
}
