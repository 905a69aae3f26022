package service_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/service"
	asm "github.com/toolrun/toolrun/internal/wasm/wasmasm"
	"github.com/toolrun/toolrun/tools/module"
)

// TestModulesSayWhatTheyMayUse has modules with each kind of grant, and with none.
func TestModulesSayWhatTheyMayUse(t *testing.T) {
	program := &asm.Module{}
	program.Export("_start", program.Func(":", ""))
	program.Memory(1)
	const rule = "GET https://example.com/**"
	all := module.Asks{Files: module.AccessRead, Env: []string{"KEY"}, Clock: true, Random: true,
		Tools: []string{"memory"}, Network: []string{rule}}
	modules := module.OpenStore(t.TempDir())
	for name, grants := range map[string]module.Grants{"none": {}, "every": {Files: module.AccessRead,
		Env: map[string]string{"KEY": "secret"}, Clock: true, Random: true, Tools: all.Tools, Network: all.Network}} {
		_, err := modules.Add(&module.Manifest{Name: name, Description: "Does nothing.", Asks: all}, program.Bytes(),
			module.AddOptions{Grants: grants})
		require.NoError(t, err)
	}
	desk, _ := newDesk(t, service.Options{Modules: modules})
	list, err := desk.Open(&service.Access{Role: service.Operator}).ListModules(t.Context(), service.Nothing{})
	require.NoError(t, err)
	require.Len(t, list.Modules, 2)
	require.Equal(t, "clock, files: read, network "+rule+", randomness, tool memory, variable KEY",
		list.Modules[0].Grants)
	require.Equal(t, "nothing but its input", list.Modules[1].Grants)
}
