package xmlcall

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/tool"
)

// PromptOptions are texts for a prompt beside the descriptions of the tools.
type PromptOptions struct {
	// Instructions tell the model how to behave with the tools: the result of [registry.Registry.SystemPrompt] for
	// [tool.XML]. Empty means none here.
	Instructions string
	// Model is the model's name. What is known to help its family is added: see [ModelAdditions]. Empty adds nothing.
	Model string
	// Additions are for this model in particular, for example about its habits. They come last.
	Additions string
	// Dialect is the form of calls that the prompt teaches. Parse answers with the same.
	Dialect Dialect
}

//go:embed guide.md
var guide string

// Prompt returns the part of a system prompt that teaches a model to call tools: the format of calls and results,
// an example made for one of the tools, each tool's description and parameters, then the instructions and the
// additions. Nil options mean neither. Without definitions the prompt has only these two.
//
// A description cannot end its section: nothing in it is a tag of the format, and one with headings is indented. It
// can still instruct the model, so a host should know whose tools it offers.
//
// The text depends only on the arguments, so providers can cache it. A tool's parameters take 32 KiB at most, and
// nested ones are described to a limited depth; the text says if something is left out.
func Prompt(definitions []*tool.Definition, options *PromptOptions) string {
	if options == nil {
		options = &PromptOptions{}
	}
	var layers []string
	if len(definitions) > 0 {
		layers = append(layers, strings.TrimSpace(options.Dialect.form().guide))
		if example, ok := anExample(definitions); ok {
			text := options.Dialect.form().write(example)
			// Not all names can be written in all dialects.
			if calls := options.Dialect.Calls(definitions, text); len(calls) == 1 && calls[0].Err == nil {
				layers = append(layers, "For example, this is a call of "+escapeName(example.Tool)+":\n\n"+text)
			}
		}
	}
	for _, d := range definitions {
		layers = append(layers, section(d))
	}
	for _, text := range []string{options.Instructions, ModelAdditions(options.Model), options.Additions} {
		if text = strings.TrimSpace(text); text != "" {
			layers = append(layers, text)
		}
	}
	return strings.Join(layers, "\n\n")
}

type sectionKey struct{}

// section describes one tool. It is made once.
func section(d *tool.Definition) string {
	made, _ := d.Derive(sectionKey{}, func() (any, error) {
		text := "### " + escapeName(d.Name) + "\n\n"
		if description := prose(d.Description); description != "" {
			text += description + "\n\n"
		}
		c := contractOf(d)
		p := describer{Document: c.Document, known: schema.FieldList{}, open: []*jsontree.Node{c.Root}}
		p.fields(c.params, 0)
		p.others(c.Root, 0)
		if p.b.Len() == 0 {
			return text + "It has no parameters.", nil
		}
		return text + "Parameters:\n" + strings.TrimSuffix(p.b.String(), "\n"), nil
	})
	return made.(string)
}

// Limits of what is said of one tool.
const (
	maxParameters  = 32 << 10 // bytes
	maxDescription = 4 << 10  // bytes, for one of them
	maxChoices     = 50
	maxLevels      = 6
	maxShown       = 200 // bytes of a value
)

// A describer describes parameters in a list.
type describer struct {
	*schema.Document
	b    strings.Builder
	full bool
	// known are the fields of schemas.
	known schema.FieldList
	// open are the schemas that the present one is in, by which those are found that contain themselves.
	open []*jsontree.Node
}

// line writes an item of the list.
func (p *describer) line(level int, text string) {
	if p.full {
		return
	}
	indent := strings.Repeat("  ", level)
	line := indent + "- " + strings.ReplaceAll(text, "\n", "\n"+indent+"  ") + "\n"
	if p.b.Len()+len(line) > maxParameters {
		p.full = true
		line = indent + "- (There is more than can be listed here.)\n"
	}
	p.b.WriteString(line)
}

func (p *describer) fields(fields []schema.Field, level int) {
	for _, f := range fields {
		if p.full {
			return
		}
		need := "optional"
		if f.Required {
			need = "required"
		}
		p.item(p.name(f.Name, level), need, f.Schema, level)
	}
}

// name writes the name of a property: as in a tag, or inside a value as in JSON.
func (p *describer) name(name string, level int) string {
	if level == 0 {
		return "`" + escapeName(name) + "`"
	}
	return "`" + memberName(name) + "`"
}

// others describes what an object can have besides its properties, and which of them go together.
func (p *describer) others(o *jsontree.Node, level int) {
	if additional := o.Object("additionalProperties"); additional != nil {
		p.item("any other key", "", additional, level)
	}
	p.together(o, level)
}

// item describes one parameter and what is in it.
func (p *describer) item(name, need string, of *jsontree.Node, level int) {
	notes := p.typeText(of, level)
	if need != "" {
		notes += ", " + need
	}
	text := name + " (" + notes + p.limits(of) + ")"
	if description := p.description(of); description != "" {
		text += ": " + description
	}
	p.line(level, text)
	p.meanings(of, level+1)
	if items := p.Find(of, schema.Array, "items"); items != nil {
		p.meanings(items.Get("items"), level+1)
	}
	p.inside(of, level+1)
}

