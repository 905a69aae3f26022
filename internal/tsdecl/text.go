package tsdecl

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/toolrun/toolrun/internal/jsontree"
	"github.com/toolrun/toolrun/internal/plaintext"
)

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// key is the name of a property.
func key(name string) string {
	if identifier.MatchString(name) {
		return name
	}
	return quoted(name)
}

// quoted is text as a literal. Backquotes are escaped, so that it can stand in Markdown.
func quoted(text string) string {
	encoded, err := jsontree.Marshal(text)
	if err != nil { // texts can always be encoded
		panic(err)
	}
	return strings.ReplaceAll(string(encoded), "`", `\u0060`)
}

// comment is a comment on a line of its own, or nothing if there is no text, which must be one line.
func comment(indent, text string) string {
	if text == "" {
		return ""
	}
	return indent + "/** " + text + " */\n"
}

// oneLine makes text one line of about some bytes, which cannot end a comment, nor a block of code in Markdown.
func oneLine(text string, limit int) string {
	text = plaintext.Cut(strings.ToValidUTF8(text, "\uFFFD"), 4*limit) // the rest need not be looked at
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	}), " ")
	text = strings.ReplaceAll(plaintext.Cut(text, limit), "`", "'")
	return strings.ReplaceAll(text, "*/", "* /")
}

// notes is what a comment says of a property: its description, and what TypeScript has no words for.
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
