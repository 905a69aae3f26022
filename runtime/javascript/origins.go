package javascript

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/js/module"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// The engine does not always run the code as it was written: it may have a wrapper, or its types may have been removed.

// origin maps the engine's lines and columns of a file to those of its author.
type origin struct {
	prefix int         // bytes that the host has put before the first line
	code   *code       // the text after the prefix; nil if there was no room for it
	source *module.Map // nil if the code is as it was written
	module bool        // it is an ES module

	expression *expression // not nil if source leads to the text around one
	inserted   insertion
}

// An insertion is text that the host has put into a line, before a column in bytes that does not count the prefix. Its
// length is zero if there is none.
type insertion struct{ Line, Column, Length int }

// without returns a column as it is without the insertion.
func (i insertion) without(line, column int) int {
	if line != i.Line || column <= i.Column {
		return column
	}
	return max(i.Column, column-i.Length)
}

// maxOrigins is how many bytes the origins of a run's files may take. Beyond that, positions in further files are the
// engine's.
const maxOrigins = 32 << 20

// note records the origin of a file that the engine is about to run. The number of files is bounded by the engine's
// memory, which holds their names too.
func (r *run) note(file, text string, o origin) {
	o.code = &code{text: text, ascii: isASCII(text)}
	left := maxOrigins - (r.originsSize - r.origins[file].size())
	if o.size() > left {
		o.code = nil
	}
	if o.size() > left {
		o.source = nil
	}
	r.originsSize = maxOrigins - left + o.size()
	r.origins[file], r.frames = o, nil
}

