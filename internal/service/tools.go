package service

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

type ToolChoice struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

type ToolOption struct {
	ID       string       `json:"id"`
	Label    string       `json:"label"`
	Subtitle string       `json:"subtitle,omitempty"`
	Type     string       `json:"type" jsonschema:"bool, number, text or select"`
	Default  any          `json:"default"`
	Value    any          `json:"value"`
	Set      bool         `json:"set" jsonschema:"the project has chosen a value"`
	Min      *float64     `json:"min,omitempty"`
	Max      *float64     `json:"max,omitempty"`
	Choices  []ToolChoice `json:"choices,omitempty"`
	// When is the option that must have the value Equals for this one to matter.
	When   string `json:"when,omitempty"`
	Equals any    `json:"equals,omitempty"`
}

type ToolInfo struct {
	Name        string       `json:"name"`
	Title       string       `json:"title"`
	Subtitle    string       `json:"subtitle,omitempty"`
	Description string       `json:"description" jsonschema:"what models are told"`
	Category    string       `json:"category,omitempty"`
	Source      string       `json:"source,omitempty" jsonschema:"the server or what else it comes from"`
	PartOf      string       `json:"partOf,omitempty"`
	Enabled     bool         `json:"enabled"`
	Always      bool         `json:"always,omitempty" jsonschema:"it cannot be switched off"`
	Requires    []string     `json:"requires,omitempty" jsonschema:"what must be granted before it can be used"`
	Granted     bool         `json:"granted" jsonschema:"all of that is granted"`
	ReadOnly    bool         `json:"readOnly,omitempty"`
	Destructive bool         `json:"destructive,omitempty"`
	OpenWorld   bool         `json:"openWorld,omitempty"`
	Options     []ToolOption `json:"options"`
	Ask         bool         `json:"ask" jsonschema:"a person must approve each call of a model"`
	Problem     string       `json:"problem,omitempty" jsonschema:"an option that is set is invalid"`
	SchemaNotes []string     `json:"schemaNotes,omitempty" jsonschema:"what of the tool's own schema is not used"`
}

type ToolsAnswer struct {
	Tools []ToolInfo `json:"tools"`
	// Warnings are about rules for approvals that are for no tool.
	Warnings []string `json:"warnings,omitempty"`
	// Fixed means that what is chosen here does not count: flags or the token decide.
	Fixed bool `json:"fixed,omitempty"`
}

// ListTools returns the tools of a project: which are on, and their options.
func (s *Service) ListTools(ctx context.Context, in InProject) (ToolsAnswer, error) {
	session, err := s.session(ctx, Run, in.Project)
	if err != nil {
		return ToolsAnswer{}, err
	}
	defer session.Close()
	env, err := s.env(ctx, session)
	if err != nil {
		return ToolsAnswer{}, err
	}
	tools, selection := s.runner.Registry(), env.Selection
	out := ToolsAnswer{Tools: []ToolInfo{}, Fixed: s.fixed()}
	on := map[string]bool{}
	for _, spec := range tools.Enabled(selection) {
		on[spec.Name] = true
	}
	for _, rule := range slices.Concat(selection.Settings.Ask, selection.Ask) {
		if err := s.runner.CheckAsk(rule); err != nil {
			out.Warnings = append(out.Warnings, err.Error())
		}
	}
	for _, spec := range tools.Specs() {
		if (spec.PartOf != "" || s.access.role() == Model) && !on[spec.Name] {
			continue // parts that are not offered would only make the list longer
		}
		info := newToolInfo(tools, spec, selection, on[spec.Name])
		if s.access.role() == Model { // which is told what the tools are
			info.Options = []ToolOption{}
		}
		out.Tools = append(out.Tools, info)
	}
	return out, nil
}

func newToolInfo(tools *registry.Registry, spec tool.Spec, selection registry.Selection, on bool) ToolInfo {
	info := ToolInfo{Name: spec.Name, Title: spec.DisplayName, Subtitle: spec.Subtitle, Category: string(spec.Category),
		Source: spec.Source, PartOf: spec.PartOf, Enabled: on, Always: spec.AlwaysEnabled,
		Granted: true, ReadOnly: spec.Annotations.ReadOnly,
		Destructive: spec.Annotations.Destructive, OpenWorld: spec.Annotations.OpenWorld,
		Options: []ToolOption{}, SchemaNotes: spec.SchemaNotes,
		Ask: slices.Contains(selection.Settings.Ask, spec.Name)}
	if info.Title == "" {
		info.Title = spec.Name
	}
	for _, c := range spec.Requires {
		info.Requires = append(info.Requires, string(c))
		info.Granted = info.Granted && slices.Contains(selection.Grants, c)
	}
	defaults, _ := tools.Options(spec.Name, registry.Selection{})
	values, err := tools.Options(spec.Name, selection)
	if err != nil {
		info.Problem = err.Error()
		values = defaults
	}
	info.Description = spec.Description
	if spec.DescriptionFor != nil {
		info.Description = spec.DescriptionFor(tool.Offer{Options: values, Tools: func() []*tool.Definition {
			return nil
		}})
	}
	chosen := selection.Settings.ToolOptions[spec.Name]
	for _, o := range spec.Options {
		option := ToolOption{ID: o.ID, Label: o.Label, Subtitle: o.Subtitle, Type: string(o.Type),
			Default: defaults.Map()[o.ID], Value: values.Map()[o.ID], Min: o.Min, Max: o.Max}
		if option.Label == "" {
			option.Label = o.ID
		}
		_, option.Set = chosen[o.ID]
		for _, c := range o.Choices {
			label := c.Label
			if label == "" {
				label = c.Value
			}
			option.Choices = append(option.Choices, ToolChoice{c.Value, label})
		}
		if o.VisibleWhen != nil {
			option.When, option.Equals = o.VisibleWhen.Option, o.VisibleWhen.Equals
		}
		info.Options = append(info.Options, option)
	}
	return info
}

