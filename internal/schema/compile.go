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

	"github.com/toolrun/toolrun/internal/plaintext"
)

// Keywords whose values are schemas, lists of schemas, and schemas by name.
var (
	schemaKeywords = []string{
		"additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
		"propertyNames", "then", "unevaluatedItems", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "prefixItems",
	}
	schemasByName = []string{"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)

// referenceWords are the keywords that refer to schemas, and after them those that are referred to.
var referenceWords = []string{"$ref", "$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor", "$recursiveAnchor"}

// maxSchemas is how many schemas may be in one. The time that the compiler takes grows with the square, and with how
// long the places of the schemas are: maxPlaces is how many bytes they may have, all together.
const (
	maxSchemas = 5000
	maxPlaces  = 2 << 20
)

// maxLevels is how many levels all values of a schema may be nested deep, added up. The compiler looks at each value
// several times, and each time goes through its place or copies it.
const maxLevels = 500_000

// levels adds up how deep the values in one are.
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

// compiling has room for as many schemas as are compiled at the same time, in the whole process.
var compiling = make(chan struct{}, 4)

// compile compiles a schema, which it changes, unless that or using it could take forever. Formats are only
// annotations.
func compile(root any, draft Draft) (*jsonschema.Schema, error) {
	p := preparer{root: root, draft: draft, seen: map[uintptr]bool{}}
	p.schema(p.root, 0)
	p.elsewhere()
	if p.err != nil {
		return nil, p.err
	}
	if len(p.seen) > maxSchemas {
		return nil, fmt.Errorf("the schema consists of %d schemas, more than %d", len(p.seen), maxSchemas)
	}
	compiling <- struct{}{}
	defer func() { <-compiling }()
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(newPattern)
	compiler.AssertFormat()
	const location = "tool:schema"
	err := compiler.AddResource(location, p.root)
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

// refers reports whether there is something in a value that could be a reference, or what one leads to.
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

// A preparer counts the schemas in one, and takes out what is not to be compiled.
type preparer struct {
	root  any
	draft Draft
	seen  map[uintptr]bool // by address
	err   error
	// patterns is the size of all regular expressions together, and places that of the places of all schemas.
	patterns, places int
	// refs are the references of all schemas.
	refs []reference
}

// A reference leads to a place in the document, and has so many bytes.
type reference struct {
	target any
	bytes  int
}

// pattern counts a regular expression. One that is none is for the compiler to refuse.
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

// schema prepares a schema, or each of a list of schemas, whose place has so many bytes.
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

// identify takes out the $id of a schema inside of the whole one, unless it is an anchor, as it can be up to draft 7.
// That changes nothing: references that could depend on it are refused.
func (p *preparer) identify(schema map[string]any) {
	keyword := "$id"
	if p.draft == Draft4 {
		keyword = "id"
	}
	id, ok := schema[keyword].(string)
	if !ok || len(p.seen) == 1 || p.draft <= Draft7 && strings.HasPrefix(id, "#") {
		return
	}
	if refers(schema) {
		p.err = errors.New(`a schema in it has an "$id" and a reference, which is not supported: it could lead anywhere`)
	}
	delete(schema, keyword)
}

// elsewhere prepares the schemas that are in places where none are, unless something refers to them. For each of them
// the compiler copies what it knows of all.
func (p *preparer) elsewhere() {
	const maxCopied = 2_000_000
	others := 0
	for i := 0; i < len(p.refs); i++ { // which become more
		if target, ok := p.refs[i].target.(map[string]any); ok && !p.seen[reflect.ValueOf(target).Pointer()] {
			others++
			p.schema(target, p.refs[i].bytes)
		}
	}
	if others*len(p.seen) > maxCopied {
		p.err = fmt.Errorf("it refers to %d schemas outside of $defs, which are too many", others)
	}
}

// references notes what a schema refers to.
func (p *preparer) references(schema map[string]any) {
	for _, keyword := range referenceWords[:3] {
		ref, ok := schema[keyword].(string)
		if ok && !strings.HasPrefix(ref, "#") {
			p.err = fmt.Errorf("it refers to another document, %q", plaintext.Cut(ref, 200))
		} else if ok {
			target := at(p.root, ref)
			if target == nil && strings.HasPrefix(unescaped(ref), "#/") { // or is spelled so that it is compiled once more
				p.err = fmt.Errorf("the schema does not compile: it refers to %q, where nothing is", plaintext.Cut(ref, 200))
			}
			p.refs = append(p.refs, reference{target, len(ref)})
		}
	}
}

// at returns the place in a document that a reference inside of it leads to, by a JSON pointer, or nil.
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
