package jq

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// A Program is a compiled program.
type Program struct {
	root *node
	vars []string
}

// Compile compiles a program that uses variables, which are named without "$".
func Compile(src string, variables []string) (*Program, error) {
	n, err := parse(src)
	if err != nil {
		return nil, err
	}
	var s *scope
	for _, name := range variables {
		s = &scope{s, "$" + name}
	}
	if err := check(n, &scope{s, "$ENV"}); err != nil {
		return nil, err
	}
	return &Program{n, variables}, nil
}

// Options are what a program is run with.
type Options struct {
	Variables []any               // the values of the variables, in the order of Compile
	Input     func() (any, error) // the next input, for "input"; io.EOF at the end
	Env       func() *Object      // the environment
	Lookup    func(string) string // a variable of it
	Stderr    io.Writer           // for "debug" and "stderr"
	File      func() any          // the name of the file that is read
	Line      func() int          // how many lines of it were read
	Tick      func() error        // is called now and then; its error ends the program
}

// Run runs a program, and calls a function with each output. It returns the error that ended it.
func (p *Program) Run(v any, options *Options, yield func(any) error) error {
	r := &run{Options: options}
	e := prelude
	for i, name := range p.vars {
		e = &env{up: e, name: "$" + name, value: options.Variables[i]}
	}
	return r.eval(p.root, e, v, nil, func(v any, _ *path) error { return yield(v) })
}

// An Error is an error that a program can catch: its value is what "catch" gets.
type Error struct{ Value any }

func (e *Error) Error() string {
	if s, ok := e.Value.(string); ok {
		return s
	}
	return JSON(e.Value)
}

// A Halt ends all: see halt_error.
type Halt struct {
	Value  any
	Has    bool // Value is to be written
	Status int
}

func (h *Halt) Error() string { return "halt" }

