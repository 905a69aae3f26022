package xmlcall

import (
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/tool"
)

// A Block is a call as written in a text, well-formed or not.
type Block struct {
	// Tool is the name in the tag, or "" if there are only params. The tool may not exist.
	Tool string
	// Params are the params as written, in order. If Err is not nil, some may be missing.
	Params []Param
	// The block is text[Start:End].
	Start, End int
	// Err, a [*tool.ModelError], tells the model what is wrong; nil means that the call is well-formed.
	Err error
	// Truncated reports that the text ends before the call does. If a limit has stopped the model, the host may let
	// it go on instead of calling anything.
	Truncated bool

	// elements are those that params were made of, in order.
	elements []element
}

// A Param is a param of a call. Keys can repeat.
type Param struct {
	Key, Value string
}

// Values returns the values of each key, in the order of the text.
func (b *Block) Values() map[string][]string {
	values := make(map[string][]string, len(b.Params))
	for _, p := range b.Params {
		values[p.Key] = append(values[p.Key], p.Value)
	}
	return values
}

// MaxBlocks is how many blocks [Parse] finds in one text.
const MaxBlocks = 1000

// Parse finds the calls in a model's text, in order and without overlap. It takes time in proportion to the text's
// length. If there are more than [MaxBlocks], one more block covers the rest of the text, and its error says so.
//
// A well-formed call with nothing malformed before it does not change when more text comes, so a host can stop the
// model there. A [Stream] parses a growing text.
func Parse(text string) []Block {
	p := parser{text: text, unclosed: map[string]int{}, endless: len(text), results: resultFinder{text: text}}
	var blocks []Block
	for {
		t, ok := p.next(false)
		if !ok {
			return blocks
		}
		if len(blocks) == MaxBlocks {
			return append(blocks, tooMany(text, t.start))
		}
		switch {
		case t.kind == toolOpen:
			if b := p.call(t); !b.mentioned(text, tag{kind: toolOpen, name: b.Tool}.String()) {
				blocks = append(blocks, b)
			}
		case t.kind == resultOpen:
			return append(blocks, unended(text, t))
		case t.kind == toolClose && p.unclosed[t.name] > 0:
			p.unclosed[t.name]-- // the model knows already
			p.pos = t.end
		default:
			blocks = append(blocks, p.stray(t))
		}
	}
}

type parser struct {
	text string
	pos  int
	// unclosed counts the calls, by tool, that have been ended by something else than their closing tags.
	unclosed map[string]int
	// endless is where the text begins in which no CDATA section ends, as far as that is known.
	endless int
	results resultFinder
	// strayEnds says where params end, by where they begin, as far as it matters outside of calls. It is made when it
	// is needed.
	strayEnds map[int]int
}

// next returns the next tag outside values. Inside a call, a CDATA section is text; outside it has no meaning.
// Results, which a model can only quote, are skipped; a result without an end is returned as the tag.
func (p *parser) next(inside bool) (tag, bool) {
	var t tag
	for from := p.pos; ; {
		if t.end == 0 || t.start < from { // else it is still the first one, which can be far away
			var ok bool
			if t, ok = nextTag(p.text, from); !ok {
				return t, false
			}
		}
		if result, end, ok := p.results.before(t.start, from); ok {
			if end == 0 {
				return result, true
			}
			from = end
			continue
		}
		if t.kind != sectionOpen && !t.mentioned(p.text) {
			return t, true
		}
		from = t.end
		if inside && t.kind == sectionOpen {
			from = p.behindSection(t)
		}
	}
}

// call parses the call that begins with the tag.
func (p *parser) call(open tag) Block {
	b := Block{Tool: open.name, Start: open.start, End: open.end}
	p.pos = open.end
	if open.bad != "" {
		b.fail("the tag %v is malformed: %s", open, open.bad)
	}
	if open.alone {
		return b
	}
	for {
		t, ok := p.next(true)
		if !ok || t.unfinished || t.kind == resultOpen {
			b.fail("<tool:%s> is not closed: </tool:%[1]s> must follow behind the last param", short(b.Tool))
			b.Truncated, b.End = true, len(p.text)
			p.pos = b.End
			return b
		}
		if t.kind == toolOpen {
			b.fail("<tool:%s> is not closed before %v begins: </tool:%[1]s> must follow behind the last param, "+
				"and one call cannot be inside of another", short(b.Tool), t)
			p.unclosed[b.Tool]++
			b.End = t.start
			p.pos = b.End
			return b
		}
		if between := strings.TrimSpace(p.text[p.pos:t.start]); between != "" {
			b.fail("in <tool:%s> there is text outside of its params: %q", short(b.Tool), short(between))
		}
		p.pos = t.end
		switch {
		case t.kind == toolClose:
			if t.bad != "" {
				b.fail("the tag %v is malformed: its > is missing", t)
			}
			if t.name != b.Tool {
				b.fail("<tool:%s> is closed by %v", short(b.Tool), t)
				p.unclosed[b.Tool]++
			}
			b.End = t.end
			return b
		case t.kind == paramClose:
			b.fail("in <tool:%s> there is %v without <param:%s> before it", short(b.Tool), t, short(t.name))
		case t.alone:
			b.Params = append(b.Params, Param{Key: t.name})
		case t.bad != "":
			b.fail("the tag %v is malformed: %s", t, t.bad)
			fallthrough
		default:
			if !p.value(&b, t) {
				return b
			}
		}
	}
}

