package runtime

import (
	"bytes"
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
