package guest

import (
	"context"
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/utf8text"
)

// Strings are read from the engine's memory as they lie there: code units of 8 or 16 bits with a length. Its own
// functions for that would cut them at NUL and make invalid UTF-8 of lone surrogates.

// NewString returns s as a string. What is not UTF-8 in it becomes U+FFFD, in the places where web browsers put it.
//
// The engine only allocates memory for the string. Its code units are written from here, which is many times faster than the
// engine's own decoder, and takes no second copy in the instance.
func (vm *VM) NewString(ctx context.Context, s string) (Value, error) {
	units, narrow := 0, true
	err := vm.eachPiece(s, func(piece string) {
		n, narrowToo := utf8text.Units(piece)
		units, narrow = units+n, narrow && narrowToo
	})
	if err != nil {
		return 0, err
	}
	size, length := units, units
	if !narrow {
		size, length = 2*units, units|stringWide
	}
	if units > maxStringLength {
		return 0, ErrNoMemory
	}
	p, err := vm.allocate(ctx, stringData+size+1)
	if err != nil {
		return 0, err
	}
	header, ok := vm.memory.Read(p, stringData)
	data, ok2 := vm.memory.Read(p+stringData, uint32(size)+1)
	if !ok || !ok2 {
		return 0, ErrNoMemory
	}
	clear(header)
	header[0] = 1 // the number of references
	binary.LittleEndian.PutUint32(header[stringLength:], uint32(length))
	data[size] = 0 // as the engine has it behind units of 8 bits
	rest := data[:size]
	err = vm.eachPiece(s, func(piece string) {
		if narrow {
			rest = utf8text.PutLatin1(rest, piece)
		} else {
			rest = utf8text.PutUTF16(rest, piece)
		}
	})
	if err != nil {
		return 0, err
	}
	return Value(uint64(tagString&math.MaxUint32)<<32 | uint64(p)), nil
}

// pieceSize is how many bytes of text are worked on before the run is looked at again. They take less than a millisecond or two.
const pieceSize = 64 << 10

// eachPiece calls do with the pieces of s, one after the other, unless Interrupted says that this is of no use any more.
func (vm *VM) eachPiece(s string, do func(piece string)) error {
	for {
		n := utf8text.Piece(s, pieceSize)
		do(s[:n])
		if s = s[n:]; s == "" {
			return nil
		}
		if vm.Interrupted == nil {
			continue
		}
		if err := vm.Interrupted(); err != nil {
			return err
		}
	}
}

// allocate allocates size bytes as the engine does for its own objects.
func (vm *VM) allocate(ctx context.Context, size int) (uint32, error) {
	p, err := vm.callLeaf(ctx, "QJS_NewString", uint64(vm.state.context), uint64(size)) // see patches.go
	if err == nil && uint32(p) == 0 {
		err = ErrNoMemory
	}
	return uint32(p), err
}

// units returns the code units of a string, as they lie in memory, and whether they are of 16 bits. It is false if v is
// not a string.
func (vm *VM) units(v Value) (units []byte, wide, ok bool) {
	if !v.IsString() {
		return nil, false, false
	}
	header := vm.u32(v.pointer() + stringLength)
	length, wide := header&^stringWide, header&stringWide != 0
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
