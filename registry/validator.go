package registry

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"regexp"
	"regexp/syntax"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolrun/toolrun/internal/plaintext"
)

// The validator goes through every way that leads to a schema, and there are short schemas with more ways than atoms. It has
// no way to be stopped; but it asks for the format of each value before it goes on to the schemas inside, and for regular
// expressions. So each schema is given a format that counts, and expressions count, too.

// What validating may cost, in schemas that are looked at. Each takes one to five microseconds.
const (
	leastCost   = 100_000
	costPerNode = 5
)

var errTooComplex = errors.New("the arguments are too complex to be checked: pass something simpler")

// A validator is a compiled schema that counts what it costs to use it. It is for one use at a time.
type validator struct {
	compiled *jsonschema.Schema
	ctx      context.Context
	left     int
	// stopped is why validating has been given up.
	stopped error
}

// newValidator compiles a schema, as counting has returned it.
func newValidator(counted any) (*validator, error) {
	v := &validator{left: leastCost}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(v.regexp)
	for i := range bits.UintSize - 1 {
		compiler.RegisterFormat(&jsonschema.Format{Name: costFormat + strconv.Itoa(i), Validate: func(any) error {
			v.spend(1 << i)
			return nil
		}})
	}
	compiler.AssertFormat()
	const location = "tool:schema"
	err := compiler.AddResource(location, counted)
	if err == nil {
		v.compiled, err = compiler.Compile(location)
	}
	if e, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		err = e.Err
	}
	return v, err
}

// validate validates a value, unless that costs too much or the context ends.
func (v *validator) validate(ctx context.Context, value any) (err error) {
	v.ctx, v.left, v.stopped = ctx, leastCost+costPerNode*nodes(value), nil
	defer func() {
		v.ctx = nil
		if v.stopped != nil {
			_ = recover()
			err = v.stopped
		}
	}()
	return v.compiled.Validate(value)
}

// spend counts, and gives up when it has counted enough.
func (v *validator) spend(cost int) {
	before := v.left
	v.left -= cost
	const often = 1024
	switch {
	case v.left < 0:
		v.stopped = errTooComplex
	case before/often != v.left/often && v.ctx != nil && v.ctx.Err() != nil:
		v.stopped = v.ctx.Err()
	default:
		return
	}
	panic(v.stopped)
}

// nodes is how many values there are in one.
func nodes(value any) int {
	n := 1
	switch value := value.(type) {
	case map[string]any:
		for _, inside := range value {
			n += nodes(inside)
		}
	case []any:
		for _, inside := range value {
			n += nodes(inside)
		}
	}
	return n
}

// How large regular expressions may be, each and together: the number of instructions that they are compiled to, roughly.
const (
	maxPattern  = 10_000
	maxPatterns = 50_000
)

// costOfMatching is how many steps of matching cost as much as looking at a schema.
const costOfMatching = 1000

// A pattern is a regular expression that counts.
type pattern struct {
	*regexp.Regexp
	v    *validator
	size int
}

func (v *validator) regexp(text string) (jsonschema.Regexp, error) {
	size, err := patternSize(text)
	if err != nil {
		return nil, err
	}
	compiled, err := regexp.Compile(text)
	return &pattern{compiled, v, size}, err
}

// patternSize estimates how large a regular expression is when its repetitions are written out. One that is too large is an
// error.
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

// MatchString implements jsonschema.Regexp.
func (p *pattern) MatchString(text string) bool {
	p.v.spend(1 + len(text)*p.size/costOfMatching)
	return p.Regexp.MatchString(text)
}
