package waiting

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// A Choice is what a call's selection had chosen, for whoever goes on with it elsewhere with the same tools. What the
// call may use is not in there: that is decided when it goes on.
type Choice struct {
	EnabledTools []string        `json:"enabledTools"`
	ToolEnabled  map[string]bool `json:"toolEnabled,omitempty"`
	Enable       map[string]bool `json:"enable,omitempty"`
	// Mode is the way in which the tools were used.
	Mode tool.Mode `json:"mode,omitempty"`
	// Options, Session and Ask are the selection's own, without the project's settings. A call always goes on with
	// them.
	Options map[string]map[string]any `json:"options,omitempty"`
	Session string                    `json:"session,omitempty"`
	Ask     []string                  `json:"ask,omitempty"`
	// AskIf says that the selection has a function of that name, which cannot be kept.
	AskIf bool `json:"askIf,omitempty"`
}

func choiceOf(s *registry.Selection) Choice {
	c := Choice{EnabledTools: s.Settings.EnabledTools, ToolEnabled: s.Settings.ToolEnabled,
		Enable: s.Enable, Mode: s.Mode, Session: s.Session,
		Ask: s.Ask, AskIf: s.AskIf != nil}
	for tool, options := range s.Options {
		kept := map[string]any{}
		for id, value := range options {
			kept[id] = plain(value)
		}
		if c.Options == nil {
			c.Options = map[string]map[string]any{}
		}
		c.Options[tool] = kept
	}
	return c
}

// plain returns a value that an option can have, and for all others nil, which no option allows either. A type that
// becomes another one when it is kept must not make a value valid.
func plain(value any) any {
	switch value.(type) {
	case bool, string, float64, int, int64, json.Number:
		if _, err := json.Marshal(value); err == nil {
			return value
		}
	}
	return nil
}

// In returns the selection with what was chosen, except for the options and the rules for approvals, with which the
// call goes on in any case. Tools that the call did not have are off, even if the selection has them: a call that was
// limited to some tools stays so. What a project's settings have switched off meanwhile stays off.
func (c Choice) In(s registry.Selection) registry.Selection {
	now := s.Settings
	if c.EnabledTools != nil {
		s.Settings.EnabledTools = slices.DeleteFunc(slices.Clone(c.EnabledTools), func(name string) bool {
			return now.EnabledTools != nil && !slices.Contains(now.EnabledTools, name)
		})
	}
	s.Settings.ToolEnabled = chosen(c.ToolEnabled, now.ToolEnabled)
	maps.DeleteFunc(s.Settings.ToolEnabled, func(name string, on bool) bool {
		return on && now.EnabledTools != nil && !now.ToolEnabled[name] && !slices.Contains(now.EnabledTools, name)
	})
	s.Enable = chosen(c.Enable, s.Enable)
	s.Mode = cmp.Or(c.Mode, s.Mode)
	return s
}

// chosen returns what was chosen then, without what is off now.
func chosen(then, now map[string]bool) map[string]bool {
	chosen := maps.Clone(then)
	for name, on := range now {
		if on {
			continue
		}
		if chosen == nil {
			chosen = map[string]bool{}
		}
		chosen[name] = false
	}
	return chosen
}

// withOwn returns the selection with the options of the call in place of its own, which are for other calls: a call
// must not go on in the session of who approves it. The rules for approvals are those of both.
func (c Choice) withOwn(s registry.Selection) registry.Selection {
	s.Options, s.Session = c.Options, c.Session
	s.Ask = slices.Concat(s.Ask, c.Ask)
	if c.AskIf && s.AskIf == nil {
		s.Ask = append(s.Ask, registry.AskAll)
	}
	return s
}
