package schema

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// Limits on the size of one regular expression and of all in a schema: roughly, the number of instructions they compile
// to.
const (
	maxPattern  = 10_000
	maxPatterns = 50_000
)

// A pattern is a regular expression with its size.
type pattern struct {
	*regexp.Regexp
	size int
}

func newPattern(text string) (jsonschema.Regexp, error) {
	size, err := patternSize(text)
	if err != nil {
		return nil, err
	}
	compiled, err := regexp.Compile(inGo(text))
	return &pattern{compiled, size}, err
}

// patternSize estimates the size of a regular expression with its repetitions written out. It returns an error for a
// size above maxPattern.
func patternSize(text string) (int, error) {
	parsed, err := syntax.Parse(inGo(text), syntax.Perl)
	if err != nil {
		return 0, err
	}
	size := sizeOf(parsed)
	if size > maxPattern {
		return 0, fmt.Errorf("the regular expression is too large: %q", plaintext.Cut(text, 100))
	}
	return size, nil
}

// inGo translates the escapes \uXXXX and \u{X} of JavaScript's regular expressions, which schemas have, into Go's.
func inGo(text string) string {
	if !strings.Contains(text, `\u`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			i++
			continue
		}
		switch first, ok := codeUnit(text[i:]); {
		case ok && utf16.IsSurrogate(first):
			if second, ok := codeUnit(text[i+6:]); ok && utf16.DecodeRune(first, second) != unicode.ReplacementChar {
				fmt.Fprintf(&b, `\x{%x}`, utf16.DecodeRune(first, second))
				i += 12
				continue
			}
		case ok:
			fmt.Fprintf(&b, `\x{%x}`, first)
			i += 6
			continue
		case strings.HasPrefix(text[i:], `\u{`):
			b.WriteString(`\x`)
			i += 2
			continue
		}
		b.WriteString(text[i : i+2])
		i += 2
	}
	return b.String()
}

// codeUnit returns the code unit of the escape \uXXXX with which text begins.
func codeUnit(text string) (unit rune, ok bool) {
	if len(text) < 6 || text[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}

func sizeOf(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)
	for _, inside := range re.Sub {
		size += sizeOf(inside)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Min, re.Max, 1)
	}
	return min(size, 1<<30)
}
