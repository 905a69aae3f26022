package schema

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolrun/toolrun/internal/plaintext"
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
	compiled, err := regexp.Compile(text)
	return &pattern{compiled, size}, err
}

// patternSize estimates the size of a regular expression with its repetitions written out. It returns an error for a
// size above maxPattern.
func patternSize(text string) (int, error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	size := sizeOf(parsed)
	if size > maxPattern {
		return 0, fmt.Errorf("the regular expression is too large: %q", plaintext.Cut(text, 100))
	}
	return size, nil
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
