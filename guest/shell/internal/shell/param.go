package shell

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolrun/toolrun/guest/shell/internal/patterns"
)

// A subject is what an expansion of a parameter works on.
type subject struct {
	name   string // without a subscript
	values []string
	many   bool // it is "@" or "*", or such elements of an array
	star   bool
	set    bool
	v      *variable
}

func (s subject) value() string {
	if len(s.values) == 0 {
		return ""
	}
	return s.values[0]
}

// rawIndex returns a subscript as it is written.
func rawIndex(x syntax.ArithmExpr) string {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		left, right := rawIndex(x.X), rawIndex(x.Y)
		op := x.Op.String()
		if x.X.End().Offset() < x.OpPos.Offset() {
			op = " " + op
		}
		if x.OpPos.Offset()+uint(len(x.Op.String())) < x.Y.Pos().Offset() {
			op += " "
		}
		return left + op + right
	case *syntax.UnaryArithm:
		if x.Post {
			return rawIndex(x.X) + x.Op.String()
		}
		return x.Op.String() + rawIndex(x.X)
	case *syntax.ParenArithm:
		return "(" + rawIndex(x.X) + ")"
	}
	return source(x)
}

// key returns the key that a subscript is, for an associative array.
func (sh *Shell) key(x syntax.ArithmExpr) string {
	if word, ok := x.(*syntax.Word); ok {
		return sh.literal(word)
	}
	return sh.expandText(rawIndex(x))
}

func allElements(x syntax.ArithmExpr) string {
	if word, ok := x.(*syntax.Word); ok {
		if lit := word.Lit(); lit == "@" || lit == "*" {
			return lit
		}
	}
	return ""
}

// subject returns what a parameter is.
func (sh *Shell) subject(name string, index syntax.ArithmExpr) subject {
	if name == "@" || name == "*" {
		return subject{name: name, values: sh.params, many: true, star: name == "*", set: len(sh.params) > 0}
	}
	if index == nil {
		value, ok := sh.get(name)
		s := subject{name: name, set: ok, v: sh.lookup(name)}
		if ok {
			s.values = []string{value}
		}
		return s
	}
	name = sh.resolve(name)
	v := sh.vars[name]
	if all := allElements(index); all != "" {
		s := subject{name: name, many: true, star: all == "*", v: v}
		switch {
		case name == "FUNCNAME" || name == "BASH_LINENO" || name == "BASH_SOURCE" || name == "PIPESTATUS" ||
			name == "DIRSTACK" || name == "GROUPS":
			s.values = sh.computed(name)
		case v != nil:
			s.values = v.values()
		}
		s.set = len(s.values) > 0
		return s
	}
	if list := sh.computed(name); list != nil || name == "PIPESTATUS" {
		i := int(sh.arithmetic(index))
		if i < 0 {
			i += len(list)
		}
		if i >= 0 && i < len(list) {
			return subject{name: name, values: []string{list[i]}, set: true}
		}
		return subject{name: name}
	}
	s := subject{name: name, v: v}
	var value string
	if v != nil && v.kind == associative {
		value, s.set = v.assoc[sh.key(index)]
	} else {
		i := int(sh.arithmetic(index))
		if v == nil {
			return s
		}
		if i < 0 && i+v.end() < 0 {
			sh.errorf("%s: bad array subscript", name)
			return s
		}
		value, s.set = v.at(i)
	}
	if s.set {
		s.values = []string{value}
	}
	return s
}

// computed returns arrays that are not variables, or nil.
func (sh *Shell) computed(name string) []string {
	switch name {
	case "PIPESTATUS":
		list := make([]string, len(sh.pipeStatus))
		for i, status := range sh.pipeStatus {
			list[i] = strconv.Itoa(status)
		}
		return list
	case "FUNCNAME", "BASH_LINENO", "BASH_SOURCE":
		var list []string
		for _, f := range slices.Backward(sh.frames) {
			switch name {
			case "FUNCNAME":
				list = append(list, f.name)
			case "BASH_LINENO":
				list = append(list, strconv.Itoa(f.line))
			default:
				list = append(list, f.file)
			}
		}
		if len(list) > 0 && sh.name != "bash" || name == "BASH_SOURCE" && sh.name != "bash" {
			switch name {
			case "FUNCNAME":
				list = append(list, "main")
			case "BASH_LINENO":
				list = append(list, "0")
			default:
				list = append(list, sh.name)
			}
		}
		return list
	case "DIRSTACK":
		return append([]string{sh.files.Dir}, sh.dirs...)
	case "GROUPS":
		return []string{"1000"}
	}
	return nil
}

