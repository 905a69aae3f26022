package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
)

func toolRoutes() []route {
	return []route{
		operation("GET", "/api/tools", "The tools of a project: which are on, and their options.", listTools),
		operation("POST", "/api/tools", "Switch a tool on or off, or set options of it.", setTool),
		stream("/api/tools/definitions", "application/json", "The enabled tools as an API of a provider wants them.",
			showDefinitions),
		operation("GET", "/api/servers",
			"The MCP servers whose tools are added, and why one is not connected.", listServers),
		operation("GET", "/api/modules", "The WebAssembly modules that were added as tools or languages.", listModules),
	}
}

type toolChoice struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

type toolOption struct {
	ID       string       `json:"id"`
	Label    string       `json:"label"`
	Subtitle string       `json:"subtitle,omitempty"`
	Type     string       `json:"type" jsonschema:"bool, number, text or select"`
	Default  any          `json:"default"`
	Value    any          `json:"value"`
	Set      bool         `json:"set" jsonschema:"the project has chosen a value"`
	Min      *float64     `json:"min,omitempty"`
	Max      *float64     `json:"max,omitempty"`
	Choices  []toolChoice `json:"choices,omitempty"`
	// When is the option that must have the value Equals for this one to matter.
	When   string `json:"when,omitempty"`
	Equals any    `json:"equals,omitempty"`
}

type toolInfo struct {
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
	Options     []toolOption `json:"options"`
	Ask         bool         `json:"ask" jsonschema:"a person must approve each call of a model"`
	Problem     string       `json:"problem,omitempty" jsonschema:"an option that is set is invalid"`
	SchemaNotes []string     `json:"schemaNotes,omitempty" jsonschema:"what of the tool's own schema is not used"`
}

type toolsAnswer struct {
	Tools []toolInfo `json:"tools"`
	// Warnings are about rules for approvals that are for no tool.
	Warnings []string `json:"warnings,omitempty"`
	// Fixed means that what is chosen here does not count: flags or the token decide.
	Fixed bool `json:"fixed,omitempty"`
}

func listTools(s *Server, r *request, in inProject) (toolsAnswer, error) {
	session, err := s.session(r, in.Project)
	if err != nil {
		return toolsAnswer{}, err
	}
	defer session.Close()
	env, err := s.env(r, session)
	if err != nil {
		return toolsAnswer{}, err
	}
	tools, selection := s.runner.Registry(), env.Selection
	out := toolsAnswer{Tools: []toolInfo{}, Fixed: s.fixed(r)}
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
		if (spec.PartOf != "" || r.access.Client != nil) && !on[spec.Name] {
			continue // parts that are not offered would only make the list longer
		}
		info := newToolInfo(tools, spec, selection, on[spec.Name])
		if r.access.Client != nil { // which is told what the tools are
			info.Options = []toolOption{}
		}
		out.Tools = append(out.Tools, info)
	}
	return out, nil
}

func newToolInfo(tools *registry.Registry, spec registry.Spec, selection registry.Selection, on bool) toolInfo {
	info := toolInfo{Name: spec.Name, Title: spec.DisplayName, Subtitle: spec.Subtitle, Category: string(spec.Category),
		Source: spec.Source, PartOf: spec.PartOf, Enabled: on, Always: spec.AlwaysEnabled,
		Granted: true, ReadOnly: spec.Annotations.ReadOnly,
		Destructive: spec.Annotations.Destructive, OpenWorld: spec.Annotations.OpenWorld,
		Options: []toolOption{}, SchemaNotes: spec.SchemaNotes,
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
		info.Description = spec.DescriptionFor(registry.Offer{Options: values, Tools: func() []*registry.Definition {
			return nil
		}})
	}
	chosen := selection.Settings.ToolOptions[spec.Name]
	for _, o := range spec.Options {
		option := toolOption{ID: o.ID, Label: o.Label, Subtitle: o.Subtitle, Type: string(o.Type),
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
			option.Choices = append(option.Choices, toolChoice{c.Value, label})
		}
		if o.VisibleWhen != nil {
			option.When, option.Equals = o.VisibleWhen.Option, o.VisibleWhen.Equals
		}
		info.Options = append(info.Options, option)
	}
	return info
}

// fixed reports whether what is chosen on the page would not hold.
func (s *Server) fixed(r *request) bool {
	return r.access.Select != nil || r.access.Client != nil || s.options.Dir != ""
}

type setToolRequest struct {
	Project string `json:"project"`
	Tool    string `json:"tool"`
	Enabled *bool  `json:"enabled,omitempty"`
	Ask     *bool  `json:"ask,omitempty" jsonschema:"whether a person must approve each call of a model"`
	// Options are new values by option; null is the default.
	Options map[string]any `json:"options,omitempty"`
}

