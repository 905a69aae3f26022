package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/tool"
)

// A Registry is an immutable set of tools. With, Using and the like return another registry, so that a running
// agent keeps the one that it began with. It is safe for concurrent use. The zero value has no tools.
type Registry struct {
	entries    []*entry
	byName     map[string]*entry
	parted     map[string][]string // the names of tools that have parts, and the forms that these make up
	middleware []Middleware        // the outermost first
	handler    Handler
}

// An entry is a tool of a registry that has been checked.
type entry struct {
	tool     tool.Tool
	spec     tool.Spec
	defaults tool.Options
	// input is nil if the schema depends on options.
	input   *schema.Schema
	output  *schema.Schema    // or nil
	checker tool.InputChecker // or nil
	loader  tool.Loader       // or nil

	// schemas caches compiled results of SchemaFor, and definitions caches the tool's definitions.
	schemas     memo[string, *schema.Schema]
	definitions memo[definitionKey, *tool.Definition]
}

// New returns a registry with these tools, in this order. The error, a *[ToolError], names a malformed tool: its
// name is invalid or taken, its schema does not compile, or its options are not well defined.
func New(tools ...tool.Tool) (*Registry, error) { return new(Registry).With(tools...) }

// With returns a registry with more tools. A name that is taken is an error.
func (r *Registry) With(tools ...tool.Tool) (*Registry, error) { return r.with(tools, false) }

// Replacing returns a registry with more tools, which replace tools of the same names.
func (r *Registry) Replacing(tools ...tool.Tool) (*Registry, error) { return r.with(tools, true) }

func (r *Registry) with(tools []tool.Tool, replace bool) (*Registry, error) {
	entries := slices.Clone(r.entries)
	added := map[string]bool{}
	for _, t := range tools {
		e, err := newEntry(t)
		if err != nil {
			return nil, err
		}
		name := e.spec.Name
		i := slices.IndexFunc(entries, func(other *entry) bool { return other.spec.Name == name })
		switch {
		case i < 0:
			entries = append(entries, e)
		case !replace || added[name]:
			return nil, &ToolError{name, fmt.Errorf("Tool %q is already registered", name)}
		default:
			entries[i] = e
		}
		added[name] = true
	}
	return build(entries, r.middleware), nil
}

// Using returns a registry whose calls go through the middleware, the first one outermost, and then through the
// middleware that the registry already had.
func (r *Registry) Using(middleware ...Middleware) *Registry {
	return build(r.entries, slices.Concat(middleware, r.middleware))
}

func build(entries []*entry, middleware []Middleware) *Registry {
	r := &Registry{entries: entries, middleware: middleware, byName: make(map[string]*entry, len(entries))}
	for _, e := range entries {
		r.byName[e.spec.Name] = e
		if e.spec.PartOf != "" {
			if r.parted == nil {
				r.parted = map[string][]string{}
			}
			r.parted[e.spec.PartOf] = append(r.parted[e.spec.PartOf], formsOf(&e.spec)...)
		}
	}
	r.handler = r.handle
	for _, m := range slices.Backward(middleware) {
		r.handler = m(r.handler)
	}
	return r
}

func newEntry(t tool.Tool) (_ *entry, err error) {
	if t == nil {
		return nil, &ToolError{"", errors.New("the tool is nil")}
	}
	e := &entry{tool: t, spec: t.Spec().Clone()}
	defer func() {
		if err != nil {
			err = &ToolError{e.spec.Name, err}
		}
	}()
	s := &e.spec
	if err := tool.Check(t, s); err != nil {
		return nil, err
	}
	e.defaults = tool.Defaults(s.Options)
	e.checker, _ = t.(tool.InputChecker)
	e.loader, _ = t.(tool.Loader)
	if s.OutputSchema != nil {
		if e.output, err = schema.CompileObject(s.OutputSchema); err != nil {
			return nil, fmt.Errorf("output schema: %w", err)
		}
	}
	if s.SchemaFor == nil {
		raw := s.Schema
		if raw == nil {
			raw = noArguments
		}
		if e.input, err = schema.CompileObject(raw); err != nil {
			return nil, err
		}
	} else if _, err := e.schema(e.defaults); err != nil {
		return nil, err
	}
	return e, nil
}

