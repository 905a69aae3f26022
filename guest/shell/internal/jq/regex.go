package jq

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// compilePattern compiles a regular expression with flags. It says whether all matches are wanted.
func compilePattern(re, flags any) (r *regexp.Regexp, global bool, err error) {
	s, ok := re.(string)
	if !ok {
		return nil, false, failf("%s cannot be matched, as it is not a string", describe(re))
	}
	inner := ""
	if flags != nil {
		f, ok := flags.(string)
		if !ok {
			return nil, false, failf("%s is not a string", describe(flags))
		}
		for _, c := range f {
			switch c {
			case 'g':
				global = true
			case 'i':
				inner += "i"
			case 'x':
				s = extended(s)
			case 's':
				inner += "s"
			case 'l', 'n', 'p':
				if c == 'p' {
					inner += "s"
				}
			default:
				return nil, false, failf("%s is not a valid modifier string", f)
			}
		}
	}
	// In Ruby's syntax, ^ and $ match at lines.
	source := strings.ReplaceAll(s, "(?<", "(?P<")
	source = strings.NewReplacer("(?P<=", "(?<=", "(?P<!", "(?<!", `\h`, `[0-9a-fA-F]`, `\Z`, `\z`).Replace(source)
	r, e := regexp.Compile("(?m" + inner + ")" + source)
	if e != nil {
		return nil, false, failf("%s (at offset 0) is not a valid regex: %s", s, strings.TrimPrefix(e.Error(),
			"error parsing regexp: "))
	}
	return r, global, nil
}

// extended removes the white space and comments of an extended regular expression.
func extended(s string) string {
	var b strings.Builder
	class := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			b.WriteString(s[i : i+2])
			i++
		case c == '[':
			class = true
			b.WriteByte(c)
		case c == ']':
			class = false
			b.WriteByte(c)
		case class:
			b.WriteByte(c)
		case c == '#':
			for i < len(s) && s[i] != '\n' {
				i++
			}
		case c == ' ' || c == '\t' || c == '\n':
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// find returns the matches in a text: where each of their groups begins and ends.
func find(s string, re, flags any) (*regexp.Regexp, [][]int, error) {
	if list, ok := re.([]any); ok {
		if len(list) > 1 {
			flags = list[1]
		}
		if len(list) > 0 {
			re = list[0]
		}
	}
	r, global, err := compilePattern(re, flags)
	if err != nil {
		return nil, nil, err
	}
	limit := 1
	if global {
		limit = -1
	}
	return r, r.FindAllStringSubmatchIndex(s, limit), nil
}

// matching makes a builtin of what is done with the matches.
func matching(do func(s string, all []any) any) builtin {
	return plain(func(v any, args []any) (any, error) {
		s, ok := v.(string)
		if !ok {
			return nil, failf("%s cannot be matched, as it is not a string", describe(v))
		}
		r, found, err := find(s, args[0], args[1])
		if err != nil {
			return nil, err
		}
		all := make([]any, len(found))
		for i, at := range found {
			all[i] = matchObject(s, r, at)
		}
		return do(s, all), nil
	})
}

func matchObject(s string, r *regexp.Regexp, at []int) any {
	part := func(i int) *Object {
		o := &Object{}
		if at[2*i] < 0 {
			o.Put("offset", -1.0)
			o.Put("length", 0.0)
			o.Put("string", nil)
			return o
		}
		text := s[at[2*i]:at[2*i+1]]
		o.Put("offset", float64(utf8.RuneCountInString(s[:at[2*i]])))
		o.Put("length", float64(utf8.RuneCountInString(text)))
		o.Put("string", text)
		return o
	}
	m := part(0)
	captures := make([]any, len(at)/2-1)
	for i, name := range r.SubexpNames()[1:] {
		c := part(i + 1)
		if name == "" {
			c.Put("name", nil)
		} else {
			c.Put("name", name)
		}
		captures[i] = c
	}
	m.Put("captures", captures)
	return m
}

func splitPattern(v any, args []any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, failf("%s cannot be matched, as it is not a string", describe(v))
	}
	flags, _ := args[1].(string)
	_, found, err := find(s, args[0], flags+"g")
	if err != nil {
		return nil, err
	}
	list := []any{}
	from := 0
	for _, at := range found {
		list = append(list, s[from:at[0]])
		from = at[1]
	}
	return append(list, s[from:]), nil
}

// substitute is sub/3: the replacement is evaluated with the named groups of each match.
func substitute(r *run, args []*node, e *env, v any, p *path, yield yielder) error {
	s, ok := v.(string)
	if !ok {
		return failf("%s cannot be matched, as it is not a string", describe(v))
	}
	return r.eval(args[0], e, v, nil, func(re any, _ *path) error {
		return r.eval(args[2], e, v, nil, func(flags any, _ *path) error {
			pattern, found, err := find(s, re, flags)
			if err != nil {
				return err
			}
			return r.replace(s, pattern, found, 0, 0, "", args[1], e, func(result string) error {
				return yield(result, p.lost())
			})
		})
	})
}

func (r *run) replace(s string, re *regexp.Regexp, found [][]int, i, from int, done string, by *node, e *env,
	yield func(string) error) error {
	if len(found) > i+1 && by.op == opLiteral {
		// The usual case, without recursion.
		t, ok := by.value.(string)
		if ok {
			var b strings.Builder
			b.WriteString(done)
			for _, at := range found[i:] {
				b.WriteString(s[from:at[0]])
				b.WriteString(t)
				from = at[1]
			}
			b.WriteString(s[from:])
			return yield(b.String())
		}
	}
	if i == len(found) {
		return yield(done + s[from:])
	}
	at := found[i]
	groups := &Object{}
	for n, name := range re.SubexpNames() {
		if name == "" {
			continue
		}
		var group any
		if at[2*n] >= 0 {
			group = s[at[2*n]:at[2*n+1]]
		}
		groups.Put(name, group)
	}
	return r.eval(by, e, groups, nil, func(x any, _ *path) error {
		t, ok := x.(string)
		if !ok {
			return failf("%s and %s cannot be added", describe(done+s[from:at[0]]), describe(x))
		}
		return r.replace(s, re, found, i+1, at[1], done+s[from:at[0]]+t, by, e, yield)
	})
}
