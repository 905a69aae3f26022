package textfile

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/internal/text/filetext"
)

// A match is where a text has what is to be replaced, and what takes its place.
type match struct {
	from, to    int // from is negative if there is no such place, or more than one
	replacement []byte
	lines       string // where it occurs, if it does so more than once
}

// locate finds what is to be replaced. It looks for exactly that first, and then for the same lines with other line
// ends.
func locate(text, old, replacement []byte) match {
	m := match{from: -1, replacement: replacement}
	at, more := search(text, old)
	if more {
		m.lines = occurrences(text, old)
		return m
	}
	m.from, m.to = at, at+len(old)
	if at < 0 {
		plain, what := filetext.Plain(text), filetext.Plain(old)
		if len(plain) < len(text) || len(what) < len(old) { // otherwise, both are what they were
			at, more = search(plain, what)
		}
		switch {
		case more:
			m.lines = occurrences(plain, what)
			return m
		case at < 0 && bytes.IndexByte(what, '\r') >= 0: // which is how lines ended long ago
			return locate(text, bytes.ReplaceAll(what, []byte("\r"), newline),
				bytes.ReplaceAll(filetext.Plain(replacement), []byte("\r"), newline))
		case at < 0:
			return m
		}
		m.from, m.to = unplain(text, at), unplain(text, at+len(what))
	}
	if withoutReturns := func(b []byte) []byte {
		return bytes.ReplaceAll(b, []byte("\r"), nil)
	}; !bytes.Equal(old, replacement) &&
		bytes.Equal(withoutReturns(old), withoutReturns(replacement)) {
		return m // line ends are what is to be changed
	}
	// The \r and the \n of a line end stay together.
	if m.from < m.to && text[m.from] == '\n' && m.from > 0 && text[m.from-1] == '\r' {
		m.from--
	}
	if m.from < m.to && text[m.to-1] == '\r' && m.to < len(text) && text[m.to] == '\n' {
		m.to--
		m.replacement = bytes.TrimSuffix(m.replacement, []byte("\r"))
	}
	m.replacement = filetext.WithEnding(m.replacement, filetext.EndingAt(text, m.from))
	return m
}

// search returns the first place of what, which is not empty, or -1, and whether there are more. They may overlap:
// which one is meant is as unclear then.
func search(text, what []byte) (at int, more bool) {
	find := newFinder(text, what)
	at = find.next(0)
	return at, at >= 0 && find.next(at+1) >= 0
}

// unplain returns the place in a text of a place in [filetext.Plain] of it. Line ends are not divided.
func unplain(text []byte, at int) int {
	from := 0
	for {
		i := bytes.Index(text[from:], []byte("\r\n"))
		if i < 0 || i >= at {
			return from + at
		}
		from, at = from+i+2, at-i-1
	}
}

// maxOccurrences is how many lines are named in which something occurs.
const maxOccurrences = 100

// occurrences names the lines in which what begins.
func occurrences(text, what []byte) string {
	var lines []string
	find := newFinder(text, what)
	at, line := 0, 1
	for {
		begin := find.next(at)
		if begin < 0 {
			break
		}
		if len(lines) == maxOccurrences {
			lines = append(lines, "and more")
			break
		}
		line += bytes.Count(text[at:begin], newline)
		lines = append(lines, fmt.Sprint(line))
		// A line is named once.
		next := bytes.IndexByte(text[begin:], '\n')
		if next < 0 {
			break
		}
		at = begin + next + 1
		line++
	}
	return strings.Join(lines, ", ")
}
