package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/toolrun/toolrun/internal/plaintext"
)

// A Schema is a JSON Schema that is ready for use. It cannot be changed, and is safe for concurrent use.
type Schema struct {
	raw  json.RawMessage
	doc  any
	plan *plan
	// counted is what validators are made of, and idle has those that nobody uses.
	counted any
	idle    chan *validator
}

// noArguments is the schema of tools without one: an object with nothing in it.
var noArguments = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)

// How many bytes a schema may have, and how deep it may be. Models could not do anything with a larger one.
const (
	maxSchema      = 1 << 20
	maxSchemaDepth = 200
)

// CompileSchema makes a schema of JSON. It must be of type object, as what tools get and return is. References to other
// documents are not followed. Formats are annotations, whatever the draft.
func CompileSchema(raw json.RawMessage) (*Schema, error) {
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("the schema has %d bytes, more than %d", len(raw), maxSchema)
	}
	doc, err := decodeJSON(raw)
	if err != nil {
		return nil, fmt.Errorf("the schema cannot be read: %w", err)
	}
	root, ok := doc.(map[string]any)
	if !ok {
		return nil, errors.New("the schema is not a JSON object")
	}
	if t := root["type"]; t != "object" {
		return nil, errors.New(`the schema's "type" is not "object"`)
	}
	if deeper(doc, maxSchemaDepth) {
		return nil, fmt.Errorf("the schema is nested deeper than %d levels", maxSchemaDepth)
	}
	counted, err := counting(doc)
	if err != nil {
		return nil, err
	}
	first, err := newValidator(counted)
	if err != nil {
		return nil, fmt.Errorf("the schema does not compile: %s", plaintext.Cut(err.Error(), 2000))
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, err
	}
	schema := &Schema{raw: compact.Bytes(), doc: doc, plan: newPlan(doc), counted: counted, idle: make(chan *validator, 8)}
	schema.idle <- first
	return schema, nil
}

// deeper reports whether a value is nested deeper than a number of levels.
func deeper(value any, levels int) bool {
	if levels < 0 {
		return true
	}
	switch value := value.(type) {
	case map[string]any:
		for _, inside := range value {
			if deeper(inside, levels-1) {
				return true
			}
		}
	case []any:
		for _, inside := range value {
			if deeper(inside, levels-1) {
				return true
			}
		}
	}
	return false
}

// noLoader keeps schemas from reading files.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to another document, %q", url)
}

// JSON returns the schema, without white space, as it was given. It must not be changed.
func (s *Schema) JSON() json.RawMessage { return s.raw }

// accepts reports whether JSON is valid, as it is, for certain.
func (s *Schema) accepts(data []byte) bool { return json.Valid(data) && s.plan.accepts(data) }

// Validate checks a value as package json decodes it with UseNumber. The error has one line for each thing that is wrong,
// for a model to read. Checking takes some seconds at most.
func (s *Schema) Validate(value any) error { return s.validate(context.Background(), value) }

func (s *Schema) validate(ctx context.Context, value any) error {
	var v *validator
	select {
	case v = <-s.idle:
	default: // calls do not wait for each other
		var err error
		if v, err = newValidator(s.counted); err != nil {
			return err
		}
	}
	err := v.validate(ctx, value)
	select {
	case s.idle <- v:
	default:
	}
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err
	}
	var problems []string
	n := collect(invalid, &problems)
	slices.Sort(problems)
	problems = slices.Compact(problems)
	if more := n - mostProblems; more > 0 {
		problems = append(problems[:min(len(problems), mostProblems)], fmt.Sprintf("and %d more", more))
	}
	return errors.New(strings.Join(problems, "\n"))
}

// mostProblems is how many things that are wrong a model is told.
const mostProblems = 20

// collect gathers the first leaves of an error, and counts all.
func collect(e *jsonschema.ValidationError, problems *[]string) (n int) {
	for _, cause := range e.Causes {
		n += collect(cause, problems)
	}
	if len(e.Causes) > 0 {
		return n
	}
	if len(*problems) < mostProblems {
		if unknown, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
			slices.Sort(unknown.Properties) // they come in the order of a map
		}
		text := plaintext.Cut(e.ErrorKind.LocalizedString(printer()), 300)
		if len(e.InstanceLocation) > 0 {
			text = plaintext.Cut(pointer(e.InstanceLocation), 300) + ": " + text
		}
		*problems = append(*problems, text)
	}
	return 1
}

var printer = sync.OnceValue(func() *message.Printer { return message.NewPrinter(language.English) })

// pointer is a JSON pointer (RFC 6901).
func pointer(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(token))
	}
	return b.String()
}
