package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/ownversion"
	"github.com/toolrun/toolrun/tools/code"
)

// goModule is the module of this program.
const goModule = "github.com/toolrun/toolrun"

var errNoSum = errors.New("--sha256 is for a file or a URL: a build from source has none that is known")

// built returns the build of a language that is a program of this module: the file that the flags name, the one that
// was installed with this program, or what the user's Go makes of the source of this version.
func (f *moduleAdd) built(cmd *cobra.Command, p code.Package) (build []byte, from, description string, err error) {
	source, err := hostOf(cmd).stat(f.from)
	switch {
	case strings.Contains(f.from, "://"), err == nil && f.from != "" && !source.IsDir():
		build, err = f.readBuild(cmd)
	case f.from != "" && err != nil:
		return nil, "", "", err
	case f.sha256 != "":
		return nil, "", "", errNoSum
	case f.from == "":
		_, lib, err := hostOf(cmd).installation()
		if err != nil {
			return nil, "", "", err
		}
		installed := filepath.Join(lib, path.Base(p.Go)+".wasm")
		if build, err = os.ReadFile(installed); errors.Is(err, fs.ErrNotExist) {
			return f.buildSource(cmd, p)
		}
		return build, installed, "The interpreter of " + p.Interpreter + ", of this release.", err
	default:
		return f.buildSource(cmd, p)
	}
	if err != nil {
		return nil, "", "", err
	}
	if is := sha256Hex(build); f.sha256 != "" && !strings.EqualFold(f.sha256, is) {
		return nil, "", "", f.otherBuild(is)
	}
	return build, f.from, "The interpreter of " + p.Interpreter + ", from a file.", nil
}

// buildSource builds a program of this module.
func (f *moduleAdd) buildSource(cmd *cobra.Command, p code.Package) (build []byte,
	from, description string, err error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return nil, "", "", errors.New("the command go is not there: install Go from https://go.dev/dl, " +
			"or use --from with the file of a release of toolrun")
	}
	g := goCommand{cmd.Context(), tool, hostOf(cmd)}
	version := ownversion.Published()
	switch {
	case f.from != "":
		from, err = checkout(g.host.path(f.from), p.Go)
	case version != "":
		from = goModule + "/" + p.Go + "@" + version
	default:
		if from, err = g.run(g.host.path("."), nil, "list", "-m", "-f", "{{.Dir}}", goModule); err != nil {
			return nil, "", "", fmt.Errorf("this toolrun was built from a checkout, "+
				"and the working directory is none: run the command there, or add --from CHECKOUT: %w", err)
		}
		from, err = checkout(from, p.Go)
	}
	if err != nil {
		return nil, "", "", err
	}
	description = fmt.Sprintf("The interpreter of %s, built from %s.", p.Interpreter, from)
	dir := from
	if f.from == "" && version != "" {
		report(cmd.Context(), "Go gets "+from, 0, 0)
		if dir, err = g.get(from); err != nil {
			return nil, "", "", err
		}
	}
	report(cmd.Context(), "Go builds "+p.Interpreter, 0, 0)
	build, err = g.build(dir)
	return build, from, description, err
}

