package lines

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/regex"
)

var csplit = &command.Command{
	Name:     "csplit",
	Operands: "[OPTION]... FILE PATTERN...",
	Summary: "Output pieces of FILE separated by PATTERN(s) to files 'xx00', 'xx01', ..., and\n" +
		"output byte counts of each piece to standard output. Read standard input if\n" +
		"FILE is -.",
	Options: []command.Option{
		{Short: 'b', Long: "suffix-format", Arg: "FORMAT", Help: "use sprintf FORMAT instead of %02d"},
		{Short: 'f', Long: "prefix", Arg: "PREFIX", Help: "use PREFIX instead of 'xx'"},
		{Short: 'k', Long: "keep-files", Help: "do not remove output files on errors"},
		{Long: "suppress-matched", Help: "suppress the lines matching PATTERN"},
		{Short: 'n', Long: "digits", Arg: "DIGITS", Help: "use specified number of digits instead of 2"},
		{Short: 's', Long: "quiet", Help: "do not print counts of output file sizes"},
		{Long: "silent"},
		{Short: 'z', Long: "elide-empty-files", Help: "remove empty output files"},
	},
	Notes: "Each PATTERN may be:\n" +
		"  INTEGER            copy up to but not including specified line number\n" +
		"  /REGEXP/[OFFSET]   copy up to but not including a matching line\n" +
		"  %REGEXP%[OFFSET]   skip to, but not including a matching line\n" +
		"  {INTEGER}          repeat the previous pattern specified number of times\n" +
		"  {*}                repeat the previous pattern as many times as possible",
	Run: runCsplit,
}

// A place is where to split: before a line, or at lines that match.
type place struct {
	text   string
	line   int64
	re     *regex.Regexp
	skip   bool // what is before goes nowhere
	offset int64
	times  int64 // beyond the first; -1 is as many as there are
}

func runCsplit(c *command.Context) int {
	if len(c.Args) < 2 {
		if len(c.Args) == 0 {
			return c.Missing()
		}
		return c.Usage("missing operand after %s", command.QuoteText(c.Args[0]))
	}
	p := &pieces{c: c, prefix: "xx", format: "%02d"}
	p.quiet, p.suppress = c.Has("quiet") || c.Has("silent"), c.Has("suppress-matched")
	if value, ok := c.Value("prefix"); ok {
		p.prefix = value
	}
	if value, ok := c.Value("digits"); ok {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			c.Errorf("invalid number: %s", command.QuoteText(value))
			return 1
		}
		p.format = "%0" + strconv.Itoa(n) + "d"
	}
	if value, ok := c.Value("suffix-format"); ok {
		if failure := suffixFormat(value); failure != "" {
			c.Errorf("%s", failure)
			return 1
		}
		p.format = goFormat(value)
	}
	in, err := c.Input(c.Args[0])
	if err != nil {
		c.Errorf("cannot open %s for reading: %s", command.Quote(c.Args[0]), command.Text(err))
		return 1
	}
	defer in.Close()
	places, ok := readPlaces(c)
	if !ok {
		return 1
	}
	p.in = bufio.NewReaderSize(in, 32<<10)
	err = p.split(places)
	if p.err != nil && p.err != io.EOF {
		err = errors.New("read error: " + command.Text(p.err))
	}
	if err != nil {
		p.finish()
		c.Errorf("%s", err)
		if !c.Has("keep-files") {
			for i := range p.count {
				_ = c.Remove(p.name(i))
			}
		}
		return 1
	}
	return 0
}

var conversion = regexp.MustCompile(`^%[-#0 +']*[0-9]*(\.[0-9]*)?([diuoxX])`)

// goFormat returns a format of C, which is valid, as package fmt has it.
func goFormat(format string) string {
	at := strings.Index(strings.ReplaceAll(format, "%%", "\x00\x00"), "%")
	m := conversion.FindString(format[at:])
	letter := m[len(m)-1]
	if letter == 'i' || letter == 'u' {
		letter = 'd'
	}
	return format[:at] + m[:len(m)-1] + string(letter) + format[at+len(m):]
}

// suffixFormat says what is wrong with a format of suffixes.
func suffixFormat(format string) string {
	found := false
	for rest := strings.ReplaceAll(format, "%%", ""); ; {
		at := strings.IndexByte(rest, '%')
		if at < 0 {
			break
		}
		rest = rest[at:]
		if found {
			return "too many % conversion specifications in suffix"
		}
		m := conversion.FindString(rest)
		if m == "" {
			if bad := strings.TrimLeft(rest[1:], "-#0123456789 +'."); bad != "" {
				return "invalid conversion specifier in suffix: " + bad[:1]
			}
			return "missing conversion specifier in suffix"
		}
		found, rest = true, rest[len(m):]
	}
	if !found {
		return "missing % conversion specification in suffix"
	}
	return ""
}

