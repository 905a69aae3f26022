package schema

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Package jsonschema compiles the schemas, but its validation cannot be bounded. A short schema can make it apply more
// subschemas to a value than there are atoms; each failure keeps an error with a copy of its path, and nothing stops
// it. A check applies the same keywords in the same order, but counts its steps, stops when it runs out of them or when
// the context ends, and keeps only as many problems as a model is told.

// The number of steps that checking a value may take: leastCost, and costPerNode for each value nested in it. A step is
// the application of one schema to one value, or other work of at most a few microseconds.
const (
	leastCost   = 100_000
	costPerNode = 5
)

// maxLooks limits how deep looks may be nested, through nested values and through references between schemas.
const maxLooks = 2000

var errTooComplex = errors.New("the arguments are too complex to be checked: pass something simpler")

// A check checks one value.
type check struct {
	meter
	// path is the path of the current value.
	path []string
	// looks is the stack of unfinished looks. While a property name is checked, base is where its own looks begin.
	looks []look
	base  int
	// quiet is above zero while problems are not wanted.
	quiet int
	// at is the length of the path of the value to which the innermost alternatives apply, or noAlternative.
	at int
	// attempt holds the first problems and counts all of them.
	attempt
}

// A look is the application of one schema to one value.
type look struct {
	schema *jsonschema.Schema
	// keyword is the reference through which the schema was reached, such as "$ref", or "".
	keyword string
	// value numbers the values on the stack: looks at the same value have the same number.
	value int
}

// A problem is one reason why the value is invalid.
type problem struct {
	path []string
	kind jsonschema.ErrorKind
	// of names the alternative that the problem belongs to, or is empty.
	of string
}

// A meter counts steps. It panics with a stop when none are left, or when the context has ended.
type meter struct {
	ctx  context.Context
	left int
}

type stop struct{ err error }

func newMeter(ctx context.Context, value any) meter {
	return meter{ctx, leastCost + costPerNode*nodes(value)}
}

func (m *meter) spend(steps int) {
	before := m.left
	m.left -= steps
	const often = 1024
	if m.left < 0 {
		panic(stop{errTooComplex})
	}
	if before/often != m.left/often && m.ctx.Err() != nil {
		panic(stop{m.ctx.Err()})
	}
}

// stopping turns the panic of a meter into an error. Functions that use a meter defer it.
func stopping(err *error) {
	switch p := recover().(type) {
	case nil:
	case stop:
		*err = p.err
	default:
		panic(p)
	}
}

// nodes counts a value and all values nested in it.
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

// run checks a value. It returns an error if it had to give up.
func (c *check) run(schema *jsonschema.Schema, value any) (err error) {
	defer stopping(&err)
	if err := c.ctx.Err(); err != nil {
		return err
	}
	c.look(schema, value, "", 0, false)
	return nil
}

// pathPerStep is the number of path elements that are copied in the time of a step. Copying costs steps, because many
// alternatives can have many problems that are never reported.
const pathPerStep = 3

// fail records a problem of the current value.
func (c *check) fail(kind jsonschema.ErrorKind) {
	c.wrong++
	c.signs |= signOf(problem{path: c.path, kind: kind}, c.at)
	if c.quiet == 0 && len(c.problems) < mostProblems {
		c.spend(len(c.path) / pathPerStep)
		c.problems = append(c.problems, problem{path: slices.Clone(c.path), kind: kind})
	}
}

// A mark is a position in the list of problems. The problems after it can be discarded.
type mark struct {
	problems, wrong int
	signs           signs
}

func (c *check) mark() mark { return mark{len(c.problems), c.wrong, c.signs} }

// failed reports whether there are problems after the mark.
func (c *check) failed(since mark) bool { return c.wrong > since.wrong }

// forget discards the problems after the mark.
func (c *check) forget(since mark) {
	clear(c.problems[since.problems:])
	c.problems, c.wrong, c.signs = c.problems[:since.problems], since.wrong, since.signs
}

// same applies another schema to the current value. It reports whether the value is valid, and if so, removes from rest
// the parts that this schema has evaluated.
func (c *check) same(schema *jsonschema.Schema, value any, keyword string, rest *unevaluated) bool {
	since := c.mark()
	inner := c.look(schema, value, keyword, c.looks[len(c.looks)-1].value, !rest.isEmpty())
	if c.failed(since) {
		return false
	}
	rest.keep(inner)
	return true
}

