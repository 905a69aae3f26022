package shell_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tools/shell"
)

// countedFs counts how often somebody looks for a file.
type countedFs struct {
	afero.Fs
	looks int
}

func (c *countedFs) Stat(name string) (fs.FileInfo, error) {
	c.looks++
	return c.Fs.Stat(name)
}

// TestHintsAreBounded: a script prints errors about paths that make the host look for many files.
func TestHintsAreBounded(t *testing.T) {
	files := &countedFs{Fs: afero.NewMemMapFs()}
	missing := func(name string) sandbox.Entry {
		return sandbox.Entry{Text: "ls: cannot access '" + name + "': No such file or directory"}
	}
	for name, console := range map[string][]sandbox.Entry{
		"a deep path": {missing("/home" + strings.Repeat("/a", 100_000))},
		"many errors": make([]sandbox.Entry, 10_000),
		"many folders": {
			missing("/nowhere" + strings.Repeat("/a", 400)),
			missing("/elsewhere" + strings.Repeat("/a", 400)),
		},
	} {
		for i := range console {
			if console[i].Text == "" {
				console[i] = missing("/nowhere/x")
			}
		}
		files.looks = 0
		require.Empty(t, shell.Language.Hint(console, files), name)
		require.LessOrEqual(t, files.looks, 50, name)
	}
	require.NoError(t, afero.WriteFile(files, "/src/main.go", nil, 0o600))
	require.Equal(t, "Note: the project's files begin at /: use /src/main.go instead of /home/u/shop/src/main.go.",
		shell.Language.Hint([]sandbox.Entry{missing("/home/u/shop/src/main.go")}, files))
}
