package registry_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// list returns a tool whose description lists the other tools. Its result lists the tools that it can call.
func list(name string) tool.Tool {
	describe := func(definitions []*tool.Definition) string {
		var texts []string
		for _, d := range definitions {
			texts = append(texts, d.Name+": "+d.Description)
		}
		return "[" + strings.Join(texts, "; ") + "]"
	}
	return doing(name, func(_ context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
		return tool.Text(describe(env.Tools())), nil
	}, func(s *tool.Spec) {
		s.Description = ""
		s.DescriptionFor = func(offer tool.Offer) string {
			if offer.Tools == nil {
				return "alone"
			}
			return describe(offer.Tools())
		}
	})
}

func TestToolsKnowOfTheOthers(t *testing.T) {
	described := func(text string, change ...func(*tool.Spec)) tool.Tool {
		return named(text, append(change, func(s *tool.Spec) { s.Description = text })...)
	}
	r := newRegistry(t, list("a"), list("b"), described("plain"),
		described("net", func(s *tool.Spec) { s.Requires = []tool.Capability{tool.CapabilityNetwork} }),
		described("project", func(s *tool.Spec) { s.NeedsProject = true }),
		named("wrong", func(s *tool.Spec) {
			s.Description, s.DescriptionFor = "", func(tool.Offer) string { panic("it has no description") }
			s.OffByDefault = true
		}))
	for _, c := range []struct {
		why       string
		selection registry.Selection
		want      string
	}{
		{"what is enabled", registry.Selection{}, "[b: alone; plain: plain; project: project]"},
		{"not what is off", registry.Selection{Enable: map[string]bool{"plain": false}},
			"[b: alone; project: project]"},
		{"what is granted", registry.Selection{Grants: []tool.Capability{tool.CapabilityNetwork}},
			"[b: alone; plain: plain; net: net; project: project]"},
		{"nothing without a project", registry.Selection{NoProject: true}, "[b: alone; plain: plain]"},
		{"what is enabled, as before", registry.Selection{}, "[b: alone; plain: plain; project: project]"},
	} {
		t.Run(c.why, func(t *testing.T) {
			definitions, err := r.Definitions(tool.Anthropic, c.selection)
			require.NoError(t, err)
			require.Equal(t, c.want, definitions[0].Description)
			env := registry.Env{Selection: c.selection}
			if !c.selection.NoProject {
				env.Files = newProject(t)
			}
			require.Equal(t, c.want, r.Dispatch(t.Context(), call("a", ""), env).Text(), "it can call the same")
		})
	}
	broken := registry.Env{Selection: registry.Selection{Enable: map[string]bool{"wrong": true}}}
	require.Equal(t, "[b: alone; plain: plain]", r.Dispatch(t.Context(), call("a", ""), broken).Text(),
		"one that is broken is left out")

	changed, err := r.Replacing(named("plain", func(s *tool.Spec) { s.Description = "another one" }))
	require.NoError(t, err)
	definitions, err := changed.Definitions(tool.Anthropic, registry.Selection{})
	require.NoError(t, err)
	require.Equal(t, "[b: alone; plain: another one; project: project]", definitions[0].Description)

	// A tool cannot call its callers, and does not see them in Env.Tools.
	nested := newRegistry(t, calling("a", "b"), list("b"), named("c"))
	require.Equal(t, "call-1.1([c: A tool of the tests.])", nested.Dispatch(t.Context(), call("a", ""),
		registry.Env{}).Text())
}
