//go:build systemtest

package command_test

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/toolrun/toolrun/internal/test/commandtest"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pythontest"
)

// TestReadme runs the shell commands in README.md, in the pages of docs and in the picture of a terminal, and compares
// what they print with what the pages say. The commands of one page share a directory and a data directory.
func TestReadme(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a Unix shell")
	}
	t.Parallel()
	root := filepath.Join("..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	pages = append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "docs", "terminal.svg"))
	tested := map[string]bool{}
	build := os.Getenv(pythontest.Variable)
	for _, page := range pages {
		data, err := os.ReadFile(page)
		require.NoError(t, err)
		require.NotContains(t, string(data), "```console", "use a block of sh and one of text: those can be copied")
		steps := markdownSteps(string(data))
		if strings.HasSuffix(page, ".svg") {
			steps = pictureSteps(t, data)
		}
		python := pythontest.Variable + "="
		if filepath.Base(page) == "python.md" {
			if build == "" {
				continue
			}
			python += build
		}
		if filepath.Base(page) == "shell.md" { // TestShell
			continue
		}
		dir, dataDir := t.TempDir(), t.TempDir()
		for _, step := range steps {
			cmd := commandtest.Shell(t, "sh", "-c", step.command)
			cmd.Dir, cmd.Env = dir, append(cmd.Env, "TOOLRUN_DATA="+dataDir, python)
			out, _ := cmd.CombinedOutput()
			require.Equal(t, step.output, string(out), "%s: %s", page, step.command)
			tested[filepath.Base(page)] = true
		}
	}
	for _, page := range []string{"README.md", "command.md", "javascript.md", "terminal.svg"} {
		require.True(t, tested[page], "no commands found in %s", page)
	}
}

type step struct{ command, output string }

// markdownSteps returns the blocks of shell commands in a page that a block of text follows, which is their output.
func markdownSteps(page string) (steps []step) {
	for _, part := range strings.Split(page, "\n```sh\n")[1:] {
		command, rest, _ := strings.Cut(part, "\n```\n")
		if output, ok := strings.CutPrefix(rest, "\n```text\n"); ok {
			output, _, _ = strings.Cut(output, "```\n")
			steps = append(steps, step{command, output})
		}
	}
	return steps
}

// pictureSteps returns the commands in a picture of a terminal, and what they print. Each text in the picture is one
// line: of class c a command after its prompt, o output, and w the rest of the line above.
func pictureSteps(t *testing.T, data []byte) (steps []step) {
	var picture struct {
		Lines []struct {
			Class string `xml:"class,attr"`
			Text  string `xml:",chardata"`
		} `xml:"text"`
	}
	require.NoError(t, xml.Unmarshal(data, &picture))
	for _, line := range picture.Lines {
		if command, ok := strings.CutPrefix(line.Text, "$ "); ok && line.Class == "c" {
			steps = append(steps, step{command: command})
			continue
		}
		last := &steps[len(steps)-1]
		switch line.Class {
		case "o":
			last.output += line.Text + "\n"
		case "w":
			last.output = strings.TrimSuffix(last.output, "\n") + " " + line.Text + "\n"
		default:
			t.Fatalf("a line of class %q: %s", line.Class, line.Text)
		}
	}
	return steps
}
