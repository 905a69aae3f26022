package sed

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/shell/internal/regex"
)

func itoa(n int) string { return strconv.Itoa(n) }

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// addressKind says what an address is.
type addressKind int

const (
	noAddress addressKind = iota
	lineAddress
	lastAddress
	regexAddress
	stepAddress  // first~step
	plusAddress  // +n, as the second one
	untilAddress // ~n, as the second one
	zeroAddress  // 0, before a regular expression
)

type address struct {
	kind    addressKind
	n, step int
	re      *expression
}

// An expression is a regular expression, or the last one that was used.
type expression struct{ re *regex.Regexp }

// An instruction is one command of a script.
type instruction struct {
	from, to address
	negated  bool
	name     byte
	text     string // of a, i, c, r, w, b, t, T, y
	label    string
	target   int // of branches and blocks
	n        int // of q, Q, l
	sub      *substitution
	runes    map[rune]rune
	// active says that the instruction is within its range, which ends at line end, if that is known.
	active bool
	end    int
}

// A substitution is the command s.
type substitution struct {
	re      *expression
	parts   []part
	global  bool
	print   bool
	nth     int
	file    string
	special bool // there are conversions of case
}

// A part of a replacement: a text, a group, or a conversion of case.
type part struct {
	text  string
	group int  // -1 for none
	case_ byte // one of L, U, l, u, E, or 0
}

type parser struct {
	program     []instruction
	labels      map[string]int
	blocks      []int
	extended    bool
	expressions int

	s      string
	at     int
	source string
}

// finish checks what can only be checked at the end.
func (p *parser) finish() string {
	if len(p.blocks) > 0 {
		return "-e expression #1, char 0: unmatched `{'"
	}
	for i := range p.program {
		in := &p.program[i]
		if strings.IndexByte("btT", in.name) < 0 {
			continue
		}
		if in.label == "" {
			in.target = len(p.program)
			continue
		}
		target, ok := p.labels[in.label]
		if !ok {
			return "can't find label for jump to `" + in.label + "'"
		}
		in.target = target
	}
	return ""
}

func (p *parser) fail(text string) string {
	return p.source + ", char " + itoa(p.at) + ": " + text
}

func (p *parser) more() bool { return p.at < len(p.s) }

func (p *parser) skip(chars string) {
	for p.more() && strings.IndexByte(chars, p.s[p.at]) >= 0 {
		p.at++
	}
}

// parse adds a script to the program. It returns an error as a text.
func (p *parser) parse(script, source string) string {
	p.s, p.at, p.source = script, 0, source
	for {
		p.skip(" \t\n;")
		if !p.more() {
			return ""
		}
		if p.s[p.at] == '#' {
			for p.more() && p.s[p.at] != '\n' {
				p.at++
			}
			continue
		}
		if failure := p.instruction(); failure != "" {
			return failure
		}
	}
}

func (p *parser) instruction() string {
	var in instruction
	var failure string
	if in.from, failure = p.address(); failure != "" {
		return failure
	}
	p.skip(" \t")
	if in.from.kind != noAddress && p.more() && p.s[p.at] == ',' {
		p.at++
		p.skip(" \t")
		if in.to, failure = p.second(); failure != "" {
			return failure
		}
		if in.to.kind == noAddress {
			p.at++
			return p.fail("unexpected `,'")
		}
	}
	if in.from.kind == zeroAddress && in.to.kind != regexAddress {
		return p.fail("invalid usage of line address 0")
	}
	p.skip(" \t")
	for p.more() && p.s[p.at] == '!' {
		in.negated = true
		p.at++
		p.skip(" \t")
	}
	if !p.more() {
		return p.fail("missing command")
	}
	in.name = p.s[p.at]
	p.at++
	return p.command(in)
}

func (p *parser) number() int {
	from := p.at
	for p.more() && p.s[p.at] >= '0' && p.s[p.at] <= '9' {
		p.at++
	}
	return atoi(p.s[from:p.at])
}

