package registrytest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// A subject is the tool under test.
type subject struct {
	options *Options
	tool    tool.Tool
	spec    tool.Spec
	// registry contains the tool, wrapped in a spy.
	registry *registry.Registry
}

// newSubject registers a tool. It returns nil if that fails.
func newSubject(t tool.Tool, options *Options, f *findings) *subject {
	err := catch(func() error {
		_, err := registry.New(t)
		return err
	})
	if err != nil {
		f.fault("registry.New refuses the tool: %v", err)
		return nil
	}
	s := &subject{options: options, tool: t}
	if s.spec = t.Spec(); !sameSpec(s.spec, t.Spec()) {
		f.fault("Spec() says something else when it is asked again. Return the same each time: " +
			"a registry asks only once.")
	}
	if a := s.spec.Annotations; a.ReadOnly && a.Destructive {
		f.fault("Spec.Annotations are both ReadOnly and Destructive. Drop one: what changes nothing destroys nothing.")
	}
	if s.registry, err = registry.New(&spy{t, s.spec}); err != nil {
		f.fault("registry.New refuses the tool when it is registered again: %v", err)
		return nil
	}
	return s
}

// sameSpec compares two specs. Functions count as equal if both exist, because Go cannot compare them.
func sameSpec(a, b tool.Spec) bool {
	if (a.DescriptionFor == nil) != (b.DescriptionFor == nil) || (a.SchemaFor == nil) != (b.SchemaFor == nil) {
		return false
	}
	for _, s := range []*tool.Spec{&a, &b} {
		s.DescriptionFor, s.SchemaFor = nil, nil
		// Empty and nil lists are equal.
		s.Options, s.Modes, s.Requires = slices.Concat(s.Options), slices.Concat(s.Modes), slices.Concat(s.Requires)
		for i := range s.Options {
			s.Options[i].Choices = slices.Concat(s.Options[i].Choices)
		}
	}
	return reflect.DeepEqual(a, b)
}

// catch turns a panic into an error.
func catch(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return do()
}

// A spy wraps a tool, and records its results before the registry corrects them.
type spy struct {
	tool tool.Tool
	spec tool.Spec
}

func (s *spy) Spec() tool.Spec { return s.spec }

func (s *spy) Execute(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
	result, err := s.tool.Execute(ctx, call, env)
	if seen, ok := ctx.Value(seenKey{}).(*seen); ok {
		seen.mu.Lock()
		defer seen.mu.Unlock()
		seen.result, seen.ran = result, err == nil
	}
	return result, err
}

// The spy forwards optional interfaces. For tools without them, it returns what a registry would use instead.

func (s *spy) APIOverride(api tool.API, options tool.Options) json.RawMessage {
	if o, ok := s.tool.(tool.APIOverrider); ok {
		return o.APIOverride(api, options)
	}
	return nil
}

func (s *spy) SystemPrompt(ctx context.Context, prompt tool.PromptContext) (string, error) {
	if p, ok := s.tool.(tool.SystemPrompter); ok {
		return p.SystemPrompt(ctx, prompt)
	}
	return "", nil
}

func (s *spy) Load(ctx context.Context) error {
	if l, ok := s.tool.(tool.Loader); ok {
		return l.Load(ctx)
	}
	return nil
}

func (s *spy) CheckInput(input map[string]any) error {
	if c, ok := s.tool.(tool.InputChecker); ok {
		return c.CheckInput(input)
	}
	return nil
}

// seen is what a spy records of a call. The lock is needed because an abandoned tool may still be running.
type seen struct {
	mu     sync.Mutex
	result tool.Result
	ran    bool
}

type seenKey struct{}

type request struct {
	input   json.RawMessage
	env     registry.Env
	context context.Context
}

// A response is the outcome of a call.
type response struct {
	tool.Result
	// raw is the result as the tool returned it, if it ran and returned no error.
	raw  tool.Result
	ran  bool
	took time.Duration
}

// callID is the id of all calls.
const callID = "registrytest-call"

func (s *subject) do(r request) response {
	if r.context == nil {
		r.context = context.Background()
	}
	seen := new(seen)
	start := time.Now()
	result := s.registry.Dispatch(context.WithValue(r.context, seenKey{}, seen),
		tool.Call{ID: callID, Tool: s.spec.Name, Input: r.input}, r.env)
	took := time.Since(start)
	seen.mu.Lock()
	defer seen.mu.Unlock()
	return response{result, seen.result, seen.ran, took}
}

// abandoned reports whether the tool kept running after it was stopped.
func (r response) abandoned() bool { return errors.Is(r.Err, registry.ErrAbandoned) }

// panicked returns the tool's panic, if any.
func (r response) panicked() (*registry.PanicError, bool) {
	return errors.AsType[*registry.PanicError](r.Err)
}

// env returns the environment of calls, without files.
func (s *subject) env() registry.Env {
	return registry.Env{
		Project: "registrytest-project", Chat: "registrytest-chat", Selection: s.selection(nil),
		// Long results must not go to a file, because it would look as if the tool had written it.
		Limits: registry.Limits{Inline: registry.DefaultOutput},
	}
}

// selection enables the tool with these values of its options, and grants what it requires.
func (s *subject) selection(set map[string]any) registry.Selection {
	selection := registry.Selection{
		Enable: map[string]bool{s.spec.Name: true}, Grants: s.spec.Requires,
		Options: map[string]map[string]any{s.spec.Name: maps.Clone(set)},
	}
	if len(s.spec.Modes) > 0 {
		selection.Mode = s.spec.Modes[0]
	}
	return selection
}

// project returns a new project with the files of Options.Prepare. All projects have the same name.
func (s *subject) project(f *findings) vfs.Project {
	project, err := local.NewMemoryStore(nil).Open(context.Background(), "registrytest-project")
	if err == nil && s.options.Prepare != nil {
		err = catch(func() error { return s.options.Prepare(project) })
	}
	if err != nil {
		f.fault("Options.Prepare: %v", err)
		return nil
	}
	return project
}

// definition returns the tool's definition for an API, before package provider adapts it.
func (s *subject) definition(set map[string]any, api tool.API) (*tool.Definition, error) {
	var definitions []*tool.Definition
	err := catch(func() (err error) {
		definitions, err = s.registry.Definitions(api, s.selection(set))
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(definitions) != 1 {
		return nil, errors.New("the tool is not offered")
	}
	return definitions[0], nil
}