// quietly is same for a schema that need not fit, such as the one in not or if: it reports no problems.
func (c *check) quietly(schema *jsonschema.Schema, value any, rest *unevaluated) bool {
	since := c.mark()
	c.quiet++
	valid := c.same(schema, value, "", rest)
	c.quiet--
	c.forget(since)
	return valid
}

// inside applies a schema to a property or item of the current value.
func (c *check) inside(schema *jsonschema.Schema, value any, token string) bool {
	since := c.mark()
	c.path = append(c.path, token)
	c.look(schema, value, "", c.looks[len(c.looks)-1].value+1, false)
	c.path = c.path[:len(c.path)-1]
	return !c.failed(since)
}

// look applies a schema to a value. If needed is set, it returns the parts of the value that were not evaluated.
func (c *check) look(s *jsonschema.Schema, v any, keyword string, number int, needed bool) unevaluated {
	c.spend(1)
	rest := c.unevaluated(s, v, needed)
	if s.Bool != nil {
		if !*s.Bool {
			c.fail(&kind.FalseSchema{})
		}
		return rest
	}
	if len(c.looks) >= maxLooks {
		panic(stop{errTooComplex})
	}
	c.looks = append(c.looks, look{s, keyword, number})
	c.keywords(s, v, &rest)
	c.looks = c.looks[:len(c.looks)-1]
	return rest
}

// keywords applies the keywords of a schema, in the same order as package jsonschema.
func (c *check) keywords(s *jsonschema.Schema, v any, rest *unevaluated) {
	if cycle := c.cycle(); cycle >= 0 {
		c.fail(&kind.RefCycle{URL: s.Location, KeywordLocation1: c.location(len(c.looks) - 1),
			KeywordLocation2: c.location(cycle)})
		return
	}
	t := jsonType(v)
	if t == "" {
		c.fail(&kind.InvalidJsonValue{Value: v})
		return
	}
	if s.Types != nil && !s.Types.IsEmpty() && !c.isOf(*s.Types, t, v) {
		c.fail(&kind.Type{Got: t, Want: s.Types.ToStrings()})
		return
	}
	if s.Const != nil && !c.equal(v, *s.Const) {
		c.fail(&kind.Const{Got: v, Want: *s.Const})
		return
	}
	if s.Ref != nil {
		if valid := c.same(s.Ref, v, "$ref", rest); s.DraftVersion < 2019 || !valid && c.quiet > 0 {
			return
		}
	}
	since := c.mark()
	switch v := v.(type) {
	case map[string]any:
		c.object(s, v, rest)
	case []any:
		c.array(s, v, rest)
	case string:
		c.text(s, v)
	case nil, bool:
	default:
		c.number(s, v)
	}
	if c.quiet > 0 && c.failed(since) {
		return
	}
	if s.RecursiveRef != nil { // within one document with one id, dynamic references are static
		c.same(s.RecursiveRef, v, "$recursiveRef", rest)
	}
	if s.DynamicRef != nil {
		c.same(s.DynamicRef.Ref, v, "$dynamicRef", rest)
	}
	c.combined(s, v, rest)
	c.others(s, v, rest)
}

// cycle returns the index of an earlier look with the same schema and value as the last one, or -1.
func (c *check) cycle() int {
	last := len(c.looks) - 1
	for i := last - 1; i >= c.base && c.looks[i].value == c.looks[last].value; i-- {
		if c.looks[i].schema == c.looks[last].schema {
			return i
		}
		if i%16 == 0 {
			c.spend(1)
		}
	}
	return -1
}

// location returns the keywords that lead to a look, cut to a length worth showing.
func (c *check) location(last int) string {
	c.spend(1 + (last-c.base)/16)
	var text string
	for i := c.base + 1; i <= last && len(text) < maxShown; i++ {
		if keyword := c.looks[i].keyword; keyword != "" {
			text += "/" + keyword
		} else if whole, parent := c.looks[i].schema.Location, c.looks[i-1].schema.Location; len(whole) > len(parent) {
			text += whole[len(parent):]
		}
	}
	return shown(text)
}

