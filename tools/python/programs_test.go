//go:build suites

package python_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

// TestPrograms runs the programs in testdata/programs by the tool and by the Python of this machine, which
// TOOLRUN_REFERENCE_PYTHON names: they print the same, end in the same way, and leave the same files.
func TestPrograms(t *testing.T) {
	named(t, "TOOLRUN_REFERENCE_PYTHON")
	s := newSandboxed(t, 64)
	programs, err := filepath.Glob("testdata/programs/*.py")
	require.NoError(t, err)
	require.NotEmpty(t, programs)
	for _, file := range programs {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".py"), func(t *testing.T) {
			code, err := os.ReadFile(file)
			require.NoError(t, err)
			files := newEnv(t).Files
			got := s.run(t, string(code), nil, files)
			dir := t.TempDir()
			want := native(t, string(code), dir)
			require.NotEmpty(t, want.stdout)
			require.Equal(t, want.comparable(), got.comparable())
			require.Equal(t, contents(t, afero.NewBasePathFs(afero.NewOsFs(), dir)), contents(t, files))
		})
	}
}

// TestPackages does what packages are for with those that Debian has, in the project's folder /lib/python, and compares
// it with what the Python of this machine makes of the same packages. TOOLRUN_PYTHON_PACKAGES names the folder, into
// which .ci/python unpacks what the programs in testdata/packages name in their first lines.
func TestPackages(t *testing.T) {
	packages := named(t, "TOOLRUN_PYTHON_PACKAGES")
	s := newSandboxed(t, 512)
	programs, err := filepath.Glob("testdata/packages/*.py")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(programs), 30)
	for _, file := range programs {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".py"), func(t *testing.T) {
			code, err := os.ReadFile(file)
			require.NoError(t, err)
			first, _, _ := strings.Cut(string(code), "\n")
			first, modules, _ := strings.Cut(first, "; modules:")
			for _, module := range strings.Fields(modules) {
				module, without := strings.CutPrefix(module, "!")
				if has := s.run(t, "import "+module, nil, nil).status == 0; has == without {
					t.Skipf("this build of Python has %s: %t", module, has)
				}
			}
			needs := strings.Fields(strings.TrimPrefix(first, "# Debian:"))
			require.NotEmpty(t, needs)
			files := newEnv(t).Files
			var path []string
			for _, name := range needs {
				dir := filepath.Join(packages, name, "usr/lib/python3/dist-packages")
				copyInto(t, files, dir, "/lib/python", nil)
				path = append(path, dir)
			}
			before := contents(t, files)
			got := s.run(t, string(code), nil, files)
			dir := t.TempDir()
			want := native(t, string(code), dir, "PYTHONPATH="+strings.Join(path, string(os.PathListSeparator)))
			require.Zero(t, want.status, want.stderr)
			require.NotEmpty(t, want.stdout)
			require.Equal(t, want.comparable(), got.comparable())
			after := contents(t, files)
			maps.DeleteFunc(after, func(name, _ string) bool { _, was := before[name]; return was })
			require.ElementsMatch(t, sorted(contents(t, afero.NewBasePathFs(afero.NewOsFs(), dir))), sorted(after))
		})
	}
}
