package registry

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/toolrun/toolrun/internal/text/schema"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/tool"
)

// maxNamed is how many unknown arguments are named.
const maxNamed = 10

// withUnknown adds to what is wrong with the arguments of a call which of them the tool does not have, if it is about
// an argument that is not there: one may be meant by the name of the other.
func withUnknown(s *schema.Schema, object map[string]any, problem error) error {
	unknown, missing := s.Unlisted(object)
	if len(unknown) == 0 || len(missing) == 0 {
		return problem
	}
	words := strings.FieldsFunc(problem.Error(), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' && r != '$' && r != '-'
	})
	missing = slices.DeleteFunc(missing, func(name string) bool { return !slices.Contains(words, name) })
	if len(missing) == 0 {
		return problem
	}
	names := make([]string, 0, maxNamed)
	for _, name := range unknown[:min(len(unknown), maxNamed)] {
		names = append(names, plaintext.Clean(name, 100))
	}
	note := fmt.Sprintf("The arguments %s are unknown", strings.Join(names, ", "))
	if len(unknown) == 1 {
		note = fmt.Sprintf("The argument %s is unknown", names[0])
	} else if len(unknown) > maxNamed {
		note = fmt.Sprintf("The arguments %s and %d more are unknown", strings.Join(names, ", "), len(unknown)-maxNamed)
	}
	if len(missing) == 1 {
		note += "; did you mean " + missing[0] + "?"
	} else {
		note += "."
	}
	text := problem.Error()
	switch {
	case strings.Contains(text, "\n"):
		text += "\n"
	case strings.HasSuffix(text, "."):
		text += " "
	default:
		text += ". "
	}
	told := &tool.ModelError{Text: text + note, Err: problem}
	if e, ok := errors.AsType[*tool.ModelError](problem); ok {
		told.Err, told.Code = e.Err, e.Code
	}
	return told
}
