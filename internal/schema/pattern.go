package schema

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolrun/toolrun/internal/plaintext"
)

// How large regular expressions may be, each and together: the number of instructions that they are compiled to,
// roughly.
const (
	maxPattern  = 10_000
	maxPatterns = 50_000
)

// A pattern is a regular expression that knows how large it is.
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

// patternSize estimates how large a regular expression is when its repetitions are written out. One that is too large
// is an error.
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
