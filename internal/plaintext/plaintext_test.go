package plaintext_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/plaintext"
)

func TestCut(t *testing.T) {
	for limit, want := range []string{"...", "a...", "a...", "aé...", "aéb"} {
		require.Equal(t, want, plaintext.Cut("aéb", limit))
	}
	require.Equal(t, "...", plaintext.Cut("\x80\x80\x80", 2), "what is no text at all is cut where it begins")
	require.Equal(t, "a\uFFFD...", plaintext.Clean("a\xffbc", 2))
	require.Equal(t, 3, plaintext.Boundary("abc", 10))
}
