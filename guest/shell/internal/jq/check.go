package jq

import "fmt"

// A scope is a name that is known at a place of a program.
type scope struct {
	up   *scope
	name string
}

func (s *scope) has(name string) bool {
	for ; s != nil; s = s.up {
		if s.name == name {
			return true
		}
	}
	return false
}

// check returns an error if a program uses something that is not there.
func check(n *node, s *scope) error {
	if n == nil {
		return nil
	}
	switch n.op {
	case opVariable:
		if !s.has("$" + n.name) {
			return &CompileError{Text: "$" + n.name + " is not defined"}
		}
	case opBreak:
		if !s.has("*" + n.name) {
			return &CompileError{Text: "$*label-" + n.name + " is not defined"}
		}
	case opCall:
		key := n.called()
		if !s.has(key) && builtins[key] == nil && preludes[key] == nil {
			return &CompileError{Text: key + " is not defined"}
		}
	case opDef:
		s = &scope{s, n.def.key()}
		inner := s
		for _, param := range n.def.params {
			if param[0] == '$' {
				inner = &scope{inner, param}
				param = param[1:]
			}
			inner = &scope{inner, param + "/0"}
		}
		if err := check(n.def.body, inner); err != nil {
			return err
		}
		return check(n.a, s)
	case opLabel:
		return check(n.a, &scope{s, "*" + n.name})
	case opAs, opReduce, opForeach:
		if err := check(n.a, s); err != nil {
			return err
		}
		inner := s
		for _, t := range n.pattern {
			t.each(func(name string) { inner = &scope{inner, "$" + name} })
			if err := t.check(inner); err != nil {
				return err
			}
		}
		if n.op != opAs {
			if err := check(n.b, s); err != nil {
				return err
			}
		} else if err := check(n.b, inner); err != nil {
			return err
		}
		if err := check(n.c, inner); err != nil {
			return err
		}
		return check(n.d, inner)
	}
	for _, child := range []*node{n.a, n.b, n.c, n.d} {
		if err := check(child, s); err != nil {
			return err
		}
	}
	for _, child := range n.list {
		if err := check(child, s); err != nil {
			return err
		}
	}
	return nil
}

func (t *pattern) check(s *scope) error {
	for _, a := range t.array {
		if err := a.check(s); err != nil {
			return err
		}
	}
	for _, o := range t.object {
		if err := check(o.key, s); err != nil {
			return err
		}
		if o.value != nil {
			if err := o.value.check(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// prelude has the functions that are written in the language.
var (
	prelude  *env
	preludes = map[string]*env{}
)

func init() {
	n, err := parse(preludeText + " .")
	if err != nil {
		panic(fmt.Sprintf("jq: the prelude: %v", err))
	}
	for n := n; n.op == opDef; n = n.a {
		prelude = &env{up: prelude, name: n.def.key(), def: n.def, prelude: true}
		preludes[prelude.name] = prelude
	}
	if err := check(n, &scope{nil, "$ENV"}); err != nil {
		panic(fmt.Sprintf("jq: the prelude: %v", err))
	}
}

const preludeText = `
def error(f): f | error;
def map(f): [.[] | f];
def select(f): if f then . else empty end;
def recurse(f): def r: ., (f | r); r;
def recurse(f; cond): def r: ., (f | select(cond) | r); r;
def values: select(. != null);
def nulls: select(. == null);
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type | . == "array" or . == "object");
def scalars: select(type | . != "array" and . != "object");
def finites: select(isinfinite or isnan | not);
def normals: select(isnormal);
def map_values(f): .[] |= f;
def with_entries(f): to_entries | map(f) | from_entries;
def paths: path(..) | select(length > 0);
def paths(f): . as $dot | paths | select(. as $p | $dot | getpath($p) | f);
def leaf_paths: paths(scalars);
def del(f): delpaths([path(f)]);
def pick(f): . as $dot | reduce path(f) as $p (null; setpath($p; $dot | getpath($p)));
def toarray: if type == "array" then . else [.] end;
def in(xs): . as $x | xs | has($x);
def inside(xs): . as $x | xs | contains($x);
def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;
def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;
def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f; w;
def first: .[0];
def last: .[-1];
def nth($n): .[$n];
def nth($n; f): if $n < 0 then error("Out of bounds negative array index") else last(limit($n + 1; f)) end;
def any: any(.[]; .);
def all: all(.[]; .);
def any(f): any(.[]; f);
def all(f): all(.[]; f);
def isvalid(f): try (f | true) catch false;
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;
def match(re): match(re; null);
def test(re): test(re; null);
def capture(re): capture(re; null);
def capture(re; f): match(re; f) | [.captures | .[] | select(.name != null) | {key: .name,
	value: .string}] | from_entries;
def scan(re): scan(re; null);
def scan($re; $f): match($re; "g" + $f) | if (.captures | length) > 0 then [.captures | .[] | .string] else .string end;
def splits($re): splits($re; null);
def splits($re; f): split($re; f) | .[];
def ascii: if type == "number" then [.] | implode else explode[0] end;
def sub(re; str): sub(re; str; "");
def gsub(re; str): sub(re; str; "g");
def gsub(re; str; f): sub(re; str; f + "g");
def tostream: path(def r: (.[]?|r), .; r) as $p | getpath($p) | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);
def fromstream(f): {x: null, e: false} as $init
  | foreach f as $i ($init;
      if .e then $init else . end
      | if $i | length == 2
        then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
        else setpath(["e"]; $i[0] | length == 1) end;
      if .e then .x else empty end);
def truncate_stream(stream): . as $n | null | stream | . as $in | if (.[0] | length) > $n
  then setpath([0]; .[0][$n:]) else empty end;
def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] |= $row);
def INDEX(f): INDEX(.[]; f);
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def env: $ENV;
def halt_error: halt_error(5);
def add(f): reduce f as $x (null; . + $x);
def debug(f): (f | debug | empty), .;
def abs: if type == "number" and . < 0 then -. else . end;
def have_literal_numbers: true;
def have_decnum: false;
def get_search_list: [];
`
