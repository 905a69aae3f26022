package quickjs

import (
	"context"
	"encoding/binary"
	"io"
	"math"
	"math/bits"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/text/utf8text"
)

// Strings are read from the engine's memory as they lie there: code units of 8 or 16 bits with a length. Its own
// functions for that would cut them at NUL and make invalid UTF-8 of lone surrogates.

// NewString returns s as a JavaScript string. Invalid UTF-8 becomes U+FFFD, as in web browsers.
func (vm *VM) NewString(ctx context.Context, s string) (Value, error) {
	return vm.NewText(ctx, func(do func(piece string) error) error { return vm.eachPiece(s, do) })
}

// A Text produces a text in pieces: it calls do with each piece, until do fails, and returns that error. Each time
// it is called, the pieces are the same. A piece is valid until do returns.
type Text func(do func(piece string) error) error

// NewText returns a text as a JavaScript string, as NewString does. It asks for the pieces twice: to count, and to
// write them.
//
// The engine only allocates memory for the string. Go writes its code units, which is many times faster than the
// engine's own decoder and needs no second copy of the text, neither in the instance nor here.
func (vm *VM) NewText(ctx context.Context, text Text) (Value, error) {
	units, narrow := 0, true
	err := text(func(piece string) error {
		n, narrowToo := utf8text.Units(piece)
		units, narrow = units+n, narrow && narrowToo
		return nil
	})
	if err != nil {
		return 0, err
	}
	v, rest, err := vm.newUnits(ctx, units, !narrow)
	if err != nil {
		return 0, err
	}
	err = text(func(piece string) error {
		if narrow {
			rest = utf8text.PutLatin1(rest, piece)
		} else {
			rest = utf8text.PutUTF16(rest, piece)
		}
		return nil
	})
	clear(rest) // empty, unless a script that has taken over the instance has changed the pieces meanwhile
	if err != nil {
		return 0, err
	}
	return v, nil
}

// NewLatin1 returns a JavaScript string of characters up to U+00FF, one byte each, which fill writes into the
// instance's memory. An error of fill is returned; bytes that it leaves are NUL.
func (vm *VM) NewLatin1(ctx context.Context, size int, fill func(data []byte) error) (Value, error) {
	v, data, err := vm.newUnits(ctx, size, false)
	if err != nil {
		return 0, err
	}
	clear(data)
	return v, fill(data)
}

// newUnits returns a string of so many code units, which the caller must write to data.
func (vm *VM) newUnits(ctx context.Context, units int, wide bool) (v Value, data []byte, err error) {
	if units > maxStringLength {
		return 0, nil, ErrNoMemory
	}
	size, length := units, units
	if wide {
		size, length = 2*units, units|stringWide
	}
	p, err := vm.allocate(ctx, stringData+size+1)
	if err != nil {
		return 0, nil, err
	}
	header, ok := vm.memory.Read(p, stringData)
	data, ok2 := vm.memory.Read(p+stringData, uint32(size)+1)
	if !ok || !ok2 {
		return 0, nil, ErrNoMemory
	}
	clear(header)
	header[0] = 1 // the number of references
	binary.LittleEndian.PutUint32(header[stringLength:], uint32(length))
	data[size] = 0 // as the engine has it behind units of 8 bits
	return Value(uint64(tagString&math.MaxUint32)<<32 | uint64(p)), data[:size], nil
}

// PieceSize is how many bytes are processed in Go before Work is called again. They take less than a millisecond or
// two.
const PieceSize = 64 << 10

// spend asks Work, if there is one.
func (vm *VM) spend(bytes int) error {
	if vm.Work == nil {
		return nil
	}
	return vm.Work(bytes)
}

// eachPiece calls do with the pieces of s, until Work or do fails.
func (vm *VM) eachPiece(s string, do func(piece string) error) error {
	for {
		n := utf8text.Piece(s, PieceSize)
		if err := vm.spend(n); err != nil {
			return err
		}
		if err := do(s[:n]); err != nil {
			return err
		}
		if s = s[n:]; s == "" {
			return nil
		}
	}
}

// copyPieces copies as much as fits, and clears the rest of the destination.
func (vm *VM) copyPieces(to []byte, from string) error {
	err := vm.eachPiece(from[:min(len(from), len(to))], func(piece string) error {
		to = to[copy(to, piece):]
		return nil
	})
	clear(to)
	return err
}

// allocate allocates size bytes as the engine does for its own objects.
func (vm *VM) allocate(ctx context.Context, size int) (uint32, error) {
	p, err := vm.callLeaf(ctx, "QJS_NewString", uint64(vm.state.Context), uint64(size)) // see patches.go
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
	units, ok = vm.memory.Read(vm.dataOf(v), length)
	return units, wide, ok
}

// dataOf returns the address of a string's code units.
func (vm *VM) dataOf(v Value) uint32 {
	at := v.pointer() + stringData
	if vm.u32(v.pointer()+stringFlags)&stringSlice != 0 {
		at = vm.u32(at) + stringData + vm.u32(at+4)
	}
	return at
}

// String returns the text of a string, at most limit bytes of it, and how many bytes were cut off. Lone surrogates
// become U+FFFD. It is false if v is not a string, or if Work stopped it.
func (vm *VM) String(v Value, limit int) (text string, cut int, ok bool) {
	data, cut, ok := vm.UTF8(v, limit)
	return utf8text.View(data), cut, ok // data is not shared
}

