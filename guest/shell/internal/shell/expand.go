package shell

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolrun/toolrun/guest/shell/internal/patterns"
)

// A builder makes fields of the parts of words.
type builder struct {
	sh *Shell
	// split says that what unquoted expansions give is split into fields, and files are found. patterns says that
	// patterns are wanted, and texts need not be split.
	split, patterns bool
	// assigns says that this is the value of an assignment, where "~" is special also after ":".
	assigns bool
	ifs     string
	fields  []field
	field   field // the one that is being made
	has     bool  // there is one, even if it is empty
}

// A field is a text, and the same as a pattern, in which quoted characters are escaped. Without a pattern it is only
// text.
type field struct {
	text, pattern []byte
	magic         bool // it has a pattern
}

// quoted adds text that is not special.
func (b *builder) quoted(s string) {
	b.has = true
	b.field.text = append(b.field.text, s...)
	if b.field.magic {
		b.field.pattern = append(b.field.pattern, patterns.Escape(s)...)
	}
}

// plain adds text in which the characters of patterns are special, and which is not split.
func (b *builder) plain(s string) {
	if !b.field.magic && strings.ContainsAny(s, `*?[\(`) {
		b.field.magic = true
		b.field.pattern = append(b.field.pattern, patterns.Escape(string(b.field.text))...)
	}
	b.has = b.has || s != ""
	b.field.text = append(b.field.text, s...)
	if b.field.magic {
		b.field.pattern = append(b.field.pattern, s...)
	}
}

// emit ends the field.
func (b *builder) emit() {
	b.fields = append(b.fields, b.field)
	b.field, b.has = field{magic: b.patterns}, false
}

// expanded adds what an expansion gave.
func (b *builder) expanded(s string, quoted bool) {
	if quoted {
		b.quoted(s)
		return
	}
	if !b.split {
		b.plain(s)
		return
	}
	white := func(c byte) bool { return (c == ' ' || c == '\t' || c == '\n') && strings.IndexByte(b.ifs, c) >= 0 }
	for s != "" {
		n := strings.IndexAny(s, b.ifs)
		if b.ifs == "" || n < 0 {
			b.plain(s)
			return
		}
		b.plain(s[:n])
		s = s[n:]
		spaces := 0
		for spaces < len(s) && white(s[spaces]) {
			spaces++
		}
		s = s[spaces:]
		delimiter := false
		if s != "" && strings.IndexAny(s, b.ifs) == 0 {
			_, size := utf8.DecodeRuneInString(s)
			s = s[size:]
			delimiter = true
			for s != "" && white(s[0]) {
				s = s[1:]
			}
		}
		if delimiter || b.has {
			b.emit()
		}
	}
}

// list adds what "$@" and the like give: a field each.
func (b *builder) list(values []string, quoted bool) {
	for i, value := range values {
		if i > 0 && (b.has || quoted) {
			b.emit()
		}
		if quoted {
			b.quoted(value)
		} else {
			b.expanded(value, false)
		}
	}
}

func (sh *Shell) builder() *builder {
	b := &builder{sh: sh, ifs: " \t\n"}
	if v := sh.vars["IFS"]; v != nil && v.set {
		b.ifs = v.str
	}
	return b
}

// expandWords expands words into fields.
func (sh *Shell) expandWords(words []*syntax.Word) []string {
	var out []string
	for _, word := range words {
		// Most words are only texts.
		if len(word.Parts) == 1 {
			if lit, ok := word.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(lit.Value, `\*?[{~(`) {
				out = append(out, lit.Value)
				continue
			}
		}
		out = append(out, sh.expandWord(word)...)
	}
	return out
}

// expandWord expands a word into fields: braces, parameters, commands, files.
func (sh *Shell) expandWord(word *syntax.Word) []string {
	words := []*syntax.Word{word}
	if sh.options.on['B'] && hasBrace(word) {
		words = sh.braces(word)
	}
	var out []string
	for _, word := range words {
		b := sh.builder()
		b.split = true
		b.word(word, false)
		if b.has {
			b.emit()
		}
		for _, f := range b.fields {
			out = sh.files1(out, f)
		}
	}
	return out
}

// files1 appends a field, or the files that it matches.
func (sh *Shell) files1(out []string, f field) []string {
	if !f.magic || sh.options.on['f'] {
		return append(out, string(f.text))
	}
	pattern := string(f.pattern)
	if !patterns.Special(pattern) {
		return append(out, string(f.text))
	}
	found := sh.glob(pattern)
	switch {
	case len(found) > 0:
		return append(out, found...)
	case sh.shopt["failglob"]:
		sh.errorf("no match: %s", f.text)
		panic(discard{1})
	case sh.shopt["nullglob"]:
		return out
	}
	return append(out, string(f.text))
}

