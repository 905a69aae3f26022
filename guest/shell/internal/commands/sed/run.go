package sed

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/regex"
)

// An editor runs a program on its input.
type editor struct {
	c         *command.Context
	program   []instruction
	quiet     bool
	files     []string
	separator byte
	wrap      int
	inPlace   bool
	separate  bool
	suffix    string

	out      *bufio.Writer
	standard *bufio.Writer // standard output
	edited   bytes.Buffer  // what the file that is edited becomes

	in      *bufio.Reader
	open    io.Closer
	name    string // of the file that is read
	next    []byte // the line after this one, if it has been read
	hasNext bool
	ended   bool // the line that was read last ends with a separator
	nextEnd bool
	line    int
	failed  bool

	space, hold []byte
	spare       []byte  // what the pattern space was before it was changed
	found       [][]int // the matches of the last s
	changed     bool    // since the last line was read, or t was done
	added       []addition
	last        *regex.Regexp
	writers     map[string]*bufio.Writer
	closers     []io.Closer
	readers     map[string]*bufio.Reader
	missing     bool // the end of the last line that was written was missing
	status      int
	steps       int
}

// An addition is what is written at the end of a cycle: a text, or a file.
type addition struct {
	text string
	file string
	line bool // one line of the file
}

func (e *editor) run() int {
	e.standard = e.c.Output()
	e.out = e.standard
	e.writers, e.readers = map[string]*bufio.Writer{}, map[string]*bufio.Reader{}
	defer func() {
		for _, closer := range e.closers {
			_ = closer.Close()
		}
	}()
	for _, in := range e.program {
		name := in.text
		if in.name == 's' {
			name = in.sub.file
		}
		if (in.name == 'w' || in.name == 'W' || in.name == 's' && name != "") && e.writers[name] == nil {
			if !e.create(name) {
				return 4
			}
		}
	}
	plain := e.replacements()
	for e.read() && e.cycle() {
		if len(plain) > 0 && !e.replaceAhead(plain) {
			break
		}
	}
	e.endFile()
	for _, w := range e.writers {
		_ = w.Flush()
	}
	if err := e.standard.Flush(); err != nil {
		e.c.Errorf("couldn't write to stdout: %s", command.Text(err))
		return 4
	}
	if e.status == 0 && e.failed {
		return 2
	}
	return e.status
}

func (e *editor) create(name string) bool {
	if name == "/dev/stdout" {
		e.writers[name] = e.standard
		return true
	}
	file, err := e.c.Create(name)
	if err != nil {
		e.c.Errorf("couldn't open file %s: %s", name, command.Text(err))
		return false
	}
	e.writers[name] = bufio.NewWriter(file)
	e.closers = append(e.closers, file)
	return true
}

// endFile ends the file that is read, and replaces it if it is edited.
func (e *editor) endFile() {
	if e.open == nil {
		return
	}
	if e.inPlace && e.name != "-" {
		// What was not read is kept.
		if e.hasNext {
			e.write(e.out, e.next, e.nextEnd)
			e.hasNext = false
		}
		if e.in != nil {
			_, _ = io.Copy(e.out, e.in)
		}
	}
	_ = e.open.Close()
	e.open, e.in = nil, nil
	if !e.inPlace || e.name == "-" {
		return
	}
	_ = e.out.Flush()
	if e.suffix != "" {
		backup := e.name + e.suffix
		if strings.Contains(e.suffix, "*") {
			dir, base := "", e.name
			if i := strings.LastIndexByte(e.name, '/'); i >= 0 {
				dir, base = e.name[:i+1], e.name[i+1:]
			}
			backup = dir + strings.ReplaceAll(e.suffix, "*", base)
		}
		if err := e.c.Rename(e.name, backup); err != nil {
			e.c.Errorf("cannot rename %s: %s", e.name, command.Text(err))
			e.status = 4
		}
	}
	if err := e.c.WriteFile(e.name, e.edited.Bytes()); err != nil {
		e.c.Errorf("couldn't open file %s: %s", e.name, command.Text(err))
		e.status = 4
	}
	e.edited.Reset()
	e.out = e.standard
	e.missing = false
}

