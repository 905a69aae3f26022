package lines

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var fmtCommand = &command.Command{
	Name:     "fmt",
	Operands: "[-WIDTH] [OPTION]... [FILE]...",
	Summary:  "Reformat each paragraph in the FILEs, writing to standard output.",
	Options: []command.Option{
		{Short: 'c', Long: "crown-margin", Help: "preserve indentation of first two lines"},
		{Short: 'p', Long: "prefix", Arg: "STRING", Help: "reformat only lines beginning with STRING,\n" +
			"reattaching the prefix to reformatted lines"},
		{Short: 's', Long: "split-only", Help: "split long lines, but do not refill"},
		{Short: 't', Long: "tagged-paragraph", Help: "indentation of first line different from second"},
		{Short: 'u', Long: "uniform-spacing", Help: "one space between words, two after sentences"},
		{Short: 'w', Long: "width", Arg: "WIDTH", Help: "maximum line width (default of 75 columns)"},
		{Short: 'g', Long: "goal", Arg: "WIDTH", Help: "goal width (default of 93% of width)"},
	},
	Number: "width",
	Run:    runFmt,
}

const mostWidth = 2500

func runFmt(c *command.Context) int {
	f := &formatter{
		out: c.Output(), crown: c.Has("crown-margin"), split: c.Has("split-only"), tagged: c.Has("tagged-paragraph"),
		uniform: c.Has("uniform-spacing"), width: 75,
	}
	if prefix, ok := c.Value("prefix"); ok {
		full := strings.TrimLeft(prefix, " ")
		f.prefixLead, f.prefixFull = len(prefix)-len(full), len(full)
		f.prefix = strings.TrimRight(full, " ")
	}
	value, given := c.Value("width")
	if given {
		width, ok := number(c, "width", value, 0, mostWidth)
		if !ok {
			return 1
		}
		f.width = int(width)
	}
	if value, ok := c.Value("goal"); ok {
		most := int64(75)
		if given {
			most = int64(f.width)
		}
		goal, ok := number(c, "width", value, 0, most)
		if !ok {
			return 1
		}
		if f.goal = int(goal); !given {
			f.width = f.goal + 10
		}
	} else {
		f.goal = f.width * 187 / 200
	}
	ok := c.EachFile("cannot open %s for reading: %s", func(_ string, r io.Reader) bool {
		err := f.file(r)
		if err != nil {
			_ = f.out.Flush()
			c.Errorf("read error")
		}
		return err == nil
	})
	return command.Status(f.out.Flush() == nil && ok)
}

// A formatter formats paragraphs: it reads the words of one, chooses where to break its lines so that they cost least,
// and writes them.
type formatter struct {
	out                           *bufio.Writer
	crown, split, tagged, uniform bool
	prefix                        string // without blanks around it
	prefixLead, prefixFull        int    // how many blanks are before it, and its length with those after it
	width, goal                   int

	in     *bufio.Reader
	err    error
	c      int // the byte after what was read, or -1 at the end
	column int // of c

	tabs         bool // the input has tabs, so the output may
	nextIndent   int  // the indentation of the prefix of the line being read
	prefixIndent int  // that of the paragraph
	first, other int  // the columns where the first line of the paragraph and the others begin

	words      []word
	size       int // of the words
	lastLength int // of the line before, if it is one of the paragraph
	outColumn  int
}

// A word is a word of a paragraph, and the best way to break the lines of what begins with it.
type word struct {
	text                        []byte
	space                       int // after it
	paren, period, punct, final bool
	cost                        int64
	next                        int // the word that begins the next line
	line                        int // the length of the line until there
}

// These are the sizes of the parts in which GNU formats longer paragraphs.
const mostWords, mostBytes = 998, 5000

func (f *formatter) read() {
	c, err := f.in.ReadByte()
	if f.c = int(c); err != nil {
		f.c = -1
		if err != io.EOF {
			f.err = err
		}
	}
}

func (f *formatter) skipBlanks() {
	for ; ; f.read() {
		switch f.c {
		case ' ':
			f.column++
		case '\t':
			f.tabs = true
			f.column = (f.column/8 + 1) * 8
		default:
			return
		}
	}
}

// readPrefix reads the beginning of a line up to its first word, or to what is not the prefix.
func (f *formatter) readPrefix() {
	f.column = 0
	f.read()
	f.skipBlanks()
	if f.prefix == "" {
		f.nextIndent = min(f.prefixLead, f.column)
		return
	}
	f.nextIndent = f.column
	for i := range len(f.prefix) {
		if f.c != int(f.prefix[i]) {
			return
		}
		f.column++
		f.read()
	}
	f.skipBlanks()
}

