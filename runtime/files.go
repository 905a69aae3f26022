package runtime

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/guest"
)

// The errors of fs have the texts of Node's, with the path as the script gave it.

func fileFailure(code, reason, name string) *failure {
	return &failure{name: "Error", message: code + ": " + reason + ", '" + name + "'", code: code, path: name}
}

// fileError turns the error of a file operation into the one for the script. Nothing of the host's own paths is in it.
func fileError(err error, operation, name string) error {
	var s *stop
	if errors.As(err, &s) {
		return err // no error of the operation: the run is over
	}
	for _, known := range []struct {
		err          error
		code, reason string
	}{
		{fs.ErrNotExist, "ENOENT", "no such file or directory"},
		{syscall.ENOTEMPTY, "ENOTEMPTY", "directory not empty"}, // which is fs.ErrExist too
		{fs.ErrExist, "EEXIST", "file already exists"},
		{syscall.EISDIR, "EISDIR", "illegal operation on a directory"},
		{syscall.ENOTDIR, "ENOTDIR", "not a directory"},
		{syscall.ENOSPC, "ENOSPC", "no space left on device"},
		{syscall.EFBIG, "EFBIG", "file too large"},
		{syscall.EINVAL, "EINVAL", "invalid argument"},
		{syscall.ENAMETOOLONG, "EINVAL", "invalid argument"},
	} {
		if errors.Is(err, known.err) {
			return fileFailure(known.code, known.reason, name)
		}
	}
	if errors.Is(err, syscall.EROFS) {
		return &failure{name: "Error", message: "EROFS: read-only file system, " + operation + " '" + name + "'", code: "EROFS", path: name}
	}
	if errors.Is(err, fs.ErrPermission) {
		return fileFailure("EACCES", "permission denied", name)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err // without the path, which may be the host's
	}
	return fileFailure("EIO", err.Error(), name)
}

// maxPath is the longest path that the host looks at, in bytes.
const maxPath = 4096

// filePath reads a path argument: as the script gave it, and as an absolute one without dots and double slashes.
func (in *instance) filePath(args arguments, i int) (given, absolute string, err error) {
	given, cut, ok := args.text(i, maxPath)
	if !ok {
		return "", "", failf("EINVAL: the path must be a string")
	}
	if cut > 0 || given == "" || strings.ContainsFunc(given, func(c rune) bool { return c < ' ' || c == 0x7f || c == '\\' }) {
		return "", "", fileFailure("EINVAL", "invalid argument", given)
	}
	return given, path.Clean("/" + given), nil
}

func (in *instance) readFile(ctx context.Context, args arguments) (guest.Value, error) {
	given, name, err := in.filePath(args, 1)
	if err != nil {
		return 0, err
	}
	files := in.run.options.Files
	if files == nil {
		return 0, fileFailure("ENOENT", "no such file or directory", given)
	}
	// What does not fit into the script's memory need not be read.
	limit := in.run.options.Limits.Memory
	data, err := abandonable(in.run, func() ([]byte, error) { return readAll(files, name, limit) })
	if err != nil {
		return 0, fileError(err, "read", given)
	}
	if text, _ := args.int(2); text != 0 {
		return in.vm.NewString(ctx, string(data))
	}
	return in.vm.NewArrayBuffer(ctx, data)
}

// readAll reads a file of at most limit bytes.
func readAll(files afero.Fs, name string, limit int64) ([]byte, error) {
	// Opening something else than a file can block for ever.
	info, err := files.Stat(name)
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		return nil, syscall.EISDIR
	case !info.Mode().IsRegular():
		return nil, syscall.EINVAL
	case info.Size() > limit:
		return nil, syscall.EFBIG
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var content bytes.Buffer
	content.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := content.ReadFrom(io.LimitReader(f, limit)); err != nil {
		return nil, err
	}
	if int64(content.Len()) >= limit {
		return nil, syscall.EFBIG
	}
	return content.Bytes(), nil
}

func (in *instance) writeFile(args arguments) error {
	given, name, err := in.filePath(args, 1)
	if err != nil {
		return err
	}
	files := in.run.options.Files
	if files == nil {
		return fileFailure("ENOENT", "no such file or directory", given)
	}
	var data []byte
	if text, cut, ok := in.vm.UTF8(args.value(2), int(in.run.options.Limits.Memory)); ok {
		if cut > 0 {
			return fileError(syscall.EFBIG, "write", given)
		}
		data = text
	} else if memory, ok := args.bytes(2); ok {
		offset, ok1 := args.int(3)
		length, ok2 := args.int(4)
		if !ok1 || !ok2 || offset < 0 || length < 0 || offset > len(memory) || length > len(memory)-offset {
			return fileFailure("EINVAL", "invalid argument", given)
		}
		data = append(data, memory[offset:offset+length]...)
	} else {
		return fileFailure("EINVAL", "invalid argument, data must be string or buffer", given)
	}
	_, err = abandonable(in.run, func() (struct{}, error) { return struct{}{}, writeAll(files, name, data) })
	if err != nil {
		return fileError(err, "write", given)
	}
	return nil
}

// writeAll replaces a file, or makes it and its parents.
func writeAll(files afero.Fs, name string, data []byte) error {
	info, err := files.Stat(name)
	switch {
	case name == "/" || err == nil && info.IsDir():
		return syscall.EISDIR
	case err == nil && !info.Mode().IsRegular():
		return syscall.EINVAL // opening it could block for ever
	case err == nil:
	case !errors.Is(err, fs.ErrNotExist):
		return err
	default:
		if err := makeParents(files, path.Dir(name)); err != nil {
			return err
		}
	}
	f, err := files.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// makeParents makes a directory and those that it lies in. In-memory file systems would let it lie in a file.
func makeParents(files afero.Fs, dir string) error {
	for at := dir; at != "/"; at = path.Dir(at) {
		info, err := files.Stat(at)
		if err == nil && !info.IsDir() {
			return syscall.ENOTDIR
		}
		if err == nil {
			break
		}
	}
	if dir == "/" {
		return nil
	}
	return files.MkdirAll(dir, 0o755)
}