// param adds an expansion of a parameter.
func (b *builder) param(pe *syntax.ParamExp, quoted bool) {
	sh := b.sh
	if pe.Param == nil {
		sh.fatalf(1, "%s: bad substitution", source(pe))
	}
	name, index := pe.Param.Value, pe.Index
	if name == badName && pe.Exp != nil {
		sh.errorf("%s: bad substitution", sh.literal(pe.Exp.Word))
		panic(discard{1})
	}
	if pe.Excl {
		switch {
		case pe.Names != 0:
			b.many(sh.namesWith(name), pe.Names == syntax.NamesPrefix, quoted)
			return
		case index != nil && allElements(index) != "" && pe.Exp == nil && pe.Repl == nil && pe.Slice == nil:
			var keys []string
			if v := sh.lookup(name); v != nil {
				keys = v.indices()
			} else {
				for i := range sh.computed(name) {
					keys = append(keys, strconv.Itoa(i))
				}
			}
			b.many(keys, allElements(index) == "*", quoted)
			return
		}
		if v := sh.vars[name]; v != nil && v.nameref && index == nil {
			b.expanded(v.str, quoted)
			return
		}
		s := sh.subject(name, index)
		if !s.set {
			if overrides(pe) {
				b.operation(pe, subject{name: name}, quoted)
				return
			}
			sh.errorf("%s: invalid indirect expansion", name)
			panic(discard{1})
		}
		target := s.value()
		base, subscript, ok := cutSubscript(target)
		if !validName(base) && !isSpecial(target) {
			sh.errorf("%s: invalid variable name", target)
			panic(discard{1})
		}
		name, index = base, nil
		if ok {
			index = sh.parseIndex(subscript)
		}
	}
	b.operation(pe, sh.subject(name, index), quoted)
}

func isSpecial(name string) bool {
	return len(name) == 1 && strings.Contains("@*#?-$!0123456789", name) || isNumber(name)
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 31)
	return err == nil
}

// parseIndex parses a subscript that is in a value.
func (sh *Shell) parseIndex(subscript string) syntax.ArithmExpr {
	lit := &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: subscript}}}
	if n := len(subscript); n > 1 && (subscript[0] == '\'' || subscript[0] == '"') && subscript[n-1] == subscript[0] {
		text := subscript[1 : n-1]
		if subscript[0] == '"' {
			text = sh.expandDocument(text)
		}
		return &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: text}}}
	}
	if subscript == "@" || subscript == "*" {
		return lit
	}
	word, err := syntax.NewParser().Document(strings.NewReader(subscript))
	if err != nil || word == nil {
		return lit
	}
	return word
}

// overrides says whether an expansion says what to do if the parameter is not set.
func overrides(pe *syntax.ParamExp) bool {
	if pe.Exp == nil {
		return false
	}
	switch pe.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return true
	}
	return false
}

// many adds the values of "@" or "*".
func (b *builder) many(values []string, star, quoted bool) {
	switch {
	case star && quoted:
		separator := ""
		if b.ifs != "" {
			_, size := utf8.DecodeRuneInString(b.ifs)
			separator = b.ifs[:size]
		}
		b.quoted(strings.Join(values, separator))
	case !b.split:
		// There are no fields here: an assignment, or a pattern.
		separator := " "
		if star && !quoted {
			separator = ""
			if b.ifs != "" {
				separator = b.ifs[:1]
			}
		}
		b.expanded(strings.Join(values, separator), quoted)
	default:
		b.list(values, quoted)
	}
}

// add adds what an operation gave.
func (b *builder) add(s subject, values []string, quoted bool) {
	if s.many {
		b.many(values, s.star, quoted)
		return
	}
	value := ""
	if len(values) > 0 {
		value = values[0]
	}
	b.expanded(value, quoted)
}