// fixed reports whether what is chosen on the page would not hold.
func (s *Service) fixed() bool {
	return s.access.Select != nil || s.access.role() == Model || s.options.Dir != ""
}

type DefinitionsRequest struct {
	Project string `json:"project"`
	API     string `json:"api" jsonschema:"anthropic, anthropic-agents, openai-chat, openai-responses, gemini, ..."`
}

// Definitions returns the enabled tools as an API of a provider wants them, as JSON.
func (s *Service) Definitions(ctx context.Context, in DefinitionsRequest) (json.RawMessage, error) {
	if !slices.Contains(provider.APIs(), tool.API(in.API)) {
		return nil, Bad("api", "no such API")
	}
	session, err := s.session(ctx, Run, in.Project)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	env, err := s.env(ctx, session)
	if err != nil {
		return nil, err
	}
	data, err := provider.Definitions(s.runner.Registry(), tool.API(in.API), env.Selection, nil)
	if err != nil {
		return nil, Bad("", "%v", err) // of options that are set
	}
	return data, nil
}

type ServerInfo struct {
	Name      string   `json:"name"`
	Connected bool     `json:"connected"`
	Tools     int      `json:"tools"`
	Missing   []string `json:"missing,omitempty" jsonschema:"configured tools that the server does not have"`
	Problem   string   `json:"problem,omitempty" jsonschema:"why it is not connected"`
}

type ServersAnswer struct {
	Servers []ServerInfo `json:"servers"`
}

// ListServers lists the MCP servers whose tools are added, and why one is not connected.
func (s *Service) ListServers(ctx context.Context, _ Nothing) (ServersAnswer, error) {
	out := ServersAnswer{Servers: []ServerInfo{}}
	if err := s.allowed(Operate); err != nil { // errors of servers can name what is the host's
		return out, err
	}
	for _, status := range s.runner.Servers() {
		info := ServerInfo{
			Name: status.Server, Connected: status.Connected, Tools: status.Tools, Missing: status.Missing,
		}
		if status.Err != nil {
			info.Problem = status.Err.Error()
		}
		out.Servers = append(out.Servers, info)
	}
	return out, nil
}

type ModuleInfo struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Language    bool   `json:"language" jsonschema:"it runs code, and is no tool by itself"`
	From        string `json:"from,omitempty"`
	Grants      string `json:"grants" jsonschema:"what it may use"`
}

type ModulesAnswer struct {
	Modules []ModuleInfo `json:"modules"`
	Problem string       `json:"problem,omitempty"`
}

// ListModules lists the WebAssembly modules that were added as tools or languages.
func (s *Service) ListModules(ctx context.Context, _ Nothing) (ModulesAnswer, error) {
	out := ModulesAnswer{Modules: []ModuleInfo{}}
	if err := s.allowed(Operate); err != nil || s.options.Modules == nil {
		return out, err
	}
	list, err := s.options.Modules.List()
	if err != nil {
		out.Problem = err.Error()
	}
	for _, m := range list {
		g := m.Grants
		grants := []string{}
		if g.Files != "" && g.Files != "none" {
			grants = append(grants, "files: "+string(g.Files))
		}
		for name := range g.Env {
			grants = append(grants, "variable "+name)
		}
		for what, is := range map[string]bool{"clock": g.Clock, "randomness": g.Random, "higher limits": g.Limits} {
			if is {
				grants = append(grants, what)
			}
		}
		for _, name := range g.Tools {
			grants = append(grants, "tool "+name)
		}
		for _, rule := range g.Network {
			grants = append(grants, "network "+rule)
		}
		slices.Sort(grants)
		out.Modules = append(out.Modules,
			ModuleInfo{Name: m.Manifest.Name, Title: m.Manifest.DisplayName, Description: m.Manifest.Description,
				Language: m.Manifest.Language, From: m.From,
				Grants: cmp.Or(strings.Join(grants, ", "), "nothing but its input")})
	}
	return out, nil
}
