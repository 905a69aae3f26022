package tsdecl

import (
	"strings"
	"unicode"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/lazyregexp"
	"github.com/toolrun/toolrun/internal/text/plaintext"
)

var identifier = lazyregexp.New(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// key returns a property name, quoted if necessary.
func key(name string) string {
	if identifier().MatchString(name) {
		return name
	}
	return quoted(name)
}

// quoted returns text as a string literal. Backquotes are escaped, so that it can stand in Markdown.
func quoted(text string) string {
	return strings.ReplaceAll(string(jsontree.AppendString(nil, text)), "`", `\u0060`)
}

// comment returns text, which must be a single line, as a comment on a line of its own. It returns "" for no text.
func comment(indent, text string) string {
	if text == "" {
		return ""
	}
	return indent + "/** " + text + " */\n"
}

// oneLine returns text as a single line of at most about limit bytes that cannot end a comment or a Markdown code
// block.
func oneLine(text string, limit int) string {
	text = plaintext.Cut(strings.ToValidUTF8(text, "\uFFFD"), 4*limit) // bounds the work below
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	}), " ")
	text = strings.ReplaceAll(plaintext.Cut(text, limit), "`", "'")
	return strings.ReplaceAll(text, "*/", "* /")
}

// notes returns the comment for a property: its description, and constraints that TypeScript cannot express.
func notes(s *jsontree.Node) string {
	text := oneLine(s.GetText("description"), maxProperty)
	var facts []string
	if s.GetText("type") == "integer" {
		facts = append(facts, "integer")
	}
	for _, keyword := range []string{"format", "default", "minimum", "maximum", "minLength", "maxLength", "minItems",
		"maxItems"} {
		value := s.Get(keyword)
		if value == nil || value.Kind == jsontree.Object || value.Kind == jsontree.Array {
			continue
		}
		if text, err := value.Encode(maxLiteral); err == nil {
			facts = append(facts, oneLine(keyword+" "+string(text), maxLiteral))
		}
	}
	if len(facts) == 0 {
		return text
	}
	return strings.TrimSpace(text + " (" + strings.Join(facts, ", ") + ")")
}