// operation adds what an expansion makes of its parameter.
func (b *builder) operation(pe *syntax.ParamExp, s subject, quoted bool) {
	sh := b.sh
	if !s.set && sh.options.on['u'] && !overrides(pe) && !s.many && !pe.Length {
		sh.errorf("%s: unbound variable", s.name)
		panic(exit{unbound(sh)})
	}
	switch {
	case pe.Length:
		if !s.set && !s.many && sh.options.on['u'] {
			sh.errorf("%s: unbound variable", s.name)
			panic(exit{unbound(sh)})
		}
		n := len(s.values)
		if !s.many {
			n = utf8.RuneCountInString(s.value())
		}
		b.expanded(strconv.Itoa(n), quoted)
	case pe.Slice != nil:
		b.add(s, sh.slice(pe, s), quoted)
	case pe.Repl != nil:
		b.add(s, sh.replace(pe.Repl, s), quoted)
	case pe.Exp != nil:
		b.exp(pe, s, quoted)
	default:
		b.add(s, s.values, quoted)
	}
}

// unbound is the status with which a shell ends that uses a variable which is not set.
func unbound(sh *Shell) int {
	if sh.subshells > 0 || sh.options.on['e'] {
		return 1
	}
	return 127
}

// slice does ${x:offset:length}.
func (sh *Shell) slice(pe *syntax.ParamExp, s subject) []string {
	offset, length := int64(0), int64(-1)
	if pe.Slice.Offset != nil {
		offset = sh.arithmetic(pe.Slice.Offset)
	}
	limited := pe.Slice.Length != nil
	if limited {
		length = sh.arithmetic(pe.Slice.Length)
	}
	if !s.many {
		runes := []rune(s.value())
		n := int64(len(runes))
		if utf8.RuneCountInString(s.value()) == len(s.value()) {
			runes = nil // bytes do
		}
		if offset < 0 {
			offset += n
		}
		if offset < 0 || offset > n {
			return nil
		}
		end := n
		switch {
		case limited && length < 0:
			if end = n + length; end < offset {
				sh.errorf("%d: substring expression < 0", length)
				panic(discard{1})
			}
		case limited:
			end = min(n, offset+length)
		}
		if runes == nil {
			return []string{s.value()[offset:end]}
		}
		return []string{string(runes[offset:end])}
	}
	if limited && length < 0 {
		sh.errorf("%d: substring expression < 0", length)
		panic(discard{1})
	}
	values := s.values
	switch {
	case s.name == "@" || s.name == "*":
		if offset < 0 {
			offset += int64(len(values)) + 1
			if offset < 0 {
				return nil
			}
		}
		if offset == 0 {
			values = append([]string{sh.name}, values...)
		} else {
			offset--
		}
	case s.v != nil && s.v.kind == indexed:
		if offset < 0 {
			if offset += int64(s.v.end()); offset < 0 {
				return nil
			}
		}
		i, _ := s.v.find(int(offset))
		offset = int64(i)
	case offset < 0:
		if offset += int64(len(values)); offset < 0 {
			return nil
		}
	case offset > 0 && s.v != nil && s.v.kind == associative:
		offset-- // as in bash
	}
	if offset > int64(len(values)) {
		return nil
	}
	values = values[offset:]
	if limited && length < int64(len(values)) {
		values = values[:length]
	}
	return values
}

// replace does ${x/pattern/text}.
func (sh *Shell) replace(r *syntax.Replace, s subject) []string {
	pattern := sh.pattern(r.Orig)
	if rest, ok := leadingSlash(r.With); ok && pattern == "" && r.All {
		// The parser takes the pattern of ${x////y} for an empty one.
		c := *r
		c.With, pattern = rest, "/"
		r = &c
	}
	if pattern == "" {
		return s.values
	}
	with, ampersand := "", false
	if r.With != nil {
		b := sh.builder()
		b.patterns, b.field.magic = true, true
		b.word(r.With, false)
		with = b.joined()
		if strings.Contains(with, "&") && sh.shoptOn("patsub_replacement") {
			// A quoted & is an ordinary one.
			ampersand = true
			with = ampersands(r.With, b)
		}
	}
	anchor := byte(0)
	if !r.All {
		switch {
		case strings.HasPrefix(pattern, "#"):
			anchor, pattern = '#', pattern[1:]
		case strings.HasPrefix(pattern, "%"):
			anchor, pattern = '%', pattern[1:]
		}
	}
	out := make([]string, len(s.values))
	for i, value := range s.values {
		out[i] = sh.substituted(value, pattern, anchor, r.All, func(match string) string {
			if !ampersand {
				return with
			}
			return strings.NewReplacer("\\&", "&", "\\\\", "\\", "&", match).Replace(with)
		})
	}
	return out
}

