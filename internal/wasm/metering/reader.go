package metering

import (
	"errors"
	"fmt"
)

var errTruncated = errors.New("unexpected end")

// reader reads the binary format from a byte slice. It keeps the first error; after that, every read returns zero.
type reader struct {
	data []byte
	pos  int
	err  error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = fmt.Errorf("at byte %d: %w", r.pos, err)
	}
}

func (r *reader) done() bool { return r.err != nil || r.pos >= len(r.data) }

func (r *reader) byte() byte {
	if r.err != nil {
		return 0
	}
	if r.pos >= len(r.data) {
		r.fail(errTruncated)
		return 0
	}
	b := r.data[r.pos]
	r.pos++
	return b
}

// take returns the next n bytes, not copied.
func (r *reader) take(n uint32) []byte {
	if r.err != nil {
		return nil
	}
	if uint64(n) > uint64(len(r.data)-r.pos) {
		r.fail(errTruncated)
		return nil
	}
	b := r.data[r.pos : r.pos+int(n)]
	r.pos += int(n)
	return b
}

// u32 reads an unsigned LEB128 number of at most 32 bits.
func (r *reader) u32() uint32 {
	var v uint32
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		if shift == 28 && b > 0x0f {
			break
		}
		v |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.fail(errors.New("number too large"))
	return 0
}

// i32 reads a signed LEB128 number of at most 32 bits.
func (r *reader) i32() int32 {
	var v int64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		if b < 0x80 {
			if b&0x40 != 0 {
				v -= 1 << (shift + 7)
			}
			if int64(int32(v)) != v {
				break
			}
			return int32(v)
		}
	}
	r.fail(errors.New("number too large"))
	return 0
}

// index reads the index of one of n things. It must check the range, because metering adds functions, types, globals
// and locals after those of the module, so an index out of range could become valid.
func (r *reader) index(n uint32, what string) uint32 {
	v := r.u32()
	if r.err == nil && v >= n {
		r.fail(fmt.Errorf("there is no %s %d", what, v))
	}
	return v
}

// opcode reads the number after a prefix. It refuses long encodings, because some runtimes read a single byte, and
// would see other immediates than Rewrite.
func (r *reader) opcode() uint32 {
	start := r.pos
	op := r.u32()
	if r.err == nil && r.pos-start > 1 && r.data[r.pos-1] == 0 {
		r.fail(fmt.Errorf("%w: opcode %#x in a longer form than needed", ErrUnsupported, op))
	}
	return op
}

// skipLEB skips a LEB128 number, signed or not, of at most bits bits.
func (r *reader) skipLEB(bits int) {
	for n := 0; n < (bits+6)/7; n++ {
		if r.byte() < 0x80 {
			return
		}
	}
	r.fail(errors.New("number too long"))
}

// each calls do for each element of a vector, which must be all that there is.
func (r *reader) each(do func()) {
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		do()
	}
	_ = r.end() // which r keeps
}

// end fails if anything is left over, and returns the error of the reader.
func (r *reader) end() error {
	if r.err == nil && r.pos != len(r.data) {
		r.fail(errors.New("bytes are left over"))
	}
	return r.err
}

func (r *reader) name() string { return string(r.take(r.u32())) }

// appendU32 appends v as unsigned LEB128.
func appendU32(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// appendI32 appends a signed number in LEB128.
func appendI32(b []byte, v int32) []byte {
	for v < -0x40 || v >= 0x40 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)&0x7f)
}

func appendName(b []byte, s string) []byte {
	return append(appendU32(b, uint32(len(s))), s...)
}
