package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// A Registry is a set of tools. It cannot be changed: With and Without return another one, so that an agent that is
// running keeps what it has begun with. It is safe for concurrent use. The zero value has no tools.
type Registry struct {
	entries    []*entry
	byName     map[string]*entry
	middleware []Middleware // the outermost first
	handler    Handler
}

// An entry is a tool that has been checked.
type entry struct {
	tool     Tool
	spec     Spec
	defaults Options
	// input is nil if the schema depends on options.
	input   *Schema
	output  *Schema
	checker InputChecker // or nil

	// schemas are what SchemaFor has returned, and definitions what models get of the tool.
	schemas     memo[string, *Schema]
	definitions memo[definitionKey, *Definition]
}

// New returns a registry with these tools, in this order. The error, a *[ToolError], says which tool is not as it must be:
// its name is not one or is taken, its schema does not compile, or its options are not well defined.
func New(tools ...Tool) (*Registry, error) { return new(Registry).With(tools...) }

// With returns a registry with more tools. A name that is there already is an error.
func (r *Registry) With(tools ...Tool) (*Registry, error) { return r.with(tools, false) }

// Replacing returns a registry with more tools, which take the place of those that have the same names.
func (r *Registry) Replacing(tools ...Tool) (*Registry, error) { return r.with(tools, true) }

