package javascript

import (
	"io/fs"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/js/module"
	"github.com/toolrun/toolrun/internal/wasm/scratch"
)

// files returns the run's files, with /tmp.
func (r *run) files() *scratch.FS {
	if r.scratch == nil {
		files := r.options.Files
		if files == nil {
			files = noFiles{}
		}
		r.scratch = r.Scratch(files)
	}
	return r.scratch
}

// Files implements [modules.Code].
func (r *run) Files() afero.Fs {
	switch {
	case r.evidence != nil:
		return r.files().On(r.evidence)
	case r.options.Files != nil:
		return r.files()
	}
	return nil
}

// Note implements [modules.Code].
func (r *run) Note(source *module.Source, prefix int) {
	r.findUncalled(source.Path, source.Code, source.Map)
	r.note(source.Path, source.Code, origin{prefix: prefix, source: source.Map, module: source.Kind == module.ES})
}

// Spoil implements [modules.Code].
func (r *run) Spoil() {
	if r.evidence != nil {
		r.evidence.Spoil()
	}
}

// noFiles has no files, and no place for any.
type noFiles struct{ afero.Fs }

func (noFiles) Stat(string) (fs.FileInfo, error)   { return nil, fs.ErrNotExist }
func (noFiles) Open(string) (afero.File, error)    { return nil, fs.ErrNotExist }
func (noFiles) Mkdir(string, fs.FileMode) error    { return fs.ErrNotExist }
func (noFiles) MkdirAll(string, fs.FileMode) error { return fs.ErrNotExist }
func (noFiles) Remove(string) error                { return fs.ErrNotExist }
func (noFiles) RemoveAll(string) error             { return fs.ErrNotExist }
func (noFiles) Rename(string, string) error        { return fs.ErrNotExist }
func (noFiles) OpenFile(string, int, fs.FileMode) (afero.File, error) {
	return nil, fs.ErrNotExist
}