func failf(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// breaking unwinds to a label.
type breaking struct{ label *env }

func (breaking) Error() string { return "break" }

// passed is an error from behind a "try", which must not catch it.
type passed struct{ err error }

func (p *passed) Error() string { return p.err.Error() }

// A path leads to a value. The first one, root, has no key. A nil path means that nobody asks for it.
type path struct {
	up    *path
	key   any
	wrong bool // the value is not a part of the input
}

var root = &path{}

func (p *path) at(key any) *path {
	if p == nil {
		return nil
	}
	return &path{up: p, key: key}
}

var nowhere = &path{wrong: true}

// lost is the path of a value that was computed.
func (p *path) lost() *path {
	if p == nil {
		return nil
	}
	return nowhere
}

func (p *path) list() []any {
	n := 0
	for q := p; q.up != nil; q = q.up {
		n++
	}
	list := make([]any, n)
	for q := p; q.up != nil; q = q.up {
		n--
		list[n] = q.key
	}
	return list
}

// An env is a name that a program knows, and those that it knew before.
type env struct {
	up    *env
	name  string // of a variable with "$", of a function with its number of parameters
	value any
	// A function is a definition, or an argument with where it came from.
	def  *definition
	arg  *node
	from *env
	// prelude says that it is a function of the prelude, as all those before it are.
	prelude bool
}

type yielder func(v any, p *path) error

type run struct {
	*Options
	depth, ticks int
}

// maxCalls is how deep functions call each other.
const maxCalls = 10000

func (r *run) tick() error {
	if r.ticks++; r.ticks&0xff == 0 && r.Tick != nil {
		return r.Tick()
	}
	return nil
}

func (r *run) eval(n *node, e *env, v any, p *path, yield yielder) error {
	switch n.op {
	case opIdentity:
		return yield(v, p)
	case opLiteral:
		return yield(n.value, p.lost())
	case opPipe:
		return r.eval(n.a, e, v, p, func(v any, p *path) error { return r.eval(n.b, e, v, p, yield) })
	case opComma:
		if err := r.eval(n.a, e, v, p, yield); err != nil {
			return err
		}
		return r.eval(n.b, e, v, p, yield)
	case opIndex:
		if n.b.op == opLiteral {
			return r.eval(n.a, e, v, p, func(t any, p *path) error { return r.index(t, n.b.value, p, yield) })
		}
		return r.eval(n.b, e, v, nil, func(key any, _ *path) error {
			return r.eval(n.a, e, v, p, func(t any, p *path) error { return r.index(t, key, p, yield) })
		})
	case opSlice:
		return r.optional(n.c, e, v, func(to any) error {
			return r.optional(n.b, e, v, func(from any) error {
				return r.eval(n.a, e, v, p, func(t any, p *path) error {
					key := &Object{}
					key.Put("start", from)
					key.Put("end", to)
					return r.index(t, key, p, yield)
				})
			})
		})
	case opIterate:
		return r.eval(n.a, e, v, p, func(t any, p *path) error { return r.iterate(t, p, yield) })
	case opRecurse:
		return r.recurse(v, p, yield)
	case opTry:
		return r.try(n, e, v, p, yield)
	case opNegate:
		return r.eval(n.a, e, v, nil, func(x any, _ *path) error {
			f, ok := x.(float64)
			if !ok {
				return failf("%s cannot be negated", describe(x))
			}
			return yield(-f, p.lost())
		})
	case opBinary:
		return r.eval(n.b, e, v, nil, func(b any, _ *path) error {
			return r.eval(n.a, e, v, nil, func(a any, _ *path) error {
				result, err := arithmetic(n.name, a, b)
				if err != nil {
					return err
				}
				return yield(result, p.lost())
			})
		})
	case opOr, opAnd:
		return r.eval(n.a, e, v, nil, func(a any, _ *path) error {
			if truthy(a) == (n.op == opOr) {
				return yield(n.op == opOr, p.lost())
			}
			return r.eval(n.b, e, v, nil, func(b any, _ *path) error { return yield(truthy(b), p.lost()) })
		})
	case opAlternative:
		found := false
		err := r.eval(n.a, e, v, p, func(a any, q *path) error {
			if !truthy(a) {
				return nil
			}
			found = true
			if err := yield(a, q); err != nil {
				return &passed{err}
			}
			return nil
		})
		if pass, ok := err.(*passed); ok {
			return pass.err
		}
		if _, ok := err.(*Error); err != nil && !ok {
			return err
		}
		if found {
			return nil
		}
		return r.eval(n.b, e, v, p, yield)
	case opArray:
		list := []any{}
		err := r.eval(n.a, e, v, nil, func(x any, _ *path) error {
			list = append(list, x)
			return nil
		})
		if err != nil {
			return err
		}
		return yield(list, p.lost())
	case opObject:
		return r.object(n.list, e, v, nil, func(o any, _ *path) error { return yield(o, p.lost()) })
	case opString:
		return r.interpolate(n, len(n.list)-1, e, v, "", func(s string) error { return yield(s, p.lost()) })
	case opFormat:
		s, err := formats[n.name](v)
		if err != nil {
			return err
		}
		return yield(s, p.lost())
	case opIf:
		return r.eval(n.a, e, v, nil, func(c any, _ *path) error {
			switch {
			case truthy(c):
				return r.eval(n.b, e, v, p, yield)
			case n.c == nil:
				return yield(v, p)
			}
			return r.eval(n.c, e, v, p, yield)
		})
	case opVariable:
		if n.name == "ENV" {
			return yield(r.Env(), p.lost())
		}
		name := "$" + n.name
		for x := e; x != nil && !x.prelude; x = x.up {
			if x.name == name {
				return yield(x.value, p.lost())
			}
		}
		return failf("$%s is not defined", n.name)
	case opAs:
		return r.eval(n.a, e, v, nil, func(x any, _ *path) error {
			return r.destructure(n.pattern, e, v, x, func(e *env) error { return r.eval(n.b, e, v, p, yield) })
		})
	case opReduce:
		return r.reduce(n, e, v, p, yield)
	case opForeach:
		return r.foreach(n, e, v, p, yield)
	case opDef:
		return r.eval(n.a, &env{up: e, name: n.def.key(), def: n.def}, v, p, yield)
	case opLabel:
		label := &env{up: e, name: "*" + n.name}
		err := r.eval(n.a, label, v, p, yield)
		if b, ok := err.(breaking); ok && b.label == label {
			return nil
		}
		return err
	case opBreak:
		for x := e; x != nil; x = x.up {
			if x.name == "*"+n.name {
				return breaking{x}
			}
		}
		return failf("$*label-%s is not defined", n.name)
	case opCall:
		return r.call(n, e, v, p, yield)
	case opAssign:
		return r.eval(n.b, e, v, nil, func(x any, _ *path) error {
			return r.update(n.a, e, v, p, yield, func(any) (any, bool, error) { return x, true, nil })
		})
	case opArithmeticUpdate:
		return r.eval(n.b, e, v, nil, func(x any, _ *path) error {
			return r.update(n.a, e, v, p, yield, func(old any) (any, bool, error) {
				result, err := arithmetic(n.name, old, x)
				return result, true, err
			})
		})
	case opAlternativeUpdate:
		return r.eval(n.b, e, v, nil, func(x any, _ *path) error {
			return r.update(n.a, e, v, p, yield, func(old any) (any, bool, error) {
				if truthy(old) {
					return old, true, nil
				}
				return x, true, nil
			})
		})
	case opUpdate:
		return r.update(n.a, e, v, p, yield, func(old any) (any, bool, error) {
			var result any
			found := false
			err := r.eval(n.b, e, old, nil, func(x any, _ *path) error {
				result, found = x, true
				return errFirst
			})
			if err == errFirst {
				err = nil
			}
			return result, found, err
		})
	}
	return errors.New("jq: a program has a part that is unknown")
}

// errFirst ends an evaluation whose first output is enough.
var errFirst = errors.New("first")

func (d *definition) key() string { return fmt.Sprintf("%s/%d", d.name, len(d.params)) }

// optional evaluates an expression that can be missing, which is null then.
func (r *run) optional(n *node, e *env, v any, do func(any) error) error {
	if n == nil {
		return do(nil)
	}
	return r.eval(n, e, v, nil, func(x any, _ *path) error { return do(x) })
}

// update changes all values that paths lead to.
func (r *run) update(paths *node, e *env, v any, p *path, yield yielder, do func(any) (any, bool, error)) error {
	result := v
	var gone []any
	err := r.eval(paths, e, v, root, func(_ any, q *path) error {
		if q.wrong {
			return failf("Invalid path expression with result %s", JSON(result))
		}
		at := q.list()
		old, err := getPath(result, at)
		if err != nil {
			return err
		}
		x, ok, err := do(old)
		if err != nil {
			return err
		}
		if !ok {
			gone = append(gone, at)
			return nil
		}
		result, err = setPath(result, at, x)
		return err
	})
	if err == nil && gone != nil {
		result, err = deletePaths(result, gone)
	}
	if err != nil {
		return err
	}
	return yield(result, p.lost())
}

func (r *run) try(n *node, e *env, v any, p *path, yield yielder) error {
	err := r.eval(n.a, e, v, p, func(v any, p *path) error {
		if err := yield(v, p); err != nil {
			return &passed{err}
		}
		return nil
	})
	switch err := err.(type) {
	case *passed:
		return err.err
	case *Error:
		if o, ok := err.Value.(*Object); ok && n.b == nil {
			if _, ok := o.Get("__jq"); ok {
				return err
			}
		}
		if n.b == nil {
			return nil
		}
		return r.eval(n.b, e, err.Value, p.lost(), yield)
	}
	return err
}

func (r *run) object(list []*node, e *env, v any, done *Object, yield yielder) error {
	if len(list) == 0 {
		if done == nil {
			done = &Object{}
		}
		return yield(done, nil)
	}
	return r.eval(list[0], e, v, nil, func(key any, _ *path) error {
		k, ok := key.(string)
		if !ok {
			return failf("Object keys must be strings")
		}
		return r.eval(list[1], e, v, nil, func(x any, _ *path) error {
			next := &Object{}
			if done != nil {
				next = done.clone()
			}
			next.Put(k, x)
			return r.object(list[2:], e, v, next, yield)
		})
	})
}

func (r *run) interpolate(n *node, i int, e *env, v any, behind string, yield func(string) error) error {
	if i < 0 {
		return yield(behind)
	}
	part := n.list[i]
	if s, ok := part.value.(string); ok && part.op == opLiteral && i%2 == 0 {
		return r.interpolate(n, i-1, e, v, s+behind, yield)
	}
	format := formats["@text"]
	if n.name != "" {
		format = formats[n.name]
	}
	return r.eval(part, e, v, nil, func(x any, _ *path) error {
		s, err := format(x)
		if err != nil {
			return err
		}
		return r.interpolate(n, i-1, e, v, s+behind, yield)
	})
}

func (r *run) reduce(n *node, e *env, v any, p *path, yield yielder) error {
	return r.eval(n.b, e, v, p, func(state any, at *path) error {
		err := r.eval(n.a, e, v, nil, func(x any, _ *path) error {
			if err := r.tick(); err != nil {
				return err
			}
			return r.destructure(n.pattern, e, v, x, func(e *env) error {
				var next any
				var where *path
				if at != nil {
					where = nowhere
				}
				err := r.eval(n.c, e, state, at, func(x any, q *path) error {
					next, where = x, q
					return nil
				})
				state, at = next, where
				return err
			})
		})
		if err != nil {
			return err
		}
		return yield(state, at)
	})
}

func (r *run) foreach(n *node, e *env, v any, p *path, yield yielder) error {
	return r.eval(n.b, e, v, p, func(state any, at *path) error {
		return r.eval(n.a, e, v, nil, func(x any, _ *path) error {
			if err := r.tick(); err != nil {
				return err
			}
			return r.destructure(n.pattern, e, v, x, func(e *env) error {
				return r.eval(n.c, e, state, at, func(next any, q *path) error {
					state, at = next, q
					if n.d == nil {
						return yield(next, q)
					}
					return r.eval(n.d, e, next, q, yield)
				})
			})
		})
	})
}

// destructure binds the variables of patterns, of which the first that fits is taken.
func (r *run) destructure(patterns []*pattern, e *env, v, x any, do func(*env) error) error {
	if len(patterns) == 1 {
		return r.bind(patterns[0], e, v, x, do)
	}
	all := e
	for _, t := range patterns {
		t.each(func(name string) { all = &env{up: all, name: "$" + name} })
	}
	var err error
	for i, t := range patterns {
		err = r.bind(t, all, v, x, func(e *env) error {
			if err := do(e); err != nil {
				if _, ok := err.(*Error); ok && i+1 < len(patterns) {
					return err
				}
				return &passed{err}
			}
			return nil
		})
		if pass, ok := err.(*passed); ok {
			return pass.err
		}
		if _, ok := err.(*Error); !ok {
			return err
		}
	}
	return err
}

// each calls a function with the variables of a pattern.
func (t *pattern) each(do func(string)) {
	if t.variable != "" {
		do(t.variable)
	}
	for _, a := range t.array {
		a.each(do)
	}
	for _, o := range t.object {
		if o.variable != "" {
			do(o.variable)
		}
		if o.value != nil {
			o.value.each(do)
		}
	}
}

func (r *run) bind(t *pattern, e *env, v, x any, do func(*env) error) error {
	switch {
	case t.variable != "":
		return do(&env{up: e, name: "$" + t.variable, value: x})
	case t.array != nil:
		if _, ok := x.([]any); x != nil && !ok {
			return failf("Cannot index %s with number", typeName(x))
		}
		return r.bindArray(t.array, 0, e, v, x, do)
	}
	return r.bindObject(t.object, e, v, x, do)
}

func (r *run) bindArray(list []*pattern, i int, e *env, v, x any, do func(*env) error) error {
	if i == len(list) {
		return do(e)
	}
	var element any
	if a, _ := x.([]any); i < len(a) {
		element = a[i]
	}
	return r.bind(list[i], e, v, element, func(e *env) error { return r.bindArray(list, i+1, e, v, x, do) })
}

func (r *run) bindObject(list []patternEntry, e *env, v, x any, do func(*env) error) error {
	if len(list) == 0 {
		return do(e)
	}
	entry := list[0]
	return r.eval(entry.key, e, v, nil, func(key any, _ *path) error {
		k, ok := key.(string)
		if !ok {
			return failf("Cannot index %s with %s", typeName(x), typeName(key))
		}
		var element any
		switch x := x.(type) {
		case nil:
		case *Object:
			element, _ = x.Get(k)
		default:
			return failf("Cannot index %s with \"%s\"", typeName(x), k)
		}
		e := e
		if entry.variable != "" {
			e = &env{up: e, name: "$" + entry.variable, value: element}
		}
		rest := func(e *env) error { return r.bindObject(list[1:], e, v, x, do) }
		if entry.value == nil {
			return rest(e)
		}
		return r.bind(entry.value, e, v, element, rest)
	})
}

func (r *run) call(n *node, e *env, v any, p *path, yield yielder) error {
	key := n.called()
	for x := e; x != nil; x = x.up {
		if x.prelude {
			if x = preludes[key]; x == nil {
				break
			}
		} else if x.name != key {
			continue
		}
		if x.arg != nil {
			return r.eval(x.arg, x.from, v, p, yield)
		}
		if err := r.tick(); err != nil {
			return err
		}
		if r.depth >= maxCalls {
			return failf("functions are nested more than %d deep", maxCalls)
		}
		r.depth++
		defer func() { r.depth-- }()
		return r.apply(x.def, n.list, 0, x, e, v, p, func(v any, p *path) error {
			r.depth--
			defer func() { r.depth++ }()
			return yield(v, p)
		})
	}
	if b := builtins[key]; b != nil {
		if err := r.tick(); err != nil {
			return err
		}
		return b(r, n.list, e, v, p, yield)
	}
	return failf("%s is not defined", key)
}

// called is what a function that is called is known by.
func (n *node) called() string {
	if n.key == "" {
		n.key = fmt.Sprintf("%s/%d", n.name, len(n.list))
	}
	return n.key
}

// apply binds arguments from the i-th on, and evaluates the body of a function.
func (r *run) apply(d *definition, args []*node, i int, inner, outer *env, v any, p *path, yield yielder) error {
	if i == len(args) {
		return r.eval(d.body, inner, v, p, yield)
	}
	name, isVariable := strings.CutPrefix(d.params[i], "$")
	arg, from := args[i], outer
	// An argument that is an argument itself is what that one is.
	if arg.op == opCall && len(arg.list) == 0 {
		key := arg.called()
		for x := from; x != nil && !x.prelude; x = x.up {
			if x.name == key {
				if x.arg != nil {
					arg, from = x.arg, x.from
				}
				break
			}
		}
	}
	if !isVariable {
		return r.apply(d, args, i+1, &env{up: inner, name: name + "/0", arg: arg, from: from}, outer, v, p, yield)
	}
	return r.eval(arg, from, v, nil, func(x any, _ *path) error {
		bound := &env{up: inner, name: name + "/0", arg: &node{op: opLiteral, value: x}}
		bound = &env{up: bound, name: "$" + name, value: x}
		return r.apply(d, args, i+1, bound, outer, v, p, yield)
	})
}

func (r *run) recurse(v any, p *path, yield yielder) error {
	if err := yield(v, p); err != nil {
		return err
	}
	switch x := v.(type) {
	case []any:
		for i, e := range x {
			if err := r.recurse(e, p.at(float64(i)), yield); err != nil {
				return err
			}
		}
	case *Object:
		for i, key := range x.keys {
			if err := r.recurse(x.vals[i], p.at(key), yield); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) iterate(v any, p *path, yield yielder) error {
	if p != nil && p.wrong {
		return failf("Invalid path expression with result %s", short(v))
	}
	switch x := v.(type) {
	case []any:
		for i, e := range x {
			if err := yield(e, p.at(float64(i))); err != nil {
				return err
			}
		}
		return nil
	case *Object:
		for i, key := range x.keys {
			if err := yield(x.vals[i], p.at(key)); err != nil {
				return err
			}
		}
		return nil
	}
	return failf("Cannot iterate over %s", describe(v))
}

func (r *run) index(v, key any, p *path, yield yielder) error {
	if p != nil && p.wrong {
		return failf("Invalid path expression with result %s", short(v))
	}
	x, err := lookup(v, key)
	if err != nil {
		return err
	}
	return yield(x, p.at(key))
}

// lookup returns a part of a value.
func lookup(v, key any) (any, error) {
	switch key := key.(type) {
	case string:
		switch v := v.(type) {
		case nil:
			return nil, nil
		case *Object:
			x, _ := v.Get(key)
			return x, nil
		}
		return nil, failf("Cannot index %s with string \"%s\"", typeName(v), key)
	case float64:
		switch v := v.(type) {
		case nil:
			return nil, nil
		case []any:
			if key != key {
				return nil, nil
			}
			i := int(math.Floor(key))
			if i < 0 {
				i += len(v)
			}
			if i < 0 || i >= len(v) {
				return nil, nil
			}
			return v[i], nil
		}
	case *Object:
		if v == nil {
			return nil, nil
		}
		switch v := v.(type) {
		case []any:
			from, to, err := bounds(key, len(v))
			if err != nil {
				return nil, err
			}
			return v[from:to:to], nil
		case string:
			from, to, err := bounds(key, utf8.RuneCountInString(v))
			if err != nil {
				return nil, err
			}
			runes := []rune(v)
			return string(runes[from:to]), nil
		}
		return nil, failf("Cannot index %s with object", typeName(v))
	case []any:
		if list, ok := v.([]any); ok {
			return indexes(list, key), nil
		}
		if v == nil {
			return nil, nil
		}
	case nil:
		if v == nil {
			return nil, nil
		}
	}
	return nil, failf("Cannot index %s with %s", typeName(v), typeName(key))
}

// bounds returns where a slice of so many elements begins and ends.
func bounds(key *Object, n int) (from, to int, err error) {
	limit := func(name string, missing int, round func(float64) float64) int {
		x, _ := key.Get(name)
		if x == nil {
			return missing
		}
		f, ok := x.(float64)
		if !ok {
			err = failf("Start and end indices of an array slice must be numbers")
			return 0
		}
		if f < 0 {
			f += float64(n)
		}
		return int(math.Max(0, math.Min(float64(n), round(f))))
	}
	from = limit("start", 0, math.Floor)
	to = limit("end", n, math.Ceil)
	if err != nil {
		return 0, 0, err
	}
	return from, max(from, to), nil
}

// describe shows a value in an error, shortened.
func describe(v any) string { return typeName(v) + " (" + short(v) + ")" }

const shortLength = 11

func short(v any) string {
	s := JSON(v)
	if len(s) > shortLength {
		end := shortLength - 3
		if end > 2 {
			for end > 0 && !utf8.RuneStart(s[end]) {
				end--
			}
		}
		return s[:end] + "..."
	}
	return s
}
