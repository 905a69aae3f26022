package schema

import (
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// mostProblems limits the problems that a model is told.
const mostProblems = 20

// Limits in bytes on the text of a problem and of its path, and on how much of a name or value is read to write it.
const (
	maxProblem = 300
	maxShown   = maxProblem + 100
)

// String describes the problem in one line.
func (p problem) String() string {
	text := plaintext.Cut(shortened(p.kind).LocalizedString(printer()), maxProblem)
	if len(p.path) > 0 {
		text = plaintext.Cut(pointer(p.path), maxProblem) + ": " + text
	}
	return text + p.of
}

var printer = sync.OnceValue(func() *message.Printer { return message.NewPrinter(language.English) })

// pointer returns a JSON pointer (RFC 6901), or only its beginning if it is long.
func pointer(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		if b.Len() > maxShown {
			break
		}
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(shown(token)))
	}
	return b.String()
}

// shown cuts a text to the length that can be visible in a problem.
func shown(text string) string { return text[:plaintext.Boundary(text, maxShown)] }

// firstNames returns as many names as can be visible in a problem, but at least two if there are several, because the
// wording depends on that.
func firstNames(names []string) []string {
	var first []string
	for bytes, i := 0, 0; i < len(names) && (bytes < maxShown || i < 2); i++ {
		first = append(first, shown(names[i]))
		bytes += len(first[i])
	}
	return first
}

// firstValues returns as many values of an enum as can be visible in a problem. If one is an array or object, it is the
// only one: then the text does not list the values.
func firstValues(values []any) []any {
	var first []any
	bytes := 0
	for i, value := range values {
		size := 1
		switch v := value.(type) {
		case []any, map[string]any:
			return []any{value}
		case string:
			value, size = shown(v), len(v)
		}
		if bytes < maxShown || i < 2 {
			first = append(first, value)
			bytes += size
		}
	}
	return first
}

// shortened returns an error kind whose text begins the same, but is not much longer than the part that is reported.
func shortened(of jsonschema.ErrorKind) jsonschema.ErrorKind {
	switch k := of.(type) {
	case *kind.Pattern:
		return &kind.Pattern{Got: shown(k.Got), Want: shown(k.Want)}
	case *kind.Const:
		if text, ok := k.Want.(string); ok {
			return &kind.Const{Want: shown(text)}
		}
	case *kind.Enum:
		return &kind.Enum{Want: firstValues(k.Want)}
	case *kind.Required:
		return &kind.Required{Missing: firstNames(k.Missing)}
	case *kind.Dependency:
		return &kind.Dependency{Prop: shown(k.Prop), Missing: firstNames(k.Missing)}
	case *kind.DependentRequired:
		return &kind.DependentRequired{Prop: shown(k.Prop), Missing: firstNames(k.Missing)}
	case *kind.AdditionalProperties:
		return &kind.AdditionalProperties{Properties: firstNames(k.Properties)}
	case *kind.RefCycle:
		return &kind.RefCycle{
			URL: shown(k.URL), KeywordLocation1: k.KeywordLocation1, KeywordLocation2: k.KeywordLocation2,
		}
	}
	return of
}

// maxExplained limits the text in bytes that says why a schema does not compile.
const maxExplained = 2000

// explained returns the text of a compile error. That of an invalid schema is cut to about maxExplained bytes.
func explained(err error) string {
	invalid, ok := err.(*jsonschema.ValidationError)
	if !ok {
		return err.Error()
	}
	var b strings.Builder
	explain(&b, invalid, 0)
	return b.String()
}

// explain writes the error as package jsonschema would, but stops after maxExplained bytes: package jsonschema's own
// text has no limit.
func explain(b *strings.Builder, e *jsonschema.ValidationError, indent int) {
	if _, ok := e.ErrorKind.(*kind.Reference); !ok || len(e.Causes) != 1 {
		if indent > 0 {
			b.WriteString("\n" + strings.Repeat("  ", indent-1) + "- ")
		}
		indent++
		text := shortened(e.ErrorKind).LocalizedString(printer())
		if _, whole := e.ErrorKind.(*kind.Schema); !whole {
			at := &kind.PropertyNames{Property: pointer(e.InstanceLocation)} // for its quoting
			text = "at " + strings.TrimPrefix(at.LocalizedString(printer()), "invalid propertyName ") + ": " + text
		}
		b.WriteString(text)
	}
	for _, cause := range e.Causes {
		if b.Len() > maxExplained {
			return
		}
		explain(b, cause, indent)
	}
}
