package javascript

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/module"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// librarySet is the list of libraries to load before a script.
type librarySet struct {
	names []string
	key   libraryKey
	image *sandbox.Image // with the libraries loaded; nil if there is none
}

// findLibraries lists the libraries, and looks for an image with them.
func (r *run) findLibraries(program *sandbox.Program) error {
	dir, files := r.options.Libraries, r.options.Files
	if dir == "" || files == nil {
		return nil
	}
	// One goroutine does both: starting another would cost as much as its work.
	set, err := sandbox.Await(r.Run, func() (*librarySet, error) {
		set, err := r.listLibraries(files, dir)
		if set != nil {
			set.image = r.keptLibraries(program, set.key)
		}
		return set, err
	})
	if s, ok := errors.AsType[*sandbox.Stop](err); ok {
		return s.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		r.Output().Print(sandbox.LevelError, dir+" cannot be read: "+fileError(err, dir).Error())
		return nil
	}
	r.libraries = set
	return nil
}

// listLibraries lists the scripts directly in a folder, in byte order of their names. It returns nil if there are
// none.
func (r *run) listLibraries(files afero.Fs, dir string) (*librarySet, error) {
	t := tree{&fileWork{ctx: r.Context(), left: math.MaxInt}, files, r.Limits().Memory}
	var entries []fs.FileInfo
	left := t.limit
	err := t.each(place{dir, dir}, func(e fs.FileInfo) error {
		name := e.Name()
		if left -= int64(len(name)) + entryCost; left < 0 {
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
	if len(entries) == 0 {
		return nil, nil
	}
	slices.SortFunc(entries, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	set := &librarySet{key: r.libraryKey(entries)}
	for _, e := range entries {
		set.names = append(set.names, e.Name())
	}
	return set, nil
}

// loadLibraries runs the libraries. If one fails, the others and the script still run. If the result can be used again,
// an image of it is kept.
func (in *instance) loadLibraries(program *sandbox.Program) error {
	r := in.run
	r.evidence = newEvidence(r.options.Files, program.ImageRoom())
	for _, name := range r.libraries.names {
		r.Output().Begin(name)
		err := in.loadLibrary(path.Join(r.options.Libraries, name))
		r.Output().Begin("")
		if err != nil {
			return err
		}
	}
	evidence := r.evidence
	r.evidence = nil
	in.keepLibraries(program, evidence)
	return nil
}

// loadLibrary runs one file and its jobs. Exceptions appear on the console.
func (in *instance) loadLibrary(file string) error {
	ctx := in.Context()
	source, err := in.run.read(file)
	if err != nil {
		err = moduleFailure(err)
		if s, ok := err.(*sandbox.Stop); ok {
			return s.Err
		}
		f := err.(*failure)
		in.run.Output().Print(sandbox.LevelError, f.name+": "+f.message)
		return nil
	}
	var v quickjs.Value
	if source.Kind == module.Script || source.UMD {
		in.run.note(file, source.Code, origin{source: source.Map})
		v, err = in.vm.EvalNow(ctx, source.Code, file)
	} else if source.Kind == module.CommonJS || source.Kind == module.ES {
		v, err = in.requireLibrary(ctx, file, source.Kind == module.ES)
	}
	if err != nil {
		return in.reason(err)
	}
	if v == quickjs.Exception {
		err := in.exception()
		script, ok := errors.AsType[*ScriptError](err)
		if !ok {
			return err
		}
		in.run.outcome = nil
		in.run.Output().Print(sandbox.LevelError, script.Thrown)
	}
	if _, err := in.checked(in.vm.RunJobs(ctx)); err != nil {
		return err
	}
	return in.reportRejections()
}

func (in *instance) requireLibrary(ctx context.Context, file string, isModule bool) (quickjs.Value, error) {
	argument, err := in.vm.NewString(ctx, file)
	if err != nil {
		return 0, err
	}
	name, err := in.vm.NewString(ctx, globalName(file))
	if err != nil {
		return 0, err
	}
	return in.vm.Call(ctx, in.prelude.Library, argument, name, quickjs.Bool(isModule))
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
