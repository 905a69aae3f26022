package nodezlib

import (
	"encoding/binary"
	"errors"
	"math"
)

// Inflation decompresses.
type Inflation struct {
	Format     Format
	Dictionary []byte

	// Partial takes data that ends too early for all there is.
	Partial bool

	// Work is called before each block and each part of the output, so that a small input that becomes a large
	// output can be stopped.
	Work Work
}

// Inflate writes what data decompresses to. Data behind the end is ignored, as zlib does, except behind gzip's: that
// may be more of it. It returns how many bytes of data were used. The error is an *Error, that of Work, or that of the
// output.
func (f Inflation) Inflate(data []byte, out *Output) (used int, err error) {
	d := &inflater{out: out, format: f.Format}
	err = d.write(f, data, true, math.MaxInt)
	return d.at, err
}

// The window is how far back a copy can reach.
const window = 32 << 10

// blockWork is how much work a block is, beside its data: the decoding of its codes.
const blockWork = 4 << 10

// A phase is what comes next in a stream.
type phase uint8

const (
	atStart phase = iota // of the first stream: its header, or what tells the format
	atBlock
	inStored
	inCompressed
	atTrailer
	atEnd
	phases // how many there are
)

// A blockKind is how a block is compressed, by its header.
type blockKind uint8

const (
	storedBlock blockKind = iota
	fixedBlock
	dynamicBlock
)

// inflater decompresses a stream.
type inflater struct {
	data []byte // what there is of it
	at   int    // where the next byte is
	hold uint64 // bits that have been read
	bits uint   // how many

	phase  phase
	last   bool      // the block is the stream's last one
	kind   blockKind // of the block
	stored int       // bytes of the block that are to come

	buffer  [2*window + 512]byte // the window, and what comes after it
	start   int                  // what has not been written yet begins here
	end     int
	history int // bytes before start that copies may reach
	out     *Output
	most    int // the length of the output at which to pause
	work    Work
	format  Format
	crc     uint32 // or Adler-32
	length  uint32

	lengths             [286 + 30]uint8 // of the block's codes
	literalCodes        int             // how many of the lengths are for literals
	distanceCodes       int
	literals, distances huffman
}

// errPause is the error for an output that is as long as it may be for now.
var errPause = errors.New("the output is long enough")

// write decompresses data, and all that is possible of it if this is not all of the stream: d.at bytes of it were used.
// It is done, for now, when the output has most bytes, or some more.
func (d *inflater) write(f Inflation, data []byte, all bool, most int) error {
	d.data, d.at, d.work, d.most = data, 0, f.Work, most
	for {
		at, hold, bits := d.at, d.hold, d.bits
		err := d.step(f.Dictionary, all)
		switch {
		case err == error(errEnd) && d.phase != inCompressed && d.phase != inStored:
			d.at, d.hold, d.bits = at, hold, bits // the whole step is done again when there is more
		case err == errPause || err == error(errEnd):
		case err != nil:
			d.flush() // the error of the data comes first
			return err
		case d.phase != atEnd:
			continue
		case d.format == Gzip && d.at < len(d.data) && d.data[d.at] != 0: // another stream
			d.phase = atStart
			continue
		}
		d.giveBack()
		if flushed := d.flush(); flushed != nil {
			return flushed
		}
		if err == error(errEnd) && all && !f.Partial {
			return err
		}
		return nil
	}
}

// giveBack puts whole bytes that were read too early back.
func (d *inflater) giveBack() {
	d.at -= int(d.bits / 8)
	d.bits %= 8
	d.hold &= 1<<d.bits - 1
}

// step does the next part of the stream. Only parts of blocks can be done in part.
func (d *inflater) step(dictionary []byte, all bool) error {
	switch d.phase {
	case atStart:
		return d.header(dictionary, all)
	case atBlock:
		return d.block()
	case inStored:
		return d.copyStored()
	case inCompressed:
		if d.kind == fixedBlock {
			return d.compressed(&fixedLiterals, &fixedDistances)
		}
		return d.compressed(&d.literals, &d.distances)
	case atTrailer:
		d.giveBack()
		d.hold, d.bits = 0, 0
		if err := d.flush(); err != nil {
			return err
		}
		if err := d.trailer(); err != nil {
			return err
		}
		d.phase = atEnd
	}
	return nil
}

// header begins a stream.
func (d *inflater) header(dictionary []byte, all bool) error {
	if d.format == Any {
		rest := d.data[d.at:]
		if len(rest) == 0 || len(rest) == 1 && rest[0] == 0x1f && !all {
			return errEnd
		}
		d.format = Zlib
		if rest[0] == 0x1f && (len(rest) == 1 || rest[1] == 0x8b) {
			d.format = Gzip
		}
	}
	d.start, d.end, d.history, d.crc, d.length, d.hold, d.bits = 0, 0, 0, 0, 0, 0, 0
	switch d.format {
	case Gzip, One:
		if err := d.gzipHeader(); err != nil {
			return err
		}
	case Zlib:
		d.crc = 1
		if err := d.zlibHeader(dictionary); err != nil {
			return err
		}
	case Raw:
		if err := d.preset(dictionary); err != nil {
			return err
		}
	}
	d.phase = atBlock
	return nil
}

// block begins a block.
func (d *inflater) block() error {
	if err := d.work(blockWork); err != nil {
		return err
	}
	header, err := d.take(3)
	if err != nil {
		return err
	}
	next := inCompressed
	kind := blockKind(header >> 1)
	switch kind {
	case storedBlock:
		next = inStored
		err = d.storedSize()
	case fixedBlock:
	case dynamicBlock:
		err = d.codes()
	default:
		err = corrupt("invalid block type")
	}
	if err != nil {
		return err
	}
	d.last, d.kind, d.phase = header&1 == 1, kind, next
	return nil
}

// blockDone ends a block.
func (d *inflater) blockDone() {
	d.phase = atBlock
	if d.last {
		d.phase = atTrailer
	}
}

// trailer checks what comes after the data.
func (d *inflater) trailer() error {
	if d.format == Raw {
		return nil
	}
	rest := d.data[d.at:]
	if len(rest) < 4 {
		return errEnd
	}
	if d.format == Zlib {
		if binary.BigEndian.Uint32(rest) != d.crc {
			return corrupt("incorrect data check")
		}
		d.at += 4
		return nil
	}
	if binary.LittleEndian.Uint32(rest) != d.crc {
		return corrupt("incorrect data check")
	}
	if len(rest) < 8 {
		return errEnd
	}
	if binary.LittleEndian.Uint32(rest[4:]) != d.length {
		return corrupt("incorrect length check")
	}
	d.at += 8
	return nil
}
