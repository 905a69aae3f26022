package runs

import "github.com/toolrun/toolrun/registry"

// A Choice is what a call's selection had chosen, for whoever goes on with it elsewhere with the same tools and options.
// What the call may use is not in there: that is decided when it goes on.
type Choice struct {
	EnabledTools []string                  `json:"enabledTools"`
	Enable       map[string]bool           `json:"enable,omitempty"`
	Options      map[string]map[string]any `json:"options,omitempty"`
	Ask          []string                  `json:"ask,omitempty"`
}

func choiceOf(s *registry.Selection) Choice {
	return Choice{s.Settings.EnabledTools, s.Enable, s.Options, s.Ask}
}

// In returns the selection with what was chosen.
func (c Choice) In(s registry.Selection) registry.Selection {
	if c.EnabledTools != nil {
		s.Settings.EnabledTools = c.EnabledTools
	}
	if c.Enable != nil {
		s.Enable = c.Enable
	}
	for tool, options := range c.Options {
		for id, value := range options {
			s = s.WithOption(tool, id, value)
		}
	}
	s.Ask = c.Ask
	return s
}
