package registry

import (
	"slices"

	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/tool"
)

// A Selection decides which tools are enabled, with which options. It comes with each call and is not part of the
// registry. The zero value enables the default tools and grants nothing.
type Selection struct {
	// Settings are the choices of the project or its user.
	Settings Settings
	// Enable switches tools on (true) and off (false). It overrides Settings.
	Enable map[string]bool
	// Options sets options, by tool and option. It overrides those of Settings.
	Options map[string]map[string]any
	// Mode is the way in which tools are used. Empty means any.
	Mode tool.Mode
	// Grants are the capabilities that tools may use.
	Grants []tool.Capability
	// Ask names the tools whose calls a person must approve: see [CheckAsk] for the rules. It adds to that of Settings.
	// Calls of tools by tools need it, too. AskIf, if not nil, says so of single calls; it must be fast.
	Ask   []string
	AskIf func(call tool.Call, spec *tool.Spec) bool
	// Session, if not empty, is the value of the option [tool.OptionSession] of all tools that have it, unless Options
	// says otherwise: calls go on with the variables of that session of the project.
	Session string
	// Network is the way of code to the network. Nil means that there is none. Tools make requests with [Env.Network].
	Network network.Gate
	// NoProject disables tools that need a project. It is implied for calls without files.
	NoProject bool
}

// Only returns a copy that enables only the named tools, and those that are always enabled.
func (s Selection) Only(names ...string) Selection {
	s.Settings.EnabledTools = slices.Clone(names)
	if s.Settings.EnabledTools == nil {
		s.Settings.EnabledTools = []string{}
	}
	s.Settings.ToolEnabled, s.Enable = nil, nil
	return s
}

// WithOption returns a copy that sets an option of a tool.
func (s Selection) WithOption(tool, option string, value any) Selection {
	s.Options = withOption(s.Options, tool, option, value)
	return s
}

// chooses reports whether a tool is switched on, regardless of the mode and the project.
func (r *Registry) chooses(s *Selection, spec *tool.Spec) bool {
	if whole := r.byName[spec.PartOf]; spec.PartOf != "" && whole != nil {
		if on, ok := s.choice(spec.Name); ok {
			return on
		}
		return s.chooses(&whole.spec) && slices.Contains(formsOf(spec), s.form(whole))
	}
	forms := r.parted[spec.Name]
	return s.chooses(spec) && (forms == nil || !slices.Contains(forms, s.form(r.byName[spec.Name])))
}

// formsOf returns the forms of a whole tool that a part belongs to.
func formsOf(part *tool.Spec) []string {
	if len(part.Forms) == 0 {
		return []string{tool.OptionSplit}
	}
	return part.Forms
}

// form returns the form in which a tool is offered, or "" if it is offered as a whole.
func (s *Selection) form(whole *entry) string {
	options, err := whole.options(s)
	form := options.Text(tool.OptionForm)
	if err == nil && form == "" && options.Bool(tool.OptionSplit) {
		return tool.OptionSplit
	}
	return form
}

// choice reports whether a selection switches a tool on. ok is false if it does not mention the tool.
func (s *Selection) choice(name string) (on, ok bool) {
	if on, ok := s.Enable[name]; ok {
		return on, true
	}
	if on, ok := s.Settings.ToolEnabled[name]; ok {
		return on, true
	}
	on = slices.Contains(s.Settings.EnabledTools, name)
	return on, on
}

// chooses reports whether a tool that is not a part of another one is switched on.
func (s *Selection) chooses(spec *tool.Spec) bool {
	if spec.AlwaysEnabled {
		return true
	}
	if on, ok := s.Enable[spec.Name]; ok {
		return on
	}
	return s.Settings.enabled(spec.Name, !spec.OffByDefault)
}

// allows reports whether a tool is enabled: it is switched on, belongs to this mode, and has a project if it needs one.
func (r *Registry) allows(s *Selection, spec *tool.Spec) bool {
	return (s.Mode == "" || len(spec.Modes) == 0 || slices.Contains(spec.Modes, s.Mode)) &&
		!(spec.NeedsProject && s.NoProject) && r.chooses(s, spec)
}

// offers reports whether a model gets a tool: it is enabled, and all capabilities that it requires are granted.
func (r *Registry) offers(s *Selection, spec *tool.Spec) bool {
	return r.allows(s, spec) && s.denied(spec) == ""
}

// denied returns a capability that the tool requires and the selection does not grant, or "".
func (s *Selection) denied(spec *tool.Spec) tool.Capability {
	for _, c := range spec.Requires {
		if !slices.Contains(s.Grants, c) {
			return c
		}
	}
	return ""
}
