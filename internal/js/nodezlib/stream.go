package nodezlib

import (
	"encoding/binary"
	"errors"
)

// Streams are compressed and decompressed in parts. What is known between two parts is a state, which is plain data: it
// can lie in a guest's memory, so that streams need nothing of the host's, and a guest that changes it gets wrong data
// or ErrState.

// ErrState is the error for a state that no stream has.
var ErrState = errors.New("the state of the stream is damaged")

// The first words of a state are results of the last part.
const (
	stateUsed  = 0 // how many bytes of the input were used
	stateFlags = 4 // flagEnded, flagMore
	stateBegin = 8 // what follows is not for the caller
)

const (
	flagEnded = 1 // the compressed data is complete
	flagMore  = 2 // there is more output than was asked for
)

var order32 = binary.LittleEndian

// words reads and writes a state's numbers one after the other.
type words []byte

func (w *words) next() int {
	v := order32.Uint32(*w)
	*w = (*w)[4:]
	return int(v)
}

func (w *words) put(values ...int) {
	for _, v := range values {
		order32.PutUint32(*w, uint32(v))
		*w = (*w)[4:]
	}
}

func setResult(state []byte, used, flags int) {
	order32.PutUint32(state[stateUsed:], uint32(used))
	order32.PutUint32(state[stateFlags:], uint32(flags))
}

// formats are the formats by their numbers in states.
var formats = [...]Format{Raw, Zlib, Gzip, One, Any}

func formatNumber(f Format) int {
	for i, known := range formats {
		if known == f {
			return i
		}
	}
	return 0
}

// The state of an inflater: its numbers, the lengths of the codes, and the window.
const (
	inflateNumbers = 12
	inflateLengths = stateBegin + 4*inflateNumbers
	inflateWindow  = inflateLengths + 286 + 30
	inflateState   = inflateWindow + window
)

// stateWork is how much work it is to go on with a state.
const stateWork = 8 << 10

// Begin returns the state of a stream before its first part.
func (f Inflation) Begin() []byte {
	state := make([]byte, inflateState)
	w := words(state[stateBegin:])
	w.put(int(atStart), formatNumber(f.Format))
	return state
}

// Continue decompresses the next part of a stream, and all there is of it if it is the last one. It stops when it has
// written most bytes, or some more. The state's first word becomes how many bytes of data it used: the others have to
// begin the next part. The second word's bit 0 says that the stream is complete, bit 1 that there is more to write.
// The error is as of Inflate, or ErrState.
func (f Inflation) Continue(state, data []byte, last bool, most int, out *Output) error {
	if len(state) != inflateState {
		return ErrState
	}
	if err := f.Work(stateWork); err != nil {
		return err
	}
	d := &inflater{out: out, work: f.Work}
	if !d.load(state) {
		return ErrState
	}
	most += out.Len()
	err := d.write(f, data, last, most)
	flags := 0
	if d.phase == atEnd {
		flags |= flagEnded
	} else if d.out.Len() >= most {
		flags |= flagMore
	}
	setResult(state, max(d.at, 0), flags)
	if err == nil {
		d.save(state)
	}
	return err
}

// save writes the state. Everything has been flushed.
func (d *inflater) save(state []byte) {
	w := words(state[stateBegin:])
	last := 0
	if d.last {
		last = 1
	}
	w.put(int(d.phase), formatNumber(d.format), last, int(d.kind), d.stored, int(d.hold),
		int(d.bits), int(d.crc), int(d.length),
		d.history, d.literalCodes, d.distanceCodes)
	copy(state[inflateLengths:], d.lengths[:])
	copy(state[inflateWindow:], d.buffer[:d.history])
}

// load reads a state, which may have been changed by anyone. It is false if no stream can have it.
func (d *inflater) load(state []byte) bool {
	w := words(state[stateBegin:])
	next, format, last, kind, stored := w.next(), w.next(), w.next(), w.next(), w.next()
	hold, bits, crc, length := w.next(), w.next(), w.next(), w.next()
	history, literals, distances := w.next(), w.next(), w.next()
	if next >= int(phases) || format >= len(formats) || formats[format] == Any && next != int(atStart) || last > 1 ||
		kind > int(dynamicBlock) || stored > 0xffff || bits > 7 || hold >= 1<<bits || history > window ||
		literals > 286 || distances > 30 {
		return false
	}
	d.phase, d.format, d.last, d.kind, d.stored = phase(next), formats[format], last == 1, blockKind(kind), stored
	d.hold, d.bits, d.crc, d.length = uint64(hold), uint(bits), uint32(crc), uint32(length)
	d.history, d.literalCodes, d.distanceCodes = history, literals, distances
	copy(d.lengths[:], state[inflateLengths:])
	for _, n := range d.lengths {
		if n > maxCode {
			return false
		}
	}
	d.start = copy(d.buffer[:], state[inflateWindow:inflateWindow+history])
	d.end = d.start
	if d.phase == inCompressed && d.kind == dynamicBlock {
		return literals > 0 && distances > 0 && d.buildCodes() == nil
	}
	return true
}

// A Flush says how a part of a compressed stream ends.
type Flush int

// The ways to flush.
const (
	NoFlush   Flush = iota // only for no data: what the stream begins with is written
	SyncFlush              // all that was written can be decompressed
	FullFlush              // and what comes then can be without it
	Finish                 // the stream ends
)

// The state of a compressor: its numbers, and the last of the data.
const (
	deflateNumbers = 4
	deflateWindow  = stateBegin + 4*deflateNumbers
	deflateState   = deflateWindow + window
)

// Begin returns the state of a stream before its first part.
func (f Deflation) Begin() []byte { return make([]byte, deflateState) }

// Continue compresses the next part of a stream. Each part costs as much as 32 KiB more. The error is that of Work or
// of the output, or ErrState.
func (f Deflation) Continue(state, data []byte, flush Flush, out *Output) error {
	if len(state) != deflateState {
		return ErrState
	}
	if err := f.Work(stateWork); err != nil {
		return err
	}
	w := words(state[stateBegin:])
	begun, sum, length, history := w.next(), w.next(), w.next(), w.next()
	if begun > 1 || history > window {
		return ErrState
	}
	d := deflater{begun: begun == 1, sum: uint32(sum), length: uint32(length),
		history: state[deflateWindow : deflateWindow+history]}
	if err := f.write(&d, data, flush, out); err != nil {
		return err
	}
	setResult(state, len(data), 0)
	kept := state[deflateWindow:]
	switch {
	case flush == FullFlush:
		history = 0
	case len(data) >= window:
		history = copy(kept, data[len(data)-window:])
	default:
		if drop := len(d.history) + len(data) - window; drop > 0 {
			d.history = d.history[drop:]
		}
		history = copy(kept, d.history)
		history += copy(kept[history:], data)
	}
	w = state[stateBegin:]
	w.put(1, int(d.sum), int(d.length), history)
	return nil
}
