package javascript_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/countdown"
	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/leakcheck"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/filesystem"
	jstool "github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/tools/memory"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// looks are how many looks at a context are tried: all of the first ones, and fewer of those after them.
func looks(most int) (all []int) {
	for n := 0; n <= most; n += 1 + n/20 {
		all = append(all, n)
	}
	return all
}

// TestContextsThatEndAtEachStageOfARun ends the context of a run at each of its stages.
func TestContextsThatEndAtEachStageOfARun(t *testing.T) {
	engine := enginetest.New(sandbox.EngineOptions{MaxIdle: 2})
	defer func() { require.NoError(t, engine.Close(context.Background())) }()
	const script = `
		import {later} from '/module.ts';
		for (let i = 0; i < 3; i++) {
			await fs.writeFile('/out/' + i, 'x'.repeat(1000));
			await Promise.all([add(i, 1), add(i, 2)]);
			await new Promise((r) => setTimeout(r, 1));
			let n = 0; for (let k = 0; k < 3e4; k++) n += k;
		}
		export default later(which) + add(1, 2)`
	run := func(ctx context.Context) (*javascript.Result, error) {
		files := filesWith(t, map[string]string{"/lib/a.js": `var which = Date.now() && 7`,
			"/module.ts": `export const later = (n: number): number => n + 1`})
		return engine.Run(ctx, script, &javascript.RunOptions{
			Files: files, Libraries: []string{"/lib"}, Limits: sandbox.Limits{Time: patience},
			Globals:   map[string]any{"x": []byte("bytes")},
			Functions: []javascript.Function{{Name: "add", Call: addArguments}},
		})
	}
	result, err := run(context.Background())
	require.NoError(t, err)
	require.Equal(t, "11", result.Text)
	before := leakcheck.Take()
	stopped, succeeded := 0, 0
	for _, n := range looks(250) {
		ctx := countdown.After(n)
		result, err := run(ctx)
		require.NotNil(t, result)
		if err == nil {
			succeeded++
			require.Equal(t, "11", result.Text, "%d looks", n)
			continue
		}
		stopped++
		require.True(t, ctx.Ended(), "%d looks: %v", n, err)
		require.ErrorIs(t, err, context.Canceled, "%d looks", n)
		require.False(t, javascript.IsScriptFailure(err), "%d looks: %v", n, err)
		require.Empty(t, result.Text)
	}
	t.Logf("%d stopped, %d succeeded", stopped, succeeded)
	require.Greater(t, stopped, 10)
	result, err = run(context.Background())
	require.NoError(t, err)
	require.Equal(t, "11", result.Text)
	before.Require(t, leakcheck.Growth{Mappings: 50, Memory: 64 << 20})
}

// TestContextsThatEndAtEachStageOfACall does the same with calls of tools, and looks at what they have made of files.
func TestContextsThatEndAtEachStageOfACall(t *testing.T) {
	tools, err := registry.New(jstool.New(func(context.Context) (*javascript.Interpreter, error) {
		return engine.Interpreter, nil
	}, nil), memory.New(), filesystem.New())
	require.NoError(t, err)
	input := func(fields ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(fields); i += 2 {
			m[fields[i].(string)] = fields[i+1]
		}
		return m
	}
	for _, test := range []struct {
		tool  string
		input map[string]any
	}{
		{"javascript", input("code",
			`await tools.filesystem({command: 'view', path: '/'}).catch(() => 0);
				fs.writeFileSync('/new', 'new'); return 'x'.repeat(50000)`)},
		{"memory", input("command", "create", "path", "/memories/new", "file_text", "new")},
		{"memory", input("command", "str_replace", "path", "/memories/old", "old_str", "old", "new_str", "new")},
		{"filesystem", input("command", "create", "path", "/new", "file_text", "new")},
		{"filesystem", input("command", "str_replace", "path", "/old", "old_str", "old", "new_str", "new")},
		{"filesystem", input("command", "rename", "old_path", "/old", "new_path", "/dir/new")},
		{"filesystem", input("command", "view", "path", "/")},
		{"filesystem", input("command", "delete", "path", "/old")},
	} {
		t.Run(fmt.Sprint(test.tool, " ", test.input["command"]), func(t *testing.T) {
			raw, err := json.Marshal(test.input)
			require.NoError(t, err)
			dir := t.TempDir()
			before := leakcheck.Take()
			stopped := 0
			for _, n := range looks(60) {
				project, err := local.OpenDir(dir, &vfs.Options{NoSync: true})
				require.NoError(t, err)
				require.NoError(t, project.RemoveAll("/dir"))
				for _, name := range []string{"/new", "/memories/new"} {
					require.NoError(t, project.RemoveAll(name))
				}
				for _, name := range []string{"/old", "/memories/old"} {
					require.NoError(t, vfs.WriteFile(t.Context(), project, name, []byte("old")))
				}
				ctx := countdown.After(n)
				env := registry.Env{Files: project, Limits: registry.Limits{Timeout: patience}}
				env.Selection.Options = map[string]map[string]any{jstool.Name: {code.OptionToolCalls: true}}
				result := tools.Dispatch(ctx, tool.Call{ID: "call", Tool: test.tool, Input: raw}, env)
				require.NotEmpty(t, result.Text())
				if result.IsError() {
					stopped++
					require.Equal(t, tool.CodeCanceled, result.Code, "%d looks: %s: %v", n, result.Text(),
						result.Err)
					// What a script has done before it was stopped is told as well.
					require.Regexp(
						t, `^(Tool execution was canceled\.$|the script was stopped: context canceled(\n|$))`,
						result.Text(), "%d looks", n,
					)
					require.ErrorIs(t, result.Err, context.Canceled)
				}
				for _, name := range []string{"/old", "/new", "/dir/new", "/memories/old", "/memories/new"} {
					if content, err := afero.ReadFile(project, name); err == nil {
						require.Contains(t, []string{"old", "new"}, string(content), "%d looks: %s", n, name)
					}
				}
				usage, err := project.Usage(t.Context())
				require.NoError(t, err)
				var found vfs.Usage
				require.NoError(t, afero.Walk(project, "/", func(name string, info fs.FileInfo, err error) error {
					if err == nil && name != "/" {
						found.Files++
						if !info.IsDir() {
							found.Bytes += info.Size()
						}
					}
					return err
				}))
				require.Equal(t, found, vfs.Usage{Files: usage.Files, Bytes: usage.Bytes}, "%d looks", n)
				require.NoError(t, project.Close())
			}
			require.Positive(t, stopped)
			before.Require(t, leakcheck.Growth{Mappings: 50})
		})
	}
	healthy(t)
}