// leadingSlash returns a word without the slash that it begins with.
func leadingSlash(word *syntax.Word) (*syntax.Word, bool) {
	if word == nil || len(word.Parts) == 0 {
		return nil, false
	}
	lit, ok := word.Parts[0].(*syntax.Lit)
	if !ok || !strings.HasPrefix(lit.Value, "/") {
		return nil, false
	}
	first := *lit
	first.Value = lit.Value[1:]
	return &syntax.Word{Parts: append([]syntax.WordPart{&first}, word.Parts[1:]...)}, true
}

// ampersands returns the text of a replacement, in which those & that were quoted have a backslash.
func ampersands(word *syntax.Word, b *builder) string {
	var out strings.Builder
	for _, part := range word.Parts {
		inner := b.sh.builder()
		switch p := part.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			inner.part(p, false)
			out.WriteString(strings.ReplaceAll(inner.joined(), "&", "\\&"))
		case *syntax.Lit:
			if len(word.Parts) > 0 && strings.Contains(p.Value, "\\&") {
				out.WriteString(p.Value)
				continue
			}
			inner.lit(p.Value, part == word.Parts[0], len(word.Parts) == 1)
			out.WriteString(inner.joined())
		default:
			inner.part(p, false)
			out.WriteString(inner.joined())
		}
	}
	return out.String()
}

// substituted replaces what matches a pattern.
func (sh *Shell) substituted(value, pattern string, anchor byte, all bool, with func(string) string) string {
	m := patterns.Matcher{Fold: sh.shopt["nocasematch"], Check: sh.process.check}
	switch {
	case pattern == "" && anchor == '#':
		return with("") + value
	case pattern == "" && anchor == '%':
		return value + with("")
	case pattern == "":
		return value
	}
	plain := !patterns.Special(pattern) && !m.Fold
	text := patterns.Unescape(pattern)
	var out strings.Builder
	for at := 0; at <= len(value); {
		var from, to int
		switch {
		case plain && anchor == 0:
			i := strings.Index(value[at:], text)
			if i < 0 {
				out.WriteString(value[at:])
				return out.String()
			}
			from, to = at+i, at+i+len(text)
		case anchor == '%':
			from, to = -1, len(value)
			for i := 0; i <= len(value); i += width(value, i) {
				if m.Match(pattern, value[i:]) {
					from = i
					break
				}
			}
		default:
			from = at
			to = longest(&m, pattern, value[at:])
			if to < 0 && anchor == 0 {
				if at == len(value) {
					return out.String()
				}
				size := width(value, at)
				out.WriteString(value[at : at+size])
				at += size
				continue
			}
			if to < 0 {
				from = -1
			}
			to += at
		}
		if from < 0 {
			return value
		}
		out.WriteString(value[at:from])
		out.WriteString(with(value[from:to]))
		if !all {
			out.WriteString(value[to:])
			return out.String()
		}
		if to == from {
			if at == len(value) {
				break
			}
			size := width(value, to)
			out.WriteString(value[to : to+size])
			to += size
		}
		if at = to; at == len(value) {
			break
		}
		if len(out.String())&0xffff == 0 {
			sh.process.check()
		}
	}
	return out.String()
}

func width(s string, at int) int {
	if at >= len(s) {
		return 1
	}
	_, size := utf8.DecodeRuneInString(s[at:])
	return size
}

// longest returns the length of the longest beginning of a text that matches, or -1.
func longest(m *patterns.Matcher, pattern, s string) int {
	if n, ok := fixedWidth(pattern); ok {
		end := 0
		for range n {
			if end >= len(s) {
				return -1
			}
			end += width(s, end)
		}
		if m.Match(pattern, s[:end]) {
			return end
		}
		return -1
	}
	if !couldBegin(m, pattern, s) {
		return -1
	}
	for end := len(s); end >= 0; end-- {
		if end < len(s) && !utf8.RuneStart(s[end]) {
			continue
		}
		if m.Match(pattern, s[:end]) {
			return end
		}
	}
	return -1
}

