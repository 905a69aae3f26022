package filetext_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"

	"github.com/toolrun/toolrun/internal/text/filetext"
)

func utf16Of(text string, order binary.AppendByteOrder) string {
	var content []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		content = order.AppendUint16(content, unit)
	}
	return string(content)
}

func TestDecode(t *testing.T) {
	le := func(text string) string { return utf16Of(text, binary.LittleEndian) }
	be := func(text string) string { return utf16Of(text, binary.BigEndian) }
	for name, test := range map[string]struct{ content, text, encoding string }{
		"nothing":                {"", "", ""},
		"ASCII":                  {"a\r\nb\n", "a\r\nb\n", ""},
		"UTF-8":                  {"naïve 日本 😀\x01", "naïve 日本 😀\x01", ""},
		"UTF-8 with a mark":      {"\ufeffa\n\ufeff", "\ufeffa\n\ufeff", ""},
		"carriage returns alone": {"a\rb\r\r", "a\nb\n\n", ""},
		"UTF-16LE":               {le("\ufeffhi"), "hi", "UTF-16LE"},
		"UTF-16BE":               {be("\ufeffhi"), "hi", "UTF-16BE"},
		"UTF-16 of no ASCII": {le("\ufeff日本語\r\n😀é\t\u00a0\ufeff"), "日本語\r\n😀é\t\u00a0\ufeff",
			"UTF-16LE"},
		"a mark of UTF-16 alone":             {"\xff\xfe", "", "UTF-16LE"},
		"UTF-16 with carriage returns alone": {be("\ufeffa\rb"), "a\nb", "UTF-16BE"},
		"UTF-16LE without a mark": {le("[config]\r\nname=Ünal\r\n"), "[config]\r\nname=Ünal\r\n",
			"UTF-16LE"},
		"UTF-16BE without a mark":    {be("hello, world"), "hello, world", "UTF-16BE"},
		"Latin-1":                    {"caf\xe9 menu\n", "café menu\n", "Latin-1"},
		"a short word in Latin-1":    {"\xe9t\xe9\n", "été\n", "Latin-1"},
		"German":                     {"\xdcbergr\xf6\xdfe\r\n", "Übergröße\r\n", "Latin-1"},
		"what begins like a picture": {"BMW f\xe4hrt", "BMW fährt", "Latin-1"},
		"Windows-1252":               {"\x93quoted\x94 \x96 5 \x80 caf\xe9", "“quoted” – 5 € café", "Windows-1252"},
	} {
		t.Run(name, func(t *testing.T) {
			text, form, ok := filetext.Decode([]byte(test.content))
			require.True(t, ok)
			require.Equal(t, test.text, string(text))
			require.Equal(t, test.encoding, form.Encoding())
			if test.encoding != "" {
				require.Contains(t, form.Note(), test.encoding)
			} else {
				require.Empty(t, form.Note())
			}
			content, err := form.Encode(text)
			require.NoError(t, err)
			require.Equal(t, test.content, string(content))
		})
	}
}

