package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/module"
)

// TestModule builds the tool in both forms, adds it with a grant and lets a model call it.
func TestModule(t *testing.T) {
	for name, flags := range map[string][]string{"command": nil, "reactor": {"-buildmode=c-shared"}} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "module.wasm")
			build := exec.Command("go", append(append([]string{"build", "-o", file}, flags...), ".")...)
			build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
			out, err := build.CombinedOutput()
			require.NoError(t, err, "%s", out)
			code, err := os.ReadFile(file)
			require.NoError(t, err)

			dir := t.TempDir()
			runner, err := toolrun.Open(t.Context(), nil) // for its engine
			require.NoError(t, err)
			defer runner.Close()
			manifest, err := module.Describe(t.Context(), runner.Engine(), code)
			require.NoError(t, err)
			_, err = module.OpenStore(dir).Add(manifest, code,
				module.AddOptions{Grants: module.Grants{Files: module.AccessRead}})
			require.NoError(t, err)

			with, err := toolrun.Open(t.Context(), &toolrun.Options{Modules: dir, Engine: runner.Engine()})
			require.NoError(t, err)
			defer with.Close()
			session, err := with.Session(t.Context(), "sales", nil)
			require.NoError(t, err)
			require.NoError(t, afero.WriteFile(session.Project(), "/sales.csv",
				[]byte("city,amount\nOslo,20\nLima,22\n"), 0o644))
			results, err := session.DispatchAll(t.Context(), []tool.Call{
				{ID: "1", Tool: "csv_summary", Input: json.RawMessage(`{"path":"/sales.csv"}`)},
				{ID: "2", Tool: "csv_summary", Input: json.RawMessage(`{"path":"/nothing.csv"}`)},
			})
			require.NoError(t, err)
			require.JSONEq(t,
				`{"rows":2,"columns":[{"name":"city","numbers":0,"sum":0},{"name":"amount","numbers":2,"sum":42}]}`,
				results[0].Text())
			require.True(t, results[1].IsError())
			require.Contains(t, results[1].Text(), "open /nothing.csv: ")
		})
	}
}
