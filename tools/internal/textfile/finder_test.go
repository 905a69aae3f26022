package textfile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFinder compares it with package bytes.
func TestFinder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 3000 {
		letters := 1 + random.IntN(3)
		text := make([]byte, 1+random.IntN(60))
		for i := range text {
			text[i] = "ab\xff"[random.IntN(letters)]
		}
		what := bytes.Clone(text[random.IntN(len(text)):])
		what = what[:1+random.IntN(len(what))]
		if random.IntN(3) == 0 {
			what[random.IntN(len(what))] = 'b'
		}
		slow := finder{text: text, what: what}
		slow.begin()
		quick := newFinder(text, what)
		require.True(t, quick.quick)
		for from := 0; ; {
			want := bytes.Index(text[min(from, len(text)):], what)
			if want >= 0 {
				want += from
				found++
			}
			require.Equal(t, want, quick.next(from))
			require.Equal(t, want, slow.next(from), "%q in %q from %d", what, text, from)
			if want < 0 {
				break
			}
			from = want + 1 + random.IntN(5)
		}
	}
	require.Greater(t, found, 1000)
}

// TestTextsThatRepeat has texts for which package bytes compares each part of one with each part of the other: some
// minutes for these.
func TestTextsThatRepeat(t *testing.T) {
	const n = 8 << 20
	period := []byte("abcdefghijklmnopqrstuvw\n")
	text := bytes.Repeat(period, n/len(period))
	half := text[:n/48*24]
	missing := newFinder(text, append(bytes.Clone(half), 'X')).next(0)
	require.Equal(t, "-1 1, 2, 3, 4", fmt.Sprint(missing, " ", occurrences(text, half)[:10]))
}
