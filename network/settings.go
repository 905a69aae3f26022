package network

import (
	"encoding/json"
	"fmt"
	"slices"
)

// SettingsField is the field of a project's settings that has rules for its requests, in addition to those of the host:
//
//	"network": {"allow": ["GET https://api.github.com/repos/**"]}
const SettingsField = "network"

// settings are what is in the field.
type settings struct {
	Allow []string `json:"allow,omitempty"`
}

// RulesOf reads the value of SettingsField. None has no rules.
func RulesOf(field json.RawMessage) ([]Rule, error) {
	var s settings
	if len(field) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(field, &s); err != nil {
		return nil, fmt.Errorf("the settings' %s: %w", SettingsField, err)
	}
	var rules []Rule
	for _, text := range s.Allow {
		rule, err := ParseRule(text)
		if err != nil {
			return nil, fmt.Errorf("the settings' %s: %w", SettingsField, err)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// FieldOf returns the value of SettingsField for rules, or nil if there are none.
func FieldOf(rules []Rule) json.RawMessage {
	var s settings
	for _, r := range rules {
		s.Allow = append(s.Allow, r.String())
	}
	if s.Allow == nil {
		return nil
	}
	data, _ := json.Marshal(s) // strings do not fail
	return data
}

// With returns a copy of the policy, which can be nil, that has more rules.
func (p *Policy) With(rules ...Rule) *Policy {
	var with Policy
	if p != nil {
		with = *p
	}
	with.Rules = slices.Concat(with.Rules, rules)
	return &with
}