func setTool(s *Server, r *request, in setToolRequest) (toolsAnswer, error) {
	if s.fixed(r) {
		return toolsAnswer{}, &failure{status: http.StatusForbidden, Code: "forbidden",
			Message: "the token, or the server's flags, decide on the tools"}
	}
	tools := s.runner.Registry()
	spec, ok := tools.Spec(in.Tool)
	if !ok {
		return toolsAnswer{}, bad("tool", "no tool named %s", in.Tool)
	}
	if in.Enabled != nil && !*in.Enabled && spec.AlwaysEnabled {
		return toolsAnswer{}, bad("enabled", "%s cannot be switched off", in.Tool)
	}
	values := map[string]any{}
	for id, value := range in.Options {
		parsed, err := parseValue(spec, id, value)
		if err != nil {
			return toolsAnswer{}, err
		}
		values[id] = parsed
	}
	p, err := s.open(r, in.Project)
	if err != nil {
		return toolsAnswer{}, err
	}
	defer p.Close()
	err = p.EditSettings(r.Context(), func(stored []byte) ([]byte, error) {
		settings, _, err := registry.ParseSettings(stored)
		if err != nil {
			return nil, err
		}
		if in.Enabled != nil {
			settings = settings.WithEnabled(in.Tool, *in.Enabled)
		}
		if in.Ask != nil {
			ask := slices.DeleteFunc(slices.Clone(settings.Ask), func(rule string) bool { return rule == in.Tool })
			if *in.Ask {
				ask = append(ask, in.Tool)
			}
			settings.Ask = ask
		}
		for id, value := range values {
			settings = settings.WithOption(in.Tool, id, value)
		}
		return json.Marshal(settings)
	})
	if err != nil {
		return toolsAnswer{}, err
	}
	s.watches.changed(s.store(r), in.Project)
	return listTools(s, r, inProject{in.Project})
}

// parseValue checks a value of an option. The error is about the option.
func parseValue(spec registry.Spec, id string, value any) (any, error) {
	i := slices.IndexFunc(spec.Options, func(o registry.Option) bool { return o.ID == id })
	if i < 0 {
		return nil, bad(id, "%s has no option %s", spec.Name, id)
	}
	var text string
	switch v := value.(type) {
	case nil:
		return nil, nil
	case string:
		text = v
	case bool:
		text = strconv.FormatBool(v)
	case json.Number:
		text = v.String()
	default:
		return nil, bad(id, "this is neither a text nor a number nor true or false")
	}
	parsed, err := spec.Options[i].ParseOption(text)
	if err != nil {
		return nil, bad(id, "%v", err)
	}
	return parsed, nil
}

type definitionsRequest struct {
	Project string `json:"project"`
	API     string `json:"api" jsonschema:"anthropic, openai-chat, openai-responses, gemini, bedrock or mcp"`
}

func showDefinitions(s *Server, r *request, in definitionsRequest) error {
	apis := []registry.API{registry.Anthropic, registry.OpenAIChat, registry.OpenAIResponses,
		registry.Gemini, registry.Bedrock, registry.MCP}
	if !slices.Contains(apis, registry.API(in.API)) {
		return bad("api", "no such API")
	}
	session, err := s.session(r, in.Project)
	if err != nil {
		return err
	}
	defer session.Close()
	env, err := s.env(r, session)
	if err != nil {
		return err
	}
	data, err := provider.Definitions(s.runner.Registry(), registry.API(in.API), env.Selection, nil)
	if err != nil {
		return bad("", "%v", err) // of options that are set
	}
	r.w.Header().Set("Content-Type", "application/json")
	_, err = r.w.Write(data)
	return err
}

type serverInfo struct {
	Name      string   `json:"name"`
	Connected bool     `json:"connected"`
	Tools     int      `json:"tools"`
	Missing   []string `json:"missing,omitempty" jsonschema:"configured tools that the server does not have"`
	Problem   string   `json:"problem,omitempty" jsonschema:"why it is not connected"`
}

type serversAnswer struct {
	Servers []serverInfo `json:"servers"`
}

func listServers(s *Server, r *request, _ nothing) (serversAnswer, error) {
	out := serversAnswer{Servers: []serverInfo{}}
	if err := s.ownsAll(r); err != nil { // errors of servers can name what is the host's
		return out, err
	}
	for _, status := range s.runner.Servers() {
		info := serverInfo{
			Name: status.Server, Connected: status.Connected, Tools: status.Tools, Missing: status.Missing,
		}
		if status.Err != nil {
			info.Problem = status.Err.Error()
		}
		out.Servers = append(out.Servers, info)
	}
	return out, nil
}

type moduleInfo struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Language    bool   `json:"language" jsonschema:"it runs code, and is no tool by itself"`
	From        string `json:"from,omitempty"`
	Grants      string `json:"grants" jsonschema:"what it may use"`
}

type modulesAnswer struct {
	Modules []moduleInfo `json:"modules"`
	Problem string       `json:"problem,omitempty"`
}

func listModules(s *Server, r *request, _ nothing) (modulesAnswer, error) {
	out := modulesAnswer{Modules: []moduleInfo{}}
	if err := s.ownsAll(r); err != nil || s.options.Modules == nil {
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
		slices.Sort(grants)
		text := "nothing but its input"
		if len(grants) > 0 {
			text = fmt.Sprint(grants)
			text = text[1 : len(text)-1]
		}
		out.Modules = append(out.Modules,
			moduleInfo{Name: m.Manifest.Name, Title: m.Manifest.DisplayName, Description: m.Manifest.Description,
				Language: m.Manifest.Language, From: m.From, Grants: text})
	}
	return out, nil
}