// checkout returns the directory of a program in a checkout of this module, which can also be given itself.
func checkout(dir, folder string) (string, error) {
	for _, dir := range []string{filepath.Join(dir, filepath.FromSlash(folder)), dir} {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.Contains(mod, []byte("module "+goModule+"/"+folder+"\n")) {
			return dir, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("%s is no checkout of toolrun: there is no program in its folder %s", dir, folder)
}

// errCannotBuild is the error of a script whose machine has not what it needs.
var errCannotBuild = errors.New("this cannot be built here")

// scripted returns what a script of toolrun's source makes of a language, in a checkout. If none is given, it is the
// one that this program was built from, and the working directory must be in it: elsewhere nobody expects scripts to
// run.
func scripted(cmd *cobra.Command, p code.Package, checkout string) (build []byte, from, description string, err error) {
	if checkout == "" {
		checkout = ownSource()
		dir, err := filepath.Abs(hostOf(cmd).path("."))
		if err != nil {
			return nil, "", "", err
		}
		if rel, err := filepath.Rel(checkout, dir); checkout == "" || err != nil || !filepath.IsLocal(rel) {
			return nil, "", "", fmt.Errorf("%w: the working directory is not in the checkout that this toolrun was "+
				"built from: run the command there, or add --from CHECKOUT", errCannotBuild)
		}
	}
	from = filepath.Join(checkout, filepath.FromSlash(p.Script))
	if _, err := os.Stat(from); err != nil {
		return nil, "", "", fmt.Errorf("%w: %w", errCannotBuild, err)
	}
	dir, err := os.MkdirTemp("", "toolrun-build-")
	if err != nil {
		return nil, "", "", err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, moduleName)
	bash, err := exec.LookPath("bash")
	if err != nil {
		return nil, "", "", fmt.Errorf("%w: %w", errCannotBuild, err)
	}
	script := exec.CommandContext(cmd.Context(), bash, from, file)
	script.Env, script.WaitDelay = hostOf(cmd).Environ, time.Second
	steps := &stepsOf{step: func(n int, name string) {
		if n == 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "toolrun: %s runs, for a quarter of an hour; --slim gets less, at once\n",
				from)
		}
		report(cmd.Context(), p.Script+": "+name, float64(n), 0)
	}}
	script.Stdout, script.Stderr = steps, steps
	if err := script.Run(); err != nil {
		if script.ProcessState.ExitCode() == 3 {
			err = errCannotBuild
		}
		return nil, "", "", fmt.Errorf("%s: %w: %s", from, err, bytes.TrimSpace(steps.last))
	}
	build, err = readBuilt(file)
	return build, from, p.Interpreter + ", built from source.", err
}

// readBuilt reads the module that a build has made.
func readBuilt(file string) ([]byte, error) {
	opened, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return readWhole(opened)
}

// ownSource returns the checkout that this program was built from. It is empty if the program does not know, as with
// -trimpath.
func ownSource() string {
	_, file, _, _ := runtime.Caller(0)
	source, found := strings.CutSuffix(filepath.ToSlash(file), "/cmd/toolrun/internal/cli/modulebuild.go")
	if !found || !filepath.IsAbs(source) {
		return ""
	}
	return source
}

// stepsOf gets what a script prints, and calls a function with the number and the name of each step.
type stepsOf struct {
	step func(n int, name string)
	n    int
	line []byte
	last []byte // the end of what it has printed
}

func (s *stepsOf) Write(data []byte) (int, error) {
	s.last = append(s.last, data...)
	s.last = s.last[max(0, len(s.last)-2000):]
	s.line = append(s.line, data...)
	for {
		line, rest, found := bytes.Cut(s.line, []byte("\n"))
		if !found {
			return len(data), nil
		}
		if name, found := bytes.CutPrefix(line, []byte("== ")); found {
			s.step(s.n, string(name))
			s.n++
		}
		s.line = rest
	}
}

// A goCommand is the user's Go.
type goCommand struct {
	ctx  context.Context
	tool string
	host *Host
}

// run runs it in a directory, and returns what it prints.
func (g goCommand) run(dir string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(g.ctx, g.tool, args...)
	cmd.Dir, cmd.Env = dir, append(append(g.host.Environ[:len(g.host.Environ):len(g.host.Environ)],
		"GOWORK=off", "GOFLAGS="), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}

// get gets a module, whose content Go checks, and returns its directory.
func (g goCommand) get(module string) (dir string, err error) {
	temporary, err := os.MkdirTemp("", "toolrun-go-") // so that no module of the user is asked
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temporary)
	text, err := g.run(temporary, nil, "mod", "download", "-json", module)
	if err != nil {
		return "", err
	}
	var got struct{ Dir string }
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		return "", fmt.Errorf("go mod download: %w", err)
	}
	return got.Dir, nil
}

// build builds the program in a directory as a module for the sandbox.
func (g goCommand) build(dir string) ([]byte, error) {
	temporary, err := os.MkdirTemp("", "toolrun-go-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	file := filepath.Join(temporary, moduleName)
	_, err = g.run(dir, []string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0"}, "build", "-buildmode=c-shared",
		"-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", file, ".")
	if err != nil {
		return nil, err
	}
	return readBuilt(file)
}
