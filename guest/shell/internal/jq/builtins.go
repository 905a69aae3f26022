package jq

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A builtin is a function that is written here: it gets its arguments as they are in the program.
type builtin func(r *run, args []*node, e *env, v any, p *path, yield yielder) error

var builtins map[string]builtin

// plain makes a builtin of a function of values.
func plain(do func(v any, args []any) (any, error)) builtin {
	return func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
		values := make([]any, len(args))
		var each func(i int) error
		each = func(i int) error {
			if i < 0 {
				x, err := do(v, slices.Clone(values))
				if err != nil {
					return err
				}
				return yield(x, p.lost())
			}
			return r.eval(args[i], e, v, nil, func(x any, _ *path) error {
				values[i] = x
				return each(i - 1)
			})
		}
		return each(len(args) - 1)
	}
}

func simple(do func(v any) (any, error)) builtin {
	return func(r *run, _ []*node, _ *env, v any, p *path, yield yielder) error {
		x, err := do(v)
		if err != nil {
			return err
		}
		return yield(x, p.lost())
	}
}

func math1(do func(float64) float64) builtin {
	return simple(func(v any) (any, error) {
		f, ok := v.(float64)
		if !ok {
			return nil, failf("%s number required", describe(v))
		}
		return do(f), nil
	})
}

func math2(do func(a, b float64) float64) builtin {
	return plain(func(_ any, args []any) (any, error) {
		a, ok := args[0].(float64)
		b, ok2 := args[1].(float64)
		if !ok {
			return nil, failf("%s number required", describe(args[0]))
		}
		if !ok2 {
			return nil, failf("%s number required", describe(args[1]))
		}
		return do(a, b), nil
	})
}

// keyed makes a builtin of a function of a list and what an expression is for each of its elements.
func keyed(do func(list, keys []any) (any, error)) builtin {
	return func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
		list, ok := v.([]any)
		if !ok {
			return failf("Cannot index %s with number", typeName(v))
		}
		keys := make([]any, len(list))
		for i, x := range list {
			key := []any{}
			err := r.eval(args[0], e, x, nil, func(x any, _ *path) error {
				key = append(key, x)
				return nil
			})
			if err != nil {
				return err
			}
			keys[i] = key
		}
		x, err := do(list, keys)
		if err != nil {
			return err
		}
		return yield(x, p.lost())
	}
}

// order returns the indexes of keys, sorted.
func order(keys []any) []int {
	at := make([]int, len(keys))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(i, j int) int { return Compare(keys[i], keys[j]) })
	return at
}

func groups(list, keys []any) [][]any {
	var all [][]any
	var last any
	for n, i := range order(keys) {
		if n == 0 || Compare(last, keys[i]) != 0 {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], list[i])
		last = keys[i]
	}
	return all
}

