package utf8text_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/utf8text"
)

func TestValid(t *testing.T) {
	const bad = "\ufffd"
	for name, test := range map[string]struct{ in, want string }{
		"valid":                         {"a é € 😀 \x00", "a é € 😀 \x00"},
		"a lone continuation":           {"a\x80b", "a" + bad + "b"},
		"a beginning, one mistake":      {"\xf0\x9f\x98x", bad + "x"},
		"two beginnings":                {"\xe2\x82\xe2\x82", bad + bad},
		"a surrogate, three mistakes":   {"\xed\xa0\x80", bad + bad + bad},
		"an overlong form":              {"\xc0\x80", bad + bad},
		"an overlong form of three":     {"\xe0\x80\x80", bad + bad + bad},
		"beyond Unicode":                {"\xf4\x90\x80\x80", bad + bad + bad + bad},
		"bytes that never occur":        {"\xff\xfe", bad + bad},
		"a beginning at the end":        {"a\xf0\x9f", "a" + bad},
		"U+FFFD itself":                 {bad, bad},
		"a character after a beginning": {"\xf0\x9f€", bad + "€"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, utf8text.Valid(test.in))
		})
	}
}

func TestIncomplete(t *testing.T) {
	for in, want := range map[string]int{
		"": 0, "a": 0, "é": 0, "\xc3": 1, "a\xe2": 1, "a\xe2\x82": 2, "\xf0\x9f\x98": 3, "😀": 0,
		"\x80": 0, "\xff": 0, "\xe0\x80": 0, "\xed\xa0": 0, "\xf5": 0, "\xc0": 0, "é\xf0\x9f": 2, "\xe2\x82\xe2": 1,
	} {
		require.Equal(t, want, utf8text.Incomplete(in), "%q", in)
	}
}

func TestAppendUTF16(t *testing.T) {
	for _, test := range []struct {
		units, want string
		limit, cut  int
	}{
		{"a\x00\xe9\x00\xac\x20\x3d\xd8\x00\xde", "aé€😀", 100, 0},
		{"a\x00\xe9\x00\xac\x20\x3d\xd8\x00\xde", "aé", 5, 7},
		{"\x3d\xd8a\x00", "\ufffda", 100, 0},
		{"\x00\xdea\x00\x3d\xd8", "\ufffda\ufffd", 100, 0},
		{"a\x00b", "a", 100, 0},
		{"", "", 0, 0},
	} {
		text, end := utf8text.AppendUTF16([]byte("<"), []byte(test.units), 1+test.limit)
		require.Equal(t, "<"+test.want, string(text))
		require.Equal(t, test.cut > 0, end)
		require.Equal(t, test.cut, utf8text.SizeUTF16([]byte(test.units))-len(test.want))
	}
}
