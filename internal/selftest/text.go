package selftest

import (
	"io"
	"strings"
)

// A text is generated while it is read, so that a large one takes no memory: a unit, n times, between head and tail.
type text struct {
	head, unit string
	n          int
	tail       string
}

// sized returns the text with as many units as fit into a size.
func (t text) sized(size int) text {
	t.n = (size - len(t.head) - len(t.tail)) / len(t.unit)
	return t
}

func (t text) size() int64 {
	return int64(len(t.head)) + int64(t.n)*int64(len(t.unit)) + int64(len(t.tail))
}

func (t text) reader() io.Reader {
	block := strings.Repeat(t.unit, max(1, min(t.n, (64<<10)/len(t.unit))))
	units := io.LimitReader(&repeating{block: block}, int64(t.n)*int64(len(t.unit)))
	return io.MultiReader(strings.NewReader(t.head), units, strings.NewReader(t.tail))
}

// String returns all of the text.
func (t text) String() string { return t.head + strings.Repeat(t.unit, t.n) + t.tail }

// repeating reads a block again and again.
type repeating struct {
	block string
	at    int
}

func (r *repeating) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		copied := copy(p[n:], r.block[r.at:])
		n += copied
		r.at = (r.at + copied) % len(r.block)
	}
	return n, nil
}

// mostGrown is how much the process may grow for a message of a size: by 16 times as much, but 64 MiB at most.
func mostGrown(size int64) int64 { return min(16*size, most) }