func extreme(list, keys []any, largest bool) any {
	best := -1
	for i := range list {
		if best < 0 {
			best = i
			continue
		}
		if c := Compare(keys[i], keys[best]); largest && c >= 0 || !largest && c < 0 {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	return list[best]
}

func array(v any, what string) ([]any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, failf("%s cannot be %s, as it is not an array", describe(v), what)
	}
	return list, nil
}

func init() {
	// They call what looks them up.
	builtins = map[string]builtin{
		"empty/0": func(*run, []*node, *env, any, *path, yielder) error { return nil },
		"not/0":   simple(func(v any) (any, error) { return !truthy(v), nil }),
		"error/0": func(_ *run, _ []*node, _ *env, v any, _ *path, _ yielder) error { return &Error{v} },
		"path/1": func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
			return r.eval(args[0], e, v, root, func(x any, q *path) error {
				if q.wrong {
					return failf("Invalid path expression with result %s", short(x))
				}
				return yield(q.list(), p.lost())
			})
		},
		"getpath/1": func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
			return r.eval(args[0], e, v, nil, func(at any, _ *path) error {
				list, ok := at.([]any)
				if !ok {
					return failf("Path must be specified as an array")
				}
				x, err := getPath(v, list)
				if err != nil {
					return err
				}
				q := p
				if p != nil && !p.wrong {
					for _, key := range list {
						q = q.at(key)
					}
				}
				return yield(x, q)
			})
		},
		"setpath/2": plain(func(v any, args []any) (any, error) {
			at, ok := args[0].([]any)
			if !ok {
				return nil, failf("Path must be specified as an array")
			}
			return setPath(v, at, args[1])
		}),
		"delpaths/1": plain(func(v any, args []any) (any, error) {
			paths, ok := args[0].([]any)
			if !ok {
				return nil, failf("Paths must be specified as an array")
			}
			return deletePaths(v, paths)
		}),
		"recurse/0": func(r *run, _ []*node, _ *env, v any, p *path, yield yielder) error {
			return r.recurse(v, p, yield)
		},
		"range/1": func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
			return r.eval(args[0], e, v, nil, func(n any, _ *path) error { return r.count(0.0, n, 1.0, p, yield) })
		},
		"range/2": func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
			return r.eval(args[0], e, v, nil, func(from any, _ *path) error {
				return r.eval(args[1], e, v, nil, func(to any, _ *path) error {
					return r.count(from, to, 1.0, p, yield)
				})
			})
		},
		"range/3": func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
			return r.eval(args[0], e, v, nil, func(from any, _ *path) error {
				return r.eval(args[1], e, v, nil, func(to any, _ *path) error {
					return r.eval(args[2], e, v, nil, func(by any, _ *path) error {
						return r.count(from, to, by, p, yield)
					})
				})
			})
		},
		"limit/2": func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
			return r.eval(args[0], e, v, nil, func(n any, _ *path) error {
				left, _ := n.(float64)
				if left <= 0 {
					return nil
				}
				return r.until(args[1], e, v, p, func(x any, q *path) (bool, error) {
					left--
					return left <= 0, yield(x, q)
				})
			})
		},
		"skip/2": func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
			return r.eval(args[0], e, v, nil, func(n any, _ *path) error {
				left, _ := n.(float64)
				return r.eval(args[1], e, v, p, func(x any, q *path) error {
					if left > 0 {
						left--
						return nil
					}
					return yield(x, q)
				})
			})
		},
		"first/1": func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
			return r.until(args[0], e, v, p, func(x any, q *path) (bool, error) { return true, yield(x, q) })
		},
		"last/1": func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
			var last any
			var at *path
			found := false
			err := r.eval(args[0], e, v, p, func(x any, q *path) error {
				last, at, found = x, q, true
				return nil
			})
			if err != nil || !found {
				return err
			}
			return yield(last, at)
		},
		"isempty/1": func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
			empty := true
			err := r.until(args[0], e, v, nil, func(any, *path) (bool, error) {
				empty = false
				return true, nil
			})
			if err != nil {
				return err
			}
			return yield(empty, p.lost())
		},
		"any/2": quantifier(true), "all/2": quantifier(false),
		"until/2": func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
			return r.loop(args[0], args[1], true, e, v, p, yield)
		},
		"while/2": func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
			return r.loop(args[0], args[1], false, e, v, p, yield)
		},
		"repeat/1": func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
			return r.loop(nil, args[0], false, e, v, p, yield)
		},
		"input/0": func(r *run, _ []*node, _ *env, _ any, p *path, yield yielder) error {
			x, err := r.Input()
			if err == io.EOF {
				return failf("No more inputs")
			}
			if err != nil {
				return err
			}
			return yield(x, p.lost())
		},
		"inputs/0": func(r *run, _ []*node, _ *env, _ any, p *path, yield yielder) error {
			for {
				x, err := r.Input()
				if err == io.EOF {
					return nil
				}
				if err == nil {
					err = yield(x, p.lost())
				}
				if err != nil {
					return err
				}
			}
		},
		"input_line_number/0": func(r *run, _ []*node, _ *env, _ any, p *path, yield yielder) error {
			return yield(float64(r.Line()), p.lost())
		},
		"input_filename/0": func(r *run, _ []*node, _ *env, _ any, p *path, yield yielder) error {
			return yield(r.File(), p.lost())
		},
		"debug/0": func(r *run, _ []*node, _ *env, v any, p *path, yield yielder) error {
			fmt.Fprintf(r.Stderr, "[\"DEBUG:\",%s]\n", JSON(v))
			return yield(v, p)
		},
		"stderr/0": func(r *run, _ []*node, _ *env, v any, p *path, yield yielder) error {
			_, _ = io.WriteString(r.Stderr, JSON(v))
			return yield(v, p)
		},
		"halt/0": func(*run, []*node, *env, any, *path, yielder) error { return &Halt{} },
		"halt_error/1": func(r *run, args []*node, e *env, v any, _ *path, _ yielder) error {
			return r.eval(args[0], e, v, nil, func(status any, _ *path) error {
				n, ok := status.(float64)
				if !ok {
					return failf("halt_error/1: number required")
				}
				return &Halt{v, true, int(n)}
			})
		},
		"length/0":         simple(length),
		"utf8bytelength/0": simple(byteLength),
		"keys/0":           simple(func(v any) (any, error) { return keysOf(v, true) }),
		"keys_unsorted/0":  simple(func(v any) (any, error) { return keysOf(v, false) }),
		"has/1":            plain(has),
		"contains/1":       plain(func(v any, args []any) (any, error) { return contains(v, args[0]) }),
		"add/0":            simple(add),
		"type/0":           simple(func(v any) (any, error) { return typeName(v), nil }),
		"tostring/0": simple(func(v any) (any, error) {
			if _, ok := v.(string); ok {
				return v, nil
			}
			return JSON(v), nil
		}),
		"tonumber/0": simple(toNumber),
		"tojson/0":   simple(func(v any) (any, error) { return JSON(v), nil }),
		"fromjson/0": simple(func(v any) (any, error) {
			s, ok := v.(string)
			if !ok {
				return nil, failf("%s cannot be parsed as JSON", describe(v))
			}
			x, err := Parse(s)
			if err == io.EOF {
				return nil, nil
			}
			if err != nil {
				return nil, &Error{err.Error()}
			}
			return x, nil
		}),
		"to_entries/0": simple(func(v any) (any, error) {
			o, ok := v.(*Object)
			if !ok {
				a, ok := v.([]any)
				if !ok {
					return nil, failf("%s has no keys", describe(v))
				}
				list := make([]any, len(a))
				for i, x := range a {
					list[i] = &Object{keys: []string{"key", "value"}, vals: []any{float64(i), x}}
				}
				return list, nil
			}
			list := make([]any, len(o.keys))
			for i, key := range o.keys {
				list[i] = &Object{keys: []string{"key", "value"}, vals: []any{key, o.vals[i]}}
			}
			return list, nil
		}),
		"from_entries/0": simple(fromEntries),
		"sort/0": simple(func(v any) (any, error) {
			list, err := array(v, "sorted")
			if err != nil {
				return nil, err
			}
			return sortValues(list), nil
		}),
		"sort_by/1": keyed(func(list, keys []any) (any, error) {
			result := make([]any, len(list))
			for n, i := range order(keys) {
				result[n] = list[i]
			}
			return result, nil
		}),
		"group_by/1": keyed(func(list, keys []any) (any, error) {
			result := []any{}
			for _, g := range groups(list, keys) {
				result = append(result, g)
			}
			return result, nil
		}),
		"unique_by/1": keyed(func(list, keys []any) (any, error) {
			result := []any{}
			for _, g := range groups(list, keys) {
				result = append(result, g[0])
			}
			return result, nil
		}),
		"min_by/1": keyed(func(list, keys []any) (any, error) { return extreme(list, keys, false), nil }),
		"max_by/1": keyed(func(list, keys []any) (any, error) { return extreme(list, keys, true), nil }),
		"unique/0": simple(func(v any) (any, error) {
			list, err := array(v, "sorted")
			if err != nil {
				return nil, err
			}
			return slices.CompactFunc(sortValues(list), func(a, b any) bool { return Compare(a, b) == 0 }), nil
		}),
		"min/0":       simple(func(v any) (any, error) { return minMax(v, false) }),
		"max/0":       simple(func(v any) (any, error) { return minMax(v, true) }),
		"reverse/0":   simple(reverse),
		"flatten/0":   simple(func(v any) (any, error) { return flatten(v, 1e9) }),
		"flatten/1":   plain(func(v any, args []any) (any, error) { return flatten(v, args[0]) }),
		"transpose/0": simple(transpose),
		"bsearch/1": plain(func(v any, args []any) (any, error) {
			list, err := array(v, "searched from")
			if err != nil {
				return nil, err
			}
			i, ok := slices.BinarySearchFunc(list, args[0], Compare)
			if !ok {
				i = -1 - i
			}
			return float64(i), nil
		}),
		"explode/0": simple(func(v any) (any, error) {
			s, ok := v.(string)
			if !ok {
				return nil, failf("%s cannot be exploded", describe(v))
			}
			list := []any{}
			for _, r := range s {
				list = append(list, float64(r))
			}
			return list, nil
		}),
		"implode/0": simple(func(v any) (any, error) {
			list, ok := v.([]any)
			if !ok {
				return nil, failf("implode input must be an array")
			}
			var b []byte
			for _, x := range list {
				f, ok := x.(float64)
				if !ok {
					return nil, failf("Unicode codepoint must be numeric")
				}
				b = utf8.AppendRune(b, rune(f))
			}
			return string(b), nil
		}),
		"startswith/1": texts("startswith() requires string inputs", func(s, t string) any {
			return strings.HasPrefix(s, t)
		}),
		"endswith/1": texts("endswith() requires string inputs", func(s, t string) any {
			return strings.HasSuffix(s, t)
		}),
		"ltrimstr/1": trims(strings.TrimPrefix), "rtrimstr/1": trims(strings.TrimSuffix),
		"trim/0": trim(strings.TrimSpace), "ltrim/0": trim(func(s string) string {
			return strings.TrimLeft(s,
				" \t\n\r\f\v")
		}),
		"rtrim/0":          trim(func(s string) string { return strings.TrimRight(s, " \t\n\r\f\v") }),
		"ascii_downcase/0": ascii('A', 'Z', 32), "ascii_upcase/0": ascii('a', 'z', -32),
		"split/1": plain(func(v any, args []any) (any, error) {
			s, ok := v.(string)
			t, ok2 := args[0].(string)
			if !ok || !ok2 {
				return nil, failf("split input and separator must be strings")
			}
			return splitText(s, t), nil
		}),
		"join/1":     plain(join),
		"indices/1":  plain(func(v any, args []any) (any, error) { return indices(v, args[0]) }),
		"index/1":    plain(func(v any, args []any) (any, error) { return pickIndex(v, args[0], false) }),
		"rindex/1":   plain(func(v any, args []any) (any, error) { return pickIndex(v, args[0], true) }),
		"infinite/0": simple(func(any) (any, error) { return math.Inf(1), nil }),
		"nan/0":      simple(func(any) (any, error) { return math.NaN(), nil }),
		"isinfinite/0": simple(func(v any) (any, error) {
			f, ok := v.(float64)
			if !ok {
				return nil, failf("%s number required", describe(v))
			}
			return math.IsInf(f, 0), nil
		}),
		"isnan/0": simple(func(v any) (any, error) {
			f, ok := v.(float64)
			if !ok {
				return nil, failf("%s number required", describe(v))
			}
			return math.IsNaN(f), nil
		}),
		"isnormal/0": simple(func(v any) (any, error) {
			f, ok := v.(float64)
			if !ok {
				return nil, failf("%s number required", describe(v))
			}
			return f != 0 && !math.IsNaN(f) && !math.IsInf(f, 0) && math.Abs(f) >= 0x1p-1022, nil
		}),
		"now/0": simple(func(any) (any, error) { return float64(time.Now().UnixNano()) / 1e9, nil }),
		"builtins/0": simple(func(any) (any, error) {
			list := []any{}
			for key := range builtins {
				list = append(list, key)
			}
			for key := range preludes {
				list = append(list, key)
			}
			return sortValues(list), nil
		}),
		"test/2": matching(func(s string, all []any) any { return len(all) > 0 }),
		"match/2": func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
			return matching(func(s string, all []any) any { return all })(r, args, e, v, nil, func(all any,
				_ *path) error {
				for _, m := range all.([]any) {
					if err := yield(m, p.lost()); err != nil {
						return err
					}
				}
				return nil
			})
		},
		"split/2": plain(splitPattern),
		"sub/3":   substitute,
		"env/0": func(r *run, _ []*node, _ *env, _ any, p *path, yield yielder) error {
			return yield(r.Env(), p.lost())
		},
		"pow/2": math2(math.Pow), "atan2/2": math2(math.Atan2), "fmod/2": math2(math.Mod), "fmin/2": math2(math.Min),
		"fmax/2": math2(math.Max), "ldexp/2": math2(func(a, b float64) float64 { return math.Ldexp(a, int(b)) }),
		"scalb/2": math2(func(a, b float64) float64 {
			return math.Ldexp(a, int(b))
		}), "copysign/2": math2(math.Copysign),
		"frexp/0": simple(func(v any) (any, error) {
			f, _ := v.(float64)
			m, e := math.Frexp(f)
			return []any{m, float64(e)}, nil
		}),
		"modf/0": simple(func(v any) (any, error) {
			f, _ := v.(float64)
			i, m := math.Modf(f)
			return []any{m, i}, nil
		}),
		"mktime/0": simple(mktime), "gmtime/0": simple(gmtime),
		"strftime/1": plain(func(v any, args []any) (any, error) { return strftime(v, args[0], time.UTC) }),
		"strptime/1": plain(func(v any, args []any) (any, error) { return strptime(v, args[0]) }),
		"localtime/0": func(r *run, _ []*node, _ *env, v any, p *path, yield yielder) error {
			x, err := brokenDown(v, r.location())
			if err != nil {
				return err
			}
			return yield(x, p.lost())
		},
		"strflocaltime/1": func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
			return plain(func(v any, args []any) (any, error) { return strftime(v, args[0], r.location()) })(r, args, e,
				v, p, yield)
		},
		"significand/0": math1(func(f float64) float64 {
			m, _ := math.Frexp(f)
			return m * 2
		}),
		"logb/0": math1(math.Logb), "gamma/0": math1(lgamma), "lgamma/0": math1(lgamma),
		"tgamma/0": math1(math.Gamma), "round/0": math1(math.Round), "rint/0": math1(math.RoundToEven),
		"nearbyint/0": math1(math.RoundToEven), "floor/0": math1(math.Floor),
		"ceil/0": math1(math.Ceil), "trunc/0": math1(math.Trunc), "sqrt/0": math1(math.Sqrt),
		"fabs/0": math1(math.Abs), "exp/0": math1(math.Exp), "exp2/0": math1(math.Exp2),
		"exp10/0": math1(func(f float64) float64 { return math.Pow(10, f) }), "log/0": math1(math.Log),
		"log2/0": math1(math.Log2), "log10/0": math1(math.Log10), "log1p/0": math1(math.Log1p),
		"expm1/0": math1(math.Expm1), "cbrt/0": math1(math.Cbrt), "sin/0": math1(math.Sin),
		"cos/0": math1(math.Cos), "tan/0": math1(math.Tan), "asin/0": math1(math.Asin),
		"acos/0": math1(math.Acos), "atan/0": math1(math.Atan), "sinh/0": math1(math.Sinh),
		"cosh/0": math1(math.Cosh), "tanh/0": math1(math.Tanh),
	}
}

