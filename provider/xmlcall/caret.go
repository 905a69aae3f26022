package xmlcall

import (
	_ "embed"
	"strings"

	"github.com/toolrun/toolrun/tool"
)

//go:embed guide_caret.md
var caretGuide string

// caret is the mark that a call begins with, before the name, and ends with, alone.
const caret = "^^^"

// parseCaret is Parse for [Caret].
func parseCaret(text string) []Block {
	results := resultFinder{text: text}
	lines := lineScanner{text: text}
	var blocks []Block
	for from := 0; lines.next(); {
		tool, ok := caretOpen(lines.line)
		if !ok {
			continue
		}
		if result, end, ok := results.before(lines.start, from); ok && end == 0 {
			return append(blocks, unended(text, result))
		} else if ok {
			lines.at, from = max(lines.start, end), end
			continue
		}
		if len(blocks) == MaxBlocks {
			return append(blocks, tooMany(text, lines.start))
		}
		b := Block{Tool: tool, Start: lines.start}
		b.caretParams(&lines, text)
		from = b.End
		blocks = append(blocks, b)
	}
	return blocks
}

// caretOpen returns the tool of a line that begins a call.
func caretOpen(line string) (name string, ok bool) {
	name, ok = strings.CutPrefix(strings.TrimRight(line, " \t\r"), caret)
	return name, ok && tool.CheckName(name) == nil
}

// A lineScanner goes through the lines of a text.
type lineScanner struct {
	text       string
	line       string // without the newline
	start, end int    // of the line
	at         int
}

func (s *lineScanner) next() bool {
	if s.at >= len(s.text) {
		return false
	}
	s.start = s.at
	line, _, found := strings.Cut(s.text[s.at:], "\n")
	s.line, s.end = line, s.at+len(line)
	if s.at = s.end; found {
		s.at++
	}
	return true
}

// caretParams parses the lines of a call behind the first one.
func (b *Block) caretParams(lines *lineScanner, text string) {
	for lines.next() {
		line := strings.TrimRight(lines.line, " \t\r")
		if line == caret {
			b.End = lines.start + len(caret)
			return
		}
		if other, ok := caretOpen(line); ok {
			b.fail("%s%s is not closed before %[1]s%[3]s begins: a line %[1]s must follow behind the last parameter, "+
				"and one call cannot be inside of another", caret, short(b.Tool), short(other))
			b.End, lines.at = lines.start, lines.start
			return
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		switch name, long := strings.CutSuffix(line, " ---"); {
		case long && isKey(strings.TrimSpace(name)):
			b.caretText(lines, text, strings.TrimSpace(name))
		case !ok || !isKey(strings.TrimSpace(key)):
			b.fail("in %s%s there is text outside of its parameters: %q", caret, short(b.Tool), short(line))
		case strings.TrimSpace(value) == "[":
			b.caretList(lines, strings.TrimSpace(key))
		default:
			b.Params = append(b.Params, Param{strings.TrimSpace(key), strings.TrimSpace(value)})
		}
		if b.Truncated {
			break
		}
	}
	b.fail("%s%s is not closed: a line %[1]s must follow behind the last parameter", caret, short(b.Tool))
	b.Truncated, b.End = true, len(text)
}

// isKey reports whether a text can be the name of a parameter.
func isKey(name string) bool {
	return name != "" && len(name) <= 200 && !strings.ContainsAny(name, " \t:^")
}

// caretText parses a text of several lines.
func (b *Block) caretText(lines *lineScanner, text, key string) {
	from, end := lines.at, "--- "+key
	for lines.next() {
		if strings.TrimRight(lines.line, " \t\r") == end {
			value := strings.TrimSuffix(text[from:lines.start], "\n")
			b.Params = append(b.Params, Param{key, strings.TrimSuffix(value, "\r")})
			return
		}
	}
	b.fail("%s of %s%s is not closed: a line %q must follow behind the text", short(key),
		caret, short(b.Tool), short(end))
	b.Truncated = true
}

// caretList parses a list, which has a line for each item.
func (b *Block) caretList(lines *lineScanner, key string) {
	var items []string
	for lines.next() {
		item := strings.TrimSpace(lines.line)
		switch {
		case item == "]":
			b.addItems(key, listValues(items))
			return
		case item == caret:
			b.addItems(key, items)
			b.fail("the list %s of %s%s is not closed: a line ] must follow behind the last item",
				short(key), caret, short(b.Tool))
			lines.at = lines.start
			return
		case item != "":
			items = append(items, item)
		}
	}
	b.addItems(key, items)
	b.Truncated = true
}

// writeCaret writes a call.
func writeCaret(b Block) string {
	var w strings.Builder
	w.WriteString(caret + b.Tool + "\n")
	for i := 0; i < len(b.Params); {
		key := b.Params[i].Key
		from, short := i, true
		for i < len(b.Params) && b.Params[i].Key == key {
			v := b.Params[i].Value
			short = short && v != "" && strings.TrimSpace(v) == v && !strings.ContainsAny(v, "\r\n") &&
				v != "[" && v != "]" && v != caret
			i++
		}
		if short && i-from > 1 {
			w.WriteString(key + ": [\n")
		}
		for _, p := range b.Params[from:i] {
			switch {
			case !short:
				w.WriteString(key + " ---\n" + p.Value + "\n--- " + key + "\n")
			case i-from > 1:
				w.WriteString(p.Value + "\n")
			default:
				w.WriteString(key + ": " + p.Value + "\n")
			}
		}
		if short && i-from > 1 {
			w.WriteString("]\n")
		}
	}
	w.WriteString(caret)
	return w.String()
}
