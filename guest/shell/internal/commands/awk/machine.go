package awk

import (
	"bufio"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// fatal is an error that ends a program, as a panic.
type fatal string

// unwinding is what "next" and "exit" in a function panic with.
type unwinding control

// stop ends a program whose error is told, as a panic: its exit status.
type stop int

// Special variables: those whose values are kept elsewhere, or whose changes do something.
const (
	_ = iota
	varNF
	varNR
	varFNR
	varFS
	varOFS
	varORS
	varRS
	varSUBSEP
	varCONVFMT
	varOFMT
	varIGNORECASE
	varFPAT
	varFIELDWIDTHS
)

var specials = map[string]int{"NF": varNF, "NR": varNR, "FNR": varFNR, "FS": varFS, "OFS": varOFS, "ORS": varORS,
	"RS":     varRS,
	"SUBSEP": varSUBSEP, "CONVFMT": varCONVFMT, "OFMT": varOFMT, "IGNORECASE": varIGNORECASE, "FPAT": varFPAT,
	"FIELDWIDTHS": varFIELDWIDTHS}

// A machine runs a program.
type machine struct {
	c       *command.Context
	prog    *program
	out     *bufio.Writer
	globals []cell
	endSlot int // of RT among them
	frame   []cell
	depth   int
	ticks   uint
	line    int // of the statement that is run, if the program has several
	status  int
	result  value

	rec    string
	recSet bool // it was assigned a text, which is no number
	stale  bool // rec must be made of the fields
	split  bool // fields are those of rec
	fields []value
	spans  []command.Span // of the fields that have been looked for before rec was split

	nr, fnr                                 float64
	fs, ofs, ors, rs, subsep, convfmt, ofmt string
	fpat, widths                            string
	ignoreCase                              bool
	fieldsBy                                int // which of varFS, varFPAT and varFIELDWIDTHS was set last
	patterns                                map[string]*pattern
	main                                    *reader // the file of the input that is being read
	argument                                int
	anyFile                                 bool
	inEnd                                   bool
	stdin                                   *reader
	readers                                 map[string]*reader
	writers                                 map[string]*writer
	order                                   []string // of writers
	random                                  *random
	inplace                                 bool
	edited                                  *edit
}

// tick lets others have a turn now and then, and ends the program if it must end.
func (m *machine) tick() {
	if m.ticks++; m.ticks&0x3ff == 0 {
		m.pause()
	}
}

func (m *machine) pause() {
	runtime.Gosched()
	if m.c.Context().Err() != nil {
		m.status = 143
		panic(unwinding(exits))
	}
}

// global returns a variable by its name, whether the program uses it or not.
func (m *machine) global(name string) *cell {
	slot, ok := m.prog.globals[name]
	if !ok {
		slot = len(m.prog.globals)
		m.prog.globals[name] = slot
	}
	for len(m.globals) <= slot {
		m.globals = append(m.globals, cell{})
	}
	return &m.globals[slot]
}

// scalar sets a variable if the program uses it.
func (m *machine) scalar(name string, v value) {
	if slot, ok := m.prog.globals[name]; ok {
		m.globals[slot].v = v
	}
}

// setByName sets a variable that is given outside.
func (m *machine) setByName(name, text string) {
	v := inputs(text)
	if id, ok := specials[name]; ok {
		m.setSpecial(id, v)
		return
	}
	if m.prog.functions[name] != nil {
		panic(fatal("cannot use function `" + name + "' as variable name"))
	}
	c := m.global(name)
	if c.arr != nil {
		panic(fatal("cannot use array `" + name + "' as a variable"))
	}
	c.v = v
}

func (m *machine) special(id int) value {
	switch id {
	case varNF:
		m.splitRecord()
		return num(float64(len(m.fields)))
	case varNR:
		return num(m.nr)
	case varFNR:
		return num(m.fnr)
	case varIGNORECASE:
		return boolean(m.ignoreCase)
	}
	return inputs(*m.text(id))
}

func (m *machine) text(id int) *string {
	switch id {
	case varFS:
		return &m.fs
	case varOFS:
		return &m.ofs
	case varORS:
		return &m.ors
	case varRS:
		return &m.rs
	case varSUBSEP:
		return &m.subsep
	case varCONVFMT:
		return &m.convfmt
	case varOFMT:
		return &m.ofmt
	case varFPAT:
		return &m.fpat
	case varFIELDWIDTHS:
		return &m.widths
	}
	panic("no such variable")
}

func (m *machine) setSpecial(id int, v value) {
	switch id {
	case varNF:
		m.splitRecord()
		n := int(v.num())
		if n < 0 {
			panic(fatal("NF set to negative value"))
		}
		if n > maxField {
			panic(fatal("NF set to a value that is too large"))
		}
		for len(m.fields) < n {
			m.fields = append(m.fields, value{})
		}
		m.fields = m.fields[:n]
		m.stale = true
	case varNR:
		m.nr = v.num()
	case varFNR:
		m.fnr = v.num()
	case varIGNORECASE:
		m.ignoreCase = v.bool()
		m.patterns = map[string]*pattern{}
	default:
		if id == varFS || id == varFPAT || id == varFIELDWIDTHS {
			// The record that is there is split as it was when it was read.
			m.splitRecord()
			m.fieldsBy = id
		}
		if id == varOFS {
			m.record()
		}
		*m.text(id) = v.str(m.convfmt)
	}
}

const maxField = 1 << 22

func (m *machine) fieldIndex(v value) int {
	n := v.num()
	if n < 0 {
		panic(fatal("attempt to access field " + strconv.Itoa(int(n))))
	}
	if n > maxField {
		panic(fatal("the number of a field is too large"))
	}
	return int(n)
}

func (m *machine) setRecord(s string) {
	m.rec, m.recSet, m.stale, m.split = s, false, false, false
	m.spans = m.spans[:0]
}

// record returns $0.
func (m *machine) record() string {
	if m.stale {
		var b strings.Builder
		for i := range m.fields {
			if i > 0 {
				b.WriteString(m.ofs)
			}
			b.WriteString(m.fields[i].str(m.convfmt))
		}
		m.rec, m.recSet, m.stale = b.String(), false, false
	}
	return m.rec
}

func (m *machine) field(i int) value {
	if i == 0 {
		if s := m.record(); m.recSet {
			return str(s)
		}
		return inputs(m.rec)
	}
	return m.fieldAt(i)
}

func (m *machine) setField(i int, s string) { m.assignField(i, inputs(s)) }

func (m *machine) assignField(i int, v value) {
	if i == 0 {
		m.setRecord(v.str(m.convfmt))
		m.recSet = v.kind == text
		return
	}
	m.splitRecord()
	for len(m.fields) < i {
		m.fields = append(m.fields, value{s: "", kind: none})
	}
	if v.kind == none {
		v = str("")
	}
	m.fields[i-1] = v
	m.stale = true
}

// fieldAt returns a field by its number, which is not 0. Fields between blanks are looked for as far as that.
func (m *machine) fieldAt(i int) value {
	if !m.split && m.blanks() {
		if i > len(m.spans) {
			at := 0
			if n := len(m.spans); n > 0 {
				at = int(m.spans[n-1].To)
			}
			if m.spans = command.Fields(m.spans, m.rec, at, i); i > len(m.spans) {
				return str("")
			}
		}
		return inputs(m.rec[m.spans[i-1].From:m.spans[i-1].To])
	}
	m.splitRecord()
	if i > len(m.fields) {
		return str("")
	}
	return m.fields[i-1]
}

// blanks reports whether fields are what is between blanks.
func (m *machine) blanks() bool {
	return m.fs == " " && m.fieldsBy != varFPAT && m.fieldsBy != varFIELDWIDTHS
}

// splitRecord splits the record into fields, if that is not done.
func (m *machine) splitRecord() {
	if m.split {
		return
	}
	m.split = true
	m.fields = m.fields[:0]
	add := func(s, _ string) { m.fields = append(m.fields, inputs(s)) }
	switch m.fieldsBy {
	case varFPAT:
		m.byPattern(m.rec, m.regex(m.fpat), add)
	case varFIELDWIDTHS:
		m.byWidths(m.rec, add)
	default:
		if m.rs == "" && m.fs != "\n" {
			for line := range strings.SplitSeq(m.rec, "\n") {
				m.fieldsOf(line, m.fs, nil, add)
			}
			return
		}
		m.fieldsOf(m.rec, m.fs, nil, add)
	}
}

// fieldsOf calls a function with the fields of a text, and what is behind each. A pattern wins over a separator.
func (m *machine) fieldsOf(s, separator string, p *pattern, add func(field, behind string)) {
	if p == nil && separator == " " {
		spans := command.Fields(nil, s, 0, math.MaxInt)
		for i, span := range spans {
			next := len(s)
			if i+1 < len(spans) {
				next = int(spans[i+1].From)
			}
			add(s[span.From:span.To], s[span.To:next])
		}
		return
	}
	if s == "" {
		return
	}
	if p == nil {
		switch {
		case separator == "":
			for i := 0; i < len(s); {
				_, size := utf8.DecodeRuneInString(s[i:])
				add(s[i:i+size], "")
				i += size
			}
			return
		case utf8.RuneCountInString(separator) == 1 && separator != `\` && !(m.ignoreCase && isLetter(separator[0])):
			for {
				at := strings.Index(s, separator)
				if at < 0 {
					add(s, "")
					return
				}
				add(s[:at], separator)
				s = s[at+len(separator):]
			}
		case separator == `\`:
			separator = `\\`
		}
		p = m.regex(separator)
	}
	if p.plain && p.literal != "" {
		for {
			at := strings.Index(s, p.literal)
			if at < 0 {
				add(s, "")
				return
			}
			add(s[:at], p.literal)
			s = s[at+len(p.literal):]
		}
	}
	from := 0
	for _, at := range p.re.FindAllStringIndex(s, -1) {
		if at[0] == at[1] {
			continue
		}
		add(s[from:at[0]], s[at[0]:at[1]])
		from = at[1]
	}
	add(s[from:], "")
}

func (m *machine) byPattern(s string, p *pattern, add func(field, behind string)) {
	all := p.re.FindAllStringIndex(s, -1)
	for i, at := range all {
		end := len(s)
		if i+1 < len(all) {
			end = all[i+1][0]
		}
		add(s[at[0]:at[1]], s[at[1]:end])
	}
}

func (m *machine) byWidths(s string, add func(field, behind string)) {
	for width := range strings.FieldsSeq(m.widths) {
		skip, count, ok := strings.Cut(width, ":")
		if !ok {
			skip, count = "0", width
		}
		n, _ := strconv.Atoi(skip)
		s = s[len(firstRunes(s, n)):]
		if s == "" {
			return
		}
		if count == "*" {
			add(s, "")
			return
		}
		n, err := strconv.Atoi(count)
		if err != nil || n <= 0 {
			panic(fatal("invalid FIELDWIDTHS value, for field " + width))
		}
		field := firstRunes(s, n)
		add(field, "")
		s = s[len(field):]
	}
}

const maxPatterns = 500

// regex returns a regular expression, compiled.
func (m *machine) regex(s string) *pattern {
	p := m.patterns[s]
	if p == nil {
		var err error
		if p, err = compilePattern(s, m.ignoreCase); err != nil {
			panic(fatal("invalid regexp: " + regexProblem(err) + ": /" + s + "/"))
		}
		if len(m.patterns) >= maxPatterns {
			clear(m.patterns)
		}
		m.patterns[strings.Clone(s)] = p
	}
	return p
}

const maxCalls = 10000

// call calls a function of the program.
func (m *machine) call(f *function, args []node) value {
	if len(args) > len(f.params) {
		panic(fatal("function `" + f.name + "' called with more arguments than declared"))
	}
	if m.depth >= maxCalls {
		panic(fatal("functions are nested more than " + strconv.Itoa(maxCalls) + " deep"))
	}
	m.tick()
	frame := make([]cell, len(f.params))
	for i, arg := range args {
		if arg.cell == nil || arg.grouped {
			frame[i].v = arg.eval(m)
			continue
		}
		c := arg.cell(m)
		for c.arr == nil && c.ref != nil && c.v.kind == none {
			c = c.ref
		}
		switch {
		case c.arr != nil:
			frame[i].arr = c.arr
		case c.v.kind == none:
			frame[i].ref = c
		default:
			frame[i].v = c.v
		}
	}
	saved := m.frame
	m.frame = frame
	m.depth++
	m.result = value{}
	c := f.body(m)
	m.depth--
	m.frame = saved
	if c == nexts || c == nextFiles || c == exits {
		panic(unwinding(c))
	}
	v := m.result
	m.result = value{}
	return v
}

// run runs the whole program, and returns its exit status.
func (m *machine) run() int {
	defer m.abandon()
	c := m.guarded(func() control { return m.all(m.prog.begin) })
	if c != exits && len(m.prog.rules)+len(m.prog.end)+len(m.prog.beginFile)+len(m.prog.endFile) > 0 {
		m.guarded(m.records)
	}
	// This is done also after "exit".
	m.inEnd = true
	m.guarded(func() control { return m.all(m.prog.end) })
	m.closeAll()
	return m.status
}

func (m *machine) all(list []stmt) control {
	for _, s := range list {
		if c := s(m); c != normal {
			return c
		}
	}
	return normal
}

// guarded catches what "next" and "exit" in functions do.
func (m *machine) guarded(do func() control) (c control) {
	depth, frame := m.depth, m.frame
	defer func() {
		if e := recover(); e != nil {
			u, ok := e.(unwinding)
			if !ok {
				panic(e)
			}
			m.depth, m.frame = depth, frame
			c = control(u)
		}
	}()
	return do()
}

// records runs the rules for all records.
func (m *machine) records() control {
	inRange := make([]bool, len(m.prog.rules))
	for {
		s, ok := m.nextRecord()
		if !ok {
			return normal
		}
		m.tick()
		m.setRecord(s)
		var c control
		if len(m.prog.functions) == 0 {
			c = m.rules(inRange)
		} else {
			c = m.guarded(func() control { return m.rules(inRange) })
		}
		switch c {
		case exits:
			return exits
		case nextFiles:
			m.endFile()
		}
	}
}

func (m *machine) rules(inRange []bool) control {
	for i := range m.prog.rules {
		r := &m.prog.rules[i]
		if r.until != nil {
			if !inRange[i] {
				if !r.pattern(m).bool() {
					continue
				}
				inRange[i] = true
			}
			if r.until(m).bool() {
				inRange[i] = false
			}
		} else if r.pattern != nil && !r.pattern(m).bool() {
			continue
		}
		if r.body == nil {
			_, _ = m.out.WriteString(m.record())
			_, _ = m.out.WriteString(m.ors)
			continue
		}
		if c := r.body(m); c != normal && c != breaks && c != continues {
			return c
		}
	}
	return normal
}

// ordered returns the subscripts of an array in the order that PROCINFO["sorted_in"] asks for.
func (m *machine) ordered(a *array) []string {
	if slot, ok := m.prog.globals["PROCINFO"]; ok && m.globals[slot].arr != nil {
		if how := m.globals[slot].arr.m["sorted_in"]; how != nil {
			return m.sorted(a, how.v.str(m.convfmt))
		}
	}
	return a.keys()
}

// sorted returns the subscripts of an array, ordered as PROCINFO["sorted_in"] and asort name it.
func (m *machine) sorted(a *array, how string) []string {
	keys := a.keys()
	var less func(x, y string) int
	byNumber := func(x, y string) int {
		c := compare(num(leadingNumber(x)), num(leadingNumber(y)), "")
		if c == 0 {
			c = strings.Compare(x, y)
		}
		return c
	}
	byValue := func(x, y string) int { return m.rank(a.m[x], a.m[y]) }
	switch strings.TrimSuffix(strings.TrimSuffix(how, "_asc"), "_desc") {
	case "@ind_str":
		less = strings.Compare
	case "@ind_num":
		less = byNumber
	case "@val_num":
		less = func(x, y string) int {
			c := compare(num(a.m[x].v.num()), num(a.m[y].v.num()), "")
			if c == 0 {
				if c = strings.Compare(a.m[x].v.str(m.convfmt), a.m[y].v.str(m.convfmt)); c == 0 {
					c = byNumber(x, y)
				}
			}
			return c
		}
	case "@val_str":
		less = func(x, y string) int {
			c := strings.Compare(a.m[x].v.str(m.convfmt), a.m[y].v.str(m.convfmt))
			if c == 0 {
				c = byNumber(x, y)
			}
			return c
		}
	case "@val_type":
		less = func(x, y string) int {
			c := byValue(x, y)
			if c == 0 {
				c = byNumber(x, y)
			}
			return c
		}
	case "@unsorted", "":
		return keys
	default:
		f := m.prog.functions[how]
		if f == nil || len(f.params) < 4 {
			panic(fatal("sort comparison function `" + how + "' is not defined"))
		}
		less = func(x, y string) int {
			v := m.call(f, []node{valueNode(str(x)), cellNode(a.m[x]), valueNode(str(y)), cellNode(a.m[y])})
			return int(v.num())
		}
	}
	slices.SortStableFunc(keys, func(x, y string) int {
		if strings.HasSuffix(how, "_desc") {
			return less(y, x)
		}
		return less(x, y)
	})
	return keys
}

func valueNode(v value) node { return node{eval: func(*machine) value { return v }} }

func cellNode(c *cell) node {
	return node{cell: func(*machine) *cell { return c }, eval: func(*machine) value { return c.v }}
}

// rank orders values by their kinds: numbers, texts, arrays.
func (m *machine) rank(a, b *cell) int {
	class := func(c *cell) int {
		switch v := c.v.decide(); {
		case c.arr != nil:
			return 2
		case v.kind == text:
			return 1
		}
		return 0
	}
	if x, y := class(a), class(b); x != y || x == 2 {
		return x - y
	}
	return compare(a.v, b.v, m.convfmt)
}

// warn writes a warning.
func (m *machine) warn(text string) {
	_ = m.out.Flush()
	_, _ = io.WriteString(m.c.Stderr, m.c.Name+": "+m.where()+"warning: "+text+"\n")
}

// where says where the program is, for its errors.
func (m *machine) where() string {
	where := m.prog.source + ":" + strconv.Itoa(max(1, m.line)) + ": "
	if m.nr > 0 && !m.inEnd {
		where += "(FILENAME=" + m.global("FILENAME").v.s + " FNR=" + strconv.Itoa(int(m.fnr)) + ") "
	}
	return where
}
