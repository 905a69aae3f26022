package runtime

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/guest"
	"github.com/toolrun/toolrun/internal/module"
)

// loadLibraries runs the files of the library folder, in the byte order of their names. One that fails does not keep the others,
// nor the script, from running.
func (in *instance) loadLibraries() error {
	dir, files := in.run.options.Libraries, in.run.options.Files
	if dir == "" || files == nil {
		return nil
	}
	names, err := abandonable(in.run, func() ([]string, error) { return libraries(files, dir) })
	if s, ok := errors.AsType[*stop](err); ok {
		return s.err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		in.run.output.print(LevelError, dir+" cannot be read: "+fileError(err, dir).Error())
		return nil
	}
	for _, name := range names {
		in.run.output.begin(name)
		err := in.loadLibrary(path.Join(dir, name))
		in.run.output.begin("")
		if err != nil {
			return err
		}
	}
	return nil
}

// libraries lists the scripts that lie in a folder itself.
func libraries(files afero.Fs, dir string) ([]string, error) {
	entries, err := afero.ReadDir(files, dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if e.Mode().IsRegular() && !strings.HasPrefix(name, ".") &&
			(path.Ext(name) == ".js" || path.Ext(name) == ".ts" && !strings.HasSuffix(name, ".d.ts")) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// loadLibrary runs one file and all jobs that it leaves. Exceptions are printed on the console.
func (in *instance) loadLibrary(file string) error {
	ctx := in.context()
	source, err := in.run.read(file)
	if err != nil {
		err = moduleFailure(err)
		if s, ok := err.(*stop); ok {
			return s.err
		}
		f := err.(*failure)
		in.run.output.print(LevelError, f.name+": "+f.message)
		return nil
	}
	var v guest.Value
	if source.Kind == module.Script || source.UMD {
		in.run.note(file, source.Code, origin{source: source.Map})
		v, err = in.vm.EvalNow(ctx, source.Code, file)
	} else if source.Kind == module.CommonJS || source.Kind == module.ES {
		v, err = in.requireLibrary(ctx, file, source.Kind == module.ES)
	}
	if err != nil {
		return in.reason(err)
	}
	if v == guest.Exception {
		err := in.exception()
		script, ok := errors.AsType[*ScriptError](err)
		if !ok {
			return err
		}
		in.run.outcome = nil
		in.run.output.print(LevelError, script.Thrown)
	}
	if _, err := in.checked(in.vm.RunJobs(ctx)); err != nil {
		return err
	}
	return in.reportRejections()
}

func (in *instance) requireLibrary(ctx context.Context, file string, isModule bool) (guest.Value, error) {
	argument, err := in.vm.NewString(ctx, file)
	if err != nil {
		return 0, err
	}
	name, err := in.vm.NewString(ctx, globalName(file))
	if err != nil {
		return 0, err
	}
	return in.vm.Call(ctx, in.prelude.Library, argument, name, guest.Bool(isModule))
}

// globalName is the name that what a file exports has as a global: date-utils.min.js is dateUtils. It is empty if the file's name
// cannot be made one.
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
