package pypi

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// A requirement is a package that somebody wants, as PEP 508 has it: "rich[markdown]>=13; python_version >= '3.8'".
type requirement struct {
	name       string // normalized
	extras     []string
	conditions []specifier
	marker     string // says where it is wanted; empty for everywhere
	text       string // without the marker
}

var requirementPattern = lazyregexp.New(`^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*` +
	`(?:\[([A-Za-z0-9._, -]*)\])?\s*\(?([^()]*)\)?$`)

// maxText bounds names, requirements and conditions, in bytes.
const maxText = 500

func parseRequirement(text string) (r requirement, err error) {
	text, r.marker, _ = strings.Cut(text, ";")
	r.text, r.marker = strings.TrimSpace(text), strings.TrimSpace(r.marker)
	if strings.Contains(r.text, "@") {
		return r, fmt.Errorf("%.100q names an address: packages come from the index alone", r.text)
	}
	m := requirementPattern().FindStringSubmatch(r.text)
	if m == nil || len(text)+len(r.marker) > maxText {
		return r, fmt.Errorf("%.100q is not the name of a package, such as rich or rich==13.*", r.text)
	}
	r.name = normalize(m[1])
	for extra := range strings.SplitSeq(m[2], ",") {
		if extra = normalize(strings.TrimSpace(extra)); extra != "" {
			r.extras = append(r.extras, extra)
		}
	}
	r.conditions, err = parseSpecifiers(m[3])
	return r, err
}

var separators = lazyregexp.New(`[-_.]+`)

// normalize returns a package's name as indexes have it.
func normalize(name string) string { return strings.ToLower(separators().ReplaceAllString(name, "-")) }

// wanted reports whether the requirement's marker holds for a Python, with one of some extras.
func (r *requirement) wanted(env map[string]string, extras []string) (bool, error) {
	if r.marker == "" {
		return true, nil
	}
	for _, extra := range append([]string{""}, extras...) {
		m := marker{rest: r.marker, env: env, extra: extra}
		holds, err := m.either()
		if err == nil && strings.TrimSpace(m.rest) != "" {
			err = errMarker
		}
		if err != nil {
			return false, fmt.Errorf("%.100q: %w", r.marker, err)
		}
		if holds {
			return true, nil
		}
	}
	return false, nil
}

var errMarker = errors.New("it is not known where this is needed")

// A marker is evaluated while it is read.
type marker struct {
	rest  string
	env   map[string]string
	extra string
	depth int
}

func (m *marker) either() (bool, error) {
	holds, err := m.both()
	for err == nil && m.word("or") {
		var other bool
		other, err = m.both()
		holds = holds || other
	}
	return holds, err
}

func (m *marker) both() (bool, error) {
	holds, err := m.one()
	for err == nil && m.word("and") {
		var other bool
		other, err = m.one()
		holds = holds && other
	}
	return holds, err
}

func (m *marker) one() (bool, error) {
	if m.word("(") {
		if m.depth++; m.depth > 20 {
			return false, errMarker
		}
		holds, err := m.either()
		if err == nil && !m.word(")") {
			err = errMarker
		}
		m.depth--
		return holds, err
	}
	left, isExtra, err := m.value()
	if err != nil {
		return false, err
	}
	op := ""
	for _, one := range append([]string{"not", "in"}, operators...) {
		if m.word(one) {
			op = one
			break
		}
	}
	if op == "not" && !m.word("in") || op == "" {
		return false, errMarker
	}
	right, other, err := m.value()
	if err != nil {
		return false, err
	}
	if isExtra || other {
		left, right = normalize(left), normalize(right)
	}
	switch op {
	case "in":
		return strings.Contains(right, left), nil
	case "not":
		return !strings.Contains(right, left), nil
	}
	if v, ok := parseVersion(left); ok {
		if conditions, err := parseSpecifiers(op + right); err == nil {
			return allowAll(conditions, v, left), nil
		}
	}
	switch order := strings.Compare(left, right); op {
	case "==", "===":
		return order == 0, nil
	case "!=":
		return order != 0, nil
	case "<":
		return order < 0, nil
	case "<=":
		return order <= 0, nil
	case ">":
		return order > 0, nil
	case ">=":
		return order >= 0, nil
	}
	return false, errMarker
}

// value reads a text in quotes, or a variable, and says whether that is the extra.
func (m *marker) value() (text string, isExtra bool, err error) {
	m.rest = strings.TrimSpace(m.rest)
	if m.rest != "" && (m.rest[0] == '"' || m.rest[0] == '\'') {
		text, rest, ok := strings.Cut(m.rest[1:], m.rest[:1])
		if !ok {
			return "", false, errMarker
		}
		m.rest = rest
		return text, false, nil
	}
	end := strings.IndexFunc(m.rest, func(c rune) bool { return c != '_' && (c < 'a' || c > 'z') })
	if end < 0 {
		end = len(m.rest)
	}
	name := m.rest[:end]
	m.rest = m.rest[end:]
	if name == "extra" {
		return m.extra, true, nil
	}
	text, ok := m.env[name]
	if !ok {
		return "", false, errMarker
	}
	return text, false, nil
}

// word reads a word or a sign, if it is next.
func (m *marker) word(word string) bool {
	rest := strings.TrimSpace(m.rest)
	after, ok := strings.CutPrefix(rest, word)
	if letter := word[0] >= 'a'; !ok || letter && after != "" && !slices.Contains([]byte(" \t('\""), after[0]) {
		return false
	}
	m.rest = after
	return true
}

// environment is what markers know of the Python in the sandbox, whose version is such as 3.11.2.
func environment(python string) map[string]string {
	short := python
	if parts := strings.SplitN(python, ".", 3); len(parts) == 3 {
		short = parts[0] + "." + parts[1]
	}
	return map[string]string{
		"python_version": short, "python_full_version": python, "implementation_version": python, "os_name": "posix",
		"sys_platform": "wasi", "platform_machine": "wasm32", "platform_python_implementation": "CPython",
		"implementation_name": "cpython", "platform_system": "WASI", "platform_release": "", "platform_version": "",
	}
}
