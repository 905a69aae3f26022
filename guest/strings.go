package guest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Strings are read from the engine's memory as they lie there: code units of 8 or 16 bits with a length. Its own
// functions for that would cut them at NUL and make invalid UTF-8 of lone surrogates.

// NewString returns s as a string. What is not UTF-8 in it becomes U+FFFD.
func (vm *VM) NewString(ctx context.Context, s string) (Value, error) {
	if strings.IndexByte(s, 0) >= 0 {
		return vm.ParseJSON(ctx, quote(s))
	}
	p, err := vm.cString(ctx, strings.ToValidUTF8(s, "\ufffd"))
	if err != nil {
		return 0, err
	}
	v, err := vm.callLeaf(ctx, "QJS_NewString", uint64(vm.context), uint64(p))
	if err != nil {
		return 0, err
	}
	return Value(v), vm.free(ctx, p)
}

// quote returns s as a JSON string without control characters.
func quote(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteByte('"')
	for _, c := range s { // an invalid byte comes as U+FFFD
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < ' ':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// String returns the text of a string, of at most limit bytes, and how many bytes were left out. Lone surrogates become
// U+FFFD. It is false if v is not a string.
func (vm *VM) String(v Value, limit int) (text string, cut int, ok bool) {
	if !v.IsString() {
		return "", 0, false
	}
	header := vm.u32(v.pointer() + stringLength)
	length, wide := header&^(1<<31), header>>31 != 0
	if wide {
		if length > math.MaxInt32/2 {
			return "", 0, false
		}
		data, ok := vm.memory.Read(v.pointer()+stringData, 2*length)
		if !ok {
			return "", 0, false
		}
		text, cut = decodeUTF16(data, limit)
		return text, cut, true
	}
	data, ok := vm.memory.Read(v.pointer()+stringData, length)
	if !ok {
		return "", 0, false
	}
	text, cut = decodeLatin1(data, limit)
	return text, cut, true
}

func decodeLatin1(data []byte, limit int) (text string, cut int) {
	high := 0
	for _, c := range data {
		high += int(c >> 7)
	}
	size := len(data) + high // in UTF-8
	if high == 0 && size <= limit {
		return string(data), 0
	}
	out := make([]byte, 0, min(size, limit))
	for _, c := range data {
		if len(out)+1+int(c>>7) > limit {
			break
		}
		out = utf8.AppendRune(out, rune(c))
	}
	return string(out), size - len(out)
}

func decodeUTF16(data []byte, limit int) (text string, cut int) {
	out := make([]byte, 0, min(len(data), limit))
	size, full := 0, false
	for i := 0; i+1 < len(data); i += 2 {
		r := rune(binary.LittleEndian.Uint16(data[i:]))
		if utf16.IsSurrogate(r) {
			r2 := rune(0)
			if i+3 < len(data) {
				r2 = rune(binary.LittleEndian.Uint16(data[i+2:]))
			}
			if r = utf16.DecodeRune(r, r2); r != utf8.RuneError {
				i += 2
			}
		}
		n := utf8.RuneLen(r)
		size += n
		if full = full || len(out)+n > limit; !full {
			out = utf8.AppendRune(out, r)
		}
	}
	return string(out), size - len(out)
}