func (p *parser) address() (address, string) {
	if !p.more() {
		return address{}, ""
	}
	switch c := p.s[p.at]; {
	case c >= '0' && c <= '9':
		n := p.number()
		if p.more() && p.s[p.at] == '~' {
			p.at++
			return address{kind: stepAddress, n: n, step: p.number()}, ""
		}
		if n == 0 {
			return address{kind: zeroAddress}, ""
		}
		return address{kind: lineAddress, n: n}, ""
	case c == '$':
		p.at++
		return address{kind: lastAddress}, ""
	case c == '/' || c == '\\':
		if c == '\\' {
			p.at++
			if !p.more() {
				return address{}, p.fail("unexpected `,'")
			}
		}
		text, ok := p.delimited(true)
		if !ok {
			return address{}, p.fail("unterminated address regex")
		}
		o := regex.Options{}
		for p.more() && (p.s[p.at] == 'I' || p.s[p.at] == 'M') {
			o.Fold = o.Fold || p.s[p.at] == 'I'
			o.Lines = o.Lines || p.s[p.at] == 'M'
			p.at++
		}
		re, failure := p.compile(text, o)
		return address{kind: regexAddress, re: re}, failure
	}
	return address{}, ""
}

func (p *parser) second() (address, string) {
	if p.more() && (p.s[p.at] == '+' || p.s[p.at] == '~') {
		kind := plusAddress
		if p.s[p.at] == '~' {
			kind = untilAddress
		}
		p.at++
		return address{kind: kind, n: p.number()}, ""
	}
	a, failure := p.address()
	if a.kind == zeroAddress {
		a.kind = lineAddress
	}
	return a, failure
}

// delimited reads a text up to its delimiter, which is the character at which the parser is. A delimiter with a
// backslash belongs to the text.
func (p *parser) delimited(expression bool) (string, bool) {
	delimiter, size := utf8.DecodeRuneInString(p.s[p.at:])
	p.at += size
	var b strings.Builder
	class := false
	for p.more() {
		r, size := utf8.DecodeRuneInString(p.s[p.at:])
		text := p.s[p.at : p.at+size]
		switch {
		case r == '\\' && p.at+1 < len(p.s) && !class:
			next, width := utf8.DecodeRuneInString(p.s[p.at+1:])
			p.at += 1 + width
			switch {
			case next == delimiter && expression && strings.ContainsRune("()|{}+?.*[]^$", next):
				// It is special without a backslash, and ordinary with one.
				if strings.ContainsRune("|(){}+?", next) {
					b.WriteString(string(next))
				} else {
					b.WriteString("\\" + string(next))
				}
			case next == delimiter:
				b.WriteString(string(next))
			case next == 'n' && expression && delimiter != 'n':
				b.WriteString("\n")
			default:
				b.WriteString("\\" + string(next))
			}
			continue
		case r == delimiter && !class:
			p.at += size
			return b.String(), true
		case r == '[' && expression && !class:
			class = true
			b.WriteString(text)
			p.at += size
			if p.more() && p.s[p.at] == '^' {
				b.WriteByte('^')
				p.at++
			}
			if p.more() && p.s[p.at] == ']' {
				b.WriteByte(']')
				p.at++
			}
			continue
		case class && r == '[' && p.at+1 < len(p.s) && strings.IndexByte(":.=", p.s[p.at+1]) >= 0:
			if end := strings.Index(p.s[p.at+2:], string(p.s[p.at+1])+"]"); end >= 0 {
				b.WriteString(p.s[p.at : p.at+end+4])
				p.at += end + 4
				continue
			}
		case r == ']':
			class = false
		case r == '\n' && expression && !class:
			return "", false
		}
		b.WriteString(text)
		p.at += size
	}
	return "", false
}

func (p *parser) compile(text string, o regex.Options) (*expression, string) {
	if text == "" {
		return &expression{}, ""
	}
	o.Extended, o.Escapes = p.extended, true
	re, err := regex.Compile(text, o)
	if err != nil {
		return nil, p.fail(err.Error())
	}
	return &expression{re}, ""
}

