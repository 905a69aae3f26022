package runtime

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// What an instance prints can be all of its memory, in one call a thousand times. It would take minutes to look at
// each of the lines.
func TestOutputThatHasNoRoom(t *testing.T) {
	lines := bytes.Repeat([]byte("\n"), 64<<20)
	o := limitOutput(200)
	o.write(LevelLog, []byte("a\nb\n"))
	o.write(LevelLog, bytes.Repeat([]byte("x"), 200))
	left := o.truncated
	require.Positive(t, left)
	for range 1024 {
		o.write(LevelLog, lines)
	}
	require.Len(t, o.console, 3)
	require.Equal(t, left+1024*64<<20-1, o.truncated, "the first one ends a line that is there")
}

// TestLongLines are several entries, which make up the line: none is copied again and again while the line grows.
func TestLongLines(t *testing.T) {
	o := limitOutput(64 << 20)
	var want bytes.Buffer
	for n := range 40 {
		part := bytes.Repeat([]byte("é"), 100_000+n)
		want.Write(part)
		for piece := range slices.Chunk(part, 99_999) { // within characters
			o.write(LevelLog, piece)
		}
		require.Less(t, cap(o.raw), 4<<20)
	}
	o.write(LevelLog, []byte("\nnext"))
	console, truncated := o.End()
	require.Zero(t, truncated)
	text := ""
	for i, e := range console {
		text += e.Text
		require.Equal(t, i != len(console)-2, e.Unfinished)
	}
	require.Equal(t, want.String()+"next", text)
	require.Greater(t, len(console), 5)
}