func TestWhatIsBinary(t *testing.T) {
	for name, content := range map[string]string{
		"a NUL":                              "a\x00",
		"NULs between letters":               "a\x00b\x00",
		"separated by NULs":                  "one\x00two\x00three\x00four\x00five\x00",
		"a picture":                          "\x89PNG\r\n\x1a\n",
		"a photo":                            "\xff\xd8\xff\xe0 JFIF and words and words",
		"a PDF":                              "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n",
		"an archive":                         "\x1f\x8b\x08 abcdefgh",
		"one byte":                           "\xff",
		"a few":                              "\xca\xfe\xba\xbe",
		"controls":                           "caf\xe9 \x01",
		"what Windows-1252 does not have":    "caf\xe9 \x81",
		"Cyrillic in Windows-1251":           "// \xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0! These are some words.",
		"Japanese in EUC":                    "\xc6\xfc\xcb\xdc\xb8\xec is the name of a language",
		"UTF-8 that is damaged":              "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e \xff",
		"UTF-8 that is cut off":              "caf\u00e9, na\u00efve, fa\xc3",
		"UTF-8 that is cut off once":         "caf\xc3",
		"an odd number of bytes of UTF-16":   "\xff\xfeh\x00i",
		"half a pair":                        "\xff\xfe\x00\xd8a\x00",
		"half a pair at the end":             "\xfe\xff\x00a\xd8\x00",
		"UTF-16 with NULs":                   "\xff\xfea\x00\x00\x00",
		"UTF-32":                             "\xff\xfe\x00\x00a\x00\x00\x00",
		"small numbers":                      "\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x00\x07\x00\x08\x00",
		"small numbers behind a mark":        "\xff\xfe\x01\x00\x02\x00",
		"what is no character":               "\xff\xfea\x00\xff\xff",
		"letters and NULs, but not by turns": "a\x00b\x00c\x00d\x00e\x00f\x00g\x00h\x00\x00i\x00j",
	} {
		_, _, ok := filetext.Decode([]byte(content))
		require.False(t, ok, name)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for size := 32; size < 2000; size += size / 4 {
		content := make([]byte, size)
		for range 20 {
			for i := range content {
				content[i] = byte(random.Uint32())
			}
			_, _, ok := filetext.Decode(content)
			require.False(t, ok, "%q", content)
		}
	}
}

// TestLatin compares with another implementation.
func TestLatin(t *testing.T) {
	for c := 0x80; c <= 0xff; c++ {
		content := "some words " + string([]byte{byte(c)}) + " more words"
		text, form, ok := filetext.Decode([]byte(content))
		want := charmap.Windows1252.DecodeByte(byte(c))
		require.Equal(t, want != '\ufffd', ok, "%x", c)
		if ok {
			require.Equal(t, "some words "+string(want)+" more words", string(text))
			back, err := form.Encode(text)
			require.NoError(t, err)
			require.Equal(t, content, string(back))
		}
	}
}

func TestCharactersThatAnEncodingDoesNotHave(t *testing.T) {
	for content, test := range map[string]struct {
		edited    string
		character rune
		text      string
	}{
		"caf\xe9":          {"café €", '€', "Latin-1 has no character € (U+20AC)"},
		"caf\xe9 ":         {"日", '日', "Latin-1 has no character 日 (U+65E5)"},
		"caf\xe9 \x80":     {"€ “ 😀", '😀', "Windows-1252 has no character 😀 (U+1F600)"},
		"caf\xe9 \x93":     {"\u0081", '\u0081', "Windows-1252 has no character \u0081 (U+0081)"},
		"caf\xe9 \x93\x94": {"\ufffd", '\ufffd', "Windows-1252 has no character \ufffd (U+FFFD)"},
	} {
		_, form, ok := filetext.Decode([]byte(content))
		require.True(t, ok)
		_, err := form.Encode([]byte(test.edited))
		problem, ok := errors.AsType[*filetext.CharacterError](err)
		require.True(t, ok, content)
		require.Equal(t, test.character, problem.Character)
		require.EqualError(t, err, test.text)
	}
}

func TestEndings(t *testing.T) {
	for _, test := range []struct {
		text string
		at   int
		want string
	}{
		{"", 0, ""}, {"abc", 1, ""}, {"a\nb", 0, "\n"}, {"a\nb", 3, "\n"}, {"a\r\nb", 0, "\r\n"}, {"a\r\nb", 4, "\r\n"},
		{"\nb", 0, "\n"}, {"\r\n", 2, "\r\n"},
		{"a\r\nb\nc\nd\n", 3, "\n"},       // between both, most
		{"a\r\nb\nc\r\nd\r\n", 5, "\r\n"}, // between both, most
		{"a\r\nb\r\nc\nd\ne\nf\n", 4, "\r\n"},
		{"a\r\nb\r\nc\nd\ne\nf\n", 9, "\n"},
	} {
		require.Equal(t, test.want, string(filetext.EndingAt([]byte(test.text), test.at)), "%q, %d", test.text, test.at)
	}
	for _, test := range []struct{ text, ending, want string }{
		{"a\nb\r\nc\rd", "\n", "a\nb\nc\rd"}, {"a\nb\r\nc\rd", "\r\n", "a\r\nb\r\nc\rd"}, {"a\nb\r\n", "", "a\nb\r\n"},
	} {
		var ending []byte
		if test.ending != "" {
			ending = []byte(test.ending)
		}
		require.Equal(t, test.want, string(filetext.WithEnding([]byte(test.text), ending)))
	}
}

func TestKeep(t *testing.T) {
	for name, test := range map[string]struct{ old, text, want string }{
		"nothing before":       {"", "a\nb\r\n", "a\nb\r\n"},
		"one line before":      {"a", "a\nb", "a\nb"},
		"one way":              {"a\nb\n", "a\nc\n", "a\nc\n"},
		"the other way":        {"a\r\nb\r\n", "a\nc\nd", "a\r\nc\r\nd"},
		"both, at the end":     {"a\nb\r\nc\r\n", "a\nb\nd\n", "a\nb\r\nd\r\n"},
		"both, in the middle":  {"a\nb\r\nc\r\nd\n", "a\nx\nb\nd\n", "a\nx\r\nb\r\nd\n"},
		"both, in two places":  {"a\nb\r\nc\nd\r\ne\n", "x\nb\nc\nd\ny\n", "x\nb\r\nc\nd\r\ny\n"},
		"both, nothing left":   {"a\nb\r\n", "", ""},
		"both, another order":  {"a\nb\r\nc\n", "c\nb\na\n", "c\nb\r\na\n"},
		"both, without an end": {"a\nb\r\nc", "a\nb\nc\nd", "a\nb\r\nc\r\nd"},
	} {
		require.Equal(t, test.want, string(filetext.Keep([]byte(test.old), []byte(test.text))), name)
		require.Equal(t, test.old, string(filetext.Keep([]byte(test.old), []byte(strings.ReplaceAll(test.old, "\r\n",
			"\n")))), name)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\xff\xfeh\x00i\x00"))
	f.Add([]byte("caf\xe9\r\n\x80"))
	f.Add([]byte("\ufeffa\rb"))
	f.Fuzz(func(t *testing.T, content []byte) {
		before := string(content)
		text, form, ok := filetext.Decode(content)
		require.Equal(t, before, string(content), "it is not changed")
		if !ok {
			return
		}
		require.LessOrEqual(t, len(text), 2*len(content))
		back, err := form.Encode(text)
		require.NoError(t, err)
		require.Equal(t, before, string(back))
	})
}
