package vfs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/progress"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// Exclusive is a file system that can keep others from changing it. Every [Project] is one, and every view of one.
type Exclusive interface {
	// Exclusively runs do while nobody else, in this process or another, changes the files. Others can read. do
	// must use the files that it gets: a change through the original ones would wait for the end of do. do may call
	// Exclusively on the files that it got. This is not a transaction: changes that do made before it failed stay.
	// The error is that of do, or of the context if that ends while waiting.
	Exclusively(ctx context.Context, do func(files afero.Fs) error) error
}

// Exclusively runs do while nobody else changes the files. If the file system is not [Exclusive], it just runs do.
func Exclusively(ctx context.Context, files afero.Fs, do func(files afero.Fs) error) error {
	if e, ok := files.(Exclusive); ok {
		return e.Exclusively(ctx, do)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return do(files)
}

// WriteFile replaces a file as a whole, or creates it and its parent directories.
func WriteFile(ctx context.Context, files afero.Fs, name string, data []byte) error {
	ctx = fsys.WithHint(ctx, name)
	return Exclusively(ctx, files, func(files afero.Fs) error { return writeFile(files, name, data) })
}

func writeFile(files afero.Fs, name string, data []byte) error {
	err := afero.WriteFile(files, name, data, 0o644)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	clean, err := Clean(name)
	if err != nil {
		return fsys.PathError("open", name, err)
	}
	var made []string
	for dir := path.Dir(clean); dir != "/"; dir = path.Dir(dir) {
		if _, err := files.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, dir)
	}
	if err := files.MkdirAll(path.Dir(clean), 0o755); err != nil {
		return err
	}
	if err = afero.WriteFile(files, name, data, 0o644); err != nil {
		for _, dir := range made { // the deepest first
			_ = files.Remove(dir)
		}
	}
	return err
}

// Edit replaces the content of a file, as a whole, by the result of edit, while nobody else changes anything. If
// edit fails, Edit returns that error and changes nothing.
func Edit(ctx context.Context, files afero.Fs, name string, edit func(content []byte) ([]byte, error)) error {
	ctx = fsys.WithHint(ctx, name)
	return Exclusively(ctx, files, func(files afero.Fs) error {
		content, err := readFile(files, name)
		if err != nil {
			return err
		}
		content, err = edit(content)
		if err != nil {
			return err
		}
		return afero.WriteFile(files, name, content, 0o644)
	})
}

func readFile(files afero.Fs, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(progress.Reader(f))
}

// Append adds data to the end of a file, all at once, or creates the file and its parent directories.
func Append(ctx context.Context, files afero.Fs, name string, data []byte) error {
	ctx = fsys.WithHint(ctx, name)
	return Exclusively(ctx, files, func(files afero.Fs) error {
		content, err := readFile(files, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return writeFile(files, name, append(content, data...))
	})
}

// Copy copies a file, or a directory with everything in it, to a path that does not exist (otherwise fs.ErrExist).
// Each file is copied as a whole. If something fails, the copies are removed again.
func Copy(ctx context.Context, files afero.Fs, from, to string) error {
	return Exclusively(ctx, files, func(files afero.Fs) error {
		source, err := Clean(from)
		if err != nil {
			return fsys.PathError("copy", from, err)
		}
		target, err := Clean(to)
		if err != nil {
			return fsys.PathError("copy", to, err)
		}
		if _, err := files.Stat(to); err == nil {
			return fsys.PathError("copy", to, syscall.EEXIST)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		info, err := files.Stat(from)
		if err != nil {
			return err
		}
		if info.IsDir() && Within(target, source) {
			return fsys.PathError("copy", to, syscall.EINVAL)
		}
		if err := copyAny(ctx, files, source, target, info); err != nil {
			if info.IsDir() { // a file is there as a whole or not at all
				err = errors.Join(err, files.RemoveAll(to))
			}
			return err
		}
		return nil
	})
}

func copyAny(ctx context.Context, files afero.Fs, from, to string, info fs.FileInfo) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case info.Mode().IsRegular():
		return copyRegular(files, from, to, info)
	case !info.IsDir():
		return fsys.PathError("copy", from, fsys.ErrNotFollowed)
	}
	if err := files.Mkdir(to, info.Mode().Perm()); err != nil {
		return err
	}
	infos, err := afero.ReadDir(files, from)
	if err != nil {
		return err
	}
	for _, inside := range infos {
		if err := copyAny(ctx, files, path.Join(from, inside.Name()), path.Join(to, inside.Name()),
			inside); err != nil {
			return err
		}
	}
	return nil
}

func copyRegular(files afero.Fs, from, to string, info fs.FileInfo) error {
	source, err := files.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := files.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, progress.Reader(source)); err != nil {
		fsys.Discard(target)
		return err
	}
	return target.Close()
}

// Move renames a file or a directory to a path that does not exist (otherwise fs.ErrExist).
func Move(ctx context.Context, files afero.Fs, from, to string) error {
	return Exclusively(ctx, files, func(files afero.Fs) error {
		// The same file by a name in another case is no obstacle: it is not found by that name.
		if _, err := files.Stat(to); err == nil {
			return fsys.PathError("move", to, syscall.EEXIST)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return files.Rename(from, to)
	})
}
