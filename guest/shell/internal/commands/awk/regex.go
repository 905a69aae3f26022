package awk

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
)

// A pattern is a regular expression.
type pattern struct {
	re      *regexp.Regexp
	literal string // all of it, if it is plain text
	plain   bool
}

// compilePattern compiles an extended regular expression, as awk has them.
func compilePattern(s string, fold bool) (*pattern, error) {
	flags := "(?s)"
	if fold {
		flags = "(?si)"
	}
	re, err := regexp.Compile(flags + translate(s))
	if err != nil {
		return nil, err
	}
	re.Longest()
	p := &pattern{re: re}
	if !fold && !strings.ContainsAny(s, "^$") {
		p.literal, p.plain = re.LiteralPrefix()
	}
	return p, nil
}

func (p *pattern) match(s string) bool {
	if p.plain {
		return strings.Contains(s, p.literal)
	}
	return p.re.MatchString(s)
}

// find returns where a pattern matches first, or -1.
func (p *pattern) find(s string) (from, to int) {
	if p.plain {
		if from = strings.Index(s, p.literal); from >= 0 {
			return from, from + len(p.literal)
		}
		return -1, -1
	}
	if at := p.re.FindStringIndex(s); at != nil {
		return at[0], at[1]
	}
	return -1, -1
}

// translate translates a regular expression of awk into one of Go.
func translate(s string) string {
	var b strings.Builder
	atom := false // whether there is something to repeat
	repeated := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if repeated && strings.IndexByte("*+?{", c) < 0 {
			repeated = false
		}
		switch c {
		case '\\':
			if i++; i == len(s) {
				b.WriteString(`\\`)
				continue
			}
			atom = true
			i = escapeOf(&b, s, i)
		case '[':
			end := bracket(&b, s, i)
			if end < 0 {
				b.WriteString(`\[`)
			} else {
				i = end
			}
			atom = true
		case '*', '+', '?':
			switch {
			case !atom:
				b.WriteByte('\\')
				b.WriteByte(c)
				atom = true
			case repeated:
				// "a**" is "a*", and so is "a+?".
				before := strings.TrimRight(b.String(), "*+?")
				if last := b.String()[len(before):]; last != string(c) {
					b.Reset()
					b.WriteString(before + "*")
				}
			default:
				b.WriteByte(c)
				repeated = true
			}
		case '{':
			end := interval(s[i:])
			switch {
			case end == 0 || !atom:
				b.WriteString(`\{`)
				atom = true
			default:
				text := s[i : i+end]
				if strings.HasPrefix(text, "{,") {
					text = "{0" + text[1:]
				}
				b.WriteString(text)
				i += end - 1
				repeated = false
			}
		case '}':
			b.WriteString(`\}`)
			atom = true
		case '(':
			b.WriteByte(c)
			atom = false
		case '|':
			b.WriteByte(c)
			atom = false
		case '^':
			b.WriteByte(c)
			atom = false
		case ')':
			b.WriteByte(c)
			atom = true
		default:
			b.WriteByte(c)
			atom = true
		}
	}
	return b.String()
}

// interval returns the length of a repetition {n,m}, or 0.
func interval(s string) int {
	end := strings.IndexByte(s, '}')
	if end < 0 {
		return 0
	}
	low, high, comma := strings.Cut(s[1:end], ",")
	for _, n := range []string{low, high} {
		for i := range len(n) {
			if !isDigit(n[i]) {
				return 0
			}
		}
	}
	if low == "" && (!comma || high == "") {
		return 0
	}
	return end + 1
}

// escapeOf writes the escape whose letter is at i, and returns where it ends.
func escapeOf(b *strings.Builder, s string, i int) int {
	switch c := s[i]; c {
	case 'y':
		b.WriteString(`\b`)
	case '<':
		b.WriteString(`\b(?:\b)`)
	case '>':
		b.WriteString(`\b`)
	case '`':
		b.WriteString(`\A`)
	case '\'':
		b.WriteString(`\z`)
	case 'B', 's', 'S', 'w', 'W':
		b.WriteByte('\\')
		b.WriteByte(c)
	case 'n', 't', 'r', 'f', 'v', 'a':
		b.WriteByte('\\')
		b.WriteByte(c)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n, digits := 0, 0
		for digits < 3 && i < len(s) && s[i] >= '0' && s[i] <= '7' {
			n = n*8 + int(s[i]-'0')
			i++
			digits++
		}
		i--
		b.WriteString(regexp.QuoteMeta(string(rune(n))))
	default:
		if c < 0x80 && !isNameStart(c) {
			b.WriteString(regexp.QuoteMeta(string(c)))
		} else {
			b.WriteByte(c)
		}
	}
	return i
}

// bracket writes the bracket expression that begins at i, and returns where it ends, or -1.
func bracket(b *strings.Builder, s string, i int) int {
	var set strings.Builder
	set.WriteByte('[')
	i++
	if i < len(s) && s[i] == '^' {
		set.WriteByte('^')
		i++
	}
	for first := true; i < len(s); first = false {
		c := s[i]
		switch {
		case c == ']' && !first:
			set.WriteByte(']')
			b.WriteString(set.String())
			return i
		case c == '[' && i+1 < len(s) && s[i+1] == ':':
			if end := strings.Index(s[i:], ":]"); end > 0 {
				set.WriteString(s[i : i+end+2])
				i += end + 2
				continue
			}
			set.WriteString(`\[`)
		case c == '[' && i+1 < len(s) && (s[i+1] == '.' || s[i+1] == '='):
			if end := strings.Index(s[i+2:], s[i+1:i+2]+"]"); end >= 0 {
				set.WriteString(regexp.QuoteMeta(s[i+2 : i+2+end]))
				i += end + 4
				continue
			}
			set.WriteString(`\[`)
		case c == '\\' && i+1 < len(s):
			i++
			switch e := s[i]; {
			case e == 'y' || e == '<' || e == '>' || e == 'B':
				set.WriteByte(e)
			default:
				i = escapeOf(&set, s, i)
			}
		case c == '-':
			// A range, or itself at an end.
			if !first && i+1 < len(s) && s[i+1] != ']' {
				set.WriteByte('-')
			} else {
				set.WriteString(`\-`)
			}
		case strings.IndexByte(`]^&~\`, c) >= 0:
			set.WriteByte('\\')
			set.WriteByte(c)
		case c == '[':
			set.WriteString(`\[`)
		default:
			set.WriteByte(c)
		}
		i++
	}
	return -1
}

// regexProblem says what is wrong with a regular expression, as gawk does.
func regexProblem(err error) string {
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		switch e.Code {
		case syntax.ErrMissingParen:
			return "Unmatched ( or \\("
		case syntax.ErrUnexpectedParen:
			return "Unmatched ) or \\)"
		case syntax.ErrMissingBracket:
			return "Unmatched [, [^, [:, [., or [="
		case syntax.ErrInvalidCharRange:
			return "Invalid range end"
		case syntax.ErrInvalidRepeatSize:
			return "Regular expression too big"
		}
	}
	return "Invalid preceding regular expression"
}
