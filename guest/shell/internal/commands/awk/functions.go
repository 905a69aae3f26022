package awk

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// A builtin is a function that awk has.
type builtin struct {
	least, most int
	compile     func(p *parser, args []node) expr
}

var builtins map[string]*builtin

func init() {
	// Compiling them refers to the table.
	builtins = map[string]*builtin{
		"length": {0, 1, compileLength}, "substr": {2, 3, compileSubstr}, "index": {2, 2, compileIndex},
		"split": {2, 4, compileSplit}, "patsplit": {2, 4, compilePatsplit}, "sub": {2, 3, compileSub(false)},
		"gsub": {2, 3, compileSub(true)}, "gensub": {3, 4, compileGensub}, "match": {2, 3, compileMatch},
		"sprintf": {1, 1000, compileSprintf}, "tolower": texts(strings.ToLower), "toupper": texts(strings.ToUpper),
		"sin": floats(math.Sin), "cos": floats(math.Cos), "exp": floats(math.Exp), "sqrt": odd("sqrt", math.Sqrt),
		"log": odd("log", math.Log), "int": floats(math.Trunc), "atan2": {2, 2, compileAtan2}, "rand": {0, 0,
			compileRand},
		"srand": {0, 1, compileSrand}, "system": {1, 1, compileSystem}, "close": {1, 2, compileClose},
		"fflush": {0, 1, compileFlush}, "systime": {0, 0, compileSystime}, "strftime": {0, 3, compileStrftime},
		"mktime": {1, 2, compileMktime}, "strtonum": {1, 1, compileStrtonum}, "asort": {1, 3, compileSort(false)},
		"asorti": {1, 3, compileSort(true)}, "isarray": {1, 1, compileIsArray}, "typeof": {1, 1, compileTypeof},
		"and": bits(func(a, b uint64) uint64 { return a & b }), "or": bits(func(a, b uint64) uint64 { return a | b }),
		"xor":    bits(func(a, b uint64) uint64 { return a ^ b }),
		"lshift": bits(func(a, b uint64) uint64 { return a << b }), "rshift": bits(func(a,
			b uint64) uint64 {
			return a >> b
		}),
		"compl": {1, 1, func(_ *parser, args []node) expr {
			return func(m *machine) value { return num(float64(^uint64(args[0].eval(m).num()) & (1<<53 - 1))) }
		}},
	}
}

func texts(do func(string) string) *builtin {
	return &builtin{1, 1, func(_ *parser, args []node) expr {
		e := args[0].eval
		return func(m *machine) value { return str(do(e(m).str(m.convfmt))) }
	}}
}

func floats(do func(float64) float64) *builtin {
	return &builtin{1, 1, func(_ *parser, args []node) expr {
		e := args[0].eval
		return func(m *machine) value { return num(do(e(m).num())) }
	}}
}

func odd(name string, do func(float64) float64) *builtin {
	return &builtin{1, 1, func(_ *parser, args []node) expr {
		e := args[0].eval
		return func(m *machine) value {
			v := e(m)
			n := v.num()
			if n < 0 {
				m.warn(name + ": received negative argument " + v.str("%.6g"))
				return num(math.Copysign(math.NaN(), -1))
			}
			return num(do(n))
		}
	}}
}

func bits(do func(a, b uint64) uint64) *builtin {
	return &builtin{2, 100, func(_ *parser, args []node) expr {
		return func(m *machine) value {
			result := uint64(0)
			for i, a := range args {
				n := a.eval(m).num()
				if n < 0 {
					panic(fatal("negative values are not allowed for bits"))
				}
				if i == 0 {
					result = uint64(n)
				} else {
					result = do(result, uint64(n))
				}
			}
			return num(float64(result))
		}
	}}
}

func runes(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return utf8.RuneCountInString(s)
		}
	}
	return len(s)
}

func compileLength(_ *parser, args []node) expr {
	if len(args) == 0 {
		return func(m *machine) value { return num(float64(runes(m.record()))) }
	}
	a := args[0]
	return func(m *machine) value {
		if a.cell != nil {
			if c := a.cell(m); c.isArray() {
				return num(float64(len(c.array(a.name).m)))
			}
		}
		return num(float64(runes(a.eval(m).str(m.convfmt))))
	}
}