func lgamma(f float64) float64 {
	n, _ := math.Lgamma(f)
	return n
}

// count yields numbers from one to before another.
func (r *run) count(from, to, by any, p *path, yield yielder) error {
	a, ok := from.(float64)
	b, ok2 := to.(float64)
	step, ok3 := by.(float64)
	if !ok || !ok2 || !ok3 {
		return failf("Range bounds must be numeric")
	}
	for ; step > 0 && a < b || step < 0 && a > b; a += step {
		if err := r.tick(); err != nil {
			return err
		}
		if err := yield(a, p.lost()); err != nil {
			return err
		}
	}
	if step == 0 && a < b {
		for {
			if err := r.tick(); err != nil {
				return err
			}
			if err := yield(a, p.lost()); err != nil {
				return err
			}
		}
	}
	return nil
}

// stopped ends one evaluation: that which has made it.
type stopped struct{ _ int }

func (*stopped) Error() string { return "stopped" }

// until evaluates an expression until a function says that it is enough.
func (r *run) until(n *node, e *env, v any, p *path, do func(any, *path) (bool, error)) error {
	stop := &stopped{}
	err := r.eval(n, e, v, p, func(x any, q *path) error {
		enough, err := do(x, q)
		if err == nil && enough {
			return stop
		}
		return err
	})
	if err == error(stop) {
		return nil
	}
	return err
}

