package python

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/guest/python"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
)

// Code that begins with imports of packages of the build, or in a folder of libraries, runs in two steps: the modules
// are imported, and then the whole code runs, which finds them imported. Between the two nothing is in progress, so
// that an image can be taken, from which later runs with the same imports begin.
//
// Packages of the build itself come with images that are the same for everybody, and are kept on disk: see packages.go.

// librarySet is what the code imports before it does anything else.
type librarySet struct {
	packages *sandbox.Image  // with packages of the build, to begin with; nil if there is none
	modules  []python.Import // that are imported then; none if there are no others than packages has
	key      libraryKey
	image    *sandbox.Image // with the modules imported; nil if there is none
}

// libraryKey is a hash of all that modules depend on when they are imported, beside files and the time.
type libraryKey [sha256.Size]byte

// imageState is the part of an image that is not in memory.
type imageState struct {
	VM python.State
	// Missing are the files that packages of the build have looked for in vain: see packages.go.
	Missing []string `json:",omitempty"`

	libraries script.Libraries // none in an image for everybody
}

// defaultLibraries are the folders of libraries if the run names none.
var defaultLibraries = []string{"/lib/python"}

// findLibraries looks for libraries that the code imports first, and for an image with them.
func (r *run) findLibraries(program *sandbox.Program) (*librarySet, error) {
	packages := packagesOf(program)
	if r.options.Files == nil && len(packages) == 0 || r.options.Expression || r.Fixed() {
		return nil, nil
	}
	modules := python.LeadingImports(r.code)
	with := packageImageFor(r.code, modules, packages)
	if len(modules) == 0 && with == nil {
		return nil, nil
	}
	set, err := sandbox.Await(r.Run, func() (*librarySet, error) {
		set, begin := &librarySet{}, ""
		if set.packages = r.packageImage(program, with); set.packages != nil {
			begin = with.name
			packages = slices.DeleteFunc(packages, func(name string) bool { return slices.Contains(with.has, name) })
		}
		if set.modules = r.upToLibraries(modules, packages); len(set.modules) == 0 {
			return set, nil
		}
		set.key = r.libraryKey(set.modules, begin)
		set.image = r.keptLibraries(program, set.key)
		return set, nil
	})
	if s, ok := errors.AsType[*sandbox.Stop](err); ok {
		return nil, s.Err
	}
	if err != nil { // looking at the files has panicked
		return nil, nil
	}
	return set, nil
}

// folders returns the folders of libraries.
func (r *run) folders() []string {
	if len(r.options.Libraries) == 0 {
		return defaultLibraries
	}
	return r.options.Libraries
}

// upToLibraries leaves out what comes after the last module of a library, or of one of the build's packages.
func (r *run) upToLibraries(modules []python.Import, packages []string) []python.Import {
	var there []string
	for _, dir := range r.folders() {
		if r.options.Files == nil {
			break
		}
		if info, err := r.options.Files.Stat(dir); err == nil && info.IsDir() {
			there = append(there, dir)
		}
	}
	for n := len(modules); n > 0; n-- {
		name, _, _ := strings.Cut(modules[n-1].Module, ".")
		if slices.Contains(packages, name) {
			return modules[:n]
		}
		for _, dir := range there {
			for _, file := range []string{name, name + ".py", name + ".pyc"} {
				if _, err := r.options.Files.Stat(path.Join(dir, file)); err == nil {
					return modules[:n]
				}
			}
		}
	}
	return nil
}

// libraryKey returns the key of modules that are imported by the run, beginning with the image of a name. Where in the
// code they are is left out.
func (r *run) libraryKey(modules []python.Import, begin string) libraryKey {
	hash := sha256.New()
	add := func(list ...string) {
		_ = binary.Write(hash, binary.LittleEndian, uint64(len(list)))
		for _, text := range list {
			_ = binary.Write(hash, binary.LittleEndian, uint64(len(text)))
			_, _ = io.WriteString(hash, text)
		}
	}
	add(r.options.Owner, r.options.Name, begin)
	add(r.options.Args...)
	add(r.functions...)
	add(r.options.Libraries...)
	for _, m := range modules {
		add(m.Module)
	}
	// Modules can notice the limit, and whether there is input.
	_ = binary.Write(hash, binary.LittleEndian, r.Limits().Memory)
	_ = binary.Write(hash, binary.LittleEndian, r.hasInput())
	_ = binary.Write(hash, binary.LittleEndian, r.options.Files == nil)
	_ = binary.Write(hash, binary.LittleEndian, r.options.Session)
	return libraryKey(hash.Sum(nil))
}