// inside describes what an object, or the items of an array, have in them.
func (p *describer) inside(of *jsontree.Node, level int) {
	if p.full {
		return
	}
	if items := p.Find(of, schema.Array, "items"); items != nil {
		of = items.Get("items")
		if nested := p.Find(of, schema.Array, "items"); nested != nil {
			of = nested.Get("items")
		}
	}
	o := p.resolve(of)
	if o == nil || !p.Meant(o).Has(schema.Object) {
		return
	}
	fields := p.known.Of(p.Document, o)
	if len(fields) == 0 && o.Object("additionalProperties") == nil {
		return
	}
	if slices.Contains(p.open, o) {
		p.line(level, "(the same again)")
		return
	}
	if level >= maxLevels {
		p.line(level, "(nested deeper)")
		return
	}
	p.open = append(p.open, o)
	p.fields(fields, level)
	p.others(o, level)
	p.open = p.open[:len(p.open)-1]
}

// resolve returns the schema that a reference leads to, so that those which contain themselves are found again.
func (p *describer) resolve(of *jsontree.Node) *jsontree.Node {
	for range 16 {
		targets := p.Targets(of)
		if len(targets) == 0 {
			break
		}
		of = targets[0]
	}
	return of
}

// typeText names the types that a parameter can be of.
func (p *describer) typeText(of *jsontree.Node, level int) string {
	allowed := p.Meant(of)
	if allowed == schema.AnyType {
		return "anything, as text or JSON"
	}
	text := allowed.String()
	if allowed == schema.Array || allowed == schema.Array|schema.Null {
		items := p.Meant(p.Find(of, schema.Array, "items").Get("items"))
		list := "list"
		if items != schema.AnyType {
			list += " of " + items.String()
			allowed |= items
		}
		text = strings.Replace(text, "array", list, 1)
	}
	if level == 0 && allowed.Has(schema.Object) {
		text += " as JSON"
	}
	return text
}

// description returns what a schema says of itself; what is beside a reference goes first.
func (p *describer) description(of *jsontree.Node) string {
	all := p.Described(of)
	for _, keyword := range []string{"description", "title"} {
		for _, o := range all {
			if text := strings.TrimSpace(o.GetText(keyword)); text != "" {
				return strings.TrimSpace(prose(plaintext.Cut(text, maxDescription)))
			}
		}
	}
	return ""
}

// limits lists what else a schema says of a value, of an item if it is an array.
func (p *describer) limits(of *jsontree.Node) string {
	var b strings.Builder
	p.choice(&b, of)
	if items := p.Find(of, schema.Array, "items"); items != nil {
		p.choice(&b, items.Get("items"))
	}
	all := p.Described(of)
	for _, limit := range []struct{ keyword, text string }{
		{"default", "default"},
		{"minimum", "at least"}, {"exclusiveMinimum", "more than"}, {"maximum", "at most"},
		{"exclusiveMaximum", "less than"},
		{"multipleOf", "a multiple of"}, {"minLength", "min. length"}, {"maxLength", "max. length"},
		{"minItems", "min. items"}, {"maxItems", "max. items"}, {"pattern", "pattern"}, {"format", "format"},
	} {
		for _, o := range all {
			if v := o.Get(limit.keyword); v != nil {
				b.WriteString("; " + limit.text + " " + shown(v))
				break
			}
		}
	}
	for _, o := range all {
		if o.Get("uniqueItems").Is("true") {
			b.WriteString("; no item twice")
			break
		}
	}
	return b.String()
}

// choice lists the values that a schema names.
func (p *describer) choice(b *strings.Builder, of *jsontree.Node) {
	named, others, fixed := p.Choices(of)
	switch {
	case len(named) == 0:
		return
	case others:
		b.WriteString("; can be ")
	case fixed:
		b.WriteString("; always ")
	default:
		b.WriteString("; one of ")
	}
	for i, c := range named {
		if i == maxChoices {
			fmt.Fprintf(b, " and %d more", len(named)-i)
			return
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(shown(c.Value))
	}
}

// meanings describes the values that a schema names, as far as it does that itself.
func (p *describer) meanings(of *jsontree.Node, level int) {
	named, _, fixed := p.Choices(of)
	if fixed {
		return
	}
	for _, c := range named[:min(len(named), maxChoices)] {
		if text := strings.TrimSpace(
			prose(plaintext.Cut(strings.TrimSpace(c.Description), maxDescription))); text != "" {
			p.line(level, shown(c.Value)+": "+text)
		}
	}
}

// together says which properties have to be there together, where that can be chosen.
func (p *describer) together(of *jsontree.Node, level int) {
	for _, o := range p.Described(of) {
		for _, choose := range []struct{ keyword, text string }{{"oneOf", "Exactly"}, {"anyOf", "At least"}} {
			var sets []string
			parts := o.List(choose.keyword)
			for _, part := range parts[:min(len(parts), maxChoices)] {
				set := p.needed(p.resolve(part), level)
				if set == "" {
					sets = nil
					break
				}
				sets = append(sets, set)
			}
			if len(parts) > len(sets) && len(sets) > 0 {
				sets = append(sets, "...")
			}
			if len(sets) > 1 {
				p.line(level, plaintext.Cut("("+choose.text+" one of these is needed: "+strings.Join(sets, "; "),
					maxDescription)+")")
			}
		}
	}
}

// needed lists the properties that one of several alternatives requires, with the values by which alternatives can
// be told apart.
func (p *describer) needed(o *jsontree.Node, level int) string {
	var names []string
	for _, name := range o.Get("required").Texts() {
		text := p.name(name, level)
		if named, others, _ := p.Choices(o.Object("properties").Get(name)); len(named) == 1 && !others {
			text += " = " + shown(named[0].Value)
		}
		names = append(names, text)
	}
	return strings.Join(names, " and ")
}

// shown writes a value of a schema on one line. Text is in quotes.
func shown(v *jsontree.Node) string {
	return escape(written(v.Brief(maxShown), func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp)
	}))
}