func compileSubstr(_ *parser, args []node) expr {
	return func(m *machine) value {
		s := args[0].eval(m).str(m.convfmt)
		// A beginning before the first character is the first one, as in gawk 5.2: the length stays as it is.
		from := max(1, math.Trunc(args[1].eval(m).num()))
		to := math.Inf(1)
		if len(args) > 2 {
			n := args[2].eval(m).num()
			if math.IsNaN(n) {
				return str("")
			}
			to = from + math.Trunc(n)
		}
		if math.IsNaN(from) {
			return str("")
		}
		count := runes(s)
		to = min(to, float64(count)+1)
		if from >= to {
			return str("")
		}
		if count == len(s) {
			return str(s[int(from)-1 : int(to)-1])
		}
		s = s[len(firstRunes(s, int(from)-1)):]
		return str(firstRunes(s, int(to-from)))
	}
}

func compileIndex(_ *parser, args []node) expr {
	return func(m *machine) value {
		s := args[0].eval(m).str(m.convfmt)
		at := strings.Index(s, args[1].eval(m).str(m.convfmt))
		if at < 0 {
			return num(0)
		}
		return num(float64(runes(s[:at]) + 1))
	}
}

func compileSplit(p *parser, args []node) expr {
	into := p.arrayOf(args[1])
	var seps func(*machine) *array
	if len(args) > 3 {
		seps = p.arrayOf(args[3])
	}
	var match func(*machine) *pattern
	if len(args) > 2 && args[2].isRegex {
		match = p.matcher(args[2])
	}
	return func(m *machine) value {
		s := args[0].eval(m).str(m.convfmt)
		separator := m.fs
		var pat *pattern
		if match != nil {
			pat = match(m)
		} else if len(args) > 2 {
			separator = args[2].eval(m).str(m.convfmt)
		}
		a := into(m)
		a.clear()
		var b *array
		if seps != nil {
			b = seps(m)
			b.clear()
			if separator == " " && pat == nil {
				if lead := len(s) - len(strings.TrimLeft(s, " \t\n")); lead > 0 {
					b.set("0", str(s[:lead]))
				}
			}
		}
		n := 0
		m.fieldsOf(s, separator, pat, func(field, behind string) {
			n++
			key := strconv.Itoa(n)
			a.set(key, inputs(field))
			if b != nil && behind != "" {
				b.set(key, str(behind))
			}
		})
		return num(float64(n))
	}
}

func compilePatsplit(p *parser, args []node) expr {
	into := p.arrayOf(args[1])
	var seps func(*machine) *array
	if len(args) > 3 {
		seps = p.arrayOf(args[3])
	}
	match := func(m *machine) *pattern { return m.regex(m.fpat) }
	if len(args) > 2 {
		match = p.matcher(args[2])
	}
	return func(m *machine) value {
		s := args[0].eval(m).str(m.convfmt)
		pat := match(m)
		a := into(m)
		a.clear()
		var b *array
		if seps != nil {
			b = seps(m)
			b.clear()
			if at := pat.re.FindStringIndex(s); at != nil {
				b.set("0", str(s[:at[0]]))
			} else {
				b.set("0", str(s))
			}
		}
		n := 0
		m.byPattern(s, pat, func(field, behind string) {
			n++
			a.set(strconv.Itoa(n), inputs(field))
			if b != nil {
				b.set(strconv.Itoa(n), str(behind))
			}
		})
		return num(float64(n))
	}
}

// compileSub compiles sub and gsub.
func compileSub(all bool) func(*parser, []node) expr {
	return func(p *parser, args []node) expr {
		match := p.matcher(args[0])
		target := node{field: func(*machine) value { return num(0) },
			eval: func(m *machine) value { return inputs(m.record()) }}
		if len(args) > 2 {
			target = args[2]
		}
		var assign func(*machine, value)
		if target.assignable() {
			assign = p.assigner(target)
		}
		return func(m *machine) value {
			pat := match(m)
			replacement := args[1].eval(m).str(m.convfmt)
			s := target.eval(m).str(m.convfmt)
			changed, n := substitute(s, pat, replacement, all)
			if n > 0 && assign != nil {
				assign(m, str(changed))
			}
			return num(float64(n))
		}
	}
}

