package webapi_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/webapi"
)

// free is work that is never refused.
func free(int) error { return nil }

func decode(d webapi.Decoding, data string) (text string, next []byte, err error) {
	d.Work = free
	var b strings.Builder
	next, err = webapi.Decode(d, []byte(data), func(piece string) error { b.WriteString(piece); return nil })
	return b.String(), next, err
}

func bytesAsText(data []byte) string {
	text := make([]rune, len(data))
	for i, c := range data {
		text[i] = rune(c)
	}
	return string(text)
}

func parseQuery(query string) []string {
	list := []string{}
	_ = webapi.ParseQuery(query, free, func(name, value string) error { list = append(list, name, value); return nil })
	return list
}

// TestWork checks that all that is done in proportion to its input asks for each piece of it, and ends when it may not
// go on.
func TestWork(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	const size = 1 << 20
	stop := errors.New("stop")
	discard := func(string) error { return nil }
	zeros := make([]byte, size)
	decoding := func(encoding string, more bool, data []byte) func(webapi.Work) error {
		return func(work webapi.Work) error {
			_, err := webapi.Decode(webapi.Decoding{Encoding: encoding, More: more, Work: work}, data, discard)
			return err
		}
	}
	for name, f := range map[string]func(webapi.Work) error{
		"UTF-8":        decoding("utf-8", false, zeros),
		"what is not":  decoding("utf-8", false, bytes.Repeat([]byte{0xff}, size)),
		"UTF-16":       decoding("utf-16le", false, zeros),
		"windows-1251": decoding("windows-1251", false, zeros),
		"GB 18030":     decoding("gb18030", false, zeros),
		"Japanese":     decoding("iso-2022-jp", true, zeros),
		"user-defined": decoding("x-user-defined", false, bytes.Repeat([]byte{0xff}, size)),
		"base64": func(work webapi.Work) error {
			_, err := webapi.DecodeBase64(bytes.Repeat([]byte("A"), size), work)
			return err
		},
		"white space": func(work webapi.Work) error {
			_, err := webapi.DecodeBase64(bytes.Repeat([]byte(" "), size), work)
			return err
		},
		"encoding base64": func(work webapi.Work) error {
			_, err := webapi.EncodeBase64(string(zeros), work)
			return err
		},
		"a query": func(work webapi.Work) error {
			return webapi.ParseQuery(strings.Repeat("a&", size/2), work, func(string, string) error { return nil })
		},
		"formatting a query": func(work webapi.Work) error {
			_, err := webapi.FormatQuery(strings.Repeat("&", size), "0"+strings.Repeat(",1", size), work)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			asked, largest := 0, 0
			require.NoError(t, f(func(n int) error { asked, largest = asked+n, max(largest, n); return nil }))
			require.GreaterOrEqual(t, asked, size)
			require.Less(t, asked, 10*size)
			require.LessOrEqual(t, largest, 64<<10)
			last := 0
			require.ErrorIs(t, f(func(n int) error {
				require.Less(t, last, asked/2, "it goes on")
				if last += n; last >= asked/2 {
					return stop
				}
				return nil
			}), stop)
		})
	}
}

func TestBase64(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "aGk=": "hi", "aGk": "hi", " a G\tk\n=\f\r": "hi", "aGl=": "hi", "/+8=": "\xff\xef", "YWI=": "ab",
		"YQ==": "a",
	} {
		data, err := webapi.DecodeBase64([]byte(in), free)
		require.NoError(t, err, "%q", in)
		require.Equal(t, want, string(data), "%q", in)
	}
	for _, in := range []string{"a", "=", "==", "a=", "aa=", "aaa==", "a===", "aGk==", "-_8=", "é", "a\vGk",
		"a\u00a0Gk", "aGk=a", "YQ=="[:3], "\x00"} {
		_, err := webapi.DecodeBase64([]byte(in), free)
		require.ErrorIs(t, err, webapi.ErrBase64, "%q", in)
	}
	encoded, err := webapi.EncodeBase64("a\u00ff\x00", free)
	require.NoError(t, err)
	require.Equal(t, "Yf8A", string(encoded))
	_, err = webapi.EncodeBase64("\u0100", free)
	require.ErrorIs(t, err, webapi.ErrBase64)

	long := bytes.Repeat([]byte("\x00\xff\x80a"), 100_001)
	encoded, err = webapi.EncodeBase64(bytesAsText(long), free)
	require.NoError(t, err)
	require.Equal(t, base64.StdEncoding.EncodeToString(long), string(encoded))
	back, err := webapi.DecodeBase64(bytes.ReplaceAll(encoded, []byte("A"), []byte(" A\n")), free)
	require.NoError(t, err)
	require.Equal(t, long, back)
}

