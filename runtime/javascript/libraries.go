package javascript

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/js/module"
	sandbox "github.com/toolrun/toolrun/runtime"
	jsfs "github.com/toolrun/toolrun/runtime/javascript/fs"
	"github.com/toolrun/toolrun/runtime/javascript/host"
	"github.com/toolrun/toolrun/runtime/javascript/timers"
	"github.com/toolrun/toolrun/runtime/script"
)

// librarySet is the list of libraries to load before a script: the scripts in folders, and the modules that the script
// itself loads first.
type librarySet struct {
	files   []string // the paths of scripts
	imports []module.Import
	key     libraryKey
	// unreadable says which folders cannot be read.
	unreadable []string
	image      *sandbox.Image // with the libraries loaded; nil if there is none

	// broken are the paths of those that are left out, because they have used up all memory.
	broken map[string]bool
}

// findLibraries lists the libraries, and looks for an image with them.
func (r *run) findLibraries(program *sandbox.Program) error {
	files := r.options.Files
	imports := r.firstImports()
	if r.Fixed() || r.effects.has(r.options.Owner, imports) {
		imports = nil
	}
	if len(r.options.Libraries)+len(imports) == 0 || files == nil {
		return nil
	}
	// One goroutine does both: starting another would cost as much as its work.
	set, err := sandbox.Await(r.Run, func() (*librarySet, error) {
		set, err := r.listLibraries(files, imports)
		if err == nil && set.any() && !r.Fixed() {
			set.image = r.keptLibraries(program, set.key)
		}
		return set, err
	})
	if s, ok := errors.AsType[*sandbox.Stop](err); ok {
		return s.Err
	}
	if err != nil { // it has panicked
		dirs := strings.Join(r.options.Libraries, ", ")
		r.Output().Print(sandbox.LevelError, dirs+" cannot be read: "+jsfs.Error(err, dirs).Error())
		return nil
	}
	for _, problem := range set.unreadable {
		r.Output().Print(sandbox.LevelError, problem)
	}
	if set.any() {
		r.libraries = set
	}
	return nil
}

func (s *librarySet) any() bool { return len(s.files)+len(s.imports) > 0 }

// firstImports returns the modules that the script loads before it has any other effect, without the built-in ones.
func (r *run) firstImports() []module.Import {
	if r.options.Files == nil {
		return nil
	}
	return slices.DeleteFunc(module.FirstImports(r.script), func(i module.Import) bool {
		return slices.Contains(builtins, strings.TrimPrefix(i.Specifier, "node:"))
	})
}

// listLibraries lists the scripts in all folders. It names the folders that cannot be read.
func (r *run) listLibraries(files afero.Fs, imports []module.Import) (*librarySet, error) {
	set := &librarySet{imports: imports}
	var all []fs.FileInfo
	left := r.Limits().Memory
	for _, dir := range r.options.Libraries {
		entries, err := r.listScripts(files, dir, &left)
		switch _, stopped := errors.AsType[*sandbox.Stop](err); {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case stopped:
			return nil, err
		case err != nil:
			set.unreadable = append(set.unreadable, dir+" cannot be read: "+jsfs.Error(err, dir).Error())
			continue
		}
		for _, e := range entries {
			set.files = append(set.files, path.Join(dir, e.Name()))
		}
		all = append(all, entries...)
	}
	if set.any() {
		set.key = r.libraryKey(set, all)
	}
	return set, nil
}

