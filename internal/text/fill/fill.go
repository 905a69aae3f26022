// Package fill puts values into texts, with a small part of the language of text/template and html/template. Those look
// up methods by name while a program runs, so the linker keeps every exported method of every type: a tenth of the
// toolrun command.
package fill

import (
	"fmt"
	"html"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// A Text is a text with blanks, which may be these. It is safe for concurrent use.
//
//	{{.Name}}                                            a field, as fmt.Sprint writes it
//	{{if COND}}...{{else if COND}}...{{else}}...{{end}}  COND is .Name, not .Name, or and .Name .Name
//	{{range .Name}}...{{end}}                            for each element of a slice, whose fields are meant inside
//
// A field is true unless it is its type's zero value. {{- removes the white space before a blank.
type Text struct {
	pieces func() []piece
	last   atomic.Pointer[filled]
}

// filled is what a text was last filled with, and what came of it. Models' requests ask for the same again and again.
type filled struct {
	data any
	text string
}

// HTML is a value that [Text.HTML] leaves as it is.
type HTML string

// A piece is a text, or a blank with its words. What is before the end of a blank is its body, or otherwise after an
// else.
type piece struct {
	text            string
	words           []string
	body, otherwise []piece
}

var blank = lazyregexp.New(`(?:\s*\{\{- |\{\{)([^{}]*)\}\}`)

// New returns a text, which is parsed when it is first filled. Texts are part of the program: one that is wrong panics
// then.
func New(text string) *Text {
	return &Text{pieces: sync.OnceValue(func() []piece { return parse(text) })}
}

func parse(text string) []piece {
	p := parser{text: text, blanks: blank().FindAllStringSubmatchIndex(text, -1)}
	pieces, stop := p.pieces()
	if stop != nil {
		panic(fmt.Sprintf("fill: nothing begins where %v is", stop))
	}
	return pieces
}

// Text fills in the fields of a struct, or of what a pointer points to. Structs that are equal give the same text;
// their fields are no interfaces.
func (t *Text) Text(data any) string {
	kind := reflect.TypeOf(data)
	comparable := kind.Kind() == reflect.Struct && kind.Comparable()
	if last := t.last.Load(); comparable && last != nil && last.data == data {
		return last.text
	}
	text := write(t.pieces(), data, func(value string) string { return value })
	if comparable {
		t.last.Store(&filled{data, text})
	}
	return text
}

// HTML is Text, and escapes values for the text of elements and for attributes in quotes. Addresses must be safe as
// they are, and no blank may be in a script or a style.
func (t *Text) HTML(data any) string { return write(t.pieces(), data, html.EscapeString) }

// A parser has the text from where it is, and the blanks that follow.
type parser struct {
	text   string
	at     int
	blanks [][]int
}

// pieces are those up to a blank with else or end, which it returns, or to the end of the text.
func (p *parser) pieces() (all []piece, stop []string) {
	for len(p.blanks) > 0 {
		b := p.blanks[0]
		p.blanks = p.blanks[1:]
		all = append(all, piece{text: p.text[p.at:b[0]]})
		p.at = b[1]
		switch words := strings.Fields(p.text[b[2]:b[3]]); words[0] {
		case "else", "end":
			return all, words
		case "if", "range":
			all = append(all, p.block(words))
		default:
			all = append(all, piece{words: words})
		}
	}
	return append(all, piece{text: p.text[p.at:]}), nil
}

// block is what a blank begins that has an end.
func (p *parser) block(words []string) piece {
	block := piece{words: words}
	var stop []string
	if block.body, stop = p.pieces(); len(stop) > 1 { // else if, with the same end
		block.otherwise = []piece{p.block(stop[1:])}
		return block
	}
	if stop != nil && stop[0] == "else" {
		block.otherwise, stop = p.pieces()
	}
	if stop == nil {
		panic(fmt.Sprintf("fill: %v has no end", words))
	}
	return block
}

func write(pieces []piece, data any, escape func(string) string) string {
	var b strings.Builder
	v := reflect.Indirect(reflect.ValueOf(data))
	for _, p := range pieces {
		switch {
		case p.words == nil:
			b.WriteString(p.text)
		case p.words[0] == "range":
			for list, i := field(v, p.words[1]), 0; i < list.Len(); i++ {
				b.WriteString(write(p.body, list.Index(i).Interface(), escape))
			}
		case p.words[0] != "if":
			switch value := field(v, p.words[0]).Interface().(type) {
			case HTML:
				b.WriteString(string(value))
			default:
				b.WriteString(escape(fmt.Sprint(value)))
			}
		case holds(v, p.words[1:]):
			b.WriteString(write(p.body, data, escape))
		default:
			b.WriteString(write(p.otherwise, data, escape))
		}
	}
	return b.String()
}

func holds(v reflect.Value, words []string) bool {
	switch words[0] {
	case "not":
		return !holds(v, words[1:])
	case "and":
		words = words[1:]
	}
	for _, name := range words {
		if field(v, name).IsZero() {
			return false
		}
	}
	return true
}

func field(v reflect.Value, name string) reflect.Value {
	f := v.FieldByName(strings.TrimPrefix(name, "."))
	if !f.IsValid() {
		panic(fmt.Sprintf("fill: %v has no field %s", v.Type(), name))
	}
	return f
}