// substitute replaces the first or all matches in a text.
func substitute(s string, p *pattern, replacement string, all bool) (string, int) {
	parts := replacementParts(replacement)
	var b strings.Builder
	n, from := 0, 0
	put := func(matched string) {
		for i, part := range parts {
			if i > 0 {
				b.WriteString(matched)
			}
			b.WriteString(part)
		}
	}
	if p.plain && p.literal != "" {
		for {
			at := strings.Index(s[from:], p.literal)
			if at < 0 || n > 0 && !all {
				break
			}
			b.WriteString(s[from : from+at])
			put(p.literal)
			from += at + len(p.literal)
			n++
		}
	} else {
		limit := 1
		if all {
			limit = -1
		}
		for _, at := range p.re.FindAllStringIndex(s, limit) {
			b.WriteString(s[from:at[0]])
			put(s[at[0]:at[1]])
			from = at[1]
			n++
		}
	}
	if n == 0 {
		return s, 0
	}
	b.WriteString(s[from:])
	return b.String(), n
}

// replacementParts splits a replacement at each "&" that stands for the match. Backslashes before "&" count in pairs.
func replacementParts(s string) []string {
	if !strings.ContainsRune(s, '&') {
		return []string{s}
	}
	var parts []string
	var b []byte
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			n := 0
			for i+n < len(s) && s[i+n] == '\\' {
				n++
			}
			if i+n < len(s) && s[i+n] == '&' {
				for range n / 2 {
					b = append(b, '\\')
				}
				if n%2 == 1 {
					b = append(b, '&')
				} else {
					parts = append(parts, string(b))
					b = b[:0]
				}
				i += n
				continue
			}
			b = append(b, s[i:i+n]...)
			i += n - 1
		case '&':
			parts = append(parts, string(b))
			b = b[:0]
		default:
			b = append(b, s[i])
		}
	}
	return append(parts, string(b))
}

func compileGensub(p *parser, args []node) expr {
	match := p.matcher(args[0])
	return func(m *machine) value {
		pat := match(m)
		replacement := args[1].eval(m).str(m.convfmt)
		how := args[2].eval(m).decide()
		var s string
		if len(args) > 3 {
			s = args[3].eval(m).str(m.convfmt)
		} else {
			s = m.record()
		}
		which := 1
		if t := how.str(m.convfmt); how.kind == text && (strings.HasPrefix(t, "g") || strings.HasPrefix(t, "G")) {
			which = 0
		} else {
			which = max(1, int(how.num()))
		}
		var b strings.Builder
		from := 0
		for i, at := range pat.re.FindAllStringSubmatchIndex(s, -1) {
			if which != 0 && i+1 != which {
				continue
			}
			b.WriteString(s[from:at[0]])
			expand(&b, replacement, s, at)
			from = at[1]
		}
		b.WriteString(s[from:])
		return str(b.String())
	}
}

func expand(b *strings.Builder, replacement, s string, at []int) {
	group := func(n int) {
		if 2*n+1 < len(at) && at[2*n] >= 0 {
			b.WriteString(s[at[2*n]:at[2*n+1]])
		}
	}
	for i := 0; i < len(replacement); i++ {
		switch c := replacement[i]; {
		case c == '&':
			group(0)
		case c == '\\' && i+1 < len(replacement):
			i++
			switch e := replacement[i]; {
			case isDigit(e):
				group(int(e - '0'))
			case e == '&' || e == '\\':
				b.WriteByte(e)
			default:
				b.WriteByte('\\')
				b.WriteByte(e)
			}
		default:
			b.WriteByte(c)
		}
	}
}

