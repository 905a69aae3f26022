package xmlcall

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

//go:embed guide_usetool.md
var useToolGuide string

const (
	useToolOpen  = "<use_tool>"
	useToolClose = "</use_tool>"
	itemName     = "item" // of the elements of a list
)

// parseUseTool is Parse for [UseTool].
func parseUseTool(text string) []Block {
	results := resultFinder{text: text}
	p := elements{text: text}
	var blocks []Block
	for at, from := 0, 0; ; {
		i := strings.Index(text[at:], useToolOpen)
		if i < 0 {
			return blocks
		}
		start := at + i
		if result, end, ok := results.before(start, from); ok && end == 0 {
			return append(blocks, unended(text, result))
		} else if ok {
			at, from = max(at, end), end
			continue
		}
		at = start + len(useToolOpen)
		if quoted(text, start) && at < len(text) && text[at] == '`' {
			continue // it is only mentioned
		}
		if len(blocks) == MaxBlocks {
			return append(blocks, tooMany(text, start))
		}
		b := p.call(start)
		at, from = b.End, b.End
		if !b.mentioned(text, useToolOpen) {
			blocks = append(blocks, b)
		}
	}
}

// elements parses the elements of calls in a text.
type elements struct {
	text string
	pos  int
}

// call parses the call that begins at a position.
func (p *elements) call(start int) Block {
	b := Block{Start: start}
	p.pos = start + len(useToolOpen)
	p.inside(&b, "")
	switch {
	case b.Err != nil:
		p.leave(&b)
	case b.Tool == "":
		b.fail("in %s there is no <name>", useToolOpen)
	}
	b.End = p.pos
	return b
}

// inside parses elements up to the end tag of the one that they are in, or of the call.
func (p *elements) inside(b *Block, in string) {
	end := useToolClose
	if in != "" {
		end = "</" + in + ">"
	}
	for {
		rest := strings.TrimLeft(p.text[p.pos:], " \t\r\n")
		p.pos = len(p.text) - len(rest)
		if strings.HasPrefix(rest, end) {
			p.pos += len(end)
			return
		}
		name, ok := startTag(rest)
		if !ok {
			if rest == "" || strings.HasPrefix(rest, useToolClose) || !strings.Contains(rest, useToolClose) {
				b.fail("%s is not closed: %s must follow behind the parameters", strings.Replace(end, "/", "", 1), end)
				b.Truncated = !strings.Contains(rest, useToolClose)
				return
			}
			between, _, _ := strings.Cut(rest, "<")
			if between == "" {
				between, _, _ = strings.Cut(rest, ">")
			}
			b.fail("in %s there is text outside of its parameters: %q", useToolOpen, short(strings.TrimSpace(between)))
			return
		}
		p.pos += len(name) + len("<>")
		if in == "" && (name == "parameters" || name == "arguments" || name == "args") {
			p.parameters(b, name)
		} else {
			p.element(b, name, in == "")
		}
		if b.Err != nil {
			return
		}
	}
}

// parameters parses what is in an element that has all parameters: a JSON object, or elements.
func (p *elements) parameters(b *Block, name string) {
	rest := strings.TrimLeft(p.text[p.pos:], " \t\r\n")
	if !strings.HasPrefix(rest, "{") {
		p.inside(b, name)
		return
	}
	raw, ok := p.value(b, name)
	if !ok {
		return
	}
	object := jsonText(raw, '{')
	if object == nil || jsontree.Check(object, jsontree.Limits{Values: maxValues}) != nil {
		b.fail("<%s> of %s is not valid JSON", name, useToolOpen)
		return
	}
	jsontree.Members(object, func(key, value []byte) {
		text := string(value)
		if value[0] == '"' {
			_ = json.Unmarshal(value, &text) // it is valid
		}
		b.Params = append(b.Params, Param{string(key), text})
	})
}

// element parses the name of the tool or a parameter, behind its start tag.
func (p *elements) element(b *Block, name string, outer bool) {
	begin := p.pos
	value, ok := p.value(b, name)
	if !ok {
		return
	}
	if outer && name == "name" && b.Tool == "" {
		if b.Tool = strings.ToValidUTF8(strings.TrimSpace(value), "\uFFFD"); b.Tool == "" {
			b.fail("in %s, <name> is empty", useToolOpen)
		}
		return
	}
	e := element{name: name, raw: p.text[begin : p.pos-len("</>")-len(name)], first: len(b.Params)}
	values := []string{value}
	if items, ok := listItems(e.raw); ok {
		values = listValues(items)
	}
	b.addItems(name, values)
	e.params = len(b.Params) - e.first
	b.elements = append(b.elements, e)
}