func quantifier(wanted bool) builtin {
	return func(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
		found := false
		err := r.until(args[0], e, v, nil, func(x any, _ *path) (bool, error) {
			err := r.until(args[1], e, x, nil, func(c any, _ *path) (bool, error) {
				if truthy(c) == wanted {
					found = true
				}
				return found, nil
			})
			return found, err
		})
		if err != nil {
			return err
		}
		return yield(found == wanted, p.lost())
	}
}

// loop makes values, each by an expression of the one before. It yields those before a condition is false, or, for
// until,
// those for which it is true.
func (r *run) loop(cond, step *node, until bool, e *env, v any, p *path, yield yielder) error {
	type state struct {
		v any
		p *path
	}
	// Of several values of a step, the first is gone on with before the others.
	stack := []state{{v, p}}
	for len(stack) > 0 {
		if err := r.tick(); err != nil {
			return err
		}
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		ok := cond == nil
		if cond != nil {
			if err := r.eval(cond, e, at.v, nil, func(c any,
				_ *path) error {
				ok = truthy(c)
				return nil
			}); err != nil {
				return err
			}
		}
		if ok || !until {
			if !ok {
				continue
			}
			if err := yield(at.v, at.p); err != nil {
				return err
			}
			if until {
				continue
			}
		}
		var next []state
		err := r.eval(step, e, at.v, at.p, func(v any, p *path) error {
			next = append(next, state{v, p})
			return nil
		})
		if err != nil {
			return err
		}
		slices.Reverse(next)
		stack = append(stack, next...)
	}
	return nil
}