func TestEncodingNames(t *testing.T) {
	for label, want := range map[string]string{
		"utf8": "utf-8", " UTF-8\n": "utf-8", "latin1": "windows-1252", "ascii": "windows-1252", "utf-16": "utf-16le",
		"sjis": "shift_jis", "gb2312": "gbk", "x-user-defined": "x-user-defined", "csiso88598i": "iso-8859-8-i",
	} {
		name, ok := webapi.EncodingName(label)
		require.True(t, ok, label)
		require.Equal(t, want, name)
	}
	for _, label := range []string{"", "utf-7", "utf 8", "\vutf-8", "\u00a0utf-8", "replacement", "hz-gb-2312",
		"utf-8\x00"} {
		_, ok := webapi.EncodingName(label)
		require.False(t, ok, "%q", label)
	}
}

func TestDecoding(t *testing.T) {
	const bad = "\ufffd"
	for name, test := range map[string]struct {
		d        webapi.Decoding
		in, want string
		next     string
	}{
		"UTF-8":             {webapi.Decoding{Encoding: "utf-8"}, "a€\xff", "a€" + bad, ""},
		"a byte order mark": {webapi.Decoding{Encoding: "utf-8"}, "\ufeff\ufeffa", "\ufeffa", ""},
		"a byte order mark that is kept": {webapi.Decoding{Encoding: "utf-8", KeepBOM: true}, "\ufeffa", "\ufeffa",
			""},
		"an incomplete character": {webapi.Decoding{Encoding: "utf-8", More: true}, "a\xe2\x82", "a",
			"\xe2\x82"},
		"UTF-16": {webapi.Decoding{Encoding: "utf-16le"}, "\xff\xfea\x00=\xd8\x00\xde",
			"a😀", ""},
		"UTF-16, the other way": {webapi.Decoding{Encoding: "utf-16be"}, "\xfe\xff\x00a\xd8=\xde\x00",
			"a😀", ""},
		"half a pair, then a letter":        {webapi.Decoding{Encoding: "utf-16le"}, "=\xd8a\x00", bad + "a", ""},
		"the second half of a pair":         {webapi.Decoding{Encoding: "utf-16le"}, "\x00\xdea\x00", bad + "a", ""},
		"half a pair at the end":            {webapi.Decoding{Encoding: "utf-16le"}, "a\x00=\xd8", "a" + bad, ""},
		"half a pair and a byte at the end": {webapi.Decoding{Encoding: "utf-16le"}, "=\xd8a", bad, ""},
		"half a pair, with more to come": {webapi.Decoding{Encoding: "utf-16le", More: true}, "a\x00=\xd8a", "a",
			"=\xd8a"},
		"Latin": {webapi.Decoding{Encoding: "latin1"}, "\xe9\x80", "é€", ""},
		"controls of ISO 8859": {webapi.Decoding{Encoding: "iso-8859-2"}, "\x80\xa1\x9f",
			"\u0080Ą\u009f", ""},
		"Hebrew":                     {webapi.Decoding{Encoding: "iso-8859-8-i"}, "\xe0\x80", "א\u0080", ""},
		"a byte without a character": {webapi.Decoding{Encoding: "windows-1253"}, "\xaaa", "\ufffda", ""},
		"Japanese":                   {webapi.Decoding{Encoding: "shift_jis"}, "\x93\xfa\x96{", "日本", ""},
		"half a character of Japanese": {webapi.Decoding{Encoding: "shift_jis", More: true}, "\x93\xfa\x96", "日",
			"\x96"},
		"Chinese of four bytes, labelled GBK": {webapi.Decoding{Encoding: "gbk"}, "\x810\x810", "\u0080", ""},
		"a state that goes on": {webapi.Decoding{Encoding: "iso-2022-jp", More: true}, "\x1b$BF|\x4b",
			"日", "\x1b$B\x4b"},
		"half an escape sequence": {webapi.Decoding{Encoding: "iso-2022-jp", More: true}, "a\x1b$", "a", "\x1b$"},
	} {
		t.Run(name, func(t *testing.T) {
			text, next, err := decode(test.d, test.in)
			require.NoError(t, err)
			require.Equal(t, test.want, text)
			require.Equal(t, test.next, string(next))
			test.d.Fatal = true
			_, _, err = decode(test.d, test.in)
			if strings.Contains(test.want, bad) {
				require.ErrorIs(t, err, webapi.ErrEncoding)
			} else {
				require.NoError(t, err)
			}
		})
	}
	for encoding, part := range map[string]string{
		"utf-8": "a€\xf0\x9f", "utf-16le": "a\x00=\xd8\x00\xde=\xd8", "utf-16be": "\x00a\xd8=\xde\x00",
		"gbk": "\x81\x30\x81\x30a\x80", "latin1": "\xe9a\x80",
		"shift_jis": "\x93\xfaa", "iso-2022-jp": "\x1b$BF|\x1b(Ba", "iso-8859-2": "\x80\xa1", "big5": "\x88\x62a",
	} {
		for _, size := range []int{1, 16<<10 - 3, 16<<10 + 1, 50_000} { // around where it is done in pieces
			data := strings.Repeat(part, size/len(part)+1)
			whole, _, err := decode(webapi.Decoding{Encoding: encoding}, data)
			require.NoError(t, err)
			var pieces strings.Builder
			var rest []byte
			for at, n := 0, 0; at < len(data); at += n { // as a decoder that streams, in pieces of another size
				n = min(7001, len(data)-at)
				text, next, err := decode(webapi.Decoding{Encoding: encoding, KeepBOM: at > 0, More: at+n < len(data)},
					string(rest)+data[at:at+n])
				require.NoError(t, err)
				pieces.WriteString(text)
				rest = next
			}
			require.Equal(t, whole, pieces.String(), encoding)
		}
	}
	text, _, err := decode(webapi.Decoding{Encoding: "utf-16le", Fatal: true}, "\xfd\xff")
	require.NoError(t, err)
	require.Equal(t, bad, text, "U+FFFD itself is no mistake")
}

