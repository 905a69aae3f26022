package compare

import "bytes"

// An applier applies the hunks of one file.
type applier struct {
	p       *patcher
	f       *filePatch
	reverse bool
	asked   bool // it is settled whether the patch is reversed

	input    [][]byte
	output   []byte
	rejected []hunk
	skipped  bool // the rest of the patch is not applied
	mismatch bool // a hunk was not exactly where it should be

	frozen int // how many lines of the input are in the output
	offset int // how far the hunk before was from where it should be
	moved  int // how many lines were added by the hunks before
}

func (a *applier) run() {
	for i, h := range a.f.hunks {
		if a.reverse {
			h = h.reversed()
		}
		where, fuzz := 0, 0
		if !a.skipped && a.p.c.Context().Err() == nil {
			where, fuzz = a.find(h, i == 0)
			if a.reverse != a.p.reverse && i == 0 {
				h = a.f.hunks[0]
				if a.reverse {
					h = h.reversed()
				}
			}
		}
		a.mismatch = a.mismatch || where == 0 || fuzz > 0 || a.offset != 0
		if where > 0 {
			a.replace(h, where, fuzz)
			if !a.p.quiet && (fuzz > 0 || a.offset != 0) {
				a.report(i+1, where, fuzz, h)
			}
			continue
		}
		if !a.skipped && !a.p.quiet {
			note := ""
			if a.otherEnds(h) {
				note = " (different line endings)"
			}
			a.p.say("Hunk #%d FAILED at %d%s.\n", i+1, h.at+a.moved, note)
		}
		h.at, h.newAt = h.at+a.moved, h.newAt+a.moved
		a.rejected = append(a.rejected, h)
	}
	for _, line := range a.input[a.frozen:] {
		a.output = append(a.output, line...)
	}
}

// report says that a hunk was applied, but not where it should be.
func (a *applier) report(number, where, fuzz int, h hunk) {
	before, after := h.counts()
	a.p.say("Hunk #%d succeeded at %d", number, where+a.moved-(after-before))
	if fuzz > 0 {
		a.p.say(" with fuzz %d", fuzz)
	}
	if a.offset != 0 {
		s := "s"
		if a.offset == 1 {
			s = ""
		}
		a.p.say(" (offset %d line%s)", a.offset, s)
	}
	a.p.say(".\n")
}

// find returns the line where a hunk belongs, or 0. If the first one does not fit, but does in reverse, the patch seems
// to be reversed.
func (a *applier) find(h hunk, first bool) (where, fuzz int) {
	prefix, suffix := h.surroundings()
	most := min(a.p.fuzz, max(prefix, suffix))
	for ; fuzz <= most; fuzz++ {
		if where = a.locate(h, fuzz); where > 0 {
			return where, fuzz
		}
		a.mismatch = true
		if !first || a.asked || a.p.force || a.reverse != a.p.reverse {
			continue
		}
		other := h.reversed()
		where = a.locate(other, fuzz)
		if where == 0 {
			continue
		}
		what := "Reversed (or previously applied)"
		if a.reverse {
			what = "Unreversed"
		}
		a.asked = true
		if a.p.ask("%s patch detected!", what) == reverse {
			a.reverse = !a.reverse
			return where, fuzz
		}
		a.skipped, a.offset = true, 0
		return 0, fuzz
	}
	return 0, 0
}

// surroundings counts the lines that are kept at the beginning and the end of a hunk.
func (h *hunk) surroundings() (prefix, suffix int) {
	for prefix < len(h.lines) && h.lines[prefix].op == ' ' {
		prefix++
	}
	for suffix < len(h.lines) && h.lines[len(h.lines)-1-suffix].op == ' ' {
		suffix++
	}
	return prefix, suffix
}

// pattern returns the lines that a hunk replaces.
func (h *hunk) pattern() (lines [][]byte) {
	for _, l := range h.lines {
		if l.op != '+' {
			lines = append(lines, l.text)
		}
	}
	return lines
}

// locate looks for the lines of a hunk, the nearest ones to where they should be, without some at both ends. A hunk
// with fewer lines around its changes at one end is at that end of the file.
func (a *applier) locate(h hunk, fuzz int) int {
	pattern := h.pattern()
	guess := h.at + a.offset
	if len(pattern) == 0 {
		if h.at <= 1 && len(a.input) > 0 && a.f.absent != [2]bool{} {
			return 0
		}
		return guess
	}
	prefix, suffix := h.surroundings()
	around := max(prefix, suffix)
	cutBefore, cutAfter := fuzz+prefix-around, fuzz+suffix-around
	last := len(a.input) - (len(pattern) - max(0, cutAfter)) + 1
	match := func(at int) bool {
		if at <= a.frozen || at > last {
			return false
		}
		for i := max(0, cutBefore); i < len(pattern)-max(0, cutAfter); i++ {
			if at+i-1 >= len(a.input) || !a.same(pattern[i], a.input[at+i-1]) {
				return false
			}
		}
		return true
	}
	found := func(at int) int {
		a.offset = at - h.at
		return at
	}
	switch {
	case cutBefore < 0 && h.at <= 1:
		if (cutAfter >= 0 || len(pattern) == len(a.input)) && match(1) {
			return found(1)
		}
		return 0
	case cutAfter < 0:
		if at := len(a.input) - len(pattern) + 1; match(at) {
			return found(at)
		}
		return 0
	}
	nearest := max(0, guess-last, a.frozen+1-guess)
	for distance := nearest; distance <= max(last-guess, guess-a.frozen); distance++ {
		if match(guess + distance) {
			return found(guess + distance)
		}
		if distance > 0 && guess-distance > 0 && match(guess-distance) {
			return found(guess - distance)
		}
	}
	return 0
}

// same compares a line of a patch with one of the file.
func (a *applier) same(pattern, line []byte) bool {
	if bytes.Equal(pattern, line) {
		return true
	}
	if !a.p.c.Has("ignore-whitespace") {
		return false
	}
	return bytes.Equal(bytes.Join(bytes.Fields(pattern), []byte(" ")), bytes.Join(bytes.Fields(line), []byte(" ")))
}

// otherEnds says that a hunk does not fit because its lines end otherwise than those of the file.
func (a *applier) otherEnds(h hunk) bool {
	pattern := h.pattern()
	at := h.at + a.offset - 1
	if len(pattern) == 0 || at < 0 || at >= len(a.input) {
		return false
	}
	return bytes.HasSuffix(pattern[0], []byte("\r\n")) != bytes.HasSuffix(a.input[at], []byte("\r\n"))
}

// replace writes the lines before a hunk, and what it replaces its own by. Lines that are kept are those of the file.
func (a *applier) replace(h hunk, where, fuzz int) {
	for ; a.frozen < min(where-1, len(a.input)); a.frozen++ {
		a.output = append(a.output, a.input[a.frozen]...)
	}
	for _, l := range h.lines {
		switch l.op {
		case '+':
			a.output = append(a.output, l.text...)
			a.moved++
		case '-':
			a.frozen++
			a.moved--
		default:
			if a.frozen < len(a.input) {
				a.output = append(a.output, a.input[a.frozen]...)
				a.frozen++
			}
		}
	}
}
