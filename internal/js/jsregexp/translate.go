package jsregexp

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Flags are the flags of a regular expression that matter here.
type Flags struct {
	IgnoreCase, Multiline, DotAll bool
	Unicode                       bool // the flag u or v
	Sets                          bool // the flag v
}

// A SyntaxError says what is wrong with a pattern, or what to write instead of what cannot be translated.
type SyntaxError struct{ Reason string }

func (e *SyntaxError) Error() string { return e.Reason }

// A Result is a translated pattern.
type Result struct {
	Pattern string
	// Changed is false if the pattern has nothing to translate. It may then be wrong.
	Changed bool
	// Duplicates means that names occur more than once, always in alternatives of which only one can match.
	Duplicates bool
}

const (
	// maxDepth is how deep groups and classes may nest.
	maxDepth = 1000
	// growth is how many times as long as the pattern its translation may be, beside room bytes.
	growth = 8
	room   = 256 << 10
	// maxWork bounds the time: how many times characters with other cases, and parts of the paths to groups, are looked
	// at.
	maxWork = 1 << 21
)

// Translate returns a pattern that means the same to an engine which knows nothing of sets (with the flag u instead of
// v), modifiers and references to one of several groups. Groups with the same name stay as they are. The error is a
// *SyntaxError.
func Translate(pattern string, flags Flags) (Result, error) {
	t := translator{in: pattern, flags: flags}
	if err := t.run(); err != nil { // to learn the names and numbers of groups
		return Result{}, err
	}
	t = translator{in: pattern, flags: flags, groups: t.count, names: t.found, known: true, duplicates: t.duplicates}
	if err := t.run(); err != nil {
		return Result{}, err
	}
	return Result{Pattern: t.out.String(), Changed: t.changed || t.duplicates, Duplicates: t.duplicates}, nil
}

type modes struct{ ignoreCase, multiline, dotAll bool }

type translator struct {
	in    string
	at    int
	flags Flags
	out   strings.Builder
	now   modes
	depth int
	work  int

	changed    bool
	duplicates bool

	count int                // groups so far
	found map[string][]group // by name
	path  []alternative      // where the parser is

	// What the first run has found.
	known  bool
	groups int
	names  map[string][]group
	opened int // disjunctions
}

// An alternative is one of those of a disjunction.
type alternative struct{ disjunction, number int }

type group struct {
	number int
	path   []alternative
}

func (t *translator) run() error {
	t.found = map[string][]group{}
	t.now = modes{t.flags.IgnoreCase, t.flags.Multiline, t.flags.DotAll}
	if err := t.disjunction(); err != nil {
		return err
	}
	if t.at < len(t.in) {
		return t.fail("Unmatched ')'")
	}
	return nil
}

func (t *translator) fail(format string, args ...any) error {
	return &SyntaxError{fmt.Sprintf(format, args...)}
}

// emit writes to the translation.
func (t *translator) emit(text string) error {
	if t.out.Len()+len(text) > growth*len(t.in)+room {
		return t.fail("Regular expression too large")
	}
	t.out.WriteString(text)
	return nil
}

// replace writes something that is not in the pattern.
func (t *translator) replace(text string) error {
	t.changed = true
	return t.emit(text)
}

func (t *translator) has(prefix string) bool { return strings.HasPrefix(t.in[t.at:], prefix) }

// peek returns the next character, or -1 at the end.
func (t *translator) peek() rune {
	if t.at >= len(t.in) {
		return -1
	}
	r, _ := utf8.DecodeRuneInString(t.in[t.at:])
	return r
}

func (t *translator) next() rune {
	if t.at >= len(t.in) {
		return -1
	}
	r, n := utf8.DecodeRuneInString(t.in[t.at:])
	t.at += n
	return r
}

// disjunction translates up to a closing parenthesis or the end.
func (t *translator) disjunction() error {
	if t.depth++; t.depth > maxDepth {
		return t.fail("Regular expression too large")
	}
	t.path = append(t.path, alternative{t.opened, 0})
	t.opened++
	for t.at < len(t.in) && t.in[t.at] != ')' {
		if t.in[t.at] == '|' {
			t.path[len(t.path)-1].number++
			t.at++
			t.out.WriteByte('|')
			continue
		}
		if err := t.term(); err != nil {
			return err
		}
	}
	t.path = t.path[:len(t.path)-1]
	t.depth--
	return nil
}

// lineEnds are the characters that end lines.
const lineEnds = `\n\r\u2028\u2029`

