package local

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Contains reports whether a directory of the host is another one or in it, also by way of links. It need not be there.
func Contains(dir, other string) (bool, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return false, err
	}
	if other, err = filepath.Abs(other); err != nil {
		return false, err
	}
	missing := ""
	for {
		there, err := filepath.EvalSymlinks(other)
		if err == nil {
			other = filepath.Join(there, missing)
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(other) == other {
			return false, err
		}
		other, missing = filepath.Dir(other), filepath.Join(filepath.Base(other), missing)
	}
	relative, err := filepath.Rel(dir, other)
	return err == nil && filepath.IsLocal(relative), nil
}

// separate checks that no code that may change a directory can reach what is kept about it in another one, nor changes
// that one by changing the directory. The other one need not be there.
func separate(dir, kept string) error {
	inside, err := Contains(dir, kept)
	if err != nil {
		return err
	}
	if inside {
		return fmt.Errorf("%w: what is kept about the directory %s is inside of the directory itself: %s",
			fs.ErrInvalid, dir, kept)
	}
	inside, err = Contains(kept, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if inside {
		err = fmt.Errorf("%w: %s is inside of the directory in which something is kept about it: %s",
			fs.ErrInvalid, dir, kept)
	}
	return err
}
