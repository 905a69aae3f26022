//go:build unix

package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/cli"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/archive"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestExamples runs each line of each command's examples as it is written, where there is what they speak of.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for name, help := range helpTexts(t, nil) {
		require.Regexp(t, `^[A-Z]`, help, name)
		for line := range strings.Lines(help) {
			if !strings.HasPrefix(name, "completion") && name != "help" { // which are cobra's
				require.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), 80, "%s: %s", name, line)
			}
		}
		// that are not our own, or have commands alone
		if strings.HasPrefix(name, "completion") || name == "" || name == "help" {
			continue
		}
		examples := section(help, "Examples")
		require.NotEmpty(t, examples, "%s has no example", name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, line := range examples {
				if hasTestsOfItsOwn.MatchString(line) {
					continue
				}
				status, out, stderr := shell(t, exampleDir(t),
					"set -e; export TOOLRUN_DATA=$PWD/.data EDITOR=true; ("+line+") </dev/null")
				require.Zero(t, status, "%s\n%s%s", line, out, stderr)
				require.Empty(t, stderr, line)
			}
		})
	}
}

// hasTestsOfItsOwn matches what takes long, serves until it is stopped, or needs a layer outside of the directory,
// modules, recordings, or Python.
var hasTestsOfItsOwn = regexp.MustCompile(
	`^ *toolrun (selftest|serve|mcp --http|store sweep|.*--overlay|files --root \S+ (apply|discard|diff)|module (add|show|remove)|approvals (show|approve|refuse)|py |replay )|\| toolrun py`)

// exampleDir returns a directory with what examples speak of, and with the default project in .data.
func exampleDir(t *testing.T) string {
	dir := t.TempDir()
	store, err := local.OpenStore(filepath.Join(dir, ".data", "projects"), nil)
	require.NoError(t, err)
	defer store.Close()
	project, err := store.Open(t.Context(), "default")
	require.NoError(t, err)
	defer project.Close()
	for _, change := range []struct{ call, name, content string }{
		{"js-0", "/notes.md", "one\n"}, {"js-0", "/notes.md", "two\n"}, {"js-0", "/site/index.html",
			"<p>hello"}, {"js-1", "/new.txt", "new\n"},
	} {
		require.NoError(t, vfs.WriteFile(t.Context(), project.WithCall(change.call), change.name,
			[]byte(change.content)))
	}
	for name, content := range map[string]string{
		"go.mod": "module example\n", "report.ts": "const n: number = 1; return n\n", "notes.md": "# Notes\n",
		"site/index.html": "<p>hello", "settings.json": "{}",
		"toolrun.yaml": "project: default\n",
	} {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(content), 0o644))
	}
	// What .toolrun has in a directory is what has been done there: the example undoes a change.
	here, err := local.OpenDir(dir, nil)
	require.NoError(t, err)
	defer here.Close()
	require.NoError(t, afero.WriteFile(here.WithCall("js-2"), "/made.txt", nil, 0o644))
	for file, format := range map[string]archive.Format{"backup.zip": archive.Zip, "backup.tgz": archive.TarGzip} {
		var packed bytes.Buffer
		require.NoError(t, archive.Export(t.Context(), project, &packed, format))
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), packed.Bytes(), 0o644))
	}
	return dir
}

// helpTexts returns what each command says of itself, by its name.
func helpTexts(t *testing.T, command []string) map[string]string {
	var out, stderr bytes.Buffer
	require.Zero(t, cli.Main(append(append([]string{}, command...), "--help"), strings.NewReader(""), &out, &stderr),
		"%s", stderr.String())
	texts := map[string]string{strings.Join(command, " "): out.String()}
	_, usage, _ := strings.Cut(out.String(), "\nUsage:\n")
	usage, _, _ = strings.Cut(usage, "\nFlags:\n")
	_, lists, _ := strings.Cut(usage, "\n\n")
	if _, after, ok := strings.Cut(lists, "Examples:\n"); ok {
		_, lists, _ = strings.Cut(after, "\n\n")
	}
	for _, match := range regexp.MustCompile(`(?m)^  ([a-z]+) +[A-Z]`).FindAllStringSubmatch(lists, -1) {
		for name, text := range helpTexts(t, append(append([]string{}, command...), match[1])) {
			texts[name] = text
		}
	}
	return texts
}

// section returns the lines below a heading.
func section(help, heading string) []string {
	_, after, ok := strings.Cut(help, "\n"+heading+":\n")
	if !ok {
		return nil
	}
	lines, _, _ := strings.Cut(after, "\n\n")
	return strings.Split(strings.TrimSpace(lines), "\n")
}

// TestEachCommandHasJSON goes through all commands that print something.
func TestEachCommandHasJSON(t *testing.T) {
	for name, help := range helpTexts(t, nil) {
		switch {
		case name == "" || name == "help" || strings.HasPrefix(name, "completion"): // that is for shells
		case name == "mcp", name == "serve": // speak JSON-RPC and HTTP
		default:
			require.Contains(t, help, "--json ", name)
		}
	}
}