func compileMatch(p *parser, args []node) expr {
	match := p.matcher(args[1])
	var groups func(*machine) *array
	if len(args) > 2 {
		groups = p.arrayOf(args[2])
	}
	return func(m *machine) value {
		s := args[0].eval(m).str(m.convfmt)
		pat := match(m)
		start, length := 0, -1
		if groups != nil {
			at := pat.re.FindStringSubmatchIndex(s)
			a := groups(m)
			a.clear()
			for i := 0; i+1 < len(at); i += 2 {
				if at[i] < 0 {
					continue
				}
				key := strconv.Itoa(i / 2)
				a.set(key, inputs(s[at[i]:at[i+1]]))
				a.set(key+m.subsep+"start", num(float64(runes(s[:at[i]])+1)))
				a.set(key+m.subsep+"length", num(float64(runes(s[at[i]:at[i+1]]))))
			}
			if at != nil {
				start, length = runes(s[:at[0]])+1, runes(s[at[0]:at[1]])
			}
		} else if from, to := pat.find(s); from >= 0 {
			start, length = runes(s[:from])+1, runes(s[from:to])
		}
		m.global("RSTART").v = num(float64(start))
		m.global("RLENGTH").v = num(float64(length))
		return num(float64(start))
	}
}

func compileSprintf(_ *parser, args []node) expr {
	return func(m *machine) value {
		values := make([]value, len(args)-1)
		format := args[0].eval(m).str(m.convfmt)
		for i := range values {
			values[i] = args[i+1].eval(m)
		}
		return str(formatValues(format, values, m.convfmt))
	}
}

func compileAtan2(_ *parser, args []node) expr {
	return func(m *machine) value {
		y := args[0].eval(m).num()
		return num(math.Atan2(y, args[1].eval(m).num()))
	}
}

func compileRand(*parser, []node) expr {
	return func(m *machine) value { return num(m.random.float()) }
}

func compileSrand(_ *parser, args []node) expr {
	return func(m *machine) value {
		before := m.random.seed
		seed := float64(time.Now().Unix())
		if len(args) > 0 {
			seed = args[0].eval(m).num()
		}
		m.random = newRandom(seed)
		return num(before)
	}
}

func compileSystem(_ *parser, args []node) expr {
	return func(m *machine) value {
		line := args[0].eval(m).str(m.convfmt)
		m.flush()
		return num(float64(m.c.Run(command.Call{Args: []string{"sh", "-c", line}})))
	}
}

func compileClose(_ *parser, args []node) expr {
	return func(m *machine) value { return num(float64(m.close(args[0].eval(m).str(m.convfmt)))) }
}

func compileFlush(_ *parser, args []node) expr {
	return func(m *machine) value {
		if len(args) > 0 {
			if name := args[0].eval(m).str(m.convfmt); name != "" {
				w := m.writers[name]
				if w == nil {
					return num(-1)
				}
				_ = w.Flush()
				return num(0)
			}
		}
		m.flush()
		return num(0)
	}
}

func compileSystime(*parser, []node) expr {
	return func(*machine) value { return num(float64(time.Now().Unix())) }
}

// location is the time zone of the environment.
func (m *machine) location() *time.Location {
	if name := m.c.Getenv("TZ"); name != "" {
		if l, err := time.LoadLocation(name); err == nil {
			return l
		}
	}
	return time.UTC
}

func compileStrftime(_ *parser, args []node) expr {
	return func(m *machine) value {
		format, at := "%a %b %e %H:%M:%S %Z %Y", time.Now()
		if len(args) > 0 {
			format = args[0].eval(m).str(m.convfmt)
		}
		if len(args) > 1 {
			at = time.Unix(int64(args[1].eval(m).num()), 0)
		}
		at = at.In(m.location())
		if len(args) > 2 && args[2].eval(m).bool() {
			at = at.UTC()
		}
		return str(command.FormatTime(at, format))
	}
}

func compileMktime(_ *parser, args []node) expr {
	return func(m *machine) value {
		var n [6]int
		fields := strings.Fields(args[0].eval(m).str(m.convfmt))
		if len(fields) < 6 {
			return num(-1)
		}
		for i := range n {
			var err error
			if n[i], err = strconv.Atoi(fields[i]); err != nil {
				return num(-1)
			}
		}
		where := m.location()
		if len(args) > 1 && args[1].eval(m).bool() {
			where = time.UTC
		}
		return num(float64(time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, where).Unix()))
	}
}

