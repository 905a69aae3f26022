package service

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/registry"
)

type NetworkAnswer struct {
	Rules []string `json:"rules" jsonschema:"such as GET https://example.com/**; the server may allow others"`
	Fixed bool     `json:"fixed,omitempty" jsonschema:"they cannot be changed here"`
}

// ShowNetwork returns the rules of a project's settings by which code makes requests.
func (s *Service) ShowNetwork(ctx context.Context, in InProject) (NetworkAnswer, error) {
	out := NetworkAnswer{Rules: []string{}, Fixed: s.fixed()}
	p, err := s.open(ctx, Settings, in.Project)
	if err != nil {
		return out, err
	}
	defer p.Close()
	if s.options.Dir != "" { // whose settings do not count
		return out, nil
	}
	stored, err := p.Settings(ctx)
	if err != nil {
		return out, err
	}
	settings, _, err := registry.ParseSettings(stored)
	if err != nil {
		return out, err
	}
	rules, err := network.RulesOf(settings.Field(network.SettingsField))
	for _, rule := range rules {
		out.Rules = append(out.Rules, rule.String())
	}
	return out, err
}

type SetNetworkRequest struct {
	Project string `json:"project"`
	Add     string `json:"add,omitempty" jsonschema:"a rule, such as GET https://example.com/**"`
	Remove  string `json:"remove,omitempty" jsonschema:"a rule as the list has it"`
}

// SetNetwork adds a rule to a project's settings, or removes one.
func (s *Service) SetNetwork(ctx context.Context, in SetNetworkRequest) (NetworkAnswer, error) {
	if err := s.may(Settings, in.Project); err != nil {
		return NetworkAnswer{}, err
	}
	if s.fixed() {
		return NetworkAnswer{}, &Error{Code: "forbidden",
			Message: "the token, or the server's flags, decide on the network"}
	}
	var added network.Rule
	if in.Add != "" {
		var err error
		if added, err = network.ParseRule(in.Add); err != nil {
			return NetworkAnswer{}, Bad("add", "%v", err)
		}
	}
	p, err := s.open(ctx, Settings, in.Project)
	if err != nil {
		return NetworkAnswer{}, err
	}
	defer p.Close()
	err = p.EditSettings(ctx, func(stored []byte) ([]byte, error) {
		settings, _, err := registry.ParseSettings(stored)
		if err != nil {
			return nil, err
		}
		rules, err := network.RulesOf(settings.Field(network.SettingsField))
		if err != nil {
			return nil, err
		}
		is := func(text string) func(network.Rule) bool {
			return func(rule network.Rule) bool { return rule.String() == text }
		}
		if in.Remove != "" {
			rules = slices.DeleteFunc(rules, is(in.Remove))
		}
		if in.Add != "" && !slices.ContainsFunc(rules, is(added.String())) {
			rules = append(rules, added)
		}
		return json.Marshal(settings.WithField(network.SettingsField, network.FieldOf(rules)))
	})
	if err != nil {
		return NetworkAnswer{}, err
	}
	s.changed(in.Project)
	return s.ShowNetwork(ctx, InProject{in.Project})
}
