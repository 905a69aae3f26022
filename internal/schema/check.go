package schema

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Package jsonschema compiles schemas, but its own way of validating cannot be bounded: there are short schemas that
// look at a value in more ways than there are atoms, each way that fails leaves an error with a copy of its place, and
// nothing stops it. A check goes through the same schemas in the same order, counts what it does, stops when that is
// too much or the context ends, and keeps only the problems that somebody will read.

// What checking may cost: a number of steps for any value, and some for each value inside of it. A step is a look at a
// value with a schema, or something else that takes at most some microseconds.
const (
	leastCost   = 100_000
	costPerNode = 5
)

// maxLooks is how many looks may be within each other, because of nested values and of schemas that refer to schemas.
const maxLooks = 2000

var errTooComplex = errors.New("the arguments are too complex to be checked: pass something simpler")

// A check checks one value.
type check struct {
	meter
	// path leads to the value that is looked at.
	path []string
	// looks are those that are going on, and base is where the ones begin that the names of a schema's own are not
	// part of.
	looks []look
	base  int
	// quiet is not zero where nobody wants to know what is wrong.
	quiet int
	// at is how long the path is of the value that the innermost alternatives are for, or noAlternative.
	at int
	// attempt has the first problems, and how many there are.
	attempt
}

// A look is one at a value with a schema.
type look struct {
	schema *jsonschema.Schema
	// keyword is what has referred to the schema, or "" if it is where it is used.
	keyword string
	// value is a number for the value: looks at the same value have the same one.
	value int
}

// A problem is something that is wrong.
type problem struct {
	path []string
	kind jsonschema.ErrorKind
	// of says which alternative it is a problem of, or is empty.
	of string
}

// A meter counts steps. It panics with a stop when they are too many, or when the context ends.
type meter struct {
	ctx  context.Context
	left int
}

type stop struct{ err error }

func newMeter(ctx context.Context, value any) meter {
	return meter{ctx, leastCost + costPerNode*nodes(value)}
}

// spend counts steps.
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

// stopping is deferred by what uses a meter, and sets the error.
func stopping(err *error) {
	switch p := recover().(type) {
	case nil:
	case stop:
		*err = p.err
	default:
		panic(p)
	}
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

// run checks a value. An error says why that has been given up.
func (c *check) run(schema *jsonschema.Schema, value any) (err error) {
	defer stopping(&err)
	if err := c.ctx.Err(); err != nil {
		return err
	}
	c.look(schema, value, "", 0, false)
	return nil
}

// pathPerStep is how much of a path is copied in a step: many alternatives have many problems that nobody will read.
const pathPerStep = 3

// fail notes that something is wrong.
func (c *check) fail(kind jsonschema.ErrorKind) {
	c.wrong++
	c.signs |= signOf(problem{path: c.path, kind: kind}, c.at)
	if c.quiet == 0 && len(c.problems) < mostProblems {
		c.spend(len(c.path) / pathPerStep)
		c.problems = append(c.problems, problem{path: slices.Clone(c.path), kind: kind})
	}
}

// A mark is where problems begin that may turn out to be none.
type mark struct {
	problems, wrong int
	signs           signs
}

func (c *check) mark() mark { return mark{len(c.problems), c.wrong, c.signs} }

// failed reports whether something has gone wrong since.
func (c *check) failed(since mark) bool { return c.wrong > since.wrong }

// forget takes back what has gone wrong since.
func (c *check) forget(since mark) {
	clear(c.problems[since.problems:])
	c.problems, c.wrong, c.signs = c.problems[:since.problems], since.wrong, since.signs
}

// same looks at a value with another schema. It returns what that leaves unevaluated, and whether the value is valid.
func (c *check) same(schema *jsonschema.Schema, value any, keyword string, rest *unevaluated) bool {
	since := c.mark()
	inner := c.look(schema, value, keyword, c.looks[len(c.looks)-1].value, !rest.isEmpty())
	if c.failed(since) {
		return false
	}
	rest.keep(inner)
	return true
}

// quietly is same, for a schema whose problems are none of the value's.
func (c *check) quietly(schema *jsonschema.Schema, value any, rest *unevaluated) bool {
	since := c.mark()
	c.quiet++
	valid := c.same(schema, value, "", rest)
	c.quiet--
	c.forget(since)
	return valid
}

// inside looks at a value inside of one.
func (c *check) inside(schema *jsonschema.Schema, value any, token string) bool {
	since := c.mark()
	c.path = append(c.path, token)
	c.look(schema, value, "", c.looks[len(c.looks)-1].value+1, false)
	c.path = c.path[:len(c.path)-1]
	return !c.failed(since)
}

// look looks at a value with a schema. It returns which parts of the value have not been evaluated, if the caller
// needs to know.
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

// keywords checks a value by the keywords of a schema, in the order in which package jsonschema does.
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
	if s.RecursiveRef != nil { // in one document with one id these lead to where they say
		c.same(s.RecursiveRef, v, "$recursiveRef", rest)
	}
	if s.DynamicRef != nil {
		c.same(s.DynamicRef.Ref, v, "$dynamicRef", rest)
	}
	c.combined(s, v, rest)
	c.others(s, v, rest)
}

// cycle returns the look that is the same as the last one, or -1.
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

// location is the way through the schemas to a look, as far as it is shown.
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

// combined checks what is made of other schemas.
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
		if rest.isEmpty() { // otherwise the other ones may evaluate more
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

// others checks what no other keyword has looked at.
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

// unevaluated are the parts of a value that no schema has looked at so far. Both are nil if nobody asks.
type unevaluated struct {
	names map[string]struct{}
	items map[int]struct{}
}

// unevaluated returns what a schema does not look at by itself, in any case.
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

// evaluatedItems is how many of the first items of an array a schema has something to say about.
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

// keep leaves what another one has, too.
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
