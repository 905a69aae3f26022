package textfile

import (
	"bytes"
	"strconv"
	"strings"
)

// countLines returns how many lines a text has.
func countLines(text []byte) int {
	n := bytes.Count(text, newline)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

var newline = []byte("\n")

// afterLine returns where a text goes on after its first n lines.
func afterLine(text []byte, n int) int {
	at := 0
	for ; n > 0; n-- {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	return at
}

// numberWidth is how wide the numbers of lines are.
const numberWidth = 6

// writeNumbered writes lines with their numbers, of which the first is given, without a newline behind the last one.
func writeNumbered(b *strings.Builder, text []byte, first int) {
	for n := first; len(text) > 0; n++ {
		if n > first {
			b.WriteByte('\n')
		}
		var digits [20]byte
		number := strconv.AppendInt(digits[:0], int64(n), 10)
		for range numberWidth - len(number) {
			b.WriteByte(' ')
		}
		b.Write(append(number, '\t'))
		line, rest, _ := bytes.Cut(text, newline)
		b.Write(line)
		text = rest
	}
}

// numberedSize is how many bytes writeNumbered writes, or a few more.
func numberedSize(text []byte, lines int) int { return len(text) + lines*(numberWidth+1) }

// snippetLines is how many lines around a change are shown.
const snippetLines = 3

// snippet shows the lines of a text that have something of text[from:to] in them, or the line at from, and some around
// them.
func snippet(text []byte, from, to int) string {
	first := bytes.Count(text[:from], newline) // lines before it
	last := first
	if to > from {
		last += bytes.Count(text[from:to-1], newline)
	}
	start := max(first-snippetLines, 0)
	at := afterLine(text, start)
	shown := text[at:]
	count := last + 1 + snippetLines - start
	shown = shown[:afterLine(shown, count)]
	var b strings.Builder
	b.Grow(numberedSize(shown, count))
	writeNumbered(&b, shown, start+1)
	return b.String()
}
