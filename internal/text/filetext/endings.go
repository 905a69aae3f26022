package filetext

import "bytes"

var (
	lf   = []byte("\n")
	crlf = []byte("\r\n")
)

// Plain returns a text in which all lines end with \n.
func Plain(text []byte) []byte { return bytes.ReplaceAll(text, crlf, lf) }

// EndingAt returns how the lines around a place of a text end: both of them, if they end in the same way, or else most
// lines of the text. It is \n or \r\n, or nil if the text is part of one line.
func EndingAt(text []byte, at int) []byte {
	before, after := endingOf(text, bytes.LastIndexByte(text[:at], '\n')), []byte(nil)
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		after = endingOf(text, at+i)
	}
	switch {
	case before == nil:
		return after
	case after == nil, len(before) == len(after):
		return before
	case 2*bytes.Count(text, crlf) >= bytes.Count(text, lf):
		return crlf
	}
	return lf
}

// endingOf returns how a line ends whose \n is at a place, or nil if there is none.
func endingOf(text []byte, at int) []byte {
	switch {
	case at < 0:
		return nil
	case at > 0 && text[at-1] == '\r':
		return crlf
	}
	return lf
}

// WithEnding returns a text all of whose lines end in this way. It is the text itself if ending is nil.
func WithEnding(text, ending []byte) []byte {
	if ending == nil {
		return text
	}
	if text = Plain(text); len(ending) > 1 {
		text = bytes.ReplaceAll(text, lf, ending)
	}
	return text
}

// maxAligned is how many lines a text may have for [Keep] to look for each of them.
const maxAligned = 50_000

// Keep returns a new version of a whole text whose lines end as those of the old one do: a line that the old text has,
// too, ends as it did there, and others end like most. It is for editors that do not keep line ends.
func Keep(old, text []byte) []byte {
	windows, all := bytes.Count(old, crlf), bytes.Count(old, lf)
	usual := lf
	if 2*windows >= all {
		usual = crlf
	}
	switch {
	case all == 0:
		return text
	case windows == 0, windows == all, max(all, bytes.Count(text, lf)) > maxAligned:
		return WithEnding(text, usual)
	}
	// The lines at both ends are the same ones. Between them, each is the next one of the same content.
	was, is := bytes.SplitAfter(old, lf), bytes.SplitAfter(Plain(text), lf)
	same := func(i, j int) bool { return bytes.Equal(Plain(was[i]), is[j]) }
	first, last, most := 0, 0, min(len(was), len(is))
	for first < most && same(first, first) {
		first++
	}
	for last < most-first && same(len(was)-1-last, len(is)-1-last) {
		last++
	}
	between := map[string][][]byte{}
	for _, line := range was[first : len(was)-last] {
		content := string(Plain(line))
		between[content] = append(between[content], line)
	}
	kept := make([]byte, 0, len(text)+windows)
	for i, line := range is {
		found := between[string(line)]
		switch {
		case i < first:
			kept = append(kept, was[i]...)
		case i >= len(is)-last:
			kept = append(kept, was[len(was)-len(is)+i]...)
		case len(found) > 0:
			kept = append(kept, found[0]...)
			between[string(line)] = found[1:]
		default:
			kept = append(kept, WithEnding(line, usual)...)
		}
	}
	return kept
}