// readPlaces reads the patterns.
func readPlaces(c *command.Context) (places []place, ok bool) {
	last := int64(0)
	for i := 1; i < len(c.Args); i++ {
		arg := c.Args[i]
		p := place{text: arg}
		switch {
		case arg != "" && (arg[0] == '/' || arg[0] == '%'):
			end := strings.LastIndexByte(arg[1:], arg[0]) + 1
			if end == 0 {
				c.Errorf("%s: closing delimiter '%c' missing", arg, arg[0])
				return nil, false
			}
			p.skip = arg[0] == '%'
			if offset := arg[end+1:]; offset != "" {
				n, err := strconv.ParseInt(offset, 10, 64)
				if err != nil {
					c.Errorf("%s: integer expected after delimiter", command.QuoteText(arg))
					return nil, false
				}
				p.offset = n
			}
			re, err := regex.Compile(arg[1:end], regex.Options{})
			if err != nil {
				c.Errorf("%s: invalid regular expression: %s", command.QuoteText(arg), err)
				return nil, false
			}
			p.re = re
		default:
			n, err := strconv.ParseInt(arg, 10, 64)
			switch {
			case err != nil:
				c.Errorf("%s: invalid pattern", command.QuoteText(arg))
				return nil, false
			case n <= 0:
				c.Errorf("%s: line number must be greater than zero", arg)
				return nil, false
			case n < last:
				c.Errorf("line number %s is smaller than preceding line number, %d", command.QuoteText(arg), last)
				return nil, false
			case n == last:
				c.Errorf("warning: line number %s is the same as preceding line number", command.QuoteText(arg))
			}
			p.line, last = n, n
		}
		if i+1 < len(c.Args) && strings.HasPrefix(c.Args[i+1], "{") {
			i++
			times, closed := strings.CutSuffix(c.Args[i][1:], "}")
			if !closed {
				c.Errorf("%s: '}' is required in repeat count", command.QuoteText(c.Args[i]))
				return nil, false
			}
			p.times = -1
			if times != "*" {
				n, err := strconv.ParseInt(times, 10, 64)
				if err != nil || n < 0 {
					quoted := command.QuoteText(strings.TrimSuffix(c.Args[i], "}"))
					c.Errorf("%s}: integer required between '{' and '}'", quoted)
					return nil, false
				}
				p.times = n
			}
		}
		places = append(places, p)
	}
	return places, true
}

// pieces reads a file and writes its pieces.
type pieces struct {
	c               *command.Context
	prefix, format  string
	quiet, suppress bool

	in      *bufio.Reader
	err     error
	kept    []string // lines read, but not yet written
	current int64    // the number of the first of them, from 1
	matched int64    // the line that matched last

	count  int
	file   command.File
	out    *bufio.Writer
	length int64
}

// line returns the line with a number, which is not before the current one.
func (p *pieces) line(number int64) (string, bool) {
	for p.current+int64(len(p.kept)) <= number {
		if p.err != nil {
			return "", false
		}
		line, err := p.in.ReadString('\n')
		p.err = err
		if line != "" {
			p.kept = append(p.kept, line)
		}
	}
	return p.kept[number-p.current], true
}

// take removes the next line, and writes it if there is a piece to write to. It returns false at the end.
func (p *pieces) take(write bool) bool {
	line, ok := p.line(p.current)
	if !ok {
		return false
	}
	p.kept = p.kept[1:]
	p.current++
	if write {
		_, _ = p.out.WriteString(line)
		p.length += int64(len(line))
	}
	return true
}

func (p *pieces) name(i int) string { return p.prefix + fmt.Sprintf(p.format, i) }

// begin begins a piece.
func (p *pieces) begin() error {
	name := p.name(p.count)
	file, err := p.c.Create(name)
	if err != nil {
		return fmt.Errorf("%s: %s", command.QuoteOdd(name), command.Text(err))
	}
	p.file, p.out, p.length = file, bufio.NewWriterSize(file, 32<<10), 0
	p.count++
	return nil
}

// finish ends a piece.
func (p *pieces) finish() {
	if p.file == nil {
		return
	}
	_ = p.out.Flush()
	_ = p.file.Close()
	p.file = nil
	if p.length == 0 && p.c.Has("elide-empty-files") {
		p.count--
		_ = p.c.Remove(p.name(p.count))
		return
	}
	if !p.quiet {
		fmt.Fprintln(p.c.Stdout, p.length)
	}
}

func (p *pieces) split(places []place) error {
	p.current = 1
	for _, at := range places {
		for n := int64(0); at.times < 0 || n <= at.times; n++ {
			more, err := p.until(at, n)
			if err != nil {
				return err
			}
			if !more {
				return nil
			}
		}
	}
	if err := p.begin(); err != nil {
		return err
	}
	for p.take(true) {
	}
	p.finish()
	return nil
}

// until writes what is before a place. It returns false if that was the end, which is no error for {*}.
func (p *pieces) until(at place, repetition int64) (more bool, err error) {
	failed := func(what string) error {
		if repetition > 0 {
			what += " on repetition " + strconv.FormatInt(repetition, 10)
		}
		return fmt.Errorf("%s: %s", command.QuoteText(at.text), what)
	}
	end := at.line * (repetition + 1)
	if at.re != nil {
		// The line that matched last is not looked at again.
		for end = max(p.current, p.matched+1); ; end++ {
			line, ok := p.line(end)
			if !ok {
				if at.times < 0 {
					if !at.skip {
						err = p.rest()
					}
					return false, err
				}
				if !at.skip {
					_ = p.rest()
				}
				return false, failed("match not found")
			}
			if at.re.Match([]byte(strings.TrimSuffix(line, "\n"))) {
				break
			}
		}
		p.matched = end
		if end += at.offset; end < p.current {
			_ = p.begin()
			return false, failed("line number out of range")
		}
	}
	if !at.skip {
		if err := p.begin(); err != nil {
			return false, err
		}
	}
	for p.current < end {
		if !p.take(!at.skip) {
			return false, failed("line number out of range")
		}
	}
	if _, ok := p.line(end); !ok && at.re == nil {
		return false, failed("line number out of range")
	}
	if !at.skip {
		p.finish()
	}
	if p.suppress {
		p.take(false)
	}
	return true, nil
}

// rest writes all that is left into a piece.
func (p *pieces) rest() error {
	if err := p.begin(); err != nil {
		return err
	}
	for p.take(true) {
	}
	p.finish()
	return nil
}