// advance opens the next file that can be read.
func (e *editor) advance() bool {
	e.endFile()
	for len(e.files) > 0 {
		name := e.files[0]
		e.files = e.files[1:]
		in, err := e.c.Input(name)
		if err == nil && name != "-" {
			if info, failure := e.c.Stat(name); failure == nil && info.IsDir() {
				_ = in.Close()
				if e.inPlace {
					e.c.Errorf("couldn't edit %s: not a regular file", name)
					e.status = 4
				} else {
					e.c.Errorf("couldn't read %s: Is a directory", name)
					e.c.Errorf("read error on %s: Is a directory", name)
					e.failed = true
				}
				continue
			}
		}
		if err != nil {
			_ = e.standard.Flush()
			e.c.Errorf("can't read %s: %s", name, command.Text(err))
			e.failed = true
			continue
		}
		e.open, e.in, e.name = in, bufio.NewReaderSize(in, 32<<10), name
		if e.separate {
			e.line = 0
			for i := range e.program {
				e.program[i].active = false
			}
		}
		if e.inPlace && name != "-" {
			e.out = bufio.NewWriter(&e.edited)
		}
		return true
	}
	return false
}

// fetch reads the next line into e.next. Files that are edited apart are not left.
func (e *editor) fetch(across bool) bool {
	for !e.hasNext {
		if e.in == nil {
			if !across || !e.advance() {
				return false
			}
		}
		line := e.next[:0]
		part, err := e.in.ReadSlice(e.separator)
		for ; err == bufio.ErrBufferFull; part, err = e.in.ReadSlice(e.separator) {
			line = append(line, part...)
		}
		if line = append(line, part...); len(line) == 0 {
			if err != nil && err != io.EOF {
				e.c.Errorf("read error on %s: %s", e.name, command.Text(err))
				e.failed = true
			}
			e.in = nil
			if !across {
				return false
			}
			continue
		}
		e.next, e.nextEnd = line, line[len(line)-1] == e.separator
		if e.nextEnd {
			e.next = line[:len(line)-1]
		}
		e.hasNext = true
	}
	return true
}

// read reads the next line into the pattern space.
func (e *editor) read() bool {
	if !e.fetch(true) {
		return false
	}
	e.space = append(e.space[:0], e.next...)
	e.ended, e.hasNext = e.nextEnd, false
	e.line++
	e.changed = false
	return true
}

// isLast says whether this is the last line.
func (e *editor) isLast() bool {
	if e.separate {
		return !e.fetch(false)
	}
	return !e.fetch(true)
}

// write writes a line, with its end unless it is the last one of a file and has none.
func (e *editor) write(w *bufio.Writer, text []byte, ended bool) {
	if w == e.out && e.missing {
		_ = w.WriteByte(e.separator)
		e.missing = false
	}
	_, _ = w.Write(text)
	if ended {
		_ = w.WriteByte(e.separator)
	} else if w == e.out {
		e.missing = true
	}
}

// text writes a text that ends with a newline.
func (e *editor) text(s string) {
	if e.missing {
		_ = e.out.WriteByte(e.separator)
		e.missing = false
	}
	_, _ = e.out.WriteString(s)
}

// flushAdded writes what a, r and R have left for the end of the cycle.
func (e *editor) flushAdded() {
	for _, a := range e.added {
		switch {
		case a.file == "":
			e.text(a.text)
		case a.line:
			r := e.readers[a.file]
			if r == nil {
				file, err := e.c.Open(a.file)
				if err != nil {
					continue
				}
				e.closers = append(e.closers, file)
				r = bufio.NewReader(file)
				e.readers[a.file] = r
			}
			if line, _ := r.ReadBytes(e.separator); len(line) > 0 {
				e.write(e.out, bytes.TrimSuffix(line, []byte{e.separator}), true)
			}
		default:
			var data []byte
			var err error
			if a.file == "/dev/stdin" {
				data, err = io.ReadAll(e.c.Stdin)
			} else {
				data, err = e.c.ReadFile(a.file)
			}
			if err == nil && len(data) > 0 {
				e.text(string(data))
			}
		}
	}
	e.added = e.added[:0]
}

// selects says whether an instruction is for this line.
func (e *editor) selects(in *instruction) bool {
	if in.from.kind == noAddress {
		return !in.negated
	}
	if in.to.kind == noAddress {
		return e.matches(&in.from) != in.negated
	}
	return e.inRange(in) != in.negated
}