// value reads a value up to its end tag.
func (p *elements) value(b *Block, name string) (string, bool) {
	end := "</" + name + ">"
	var segments []segment
	for {
		rest := p.text[p.pos:]
		i := strings.IndexByte(rest, '<')
		for ; i >= 0; i = next(rest, i) {
			if at := rest[i:]; strings.HasPrefix(at, end) || strings.HasPrefix(at, cdataOpen) ||
				strings.HasPrefix(at, useToolOpen) || strings.HasPrefix(at, useToolClose) {
				break
			}
		}
		switch {
		case i < 0:
			b.fail("<%s> in %s is not closed: %s must follow behind the value", short(name), useToolOpen, short(end))
			b.Truncated = true
			return "", false
		case strings.HasPrefix(rest[i:], end):
			p.pos += i + len(end)
			return join(append(segments, segment{text: rest[:i]})), true
		case !strings.HasPrefix(rest[i:], cdataOpen):
			tag, _, _ := strings.Cut(rest[i:], ">")
			b.fail("<%s> in %s is not closed before %s>: %s must follow behind the value. "+
				"If the value has this tag in it, it must be in %s ... %s, or be written with &lt;",
				short(name), useToolOpen, tag, short(end), cdataOpen, cdataClose)
			return "", false
		}
		section, _, ok := strings.Cut(rest[i+len(cdataOpen):], cdataClose)
		if !ok {
			b.fail("in <%s> of %s there is %s without %s", short(name), useToolOpen, cdataOpen, cdataClose)
			b.Truncated = true
			p.pos = len(p.text)
			return "", false
		}
		segments = append(segments, segment{text: rest[:i]}, segment{section, true})
		p.pos += i + len(cdataOpen) + len(section) + len(cdataClose)
	}
}

// next returns where the < behind the one at i is, or -1.
func next(text string, i int) int {
	if j := strings.IndexByte(text[i+1:], '<'); j >= 0 {
		return i + 1 + j
	}
	return -1
}

// leave goes to the end of a call in which something is malformed. What is in it may be meant as text.
func (p *elements) leave(b *Block) {
	if b.Truncated {
		p.pos = len(p.text)
		return
	}
	if i := strings.Index(p.text[p.pos:], useToolClose); i >= 0 {
		p.pos += i + len(useToolClose)
		return
	}
	b.Truncated = true
	p.pos = len(p.text)
}

// startTag returns the name in the start tag that a text begins with.
func startTag(text string) (name string, ok bool) {
	if !strings.HasPrefix(text, "<") {
		return "", false
	}
	n := 1
	for n < len(text) && n <= 200 && isNameByte(text[n]) {
		n++
	}
	return text[1:n], n > 1 && n < len(text) && text[n] == '>'
}

// listItems returns the items of a list that is written with <item>.
func listItems(raw string) (items []string, ok bool) {
	const begin = "<" + itemName + ">"
	rest := strings.TrimSpace(raw)
	if !strings.HasPrefix(rest, begin) {
		return nil, false
	}
	p := elements{text: rest}
	for p.pos < len(rest) {
		if !strings.HasPrefix(rest[p.pos:], begin) {
			return nil, false
		}
		p.pos += len(begin)
		item, ok := p.value(&Block{}, itemName)
		if !ok {
			return nil, false
		}
		items = append(items, item)
		p.pos = len(rest) - len(strings.TrimLeft(rest[p.pos:], " \t\r\n"))
	}
	return items, true
}

// writeUseTool writes a call.
func writeUseTool(b Block) string {
	var w strings.Builder
	w.WriteString(useToolOpen + "\n<name>" + b.Tool + "</name>\n<parameters>\n")
	for i := 0; i < len(b.Params); {
		key := b.Params[i].Key
		from := i
		for i < len(b.Params) && b.Params[i].Key == key {
			i++
		}
		w.WriteString("<" + key + ">")
		for _, p := range b.Params[from:i] {
			if i-from > 1 {
				w.WriteString("<item>" + markup(p.Value) + "</item>")
			} else {
				w.WriteString(markup(p.Value))
			}
		}
		w.WriteString("</" + key + ">\n")
	}
	w.WriteString("</parameters>\n" + useToolClose)
	return w.String()
}

// markup writes a value so that nothing in it is a tag or a reference.
func markup(value string) string {
	if strings.ContainsAny(value, "<&") && !strings.Contains(value, cdataClose) {
		return cdataOpen + value + cdataClose
	}
	value = strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(value)
	if strings.ContainsAny(value, "\r\n") {
		return "\n" + value + "\n"
	}
	return value
}