func TestQueries(t *testing.T) {
	for in, want := range map[string][]string{
		"":                   {},
		"&&":                 {},
		"a=1&b=&c&=d":        {"a", "1", "b", "", "c", "", "", "d"},
		"a+b=%2B+%zz%4":      {"a b", "+ %zz%4"},
		"a=%ff%e2%82&b=%+1":  {"a", "\ufffd\ufffd", "b", "% 1"},
		"x==y":               {"x", "=y"},
		"%F0%9F%98%80=%f0+%": {"😀", "\ufffd %"},
	} {
		require.Equal(t, want, parseQuery(in), in)
	}
	for _, test := range [][3]string{
		{"a1 bü&='*-._~", "1,1,2,4,4,1", "a=1&+b=%C3%BC%26%3D%27&*-._=%7E"},
		{"aé😀b", "1,0,3,1", "a=&%C3%A9%F0%9F%98%80=b"},
	} {
		query, err := webapi.FormatQuery(test[0], test[1], free)
		require.NoError(t, err)
		require.Equal(t, test[2], query)
	}
	for _, lengths := range []string{"", "1", "1,2,1", "1,0,3,2", "-1", "x", "5,", "99999999999999999999"} {
		_, err := webapi.FormatQuery("aé😀b", lengths, free)
		require.ErrorIs(t, err, webapi.ErrLengths, lengths)
	}
}

func TestURLs(t *testing.T) {
	base := "http://a.b/c/d?e#f"
	for input, want := range map[string]string{
		"x": "http://a.b/c/x", "/x": "http://a.b/x", "//x": "http://x/", "?x": "http://a.b/c/d?x",
		"#x":      "http://a.b/c/d?e#x",
		"https:x": "https://x/", "": "http://a.b/c/d?e",
		"data:a  ?b":     "data:a %20?b",
		"http://x/^":     "http://x/%5E",
		"http://0x7f.1/": "http://127.0.0.1/",
	} {
		u, err := webapi.ParseURL(input, &base)
		require.NoError(t, err, input)
		require.Equal(t, want, u.Href)
	}
	for origin, inputs := range map[string][]string{
		"http://a:81": {"http://a:81/x", "blob:http://a:81/uuid"},
		"null":        {"file:///a", "data:x", "blob:x", "blob:ftp://a/b", "about:blank"},
		"wss://a":     {"wss://a:443/"},
	} {
		for _, input := range inputs {
			u, err := webapi.ParseURL(input, nil)
			require.NoError(t, err)
			require.Equal(t, origin, u.Origin, input)
		}
	}
	for _, input := range []string{"", "x", "http://", "http://a b/", "http://[1", "http://1.2.3.4.5/",
		"http://a:99999/"} {
		_, err := webapi.ParseURL(input, nil)
		require.ErrorIs(t, err, webapi.ErrInvalidURL, input)
	}
}

