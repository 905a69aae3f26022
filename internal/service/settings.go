package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// A Setting is something that a project can choose. Its entry in [AllSettings] is all that there is of it: the flags of
// toolrun project set and what shells complete, what toolrun project show says, the page's form and the description of
// the API follow.
type Setting struct {
	// Name is that of requests and answers. Title and About are for people.
	Name, Title, About string
	// List means that the value is a list of texts. Otherwise it is one of Choices, and the first one is the default.
	List bool
	// Choices are the possible values, or those that are offered for a list beside others.
	Choices []ToolChoice
	// Hint is what a value of a list that is none of the choices looks like.
	Hint string
	// WithTools means that the page changes it where it shows the tools, and not in a form of its own.
	WithTools bool
	// Set is the command's flag that replaces the value. Add and Remove change a list by single values.
	Set, Add, Remove Flag

	needs Right // for changing it, beside Settings
	// check returns a value as it is kept. Nil keeps it as it is, if it is one of Choices.
	check func(c *changing, value string, remove bool) (string, error)
	// get returns the values of a project.
	get func(tools *registry.Registry, s registry.Settings) ([]string, error)
	// put replaces them. Nil means that turn adds and removes single ones.
	put  func(s registry.Settings, values []string) (registry.Settings, error)
	turn func(tools *registry.Registry, s registry.Settings, value string, on bool) registry.Settings
	// key is what two values have in common that cannot be there both. Nil means the value.
	key func(value string) string
	// missing is the format of the error of removing what is not there. Empty means that it is none.
	missing string
	// line is the format of a line about each value for people, or about all if Set replaces them. Empty means that
	// something else shows them.
	line string
	// show returns a value for that line. Nil means the value.
	show func(value string) string
}

// A Flag is how the command changes a setting. Without a name there is no flag.
type Flag struct {
	Name, Usage string
	// Comma means that a value of the flag has several of the setting, separated by commas.
	Comma bool
	// Said is the format of what the command has done with a value, or with all that Set has put.
	Said string
	// Wrong is what the command writes before errors.
	Wrong string
}

// AllSettings are all settings, in the order in which they are shown. They must not be changed.
func AllSettings() []Setting { return settings }