func length(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return 0.0, nil
	case float64:
		return math.Abs(v), nil
	case string:
		return float64(utf8.RuneCountInString(v)), nil
	case []any:
		return float64(len(v)), nil
	case *Object:
		return float64(len(v.keys)), nil
	}
	return nil, failf("%s has no length", describe(v))
}

func byteLength(v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, failf("%s only strings have UTF-8 byte length", describe(v))
	}
	return float64(len(s)), nil
}

func keysOf(v any, sorted bool) (any, error) {
	switch v := v.(type) {
	case *Object:
		keys := v.keys
		if sorted {
			keys = v.sorted()
		}
		list := make([]any, len(keys))
		for i, key := range keys {
			list[i] = key
		}
		return list, nil
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = float64(i)
		}
		return list, nil
	}
	return nil, failf("%s has no keys", describe(v))
}

func has(v any, args []any) (any, error) {
	switch key := args[0].(type) {
	case string:
		if o, ok := v.(*Object); ok {
			_, found := o.Get(key)
			return found, nil
		}
	case float64:
		if list, ok := v.([]any); ok {
			return key >= 0 && key < float64(len(list)), nil
		}
	}
	return nil, failf("Cannot check whether %s has a %s key", typeName(v), typeName(args[0]))
}

func contains(a, b any) (any, error) {
	if rank(a) != rank(b) && !(rank(a) <= 2 && rank(b) <= 2 && rank(a) > 0 && rank(b) > 0) {
		return nil, failf("%s and %s cannot have their containment checked", describe(a), describe(b))
	}
	switch a := a.(type) {
	case string:
		return strings.Contains(a, b.(string)), nil
	case []any:
		for _, x := range b.([]any) {
			found := false
			for _, y := range a {
				if rank(x) == rank(y) || rank(x) <= 2 && rank(y) <= 2 && rank(x)*rank(y) > 0 {
					ok, err := contains(y, x)
					if err != nil {
						return nil, err
					}
					if ok.(bool) {
						found = true
						break
					}
				}
			}
			if !found {
				return false, nil
			}
		}
		return true, nil
	case *Object:
		o := b.(*Object)
		for i, key := range o.keys {
			x, ok := a.Get(key)
			if !ok || rank(x) != rank(o.vals[i]) {
				return false, nil
			}
			inside, err := contains(x, o.vals[i])
			if err != nil || !inside.(bool) {
				return false, err
			}
		}
		return true, nil
	}
	return Compare(a, b) == 0, nil
}