func compileStrtonum(_ *parser, args []node) expr {
	return func(m *machine) value {
		v := args[0].eval(m)
		if v.kind == number {
			return v
		}
		s := strings.TrimLeft(v.str(m.convfmt), " \t\n")
		sign, digits := 1.0, s
		if strings.HasPrefix(s, "-") {
			sign, digits = -1, s[1:]
		}
		if len(digits) > 1 && digits[0] == '0' {
			base, rest := 8, digits[1:]
			if digits[1]|0x20 == 'x' {
				base, rest = 16, digits[2:]
			}
			n, ok := 0.0, false
			for _, c := range strings.ToLower(rest) {
				d := strings.IndexRune("0123456789abcdef"[:base], c)
				if d < 0 {
					if base == 8 && (c == '.' || c == 'e' || c == '8' || c == '9') {
						ok = false
						return num(leadingNumber(s))
					}
					break
				}
				n, ok = n*float64(base)+float64(d), true
			}
			if ok || base == 16 {
				return num(sign * n)
			}
		}
		return num(leadingNumber(s))
	}
}

// compileSort compiles asort and asorti.
func compileSort(indexes bool) func(*parser, []node) expr {
	return func(p *parser, args []node) expr {
		from := p.arrayOf(args[0])
		into := from
		if len(args) > 1 {
			into = p.arrayOf(args[1])
		}
		return func(m *machine) value {
			how := "@val_type_asc"
			if indexes {
				how = "@ind_str_asc"
			}
			if len(args) > 2 {
				how = args[2].eval(m).str(m.convfmt)
			}
			a := from(m)
			keys := m.sorted(a, how)
			cells := make([]cell, len(keys))
			for i, key := range keys {
				if indexes {
					cells[i].v = str(key)
				} else {
					cells[i] = *a.m[key]
				}
			}
			b := into(m)
			b.clear()
			for i, c := range cells {
				to := b.at(strconv.Itoa(i + 1))
				to.v, to.arr = c.v, c.arr
			}
			return num(float64(len(keys)))
		}
	}
}

func compileIsArray(_ *parser, args []node) expr {
	return func(m *machine) value { return boolean(args[0].cell != nil && args[0].cell(m).isArray()) }
}

func compileTypeof(_ *parser, args []node) expr {
	a := args[0]
	return func(m *machine) value {
		if a.isRegex {
			return str("regexp")
		}
		if a.cell != nil {
			c := a.cell(m)
			if c.isArray() {
				return str("array")
			}
			if c.v.kind == none {
				if a.bare {
					return str("untyped")
				}
				return str("unassigned")
			}
		}
		switch v := a.eval(m).decide(); v.kind {
		case number:
			return str("number")
		case numeric:
			return str("strnum")
		case none:
			return str("unassigned")
		}
		return str("string")
	}
}

// random makes the numbers that gawk makes: those of random(3) with a state of 256 bytes.
type random struct {
	seed        float64
	state       [63]int32
	front, rear int
}

func newRandom(seed float64) *random {
	r := &random{seed: seed, front: 1}
	x := uint32(int64(seed))
	for i := range r.state {
		r.state[i] = int32(x)
		// 16807 x mod 2^31-1
		y := int64(x%0x7ffffffe) + 1
		high, low := y/127773, y%127773
		if y = 16807*low - 2836*high; y < 0 {
			y += 0x7fffffff
		}
		x = uint32(y - 1)
	}
	for range 10 * len(r.state) {
		r.next()
	}
	return r
}

func (r *random) next() float64 {
	r.state[r.front] += r.state[r.rear]
	n := uint32(r.state[r.front]) >> 1
	r.front, r.rear = (r.front+1)%len(r.state), (r.rear+1)%len(r.state)
	return float64(n)
}

func (r *random) float() float64 {
	for {
		const most = 1 << 31
		low := r.next()
		high := r.next()
		if n := 0.5 + (low/most+high)/most - 0.5; n != 1 {
			return n
		}
	}
}