// keptLibraries returns the image of the modules, or nil if no image matches the current files. It reads files, so call
// it where it can be abandoned.
func (r *run) keptLibraries(program *sandbox.Program, key libraryKey) *sandbox.Image {
	image := program.Kept(key)
	if image == nil || !image.State().(*imageState).libraries.Hold(r.Run, r.options.Files) {
		return nil
	}
	return image
}

// execute does the run, and returns the instance in which it has done it, or nil.
func (r *run) execute(program *sandbox.Program) (*instance, error) {
	libraries, err := r.findLibraries(program)
	if err != nil {
		return nil, err
	}
	if libraries == nil {
		libraries = &librarySet{}
	}
	if len(libraries.modules) == 0 {
		return r.step(python.StepAll, func() (*sandbox.Instance, error) { return r.startFrom(libraries.packages) })
	}
	if libraries.image != nil {
		if started, err := r.Start(libraries.image); err == nil { // else it has just been removed
			return r.step(python.StepAfter, func() (*sandbox.Instance, error) { return started, nil })
		}
	}
	in, err := r.importLibraries(program, libraries)
	if err != nil || !r.report.Imported {
		return in, err
	}
	return r.step(python.StepAfter, func() (*sandbox.Instance, error) { return in.Instance, nil })
}

// startFrom starts a sandbox from an image with packages, or without if there is none, or no room for it: then the code
// imports them itself.
func (r *run) startFrom(image *sandbox.Image) (*sandbox.Instance, error) {
	if image != nil {
		if in, err := r.Start(image); err == nil {
			return in, nil
		}
	}
	return r.Start(nil)
}

// step does a step of the run in a sandbox.
func (r *run) step(step python.Step, start func() (*sandbox.Instance, error)) (*instance, error) {
	started, err := start()
	if err != nil {
		return nil, err
	}
	in := started.Driver().(*instance)
	in.begin(r)
	in.Untrusted()
	r.current, r.report, r.begun = step, python.Report{}, false
	return in, in.execute()
}

// importLibraries imports the modules in a fresh sandbox. If others can use the result, an image of it is kept. If the
// report says that the run has ended, it has.
func (r *run) importLibraries(program *sandbox.Program, libraries *librarySet) (*instance, error) {
	// Nothing is imported if the code does not compile. The sandbox that has seen the code is not the one in the image.
	in, err := r.step(python.StepCheck, func() (*sandbox.Instance, error) { return r.startFrom(libraries.packages) })
	if err != nil || r.report.Exception != nil || r.report.Exit != nil {
		return in, err
	}
	var failed error
	if r.imports, failed = python.EncodeImports(libraries.modules); failed != nil {
		return in, failed
	}
	e := script.NewEvidence(r.options.Files, program.ImageRoom(), script.OfStat)
	var files afero.Fs
	if r.options.Files != nil {
		files = e
	}
	in, err = r.step(python.StepImports, func() (*sandbox.Instance, error) {
		started, err := r.Restart(libraries.packages, files)
		if err != nil && libraries.packages != nil { // there is no room for it, or it has just been removed
			e.Spoil()
			started, err = r.Start(nil)
		}
		return started, err
	})
	if err == nil && in.untouched() {
		e.Keep(program, libraries.key, in.Instance, func(image *sandbox.Image, made script.Libraries) int64 {
			image.State().(*imageState).libraries = made
			return 0
		})
	}
	e.End()
	return in, err
}

// untouched reports whether the instance has imported the modules, and has nothing in it that belongs to its run alone.
func (in *instance) untouched() bool {
	r := in.run
	return r.report.Imported && r.report.Unseeded && !in.Impure() && !in.Refused() && in.FilesAsAtStart() &&
		!r.Output().Used() && r.calls.started == 0 && len(in.vm.Unwritten(0)) == 0 && len(in.vm.Unwritten(1)) == 0
}
