package nodezlib

import (
	"compress/flate"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"io"
	"sync"
)

// Deflation compresses.
type Deflation struct {
	Format     Format // not Any
	Level      int    // from 0, not at all, to 9; -1 is 6; flate.HuffmanOnly looks for no repetitions
	Dictionary []byte // not for Gzip

	Work Work
}

// deflatePiece is how much is compressed without a pause, in bytes: a millisecond, or some of them.
const deflatePiece = 16 << 10

// A compressor is a Go compressor, whose output can be changed while it is at work.
type compressor struct {
	*flate.Writer
	out io.Writer
}

func (c *compressor) Write(data []byte) (int, error) { return c.out.Write(data) }

// compressors keeps compressors by their level, since each has a megabyte of tables.
var compressors [12]sync.Pool

// newCompressor returns a compressor that writes to nowhere. It is given back by release.
func newCompressor(level int) (*compressor, error) {
	if c, ok := compressors[level-flate.HuffmanOnly].Get().(*compressor); ok {
		c.Reset(c)
		return c, nil
	}
	c := &compressor{out: io.Discard}
	var err error
	c.Writer, err = flate.NewWriter(c, level)
	return c, err
}

func (c *compressor) release(level int) {
	c.out = io.Discard
	compressors[level-flate.HuffmanOnly].Put(c)
}

// deflater is what is known between two parts of a stream.
type deflater struct {
	begun   bool
	sum     uint32 // CRC-32 or Adler-32 so far
	length  uint32
	history []byte // the last of the data: what copies may reach
}

// Deflate writes data compressed. The error is that of Work or of the output.
func (f Deflation) Deflate(data []byte, out *Output) error {
	return f.write(&deflater{}, data, Finish, out)
}

// write compresses the next part of a stream.
func (f Deflation) write(d *deflater, data []byte, flush Flush, out *Output) error {
	level := min(max(f.Level, flate.HuffmanOnly), flate.BestCompression)
	if !d.begun {
		if err := f.Work(len(f.Dictionary) + blockWork); err != nil {
			return err
		}
		if _, err := out.Write(f.header(level)); err != nil {
			return err
		}
		d.begun, d.sum = true, 0
		if f.Format == Zlib {
			d.sum = 1
		}
		if f.Format != Gzip {
			d.history = f.Dictionary[max(0, len(f.Dictionary)-window):]
		}
	}
	if flush == NoFlush {
		return nil
	}
	if len(data) == 0 && flush == Finish && level != 0 { // as zlib ends it
		_, err := out.Write(append([]byte{3, 0}, f.trailer(d)...))
		return err
	}
	c, err := newCompressor(level)
	if err != nil {
		return err
	}
	defer c.release(level)
	cost := 8
	if level > 6 {
		cost = 32
	}
	write := func(data []byte, each func(piece []byte)) error {
		for len(data) > 0 {
			piece := data[:min(len(data), deflatePiece)]
			data = data[len(piece):]
			if err := f.Work(cost * len(piece)); err != nil {
				return err
			}
			each(piece)
			if _, err := c.Writer.Write(piece); err != nil {
				return err
			}
		}
		return nil
	}
	if len(d.history) > 0 {
		if err := write(d.history, func([]byte) {}); err != nil {
			return err
		}
		if err := c.Flush(); err != nil {
			return err
		}
	}
	c.out = out
	err = write(data, func(piece []byte) {
		switch f.Format {
		case Gzip:
			d.sum = crc32.Update(d.sum, crc32.IEEETable, piece)
		case Zlib:
			d.sum = updateAdler(d.sum, piece)
		}
		d.length += uint32(len(piece))
	})
	if err != nil {
		return err
	}
	if flush != Finish {
		return c.Flush()
	}
	if err := c.Close(); err != nil {
		return err
	}
	_, err = out.Write(f.trailer(d))
	return err
}

// trailer returns what comes behind the data.
func (f Deflation) trailer(d *deflater) []byte {
	switch f.Format {
	case Gzip:
		return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, d.sum), d.length)
	case Zlib:
		return binary.BigEndian.AppendUint32(nil, d.sum)
	}
	return nil
}

// header returns what comes before the data: as zlib has it, it tells the level.
func (f Deflation) header(level int) []byte {
	switch f.Format {
	case Gzip:
		speed := byte(0)
		switch level {
		case 9:
			speed = 2
		case 0, 1, flate.HuffmanOnly:
			speed = 4
		}
		return []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, speed, 3} // of Unix
	case Zlib:
		header := []byte{0x78, 2 << 6}
		switch {
		case level == 0 || level == 1 || level == flate.HuffmanOnly:
			header[1] = 0
		case level > 0 && level < 6:
			header[1] = 1 << 6
		case level > 6:
			header[1] = 3 << 6
		}
		if len(f.Dictionary) > 0 {
			header[1] |= 0x20
			header = binary.BigEndian.AppendUint32(header, adler32.Checksum(f.Dictionary))
		}
		header[1] |= byte(31 - (int(header[0])<<8|int(header[1]))%31)
		return header
	}
	return nil
}

// CRC32 returns the checksum of data that follows data with a checksum. The error is that of work.
func CRC32(sum uint32, data []byte, work Work) (uint32, error) {
	for len(data) > 0 {
		piece := data[:min(len(data), outputPiece)]
		if err := work(len(piece)); err != nil {
			return 0, err
		}
		sum = crc32.Update(sum, crc32.IEEETable, piece)
		data = data[len(piece):]
	}
	return sum, nil
}