// UTF8 is String for bytes.
func (vm *VM) UTF8(v Value, limit int) (text []byte, cut int, ok bool) {
	units, wide, ok := vm.units(v)
	if !ok {
		return nil, 0, false
	}
	if len(units) <= PieceSize {
		if vm.spend(len(units)) != nil {
			return nil, 0, false
		}
		text, cut = decodeUnits(units, wide, limit)
		return text, cut, true
	}
	size := 0
	err := vm.eachUnits(units, wide, func(piece []byte) error {
		size += sizeOfUnits(piece, wide)
		return nil
	})
	if err != nil {
		return nil, 0, false
	}
	text = make([]byte, 0, min(size, limit))
	ascii := !wide && size == len(units)
	err = vm.eachUnits(units, wide, func(piece []byte) error {
		end := false
		if ascii && len(text)+len(piece) <= limit {
			text = append(text, piece...)
			return nil
		}
		if text, end = appendUnits(text, piece, wide, limit); end {
			return io.EOF
		}
		return nil
	})
	if err != nil && err != io.EOF {
		return nil, 0, false
	}
	return text, size - len(text), true
}

// EncodeInto writes as much of a string's text as fits to a buffer, in UTF-8, and returns how many code units it
// has read and how many bytes it has written. It is false if v is not a string, or if Work stopped it.
func (vm *VM) EncodeInto(v Value, buffer []byte) (read, written int, ok bool) {
	units, wide, ok := vm.units(v)
	if !ok {
		return 0, 0, false
	}
	text := buffer[:0]
	err := vm.eachUnits(units, wide, func(piece []byte) error {
		before, end := len(text), false
		text, end = appendUnits(text, piece, wide, len(buffer))
		n, _ := utf8text.Units(utf8text.View(text[before:]))
		read += n
		if end {
			return io.EOF
		}
		return nil
	})
	return read, len(text), err == nil || err == io.EOF
}

// Units returns the code units of a string, one byte for each or, if wide, two. They are the instance's memory: they
// change when the script goes on. It is false if v is not a string.
func (vm *VM) Units(v Value) (units []byte, wide, ok bool) { return vm.units(v) }

// UnitsText returns the text of code units, which are as Units returns them. Lone surrogates become U+FFFD.
func UnitsText(units []byte, wide bool) string {
	text, _ := decodeUnits(units, wide, math.MaxInt)
	return utf8text.View(text) // it is not shared
}

// SizeUTF8 returns how many bytes a string has in UTF-8. It is false if v is not a string. The error is that of Work.
func (vm *VM) SizeUTF8(v Value) (size int, ok bool, err error) {
	units, wide, ok := vm.units(v)
	err = vm.eachUnits(units, wide, func(piece []byte) error {
		size += sizeOfUnits(piece, wide)
		return nil
	})
	return size, ok, err
}

// Encode returns a new ArrayBuffer with the text of a string in UTF-8. It is false if v is not a string.
func (vm *VM) Encode(ctx context.Context, v Value) (buffer Value, ok bool, err error) {
	units, wide, ok := vm.units(v)
	if !ok {
		return 0, false, nil
	}
	size, _, err := vm.SizeUTF8(v)
	if err != nil {
		return 0, true, err
	}
	buffer, err = vm.FillArrayBuffer(ctx, size, func(memory []byte) error {
		text := memory[:0]
		ascii := !wide && size == len(units)
		err := vm.eachUnits(units, wide, func(piece []byte) error {
			if ascii && len(text)+len(piece) <= len(memory) {
				text = append(text, piece...)
				return nil
			}
			text, _ = appendUnits(text, piece, wide, len(memory))
			return nil
		})
		clear(memory[len(text):])
		return err
	})
	return buffer, true, err
}

// eachUnits calls do with pieces of a string, until Work or do fails. It does not split pairs of surrogates.
func (vm *VM) eachUnits(units []byte, wide bool, do func(piece []byte) error) error {
	for {
		n := min(len(units), PieceSize)
		if wide && n < len(units) && units[n-1]&0xfc == 0xd8 {
			n -= 2
		}
		if err := vm.spend(n); err != nil {
			return err
		}
		if err := do(units[:n]); err != nil {
			return err
		}
		if units = units[n:]; len(units) == 0 {
			return nil
		}
	}
}

// sizeOfUnits is how many bytes the code units have in UTF-8.
func sizeOfUnits(units []byte, wide bool) int {
	if wide {
		return utf8text.SizeUTF16(units)
	}
	size := len(units)
	for ; len(units) >= 8; units = units[8:] {
		size += bits.OnesCount64(binary.LittleEndian.Uint64(units) & 0x8080808080808080)
	}
	for _, c := range units {
		size += int(c >> 7)
	}
	return size
}

// appendUnits appends the code units in UTF-8, until there are limit bytes. It reports whether that is the end.
func appendUnits(text, units []byte, wide bool, limit int) (more []byte, end bool) {
	if wide {
		return utf8text.AppendUTF16(text, units, limit)
	}
	n := utf8text.ASCII(utf8text.View(units))
	if n > limit-len(text) {
		return append(text, units[:limit-len(text)]...), true
	}
	text = append(text, units[:n]...)
	for _, c := range units[n:] {
		if len(text)+1+int(c>>7) > limit {
			return text, true
		}
		text = utf8.AppendRune(text, rune(c))
	}
	return text, false
}

func decodeUnits(units []byte, wide bool, limit int) (text []byte, cut int) {
	size := sizeOfUnits(units, wide)
	if !wide && size == len(units) {
		n := min(size, limit)
		return append([]byte(nil), units[:n]...), size - n
	}
	text, _ = appendUnits(make([]byte, 0, min(size, limit)), units, wide, limit)
	return text, size - len(text)
}