func add(v any) (any, error) {
	var list []any
	switch v := v.(type) {
	case []any:
		list = v
	case *Object:
		list = v.vals
	default:
		return nil, failf("Cannot iterate over %s", describe(v))
	}
	if len(list) == 0 {
		return nil, nil
	}
	// Long sums of texts and of arrays are made at once.
	switch list[0].(type) {
	case string:
		var b strings.Builder
		all := true
		for _, x := range list {
			s, ok := x.(string)
			if !ok {
				all = false
				break
			}
			b.WriteString(s)
		}
		if all {
			return b.String(), nil
		}
	case []any:
		var sum []any
		all := true
		for _, x := range list {
			a, ok := x.([]any)
			if !ok {
				all = false
				break
			}
			sum = append(sum, a...)
		}
		if all {
			if sum == nil {
				sum = []any{}
			}
			return sum, nil
		}
	}
	sum := list[0]
	for _, x := range list[1:] {
		var err error
		if sum, err = arithmetic("+", sum, x); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

func toNumber(v any) (any, error) {
	switch v := v.(type) {
	case float64:
		return v, nil
	case string:
		x, err := Parse(v)
		if err != nil && err != io.EOF {
			return nil, &Error{err.Error()}
		}
		if f, ok := x.(float64); ok {
			return f, nil
		}
		if f, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil {
			return f, nil
		}
		return nil, failf("Cannot be parsed as a number: %s", short(v))
	}
	return nil, failf("%s cannot be parsed as a number", describe(v))
}

func fromEntries(v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		if o, isObject := v.(*Object); isObject {
			list = o.vals
		} else {
			return nil, failf("Cannot iterate over %s", describe(v))
		}
	}
	o := &Object{}
	for _, x := range list {
		entry, ok := x.(*Object)
		if !ok {
			return nil, failf("Cannot index %s with string \"key\"", typeName(x))
		}
		var key, value any
		for _, name := range []string{"key", "k", "name", "Name", "K", "Key"} {
			if k, ok := entry.Get(name); ok && k != nil && (k != false || name == "Key") {
				key = k
				break
			} else if ok && k == false {
				key = k
			}
		}
		for _, name := range []string{"value", "v", "Value", "V"} {
			if x, ok := entry.Get(name); ok {
				value = x
				break
			}
		}
		switch k := key.(type) {
		case string:
			o.Put(k, value)
		case nil:
			o.Put("null", value)
		case float64, bool:
			o.Put(JSON(k), value)
		default:
			return nil, failf("Cannot use %s as object key", describe(key))
		}
	}
	return o, nil
}

func minMax(v any, largest bool) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, failf("Cannot index %s with number", typeName(v))
	}
	return extreme(list, list, largest), nil
}

