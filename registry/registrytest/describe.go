package registrytest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/tool"
)

// apis are the APIs that package provider supports.
var apis = provider.APIs()

// minDescription is the minimum length of a meaningful description in bytes: seven characters in Chinese.
const minDescription = 20

func checkDescription(s *subject, f *findings) {
	d, err := s.definition(nil, plainAPI)
	if err != nil {
		f.fault("The tool cannot be offered: %v", err)
		return
	}
	describes(d, "", f)
	document, err := schema.Parse(d.Input)
	if err != nil {
		f.fault("The schema is not JSON: %v", err)
		return
	}
	undescribed(document, document.Root, "", map[*jsontree.Node]bool{}, func(path string, top bool) {
		if top {
			f.fault(`The argument %s has no description, and a model has to guess what it is. `+
				`Add a "description" to its schema, or a tag jsonschema:"..." to the field.`, path)
		} else {
			f.advise("%s, inside of an argument, has no description.", path)
		}
	})
}

// plainAPI is an unknown API, so that a tool has no APIOverride for it.
const plainAPI tool.API = "registrytest"

func describes(d *tool.Definition, with string, f *findings) {
	text := strings.TrimSpace(d.Description)
	switch {
	case !utf8.ValidString(d.Description) || strings.ContainsRune(d.Description, 0):
		f.fault("The description%s is not UTF-8, or has a NUL in it, which providers refuse.", with)
	case text == "":
		f.fault("The description%s is empty.", with)
	case len(text) < minDescription || strings.EqualFold(text, d.Name):
		f.fault("The description%s, %q, says too little for a model to know when to call the tool. "+
			"Write a sentence or two: what the tool does, when to use it, and what comes back.", with, text)
	}
}

// undescribed calls found for each property without a description, in schemas not seen before.
func undescribed(d *schema.Document, of *jsontree.Node, path string, seen map[*jsontree.Node]bool,
	found func(path string, top bool)) {
	if seen[of] {
		return
	}
	seen[of] = true
	fields := d.Fields(of)
	slices.SortFunc(fields, func(a, b schema.Field) int { return strings.Compare(a.Name, b.Name) })
	for _, field := range fields {
		at := strings.TrimPrefix(path+"."+field.Name, ".")
		if !described(d, field.Schema) {
			found(fmt.Sprintf("%q", at), path == "")
		}
		undescribed(d, field.Schema, at, seen, found)
	}
	if items := d.Find(of, schema.Array, "items").Object("items"); items != nil && path != "" {
		undescribed(d, items, path+"[]", seen, found)
	}
}

func described(d *schema.Document, of *jsontree.Node) bool {
	return slices.ContainsFunc(d.Described(of), func(part *jsontree.Node) bool {
		return strings.TrimSpace(part.GetText("description")) != ""
	})
}

func checkOptions(s *subject, f *findings) {
	for _, o := range s.spec.Options {
		if o.Label == "" {
			f.advise("The option %q has no Label for people to see.", o.ID)
		}
	}
	for _, set := range s.combinations() {
		with := ""
		if len(set) > 0 {
			values, _ := json.Marshal(set) // sorted
			with = fmt.Sprintf(" with the options %s", values)
		}
		d, err := s.definition(set, plainAPI)
		if err != nil {
			f.fault("The tool cannot be offered%s: %v", with, err)
			continue
		}
		if with != "" {
			describes(d, with, f)
		}
		again, err := s.definition(set, plainAPI)
		if err != nil || again.Description != d.Description || !bytes.Equal(again.Input, d.Input) {
			f.fault("The description or the schema%s is another one when it is asked for again. Make them of "+
				"the options alone: what changes from request to request cannot be cached, and confuses models.", with)
		}
		if _, ok := s.tool.(tool.SystemPrompter); ok {
			for _, api := range apis {
				s.checkPrompt(api, set, with, f)
			}
		}
	}
}

