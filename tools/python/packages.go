package python

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/pypi"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
)

// PackagesName is the name of the tool that adds packages.
const PackagesName = "python_packages"

// Packages adds packages of pure Python to projects, in /lib/python, and notes them in /python.lock. It is safe for
// concurrent use: packages are added one call after the other, so that what is unpacked, up to 400 MiB, is in memory
// once.
type Packages struct {
	load  code.Loader
	own   []string
	index *pypi.Index
	turn  chan struct{}
}

// NewPackages returns what adds packages from an index for an interpreter, which has some packages itself: see
// [code.Language].Packages.
func NewPackages(load code.Loader, own []string, index code.PackageIndex) *Packages {
	from := pypi.Index(index)
	return &Packages{load, own, &from, make(chan struct{}, 1)}
}

// PackagesOf is where a project has packages.
func PackagesOf(files afero.Fs) *pypi.Folder {
	return &pypi.Folder{Files: files, Packages: libraryDir, Lock: "/python.lock"}
}

// Add adds packages to a project: see [pypi.Folder.Add]. It returns what there is then.
func (p *Packages) Add(ctx context.Context, files afero.Fs, requires []string) ([]pypi.Package, error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	instead := "The build of Python that contrib/python makes has some of these packages: see docs/python.md"
	if len(p.own) > 0 {
		instead = "Python itself has " + strings.Join(p.own, ", ")
	}
	interpreter, err := p.load(ctx)
	if err != nil {
		return nil, err
	}
	limits := sandbox.Limits{Time: versionTime}
	result, err := interpreter.Run(ctx, "import sys\n'%d.%d.%d' % sys.version_info[:3]", &code.Run{Limits: limits})
	if err != nil {
		return nil, err
	}
	on := &pypi.Python{Version: fmt.Sprint(result.Value), Packages: p.own, Instead: instead}
	return PackagesOf(files).Add(ctx, p.index, on, requires)
}

// versionTime is how long Python may take to say its version, on a busy machine too.
const versionTime = 30 * time.Second

// Install implements [code.Installer].
func (p *Packages) Install(ctx context.Context, files afero.Fs, names []string) (packages []string, err error) {
	all, err := p.Add(ctx, files, names)
	for _, one := range all {
		packages = append(packages, one.Name+" "+one.Version)
	}
	return packages, err
}

// Tool implements [code.Installer].
func (p *Packages) Tool() tool.Tool {
	return tool.Func(tool.Spec{
		Name:        PackagesName,
		DisplayName: "Python Packages",
		Subtitle:    "Add packages of pure Python from PyPI to the project",
		Description: "Adds packages of pure Python from PyPI to the project, each with all that it needs, for the " +
			"tool " + Name + " to import, and removes some. It returns those that there are then. Without arguments " +
			"it only lists them. Packages that need native code cannot be added.",
		Category:     tool.CategoryCode,
		Annotations:  tool.Annotations{Destructive: true, OpenWorld: true},
		Icons:        tool.Icons{Input: "package", Output: "list"},
		Timeout:      time.Minute,
		OffByDefault: true,
		NeedsProject: true,
		Options: []tool.Option{{
			ID: tool.OptionRollback, Label: "Undo what fails", Type: tool.OptionBool, Default: true,
			Subtitle: "If a call fails, files are as they were before",
		}},
	}, p.call)
}

type packagesInput struct {
	Add    []string `json:"add,omitempty" maxItems:"50" jsonschema:"as pip takes them: rich, or requests>=2.30,<3"`
	Remove []string `json:"remove,omitempty" maxItems:"50" jsonschema:"their names; what only they need goes, too"`
}

type packagesOutput struct {
	Packages []packageInfo `json:"packages"`
}

type packageInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

func (p *Packages) call(ctx context.Context, in packagesInput, env tool.Env) (packagesOutput, error) {
	out := packagesOutput{Packages: []packageInfo{}}
	folder := PackagesOf(env.Files)
	var err error
	if len(in.Remove) > 0 {
		_, err = folder.Remove(in.Remove)
	}
	if err == nil && len(in.Add) > 0 {
		_, err = p.Add(ctx, env.Files, in.Add)
	}
	if err == nil {
		var all []pypi.Package
		_, all, err = folder.List()
		for _, one := range all {
			out.Packages = append(out.Packages, packageInfo{one.Name, one.Version})
		}
	}
	if _, failed := errors.AsType[*url.Error](err); err == nil || failed || ctx.Err() != nil {
		return out, err
	}
	return out, tool.Errorf("Error: %w", err)
}