// value parses the value after a tag. If the value is malformed, it skips to the end of the call and returns false.
func (p *parser) value(b *Block, open tag) bool {
	var segments []segment
	begin := p.pos // of the text since the last section
	for {
		t, ok := nextTag(p.text, p.pos)
		if !ok {
			b.fail("%v in <tool:%s> is not closed: </param:%s> must follow behind the value",
				open, short(b.Tool), short(open.name))
			b.Truncated, b.End = true, len(p.text)
			p.pos = b.End
			return false
		}
		p.pos = t.end
		switch {
		case t.kind == sectionOpen:
			end := p.behindSection(t)
			if end == t.end {
				b.fail("in %v of <tool:%s> there is %s without %s", open, short(b.Tool), cdataOpen, cdataClose)
				return p.leave(b, t)
			}
			segments = append(segments, segment{text: p.text[begin:t.start]},
				segment{p.text[t.end : end-len(cdataClose)], true})
			begin, p.pos = end, end
		case t.bad != "":
			// Something else begins like a tag. It is part of the value.
		case t.kind == paramClose && t.name == open.name:
			segments = append(segments, segment{text: p.text[begin:t.start]})
			b.Params = append(b.Params, Param{open.name, join(segments)})
			return true
		case t.kind == paramClose:
			b.fail("%v in <tool:%s> is closed by %v", open, short(b.Tool), t)
			return p.leave(b, t)
		default:
			b.fail("%v in <tool:%s> is not closed before %v: </param:%s> must follow behind the value. "+
				"If the value has this tag in it, it must be in %s ... %s, or be written with &lt;",
				open, short(b.Tool), t, short(open.name), cdataOpen, cdataClose)
			return p.leave(b, t)
		}
	}
}

// behindSection returns the end of the CDATA section that begins with the tag. Without a ]]>, that is the end of
// the tag.
func (p *parser) behindSection(t tag) int {
	if t.end >= p.endless {
		return t.end
	}
	i := strings.Index(p.text[t.end:], cdataClose)
	if i < 0 {
		p.endless = t.end // so that nobody looks again
		return t.end
	}
	return t.end + i + len(cdataClose)
}

// leave goes to the end of a call in which something is malformed at a tag. Since that is in a value, calls
// there may be meant as text, and are left out.
func (p *parser) leave(b *Block, at tag) bool {
	depth := 1
	for t, ok := at, true; ok; t, ok = nextTag(p.text, p.pos) {
		p.pos = t.end
		switch {
		case t.kind == sectionOpen:
			p.pos = p.behindSection(t)
		case t.name != b.Tool || t.bad != "" || t.alone:
		case t.kind == toolOpen:
			depth++
		case t.kind == toolClose:
			if depth--; depth == 0 {
				b.End = t.end
				return false
			}
		}
	}
	if e, ok := b.Err.(*tool.ModelError); ok { // it is
		e.Text += fmt.Sprintf(". Since </tool:%s> is missing too, everything behind <tool:%[1]s> has been left out",
			short(b.Tool))
	}
	b.Truncated, b.End = true, len(p.text)
	p.pos = b.End
	return false
}

// stray parses a block that begins with a tag that is allowed only inside a call: adjacent params and the closing
// tag after them are one block.
func (p *parser) stray(t tag) Block {
	b := Block{Start: t.start}
	switch t.kind {
	case toolClose:
		b.Tool = t.name
		b.fail("there is %v without <tool:%s> before it", t, short(t.name))
	case paramClose:
		b.fail("there is %v outside of a call", t)
	default:
		b.fail("%v is outside of a call: params must be between <tool:NAME> and </tool:NAME>", t)
	}
	for {
		p.pos, b.End = t.end, t.end
		if t.kind == toolClose {
			return b
		}
		if end := p.strayEnd(t); end > 0 {
			p.pos, b.End = end, end
		}
		next, ok := p.next(false)
		if !ok || next.kind == toolOpen || next.kind == resultOpen ||
			strings.TrimSpace(p.text[p.pos:next.start]) != "" {
			return b
		}
		t = next
	}
}

// strayEnd returns where the param that begins with a tag outside of a call ends, or 0 if it does not. What is in it
// may be meant as text, even if it has calls.
func (p *parser) strayEnd(open tag) int {
	if p.strayEnds == nil {
		p.strayEnds = map[int]int{}
		unended := map[string][]int{}
		inside := 0
		for at := open.start; ; {
			t, ok := nextTag(p.text, at)
			if !ok {
				break
			}
			at = t.end
			begins := unended[t.name]
			switch {
			case t.kind == sectionOpen && inside > 0:
				at = p.behindSection(t)
			case t.bad != "" || t.alone:
			case t.kind == paramOpen:
				unended[t.name] = append(begins, t.start)
				inside++
			case t.kind == paramClose && len(begins) > 0:
				p.strayEnds[begins[len(begins)-1]] = t.end
				unended[t.name] = begins[:len(begins)-1]
				inside--
			}
		}
	}
	return p.strayEnds[open.start]
}

// listValues returns the values of the params, of one key, that the items of a list are. Fewer than two items are a
// JSON array: a single text would not be a list where the schema allows anything else.
func listValues(items []string) []string {
	if len(items) < 2 {
		encoded, _ := jsontree.Marshal(append([]string{}, items...)) // texts always can be
		return []string{string(encoded)}
	}
	return items
}

// addItems adds params of the same key.
func (b *Block) addItems(key string, items []string) {
	for _, item := range items {
		b.Params = append(b.Params, Param{key, item})
	}
}

// fail says what is wrong, unless something else is wrong already.
func (b *Block) fail(format string, args ...any) {
	if b.Err == nil {
		b.Err = &tool.ModelError{
			Text: "invalid tool call: " + fmt.Sprintf(format, args...), Code: tool.CodeInvalidInput,
		}
	}
}
