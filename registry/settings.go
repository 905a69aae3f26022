package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/vfs"
)

// Settings are the choices of a project or its user about tools. They are stored as fields of a JSON object; its
// other fields are kept unchanged. Choices about unknown tools are kept too.
type Settings struct {
	// EnabledTools lists the enabled tools; all others are off. Nil means that each tool's Spec decides.
	EnabledTools []string
	// ToolEnabled switches single tools on and off. It overrides EnabledTools and Specs.
	ToolEnabled map[string]bool
	// ToolOptions are values of options, by tool and option.
	ToolOptions map[string]map[string]any
	// Ask names the tools whose calls a person must approve: see [Selection].Ask.
	Ask []string
	// Checkpoint says when calls make checkpoints of the project's files. Whoever makes the [Env] of calls takes it
	// over into Env.Checkpoint, as the package toolrun does.
	Checkpoint CheckpointMode

	// rest are the other fields of the JSON object.
	rest map[string]json.RawMessage
}

// ParseSettings parses settings from JSON, and converts those of older versions; migrated reports whether that
// changed anything. Empty data is the zero Settings.
//
// Older versions have no enabledTools but the flags memoryEnabled, jsExecutionEnabled and fsToolEnabled: tools whose
// flag is not true are off. Settings without enabledTools and without any of the old fields have chosen nothing, so the
// defaults of the tools hold, where older versions took all tools to be off.
func ParseSettings(data []byte) (settings Settings, migrated bool, err error) {
	var s Settings
	if len(bytes.TrimSpace(data)) == 0 {
		return s, false, nil
	}
	if len(data) > vfs.MaxSettings {
		return s, false, fmt.Errorf("the settings have %d bytes, more than %d", len(data), vfs.MaxSettings)
	}
	if err := json.Unmarshal(data, &s.rest); err != nil || s.rest == nil {
		return Settings{}, false, errors.Join(errors.New("the settings are not a JSON object"), err)
	}
	for _, field := range []struct {
		name string
		to   any
	}{
		{"enabledTools", &s.EnabledTools},
		{"toolEnabled", &s.ToolEnabled},
		{"toolOptions", &s.ToolOptions},
		{"ask", &s.Ask},
		{"checkpoint", &s.Checkpoint},
	} {
		raw, ok := s.rest[field.name]
		if !ok {
			continue
		}
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		if err := decoder.Decode(field.to); err != nil {
			return Settings{}, false, fmt.Errorf("the settings' %s: %w", field.name, err)
		}
		delete(s.rest, field.name)
	}
	migrated = s.migrate()
	return s, migrated, nil
}

// oldFields are the fields of older settings, which have no enabledTools and toolOptions.
var oldFields = []string{"memoryEnabled", "jsExecutionEnabled", "fsToolEnabled", "memoryUseSystemPrompt",
	"jsLibEnabled"}

// migrate converts settings of an older version. Settings with enabledTools, even an empty list, are of the current
// version; null counts as missing. Settings without any old field are not converted either: the defaults apply.
func (s *Settings) migrate() (changed bool) {
	old := slices.ContainsFunc(oldFields, func(name string) bool { _, there := s.rest[name]; return there })
	if s.EnabledTools != nil || !old {
		return false
	}
	is := func(name, value string) bool { return string(bytes.TrimSpace(s.rest[name])) == value }
	s.EnabledTools = []string{}
	for _, tool := range []struct{ name, flag string }{
		{"memory", "memoryEnabled"}, {"javascript", "jsExecutionEnabled"}, {"filesystem", "fsToolEnabled"},
	} {
		if is(tool.flag, "true") {
			s.EnabledTools = append(s.EnabledTools, tool.name)
		}
	}
	for _, option := range []struct {
		tool, id, flag string
		value          bool
	}{
		{"memory", "useSystemPrompt", "memoryUseSystemPrompt", true}, {"javascript", "loadLib", "jsLibEnabled", false},
	} {
		if _, set := s.ToolOptions[option.tool][option.id]; !set && is(option.flag, strconv.FormatBool(option.value)) {
			*s = s.WithOption(option.tool, option.id, option.value)
		}
	}
	for _, name := range oldFields {
		delete(s.rest, name)
	}
	return true
}

// MarshalJSON encodes the settings, with all other fields that were parsed.
func (s Settings) MarshalJSON() ([]byte, error) {
	fields := map[string]any{}
	for name, raw := range s.rest {
		fields[name] = raw
	}
	if s.EnabledTools != nil {
		fields["enabledTools"] = s.EnabledTools
	}
	if len(s.ToolEnabled) > 0 {
		fields["toolEnabled"] = s.ToolEnabled
	}
	if len(s.ToolOptions) > 0 {
		fields["toolOptions"] = s.ToolOptions
	}
	if len(s.Ask) > 0 {
		fields["ask"] = s.Ask
	}
	if s.Checkpoint != CheckpointNever {
		fields["checkpoint"] = s.Checkpoint
	}
	return jsontree.Marshal(fields)
}

// Field returns a field of the JSON object that is not the registry's, or nil.
func (s Settings) Field(name string) json.RawMessage { return slices.Clone(s.rest[name]) }

// WithField returns a copy with another value, which must be valid JSON, of a field that is not the registry's; nil
// removes it.
func (s Settings) WithField(name string, value json.RawMessage) Settings {
	s.rest = maps.Clone(s.rest)
	if s.rest == nil {
		s.rest = map[string]json.RawMessage{}
	}
	if s.rest[name] = value; value == nil {
		delete(s.rest, name)
	}
	return s
}

// UnmarshalJSON parses as [ParseSettings] does.
func (s *Settings) UnmarshalJSON(data []byte) (err error) {
	*s, _, err = ParseSettings(data)
	return err
}

// enabled reports whether a tool is switched on. fallback is the default from its Spec.
func (s *Settings) enabled(name string, fallback bool) bool {
	if on, ok := s.ToolEnabled[name]; ok {
		return on
	}
	if s.EnabledTools != nil {
		return slices.Contains(s.EnabledTools, name)
	}
	return fallback
}

// WithEnabled returns a copy that switches a tool on or off.
func (s Settings) WithEnabled(name string, on bool) Settings {
	s.ToolEnabled = maps.Clone(s.ToolEnabled)
	if s.EnabledTools == nil {
		if s.ToolEnabled == nil {
			s.ToolEnabled = map[string]bool{}
		}
		s.ToolEnabled[name] = on
		return s
	}
	delete(s.ToolEnabled, name)
	s.EnabledTools = slices.DeleteFunc(slices.Clone(s.EnabledTools),
		func(other string) bool { return !on && other == name })
	if on && !slices.Contains(s.EnabledTools, name) {
		s.EnabledTools = append(s.EnabledTools, name)
	}
	return s
}

// WithOption returns a copy that sets an option of a tool; nil resets it to its default. The registry checks the
// value when it is used; check it before with [tool.Option.ParseOption].
func (s Settings) WithOption(tool, option string, value any) Settings {
	s.ToolOptions = withOption(s.ToolOptions, tool, option, value)
	if value == nil {
		delete(s.ToolOptions[tool], option)
	}
	if len(s.ToolOptions[tool]) == 0 {
		delete(s.ToolOptions, tool)
	}
	return s
}

// withOption returns a copy of the options of tools in which one is another.
func withOption(of map[string]map[string]any, tool, option string, value any) map[string]map[string]any {
	if of = maps.Clone(of); of == nil {
		of = map[string]map[string]any{}
	}
	if of[tool] = maps.Clone(of[tool]); of[tool] == nil {
		of[tool] = map[string]any{}
	}
	of[tool][option] = value
	return of
}