var settings = []Setting{{
	Name: "tools", Title: "Tools", About: "The tools that are on.", List: true, WithTools: true,
	Add:    Flag{Name: "enable", Usage: "enable these `TOOLS`", Comma: true, Said: "%s: on"},
	Remove: Flag{Name: "disable", Usage: "disable these `TOOLS`", Comma: true, Said: "%s: off"},
	check: func(c *changing, name string, remove bool) (string, error) {
		spec, ok := c.runner.Registry().Spec(name)
		switch {
		case !ok:
			return "", Bad("tool", "no tool named %q; toolrun tools lists them", name)
		case remove && spec.AlwaysEnabled:
			return "", Bad("enabled", "%s cannot be switched off", name)
		}
		return name, nil
	},
	get: func(tools *registry.Registry, s registry.Settings) (names []string, _ error) {
		for _, spec := range tools.Enabled(registry.Selection{Settings: s}) {
			names = append(names, spec.Name)
		}
		return names, nil
	},
	turn: func(_ *registry.Registry, s registry.Settings, name string, on bool) registry.Settings {
		return s.WithEnabled(name, on)
	},
}, {
	Name: "options", Title: "Options", List: true, WithTools: true,
	About:  "Options of tools that have another value than their default. Remove one by TOOL.NAME.",
	Hint:   "TOOL.NAME=VALUE",
	Add:    Flag{Name: "option", Usage: "set an option, as `TOOL.NAME=VALUE`", Said: "%s"},
	Remove: Flag{Name: "reset", Usage: "give an option, `TOOL.NAME`, its default again", Said: "%s has its default"},
	check: func(c *changing, text string, remove bool) (_ string, err error) {
		name, _, _ := strings.Cut(text, "=")
		if remove {
			_, _, err = FindOption(c.runner.Registry(), text, "")
		} else {
			_, _, _, err = ParseOption(c.runner.Registry(), text, "")
		}
		if err != nil {
			return "", Bad(name[strings.LastIndexByte(name, '.')+1:], "%v", err)
		}
		return text, nil
	},
	get: func(_ *registry.Registry, s registry.Settings) (all []string, _ error) {
		for tool, options := range s.ToolOptions {
			for id, value := range options {
				all = append(all, fmt.Sprintf("%s.%s=%v", tool, id, value))
			}
		}
		slices.Sort(all)
		return all, nil
	},
	turn: func(tools *registry.Registry, s registry.Settings, text string, set bool) registry.Settings {
		if !set {
			tool, id, _ := strings.Cut(text, ".")
			return s.WithOption(tool, id, nil)
		}
		tool, id, value, _ := ParseOption(tools, text, "") // which check has done
		return s.WithOption(tool, id, value)
	},
}, {
	Name: "mounts", Title: "Other projects", List: true, Hint: "/sharerw team", needs: Operate,
	About: "Other projects whose files are seen at a path of this one, and whether calls can only read them.",
	check: func(c *changing, text string, remove bool) (string, error) {
		m := parseMount(text)
		if remove {
			return text, nil
		}
		if err := vfs.CheckMounts([]vfs.Mount{m}); err != nil {
			return "", err
		}
		if m.Project == c.project {
			return "", Bad("mounts", "the project %s cannot be mounted in itself", c.project)
		}
		if err := c.may(Operate, m.Project); err != nil {
			return "", err
		}
		other, err := c.store().Open(c, m.Project) // which makes it
		if err != nil {
			return "", err
		}
		return MountText(m), other.Close()
	},
	get: func(_ *registry.Registry, s registry.Settings) (all []string, err error) {
		var mounts []vfs.Mount
		if raw := s.Field(vfs.MountsField); raw != nil {
			if err := json.Unmarshal(raw, &mounts); err != nil {
				return nil, fmt.Errorf("the settings' %s: %w", vfs.MountsField, err)
			}
		}
		for _, m := range mounts {
			all = append(all, MountText(m))
		}
		return all, nil
	},
	put: func(s registry.Settings, values []string) (registry.Settings, error) {
		if len(values) == 0 {
			return s.WithField(vfs.MountsField, nil), nil
		}
		var mounts []vfs.Mount
		for _, text := range values {
			mounts = append(mounts, parseMount(text))
		}
		if err := vfs.CheckMounts(mounts); err != nil {
			return s, err
		}
		raw, err := json.Marshal(mounts)
		return s.WithField(vfs.MountsField, raw), err
	},
	key:     func(text string) string { return parseMount(text).Path },
	missing: "no project is mounted at %s",
	line:    "%s",
	show:    func(text string) string { return ShownMount(parseMount(text)) },
}, {
	Name: "ask", Title: "Approvals", List: true, Hint: "a tool, or source:SERVER",
	About: "Which calls of models a person must approve.",
	Choices: []ToolChoice{
		{registry.AskWrites, "Calls of tools that can change something"},
		{registry.AskDestructive, "Calls of tools that can delete or overwrite"},
		{registry.AskExternal, "Calls of tools that reach beyond the project"},
		{registry.AskNetwork, "Requests over the network"},
		{registry.AskAll, "All calls"},
	},
	Set: Flag{Name: "ask", Comma: true, Said: "ask for approval: %s", Wrong: "--ask: ",
		Usage: "let a person approve calls by these `RULES`, as --ask of toolrun call does; none removes them"},
	check: func(c *changing, rule string, remove bool) (string, error) {
		if remove {
			return rule, nil
		}
		err := c.runner.CheckAsk(rule)
		if unknown, ok := errors.AsType[*registry.UnknownRuleError](err); ok && unknown.Like == "" {
			c.warnings = append(c.warnings, SettingWarning{"ask", err.Error()}) // a server or a program may have it
		} else if err != nil {
			return "", Bad("ask", "%v", err)
		}
		return rule, nil
	},
	get: func(_ *registry.Registry, s registry.Settings) ([]string, error) { return s.Ask, nil },
	put: func(s registry.Settings, rules []string) (registry.Settings, error) {
		s.Ask = rules
		return s, nil
	},
	line: "ask for approval: %s",
}, {
	Name: "checkpoint", Title: "Checkpoints", About: "When calls of models make a checkpoint of all files.",
	Choices: []ToolChoice{
		{"never", "Never"}, {string(registry.CheckpointBefore), "Before each call that may change files"},
	},
	Set: Flag{Name: "checkpoint", Said: "checkpoint: %s", Usage: "`WHEN` to make checkpoints for calls of models, " +
		"as --checkpoint of toolrun call\ndoes: before or never"},
	check: func(_ *changing, name string, _ bool) (string, error) {
		_, err := registry.ParseCheckpointMode(name)
		return name, err
	},
	get: func(_ *registry.Registry, s registry.Settings) ([]string, error) {
		return []string{cmp.Or(string(s.Checkpoint), "never")}, nil
	},
	put: func(s registry.Settings, values []string) (_ registry.Settings, err error) {
		s.Checkpoint, err = registry.ParseCheckpointMode(values[0])
		return s, err
	},
	line: "checkpoint: %s each call that may change files",
}, {
	Name: "network", Title: "Network", List: true, Hint: "GET https://example.com/**",
	About: "Requests that code can make, beside those that the server allows in all projects. " +
		"Code can send what it reads in this project to these addresses.",
	Add: Flag{Name: "allow", Said: "allow: %s", Wrong: "--allow: ",
		Usage: "let code make requests by this `RULE`, as in 'GET https://example.com/**'"},
	Remove: Flag{Name: "disallow", Said: "no longer allow: %s", Wrong: "--disallow: ",
		Usage: "remove a `RULE` that --allow added"},
	check: func(_ *changing, text string, _ bool) (string, error) {
		rule, err := network.ParseRule(text)
		if err != nil {
			return "", Bad("network", "%v", err)
		}
		return rule.String(), nil
	},
	get: func(_ *registry.Registry, s registry.Settings) (texts []string, _ error) {
		rules, err := network.RulesOf(s.Field(network.SettingsField))
		for _, rule := range rules {
			texts = append(texts, rule.String())
		}
		return texts, err
	},
	put: func(s registry.Settings, texts []string) (registry.Settings, error) {
		var rules []network.Rule
		for _, text := range texts {
			rule, _ := network.ParseRule(text) // which check and get have done
			rules = append(rules, rule)
		}
		return s.WithField(network.SettingsField, network.FieldOf(rules)), nil
	},
	missing: "the project has no rule %q",
	line:    "allow: %s",
}, {
	Name: "retention", Title: "History", About: "Which versions of files the history keeps.",
	Choices: []ToolChoice{
		{"", "As the server does in all projects"}, {vfs.RetentionAll, "All"},
		{vfs.RetentionTiered, "Fewer the older they are"},
	},
	Set: Flag{Name: "retention", Said: "retention: %s", Wrong: "--",
		Usage: "keep `all` versions in the history, or fewer the older they are: tiered"},
	get: func(_ *registry.Registry, s registry.Settings) ([]string, error) {
		var retention string
		_ = json.Unmarshal(s.Field(vfs.RetentionField), &retention) // what is not one of them does not count
		if retention != vfs.RetentionAll && retention != vfs.RetentionTiered {
			retention = ""
		}
		return []string{retention}, nil
	},
	put: func(s registry.Settings, values []string) (registry.Settings, error) {
		if values[0] == "" {
			return s.WithField(vfs.RetentionField, nil), nil
		}
		return s.WithField(vfs.RetentionField, fmt.Appendf(nil, "%q", values[0])), nil
	},
	line: "retention: %s",
}}

