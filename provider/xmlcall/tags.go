package xmlcall

import (
	"strings"

	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// A tag is one of the format's own tags.
type tag struct {
	kind       tagKind
	name       string
	start, end int
	// alone tags close themselves: <tool:x/>.
	alone bool
	// bad is what is wrong with a tag that is not well-formed, or "". If unfinished is true as well, the text ends in
	// it.
	bad        string
	unfinished bool
}

type tagKind int

const (
	toolOpen tagKind = iota
	toolClose
	paramOpen
	paramClose
	sectionOpen // <![CDATA[
	resultOpen  // <tool_result ...>
)

const (
	cdataOpen  = "<![CDATA["
	cdataClose = "]]>"
)

// String is the tag as it should be written.
func (t tag) String() string {
	switch t.kind {
	case toolOpen:
		return "<tool:" + short(t.name) + ">"
	case toolClose:
		return "</tool:" + short(t.name) + ">"
	case paramOpen:
		return "<param:" + short(t.name) + ">"
	case paramClose:
		return "</param:" + short(t.name) + ">"
	case resultOpen:
		return "<" + resultTag + ">"
	}
	return cdataOpen
}

// nextTag returns the first tag at from or behind it. ok is false if there is none.
func nextTag(text string, from int) (t tag, ok bool) {
	for from < len(text) {
		i := strings.IndexByte(text[from:], '<')
		if i < 0 {
			break
		}
		from += i
		if t, ok := tagAt(text, from); ok {
			return t, true
		}
		from++
	}
	return tag{}, false
}

// tagAt returns the tag that begins with the < at start. It looks no further than to the next < or >, so that to look
// everywhere in a text takes time in proportion to its length.
func tagAt(text string, start int) (t tag, ok bool) {
	if strings.HasPrefix(text[start:], cdataOpen) {
		return tag{kind: sectionOpen, start: start, end: start + len(cdataOpen)}, true
	}
	i := start + 1
	closing := i < len(text) && text[i] == '/'
	if closing {
		i++
	}
	t = tag{start: start}
	switch {
	case strings.HasPrefix(text[i:], "tool:"):
		t.kind, i = toolOpen, i+len("tool:")
	case strings.HasPrefix(text[i:], "param:"):
		t.kind, i = paramOpen, i+len("param:")
	default:
		return tag{}, false
	}
	if closing {
		t.kind++
	}
	nameEnd := i
	for nameEnd < len(text) && isNameByte(text[nameEnd]) {
		nameEnd++
	}
	if nameEnd == i || text[i] == ':' {
		return tag{}, false
	}
	t.name = strings.ToValidUTF8(unescape(text[i:nameEnd]), "\uFFFD")
	i = nameEnd
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	if !closing && strings.HasPrefix(text[i:], "/>") {
		t.alone, t.end = true, i+2
		return t, true
	}
	if i < len(text) && text[i] == '>' {
		t.end = i + 1
		return t, true
	}
	end := strings.IndexAny(text[i:], "<>")
	if end >= 0 && text[i+end] == '>' {
		t.bad, t.end = "only a name can be in it; arguments are written as <param:KEY>VALUE</param:KEY>", i+end+1
		return t, true
	}
	t.bad, t.end, t.unfinished = "its > is missing", nameEnd, end < 0
	return t, true
}

// isNameByte reports whether a byte can be part of a name in a tag. Any other character can be there as a reference.
func isNameByte(c byte) bool {
	return c > ' ' && c != 0x7f && !strings.ContainsRune("<>/\"'`=", rune(c))
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// mentioned reports whether a tag stands alone in backquotes, as where a model talks about it.
func (t tag) mentioned(text string) bool {
	return !t.alone && quoted(text, t.start) && t.end < len(text) && text[t.end] == '`'
}

// quoted reports whether a backquote is before something.
func quoted(text string, start int) bool { return start > 0 && text[start-1] == '`' }

// nextResult returns the first tag at from or behind it that begins a result. A tag that is only mentioned does not
// count.
func nextResult(text string, from int) (t tag, ok bool) {
	const begin = "<" + resultTag
	for from < len(text) {
		i := strings.Index(text[from:], begin)
		if i < 0 {
			break
		}
		t := tag{kind: resultOpen, start: from + i}
		from = t.start + len(begin)
		end := strings.IndexAny(text[from:], "<>")
		if end >= 0 && text[from+end] == '>' && (end == 0 || isSpace(text[from])) {
			if t.end = from + end + 1; !t.mentioned(text) {
				return t, true
			}
		}
	}
	return tag{}, false
}

// short shortens a name or a value for a message.
func short(s string) string { return plaintext.Clean(s, 100) }