// combined applies the keywords that combine schemas: not, allOf, anyOf, oneOf, if. It checks enum, too.
func (c *check) combined(s *jsonschema.Schema, v any, rest *unevaluated) {
	if s.Not != nil && c.quietly(s.Not, v, rest) {
		c.fail(&kind.Not{})
	}
	for _, schema := range s.AllOf {
		if !c.same(schema, v, "", rest) && c.quiet > 0 {
			return
		}
	}
	if s.Enum != nil && !c.among(v, s.Enum.Values) {
		c.fail(&kind.Enum{Got: v, Want: s.Enum.Values})
	}
	c.anyOf(s, v, rest)
	c.oneOf(s, v, rest)
	if s.If == nil {
		return
	}
	if c.quietly(s.If, v, rest) {
		if s.Then != nil {
			c.same(s.Then, v, "", rest)
		}
	} else if s.Else != nil {
		c.same(s.Else, v, "", rest)
	}
}

func (c *check) anyOf(s *jsonschema.Schema, v any, rest *unevaluated) {
	var among choice
	matched := false
	for _, schema := range s.AnyOf {
		if !c.try(schema, v, rest, &among) {
			continue
		}
		matched = true
		if rest.isEmpty() { // otherwise, more alternatives may evaluate more parts
			break
		}
	}
	if !matched && len(s.AnyOf) > 0 {
		c.tell(v, among)
	}
}

func (c *check) oneOf(s *jsonschema.Schema, v any, rest *unevaluated) {
	var among choice
	matched := -1
	for i, schema := range s.OneOf {
		if matched < 0 {
			if c.try(schema, v, rest, &among) {
				matched = i
			}
		} else if c.quietly(schema, v, rest) {
			c.fail(&kind.OneOf{Subschemas: []int{matched, i}})
			return
		}
	}
	if matched < 0 && len(s.OneOf) > 0 {
		c.tell(v, among)
	}
}

// others applies unevaluatedProperties and unevaluatedItems.
func (c *check) others(s *jsonschema.Schema, v any, rest *unevaluated) {
	if object, ok := v.(map[string]any); ok && s.UnevaluatedProperties != nil {
		for name := range rest.names {
			c.inside(s.UnevaluatedProperties, object[name], name)
		}
		rest.names = nil
	}
	if array, ok := v.([]any); ok && s.UnevaluatedItems != nil {
		for i := range rest.items {
			c.inside(s.UnevaluatedItems, array[i], strconv.Itoa(i))
		}
		rest.items = nil
	}
}

// unevaluated holds the parts of a value that no schema has evaluated so far. Both maps are nil if nothing needs them.
type unevaluated struct {
	names map[string]struct{}
	items map[int]struct{}
}

// unevaluated returns the parts of a value that the schema's own keywords may leave unevaluated.
func (c *check) unevaluated(s *jsonschema.Schema, v any, needed bool) (rest unevaluated) {
	switch v := v.(type) {
	case map[string]any:
		if s.AdditionalProperties != nil || !needed && s.UnevaluatedProperties == nil {
			return rest
		}
		c.spend(len(v))
		rest.names = make(map[string]struct{}, len(v))
		for name := range v {
			c.spend(len(name) / bytesPerStep)
			rest.names[name] = struct{}{}
		}
	case []any:
		if !needed && s.UnevaluatedItems == nil {
			return rest
		}
		first := evaluatedItems(s, len(v))
		c.spend(len(v) - first)
		rest.items = make(map[int]struct{}, len(v)-first)
		for i := first; i < len(v); i++ {
			rest.items[i] = struct{}{}
		}
	}
	return rest
}

// evaluatedItems returns how many items, from the start of an array of length all, a schema evaluates.
func evaluatedItems(s *jsonschema.Schema, all int) int {
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		return all
	case []*jsonschema.Schema:
		if s.AdditionalItems == nil {
			return min(all, len(items))
		}
		return all
	}
	if s.Items2020 != nil {
		return all
	}
	return min(all, len(s.PrefixItems))
}

func (u *unevaluated) isEmpty() bool { return len(u.names) == 0 && len(u.items) == 0 }

// keep keeps only the parts that are in other as well.
func (u *unevaluated) keep(other unevaluated) {
	for name := range u.names {
		if _, ok := other.names[name]; !ok {
			delete(u.names, name)
		}
	}
	for i := range u.items {
		if _, ok := other.items[i]; !ok {
			delete(u.items, i)
		}
	}
}
