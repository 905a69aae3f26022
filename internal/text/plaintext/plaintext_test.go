package plaintext_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/plaintext"
)

func TestCut(t *testing.T) {
	for limit, want := range []string{"...", "a...", "a...", "aé...", "aéb"} {
		require.Equal(t, want, plaintext.Cut("aéb", limit))
	}
	require.Equal(t, "...", plaintext.Cut("\x80\x80\x80", 2), "what is no text at all is cut where it begins")
	require.Equal(t, "a\uFFFD...", plaintext.Clean("a\xffbc", 2))
	require.Equal(t, 3, plaintext.Boundary("abc", 10))
}

func TestWithoutDataURLs(t *testing.T) {
	long := "data:" + strings.Repeat("x", 400) + ";base64,AAAA"
	for text, want := range map[string]string{
		"":                                 "",
		"no URL":                           "no URL",
		"a\ndata:image/png;base64,iV+/B0=": "a\n[...]",
		"data:;base64,AA== and 'data:a/b;charset=x;base64,AA%3D'.": "[...] and '[...]'.",
		"data:a/b;base64,":           "[...]",
		";base64,AAAA":               ";base64,AAAA",
		"data:text/plain,hello":      "data:text/plain,hello",
		long + " data:a;base64,AA==": long + " [...]",
	} {
		require.Equal(t, want, plaintext.WithoutDataURLs(text, "[...]"))
	}
}
