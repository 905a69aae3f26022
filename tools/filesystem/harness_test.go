package filesystem_test

import (
	"context"
	"encoding/json"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/memory"
	"github.com/toolrun/toolrun/vfs"
)

// object is an input.
type object = map[string]any

// A bench is a project and the tools.
type bench struct {
	t     testing.TB
	tools *registry.Registry
	files *vfs.Project
}

// bothTools is made once, since some tests need it thousands of times.
var bothTools = sync.OnceValues(func() (*registry.Registry, error) { return registry.New(memory.New(), filesystem.New()) })

func newBench(t testing.TB, files *vfs.Project) *bench {
	tools, err := bothTools()
	require.NoError(t, err)
	return &bench{t, tools, files}
}

func inMemory(t testing.TB, options *vfs.Options) *vfs.Project {
	project, err := vfs.NewMemoryStore(options).Open("test")
	require.NoError(t, err)
	return project
}

func inDirectory(t testing.TB, dir string, options *vfs.Options) *vfs.Project {
	if options == nil {
		options = &vfs.Options{}
	}
	options.NoSync = true
	project, err := vfs.OpenDir(dir, options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = project.Close() })
	return project
}

// onBoth runs a test with a project in memory and one in a directory.
func onBoth(t *testing.T, test func(b *bench)) {
	t.Run("in memory", func(t *testing.T) { test(newBench(t, inMemory(t, nil))) })
	t.Run("in a directory", func(t *testing.T) { test(newBench(t, inDirectory(t, t.TempDir(), nil))) })
}

func (b *bench) call(tool string, input any) registry.Result {
	b.t.Helper()
	raw, ok := input.(json.RawMessage)
	if !ok {
		var err error
		raw, err = json.Marshal(input)
		require.NoError(b.t, err)
	}
	return b.tools.Dispatch(context.Background(), registry.Call{Tool: tool, Input: raw}, registry.Env{Project: "test", Files: b.files})
}

// put writes files, and makes directories of names that end with a slash.
func (b *bench) put(files map[string]string) {
	b.t.Helper()
	for name, content := range files {
		require.NoError(b.t, b.files.MkdirAll(path.Dir(name), 0o755))
		if !strings.HasSuffix(name, "/") {
			require.NoError(b.t, afero.WriteFile(b.files, name, []byte(content), 0o644))
		}
	}
}

// tree is what the project contains: directories with a slash at the end and no content.
func (b *bench) tree() map[string]string {
	b.t.Helper()
	tree := map[string]string{}
	var walk func(dir string)
	walk = func(dir string) {
		infos, err := afero.ReadDir(b.files, dir)
		require.NoError(b.t, err)
		for _, info := range infos {
			name := path.Join(dir, info.Name())
			if info.IsDir() {
				tree[name+"/"] = ""
				walk(name)
				continue
			}
			content, err := afero.ReadFile(b.files, name)
			require.NoError(b.t, err)
			tree[name] = string(content)
		}
	}
	walk("/")
	return tree
}

// A step is a call and its result.
type step struct {
	input object
	want  string
	code  registry.Code
}

const failed = registry.CodeTool

func (b *bench) do(steps ...step) {
	b.t.Helper()
	for _, s := range steps {
		result := b.call("filesystem", s.input)
		require.Equal(b.t, s.want, result.Text(), "%v", s.input)
		require.Equal(b.t, s.code, result.Code, "%v", s.input)
	}
}

// text joins lines.
func text(lines ...string) string { return strings.Join(lines, "\n") }