func reverse(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return []any{}, nil
	case []any:
		list := slices.Clone(v)
		slices.Reverse(list)
		if list == nil {
			list = []any{}
		}
		return list, nil
	case string:
		if v == "" {
			return []any{}, nil
		}
		r := []rune(v)
		slices.Reverse(r)
		return string(r), nil
	}
	return nil, failf("Cannot reverse %s", describe(v))
}

func flatten(v any, depth any) (any, error) {
	n, ok := depth.(float64)
	if !ok {
		return nil, failf("flatten depth must be a number")
	}
	if n < 0 {
		return nil, failf("flatten depth must not be negative")
	}
	list, ok := v.([]any)
	if !ok {
		if o, isObject := v.(*Object); isObject {
			list = o.vals
		} else {
			return nil, failf("Cannot iterate over %s", describe(v))
		}
	}
	result := []any{}
	var walk func(list []any, n float64)
	walk = func(list []any, n float64) {
		for _, x := range list {
			if inner, ok := x.([]any); ok && n > 0 {
				walk(inner, n-1)
			} else {
				result = append(result, x)
			}
		}
	}
	walk(list, n)
	return result, nil
}

func transpose(v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, failf("Cannot index %s with number", typeName(v))
	}
	width := 0
	for _, row := range list {
		a, ok := row.([]any)
		if !ok {
			return nil, failf("Cannot index %s with number", typeName(row))
		}
		width = max(width, len(a))
	}
	result := make([]any, width)
	for i := range result {
		column := make([]any, len(list))
		for j, row := range list {
			if a := row.([]any); i < len(a) {
				column[j] = a[i]
			}
		}
		result[i] = column
	}
	return result, nil
}

