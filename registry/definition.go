package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/toolrun/toolrun/network"
)

// An Offer is the situation in which a model gets a tool.
type Offer struct {
	API     API
	Mode    Mode
	Options Options
	// NoProject means that the calls will have no files.
	NoProject bool
	// Network is which requests code can make, or nil if it has no network. Models may know of the hosts and of the
	// names of secrets.
	Network *network.Policy
	// Tools, if not nil, returns the definitions of the other tools that the model gets with this one, except invalid
	// ones. It is nil while the description is made for the Tools of another offer.
	Tools func() []*Definition
}

// Timeout returns the time limit of calls that have no limit of their own, for a tool whose Spec.Timeout is own.
func (o Offer) Timeout(own time.Duration) time.Duration { return o.Mode.timeout(own) }

// A Definition is a tool as a model sees it, before package provider adapts it to a provider. It is immutable and safe
// for concurrent use.
type Definition struct {
	// Name, Title and Description are as in [Spec]; only MCP has a title.
	Name, Title, Description string
	// Input is the schema of the input. Output is the schema of Result.Data, or nil.
	Input, Output *Schema
	// TextOutput is as in [Spec].
	TextOutput  bool
	Annotations Annotations
	// Override, if not nil, is the whole definition of a tool that the API defines itself.
	Override json.RawMessage

	derived sync.Map
}

// Derive returns a value made from the definition, such as its form for a provider, and caches it under the key. The
// value must depend on the definition and the key alone. Errors are not cached.
func (d *Definition) Derive(key any, make func() (any, error)) (any, error) {
	if v, ok := d.derived.Load(key); ok {
		return v, nil
	}
	v, err := make()
	if err != nil {
		return nil, err
	}
	v, _ = d.derived.LoadOrStore(key, v)
	return v, nil
}

// A definitionKey holds everything that a tool's definition depends on.
type definitionKey struct {
	description, override string
	input                 *Schema
}

// Definitions returns the definitions of the tools that a selection enables and to which it grants everything they
// require. The error, a *[ToolError], means that an option has an invalid value, or that a schema does not compile
// with the options.
func (r *Registry) Definitions(api API, selection Selection) ([]*Definition, error) {
	var definitions []*Definition
	err := r.offered(api, selection, func(e *entry, offer Offer, override json.RawMessage) error {
		if e.spec.DescriptionFor != nil {
			offer.Tools = func() []*Definition {
				return r.others(api, selection, func(other *entry) bool { return other != e })
			}
		}
		d, err := e.definition(offer, override)
		definitions = append(definitions, d)
		return err
	})
	return definitions, err
}

// others returns the definitions of the wanted tools that a selection offers, except those that cannot be made.
func (r *Registry) others(api API, selection Selection, wanted func(*entry) bool) []*Definition {
	var definitions []*Definition
	for _, e := range r.entries {
		if !r.offers(&selection, &e.spec) || !wanted(e) {
			continue
		}
		_ = e.offer(api, &selection, func(e *entry, offer Offer, override json.RawMessage) error {
			d, err := e.definition(offer, override)
			if err == nil {
				definitions = append(definitions, d)
			}
			return err
		})
	}
	return definitions
}

// definition returns the definition of a tool. It returns the same one as long as nothing that it depends on changes.
func (e *entry) definition(offer Offer, override json.RawMessage) (*Definition, error) {
	input, err := e.schema(offer.Options)
	if err != nil {
		return nil, err
	}
	description := e.spec.Description
	if e.spec.DescriptionFor != nil {
		description = e.spec.DescriptionFor(offer)
	}
	return e.definitions.get(definitionKey{description, string(override), input}, func() (*Definition, error) {
		return &Definition{
			Name: e.spec.Name, Title: e.spec.DisplayName, Description: description, Override: override,
			Input: input, Output: e.output, TextOutput: e.spec.TextOutput, Annotations: e.spec.Annotations,
		}, nil
	})
}

// SystemPrompt returns the text that the enabled tools add to the system prompt: their instructions and the texts of
// their [SystemPrompter], separated by blank lines. Instructions shared by several tools appear once. The prompt is not
// cached. Tools that the API defines itself add nothing.
func (r *Registry) SystemPrompt(ctx context.Context, api API, env Env) (string, error) {
	selection := env.Selection
	selection.NoProject = selection.NoProject || env.Files == nil
	var texts []string
	told := map[string]bool{}
	err := r.offered(api, selection, func(e *entry, offer Offer, override json.RawMessage) error {
		if override != nil {
			return nil
		}
		if text := strings.TrimSpace(e.spec.Instructions); text != "" && !told[text] {
			told[text] = true
			texts = append(texts, text)
		}
		prompter, ok := e.tool.(SystemPrompter)
		if !ok {
			return nil
		}
		text, err := prompter.SystemPrompt(ctx, PromptContext{offer, env.Project, env.Chat, env.Files})
		if err != nil {
			return fmt.Errorf("system prompt: %w", err)
		}
		if text = strings.TrimSpace(text); text != "" {
			texts = append(texts, text)
		}
		return nil
	})
	return strings.Join(texts, "\n\n"), err
}

// offered calls do for each tool that a model gets.
func (r *Registry) offered(api API, selection Selection,
	do func(e *entry, offer Offer, override json.RawMessage) error) error {
	for _, e := range r.entries {
		if !r.offers(&selection, &e.spec) {
			continue
		}
		if err := e.offer(api, &selection, do); err != nil {
			return &ToolError{e.spec.Name, err}
		}
	}
	return nil
}

// offer calls do for one tool. It turns panics into errors, because a tool's texts can come from a project's files.
func (e *entry) offer(api API, selection *Selection,
	do func(e *entry, offer Offer, override json.RawMessage) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = newPanicError(p)
		}
	}()
	options, err := e.options(selection)
	if err != nil {
		return err
	}
	var override json.RawMessage
	if overrider, ok := e.tool.(APIOverrider); ok {
		override = overrider.APIOverride(api, options)
	}
	return do(e, Offer{API: api, Mode: selection.Mode, Options: options, NoProject: selection.NoProject,
		Network: selection.policy()}, override)
}
