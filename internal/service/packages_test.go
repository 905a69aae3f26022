package service_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/internal/test/pypitest"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/python"
)

// TestWhoAddsPackages has each role call the tool that adds packages: a person may, as with all tools, and a model only
// where a person has switched it on, which no model can.
func TestWhoAddsPackages(t *testing.T) {
	index := pypitest.New()
	index.Add("greet", "1.0", pypitest.Pure, map[string]string{"greet.py": "x = 1"})
	runner, err := toolrun.Open(t.Context(), &toolrun.Options{
		Languages: []code.Language{pypitest.Python(python.Language.Installer)},
		Packages:  &toolrun.PackageIndex{URL: pypitest.URL, Transport: index}})
	require.NoError(t, err)
	defer runner.Close()
	desk, err := service.New(runner, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, desk.Shutdown(context.Background())) }()
	as := func(role service.Role, selects func(registry.Selection) registry.Selection) *service.Service {
		return desk.Open(&service.Access{Name: "ada", Role: role, Project: "own", Select: selects})
	}
	add := func(s *service.Service) string {
		return call(t, s, service.MakeCallRequest{Project: "own", Tool: "python_packages",
			Input: []byte(`{"add": ["greet"]}`)}).Code
	}
	switchOn := service.ChangeSettingsRequest{Project: "own",
		Changes: service.SettingChanges{"tools": {Add: []string{"python_packages"}}}}
	same := func(s registry.Selection) registry.Selection { return s }

	require.Equal(t, "tool_disabled", add(as(service.Model, nil)))
	_, err = as(service.Model, nil).ChangeSettings(t.Context(), switchOn)
	require.Equal(t, "forbidden", service.Explain(err).Code)
	require.Equal(t, "tool_disabled", add(as(service.Person, same)), "the token decides on the tools")
	require.Empty(t, index.Asked())
	require.Empty(t, add(as(service.Person, nil)))
	require.Empty(t, add(as(service.Operator, nil)))

	require.Equal(t, "tool_disabled", add(as(service.Model, nil)))
	_, err = as(service.Person, nil).ChangeSettings(t.Context(), switchOn)
	require.NoError(t, err)
	require.Empty(t, add(as(service.Model, nil)))
	_, err = desk.Open(&service.Access{Name: "ada", Role: service.Operator, Project: "other"}).MakeCall(t.Context(),
		service.MakeCallRequest{Project: "own", Tool: "python_packages"})
	require.Equal(t, "not_found", service.Explain(err).Code)
}