// Texts of mounts: "/sharerw team", or "read-only /share common". A space of a path is %20.
const readOnly = "read-only "

// MountText is a mount as the setting mounts has it.
func MountText(m vfs.Mount) string {
	text := strings.NewReplacer("%", "%25", " ", "%20").Replace(m.Path) + " " + m.Project
	if m.ReadOnly || m.Path == "/share" {
		return readOnly + text
	}
	return text
}

// ShownMount is a mount for people.
func ShownMount(m vfs.Mount) string {
	text := m.Path + ": project " + m.Project
	if m.ReadOnly || m.Path == "/share" {
		text += " (read-only)"
	}
	return text
}

// parseMount reads a mount, or the path of one, as [MountText] writes it. Nothing checks it.
func parseMount(text string) vfs.Mount {
	text, isReadOnly := strings.CutPrefix(text, readOnly)
	path, project, _ := strings.Cut(text, " ")
	return vfs.Mount{
		Path: strings.NewReplacer("%25", "%", "%20", " ").Replace(path), Project: project, ReadOnly: isReadOnly,
	}
}

// DescribeSettings returns lines about what is chosen, for people, but for tools and their options.
func DescribeSettings(s registry.Settings) (lines []string, err error) {
	for _, e := range settings {
		if e.line == "" {
			continue
		}
		values, err := e.get(nil, s)
		if err != nil {
			return nil, err
		}
		lines = append(lines, e.describe(values)...)
	}
	return lines, nil
}