// listScripts lists the scripts directly in a folder, in byte order of their names.
func (r *run) listScripts(files afero.Fs, dir string, left *int64) ([]fs.FileInfo, error) {
	var entries []fs.FileInfo
	err := jsfs.Entries(r.Context(), files, dir, func(e fs.FileInfo) error {
		name := e.Name()
		if *left -= int64(len(name)) + jsfs.EntryCost; *left < 0 {
			return syscall.ENOMEM
		}
		script := path.Ext(name) == ".js" || path.Ext(name) == ".ts" && !strings.HasSuffix(name, ".d.ts")
		if e.Mode().IsRegular() && !strings.HasPrefix(name, ".") && script {
			entries = append(entries, e)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// A libraryLoader runs libraries and modules before the script.
type libraryLoader struct{ *instance }

// loadLibraries runs the libraries. If one fails, the others and the script still run. If the result can be used again,
// an image of it is kept.
func (in libraryLoader) loadLibraries(program *sandbox.Program) error {
	r := in.run
	r.scratch = nil // the evidence has to know whether there is a /tmp
	r.evidence = script.NewEvidence(r.options.Files, program.ImageRoom(), script.OfContent)
	for _, file := range r.libraries.files {
		r.Output().Begin(path.Base(file))
		r.library, r.left = file, false
		err := in.loadLibrary(file)
		r.library = ""
		r.Output().Begin("")
		if err != nil {
			return brokenBy(file, err)
		}
	}
	loaded, err := true, error(nil)
	if in.untouched() { // or nothing could be kept
		loaded, err = in.loadImports()
	}
	evidence := r.evidence
	r.evidence = nil
	if loaded && err == nil {
		in.keepLibraries(program, evidence)
	}
	return err
}

// A LibraryError means that a library has ended the run, before the script could begin.
type LibraryError struct {
	File string // its path
	Err  error  // how the run has ended, such as a [*sandbox.LimitError]
}

func (e *LibraryError) Error() string {
	return fmt.Sprintf("%s, which is loaded before the code, ended this run: %v Correct or delete %[1]s.",
		e.File, e.Err)
}

// Unwrap returns Err.
func (e *LibraryError) Unwrap() error { return e.Err }

// brokenBy blames a library for the end of the run, unless the host has ended it.
func brokenBy(file string, err error) error {
	if sandbox.IsGuestFailure(err) {
		return &LibraryError{file, err}
	}
	return err
}

// leaveOut makes the run go on without the library that has used up all memory, and reports whether it can. What has
// been done by then must have had no effect, for the other libraries run again.
func (r *run) leaveOut(err error, in *instance) bool {
	broken, ok := errors.AsType[*LibraryError](err)
	limit, _ := errors.AsType[*sandbox.LimitError](err)
	if !ok || limit == nil || limit.Limit != sandbox.LimitMemory || in.Impure() ||
		r.Limits().Work != sandbox.Unlimited { // another sandbox begins to count anew
		return false
	}
	if r.libraries.broken == nil {
		r.libraries.broken = map[string]bool{}
	}
	r.libraries.broken[broken.File] = true
	r.Output().Begin(path.Base(broken.File))
	r.Output().Print(sandbox.LevelError, fmt.Sprintf("%s is left out: %v", broken.File, limit))
	r.Output().Begin("")
	return true
}

// leaveLibrary lets the library that is being loaded, and nothing else, end with the error that is the second argument
// of an operation, and says why. It returns false if there is none.
func (in *instance) leaveLibrary(c *host.Call, what, called string) bool {
	r := in.run
	if r.library == "" || !in.VM.MakeUncatchable(c.Value(1)) {
		return false
	}
	r.left = true
	r.Output().Print(sandbox.LevelError,
		fmt.Sprintf("%s (%s called %s, which ends that library only)", what, r.library, called))
	return true
}

// errEffect ends the loading of modules before the script, because one of them is about to have an effect, or to read
// what may differ in another run.
var errEffect = errors.New("a module has an effect while it is loaded")

// loadImports loads the modules that the script loads first. It returns false if one cannot be loaded; the script will
// see why when it loads that one again. Nothing has had an effect until then: otherwise the error is errEffect.
func (in libraryLoader) loadImports() (loaded bool, err error) {
	r := in.run
	r.loadingFirst = true
	defer func() { r.loadingFirst = false }()
	for _, i := range r.libraries.imports {
		if ok, err := in.loadImport(i); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// loadImport loads a module for the script, which will find it loaded. It returns false if that fails; the script will
// see why when it loads the module again.
func (in libraryLoader) loadImport(i module.Import) (bool, error) {
	ctx := in.Context()
	specifier, err := in.VM.NewString(ctx, i.Specifier)
	if err != nil {
		return false, in.Reason(err)
	}
	loading, err := in.Checked(in.VM.Call(ctx, in.Prelude.Preload, specifier, quickjs.Bool(i.Required)))
	if err != nil {
		return false, err
	}
	if _, err := in.Checked(in.VM.RunJobs(ctx)); err != nil {
		return false, err
	}
	state, _ := in.VM.PromiseState(loading)
	return state == 1, in.Reason(in.VM.Free(ctx, loading))
}

// loadLibrary runs one file and its jobs. Exceptions appear on the console.
func (in libraryLoader) loadLibrary(file string) error {
	if in.run.libraries.broken[file] {
		return nil
	}
	ctx := in.Context()
	source, err := in.Modules().Read(file)
	if err != nil {
		if s, ok := err.(*sandbox.Stop); ok {
			return s.Err
		}
		f := err.(*host.Failure)
		in.run.Output().Print(sandbox.LevelError, f.Name+": "+f.Message)
		return nil
	}
	var v quickjs.Value
	if source.Kind == module.Script || source.UMD {
		in.run.Note(source, 0)
		v, err = in.VM.EvalNow(ctx, source.Code, file)
	} else if source.Kind == module.CommonJS || source.Kind == module.ES {
		v, err = in.requireLibrary(ctx, file, source.Kind == module.ES)
	}
	if err != nil {
		return in.Reason(err)
	}
	if v == quickjs.Exception {
		err := in.Exception()
		script, ok := errors.AsType[*ScriptError](err)
		if !ok {
			return err
		}
		in.run.outcome = nil
		if !in.run.left {
			in.run.Output().Print(sandbox.LevelError, script.Thrown)
		}
	}
	for {
		done, err := in.libraryTurn()
		if _, thrown := errors.AsType[*ScriptError](err); thrown && in.run.left { // by what has left the library
			in.run.outcome = nil
			continue
		}
		if done || err != nil {
			return err
		}
	}
}

// libraryTurn runs jobs of a library, and reports whether none is left.
func (in libraryLoader) libraryTurn() (done bool, err error) {
	if _, err := in.Checked(in.VM.RunJobs(in.Context())); err != nil {
		return false, err
	}
	wait, err := timers.Tick(&in.Engine, -1, len(in.rejections) > 0)
	if err == nil && wait == timers.RejectionsFirst {
		return false, in.reportRejections()
	}
	return wait < 0, err
}

func (in *instance) requireLibrary(ctx context.Context, file string, isModule bool) (quickjs.Value, error) {
	argument, err := in.VM.NewString(ctx, file)
	if err != nil {
		return 0, err
	}
	name, err := in.VM.NewString(ctx, globalName(file))
	if err != nil {
		return 0, err
	}
	return in.VM.Call(ctx, in.Prelude.Library, argument, name, quickjs.Bool(isModule))
}

// globalName returns the name of the global for a file's exports: dateUtils for date-utils.min.js. It is empty if the
// file's name does not give an identifier.
func globalName(file string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(path.Base(file), path.Ext(file)), ".min")
	var b strings.Builder
	upper := false
	for _, c := range name {
		switch {
		case c == '_' || c == '$' || c < unicode.MaxASCII && unicode.IsLetter(c) || c >= '0' && c <= '9':
			if upper && b.Len() > 0 {
				c = unicode.ToUpper(c)
			}
			b.WriteRune(c)
			upper = false
		default:
			upper = true
		}
	}
	if _, err := splitName(b.String()); err != nil {
		return ""
	}
	return b.String()
}