func (p *parser) command(in instruction) string {
	index := len(p.program)
	switch in.name {
	case '{':
		p.blocks = append(p.blocks, index)
		p.program = append(p.program, in)
		return ""
	case '}':
		if in.from.kind != noAddress {
			return p.fail("} doesn't want any addresses")
		}
		if len(p.blocks) == 0 {
			return p.fail("unexpected `}'")
		}
		last := len(p.blocks) - 1
		p.program[p.blocks[last]].target = index
		p.blocks = p.blocks[:last]
		return p.end()
	case ':':
		if in.from.kind != noAddress {
			return p.fail(": doesn't want any addresses")
		}
		p.skip(" \t")
		label := p.word(false)
		if label == "" {
			return p.fail("\":\" lacks a label")
		}
		p.labels[label] = index
		return ""
	case 'b', 't', 'T':
		p.skip(" \t")
		in.label = p.word(true)
		p.program = append(p.program, in)
		return p.end()
	case 'a', 'i', 'c':
		failure := p.textArgument(&in)
		p.program = append(p.program, in)
		return failure
	case 'r', 'R', 'w', 'W':
		p.skip(" \t")
		end := strings.IndexByte(p.s[p.at:], '\n')
		if end < 0 {
			end = len(p.s) - p.at
		}
		in.text = p.s[p.at : p.at+end]
		p.at += end
		if in.text == "" {
			return p.fail("missing filename in r/R/w/W commands")
		}
		p.program = append(p.program, in)
		return ""
	case 'q', 'Q', 'l', 'L':
		p.skip(" \t")
		in.n = -1
		if p.more() && p.s[p.at] >= '0' && p.s[p.at] <= '9' {
			in.n = p.number()
		}
		if in.to.kind != noAddress && in.name != 'l' {
			return p.fail("command only uses one address")
		}
		p.program = append(p.program, in)
		return p.end()
	case '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
		p.program = append(p.program, in)
		return p.end()
	case 's':
		failure := p.substitution(&in)
		if failure != "" {
			return failure
		}
		p.program = append(p.program, in)
		return p.end()
	case 'y':
		failure := p.transliteration(&in)
		if failure != "" {
			return failure
		}
		p.program = append(p.program, in)
		return p.end()
	case 'e':
		return p.fail("e/r/w commands disabled in sandbox mode")
	}
	return p.fail("unknown command: `" + string(in.name) + "'")
}

// end reads the end of a command.
func (p *parser) end() string {
	p.skip(" \t")
	if !p.more() {
		return ""
	}
	switch p.s[p.at] {
	case ';', '\n':
		p.at++
	case '}', '#':
	default:
		p.at++
		return p.fail("extra characters after command")
	}
	return ""
}

// word reads a label, which ends at white space or a semicolon.
func (p *parser) word(brace bool) string {
	from := p.at
	stops := " \t\n;"
	if brace {
		stops += "}"
	}
	for p.more() && strings.IndexByte(stops, p.s[p.at]) < 0 {
		p.at++
	}
	return p.s[from:p.at]
}

// textArgument reads the text of a, i and c.
func (p *parser) textArgument(in *instruction) string {
	p.skip(" \t")
	if !p.more() {
		return p.fail("expected \\ after `a', `c' or `i'")
	}
	if p.s[p.at] == '\\' {
		p.at++
		from := p.at
		p.skip(" \t")
		if p.more() && p.s[p.at] == '\n' {
			p.at++
		} else {
			// GNU's form of one line, in which the backslash keeps white space.
			p.at = from
		}
	}
	var b strings.Builder
	for p.more() {
		c := p.s[p.at]
		p.at++
		if c == '\n' {
			break
		}
		if c == '\\' && p.more() {
			c = p.s[p.at]
			p.at++
			if i := strings.IndexByte("afnrtv", c); i >= 0 && c == 't' {
				c = "\a\f\n\r\t\v"[i]
			}
		}
		b.WriteByte(c)
	}
	in.text = b.String() + "\n"
	return ""
}

func (p *parser) substitution(in *instruction) string {
	if !p.more() || p.s[p.at] == '\n' || p.s[p.at] == '\\' {
		return p.fail("unterminated `s' command")
	}
	begin := p.at
	text, ok := p.delimited(true)
	if !ok {
		p.at = len(p.s)
		return p.fail("unterminated `s' command")
	}
	delimiter, size := utf8.DecodeRuneInString(p.s[begin:])
	p.at -= size
	replacement, ok := p.replacement(delimiter)
	if !ok {
		p.at = len(p.s)
		return p.fail("unterminated `s' command")
	}
	sub := &substitution{}
	o := regex.Options{}
	for p.more() {
		c := p.s[p.at]
		switch {
		case c == 'g':
			sub.global = true
		case c == 'p':
			sub.print = true
		case c == 'i' || c == 'I':
			o.Fold = true
		case c == 'm' || c == 'M':
			o.Lines = true
		case c == 'e':
			p.at++
			return p.fail("e/r/w commands disabled in sandbox mode")
		case c >= '1' && c <= '9':
			if sub.nth != 0 {
				return p.fail("multiple number options to `s' command")
			}
			sub.nth = p.number()
			continue
		case c == '0':
			p.at++
			return p.fail("number option to `s' command may not be zero")
		case c == 'w':
			p.at++
			p.skip(" \t")
			end := strings.IndexByte(p.s[p.at:], '\n')
			if end < 0 {
				end = len(p.s) - p.at
			}
			sub.file = p.s[p.at : p.at+end]
			p.at += end
			continue
		default:
			if strings.IndexByte(" \t;\n}#", c) < 0 {
				p.at++
				return p.fail("unknown option to `s'")
			}
			goto done
		}
		p.at++
	}
done:
	var failure string
	if sub.re, failure = p.compile(text, o); failure != "" {
		return failure
	}
	sub.parts = replacementParts(replacement)
	for _, part := range sub.parts {
		if part.case_ != 0 {
			sub.special = true
		}
		if sub.re.re != nil && part.group > sub.re.re.Groups() {
			return p.fail("invalid reference \\" + itoa(part.group) + " on `s' command's RHS")
		}
	}
	in.sub = sub
	return ""
}