func (e *Setting) describe(values []string) (lines []string) {
	if len(values) == 0 || !e.List && values[0] == e.Choices[0].Value {
		return nil
	}
	if e.Set.Name != "" {
		return []string{fmt.Sprintf(e.line, strings.Join(values, ", "))}
	}
	for _, value := range values {
		if e.show != nil {
			value = e.show(value)
		}
		lines = append(lines, fmt.Sprintf(e.line, value))
	}
	return lines
}

// FindSetting returns the setting of a name, which there must be.
func FindSetting(name string) *Setting {
	return &settings[slices.IndexFunc(settings, func(e Setting) bool { return e.Name == name })]
}

// Words are the choices that can be typed.
func (e *Setting) Words() (words []string) {
	for _, choice := range e.Choices {
		if choice.Value != "" {
			words = append(words, choice.Value)
		}
	}
	return words
}

// Flags are those that the command has.
func (e *Setting) Flags() []Flag {
	return slices.DeleteFunc([]Flag{e.Set, e.Add, e.Remove}, func(f Flag) bool { return f.Name == "" })
}

// A SettingChange is what becomes of a setting: first Set replaces the value, if it is not nil, then Remove and Add
// change a list.
type SettingChange struct {
	Set    []string `json:"set,omitempty" jsonschema:"the new value: one text, or those of a list"`
	Add    []string `json:"add,omitempty" jsonschema:"texts to add to a list"`
	Remove []string `json:"remove,omitempty" jsonschema:"texts to remove from a list"`
}

// SettingChanges are changes by the names of settings.
type SettingChanges map[string]SettingChange

type ChangeSettingsRequest struct {
	Project string         `json:"project"`
	Changes SettingChanges `json:"changes" jsonschema:"by the names of settings"`
}

type SettingInfo struct {
	Name      string       `json:"name"`
	Title     string       `json:"title"`
	About     string       `json:"about"`
	List      bool         `json:"list,omitempty" jsonschema:"it has any number of values, and not exactly one"`
	Choices   []ToolChoice `json:"choices,omitempty" jsonschema:"the possible values, or what is offered for a list"`
	Hint      string       `json:"hint,omitempty" jsonschema:"what other values of a list look like"`
	Value     []string     `json:"value"`
	Fixed     bool         `json:"fixed,omitempty" jsonschema:"it cannot be changed here"`
	WithTools bool         `json:"withTools,omitempty" jsonschema:"the list of tools shows it"`
}

// A SettingWarning is about a value that may be a mistake.
type SettingWarning struct {
	Setting string `json:"setting"`
	Message string `json:"message"`
}

type SettingsAnswer struct {
	Settings []SettingInfo    `json:"settings"`
	Warnings []SettingWarning `json:"warnings,omitempty"`
}

// A SettingError is why a setting cannot have a value. Its text begins as the flag's Wrong says.
type SettingError struct {
	Flag Flag
	Err  error
}

func (e *SettingError) Error() string { return e.Flag.Wrong + e.Err.Error() }
func (e *SettingError) Unwrap() error { return e.Err }

// ShowSettings returns all settings of a project.
func (s *Service) ShowSettings(ctx context.Context, in InProject) (SettingsAnswer, error) {
	p, err := s.open(ctx, Settings, in.Project)
	if err != nil {
		return SettingsAnswer{}, err
	}
	defer p.Close()
	var stored []byte
	if s.options.Dir == "" { // whose settings do not count
		if stored, err = p.Settings(ctx); err != nil {
			return SettingsAnswer{}, err
		}
	}
	chosen, _, err := registry.ParseSettings(stored)
	if err != nil {
		return SettingsAnswer{}, err
	}
	var out SettingsAnswer
	for _, e := range settings {
		values, err := e.get(s.runner.Registry(), chosen)
		if err != nil {
			return out, err
		}
		if values == nil {
			values = []string{}
		}
		out.Settings = append(out.Settings, SettingInfo{Name: e.Name, Title: e.Title, About: e.About, List: e.List,
			Choices: e.Choices, Hint: e.Hint, Value: values, WithTools: e.WithTools,
			Fixed: s.fixed() || !s.access.Has(e.needs)})
	}
	return out, nil
}

