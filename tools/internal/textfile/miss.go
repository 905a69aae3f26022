package textfile

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// ExplainMiss returns a sentence, with a space in front, if a text has something that looks like old but differs from
// it in what cannot be seen, or that is old without the line numbers that views show. Otherwise it returns "". All
// lines end with \n. It takes time in proportion to the lengths of both. name is the model's word for old.
func ExplainMiss(text, old []byte, name string) string {
	if at, d := findAlike(text, old); at >= 0 && len(d.causes) > 0 {
		at, there := at+d.text, old[d.old:]
		for { // to what differs
			c, size := utf8.DecodeRune(there)
			if c2, _ := utf8.DecodeRune(text[at:]); size == 0 || at == len(text) || c != c2 {
				break
			}
			at, there = at+size, there[size:]
		}
		return fmt.Sprintf(" Apart from %s it is there: line %d has %s where %s has %s.",
			strings.Join(d.causes, " and "),
			1+bytes.Count(text[:at], newline), nameOf(text[at:]), name, nameOf(there))
	}
	if plain, ok := withoutNumbers(old); ok {
		if at, _ := findAlike(text, plain); at >= 0 {
			return fmt.Sprintf(" Without the line numbers that view shows, which are not in the file, "+
				"it is there from line %d on.",
				1+bytes.Count(text[:at], newline))
		}
	}
	return ""
}

// numbered matches how a line begins that was copied with its number.
var numbered = lazyregexp.New(`^[ \t]*(\d{1,6})(?:\t|→| {2,}|[:|] ?)`)

// withoutNumbers returns lines without their numbers, if they have successive ones.
func withoutNumbers(lines []byte) ([]byte, bool) {
	plain := make([]byte, 0, len(lines))
	next := 0
	for line := range bytes.Lines(lines) {
		found := numbered().FindSubmatch(line)
		if found == nil {
			return nil, false
		}
		number, _ := strconv.Atoi(string(found[1])) // there are few digits
		if next > 0 && number != next {
			return nil, false
		}
		next = number + 1
		plain = append(plain, line[len(found[0]):]...)
	}
	return plain, next > 0
}

// maxAlike is how many places are compared that could be alike.
const maxAlike = 20

// findAlike returns the first place where a text looks like old, or -1, and how they differ.
func findAlike(text, old []byte) (at int, d difference) {
	core := bytes.Trim(looks(old), "\n")
	if len(core) == 0 {
		return -1, d
	}
	before := old[:len(old)-len(bytes.TrimLeftFunc(old, func(c rune) bool {
		return c == '\n' || isBlank(c) || isInvisible(c)
	}))]
	find := newFinder(looks(text), core)
	r := reader{text: text, start: true}
	written := 0 // how long the looks of what has been read are
	for n, found := 0, 0; n < maxAlike; n++ {
		if found = find.next(found); found < 0 {
			break
		}
		var next token
		for next = r.next(); !next.end && (written < found || len(next.looks) == 0); next = r.next() {
			written += len(next.looks)
		}
		if next.end {
			break
		}
		if written == found {
			at := beginning(text, next.from, before)
			if d, ok := compare(text[at:], old, at == 0 || text[at-1] == '\n'); ok {
				return at, d
			}
		}
		written += len(next.looks)
		found++
	}
	return -1, d
}

// looks returns how a text looks: that of all its tokens.
func looks(text []byte) []byte {
	all := make([]byte, 0, len(text))
	r := reader{text: text, start: true}
	for {
		next := r.next()
		if next.end {
			return all
		}
		all = append(all, next.looks...)
	}
}

// beginning returns where something in a text begins if the blanks and line breaks before it are those that old begins
// with.
func beginning(text []byte, at int, before []byte) int {
	if bytes.HasSuffix(text[:at], before) {
		return at - len(before)
	}
	over := func() {
		for at > 0 {
			c, size := utf8.DecodeLastRune(text[:at])
			if !isBlank(c) && !isInvisible(c) {
				return
			}
			at -= size
		}
	}
	over()
	for range bytes.Count(before, newline) {
		if at > 0 && text[at-1] == '\n' {
			at--
			over()
		}
	}
	if before[0] == '\n' { // what is in front of that is not meant
		at += max(0, bytes.IndexByte(text[at:], '\n'))
	}
	return at
}