func (e *editor) matches(a *address) bool {
	switch a.kind {
	case lineAddress:
		return e.line == a.n
	case lastAddress:
		return e.isLast()
	case regexAddress:
		return e.regex(a.re).Match(e.space)
	case stepAddress:
		if a.step <= 0 {
			return e.line == a.n
		}
		return e.line >= a.n && (e.line-a.n)%a.step == 0
	}
	return false
}

func (e *editor) inRange(in *instruction) bool {
	if !in.active {
		if in.from.kind == zeroAddress {
			if e.line != 1 {
				return false
			}
			// The range may end at its first line.
			in.active = !e.matches(&in.to)
			return true
		}
		if !e.matches(&in.from) {
			return false
		}
		in.active = true
		switch in.to.kind {
		case lineAddress:
			in.end = in.to.n
			in.active = e.line < in.end
		case plusAddress:
			in.end = e.line + in.to.n
			in.active = in.to.n > 0
		case untilAddress:
			in.end = e.line
			if in.to.n > 0 {
				in.end = (e.line + in.to.n - 1) / in.to.n * in.to.n
			}
			in.active = e.line < in.end
		case lastAddress:
			in.active = !e.isLast()
		}
		return true
	}
	switch in.to.kind {
	case lineAddress, plusAddress, untilAddress:
		if e.line >= in.end {
			in.active = false
			// A line number that has passed makes a range of one line.
			return e.line == in.end
		}
	default:
		if e.matches(&in.to) {
			in.active = false
		}
	}
	return true
}

// regex returns the expression, or the last one that was used.
func (e *editor) regex(x *expression) *regex.Regexp {
	if x.re != nil {
		e.last = x.re
	}
	if e.last == nil {
		e.last, _ = regex.Compile("", regex.Options{})
	}
	return e.last
}

// cycle runs the program on the pattern space, and returns whether to go on.
func (e *editor) cycle() bool {
	for pc := 0; ; {
		print, again, done := e.execute(&pc)
		if again {
			// D: begin without reading.
			e.flushAdded()
			pc = 0
			continue
		}
		if print && !e.quiet {
			e.write(e.out, e.space, e.ended)
		}
		e.flushAdded()
		return !done
	}
}

// execute runs the program, and returns whether the pattern space is printed, whether the cycle begins again without a
// new line, and whether all is done.
func (e *editor) execute(at *int) (print, again, done bool) {
	for *at < len(e.program) {
		in := &e.program[*at]
		*at++
		if e.steps++; e.steps&0xfff == 0 && e.c.Context().Err() != nil {
			return false, false, true
		}
		if !e.selects(in) {
			if in.name == '{' {
				*at = in.target
			}
			continue
		}
		switch in.name {
		case '{':
		case '=':
			e.text(itoa(e.line) + "\n")
		case 'a':
			e.added = append(e.added, addition{text: in.text})
		case 'i':
			e.text(in.text)
		case 'c':
			if in.to.kind == noAddress || in.negated || !in.active {
				e.text(in.text)
			}
			return false, false, false
		case 'b':
			*at = in.target
		case 't':
			if e.changed {
				e.changed = false
				*at = in.target
			}
		case 'T':
			if !e.changed {
				*at = in.target
			}
			e.changed = false
		case 'd':
			return false, false, false
		case 'D':
			i := bytes.IndexByte(e.space, '\n')
			if i < 0 {
				return false, false, false
			}
			e.space = append(e.space[:0], e.space[i+1:]...)
			return false, true, false
		case 'F':
			e.text(e.name + "\n")
		case 'g':
			e.space = append(e.space[:0], e.hold...)
		case 'G':
			e.space = append(append(e.space, '\n'), e.hold...)
		case 'h':
			e.hold = append(e.hold[:0], e.space...)
		case 'H':
			e.hold = append(append(e.hold, '\n'), e.space...)
		case 'x':
			e.space, e.hold = e.hold, e.space
		case 'l':
			width := e.wrap
			if in.n >= 0 {
				width = in.n
			}
			e.text(visible(e.space, width))
		case 'n':
			if e.isLast() && (e.separate && len(e.files) == 0 || !e.separate) {
				// Without a next line, GNU's sed prints and ends.
				return true, false, true
			}
			if !e.quiet {
				e.write(e.out, e.space, e.ended)
			}
			e.flushAdded()
			if !e.read() {
				return false, false, true
			}
		case 'N':
			if e.isLast() && !(e.separate && len(e.files) > 0) {
				return true, false, true
			}
			e.flushAdded()
			if !e.fetch(true) {
				return true, false, true
			}
			e.space = append(append(e.space, e.separatorInSpace()), e.next...)
			e.ended, e.hasNext = e.nextEnd, false
			e.line++
		case 'p':
			e.write(e.out, e.space, e.ended)
		case 'P':
			first, _, _ := bytes.Cut(e.space, []byte("\n"))
			e.write(e.out, first, true)
		case 'q', 'Q':
			e.status = max(in.n, 0)
			return in.name == 'q', false, true
		case 'r':
			e.added = append(e.added, addition{file: in.text})
		case 'R':
			e.added = append(e.added, addition{file: in.text, line: true})
		case 's':
			e.substitute(in.sub)
		case 'w':
			e.write(e.writers[in.text], e.space, e.ended)
		case 'W':
			first, _, _ := bytes.Cut(e.space, []byte("\n"))
			e.write(e.writers[in.text], first, true)
		case 'y':
			e.space = bytes.Map(func(r rune) rune {
				if to, ok := in.runes[r]; ok {
					return to
				}
				return r
			}, e.space)
		case 'z':
			e.space = e.space[:0]
		}
	}
	return true, false, false
}