// A changing is one request to change settings.
type changing struct {
	context.Context
	*Service
	project  string
	warnings []SettingWarning
}

// ChangeSettings changes settings of a project in one step, and returns all of them.
func (s *Service) ChangeSettings(ctx context.Context, in ChangeSettingsRequest) (SettingsAnswer, error) {
	c := &changing{Context: ctx, Service: s, project: in.Project}
	if err := c.change(in.Changes); err != nil {
		return SettingsAnswer{}, err
	}
	out, err := s.ShowSettings(ctx, InProject{in.Project})
	out.Warnings = c.warnings
	return out, err
}

var errFixed = &Error{Code: "forbidden", Message: "the token, or the server's flags, decide on the tools"}

// IdentityField is the field of a project's settings that tells it from others that have, or had, its name.
const IdentityField = "identity"

type MigrateRequest struct {
	Project string `json:"project"`
	// Settings, if not nil, take the place of the project's.
	Settings Object `json:"settings,omitempty" jsonschema:"of an older version, instead of the project's"`
}

type MigrateAnswer struct {
	Migrated bool `json:"migrated" jsonschema:"they had another form"`
}

// MigrateSettings brings settings of an older version into today's form. They can mount any project, so it needs more
// than changing settings does.
func (s *Service) MigrateSettings(ctx context.Context, in MigrateRequest) (out MigrateAnswer, err error) {
	if err := s.access.May(Operate); err != nil {
		return out, err
	}
	return within(ctx, s, Write, in.Project, "", func(p vfs.Project) (MigrateAnswer, error) {
		if s.fixed() {
			return out, errFixed
		}
		defer s.changed(in.Project)
		err := p.EditSettings(ctx, func(stored []byte) ([]byte, error) {
			before := stored
			if in.Settings != nil {
				stored = in.Settings
			}
			settings, migrated, err := registry.ParseSettings(stored)
			if out.Migrated = migrated; err != nil || !migrated && in.Settings == nil {
				return stored, err
			}
			if replaced, _, err := registry.ParseSettings(before); err == nil { // the project stays the same
				settings = settings.WithField(IdentityField, replaced.Field(IdentityField))
			}
			return json.Marshal(settings)
		})
		return out, err
	})
}

func (c *changing) change(changes SettingChanges) error {
	if err := c.may(Settings, c.project); err != nil {
		return err
	}
	if c.fixed() {
		return errFixed
	}
	checked := SettingChanges{}
	for _, e := range settings {
		change, ok := changes[e.Name]
		if !ok {
			continue
		}
		if err := c.access.May(e.needs); err != nil {
			return err
		}
		change, err := e.checked(c, change)
		if err != nil {
			return err
		}
		checked[e.Name] = change
	}
	for name := range changes {
		if _, ok := checked[name]; !ok {
			return Bad("changes", "no setting named %s", plaintext.Clean(name, 100))
		}
	}
	p, err := c.open(c, Settings, c.project)
	if err != nil {
		return err
	}
	defer p.Close()
	err = p.EditSettings(c, func(stored []byte) ([]byte, error) {
		chosen, _, err := registry.ParseSettings(stored)
		if err != nil {
			return nil, fmt.Errorf("project %s: %w", c.project, err)
		}
		for _, e := range settings {
			if change, ok := checked[e.Name]; ok {
				if chosen, err = e.apply(c.runner.Registry(), chosen, change); err != nil {
					return nil, err
				}
			}
		}
		return json.Marshal(chosen)
	})
	if err == nil {
		c.changed(c.project)
	}
	return err
}