func TestSettingPartsOfURLs(t *testing.T) {
	const href = "http://u:p@h:8080/p?q#f"
	for _, test := range []struct{ part, value, want string }{
		{"protocol", "https", "https://u:p@h:8080/p?q#f"},
		{"protocol", "data", href},
		{"username", "é", "http://%C3%A9:p@h:8080/p?q#f"},
		{"password", "", "http://u@h:8080/p?q#f"},
		{"host", "x:1", "http://u:p@x:1/p?q#f"},
		{"host", "x y", href},
		{"hostname", "x", "http://u:p@x:8080/p?q#f"},
		{"port", "80", "http://u:p@h/p?q#f"},
		{"port", "x", href},
		{"pathname", "a/../b?", "http://u:p@h:8080/b%3F?q#f"},
		{"search", "", "http://u:p@h:8080/p#f"},
		{"hash", "#x y", "http://u:p@h:8080/p?q#x%20y"},
		{"href", "data:x", "data:x"},
	} {
		u, err := webapi.SetURL(href, test.part, test.value)
		require.NoError(t, err, test)
		require.Equal(t, test.want, u.Href, test)
	}
	for _, test := range []struct{ href, part, value string }{{"x", "host", "a"}, {href, "href", "x"},
		{href, "nonsense", "x"}} {
		_, err := webapi.SetURL(test.href, test.part, test.value)
		require.ErrorIs(t, err, webapi.ErrInvalidURL, test)
	}
}

func TestLongURLs(t *testing.T) {
	long := strings.Repeat("a", webapi.MaxURLHead)
	for name, input := range map[string]string{
		"a path": "http://a/" + long, "dots": "http://a/" + strings.Repeat("/..", webapi.MaxURLHead/3),
		"a host": "http://" + long,
		"a name": "http://" + long + "@", "a data URL with segments": "data:/" + long, "a query": "http://a?" +
			strings.Repeat("x", webapi.MaxURL),
	} {
		_, err := webapi.ParseURL(input, nil)
		require.ErrorIs(t, err, webapi.ErrLongURL, name)
		_, err = webapi.ParseURL("x", &input)
		require.ErrorIs(t, err, webapi.ErrLongURL, name)
		_, err = webapi.SetURL(input, "port", "1")
		require.ErrorIs(t, err, webapi.ErrLongURL, name)
	}
	for _, part := range []string{"pathname", "host", "username"} {
		_, err := webapi.SetURL("http://a/", part, long+"a")
		require.ErrorIs(t, err, webapi.ErrLongURL, part)
	}
	for name, input := range map[string]string{
		"a query": "http://a?" + strings.Repeat(long, 10), "a fragment": "http://a#" + strings.Repeat(long, 10),
		"a data URL": "DATA:x," + strings.Repeat(long, 10),
	} {
		u, err := webapi.ParseURL(input, nil)
		require.NoError(t, err, name)
		require.Greater(t, len(u.Href), 10*webapi.MaxURLHead)
	}
}

// FuzzURLs looks for texts that make the parser fail in other ways than by an error.
func FuzzURLs(f *testing.F) {
	f.Add("http://u:p@h:1/p?q#f", "host", "x")
	f.Add("file:///C|/x", "pathname", "..")
	f.Add("x://[1::2.3.4.5]/", "hostname", "[::]")
	for i, part := range []string{"href", "protocol", "username", "password", "host", "hostname", "port", "pathname",
		"search", "hash", "other"} {
		for _, input := range []string{
			"data:a b  #c", "blob:https://h/x", "http://0x7f.1/", "http://xn--a/", "https://é.example:443/%zz?%",
			"non-special://a\\b", "javascript:/..//x", "ws://h:80/..?^",
		} {
			f.Add(input, part, []string{"", "x:y@z:1/p?q#f", "//h", " \t%00\u00ad", "99999", "[::1", "a^b c"}[i%7])
		}
	}
	f.Fuzz(func(t *testing.T, input, part, value string) {
		u, err := webapi.ParseURL(input, nil)
		if err != nil {
			return
		}
		again, err := webapi.ParseURL(u.Href, nil)
		require.NoError(t, err, "%.200q", u.Href)
		require.Equal(t, u, again)
		_, _ = webapi.SetURL(u.Href, part, value)
		_, _ = webapi.ParseURL(value, &u.Href)
	})
}
