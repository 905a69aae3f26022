package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// A Schema is a JSON Schema that is ready for use. It cannot be changed, and is safe for concurrent use.
type Schema struct {
	raw      json.RawMessage
	doc      any
	compiled *jsonschema.Schema
	budget   *budget
	plan     *plan
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
		return nil, fmt.Errorf("the schema is not JSON: %w", err)
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
	b := &budget{}
	compiler := jsonschema.NewCompiler()
	b.formats(compiler)
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	const location = "tool:schema"
	if err := compiler.AddResource(location, counted); err != nil {
		return nil, schemaError(err)
	}
	compiled, err := compiler.Compile(location)
	if err != nil {
		return nil, schemaError(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, err
	}
	return &Schema{raw: compact.Bytes(), doc: doc, compiled: compiled, budget: b, plan: newPlan(doc)}, nil
}

func schemaError(err error) error {
	if e, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		err = e.Err
	}
	return fmt.Errorf("the schema does not compile: %w", err)
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
// for a model to read.
func (s *Schema) Validate(value any) error {
	err := s.budget.spend(value, func() error { return s.compiled.Validate(value) })
	if err == nil {
		return nil
	}
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err
	}
	var problems []string
	collect(invalid, &problems)
	slices.Sort(problems)
	problems = slices.Compact(problems)
	const most = 20
	if n := len(problems); n > most {
		problems = append(problems[:most], fmt.Sprintf("and %d more", n-most))
	}
	return errors.New(strings.Join(problems, "\n"))
}

// collect gathers the leaves of an error.
func collect(e *jsonschema.ValidationError, problems *[]string) {
	if len(e.Causes) > 0 {
		for _, cause := range e.Causes {
			collect(cause, problems)
		}
		return
	}
	text := cut(e.ErrorKind.LocalizedString(printer()), 300)
	if len(e.InstanceLocation) > 0 {
		text = cut(pointer(e.InstanceLocation), 300) + ": " + text
	}
	*problems = append(*problems, text)
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

// printable is text that a model or a client has invented, as it can be shown: without control characters.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// cut shortens text to some bytes.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "..."
}

// decodeJSON decodes one JSON value, with numbers as they are written.
func decodeJSON(data []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if rest := bytes.TrimLeft(data[decoder.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, fmt.Errorf("there is something behind the end of the value: %q", cut(string(rest), 20))
	}
	return value, checkNumbers(data)
}

// What numbers may be. Computing with others takes forever, where their values matter at all.
const (
	maxDigits   = 1000
	maxExponent = 999
)

// checkNumbers looks for numbers in JSON, which is valid, that nobody can mean.
func checkNumbers(data []byte) error {
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			_, end, _ := quoted(data, i)
			i = end - 1
		case c == '-' || c >= '0' && c <= '9':
			end := i + 1
			for end < len(data) && strings.IndexByte("0123456789+-.eE", data[end]) >= 0 {
				end++
			}
			if !reasonable(data[i:end]) {
				return fmt.Errorf("the number %s is too large, too small or too long", cut(string(data[i:end]), 30))
			}
			i = end - 1
		}
	}
	return nil
}

// reasonable reports whether a number has few enough digits, and not too large an exponent.
func reasonable(number []byte) bool {
	digits := number
	if e := bytes.IndexAny(number, "eE"); e >= 0 {
		exponent, err := strconv.Atoi(string(number[e+1:]))
		if err != nil || max(exponent, -exponent) > maxExponent {
			return false
		}
		digits = number[:e]
	}
	return len(digits) <= maxDigits
}
