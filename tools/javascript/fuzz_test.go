package javascript_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/internal/tooltest"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/tools/memory"
)

// fuzzedTools are made once, since they serve thousands of calls.
var fuzzedTools = sync.OnceValue(func() *registry.Registry {
	r, err := registry.New(memory.New(), toolOn(engine), filesystem.New())
	if err != nil {
		panic(err)
	}
	return r
})

// FuzzInput passes anything as the input, or as the code in it, with options that are not all valid. Nothing may fail
// in a way that is not foreseen, and nothing but the files that are the code's may change.
func FuzzInput(f *testing.F) {
	for i, code := range []string{
		"return 1", "const a: number = 1; return a", "import {one} from '/lib/l.js'\nexport default one",
		"```js\nreturn 1\n```", "", "\x00", "\xff", "return '\\ud800'", "halt('x')", "process.exit(3)",
		"await fs.writeFile('/n', 'x'.repeat(5000)); return fs.readdir('/', {recursive: true})",
		"await fs.writeFile('/memories/a.txt', ''); return 1", "await fs.rm('/', {recursive: true, force: true})",
		"await fs.rename('/memories', '/m')", "await fs.rename('/d', '/memories/d')",
		"await fs.writeFile('/../../outside.txt', 'x'); await fs.writeFile('../outside.txt', '')",
		"await fs.cp('/memories', '/d', {recursive: true}); await fs.writeFile('/d/a.txt', '2')",
		"await fs.writeFile('/.toolrun/x', '')",
		"await fs.mkdir('/lib/sub'); await fs.writeFile('/lib/z.js', 'throw 1')",
		"return await tools.memory({command: 'create', path: '/memories/b', file_text: 'b'})",
		"return await tools.filesystem({command: 'delete', path: '/memories/a.txt'})",
		"return await tools.javascript({code: 'return 1'})",
		"return await Promise.all([1, 2].map((n) => tools.filesystem({command: 'view', path: '/a.txt', n})))",
		"for (let i = 0; i < 3000; i++) await fs.writeFile('/many/' + i, '')", "return 'x'.repeat(1e6)",
		"return new Uint8Array(1e6)", "console.log('a'); throw new Error('e', {cause: {a: [1]}})",
		"await new Promise(() => {})",
		"const o = {}; o.o = o; return o", "return JSON.parse('['.repeat(5000) + ']'.repeat(5000))", "import('/a.txt')",
		"require('/d/e.json')",
	} {
		f.Add(true, []byte(code), byte(i))
	}
	for i, input := range []string{
		`{"code":"return 1"}`, `{"code":1}`, `{"code":["return 1"]}`, `{"kode":"return 1"}`, `{}`, `[]`, `null`,
		`"return 1"`, `{"code":"return 1","code":"return 2"}`, `{"code":"\ud800"}`, `{"code":null}`, `{`, ``,
		`{"code":"return 1","x":1e999999}`, `"{\"code\":\"return 1\"}"`,
	} {
		f.Add(false, []byte(input), byte(i))
	}
	f.Fuzz(func(t *testing.T, isCode bool, input []byte, how byte) {
		outside := t.TempDir()
		root := filepath.Join(outside, "project")
		require.NoError(t, os.Mkdir(root, 0o700))
		b := &tooltest.Bench{T: t, Tools: fuzzedTools(), Files: tooltest.InDirectory(t, root, nil)}
		b.Put(map[string]string{
			"/a.txt": "a\n", "/d/e.json": "[1]", "/memories/a.txt": "1", "/memories/d/e": "2",
			"/lib/l.js": "exports.one = 1",
		})
		secret := filepath.Join(outside, "outside.txt")
		require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
		if isCode {
			var err error
			input, err = json.Marshal(map[string]string{"code": string(input)})
			require.NoError(t, err)
		}
		before := b.Tree()
		options := map[string]any{
			code.OptionMemory:         []any{16, 4, 64, 1e9, "x"}[how%5],
			javascript.OptionLoadLib:  how&1 == 0,
			javascript.OptionLanguage: []any{"auto", "javascript", "typescript", "other"}[how>>1&3],
			code.OptionToolCalls:      how&8 == 0,
		}
		env := registry.Env{
			Project: "test", Files: b.Files, Limits: registry.Limits{Timeout: 2 * time.Second},
			Selection: registry.Selection{Options: map[string]map[string]any{javascript.Name: options}},
		}
		call := tool.Call{ID: "call", Tool: javascript.Name, Input: input}
		b.Tools.RenderInput(call)
		result := b.Tools.Dispatch(t.Context(), call, env)
		b.Tools.RenderOutput(result)
		after := b.Tree()
		switch result.Code {
		case "", tool.CodeTool, tool.CodeTimeout:
		case tool.CodeInvalidInput, tool.CodeOptions:
			require.Equal(t, before, after)
		default:
			require.Fail(t, "unforeseen", "%s: %s", result.Code, result.Text())
		}
		require.NotEmpty(t, result.Text())
		require.True(t, utf8.ValidString(result.Text()))
		_, err := json.Marshal(result.Data)
		require.NoError(t, err)

		for name, content := range before { // which code can change by the tool for it only
			if strings.HasPrefix(name, "/memories/") && options[code.OptionToolCalls] == false {
				require.Equal(t, content, after[name])
				delete(after, name)
			}
		}
		for name, content := range after {
			require.NotEqual(t, "special", content)
			require.False(t, strings.HasPrefix(name, "/memories/") &&
				options[code.OptionToolCalls] == false, name)
			require.NotContains(t, content, "secret")
		}
		content, err := os.ReadFile(secret)
		require.NoError(t, err)
		require.Equal(t, "secret", string(content))
		entries, err := os.ReadDir(outside)
		require.NoError(t, err)
		require.Len(t, entries, 2)
	})
}