// checked returns a change with values as they are kept.
func (e *Setting) checked(c *changing, change SettingChange) (checked SettingChange, err error) {
	switch {
	case !e.List && (len(change.Set) != 1 || len(change.Add)+len(change.Remove) > 0):
		return checked, Bad(e.Name, "%s has one value, which can be set", e.Name)
	case e.put == nil && change.Set != nil:
		return checked, Bad(e.Name, "values of %s can only be added and removed", e.Name)
	}
	for _, of := range []struct {
		values []string
		to     *[]string
		flag   Flag
	}{{change.Set, &checked.Set, e.Set}, {change.Add, &checked.Add, e.Add},
		{change.Remove, &checked.Remove, e.Remove}} {
		if of.values != nil {
			*of.to = []string{}
		}
		for _, value := range of.values {
			if e.check != nil {
				value, err = e.check(c, value, of.to == &checked.Remove)
			} else {
				err = e.offers(value)
			}
			if err != nil {
				return checked, &SettingError{of.flag, err}
			}
			*of.to = append(*of.to, value)
		}
	}
	return checked, nil
}

// offers returns an error if a value is none of the choices.
func (e *Setting) offers(value string) error {
	if slices.ContainsFunc(e.Choices, func(c ToolChoice) bool { return c.Value == value }) {
		return nil
	}
	return Bad(e.Name, "%s is %s, not %q", e.Name, strings.Join(e.Words(), " or "), value)
}

// apply makes a change that has been checked.
func (e *Setting) apply(tools *registry.Registry, s registry.Settings,
	change SettingChange) (registry.Settings, error) {
	if e.put == nil {
		for _, value := range change.Add {
			s = e.turn(tools, s, value, true)
		}
		for _, value := range change.Remove {
			s = e.turn(tools, s, value, false)
		}
		return s, nil
	}
	values := change.Set
	if values == nil {
		present, err := e.get(tools, s)
		if err != nil {
			return s, err
		}
		values = slices.Clone(present)
	}
	same := func(value string) func(string) bool {
		return func(other string) bool {
			return other == value || e.key != nil && e.key(other) == e.key(value)
		}
	}
	for _, value := range change.Remove {
		if e.missing != "" && !slices.ContainsFunc(values, same(value)) {
			if e.key != nil {
				value = e.key(value)
			}
			return s, Bad(e.Name, e.missing, value)
		}
		values = slices.DeleteFunc(values, same(value))
	}
	for _, value := range change.Add {
		if !slices.Contains(values, value) {
			values = append(slices.DeleteFunc(values, same(value)), value)
		}
	}
	return e.put(s, values)
}

// FindOption finds an option by TOOL.NAME, or by NAME if a tool is named already.
func FindOption(tools *registry.Registry, name, toolName string) (tool.Option, string, error) {
	if before, after, ok := strings.Cut(name, "."); ok {
		toolName, name = before, after
	} else if toolName == "" {
		return tool.Option{}, "", fmt.Errorf("malformed option %q: write TOOL.NAME", name)
	}
	spec, ok := tools.Spec(toolName)
	if !ok {
		return tool.Option{}, "", fmt.Errorf("no tool named %q; toolrun tools lists them", toolName)
	}
	var ids []string
	for _, option := range spec.Options {
		if option.ID == name {
			return option, toolName, nil
		}
		ids = append(ids, option.ID)
	}
	if len(ids) == 0 {
		var others []string
		for _, spec := range tools.Specs() {
			if len(spec.Options) > 0 {
				others = append(others, spec.Name)
			}
		}
		return tool.Option{}, "", fmt.Errorf("the tool %s has no options; tools with options: %s", toolName,
			strings.Join(others, ", "))
	}
	return tool.Option{}, "", fmt.Errorf("the tool %s has no option %q; it has %s", toolName, name,
		strings.Join(ids, ", "))
}

// ParseOption reads TOOL.NAME=VALUE, or NAME=VALUE if a tool is named already.
func ParseOption(tools *registry.Registry, text, tool string) (of, id string, value any, err error) {
	name, written, ok := strings.Cut(text, "=")
	if !ok {
		return "", "", nil, fmt.Errorf("malformed option %q: write TOOL.NAME=VALUE", text)
	}
	option, of, err := FindOption(tools, name, tool)
	if err != nil {
		return "", "", nil, err
	}
	value, err = option.ParseOption(written)
	return of, option.ID, value, err
}
