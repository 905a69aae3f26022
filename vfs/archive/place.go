package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// place puts everything in its place, or takes back what has been put there.
func (im *importing) place() error {
	result := im.result
	for i, b := range im.todo {
		if err := im.placeOne(b); err != nil {
			return im.takeBack(im.todo[:i+1], placeError(b, err))
		}
		if b.dir {
			result.Directories++
		} else {
			result.Files++
			result.Bytes += b.size
		}
	}
	// What is put into a directory changes its time.
	for _, b := range im.todo {
		if !b.dir {
			break
		}
		if !b.listed {
			continue
		}
		if err := b.setTime(im.files, b.path); err != nil {
			return im.takeBack(im.todo, placeError(b, err))
		}
	}
	im.result = result
	return nil
}

// placeError is why a file or directory cannot be put in its place: because the project does not allow it, or because
// the host fails.
func placeError(b *branch, err error) error {
	_, full := errors.AsType[*vfs.QuotaError](err)
	_, conflict := errors.AsType[*vfs.NameConflictError](err)
	if full || conflict || errors.Is(err, syscall.EROFS) {
		return unfit(b.name, fsys.Bare(err))
	}
	return importError(b.path, err)
}

// placeOne puts a file in its place, or makes a directory.
func (im *importing) placeOne(b *branch) error {
	if b.dir {
		if err := im.files.Mkdir(b.path, b.permissions()); err != nil {
			return err
		}
		b.touched = true
		return im.setPermissions(b)
	}
	if b.before != nil {
		if err := im.save(b); err != nil {
			return err
		}
	}
	b.touched = true
	if err := im.write(b.path, im.section(b.offset, b.size), b.permissions()); err != nil {
		return err
	}
	if b.before == nil {
		if err := im.setPermissions(b); err != nil {
			return err
		}
	}
	return b.setTime(im.files, b.path)
}

// setPermissions sets what the process's umask may have left out.
func (im *importing) setPermissions(b *branch) error {
	info, err := im.files.Stat(b.path)
	if err != nil || info.Mode().Perm() == b.permissions() {
		return err
	}
	return im.files.Chmod(b.path, b.permissions())
}

// write replaces or creates a file.
func (im *importing) write(name string, content io.Reader, perm fs.FileMode) error {
	f, err := im.files.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	if _, err := io.CopyBuffer(struct{ io.Writer }{f}, struct{ io.Reader }{content}, im.buf); err != nil {
		fsys.Discard(f)
		return err
	}
	return f.Close()
}

// save keeps what a file has before it is replaced.
func (im *importing) save(b *branch) error {
	f, err := im.files.Open(b.path)
	if err != nil {
		return err
	}
	defer f.Close()
	b.saved = im.spool.Size()
	size, err := io.CopyBuffer(&im.spool, io.LimitReader(f, b.before.Size()), im.buf)
	if err == nil && size < b.before.Size() {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// takeBack undoes what has been done for branches, of which the last may be done in part, because of an error.
func (im *importing) takeBack(branches []*branch, cause error) error {
	var failed error
	for _, b := range slices.Backward(branches) {
		var err error
		switch {
		case !b.touched:
		case b.before == nil:
			err = im.files.Remove(b.path)
		default:
			if err = im.write(b.path, im.section(b.saved, b.before.Size()), b.before.Mode().Perm()); err == nil {
				err = im.files.Chtimes(b.path, b.before.ModTime(), b.before.ModTime())
			}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = err
		}
	}
	if failed == nil {
		im.result = Result{}
		return cause
	}
	if refused, ok := errors.AsType[*Error](cause); ok { // which would say that nothing has been changed
		cause = fsys.PathError("import", refused.Entry, refused.Err)
	}
	return fmt.Errorf("%w; part of the import is in place, since taking it back failed: %w", cause, failed)
}
