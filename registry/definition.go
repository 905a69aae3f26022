package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/internal/text/schema"

	"github.com/toolrun/toolrun/tool"
)

// A definitionKey holds everything that a tool's definition depends on.
type definitionKey struct {
	description, override string
	input                 *schema.Schema
}

// Definitions returns the definitions of the tools that a selection enables and to which it grants everything they
// require. The error, a *[ToolError], means that an option has an invalid value, or that a schema does not compile
// with the options.
func (r *Registry) Definitions(api tool.API, selection Selection) ([]*tool.Definition, error) {
	var definitions []*tool.Definition
	err := r.offered(api, selection, func(e *entry, offer tool.Offer, override json.RawMessage) error {
		if e.spec.DescriptionFor != nil {
			offer.Tools = func() []*tool.Definition {
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
func (r *Registry) others(api tool.API, selection Selection, wanted func(*entry) bool) []*tool.Definition {
	var definitions []*tool.Definition
	for _, e := range r.entries {
		if !r.offers(&selection, &e.spec) || !wanted(e) {
			continue
		}
		_ = e.offer(api, &selection, func(e *entry, offer tool.Offer, override json.RawMessage) error {
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
func (e *entry) definition(offer tool.Offer, override json.RawMessage) (*tool.Definition, error) {
	input, err := e.schema(offer.Options)
	if err != nil {
		return nil, err
	}
	description := e.spec.Description
	if e.spec.DescriptionFor != nil {
		description = e.spec.DescriptionFor(offer)
	}
	return e.definitions.get(definitionKey{description, string(override), input}, func() (*tool.Definition, error) {
		return &tool.Definition{
			Name: e.spec.Name, Title: e.spec.DisplayName, Description: description, Override: override,
			Input: input.JSON(), Output: e.outputJSON(), TextOutput: e.spec.TextOutput, Annotations: e.spec.Annotations,
		}, nil
	})
}

// SystemPrompt returns the text that the enabled tools add to the system prompt: their instructions and the texts of
// their [tool.SystemPrompter], separated by blank lines. Instructions shared by several tools appear once. The prompt
// is not cached. Tools that the API defines itself add nothing.
func (r *Registry) SystemPrompt(ctx context.Context, api tool.API, env Env) (string, error) {
	selection := env.Selection
	selection.NoProject = selection.NoProject || env.Files == nil
	var texts []string
	told := map[string]bool{}
	err := r.offered(api, selection, func(e *entry, offer tool.Offer, override json.RawMessage) error {
		if override != nil {
			return nil
		}
		if text := strings.TrimSpace(e.spec.Instructions); text != "" && !told[text] {
			told[text] = true
			texts = append(texts, text)
		}
		prompter, ok := e.tool.(tool.SystemPrompter)
		if !ok {
			return nil
		}
		text, err := prompter.SystemPrompt(ctx, tool.PromptContext{Offer: offer, Project: env.Project,
			Chat: env.Chat, Files: env.Files})
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
func (r *Registry) offered(api tool.API, selection Selection,
	do func(e *entry, offer tool.Offer, override json.RawMessage) error) error {
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
func (e *entry) offer(api tool.API, selection *Selection,
	do func(e *entry, offer tool.Offer, override json.RawMessage) error) (err error) {
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
	if overrider, ok := e.tool.(tool.APIOverrider); ok {
		override = overrider.APIOverride(api, options)
	}
	return do(e, tool.Offer{API: api, Mode: selection.Mode, Options: options, NoProject: selection.NoProject,
		Network: selection.policy()}, override)
}
