package provider

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestObjectEnd asks after each piece whether the arguments are a complete object, and compares the answer with parsing
// all of the text.
func TestObjectEnd(t *testing.T) {
	pieces := []string{
		`{`, `}`, `{}`, `[`, `]`, `\"`, `\"a\":`, `1`, ` `, `\n`, `\t`, `\r`, `\\`, `\\\"`, `\u0022`, `\u007b`,
		`\u007D`, `\u005c`, `\u0020`, `\u00e9`, `\ud83d`, `\ude00`, `\/`, `\b`, `é`,
		`{\"a\":`, `\"}\"`, `,`, `:`, `null`, `{\"a\":{}}`, ``, "\u2028",
	}
	random := rand.New(rand.NewPCG(1, 2))
	whole := 0
	for range 30000 {
		var call pendingCall
		if random.IntN(2) == 0 {
			call.pieces = []byte(`{\"a\":`)
		}
		for range random.IntN(8) {
			call.pieces = append(call.pieces, pieces[random.IntN(len(pieces))]...)
			input, err := call.arguments()
			require.NoError(t, err)
			want := first(input) == '{' && json.Valid(input)
			require.Equal(t, want, call.complete(), "%s", call.pieces)
			if want {
				whole++
			}
		}
	}
	require.Greater(t, whole, 1000)
}

// TestObjectEndWithoutJSON passes text that no event can contain.
func TestObjectEndWithoutJSON(t *testing.T) {
	for _, text := range []string{`\`, `{\`, `{}\u`, `{}\u00`, `{\u007`, `}`, `]]]`, `{}}`, `{]`, `{}\uzzzz`,
		strings.Repeat(`\`, 7)} {
		for cut := range len(text) {
			var end objectEnd
			end.reached([]byte(text[:cut]))
			end.reached([]byte(text))
		}
	}
}