func texts(message string, do func(s, t string) any) builtin {
	return plain(func(v any, args []any) (any, error) {
		s, ok := v.(string)
		t, ok2 := args[0].(string)
		if !ok || !ok2 {
			return nil, failf("%s", message)
		}
		return do(s, t), nil
	})
}

func trims(do func(s, t string) string) builtin {
	return plain(func(v any, args []any) (any, error) {
		s, ok := v.(string)
		t, ok2 := args[0].(string)
		if !ok || !ok2 {
			return v, nil
		}
		return do(s, t), nil
	})
}

func trim(do func(string) string) builtin {
	return simple(func(v any) (any, error) {
		s, ok := v.(string)
		if !ok {
			return nil, failf("%s cannot be trimmed", describe(v))
		}
		return do(s), nil
	})
}

func ascii(from, to byte, by int) builtin {
	return simple(func(v any) (any, error) {
		s, ok := v.(string)
		if !ok {
			return nil, failf("explode input must be a string")
		}
		b := []byte(s)
		for i, c := range b {
			if c >= from && c <= to {
				b[i] = byte(int(c) + by)
			}
		}
		return string(b), nil
	})
}

func splitText(s, t string) []any {
	list := []any{}
	if s == "" {
		return list
	}
	for part := range strings.SplitSeq(s, t) {
		list = append(list, part)
	}
	return list
}

func join(v any, args []any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, failf("Cannot iterate over %s", describe(v))
	}
	separator, ok := args[0].(string)
	if !ok && len(list) > 0 {
		return nil, failf("%s and %s cannot be added", describe(args[0]), describe(list[0]))
	}
	var b strings.Builder
	for i, x := range list {
		if i > 0 {
			b.WriteString(separator)
		}
		switch x := x.(type) {
		case nil:
		case string:
			b.WriteString(x)
		case float64, bool:
			b.WriteString(JSON(x))
		default:
			return nil, failf("%s and %s cannot be added", describe(b.String()), describe(x))
		}
	}
	return b.String(), nil
}

// indexes returns where a list is in another one.
func indexes(list, part []any) []any {
	found := []any{}
	if len(part) == 0 {
		return nil
	}
	for i := 0; i+len(part) <= len(list); i++ {
		if slices.CompareFunc(list[i:i+len(part)], part, Compare) == 0 {
			found = append(found, float64(i))
		}
	}
	return found
}

func indices(v, part any) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		s, ok := part.(string)
		if !ok {
			return nil, failf("_strindices input must be a string")
		}
		found := []any{}
		if s == "" {
			return nil, nil
		}
		for i := 0; i+len(s) <= len(v); i++ {
			if v[i:i+len(s)] == s {
				found = append(found, float64(i))
			}
		}
		return found, nil
	case []any:
		if list, ok := part.([]any); ok {
			if len(list) == 0 {
				return nil, nil
			}
			return indexes(v, list), nil
		}
		return indexes(v, []any{part}), nil
	}
	return lookup(v, part)
}

func pickIndex(v, part any, last bool) (any, error) {
	found, err := indices(v, part)
	list, ok := found.([]any)
	if err != nil || !ok || len(list) == 0 {
		return nil, err
	}
	if last {
		return list[len(list)-1], nil
	}
	return list[0], nil
}
