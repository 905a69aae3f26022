package javascript

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/module"
)

// What the engine runs is not always what was written: there is a wrapper around it, or types have been taken out of
// it.

// origin says where the lines and columns of a file, as the engine sees it, come from.
type origin struct {
	prefix int         // bytes of the first line that the host has put there
	code   *code       // what is behind the prefix; nil if that is ASCII
	source *module.Map // nil if the lines are those that were written
}

// maxOrigins is how many bytes the origins of a run's files may have together. Beyond that, positions in further files
// are those that the engine sees.
const maxOrigins = 32 << 20

// note notes where a file comes from that the engine is about to run, and its text. The engine keeps its name as well,
// which bounds how many there are.
func (r *run) note(file, text string, o origin) {
	if !isASCII(text) {
		o.code = &code{text: text}
	}
	left := maxOrigins - (r.originsSize - r.origins[file].size())
	if o.size() > left {
		o.code = nil
	}
	if o.size() > left {
		o.source = nil
	}
	r.originsSize = maxOrigins - left + o.size()
	r.origins[file] = o
}

// size is about how many bytes it has, once positions have been asked for.
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

// A code is a text in which positions are looked up often. It is safe for concurrent use: runs share those of
// libraries.
type code struct {
	text   string
	once   sync.Once
	starts []int32 // where lines start, once a position has been asked for
	marks  []int32 // how many code units are before each stride of the text
}

// stride is how many bytes at most are looked at for a position. Scripts can ask for thousands, in lines of millions.
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

// units is how many UTF-16 code units the first bytes of a line have, which is counted from 1.
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

// before is how many code units there are before a byte.
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

// codeUnits is how many UTF-16 code units a byte of UTF-8 stands for: the first one of a character for all of it.
func codeUnits(b byte) int {
	switch {
	case b&0xc0 == 0x80:
		return 0
	case b >= 0xf0:
		return 2
	}
	return 1
}

// place returns the line and column that were written, in UTF-16 code units. Where a column is not known, it is 0.
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
	if o.code != nil && column > 1 {
		column = 1 + o.code.units(line, column-1)
	}
	if o.source != nil {
		if l, c, ok := o.source.Original(line, max(column, 1)); ok {
			if column == 0 {
				c = 0
			}
			return l, c
		}
	}
	return line, column
}

// maxStack is how much of a stack is looked at, in bytes.
const maxStack = 128 << 10

// frameCost is what a frame of a stack counts beside its text, in bytes: what has to be looked at to map it.
const frameCost = 2 * stride

// mapStack returns the frames of a stack that are of scripts, each after a line break, with the lines and columns that
// were written.
func (in *instance) mapStack(ctx context.Context, args arguments) (quickjs.Value, error) {
	stack, _, ok := args.text(1, maxStack)
	if !ok {
		return 0, failf("a stack must be a string")
	}
	var b strings.Builder
	for frame := range strings.SplitSeq(stack, "\n") {
		if err := in.Spend(frameCost + len(frame)); err != nil {
			return 0, err
		}
		if frame != "" && !isInternal(frame) {
			b.WriteString("\n" + in.run.mapFrame(frame))
		}
	}
	return in.vm.NewString(ctx, b.String())
}

// isInternal reports whether a stack frame belongs to the engine or the prelude.
func isInternal(frame string) bool {
	return strings.Contains(frame, quickjs.PreludeName) || strings.Contains(frame, "(native)")
}

func (r *run) mapFrame(frame string) string {
	file, line, column := framePosition(frame)
	o, ok := r.origins[file]
	if !ok {
		return frame
	}
	line, column = o.place(line, column)
	head, end := frame[:strings.LastIndex(frame, file)], ""
	if strings.HasSuffix(frame, ")") {
		end = ")"
	}
	return fmt.Sprintf("%s%s:%d:%d%s", head, file, line, column, end)
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

// cutDigits cuts a colon and digits from the end of a text. There are no digits if that is not what it ends with.
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
		return 0 // there are too many of them
	}
	return int(n)
}

// firstPosition finds where the first frame of a stack is that has a position in a file. The engine calls the texts of
// JSON.parse and the like <input>, and does not know the lines of some initialisers.
func firstPosition(stack string) (file string, line, column int) {
	for frame := range strings.SplitSeq(stack, "\n") {
		if file, line, column = framePosition(frame); line > 0 && file[0] != '<' {
			return file, line, column
		}
	}
	return "", 0, 0
}
