// Package tsdecl writes TypeScript declarations of functions whose arguments and results are described by JSON
// Schemas. Models read them: what TypeScript cannot express is in a comment, or left out.
//
// Schemas and descriptions can come from anybody. Whatever they contain, the result is a declaration of limited
// length.
package tsdecl

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/schema"
)

// A Function is a function to declare.
type Function struct {
	// Name can be any text of reasonable length. It is quoted if it is not an identifier.
	Name, Description string
	// Input is the JSON Schema of the only argument, and Output the JSON Schema of the result. Without Output the
	// result is a string.
	Input, Output json.RawMessage
}

// Limits in bytes on the declaration of a function, and on its description.
const (
	maxFunction    = 8 << 10
	maxDescription = 300
)

// A Declaration is the declaration of one function, as a member of an object type.
type Declaration struct {
	name, text string
}

// Declare declares a function. If the declaration would be too long, it has no comments; if that is still too long,
// the function takes any object.
func Declare(f Function) Declaration {
	d := Declaration{name: f.Name}
	input, output := parse(f.Input), parse(f.Output)
	for _, detail := range []detail{everything, onlyTypes, noTypes} {
		g := &generator{detail: detail, left: maxFunction}
		if d.text = g.function(f, input, output); g.left >= 0 {
			break
		}
	}
	return d
}

// Object declares a constant object with functions, in at most about limit bytes. If there is not enough room, the last
// functions are only named, or if that is too long as well, counted.
func Object(name string, functions []Declaration, limit int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "declare const %s: {\n", name)
	full := 0
	for ; full < len(functions) && b.Len()+len(functions[full].text) <= limit; full++ {
		b.WriteString(functions[full].text)
	}
	if rest := functions[full:]; len(rest) > 0 {
		b.WriteString("  // Besides, taking an object and returning a promise:")
		named := 0
		for ; named < len(rest) && (named == 0 || b.Len() < limit); named++ {
			b.WriteString(" " + key(rest[named].name))
		}
		if more := len(rest) - named; more > 0 {
			fmt.Fprintf(&b, " and %d more", more)
		}
		b.WriteByte('\n')
	}
	b.WriteString("};\n")
	return b.String()
}

// parse reads a schema. Without a valid schema, anything is allowed.
func parse(raw json.RawMessage) *schema.Document {
	if d, err := schema.Parse(raw); err == nil {
		return d
	}
	return schema.NewDocument(jsontree.NewObject())
}

// function declares a function as a method.
func (g *generator) function(f Function, input, output *schema.Document) string {
	optional, result := "?", "string"
	for _, part := range input.Described(input.Root) {
		if len(part.Get("required").Texts()) > 0 {
			optional = ""
		}
	}
	argument := g.whole(input)
	if f.Output != nil {
		result = g.whole(output)
	}
	return comment("  ", oneLine(f.Description, maxDescription)) +
		"  " + key(f.Name) + "(input" + optional + ": " + argument + "): Promise<" + result + ">;\n"
}

// whole returns the type of a whole schema.
func (g *generator) whole(d *schema.Document) string {
	if g.detail == noTypes {
		return anyObject
	}
	g.Document = d
	return g.of(d.Root, "  ").text
}