// literal expands a word to one text, without finding files.
func (sh *Shell) literal(word *syntax.Word) string {
	if word == nil {
		return ""
	}
	if len(word.Parts) == 1 {
		if lit, ok := word.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(lit.Value, `\~`) {
			return lit.Value
		}
	}
	b := sh.builder()
	b.word(word, false)
	return b.joined()
}

// assigned1 expands the value of an assignment, in which "~" is also special after ":".
func (sh *Shell) assigned1(word *syntax.Word) string {
	if len(word.Parts) == 1 {
		if lit, ok := word.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(lit.Value, `\~`) {
			return lit.Value
		}
	}
	b := sh.builder()
	b.assigns = true
	b.word(word, false)
	return b.joined()
}

// joined returns all fields as one text.
func (b *builder) joined() string {
	if len(b.fields) == 0 {
		return string(b.field.text)
	}
	var out bytes.Buffer
	for _, f := range b.fields {
		out.Write(f.text)
		out.WriteByte(' ')
	}
	out.Write(b.field.text)
	return out.String()
}

// pattern expands a word to a pattern.
func (sh *Shell) pattern(word *syntax.Word) string {
	if word == nil {
		return ""
	}
	b := sh.builder()
	b.patterns, b.field.magic = true, true
	b.word(word, false)
	var out []byte
	for _, f := range b.fields {
		out = append(append(out, f.pattern...), ' ')
	}
	return string(append(out, b.field.pattern...))
}

// document expands the text of a here-document.
func (sh *Shell) document(word *syntax.Word) string {
	b := sh.builder()
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.quoted(unquoteDouble(lit.Value, "$`\\"))
			continue
		}
		b.part(part, true)
	}
	return b.joined()
}

// expandText expands a text as if it were in double quotes, but for quotes in it.
func (sh *Shell) expandText(s string) string {
	if !strings.ContainsAny(s, "$`\\'\"") {
		return s
	}
	word, err := syntax.NewParser().Document(strings.NewReader(s))
	if err != nil {
		return s
	}
	s = sh.document(word)
	if len(s) > 1 && (s[0] == '\'' || s[0] == '"') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// expandDocument expands a text as the text of a here-document.
func (sh *Shell) expandDocument(s string) string {
	if !strings.ContainsAny(s, "$`\\") {
		return s
	}
	word, err := syntax.NewParser().Document(strings.NewReader(s))
	if err != nil || word == nil {
		return s
	}
	return sh.document(word)
}

// word adds the parts of a word.
func (b *builder) word(word *syntax.Word, quoted bool) {
	for i, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok && !quoted {
			if name, value, ok := strings.Cut(lit.Value, "=~"); ok && i == 0 && b.split && validName(name) {
				// It looks like an assignment, in which "~" is special, too.
				b.plain(name + "=")
				b.lit("~"+value, true, i == len(word.Parts)-1)
				continue
			}
			b.lit(lit.Value, i == 0, i == len(word.Parts)-1)
			continue
		}
		b.part(part, quoted)
	}
}

// lit adds a text as it is written outside of quotes.
func (b *builder) lit(s string, first, last bool) {
	if first && s != "" && s[0] == '~' {
		s = b.tilde(s, last)
	}
	if b.assigns {
		for {
			i := strings.Index(s, ":~")
			if i < 0 || strings.Contains(s[:i], `\`) {
				break
			}
			b.plain(s[:i+1])
			before := s[i+1:]
			if s = b.tilde(before, last); s == before {
				b.plain("~")
				s = s[1:]
			}
		}
	}
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			b.plain(s)
			return
		}
		b.plain(s[:i])
		s = s[i+1:]
		if s == "" {
			b.quoted("\\")
			return
		}
		if s[0] == '\n' {
			s = s[1:]
			continue
		}
		_, size := utf8.DecodeRuneInString(s)
		b.quoted(s[:size])
		s = s[size:]
	}
}

// tilde adds the directory that "~" stands for, and returns the rest.
func (b *builder) tilde(s string, last bool) string {
	end := strings.IndexByte(s, '/')
	if colon := strings.IndexByte(s, ':'); b.assigns && colon >= 0 && (end < 0 || colon < end) {
		end = colon
	}
	if end < 0 {
		if !last {
			return s
		}
		end = len(s)
	}
	var dir string
	switch s[:end] {
	case "~", "~user":
		dir = b.sh.value("HOME")
	case "~root":
		dir = "/root"
	case "~+":
		dir = b.sh.value("PWD")
	case "~-":
		dir = b.sh.value("OLDPWD")
	default:
		return s
	}
	if dir == "/" && end < len(s) {
		dir = ""
	}
	b.quoted(dir)
	return s[end:]
}

// part adds a part of a word.
func (b *builder) part(part syntax.WordPart, quoted bool) {
	sh := b.sh
	switch p := part.(type) {
	case *syntax.Lit:
		if quoted {
			b.quoted(unquoteDouble(p.Value, "$`\\\""))
		} else {
			b.lit(p.Value, false, false)
		}
	case *syntax.SglQuoted:
		s := p.Value
		if p.Dollar {
			s, _ = escapes(s, dollarQuotes)
			s, _, _ = strings.Cut(s, "\x00") // at which bash ends it
		}
		b.quoted(s)
	case *syntax.DblQuoted:
		if len(p.Parts) == 0 {
			b.quoted("")
		}
		for _, inner := range p.Parts {
			b.part(inner, true)
		}
	case *syntax.ParamExp:
		b.param(p, quoted)
	case *syntax.CmdSubst:
		b.expanded(sh.commandSubstitution(p), quoted)
	case *syntax.ArithmExp:
		b.expanded(itoa(sh.arithmetic(p.X)), quoted)
	case *syntax.ProcSubst:
		b.quoted(sh.processSubstitution(p))
	case *syntax.ExtGlob:
		if !b.field.magic {
			b.field.magic = true
			b.field.pattern = append(b.field.pattern, patterns.Escape(string(b.field.text))...)
		}
		b.extGlob(p)
	case *syntax.BraceExp:
		b.plain(source(&syntax.Word{Parts: []syntax.WordPart{p}}))
	}
}