// couldBegin says whether a pattern's first character can match the first one of a text.
func couldBegin(m *patterns.Matcher, pattern, s string) bool {
	if _, end := patterns.Extended(pattern); end > 0 || pattern[0] == '*' {
		return true
	}
	if s == "" {
		return false
	}
	_, _, ok := m.One(pattern, s)
	return ok
}

// fixedWidth returns how many characters a pattern matches, if it always matches as many.
func fixedWidth(pattern string) (n int, ok bool) {
	for i := 0; i < len(pattern); n++ {
		if _, end := patterns.Extended(pattern[i:]); end > 0 || pattern[i] == '*' {
			return 0, false
		}
		switch pattern[i] {
		case '\\':
			i++
			i += width(pattern, i)
		case '[':
			if end := patterns.BracketEnd(pattern[i:]); end > 0 {
				i += end
				continue
			}
			i++
		default:
			i += width(pattern, i)
		}
	}
	return n, true
}

// exp adds what the operators with a word give.
func (b *builder) exp(pe *syntax.ParamExp, s subject, quoted bool) {
	sh, word := b.sh, pe.Exp.Word
	null := !s.set || len(s.values) == 0 || s.many && len(s.values) == 1 && s.values[0] == "" || !s.many &&
		s.value() == "" ||
		s.star && b.ifs == "" && strings.Join(s.values, "") == ""
	other := func() {
		if word == nil {
			return
		}
		if quoted {
			b.quotedWord(word)
			return
		}
		b.unquotedWord(word)
	}
	op := pe.Exp.Op
	switch op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if !s.set || op == syntax.AlternateUnsetOrNull && null {
			if quoted && !s.many {
				b.quoted("")
			}
			return
		}
		other()
		if quoted && word == nil {
			b.quoted("")
		}
		return
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if !s.set || op == syntax.DefaultUnsetOrNull && null {
			other()
			if quoted {
				b.has = true
			}
			return
		}
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if !s.set || op == syntax.ErrorUnsetOrNull && null {
			text := sh.literal(word)
			if text == "" {
				text = "parameter null or not set"
				if op == syntax.ErrorUnset {
					text = "parameter not set"
				}
			}
			sh.errorf("%s: %s", s.name, text)
			panic(exit{unbound(sh)})
		}
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if !s.set || op == syntax.AssignUnsetOrNull && null {
			value := sh.literal(word)
			switch {
			case !validName(s.name):
				sh.errorf("$%s: cannot assign in this way", s.name)
				panic(discard{1})
			case pe.Index != nil && !pe.Excl:
				sh.assignElement(s.name, rawIndex(pe.Index), value, false)
			default:
				sh.assign(s.name, value)
			}
			value, _ = sh.get(s.name)
			if pe.Index != nil {
				value = sh.subject(s.name, pe.Index).value()
			}
			b.expanded(value, quoted)
			return
		}
	case syntax.OtherParamOps:
		b.add(s, sh.transformed(word.Lit(), s), quoted)
		return
	default:
		b.add(s, sh.trimmedBy(op, word, s), quoted)
		return
	}
	b.add(s, s.values, quoted)
}

// quotedWord adds the word of an operator that is in double quotes.
func (b *builder) quotedWord(word *syntax.Word) {
	for _, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.quoted(unquoteDouble(p.Value, "$`\\\"}"))
			continue
		case *syntax.SglQuoted:
			if !p.Dollar {
				// Single quotes are ordinary characters there.
				b.quoted("'" + b.sh.expandDocument(p.Value) + "'")
				continue
			}
		}
		b.part(part, true)
	}
}

// unquotedWord adds the word of an operator: unlike other words, its own text is split, too.
func (b *builder) unquotedWord(word *syntax.Word) {
	for i, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			b.part(part, false)
			continue
		}
		s := lit.Value
		if i == 0 && s != "" && s[0] == '~' {
			s = b.tilde(s, len(word.Parts) == 1)
		}
		for s != "" {
			n := strings.IndexByte(s, '\\')
			if n < 0 {
				b.expanded(s, false)
				break
			}
			b.expanded(s[:n], false)
			if s = s[n+1:]; s != "" {
				size := width(s, 0)
				if s[0] != '\n' {
					b.quoted(s[:size])
				}
				s = s[size:]
			}
		}
	}
}