// Causes of differences that cannot be seen, or hardly.
const (
	indentation = "the indentation"
	trailing    = "blanks at the end of lines"
	blanks      = "tabs or the number of spaces"
	spaces      = "no-break or other special spaces"
	quotes      = "curly or straight quotes"
	dashes      = "the kind of dashes or dots"
	invisible   = "invisible characters"
	composition = "composed or decomposed letters"
	lastLine    = "a line break at the end of the file"
)

// A difference is how two texts differ that look the same.
type difference struct {
	causes    []string
	text, old int // where the first difference is
}

func (d *difference) note(cause string, text, old int) {
	if len(d.causes) == 0 {
		d.text, d.old = text, old
	}
	if !slices.Contains(d.causes, cause) {
		d.causes = append(d.causes, cause)
	}
}

// compare compares old with the beginning of a text, up to what cannot be seen. start is true if the text is at the
// beginning of a line.
func compare(text, old []byte, start bool) (d difference, ok bool) {
	ra, rb := reader{text: text, start: start}, reader{text: old, start: start}
	a, b := ra.next(), rb.next()
	for !b.end {
		if !bytes.Equal(a.skipped, b.skipped) {
			d.note(invisible, a.from-len(a.skipped), b.from-len(b.skipped))
		}
		if b.blank && b.to == len(old) && bytes.HasPrefix(text[a.from:], old[b.from:]) {
			break // more blanks follow
		}
		nextA, nextB := true, true
		switch {
		case a.end:
			if len(bytes.Trim(old[b.from:], " \t\n")) > 0 {
				return d, false
			}
			cause := trailing
			if bytes.IndexByte(old[b.from:], '\n') >= 0 {
				cause = lastLine
			}
			d.note(cause, a.from, b.from)
			return d, true
		case a.blank && b.blank:
			if cause := causeOfBlanks(a, b, text, old); cause != "" {
				d.note(cause, a.from, b.from)
			}
		case a.blank && a.soft() && !b.blank, b.blank && b.soft() && !a.blank:
			cause := trailing
			switch {
			case a.blank && !a.trails, b.blank && b.leads && a.looks[0] != '\n':
				cause = indentation
			case b.blank && a.looks[0] != '\n':
				return d, false // old ends here, and the line does not
			}
			d.note(cause, a.from, b.from)
			nextA, nextB = a.blank, b.blank
		case !bytes.Equal(a.looks, b.looks):
			return d, false
		case !bytes.Equal(text[a.from:a.to], old[b.from:b.to]):
			d.note(causeOf(a.looks), a.from, b.from)
		}
		if nextA {
			a = ra.next()
		}
		if nextB {
			b = rb.next()
		}
	}
	if !bytes.HasPrefix(text[a.from-len(a.skipped):], b.skipped) {
		d.note(invisible, a.from-len(a.skipped), b.from-len(b.skipped))
	}
	return d, true
}

// causeOfBlanks returns how some blanks differ from others, or "".
func causeOfBlanks(a, b token, text, old []byte) string {
	blanksA, blanksB := text[a.from:a.to], old[b.from:b.to]
	switch {
	case bytes.Equal(blanksA, blanksB):
		return ""
	case bytes.Equal(asSpaces(blanksA), asSpaces(blanksB)):
		return spaces
	case a.trails && b.trails:
		return trailing
	case a.leads && b.leads:
		return indentation
	}
	return blanks
}

// causeOf returns how characters with the same looks differ.
func causeOf(looks []byte) string {
	switch looks[0] {
	case '\'', '"':
		return quotes
	case '-', '.':
		return dashes
	}
	return composition
}

// nameOf names the character with which a text begins.
func nameOf(text []byte) string {
	if len(text) == 0 {
		return "the end"
	}
	switch c, _ := utf8.DecodeRune(text); {
	case c == ' ':
		return "a space"
	case c == '\t':
		return "a tab"
	case c == '\n':
		return "a line break"
	case c == '\r':
		return "a carriage return"
	case c == '\u00a0':
		return "a no-break space (U+00A0)"
	case isBlank(c):
		return fmt.Sprintf("the space U+%04X", c)
	case isInvisible(c):
		return fmt.Sprintf("the invisible character U+%04X", c)
	case c < utf8.RuneSelf:
		return string(c)
	default:
		return fmt.Sprintf("%c (U+%04X)", c, c)
	}
}