func (e *editor) separatorInSpace() byte {
	if e.separator == 0 {
		return 0
	}
	return '\n'
}

// substitute does s.
func (e *editor) substitute(s *substitution) {
	re := e.regex(s.re)
	most := max(1, s.nth)
	if s.global {
		most = -1
	}
	e.found = re.AppendAll(e.found[:0], e.space, most)
	all := e.found
	if s.nth > 0 {
		if len(all) < s.nth {
			return
		}
		all = all[s.nth-1:]
		if !s.global {
			all = all[:1]
		}
	}
	if len(all) == 0 {
		return
	}
	out := e.spare[:0]
	at := 0
	for _, loc := range all {
		out = append(out, e.space[at:loc[0]]...)
		out = s.expand(out, e.space, loc)
		at = loc[1]
	}
	e.space, e.spare = append(out, e.space[at:]...), e.space
	e.changed = true
	if s.print {
		e.write(e.out, e.space, e.ended)
	}
	if s.file != "" {
		e.write(e.writers[s.file], e.space, true)
	}
}

// expand appends the replacement for a match.
func (s *substitution) expand(out, text []byte, loc []int) []byte {
	mode, once := byte(0), byte(0)
	for _, p := range s.parts {
		switch p.case_ {
		case 'L', 'U':
			mode = p.case_
			continue
		case 'E':
			mode = 0
			continue
		case 'l', 'u':
			once = p.case_
			continue
		}
		if p.group < 0 && !s.special {
			out = append(out, p.text...)
			continue
		}
		piece := []byte(p.text)
		if p.group >= 0 {
			piece = nil
			if 2*p.group+1 < len(loc) && loc[2*p.group] >= 0 {
				piece = text[loc[2*p.group]:loc[2*p.group+1]]
			}
		}
		if s.special && len(piece) > 0 {
			switch mode {
			case 'L':
				piece = bytes.ToLower(piece)
			case 'U':
				piece = bytes.ToUpper(piece)
			}
			if once != 0 {
				r, size := utf8.DecodeRune(piece)
				convert := unicode.ToLower
				if once == 'u' {
					convert = unicode.ToUpper
				}
				out = utf8.AppendRune(out, convert(r))
				piece, once = piece[size:], 0
			}
		}
		out = append(out, piece...)
	}
	return out
}

// visible shows a text as the command l does.
func visible(text []byte, width int) string {
	var b strings.Builder
	column := 0
	add := func(s string) {
		if width > 1 && column+len(s) > width-1 {
			b.WriteString("\\\n")
			column = 0
		}
		b.WriteString(s)
		column += len(s)
	}
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		part := text[:size]
		text = text[size:]
		switch i := strings.IndexByte("\a\b\f\n\r\t\v\\", part[0]); {
		case size == 1 && i >= 0:
			add(`\` + string(`abfnrtv\`[i]))
		case r < utf8.RuneSelf && unicode.IsPrint(r):
			add(string(r))
		default:
			for _, c := range part {
				add(fmt.Sprintf(`\%03o`, c))
			}
		}
	}
	return b.String() + "$\n"
}