// trimmedBy does #, ##, %, %%, ^, ^^, "," and ",,".
func (sh *Shell) trimmedBy(op syntax.ParExpOperator, word *syntax.Word, s subject) []string {
	pattern := sh.pattern(word)
	m := patterns.Matcher{Check: sh.process.check}
	out := make([]string, len(s.values))
	for i, value := range s.values {
		switch op {
		case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
			out[i] = trim(&m, op, pattern, value)
		default:
			out[i] = recased(&m, op, pattern, value)
		}
	}
	return out
}

func trim(m *patterns.Matcher, op syntax.ParExpOperator, pattern, s string) string {
	if !patterns.Special(pattern) {
		text := patterns.Unescape(pattern)
		if op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix {
			return strings.TrimPrefix(s, text)
		}
		return strings.TrimSuffix(s, text)
	}
	prefix := op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix
	upward := op == syntax.RemSmallPrefix || op == syntax.RemLargeSuffix
	for n := 0; n <= len(s); n++ {
		at := n
		if !upward {
			at = len(s) - n
		}
		if at < len(s) && !utf8.RuneStart(s[at]) {
			continue
		}
		if prefix && m.Match(pattern, s[:at]) {
			return s[at:]
		}
		if !prefix && m.Match(pattern, s[at:]) {
			return s[:at]
		}
	}
	return s
}

func recased(m *patterns.Matcher, op syntax.ParExpOperator, pattern, s string) string {
	convert := unicode.ToLower
	if op == syntax.UpperFirst || op == syntax.UpperAll {
		convert = unicode.ToUpper
	}
	var b strings.Builder
	for i, r := range s {
		wanted := i == 0 || op == syntax.UpperAll || op == syntax.LowerAll
		if wanted && (pattern == "" || m.Match(pattern, string(r))) {
			r = convert(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// transformed does ${x@Q} and the like.
func (sh *Shell) transformed(op string, s subject) []string {
	if op == "a" {
		if s.v == nil {
			return nil
		}
		values := []string{s.v.attributes()}
		if s.many {
			for range len(s.values) - 1 {
				values = append(values, values[0])
			}
		}
		return values
	}
	if op == "A" && s.v != nil && (s.many || s.v.kind == scalar) {
		flags := s.v.attributes()
		text := s.name + "=" + quote(s.value())
		if s.v.kind != scalar {
			text = s.name + "=" + s.v.declaration()
		}
		if flags != "" {
			text = "declare -" + flags + " " + text
		}
		return []string{text}
	}
	if (op == "K" || op == "k") && s.many && s.v != nil && s.v.kind != scalar {
		keys, values := s.v.indices(), s.v.values()
		var out []string
		for i, key := range keys {
			if op == "k" {
				out = append(out, key, values[i])
				continue
			}
			if s.v.kind == associative {
				key = quoteKey(key)
			}
			out = append(out, key+" "+quoteDouble(values[i]))
		}
		if op == "K" {
			return []string{strings.Join(out, " ")}
		}
		return out
	}
	out := make([]string, len(s.values))
	for i, value := range s.values {
		switch op {
		case "Q", "K", "k":
			value = quote(value)
		case "E":
			value, _ = escapes(value, dollarQuotes)
		case "P":
			value = sh.prompt(value)
		case "U":
			value = strings.ToUpper(value)
		case "L":
			value = strings.ToLower(value)
		case "u":
			if r, size := utf8.DecodeRuneInString(value); size > 0 {
				value = string(unicode.ToUpper(r)) + value[size:]
			}
		default:
			sh.fatalf(1, "${%s@%s}: bad substitution", s.name, op)
		}
		out[i] = value
	}
	return out
}

// prompt expands the escapes of prompts.
func (sh *Shell) prompt(s string) string {
	base := sh.files.Dir[strings.LastIndexByte(sh.files.Dir, '/')+1:]
	if base == "" {
		base = "/"
	}
	return strings.NewReplacer(
		`\u`, "user", `\h`, "toolrun", `\H`, "toolrun", `\w`, sh.files.Dir, `\W`, base, `\$`, "$",
		`\s`, "bash", `\v`, "5.2", `\n`, "\n", `\\`, `\`, `\[`, "", `\]`, "").Replace(s)
}

// namesWith returns the names of variables with a prefix.
func (sh *Shell) namesWith(prefix string) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(sh.vars)) {
		if strings.HasPrefix(name, prefix) && sh.vars[name].set {
			names = append(names, name)
		}
	}
	return names
}
