package toolrun_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/test/pypitest"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/python"
	"github.com/toolrun/toolrun/vfs"
)

// newIndex has the package greet, which needs words, and one with native code.
func newIndex() *pypitest.Index {
	index := pypitest.New()
	index.Add("greet", "1.0", pypitest.Pure, map[string]string{"greet.py": "x = 1"}, "words")
	index.Add("words", "2.0", pypitest.Pure, map[string]string{"words.py": "y = 2"})
	index.Add("native", "1.0", "cp311-cp311-manylinux1_x86_64", nil)
	return index
}

// onlyPython are the languages of a runner.
var onlyPython = []code.Language{pypitest.Python(python.Language.Installer)}

func packagesOptions(index *pypitest.Index) toolrun.Options {
	return toolrun.Options{Languages: onlyPython,
		Packages: &toolrun.PackageIndex{URL: pypitest.URL, Transport: index}}
}

// on switches on the tool that adds packages.
func on(s registry.Selection) registry.Selection {
	s.Enable = map[string]bool{"python_packages": true}
	return s
}

// chosen are the settings of a project for which it has been switched on.
func chosen([]byte) ([]byte, error) { return []byte(`{"toolEnabled": {"python_packages": true}}`), nil }

func exists(t *testing.T, session *toolrun.Session, name string) bool {
	found, err := afero.Exists(session.Project(), name)
	require.NoError(t, err)
	return found
}

func TestAddPackages(t *testing.T) {
	runner := open(t, packagesOptions(newIndex()))
	session := openSession(t, runner, "p", nil)
	packages, err := session.AddPackages(t.Context(), "greet")
	require.NoError(t, err)
	require.Equal(t, []string{"greet 1.0", "words 2.0"}, packages)
	require.True(t, exists(t, session, "/lib/python/words.py"))
	require.True(t, exists(t, session, "/python.lock"))
	_, err = session.AddPackages(t.Context(), "native")
	require.ErrorContains(t, err, "it has wheels with native code only, which cannot run in the sandbox")
	_, err = session.Project().Undo(t.Context(), "")
	require.NoError(t, err)
	require.False(t, exists(t, session, "/lib/python/words.py"))
	require.False(t, exists(t, session, "/python.lock"))

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = session.AddPackages(ctx, "greet")
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, session.Close())
	_, err = session.AddPackages(t.Context(), "greet")
	require.ErrorIs(t, err, toolrun.ErrClosed)

	none := openSession(t, open(t, toolrun.Options{Languages: onlyPython}), "p", nil)
	_, err = none.AddPackages(t.Context(), "greet")
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.Contains(t, do(t, none, "python_packages", `{}`), "Unknown tool")
	other := packagesOptions(newIndex())
	other.Languages = nil // there is no build of Python
	_, err = openSession(t, open(t, other), "p", nil).AddPackages(t.Context(), "greet")
	require.ErrorIs(t, err, errors.ErrUnsupported)
}

