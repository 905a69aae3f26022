package guest

import (
	"context"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/utf8text"
)

// Strings are read from the engine's memory as they lie there: code units of 8 or 16 bits with a length. Its own
// functions for that would cut them at NUL and make invalid UTF-8 of lone surrogates.

// NewString returns s as a string. What is not UTF-8 in it becomes U+FFFD, in the places where web browsers put it.
func (vm *VM) NewString(ctx context.Context, s string) (Value, error) {
	size := utf8text.Size(s)
	p, err := vm.malloc(ctx, size+1) // before the host takes memory for it
	if err != nil {
		return 0, err
	}
	s = utf8text.Valid(s)
	vm.memory.WriteString(p, s)
	vm.memory.WriteByte(p+uint32(size), 0)
	hasNUL := strings.IndexByte(s, 0) >= 0
	if c, _ := vm.memory.Read(p, uint32(size)); hasNUL {
		// The engine stops at a NUL, so it gets another character there, which is overwritten afterwards.
		for i := range c {
			c[i] = max(c[i], 1)
		}
	}
	v, err := vm.callLeaf(ctx, "QJS_NewString", uint64(vm.state.context), uint64(p))
	if err != nil {
		return 0, err
	}
	if hasNUL && Value(v) != Exception {
		vm.putNULs(Value(v), s)
	}
	return Value(v), vm.free(ctx, p)
}

// putNULs writes the NULs of s into a string that was just made, and that nothing else refers to yet.
func (vm *VM) putNULs(v Value, s string) {
	units, wide, _ := vm.units(v)
	size := 1
	if wide {
		size = 2
	}
	at := 0
	for _, c := range s {
		if c == 0 && at < len(units) {
			units[at] = 0
		}
		at += size
		if c > 0xffff {
			at += size
		}
	}
}

// units returns the code units of a string, as they lie in memory, and whether they are of 16 bits. It is false if v is
// not a string.
func (vm *VM) units(v Value) (units []byte, wide, ok bool) {
	if !v.IsString() {
		return nil, false, false
	}
	header := vm.u32(v.pointer() + stringLength)
	length, wide := header&^(1<<31), header>>31 != 0
	if wide {
		if length > math.MaxInt32/2 {
			return nil, false, false
		}
		length *= 2
	}
	at := v.pointer() + stringData
	if vm.u32(v.pointer()+stringFlags)&stringSlice != 0 {
		at = vm.u32(at) + stringData + vm.u32(at+4)
	}
	units, ok = vm.memory.Read(at, length)
	return units, wide, ok
}

// String returns the text of a string, of at most limit bytes, and how many bytes were left out. Lone surrogates become
// U+FFFD. It is false if v is not a string.
func (vm *VM) String(v Value, limit int) (text string, cut int, ok bool) {
	data, cut, ok := vm.UTF8(v, limit)
	return string(data), cut, ok
}

// UTF8 is String without a copy into a string.
func (vm *VM) UTF8(v Value, limit int) (text []byte, cut int, ok bool) {
	units, wide, ok := vm.units(v)
	if !ok {
		return nil, 0, false
	}
	if wide {
		text, cut = utf8text.FromUTF16(units, limit)
	} else {
		text, cut = decodeLatin1(units, limit)
	}
	return text, cut, true
}

func decodeLatin1(data []byte, limit int) (text []byte, cut int) {
	size := len(data) // in UTF-8
	for _, c := range data {
		size += int(c >> 7)
	}
	if size == len(data) {
		n := min(size, limit)
		return append([]byte(nil), data[:n]...), size - n
	}
	out := make([]byte, 0, min(size, limit))
	for _, c := range data {
		if len(out)+1+int(c>>7) > limit {
			break
		}
		out = utf8.AppendRune(out, rune(c))
	}
	return out, size - len(out)
}