func (f *formatter) file(in io.Reader) error {
	f.in, f.err, f.tabs, f.other = bufio.NewReaderSize(in, 32<<10), nil, false, 0
	f.readPrefix()
	for f.readParagraph() {
		f.layOut()
		f.put(len(f.words))
	}
	return f.err
}

// readParagraph reads a paragraph, and copies what is before it. It returns false at the end of the file.
func (f *formatter) readParagraph() bool {
	f.lastLength = 0
	for f.c == '\n' || f.c < 0 || f.nextIndent < f.prefixLead || f.column < f.nextIndent+f.prefixFull {
		f.copyLine()
		if f.c < 0 {
			return false
		}
		_ = f.out.WriteByte('\n')
		f.readPrefix()
	}
	f.prefixIndent, f.first = f.nextIndent, f.column
	f.words, f.size = f.words[:0], 0
	f.readLine()
	same := f.same()
	f.setOther(same)
	switch {
	case f.split:
	case f.tagged && !f.crown && f.column == f.first:
	case f.crown || f.tagged:
		for first := true; f.same() && (first || f.column == f.other); first = false {
			f.readLine()
		}
	default:
		for f.same() && f.column == f.other {
			f.readLine()
		}
	}
	last := &f.words[len(f.words)-1]
	last.period, last.final = true, true
	return true
}

// copyLine copies the rest of a line that is empty or has not the prefix.
func (f *formatter) copyLine() {
	f.outColumn = 0
	if f.column > f.nextIndent || f.c != '\n' && f.c >= 0 {
		f.putSpace(f.nextIndent)
		n := min(len(f.prefix), max(0, f.column-f.outColumn))
		_, _ = f.out.WriteString(f.prefix[:n])
		f.outColumn += n
		if f.c >= 0 && f.c != '\n' {
			f.putSpace(f.column - f.outColumn)
		}
		if f.c < 0 && f.column >= f.nextIndent+len(f.prefix) {
			_ = f.out.WriteByte('\n')
		}
	}
	for ; f.c != '\n' && f.c >= 0; f.read() {
		_ = f.out.WriteByte(byte(f.c))
	}
}

// same says whether the line being read belongs to the paragraph.
func (f *formatter) same() bool {
	return f.nextIndent == f.prefixIndent && f.column >= f.nextIndent+f.prefixFull && f.c != '\n' && f.c >= 0
}

// setOther sets the indentation of all lines but the first. same says whether there is a second one.
func (f *formatter) setOther(same bool) {
	switch {
	case f.split:
		f.other = f.first
	case f.crown:
		if f.other = f.first; same {
			f.other = f.column
		}
	case f.tagged && same && f.column != f.first:
		f.other = f.column
	case f.tagged:
		if f.other == f.first {
			if f.other = 0; f.first == 0 {
				f.other = 3
			}
		}
	default:
		f.other = f.first
	}
}

// readLine reads the words of a line, and the beginning of the next one.
func (f *formatter) readLine() {
	for {
		var text []byte
		for {
			if f.size == mostBytes {
				f.setOther(true)
				if len(f.words) == 0 {
					// It is all one word.
					_, _ = f.out.Write(text)
					text, f.size = text[:0], 0
				} else {
					f.flush()
					f.size += len(text)
				}
			}
			text = append(text, byte(f.c))
			f.size++
			if f.read(); f.c < 0 || f.c == ' ' || f.c >= '\t' && f.c <= '\r' {
				break
			}
		}
		w := word{text: text}
		f.column += len(text)
		w.check()
		start := f.column
		f.skipBlanks()
		w.space = f.column - start
		w.final = f.c < 0 || w.period && (f.c == '\n' || w.space > 1)
		if f.c == '\n' || f.c < 0 || f.uniform {
			if w.space = 1; w.final {
				w.space = 2
			}
		}
		if len(f.words) == mostWords {
			f.setOther(true)
			f.flush()
			f.size += len(text)
		}
		f.words = append(f.words, w)
		if f.c == '\n' || f.c < 0 {
			break
		}
	}
	f.readPrefix()
}

