package schema

import (
	"errors"
	"fmt"
	"reflect"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// Keywords whose values are schemas or lists of schemas, and keywords whose values are maps from names to schemas.
var (
	schemaKeywords = []string{
		"additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
		"propertyNames", "then", "unevaluatedItems", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "prefixItems",
	}
	schemasByName = []string{
		"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties",
	}
)

// referenceWords are the keywords that refer to schemas, followed by those that declare targets.
var referenceWords = []string{"$ref", "$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor", "$recursiveAnchor"}

// maxSchemas limits the number of subschemas in one schema, because the compiler's time grows with its square.
// maxPlaces limits the total length in bytes of their JSON pointers, on which the compiler's time depends as well.
const (
	maxSchemas = 5000
	maxPlaces  = 2 << 20
)

// maxLevels limits the sum of the nesting depths of all values in a schema. The compiler visits each value several
// times, and each time walks or copies its path.
const maxLevels = 500_000

// levels returns the sum of the nesting depths of a value and all values in it.
func levels(value any, depth int) int {
	n := depth
	switch value := value.(type) {
	case map[string]any:
		for _, inside := range value {
			n += levels(inside, depth+1)
		}
	case []any:
		for _, inside := range value {
			n += levels(inside, depth+1)
		}
	}
	return n
}

// compiling limits how many schemas the process compiles at the same time.
var compiling = make(chan struct{}, 4)

// prepare makes a decoded schema ready to be compiled. It refuses schemas that could take too long to compile or to
// check. Formats are annotations only.
func prepare(root any, draft Draft) error {
	p := preparer{root: root, draft: draft, seen: map[uintptr]bool{}}
	p.schema(p.root, 0)
	p.elsewhere()
	if p.err == nil && len(p.seen) > maxSchemas {
		return fmt.Errorf("the schema consists of %d schemas, more than %d", len(p.seen), maxSchemas)
	}
	return p.err
}

// compile compiles a schema that has been prepared.
func compile(root any) (*jsonschema.Schema, error) {
	compiling <- struct{}{}
	defer func() { <-compiling }()
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(newPattern)
	compiler.AssertFormat()
	const location = "tool:schema"
	err := compiler.AddResource(location, root)
	if err == nil {
		var compiled *jsonschema.Schema
		if compiled, err = compiler.Compile(location); err == nil {
			return compiled, nil
		}
	}
	if e, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		err = e.Err
	}
	return nil, fmt.Errorf("the schema does not compile: %s", plaintext.Cut(explained(err), maxExplained))
}

// refers reports whether a value contains a keyword that could be a reference or declare the target of one.
func refers(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for name, inside := range value {
			if slices.Contains(referenceWords, name) || refers(inside) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, refers)
	}
	return false
}

// A preparer counts the subschemas of a schema, and removes keywords that must not be compiled.
type preparer struct {
	root  any
	draft Draft
	seen  map[uintptr]bool // by address
	err   error
	// patterns is the total size of all regular expressions, and places the total length of all schemas' pointers.
	patterns, places int
	// refs are the references found in all schemas.
	refs []reference
}

// A reference has a target in the document and a length in bytes.
type reference struct {
	target any
	bytes  int
}

// pattern counts a regular expression. Invalid ones are left for the compiler to refuse.
func (p *preparer) pattern(text string) {
	if len(text) > maxPattern {
		p.err = fmt.Errorf("a regular expression has %d bytes, more than %d", len(text), maxPattern)
		return
	}
	size, err := patternSize(text)
	if _, none := errors.AsType[*syntax.Error](err); err != nil && !none {
		p.err = err
	}
	if p.patterns += size; p.patterns > maxPatterns {
		p.err = errors.New("the regular expressions are too large together")
	}
}

// schema prepares a schema, or each of a list of schemas. place is the length of its JSON pointer in bytes.
func (p *preparer) schema(schema any, place int) {
	switch schema := schema.(type) {
	case []any:
		for i, inside := range schema {
			p.schema(inside, place+len(strconv.Itoa(i))+1)
		}
	case map[string]any:
		address := reflect.ValueOf(schema).Pointer()
		if p.seen[address] || len(p.seen) > maxSchemas {
			p.seen[address] = true
			return
		}
		p.seen[address] = true
		if p.places += place; p.places > maxPlaces {
			p.err = errors.New("the schema has names that are too long for so many schemas")
			return
		}
		p.identify(schema)
		delete(schema, "format")
		for _, keyword := range schemaKeywords {
			p.schema(schema[keyword], place+len(keyword)+1)
		}
		for _, keyword := range schemasByName {
			named, _ := schema[keyword].(map[string]any)
			for name, inside := range named {
				p.schema(inside, place+len(keyword)+len(name)+2)
			}
		}
		p.references(schema)
		if text, ok := schema["pattern"].(string); ok {
			p.pattern(text)
		}
		patterns, _ := schema["patternProperties"].(map[string]any)
		for text := range patterns {
			p.pattern(text)
		}
	}
}

// identify removes the $id of a subschema, unless it is an anchor, which drafts up to 7 allow. That changes nothing,
// because schemas with references that could depend on the $id are refused.
func (p *preparer) identify(schema map[string]any) {
	keyword := p.draft.id()
	id, ok := schema[keyword].(string)
	if !ok || len(p.seen) == 1 || p.draft <= Draft7 && strings.HasPrefix(id, "#") {
		return
	}
	if refers(schema) {
		p.err = errors.New(`a schema in it has an "$id" and a reference, which is not supported: ` +
			`it could lead anywhere`)
	}
	delete(schema, keyword)
}

// elsewhere prepares referenced schemas outside of the places where the specification expects schemas. It limits their
// number, because the compiler copies its table of all schemas for each of them.
func (p *preparer) elsewhere() {
	const maxCopied = 2_000_000
	others := 0
	for i := 0; i < len(p.refs); i++ { // p.refs grows
		if target, ok := p.refs[i].target.(map[string]any); ok && !p.seen[reflect.ValueOf(target).Pointer()] {
			others++
			p.schema(target, p.refs[i].bytes)
		}
	}
	if others*len(p.seen) > maxCopied {
		p.err = fmt.Errorf("it refers to %d schemas outside of $defs, which are too many", others)
	}
}

// references records the references of a schema.
func (p *preparer) references(schema map[string]any) {
	for _, keyword := range referenceWords[:3] {
		ref, ok := schema[keyword].(string)
		if ok && !strings.HasPrefix(ref, "#") {
			p.err = fmt.Errorf("it refers to another document, %q", plaintext.Cut(ref, 200))
		} else if ok {
			target := at(p.root, ref)
			// A path with an unusual spelling is refused, too: the compiler would compile its target once more.
			if target == nil && strings.HasPrefix(unescaped(ref), "#/") {
				p.err = fmt.Errorf("the schema does not compile: it refers to %q, where nothing is",
					plaintext.Cut(ref, 200))
			}
			p.refs = append(p.refs, reference{target, len(ref)})
		}
	}
}

// at returns the value that a reference by JSON pointer leads to, or nil.
func at(root any, ref string) any {
	path, ok := strings.CutPrefix(unescaped(ref), "#/")
	if !ok {
		return nil
	}
	for token := range strings.SplitSeq(path, "/") {
		token = pointerToken.Replace(token)
		switch in := root.(type) {
		case map[string]any:
			root = in[token]
		case []any:
			i, ok := index(token, len(in))
			if !ok {
				return nil
			}
			root = in[i]
		default:
			return nil
		}
	}
	return root
}