// replacement reads the replacement of s, with its backslashes, up to the delimiter. The parser is at the delimiter
// before.
func (p *parser) replacement(delimiter rune) (string, bool) {
	_, size := utf8.DecodeRuneInString(p.s[p.at:])
	p.at += size
	var b strings.Builder
	for p.more() {
		r, size := utf8.DecodeRuneInString(p.s[p.at:])
		switch {
		case r == '\\' && p.at+1 < len(p.s):
			next, width := utf8.DecodeRuneInString(p.s[p.at+1:])
			if next == delimiter && next != '&' && !(next >= '0' && next <= '9') && next != '\n' {
				b.WriteString(string(next))
			} else {
				b.WriteString(p.s[p.at : p.at+1+width])
			}
			p.at += 1 + width
			continue
		case r == delimiter:
			p.at += size
			return b.String(), true
		}
		b.WriteString(p.s[p.at : p.at+size])
		p.at += size
	}
	return "", false
}

// replacementParts splits a replacement into its parts.
func replacementParts(s string) []part {
	var parts []part
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			parts = append(parts, part{text: b.String(), group: -1})
			b.Reset()
		}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '&':
			flush()
			parts = append(parts, part{group: 0})
		case c == '\\' && i+1 < len(s):
			i++
			c = s[i]
			switch {
			case c >= '0' && c <= '9':
				flush()
				parts = append(parts, part{group: int(c - '0')})
			case strings.IndexByte("LUluE", c) >= 0:
				flush()
				parts = append(parts, part{group: -1, case_: c})
			case strings.IndexByte("afnrtv", c) >= 0:
				b.WriteByte("\a\f\n\r\t\v"[strings.IndexByte("afnrtv", c)])
			case c == 'x' && i+2 < len(s):
				if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
					b.WriteByte(byte(n))
					i += 2
				} else {
					b.WriteByte(c)
				}
			default:
				b.WriteByte(c)
			}
		default:
			b.WriteByte(c)
		}
	}
	flush()
	return parts
}

// numbered matches backslashes, and characters that are written as numbers.
var numbered = regexp.MustCompile(`\\(d[0-9]{1,3}|o[0-7]{1,3}|x[0-9a-fA-F]{1,2}|\\)`)

func (p *parser) transliteration(in *instruction) string {
	if !p.more() {
		return p.fail("unterminated `y' command")
	}
	begin := p.at
	from, ok := p.delimited(false)
	if !ok {
		p.at = len(p.s)
		return p.fail("unterminated `y' command")
	}
	_, size := utf8.DecodeRuneInString(p.s[begin:])
	p.at -= size
	to, ok := p.delimited(false)
	if !ok {
		p.at = len(p.s)
		return p.fail("unterminated `y' command")
	}
	unescape := func(s string) []rune {
		s = strings.NewReplacer(`\\`, `\\`, `\n`, "\n", `\t`, "\t", `\r`, "\r").Replace(s)
		return []rune(numbered.ReplaceAllStringFunc(s, func(escape string) string {
			base := map[byte]int{'d': 10, 'o': 8, 'x': 16}[escape[1]]
			if n, err := strconv.ParseUint(escape[2:], base, 8); base > 0 && err == nil {
				return string(rune(n))
			}
			return escape[1:]
		}))
	}
	a, b := unescape(from), unescape(to)
	if len(a) != len(b) {
		return p.fail("strings for `y' command are different lengths")
	}
	in.runes = map[rune]rune{}
	for i, r := range a {
		if _, ok := in.runes[r]; !ok {
			in.runes[r] = b[i]
		}
	}
	return ""
}