// checkPrompt checks the system prompt, without and with files in the project.
func (s *subject) checkPrompt(api tool.API, set map[string]any, with string, f *findings) {
	for _, empty := range []bool{true, false} {
		env, where := s.env(), "without a project"
		env.Selection = s.selection(set)
		var before int
		project := s.project(f)
		if project == nil {
			return
		}
		if !empty {
			env.Files, where = project, "with a project"
			before = changes(project)
		}
		var text string
		err := catch(func() (err error) {
			text, err = s.registry.SystemPrompt(context.Background(), api, env)
			return err
		})
		switch {
		case err != nil:
			f.fault("The system prompt for %s %s%s fails: %v", api, where, with, err)
		case !utf8.ValidString(text):
			f.fault("The system prompt for %s %s%s is not UTF-8.", api, where, with)
		case !empty && changes(project) != before:
			f.fault("Asking for the system prompt for %s%s changes files. It must only read: "+
				"it is asked for with every request.", api, with)
		}
	}
}

// maxCombinations limits the combinations of options that are tested.
const maxCombinations = 64

// combinations returns settings for the options of a tool: none, then each value alone, then values of all options
// together, up to the limit. Numbers are set to their limits, and texts to their default.
func (s *subject) combinations() []map[string]any {
	all := []map[string]any{nil}
	together := []map[string]any{{}}
	for _, o := range s.spec.Options {
		var values []any
		switch o.Type {
		case tool.OptionBool:
			values = []any{false, true}
		case tool.OptionSelect:
			for _, c := range o.Choices {
				values = append(values, c.Value)
			}
		case tool.OptionNumber:
			for _, limit := range []*float64{o.Min, o.Max} {
				if limit != nil {
					values = append(values, *limit)
				}
			}
		}
		var more []map[string]any
		for _, value := range values {
			all = append(all, map[string]any{o.ID: value})
			for _, set := range together {
				set = maps.Clone(set)
				set[o.ID] = value
				more = append(more, set)
			}
		}
		if len(more) > 0 && len(more) <= maxCombinations {
			together = more
		}
	}
	if len(s.spec.Options) > 1 {
		all = append(all, together...)
	}
	return all
}

func checkDefinitions(s *subject, f *findings) {
	for _, set := range s.combinations() {
		for _, api := range apis {
			override := s.override(api, set)
			for _, strict := range []bool{false, true} {
				where := fmt.Sprintf("for %s (strict: %t)", api, strict)
				if len(set) > 0 {
					where += fmt.Sprintf(" with the options %v", set)
				}
				define := func() (definitions json.RawMessage, err error) {
					err = catch(func() (err error) {
						definitions, err = provider.Definitions(s.registry, api,
							s.selection(set), &provider.Options{Strict: strict})
						return err
					})
					return definitions, err
				}
				definitions, err := define()
				if err != nil {
					f.fault("There is no definition %s: %v", where, err)
					continue
				}
				s.checkDefinition(definitions, override, where, f)
				if again, err := define(); err != nil || !bytes.Equal(definitions, again) {
					f.fault("The definition %s is another one when it is asked for again, "+
						"so that prompts cannot be cached.", where)
				}
			}
		}
	}
}

// override returns the tool's own definition for an API that defines the tool itself.
func (s *subject) override(api tool.API, set map[string]any) (override json.RawMessage) {
	_ = catch(func() error { // an error is reported when the definitions are made
		d, err := s.definition(set, api)
		if err == nil {
			override = d.Override
		}
		return err
	})
	return override
}

func (s *subject) checkDefinition(definitions, override json.RawMessage, where string, f *findings) {
	var list []json.RawMessage
	if err := json.Unmarshal(definitions, &list); err != nil || len(list) != 1 {
		f.fault("The definition %s is not a list of one: %s", where, short(string(definitions)))
		return
	}
	if !utf8.Valid(definitions) {
		f.fault("The definition %s is not UTF-8.", where)
	}
	if override != nil {
		var object map[string]any
		if err := json.Unmarshal(override, &object); err != nil || object == nil {
			f.fault("APIOverride must return a JSON object, or nil; %s it is %s.", where, short(string(override)))
		}
		return
	}
	if !bytes.Contains(definitions, fmt.Appendf(nil, "%q", s.spec.Name)) {
		f.fault("The definition %s does not name the tool: %s", where, short(string(definitions)))
	}
}
