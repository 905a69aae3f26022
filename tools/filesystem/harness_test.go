package filesystem_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/internal/tooltest"
	"github.com/toolrun/toolrun/tools/memory"
	"github.com/toolrun/toolrun/vfs"
)

type (
	object = tooltest.Object
	bench  = tooltest.Bench
)

// A step is a call and its result.
type step struct {
	input object
	want  string
	code  tool.Code
}

func do(b *bench, steps ...step) {
	b.T.Helper()
	for _, s := range steps {
		b.Want(s.input, s.want, s.code)
	}
}

const failed = tool.CodeTool

var text = tooltest.Text

// bothTools is made once, since some tests need it thousands of times.
var bothTools = sync.OnceValues(func() (*registry.Registry, error) {
	return registry.New(memory.New(), filesystem.New())
})

func newBench(t testing.TB, files vfs.Project) *bench {
	tools, err := bothTools()
	require.NoError(t, err)
	return &bench{T: t, Tools: tools, Tool: "filesystem", Files: files}
}

func onBoth(t *testing.T, test func(b *bench)) { tooltest.OnBoth(t, newBench, test) }
