// Package tooltest has helpers for tests of tools that work on files.
package tooltest

import (
	"context"
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// Object is an input.
type Object = map[string]any

// A Bench is a project and some tools, one of them under test.
type Bench struct {
	T     testing.TB
	Tools *registry.Registry
	Tool  string
	Files vfs.Project
}

// InMemory returns an empty project.
func InMemory(t testing.TB, options *vfs.Options) vfs.Project {
	project, err := local.NewMemoryStore(options).Open(t.Context(), "test")
	require.NoError(t, err)
	return project
}

// InDirectory returns the project of a directory.
func InDirectory(t testing.TB, dir string, options *vfs.Options) vfs.Project {
	if options == nil {
		options = &vfs.Options{}
	}
	options.NoSync = true
	options.Unprotect = []string{"*"} // as in a store
	project, err := local.OpenDir(dir, options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = project.Close() })
	return project
}

// OnBoth runs a test with a project in memory and one in a directory.
func OnBoth(t *testing.T, newBench func(t testing.TB, files vfs.Project) *Bench, test func(b *Bench)) {
	t.Run("in memory", func(t *testing.T) { test(newBench(t, InMemory(t, nil))) })
	t.Run("in a directory", func(t *testing.T) { test(newBench(t, InDirectory(t, t.TempDir(), nil))) })
}

// Call calls the tool under test.
func (b *Bench) Call(input any) tool.Result {
	b.T.Helper()
	return b.CallTool(b.Tool, input)
}

// CallTool calls a tool. The input is JSON, or a value to be encoded as JSON.
func (b *Bench) CallTool(name string, input any) tool.Result {
	b.T.Helper()
	raw, ok := input.(json.RawMessage)
	if !ok {
		var err error
		raw, err = json.Marshal(input)
		require.NoError(b.T, err)
	}
	return b.Tools.Dispatch(context.Background(), tool.Call{Tool: name, Input: raw},
		registry.Env{Project: "test", Files: b.Files})
}

// Put writes files of the project. A name that ends with a slash makes a directory.
func (b *Bench) Put(files map[string]string) {
	b.T.Helper()
	for name, content := range files {
		require.NoError(b.T, b.Files.MkdirAll(path.Dir(name), 0o755))
		if !strings.HasSuffix(name, "/") {
			require.NoError(b.T, afero.WriteFile(b.Files, name, []byte(content), 0o644))
		}
	}
}

// Tree returns the project's files. Directories have a slash at the end and no content.
func (b *Bench) Tree() map[string]string {
	b.T.Helper()
	tree := map[string]string{}
	var walk func(dir string)
	walk = func(dir string) {
		infos, err := afero.ReadDir(b.Files, dir)
		require.NoError(b.T, err)
		for _, info := range infos {
			name := path.Join(dir, info.Name())
			switch {
			case info.IsDir():
				tree[name+"/"] = ""
				walk(name)
			case !info.Mode().IsRegular():
				tree[name] = "special"
			default:
				content, err := afero.ReadFile(b.Files, name)
				require.NoError(b.T, err)
				tree[name] = string(content)
			}
		}
	}
	walk("/")
	return tree
}

// Want calls the tool under test and checks the result.
func (b *Bench) Want(input Object, text string, code tool.Code) {
	b.T.Helper()
	result := b.Call(input)
	require.Equal(b.T, text, result.Text(), "%v", input)
	require.Equal(b.T, code, result.Code, "%v", input)
}

// Text joins lines.
func Text(lines ...string) string { return strings.Join(lines, "\n") }