func (t *translator) term() error {
	start := t.at
	switch c := t.next(); {
	case c == '(':
		return t.group()
	case c == '[' && t.flags.Sets:
		return t.setClass()
	case c == '[':
		return t.class()
	case c == '\\':
		return t.escape()
	case c == '^' && t.now.multiline != t.flags.Multiline:
		if t.now.multiline {
			return t.replace(`(?:^|(?<=[` + lineEnds + `]))`)
		}
		return t.replace(`(?<![^])`)
	case c == '$' && t.now.multiline != t.flags.Multiline:
		if t.now.multiline {
			return t.replace(`(?:$|(?=[` + lineEnds + `]))`)
		}
		return t.replace(`(?![^])`)
	case c == '.' && t.now.dotAll != t.flags.DotAll:
		if t.now.dotAll {
			return t.replace(`[^]`)
		}
		return t.replace(`[^` + lineEnds + `]`)
	default:
		return t.literal(c, t.in[start:t.at])
	}
}

// expanding reports whether case is ignored here, but not by a flag.
func (t *translator) expanding() bool { return t.now.ignoreCase && !t.flags.IgnoreCase }

// literal writes a character that has been written as source.
func (t *translator) literal(c rune, source string) error {
	if t.expanding() {
		if same := equivalents(c, t.flags.Unicode); len(same) > 0 {
			text := t.character(c)
			for _, r := range same {
				text += t.character(r)
			}
			return t.replace("[" + text + "]")
		}
	}
	return t.emit(source)
}

// character returns a character as it can be written in a class.
func (t *translator) character(c rune) string {
	switch {
	case c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z':
		return string(c)
	case c <= 0xff:
		return fmt.Sprintf(`\x%02x`, c)
	case t.flags.Unicode:
		return fmt.Sprintf(`\u{%x}`, c)
	case c <= 0xffff:
		return fmt.Sprintf(`\u%04x`, c)
	}
	return string(c)
}

// group translates what follows an opening parenthesis.
func (t *translator) group() error {
	before := t.now
	start := t.at - 1
	switch {
	case !t.has("?"):
		t.count++
	case t.has("?<") && !t.has("?<=") && !t.has("?<!"):
		t.at += 2
		name, ok := t.groupName()
		if !ok {
			return t.fail("Invalid capture group name")
		}
		t.count++
		g := group{t.count, append([]alternative(nil), t.path...)}
		for _, other := range t.found[name] {
			if t.work += len(g.path); t.work > maxWork {
				return t.fail("Regular expression too large")
			}
			if !exclude(g.path, other.path) {
				return t.fail("Duplicate capture group name")
			}
			t.duplicates = true
		}
		t.found[name] = append(t.found[name], g)
	case t.has("?:"), t.has("?="), t.has("?!"):
		t.at += 2
	case t.has("?<"):
		t.at += 3
	default:
		t.at++
		if err := t.modifiers(); err != nil {
			return err
		}
		start = -1
	}
	var err error
	if start < 0 {
		err = t.replace("(?:")
	} else {
		err = t.emit(t.in[start:t.at])
	}
	if err != nil {
		return err
	}
	if err := t.disjunction(); err != nil {
		return err
	}
	if t.next() != ')' {
		return t.fail("Unterminated group")
	}
	t.now = before
	return t.emit(")")
}

// exclude reports whether two groups are in different alternatives.
func exclude(a, b []alternative) bool {
	for i := range min(len(a), len(b)) {
		if a[i].disjunction != b[i].disjunction {
			return false
		}
		if a[i].number != b[i].number {
			return true
		}
	}
	return false
}

// modifiers reads what is between (? and : and sets the modes.
func (t *translator) modifiers() error {
	on, seen := true, ""
	for {
		c := t.next()
		var mode *bool
		switch c {
		case 'i':
			mode = &t.now.ignoreCase
		case 'm':
			mode = &t.now.multiline
		case 's':
			mode = &t.now.dotAll
		case '-':
		case ':':
			if seen == "-" {
				return t.fail("Invalid flags")
			}
			if !t.now.ignoreCase && t.flags.IgnoreCase {
				return t.fail("(?-i:) cannot be used with the flag i: " +
					"leave that flag out, and write (?i:) around the other parts")
			}
			return nil
		default:
			return t.fail("Invalid group")
		}
		if strings.ContainsRune(seen, c) {
			return t.fail("Repeated flag in modifiers")
		}
		seen += string(c)
		if mode == nil {
			on = false
		} else {
			*mode = on
		}
	}
}

// groupName reads a name up to its >.
func (t *translator) groupName() (string, bool) {
	var name strings.Builder
	for {
		c := t.next()
		switch c {
		case -1:
			return "", false
		case '>':
			return name.String(), name.Len() > 0
		case '\\':
			if t.next() != 'u' {
				return "", false
			}
			var ok bool
			if c, ok = t.unicodeEscape(true); !ok {
				return "", false
			}
		}
		name.WriteRune(c)
	}
}
