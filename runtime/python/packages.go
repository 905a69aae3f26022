package python

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/guest/python"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
)

// Packages of the build take a second to import. So there are images in which that has been done, which are the same
// for every run of everybody: they are made without any run, and nobody's code, files, arguments or functions are
// there. What the packages look for and do not find is noted, since a project may have it: then its runs import the
// packages themselves.

// packageImage is an image with packages of the build.
type packageImage struct {
	name    string   // of the package for which it is there
	has     []string // the packages in it
	imports []string // the modules that are imported to make it; _used are toolrun's own
	// timed says that they read the time, and do so again in each run: see seed_again of the boot code.
	timed bool
}

// packageImages are those that there are, the smallest first.
var packageImages = []packageImage{
	{"numpy", []string{"numpy"}, []string{"numpy", "numpy.random", "numpy.linalg", "numpy.fft", "numpy.rec",
		"_used.numpy", "_used.unseeded", "_used.settled"}, false},
	{"pandas", []string{"numpy", "pandas", "dateutil", "pytz", "six"}, pandasModules, true},
	{"matplotlib", []string{"numpy", "pandas", "dateutil", "pytz", "six", "matplotlib", "PIL", "contourpy",
		"kiwisolver", "cycler", "packaging", "pyparsing"},
		append([]string{"matplotlib.pyplot", "matplotlib._drawn", "pandas.plotting._matplotlib"}, pandasModules...),
		true},
}

// pandasModules are pandas, and what it would import when it is first shown, written or pivoted.
var pandasModules = []string{"pandas", "numpy.rec", "pandas.io.formats.string", "pandas.io.formats.html",
	"pandas.io.formats.csvs", "pandas.core.reshape.reshape",
	"_used.numpy", "_used.pandas", "_used.settled"}

// importOf finds statements that import the package of an image, by its name.
var importOf = sync.OnceValue(func() *regexp.Regexp {
	var names []string
	for _, p := range packageImages {
		names = append(names, p.name)
	}
	return regexp.MustCompile(`(?m)^[ \t]*(?:from|import(?:[ \t]+[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*,)*)[ \t]+(` +
		strings.Join(names, "|") + `)\b`)
})

// changesImports are words in code that may change what its own later statements import.
var changesImports = append([]string{"sys.path", "sys.modules", "sys.meta_path", "__import__"}, environmentOf...)

// packageImageFor returns the smallest image with all packages that code imports, of those that are in any, or nil. It
// may have more than the code needs: importing something that has been imported gives the same.
func packageImageFor(code string, leading []python.Import, packages []string) (found *packageImage) {
	add := func(name string) {
		if found != nil && slices.Contains(found.has, name) || !slices.Contains(packages, name) {
			return
		}
		for i := range packageImages {
			if packageImages[i].name == name {
				found = &packageImages[i]
			}
		}
	}
	if len(packages) == 0 {
		return nil
	}
	for _, m := range leading {
		name, _, _ := strings.Cut(m.Module, ".")
		add(name)
	}
	in := func(word string) bool { return strings.Contains(code, word) }
	named := slices.ContainsFunc(packageImages, func(p packageImage) bool { return in(p.name) })
	if named && !slices.ContainsFunc(changesImports, in) {
		for _, match := range importOf().FindAllStringSubmatch(code, -1) {
			add(match[1])
		}
	}
	return found
}

// environmentOf are the beginnings of names of variables that packages read when they are imported.
var environmentOf = []string{"PYTHON", "NUMPY_", "NPY_", "PANDAS_", "PYTZ_", "MPL", "MATPLOTLIB"}

// packageImage returns an image for the run, or nil if there is none, or if the files and the environment are such that
// importing the packages could give something else. It reads files, so call it where it can be abandoned.
func (r *run) packageImage(program *sandbox.Program, with *packageImage) *sandbox.Image {
	if with == nil {
		return nil
	}
	for name := range r.options.Environment {
		if slices.ContainsFunc(environmentOf, func(begin string) bool { return strings.HasPrefix(name, begin) }) {
			return nil
		}
	}
	image, err := program.Prepared(with.preparation())
	if err != nil || !r.lacks(image.State().(*imageState).Missing) {
		return nil
	}
	return image
}

// lacks reports whether the run has none of the files that packages have looked for, in its own folders of libraries.
func (r *run) lacks(missing []string) bool {
	if r.options.Files == nil {
		return true
	}
	lacks := func(name string) bool {
		_, err := r.options.Files.Stat(name)
		return errors.Is(err, fs.ErrNotExist)
	}
	for _, name := range missing {
		rest, isLibrary := strings.CutPrefix(name, defaultLibraries[0]+"/")
		if !isLibrary && !lacks(name) {
			return false
		}
		for _, dir := range r.folders() {
			if isLibrary && !lacks(path.Join(dir, rest)) {
				return false
			}
		}
	}
	return true
}

// packagesIdle is for what runs write with pandas: 3 MiB to group rows, 5 to show them.
const packagesIdle = 6 << 20 // bytes

// preparation returns how the image is made.
func (p *packageImage) preparation() *sandbox.Preparation {
	return &sandbox.Preparation{Name: p.name, Memory: PackagesMemory, IdleMemory: packagesIdle,
		Begin: func() (afero.Fs, func(*sandbox.Instance, *sandbox.Run) error, error) {
			files := afero.NewMemMapFs()
			err := files.MkdirAll(defaultLibraries[0], 0o700)
			for dir := defaultLibraries[0]; err == nil; dir = path.Dir(dir) {
				if err = files.Chtimes(dir, time.Unix(0, 0), time.Unix(0, 0)); dir == "/" {
					break
				}
			}
			e := script.NewEvidence(files, 1<<20, script.OfStat)
			return e, func(started *sandbox.Instance, begun *sandbox.Run) error {
				return p.importIn(started.Driver().(*instance), begun, e)
			}, err
		}}
}

// importIn imports the modules in an instance that is in the state of the first image.
func (p *packageImage) importIn(in *instance, begun *sandbox.Run, e *script.Evidence) (err error) {
	var modules []python.Import
	for i, name := range p.imports {
		modules = append(modules, python.Import{Module: name, Line: i + 1, LastLine: i + 1})
	}
	r := newRun(begun, RunOptions{Name: "script.py"})
	r.current = python.StepImports
	if r.imports, err = python.EncodeImports(modules); err != nil {
		return err
	}
	in.begin(r)
	if err := in.execute(); err != nil {
		return err
	}
	missing, ok := e.Missing()
	if r.report.Exception != nil {
		return errors.New(r.report.Exception.Text)
	}
	if !in.untouched() || in.Timed() != p.timed || !ok {
		return fmt.Errorf("importing the packages has an effect, or depends on what is not the same in all runs "+
			"(impure %t, files %t, random %t, timed %t, missing %t)", in.Impure(), in.FilesAsAtStart(),
			!r.report.Unseeded, in.Timed(), !ok)
	}
	in.session = session{missing: missing}
	return nil
}
