package xmlcall

import "strings"

// What a model quotes is no call in any dialect: what is in a result, and what stands between backquotes on one line.

// A resultFinder finds the results in a text, which a model can only quote. The text is searched once, if the positions
// that are asked for grow.
type resultFinder struct {
	text  string
	first tag // the first one from searched on; it starts at the end of the text if there is none
	from  int // where the search began
	begun bool
}

// before returns the first result that begins at from or behind it, and before pos. end is behind it, or 0 if it has no
// end.
func (f *resultFinder) before(pos, from int) (result tag, end int, ok bool) {
	if !f.begun || from < f.from || from > f.first.start {
		if f.first, ok = nextResult(f.text, from); !ok {
			f.first = tag{start: len(f.text)}
		}
		f.from, f.begun = from, true
	}
	if f.first.start >= pos {
		return tag{}, 0, false
	}
	if i := strings.Index(f.text[f.first.end:], resultEnd); i >= 0 {
		end = f.first.end + i + len(resultEnd)
	}
	return f.first, end, true
}

// unended is the block for a result that has no end, and calls in it. It goes to the end of the text.
func unended(text string, result tag) Block {
	b := Block{Start: result.start, End: len(text), Truncated: true}
	b.fail("there is %v without %s behind it. Results are not for you to write. Everything behind it has been left out",
		result, resultEnd)
	return b
}

// mentioned reports whether a call that has been parsed is only mentioned: it is well-formed, and stands on one line in
// backquotes. Where the text ends before that can be seen, the call fails. begin is what it begins with.
func (b *Block) mentioned(text, begin string) bool {
	if b.Err != nil || !quoted(text, b.Start) || strings.ContainsAny(text[b.Start:b.End], "\r\n") {
		return false
	}
	if b.End == len(text) {
		b.fail("there is a backquote before %s. A call has none around it", begin)
		b.Truncated = true
		return false
	}
	return text[b.End] == '`'
}
