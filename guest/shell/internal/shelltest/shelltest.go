// Package shelltest runs scripts in the shell, and compares what they do with what bash and GNU's commands do.
//
// The cases are in files, testdata/NAME.txt, each of which has several:
//
//	=== the first lines
//	printf '1\n2\n3\n' | head -n 2
//	--- stdout
//	1
//	2
//	=== a file that is not there
//	head nothing
//	--- stderr
//	head: cannot open 'nothing' for reading: No such file or directory
//	--- status 1
//
// A case begins in an empty directory. What it does not say is nothing, or 0. Of standard error, only the first line is
// compared, and of that of the shell itself, not the number of the line. Output that does not end with a newline has a
// line "\ no newline" after it.
//
// "go test -update" writes what bash does, with the commands of this machine. Cases whose title ends with "(ours)" are
// left as they are: those that must differ, and those of commands that a machine may not have. Say why in the title.
package shelltest

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/commands"
	"github.com/toolrun/toolrun/guest/shell/internal/shell"
)

var update = flag.Bool("update", false, "write what bash and the commands of this machine do into testdata")

// A Case is a script and what it does.
type Case struct {
	Title, Script string
	Result
}

// A Result is what a script has done. Stderr is its first line.
type Result struct {
	Stdout, Stderr string
	Status         int
}

// Setup is what scripts have beside the environment that all have.
type Setup struct {
	Env     []string
	Outside command.Outside
}

// Run runs the cases of all files that match a pattern.
func Run(t *testing.T, pattern string) { RunWith(t, pattern, Setup{}) }

// RunWith is Run for scripts that have more.
func RunWith(t *testing.T, pattern string, setup Setup) {
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		cases := parse(t, string(data))
		if *update {
			for i := range cases {
				if !strings.HasSuffix(cases[i].Title, "(ours)") {
					cases[i].Result = system(t, cases[i].Script, setup)
				}
			}
			require.NoError(t, os.WriteFile(file, []byte(format(cases)), 0o644))
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			for _, c := range cases {
				t.Run(c.Title, func(t *testing.T) { require.Equal(t, c.Result, setup.run(t, c.Script)) })
			}
		})
	}
}

// Environment is the environment of scripts.
var Environment = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/", "LC_ALL=C.UTF-8", "TZ=UTC"}

func (setup Setup) environment() []string { return slices.Concat(Environment, setup.Env) }

// Ours runs a script in the shell.
func Ours(t *testing.T, script string) Result { return Setup{}.run(t, script) }

func (setup Setup) run(t *testing.T, script string) Result {
	var stdout, stderr bytes.Buffer
	sh := shell.New(shell.Options{Table: commands.Table, Root: t.TempDir(), Env: setup.environment(),
		Outside: setup.Outside})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	status := sh.Run(ctx, script, nil, shell.Streams{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr})
	return Result{stdout.String(), first(stderr.String()), status}
}

// system runs a script in bash.
func system(t *testing.T, script string, setup Setup) Result {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", script, "bash")
	cmd.Dir, cmd.Env = t.TempDir(), setup.environment()
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	status := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if status = exit.ExitCode(); status < 0 {
			status = 143
		}
	} else {
		require.NoError(t, err)
	}
	return Result{stdout.String(), first(stderr.String()), status}
}

var lineNumber = regexp.MustCompile(`^bash: line \d+: `)

// first returns the first line, without the number of a line of a script.
func first(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return lineNumber.ReplaceAllString(s, "bash: ")
}

func parse(t *testing.T, s string) []Case {
	var cases []Case
	for _, part := range strings.Split("\n"+strings.TrimSuffix(s, "\n"), "\n=== ")[1:] {
		title, rest, _ := strings.Cut(part, "\n")
		sections := split("\n" + rest + "\n")
		c := Case{Title: title, Script: strings.TrimSpace(sections[0]) + "\n"}
		for _, section := range sections[1:] {
			head, body, _ := strings.Cut(section, "\n")
			if before, ok := strings.CutSuffix(strings.TrimRight(body, "\n"), noNewline); ok {
				body = strings.TrimSuffix(before, "\n")
			} else if body = strings.TrimSuffix(body, "\n"); body != "" || head == "stdout" {
				body += "\n"
			}
			switch {
			case head == "stdout":
				c.Stdout = body
			case head == "stderr":
				c.Stderr = strings.TrimSuffix(body, "\n")
			case strings.HasPrefix(head, "status "):
				_, err := fmt.Sscanf(head, "status %d", &c.Status)
				require.NoError(t, err)
			}
		}
		cases = append(cases, c)
	}
	return cases
}

var sectionHead = regexp.MustCompile(`^(stdout|stderr|status \d+)(\n|$)`)

// split divides a case into its script and its sections. Other lines that begin with "---" are of those of diff.
func split(text string) []string {
	var sections []string
	for i, part := range strings.Split(text, "\n--- ") {
		if i == 0 || sectionHead.MatchString(part) {
			sections = append(sections, part)
		} else {
			sections[len(sections)-1] += "\n--- " + part
		}
	}
	return sections
}

const noNewline = `\ no newline`

func format(cases []Case) string {
	var b strings.Builder
	for _, c := range cases {
		fmt.Fprintf(&b, "=== %s\n%s", c.Title, c.Script)
		if c.Stdout != "" {
			fmt.Fprintf(&b, "--- stdout\n%s", c.Stdout)
			if !strings.HasSuffix(c.Stdout, "\n") {
				b.WriteString("\n" + noNewline + "\n")
			}
		}
		if c.Stderr != "" {
			fmt.Fprintf(&b, "--- stderr\n%s\n", c.Stderr)
		}
		if c.Status != 0 {
			fmt.Fprintf(&b, "--- status %d\n", c.Status)
		}
	}
	return b.String()
}
