package xmlcall

import (
	"strings"

	"github.com/toolrun/toolrun/tool"
)

// A Stream finds calls in a text that comes in pieces. It is not safe for concurrent use.
type Stream struct {
	dialect     Dialect
	definitions []*tool.Definition

	text strings.Builder
	// from is where the text begins that may have more calls, and blocks are those before.
	from   int
	blocks []Block
	// looked is how many bytes have been looked at in vain.
	looked int
}

// NewStream returns a stream for one answer of a model.
func NewStream(dialect Dialect, definitions []*tool.Definition) *Stream {
	return &Stream{dialect: dialect, definitions: definitions}
}

// Add adds a piece of the text, and returns the calls that it completes, so that they can be made while the model goes
// on. Behind a malformed call nothing is complete before Close, since it shows only there what is wrong.
func (s *Stream) Add(piece string) []Call {
	before := s.text.Len()
	s.text.WriteString(piece)
	text := s.text.String()
	if !s.mayComplete(text, before) {
		return nil
	}
	var complete []Block
	for _, b := range s.dialect.Parse(text[s.from:]) {
		if b.Err != nil || s.dialect == Caret && s.from+b.End == len(text) { // the mark may become one of another call
			break
		}
		complete = append(complete, b)
	}
	if len(complete) == 0 {
		s.looked += len(text) - s.from
		return nil
	}
	return s.take(complete)
}

// mayComplete reports whether what has been added behind a position may complete a call. A text that often looks like
// that must not take much longer than others: then calls can come later, at the latest from Close.
func (s *Stream) mayComplete(text string, before int) bool {
	const (
		reach = 300 // longer than a tag that ends a call
		most  = 64  // times that a text is looked at
	)
	tail := text[max(s.from, before-reach):]
	if s.looked > 1<<20+most*len(text) {
		return false
	}
	switch s.dialect {
	case UseTool:
		return strings.Contains(tail, useToolClose)
	case Caret:
		return strings.Contains(tail, caret)
	}
	if i := strings.LastIndex(tail, "</tool:"); i >= 0 && strings.IndexByte(tail[i:], '>') >= 0 {
		return true
	}
	i := strings.LastIndex(tail, "<tool:")
	return i >= 0 && strings.Contains(tail[i:], "/>")
}

// take makes calls of blocks of the text behind from.
func (s *Stream) take(blocks []Block) []Call {
	for i := range blocks {
		blocks[i].Start += s.from
		blocks[i].End += s.from
	}
	s.blocks = append(s.blocks, blocks...)
	s.from = blocks[len(blocks)-1].End
	return callsOf(s.definitions, blocks)
}

// Close says that the text is complete, and returns the remaining calls, well-formed or not.
func (s *Stream) Close() []Call {
	blocks := s.dialect.Parse(s.text.String()[s.from:])
	if len(blocks) == 0 {
		return nil
	}
	return s.take(blocks)
}

// Text returns the text so far without its calls, also without the beginning of one that is not complete: see [Text].
func (s *Stream) Text() string {
	blocks := append([]Block(nil), s.blocks...)
	text := s.text.String()
	for _, b := range s.dialect.Parse(text[s.from:]) {
		b.Start += s.from
		b.End += s.from
		blocks = append(blocks, b)
	}
	return Text(text, blocks)
}
