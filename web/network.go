package web

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/registry"
)

func networkRoutes() []route {
	return []route{
		operation("GET", "/api/network",
			"The rules of a project's settings by which code makes requests.", showNetwork),
		operation("POST", "/api/network", "Add a rule to a project's settings, or remove one.", setNetwork),
	}
}

type networkAnswer struct {
	Rules []string `json:"rules" jsonschema:"such as GET https://example.com/**; the server may allow others"`
	Fixed bool     `json:"fixed,omitempty" jsonschema:"they cannot be changed here"`
}

func showNetwork(s *Server, r *request, in inProject) (networkAnswer, error) {
	out := networkAnswer{Rules: []string{}, Fixed: s.fixed(r)}
	p, err := s.open(r, in.Project)
	if err != nil {
		return out, err
	}
	defer p.Close()
	if s.options.Dir != "" { // whose settings do not count
		return out, nil
	}
	stored, err := p.Settings(r.Context())
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

type setNetworkRequest struct {
	Project string `json:"project"`
	Add     string `json:"add,omitempty" jsonschema:"a rule, such as GET https://example.com/**"`
	Remove  string `json:"remove,omitempty" jsonschema:"a rule as the list has it"`
}

func setNetwork(s *Server, r *request, in setNetworkRequest) (networkAnswer, error) {
	if s.fixed(r) {
		return networkAnswer{}, &failure{status: http.StatusForbidden, Code: "forbidden",
			Message: "the token, or the server's flags, decide on the network"}
	}
	var added network.Rule
	if in.Add != "" {
		var err error
		if added, err = network.ParseRule(in.Add); err != nil {
			return networkAnswer{}, bad("add", "%v", err)
		}
	}
	p, err := s.open(r, in.Project)
	if err != nil {
		return networkAnswer{}, err
	}
	defer p.Close()
	err = p.EditSettings(r.Context(), func(stored []byte) ([]byte, error) {
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
		return networkAnswer{}, err
	}
	s.watches.changed(s.store(r), in.Project)
	return showNetwork(s, r, inProject{in.Project})
}