// outputJSON returns the schema of the data, or nil.
func (e *entry) outputJSON() json.RawMessage {
	if e.output == nil {
		return nil
	}
	return e.output.JSON()
}

// schema returns the input schema for the options.
func (e *entry) schema(options tool.Options) (*schema.Schema, error) {
	if e.input != nil {
		return e.input, nil
	}
	raw := e.spec.SchemaFor(options)
	return e.schemas.get(string(raw), func() (*schema.Schema, error) { return schema.CompileObject(raw) })
}

// Tool returns the named tool.
func (r *Registry) Tool(name string) (t tool.Tool, ok bool) {
	if e := r.byName[name]; e != nil {
		return e.tool, true
	}
	return nil, false
}

// Spec returns the named tool's Spec.
func (r *Registry) Spec(name string) (spec tool.Spec, ok bool) {
	if e := r.byName[name]; e != nil {
		return e.spec.Clone(), true
	}
	return tool.Spec{}, false
}

// Specs returns the Specs of all tools in the order of registration.
func (r *Registry) Specs() []tool.Spec { return r.list(func(*tool.Spec) bool { return true }) }

// Enabled returns the Specs of the tools that a selection enables, whether or not it grants what they require.
func (r *Registry) Enabled(selection Selection) []tool.Spec {
	return r.list(func(s *tool.Spec) bool { return r.allows(&selection, s) })
}

func (r *Registry) list(keep func(*tool.Spec) bool) []tool.Spec {
	var specs []tool.Spec
	for _, e := range r.entries {
		if keep(&e.spec) {
			specs = append(specs, e.spec.Clone())
		}
	}
	return specs
}

// Options returns the values of a tool's options under a selection. The error, a *[ToolError], means that an option
// has an invalid value or that the tool does not exist.
func (r *Registry) Options(name string, selection Selection) (tool.Options, error) {
	e := r.byName[name]
	if e == nil {
		return tool.Options{}, &ToolError{name, errors.New("there is no such tool")}
	}
	options, err := e.options(&selection)
	if err != nil {
		return tool.Options{}, &ToolError{name, err}
	}
	return options, nil
}

// options returns the values of the tool's options under a selection.
func (e *entry) options(selection *Selection) (tool.Options, error) {
	name := e.spec.Name
	given := selection.Options[name]
	if selection.Session != "" {
		has := slices.ContainsFunc(e.spec.Options, isSession)
		if _, set := given[tool.OptionSession]; has && !set {
			if given = maps.Clone(given); given == nil {
				given = map[string]any{}
			}
			given[tool.OptionSession] = selection.Session
		}
	}
	return mergeOptions(e.spec.Options, e.defaults, selection.Settings.ToolOptions[name], given)
}

func isSession(o tool.Option) bool {
	return o.ID == tool.OptionSession && (o.Type == tool.OptionText || o.Type == tool.OptionSelect)
}

// RenderInput formats the input of a call for people.
func (r *Registry) RenderInput(call tool.Call) (text string) {
	defer func() {
		if recover() != nil { // the input can be anything, so tools may panic
			text = string(call.Input)
		}
	}()
	if e := r.byName[call.Tool]; e != nil {
		if renderer, ok := e.tool.(tool.InputRenderer); ok {
			return renderer.RenderInput(call.Input)
		}
	}
	return string(call.Input)
}

// RenderOutput formats a result for people.
func (r *Registry) RenderOutput(result tool.Result) (text string) {
	defer func() {
		if recover() != nil {
			text = result.Text()
		}
	}()
	if e := r.byName[result.Tool]; e != nil {
		if renderer, ok := e.tool.(tool.OutputRenderer); ok {
			return renderer.RenderOutput(result)
		}
	}
	return result.Text()
}

// A Handler runs a call.
type Handler func(ctx context.Context, call tool.Call, env Env) tool.Result

// Middleware wraps a handler. It can change a call and its result, and call next any number of times or not at all.
type Middleware func(next Handler) Handler