// TestPackagesOfModels adds packages as a model, which must have been allowed that.
func TestPackagesOfModels(t *testing.T) {
	index := newIndex()
	runner := open(t, packagesOptions(index))
	session := openSession(t, runner, "p", nil)
	definitions, err := session.Definitions(t.Context(), tool.Anthropic, nil)
	require.NoError(t, err)
	require.NotContains(t, string(definitions), "python_packages")
	require.Contains(t, do(t, session, "python_packages", `{"add": ["greet"]}`), "Unknown tool")
	require.Empty(t, index.Asked())
	require.NoError(t, session.Project().EditSettings(t.Context(), chosen))
	definitions, err = session.Definitions(t.Context(), tool.Anthropic, nil)
	require.NoError(t, err)
	require.Contains(t, string(definitions), "python_packages")

	require.JSONEq(t, `{"packages": []}`, do(t, session, "python_packages", `{}`))
	require.JSONEq(t, `{"packages": [{"name": "greet", "version": "1.0"}, {"name": "words", "version": "2.0"}]}`,
		do(t, session, "python_packages", `{"add": ["greet"]}`))
	require.Equal(t, "Error: there is no package nothing in /python.lock",
		do(t, session, "python_packages", `{"remove": ["nothing"]}`))

	// A call that fails changes nothing: what it had removed is there again.
	text := do(t, session, "python_packages", `{"remove": ["greet"], "add": ["native"]}`)
	require.Contains(t, text, "native cannot be had")
	require.Contains(t, text, "all changes that the call made to files were undone")
	require.True(t, exists(t, session, "/lib/python/greet.py"))
	require.JSONEq(t, `{"packages": []}`, do(t, session, "python_packages", `{"remove": ["greet"]}`))
	require.False(t, exists(t, session, "/python.lock"))

	// What a model writes never is an address, nor another input that it should be.
	for input, want := range map[string]string{
		`{"add": ["x @ https://evil.example/x.whl"]}`: "packages come from the index alone",
		`{"add": ["../x"]}`:                           "is not the name of a package",
		`{"add": ["numpy"]}`:                          "numpy 2.3.5 is there already",
		`{"add": "greet,words"}`:                      "is not a condition on versions",
		`{"add": [1]}`:                                "do not fit the schema",
	} {
		require.Contains(t, do(t, session, "python_packages", input), want, input)
	}
	many, err := json.Marshal(map[string]any{"add": make([]string, 51)})
	require.NoError(t, err)
	require.Contains(t, do(t, session, "python_packages", string(many)), "50")
	for _, url := range index.Asked() {
		require.Regexp(t, "^https://(index|files).example/", url)
	}
}

// TestPackagesWaitForApproval: adding packages reaches beyond the project, which a rule can ask a person for.
func TestPackagesWaitForApproval(t *testing.T) {
	index := newIndex()
	session := openSession(t, open(t, packagesOptions(index)), "p", &toolrun.SessionOptions{
		Select: func(s registry.Selection) registry.Selection {
			s = on(s)
			s.Ask = []string{registry.AskExternal}
			return s
		},
		Approve: func(context.Context, registry.ApprovalRequest) (registry.Decision, error) {
			return registry.Decision{Approved: false, Reason: "not now"}, nil
		},
	})
	require.Contains(t, do(t, session, "python_packages", `{"add": ["greet"]}`), "not now")
	require.Empty(t, index.Asked())
}

// TestPackagesOfADirectory: a directory can be anybody's, but a flag of whoever uses it allows what a project's
// settings allow elsewhere.
func TestPackagesOfADirectory(t *testing.T) {
	runner := open(t, packagesOptions(newIndex()))
	for name, selects := range map[string]func(registry.Selection) registry.Selection{"off": nil, "on": on} {
		dir := t.TempDir()
		session, err := runner.DirSession(dir, &toolrun.SessionOptions{Select: selects})
		require.NoError(t, err)
		require.NoError(t, session.Project().EditSettings(t.Context(), chosen))
		do(t, session, "python_packages", `{"add": ["greet"]}`)
		require.Equal(t, name == "on", exists(t, session, "/lib/python/greet.py"))
		require.NoError(t, session.Close())
	}
}

// TestFullProject: packages that do not fit leave nothing behind when a model adds them.
func TestFullProject(t *testing.T) {
	index := pypitest.New()
	index.Add("large", "1", pypitest.Pure, map[string]string{"a.py": "", "large.py": string(make([]byte, 5000))})
	options := packagesOptions(index)
	options.Projects = vfs.Options{Quota: vfs.Quota{Bytes: 4000}}
	session := openSession(t, open(t, options), "p", &toolrun.SessionOptions{Select: on})
	require.Contains(t, do(t, session, "python_packages", `{"add": ["large"]}`), "were undone")
	require.False(t, exists(t, session, "/lib/python/a.py"))
}