// size returns about how many bytes an origin takes once positions have been looked up.
func (o origin) size() int {
	if o.code == nil {
		return o.source.Size()
	}
	return o.source.Size() + len(o.code.text) + 4*strings.Count(o.code.text, "\n") + 4*(1+len(o.code.text)/stride)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// A code is a text with an index of its lines. It is safe for concurrent use: runs share those of libraries.
type code struct {
	text   string
	ascii  bool
	once   sync.Once
	starts []int32 // where lines start; made at the first use
	marks  []int32 // how many code units come before each stride of the text
}

// stride is how many bytes at most are counted to find a position. Scripts can cause thousands of searches in lines of
// millions of bytes.
const stride = 4 << 10

func (c *code) index() {
	c.starts = append(make([]int32, 0, 1+strings.Count(c.text, "\n")), 0)
	c.marks = make([]int32, 0, 1+len(c.text)/stride)
	units := 0
	for i := range len(c.text) {
		if i%stride == 0 {
			c.marks = append(c.marks, int32(units))
		}
		units += codeUnits(c.text[i])
		if c.text[i] == '\n' {
			c.starts = append(c.starts, int32(i+1))
		}
	}
}

// units returns how many UTF-16 code units the first bytes of a line are. Lines count from 1.
func (c *code) units(line, bytes int) int {
	c.once.Do(c.index)
	if line < 1 || line > len(c.starts) {
		return 0
	}
	start, end := int(c.starts[line-1]), len(c.text)
	if line < len(c.starts) {
		end = int(c.starts[line]) - 1
	}
	return c.before(min(start+bytes, end)) - c.before(start)
}

// offset returns the byte of the text that is at a line and a byte of it, both counted from 1. It is -1 if there is no
// such line.
func (c *code) offset(line, column int) int {
	c.once.Do(c.index)
	if line < 1 || line > len(c.starts) || column < 1 || column > len(c.text) {
		return -1
	}
	return min(int(c.starts[line-1])+column-1, len(c.text))
}

// before returns how many code units come before a byte.
func (c *code) before(at int) int {
	if at == 0 {
		return 0
	}
	mark := (at - 1) / stride
	units := int(c.marks[mark])
	for i := mark * stride; i < at; i++ {
		units += codeUnits(c.text[i])
	}
	return units
}

// codeUnits returns how many UTF-16 code units a byte of UTF-8 counts as: the first byte of a character counts for all
// of it.
func codeUnits(b byte) int {
	switch {
	case b&0xc0 == 0x80:
		return 0
	case b >= 0xf0:
		return 2
	}
	return 1
}

// at returns the byte of the code that is at one of the engine's positions, or -1.
func (o origin) at(line, column int) int {
	if o.code == nil {
		return -1
	}
	if line == 1 && column >= o.prefix {
		column -= o.prefix - 1
	}
	return o.code.offset(line, o.inserted.without(line, column))
}

// place returns the author's line and column, in UTF-16 code units. An unknown column is 0.
func (o origin) place(line, column int) (int, int) {
	// The engine's columns are bytes. It counts them from 0 in the first line, and from 1 in others, but has no column
	// before 1.
	if line == 1 && column > o.prefix {
		column -= o.prefix
		if o.prefix > 0 || column > 1 {
			column++
		}
	} else if line == 1 {
		column = min(column, 1)
	}
	column = o.inserted.without(line, column)
	if o.code != nil && !o.code.ascii && column > 1 {
		column = 1 + o.code.units(line, column-1)
	}
	if o.source != nil {
		if l, c, ok := o.source.Original(line, max(column, 1)); ok {
			if column == 0 {
				c = 0
			}
			return o.expression.place(l, c)
		}
	}
	return o.expression.place(line, column)
}

// An expression is a script that is one. It becomes the body of a function by what is put around it.
type expression struct{ lines int }

// A script could close the parentheses around it and open others. It would then not compile inside brackets.
const (
	beforeExpression, afterExpression = "return (", "\n)"
	beforeBrackets, afterBrackets     = "return [", "\n]"
)

// place returns the position in the expression of a position in the body. A nil expression is the body.
func (e *expression) place(line, column int) (int, int) {
	switch {
	case e == nil:
	case line > e.lines: // in afterExpression
		return e.lines, 0
	case line == 1 && column > 0:
		return line, max(1, column-len(beforeExpression))
	}
	return line, column
}

// maxStack is how many bytes of a stack are read.
const maxStack = 128 << 10

// frameCost is how many bytes of work a stack frame counts beside its text: about what is read to map it.
const frameCost = 2 * stride

// mapStack returns the script's frames of an error's stack, each after a line break, as people and models read them.
// What is not a frame, such as the title of the error, is left out. With 1 as the second argument, it is one frame as
// the engine has it.
func (in *instance) mapStack(c *host.Call) (quickjs.Value, error) {
	stack, _, ok := c.Prefix(0, maxStack)
	if !ok {
		return 0, host.Errorf("a stack must be a string")
	}
	if one, _ := c.Int(1); one == 1 {
		if err := in.Spend(frameCost); err != nil {
			return 0, err
		}
		return in.VM.NewString(c.Context(), in.run.nodeFrame(stack))
	}
	var b strings.Builder
	for frame := range strings.SplitSeq(stack, "\n") {
		if err := in.Spend(frameCost + len(frame)); err != nil {
			return 0, err
		}
		if strings.HasPrefix(strings.TrimLeft(frame, " \t"), "at ") && !isInternal(frame) {
			b.WriteString("\n" + in.run.shownFrame(frame))
		}
	}
	return in.VM.NewString(c.Context(), b.String())
}

// isInternal reports whether a stack frame belongs to the engine or the prelude.
func isInternal(frame string) bool {
	return strings.Contains(frame, quickjs.PreludeName) || strings.HasSuffix(frame, "(<anonymous>)")
}

// replacePosition replaces the position at the end of a stack frame, which begins with the name of a file.
func replacePosition(frame, file, path string, line, column int) string {
	head, end := frame[:strings.LastIndex(frame, file)], ""
	if strings.HasSuffix(frame, ")") {
		end = ")"
	}
	return fmt.Sprintf("%s%s:%d:%d%s", head, path, line, column, end)
}

// framePosition returns the position at the end of a stack frame, FILE:LINE:COLUMN with or without parentheses. The
// file is empty if there is none.
func framePosition(frame string) (file string, line, column int) {
	s := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(frame), "at "), ")")
	s, second := cutDigits(s)
	s, first := cutDigits(s)
	s = strings.TrimLeft(s[strings.LastIndexByte(s, '(')+1:], " \t\n\f\r")
	if first == "" || second == "" || s == "" {
		return "", 0, 0
	}
	return s, number(first), number(second)
}

// cutDigits cuts a colon and digits from the end of a text. Without them, digits is empty.
func cutDigits(s string) (rest, digits string) {
	rest = strings.TrimRight(s, "0123456789")
	digits = s[len(rest):]
	if rest, ok := strings.CutSuffix(rest, ":"); ok {
		return rest, digits
	}
	return s, ""
}

func number(digits string) int {
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return 0 // too many
	}
	return int(n)
}

// firstPosition returns the position of the first frame with a line in a file. The engine's name for texts of
// JSON.parse and the like is <input>, and it does not know the lines of some initialisers.
func firstPosition(stack string) (file string, line, column int) {
	for frame := range strings.SplitSeq(stack, "\n") {
		if file, line, column = framePosition(frame); line > 0 && file[0] != '<' {
			return file, line, column
		}
	}
	return "", 0, 0
}