// check looks at the punctuation of a word.
func (w *word) check() {
	end := w.text
	last := end[len(end)-1]
	w.paren = bytes.IndexByte([]byte("(['`\""), w.text[0]) >= 0
	w.punct = last > ' ' && last < 127 && !(last >= '0' && last <= '9') && !(last|0x20 >= 'a' && last|0x20 <= 'z')
	for len(end) > 1 && bytes.IndexByte([]byte(")]'\""), end[len(end)-1]) >= 0 {
		end = end[:len(end)-1]
	}
	w.period = bytes.IndexByte([]byte(".?!"), end[len(end)-1]) >= 0
}

// flush writes the first lines of a paragraph that is too long to be formatted as a whole.
func (f *formatter) flush() {
	f.layOut()
	at, best := len(f.words), int64(mostCost)
	for i := f.words[0].next; i < len(f.words); i = f.words[i].next {
		cost := f.words[i].cost
		if next := f.words[i].next; next < len(f.words) {
			cost -= f.words[next].cost
		}
		if cost < best {
			at, best = i, cost
		}
		if best <= mostCost-lineCredit {
			best += lineCredit
		}
	}
	f.put(at)
	f.words = append(f.words[:0], f.words[at:]...)
	f.size = 0
	for _, w := range f.words {
		f.size += len(w.text)
	}
}

// What lines cost.
const (
	mostCost      = 1<<63 - 1
	lineCost      = 70 * 70
	sentenceBonus = 50 * 50
	noBreakCost   = 600 * 600
	parenBonus    = 40 * 40
	punctBonus    = 40 * 40
	lineCredit    = 3 * 3
)

func shortCost(n int) int64  { return int64(n) * int64(n) * 100 }
func raggedCost(n int) int64 { return shortCost(n) / 2 }

// layOut finds the best breaks of lines, from the end of the paragraph.
func (f *formatter) layOut() {
	count := len(f.words)
	for start := count - 1; start >= 0; start-- {
		s := &f.words[start]
		best := int64(mostCost)
		length := f.other
		if start == 0 {
			length = f.first
		}
		length += len(s.text)
		for i := start + 1; ; i++ {
			cost := f.lineCost(i, length)
			if start == 0 && f.lastLength > 0 {
				cost += raggedCost(length - f.lastLength)
			}
			if cost < best {
				best, s.next, s.line = cost, i, length
			}
			if i == count {
				break
			}
			if length += f.words[i-1].space + len(f.words[i].text); length >= f.width {
				break
			}
		}
		s.cost = best + f.baseCost(start)
	}
}

// lineCost is the cost of a line of some length before a word, and of what follows.
func (f *formatter) lineCost(next, length int) int64 {
	if next == len(f.words) {
		return 0
	}
	w := &f.words[next]
	cost := shortCost(f.goal-length) + w.cost
	if w.next != len(f.words) {
		cost += raggedCost(length - w.line)
	}
	return cost
}

// baseCost is the cost of a line that begins with a word.
func (f *formatter) baseCost(i int) int64 {
	w, cost := &f.words[i], int64(lineCost)
	if i > 0 {
		switch before := &f.words[i-1]; {
		case before.period && before.final:
			cost -= sentenceBonus
		case before.period:
			cost += noBreakCost
		case before.punct:
			cost -= punctBonus
		case i > 1 && f.words[i-2].final:
			cost += 200 * 200 / int64(len(before.text)+2)
		}
	}
	if w.paren {
		cost -= parenBonus
	} else if w.final {
		cost += 150 * 150 / int64(len(w.text)+2)
	}
	return cost
}

// put writes the lines up to a word.
func (f *formatter) put(end int) {
	indent := f.first
	for i := 0; i < end; indent = f.other {
		f.outColumn = 0
		f.putSpace(f.prefixIndent)
		f.putText([]byte(f.prefix))
		f.putSpace(indent - f.outColumn)
		next := f.words[i].next
		for ; i < next; i++ {
			f.putText(f.words[i].text)
			if i+1 < next {
				f.putSpace(f.words[i].space)
			}
		}
		f.lastLength = f.outColumn
		_ = f.out.WriteByte('\n')
	}
}

func (f *formatter) putText(text []byte) {
	_, _ = f.out.Write(text)
	f.outColumn += len(text)
}

func (f *formatter) putSpace(n int) {
	end := f.outColumn + n
	if tab := end / 8 * 8; f.tabs && f.outColumn+1 < tab {
		for ; f.outColumn < tab; f.outColumn = (f.outColumn/8 + 1) * 8 {
			_ = f.out.WriteByte('\t')
		}
	}
	for ; f.outColumn < end; f.outColumn++ {
		_ = f.out.WriteByte(' ')
	}
}