func (r *Registry) with(tools []Tool, replace bool) (*Registry, error) {
	entries := slices.Clone(r.entries)
	added := map[string]bool{}
	for _, tool := range tools {
		e, err := newEntry(tool)
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

// Without returns a registry without the tools that have this Source. Those without a Source stay in any case.
func (r *Registry) Without(source string) *Registry {
	return build(slices.DeleteFunc(slices.Clone(r.entries), func(e *entry) bool {
		return source != "" && e.spec.Source == source
	}), r.middleware)
}

// WithoutTools returns a registry without the tools that have these names.
func (r *Registry) WithoutTools(names ...string) *Registry {
	return build(slices.DeleteFunc(slices.Clone(r.entries), func(e *entry) bool {
		return slices.Contains(names, e.spec.Name)
	}), r.middleware)
}

// Using returns a registry in which every call goes through the middleware, the first one outermost, and then through what
// was there before.
func (r *Registry) Using(middleware ...Middleware) *Registry {
	return build(r.entries, slices.Concat(middleware, r.middleware))
}

func build(entries []*entry, middleware []Middleware) *Registry {
	r := &Registry{entries: entries, middleware: middleware, byName: make(map[string]*entry, len(entries))}
	for _, e := range entries {
		r.byName[e.spec.Name] = e
	}
	r.handler = r.handle
	for _, m := range slices.Backward(middleware) {
		r.handler = m(r.handler)
	}
	return r
}

func newEntry(tool Tool) (_ *entry, err error) {
	if tool == nil {
		return nil, &ToolError{"", errors.New("the tool is nil")}
	}
	e := &entry{tool: tool, spec: tool.Spec().clone()}
	defer func() {
		if err != nil {
			err = &ToolError{e.spec.Name, err}
		}
	}()
	s := &e.spec
	if err := s.check(); err != nil {
		return nil, err
	}
	if made, ok := tool.(interface{ madeOf() error }); ok {
		if err := made.madeOf(); err != nil {
			return nil, err
		}
	}
	e.defaults = defaultOptions(s.Options)
	e.checker, _ = tool.(InputChecker)
	if s.OutputSchema != nil {
		if e.output, err = CompileSchema(s.OutputSchema); err != nil {
			return nil, fmt.Errorf("output schema: %w", err)
		}
	}
	if s.SchemaFor == nil {
		raw := s.Schema
		if raw == nil {
			raw = noArguments
		}
		if e.input, err = CompileSchema(raw); err != nil {
			return nil, err
		}
	} else if _, err := e.schema(e.defaults); err != nil {
		return nil, err
	}
	return e, nil
}

// schema returns the schema that holds with some options.
func (e *entry) schema(options Options) (*Schema, error) {
	if e.input != nil {
		return e.input, nil
	}
	raw := e.spec.SchemaFor(options)
	return e.schemas.get(string(raw), func() (*Schema, error) { return CompileSchema(raw) })
}

// Len returns how many tools there are, internal ones too.
func (r *Registry) Len() int { return len(r.entries) }

// Tool returns the tool of a name.
func (r *Registry) Tool(name string) (tool Tool, ok bool) {
	if e := r.byName[name]; e != nil {
		return e.tool, true
	}
	return nil, false
}

// Spec returns what the tool of a name has said of itself.
func (r *Registry) Spec(name string) (spec Spec, ok bool) {
	if e := r.byName[name]; e != nil {
		return e.spec.clone(), true
	}
	return Spec{}, false
}

// Specs lists the tools in the order in which they were registered, without internal ones.
func (r *Registry) Specs() []Spec { return r.list(func(*Spec) bool { return true }) }

// ByCategory lists the tools of a category.
func (r *Registry) ByCategory(category Category) []Spec {
	return r.list(func(s *Spec) bool { return s.Category == category })
}

// ByMode lists the tools that can be used in a mode.
func (r *Registry) ByMode(mode Mode) []Spec {
	return r.list(func(s *Spec) bool { return len(s.Modes) == 0 || slices.Contains(s.Modes, mode) })
}

// Configurable lists the tools that have options.
func (r *Registry) Configurable() []Spec {
	return r.list(func(s *Spec) bool { return len(s.Options) > 0 })
}

// Enabled lists the tools that a selection enables, with or without what they require being granted.
func (r *Registry) Enabled(selection Selection) []Spec {
	return r.list(func(s *Spec) bool { return selection.allows(s) })
}

func (r *Registry) list(keep func(*Spec) bool) []Spec {
	var specs []Spec
	for _, e := range r.entries {
		if !e.spec.Internal && keep(&e.spec) {
			specs = append(specs, e.spec.clone())
		}
	}
	return specs
}

// Options returns the values of a tool's options as a selection sets them. The error, a *[ToolError], says which one is set to
// what it cannot be, or that there is no such tool.
func (r *Registry) Options(name string, selection Selection) (Options, error) {
	e := r.byName[name]
	if e == nil {
		return Options{}, &ToolError{name, errors.New("there is no such tool")}
	}
	options, err := e.options(&selection)
	if err != nil {
		return Options{}, &ToolError{name, err}
	}
	return options, nil
}

// options returns the options of a tool as a selection sets them.
func (e *entry) options(selection *Selection) (Options, error) {
	name := e.spec.Name
	return mergeOptions(e.spec.Options, e.defaults, selection.Settings.ToolOptions[name], selection.Options[name])
}

// RenderInput shows an input to people.
func (r *Registry) RenderInput(call Call) (text string) {
	defer func() {
		if recover() != nil { // in the tool's own code, since the input can be anything
			text = string(call.Input)
		}
	}()
	if e := r.byName[call.Tool]; e != nil {
		if renderer, ok := e.tool.(InputRenderer); ok {
			return renderer.RenderInput(call.Input)
		}
	}
	return string(call.Input)
}

// RenderOutput shows a result to people.
func (r *Registry) RenderOutput(result Result) (text string) {
	defer func() {
		if recover() != nil {
			text = result.Text()
		}
	}()
	if e := r.byName[result.Tool]; e != nil {
		if renderer, ok := e.tool.(OutputRenderer); ok {
			return renderer.RenderOutput(result)
		}
	}
	return result.Text()
}

// A Handler does a call.
type Handler func(ctx context.Context, call Call, env Env) Result

// Middleware makes a handler of another one, which it calls, perhaps with something else, once, more often or not at all.
type Middleware func(next Handler) Handler
