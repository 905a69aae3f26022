package utf8text_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/utf8text"
)

func requireUnits(t *testing.T, s string) {
	want := utf16.Encode([]rune(utf8text.Valid(s)))
	units, narrow := utf8text.Units(s)
	require.Len(t, want, units, "%q", s)
	wide := false
	for _, unit := range want {
		wide = wide || unit > 0xff
	}
	require.Equal(t, !wide, narrow, "%q", s)

	out := make([]byte, 2*units)
	require.Empty(t, utf8text.PutUTF16(out, s))
	for i, unit := range want {
		require.Equal(t, unit, binary.LittleEndian.Uint16(out[2*i:]), "%q, %d", s, i)
	}
	if narrow {
		utf8text.PutLatin1(out, s)
		for i, unit := range want {
			require.Equal(t, byte(unit), out[i], "%q, %d", s, i)
		}
	}
}

func TestPieces(t *testing.T) {
	for _, s := range []string{"aé€😀", "\x80", "\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xf0\x9f\x98x", "😀\x80\x80",
		"\xed\xa0\x80", "\xf4\x90\x80\x80"} {
		s = strings.Repeat(s, 20)
		for n := 4; n < 20; n++ {
			var valid strings.Builder
			for rest := s; rest != ""; {
				end := utf8text.Piece(rest, n)
				require.Positive(t, end)
				require.LessOrEqual(t, end, n)
				valid.WriteString(utf8text.Valid(rest[:end]))
				rest = rest[end:]
			}
			require.Equal(t, utf8text.Valid(s), valid.String(), "%q in pieces of %d", s, n)
		}
	}
}

// What is written need not be what has been counted, if it is the memory of an instance that a script has taken over.
func TestWhatThereIsNoRoomFor(t *testing.T) {
	for _, s := range []string{"aaaaaaaaaa", "é", "aé", "€", "😀", "\xc3", "a\xff", "\xf0\x9f", "ééééé€", ""} {
		for room := range 12 {
			out := make([]byte, room, room+1)
			require.LessOrEqual(t, len(utf8text.PutLatin1(out, s)), room)
			require.LessOrEqual(t, len(utf8text.PutUTF16(out, s)), room)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, s := range []string{
		"", "a", "\x00", "\x7f", "\u0080", "é", "ÿ", "Ā", "€", "\ufffd", "\uffff", "😀", "\U0010ffff",
		"a\x00é\x00ÿ", "é😀é",
		"\x80", "\xff", "a\xc3", "\xe2\x82€", "\xf0\x9f\x98x", "\xed\xa0\x80", "\xc4", "é\xc4é",
	} {
		for _, before := range []int{0, 1, 6, 7, 8, 9, 17} {
			for _, after := range []int{0, 3, 20} {
				requireUnits(t, strings.Repeat("x", before)+s+strings.Repeat("y", after))
			}
		}
	}
}

func FuzzUnits(f *testing.F) {
	f.Add("a é € 😀 \x00")
	f.Add("12345678\xf0\x9f\x98x\xed\xa0\x80")
	for _, part := range []string{"", "a", "\xff", "é", "\u0100", "\ufffd", "\xc3", "\xe2\x82", "\xf4\x90\x80\x80",
		"\xc0\x80", "\U0010ffff", "\xef\xbb\xbf"} {
		f.Add(part)
		f.Add("1234567" + part + "1234567" + part) // around the words that are looked at as a whole
	}
	f.Fuzz(requireUnits)
}

func BenchmarkUnits(b *testing.B) {
	out := make([]byte, 2<<20)
	for name, part := range map[string]string{"ASCII": "x", "Latin-1": "né", "others": "a€"} {
		s := strings.Repeat(part, 1<<20/len(part))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				if n, narrow := utf8text.Units(s); narrow {
					utf8text.PutLatin1(out[:n], s)
				} else {
					utf8text.PutUTF16(out[:2*n], s)
				}
			}
		})
	}
}