// extGlob adds an extended pattern, in which parameters are expanded.
func (b *builder) extGlob(p *syntax.ExtGlob) {
	s := p.Op.String() + p.Pattern.Value + ")"
	b.has = true
	b.field.text = append(b.field.text, s...)
	inner := p.Pattern.Value
	if strings.ContainsAny(inner, "$`'\"") {
		inner = b.sh.patternText(inner)
	}
	b.field.pattern = append(b.field.pattern, p.Op.String()+inner+")"...)
}

// patternText expands what is within an extended pattern.
func (sh *Shell) patternText(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case '\'', '"':
			end := strings.IndexByte(s[i+1:], c)
			if end < 0 {
				end = len(s) - i - 1
			}
			text := s[i+1 : i+1+end]
			if c == '"' {
				text = sh.expandText(text)
			}
			out.WriteString(patterns.Escape(text))
			i += end + 2
		case '$', '`':
			end := i + 1
			for depth := 0; end < len(s) && (depth > 0 || strings.IndexByte("|)'\"", s[end]) < 0); end++ {
				switch s[end] {
				case '(', '{':
					depth++
				case ')', '}':
					depth--
				}
			}
			out.WriteString(sh.expandText(s[i:end]))
			i = end
		case '\\':
			out.WriteString(s[i:min(i+2, len(s))])
			i += 2
		default:
			out.WriteByte(c)
			i++
		}
	}
	return out.String()
}

// unquoteDouble removes the backslashes that are special in double quotes.
func unquoteDouble(s, special string) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if s[i+1] == '\n' {
				i++
				continue
			}
			if strings.IndexByte(special, s[i+1]) >= 0 {
				i++
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// commandSubstitution runs commands and returns their output without the ends of its last lines.
func (sh *Shell) commandSubstitution(c *syntax.CmdSubst) string {
	if len(c.Stmts) == 0 {
		sh.substitute = 0
		return ""
	}
	if st := c.Stmts[0]; len(c.Stmts) == 1 && st.Cmd == nil && len(st.Redirs) == 1 && st.Redirs[0].Op == syntax.RdrIn &&
		!st.Negated && !st.Background {
		name := sh.literal(st.Redirs[0].Word)
		data, err := sh.files.ReadFile(name)
		if err != nil {
			sh.errorf("%s: %s", name, errorText(err))
			sh.substitute = 1
			return ""
		}
		sh.substitute = 0
		return trimmed(data)
	}
	sub := sh.nested()
	if !sh.shopt["inherit_errexit"] && !sh.options.on[7] {
		sub.options.on['e'] = false
	}
	sub.unchecked = 0
	output := &capture{done: make(chan struct{})}
	sub.setFD(1, newDescription(output))
	sh.substitute = sub.subshell(func() { sub.list(c.Stmts) })
	select {
	case <-output.done: // also what is in the background does not write any more
	case <-sh.process.Done():
		sh.process.check()
	}
	sh.status = sh.substitute
	return trimmed(output.data)
}

// capture is a file that keeps what is written.
type capture struct {
	closed
	data []byte
	done chan struct{} // is closed with the file
}

func (c *capture) Close() error {
	close(c.done)
	return nil
}

func (c *capture) Write(data []byte) (int, error) {
	c.data = append(c.data, data...)
	return len(data), nil
}

// trimmed returns a text without NULs and without newlines at its end.
func trimmed(data []byte) string {
	data = bytes.TrimRight(data, "\n")
	if bytes.IndexByte(data, 0) >= 0 {
		data = bytes.ReplaceAll(data, []byte{0}, nil)
	}
	return string(data)
}

func hasBrace(word *syntax.Word) bool {
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.Contains(lit.Value, "{") {
			return true
		}
	}
	return false
}
