package command

import (
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Files are the files that commands see. All methods take paths as a user writes them: relative ones begin at Dir.
type Files struct {
	// Root is the directory of the system that is "/". Empty means that of the system itself, as in a sandbox.
	Root string
	// Dir is the working directory, an absolute path.
	Dir string
	// Modes are the modes of files where the system has none. Nil means that those of the system are used.
	Modes *Modes
	// Mask are the modes that files and directories do not get when they are made. Nil means those of the system.
	Mask *fs.FileMode
	// Device opens files in /dev, beside /dev/null, or returns nil and fs.ErrNotExist.
	Device func(name string, flag int) (File, error)
}

// A File is an open file.
type File interface {
	io.Reader
	io.Writer
	io.Closer
}

// Path returns the absolute path of a file.
func (f *Files) Path(name string) string {
	if !strings.HasPrefix(name, "/") {
		name = f.Dir + "/" + name
	}
	return path.Clean(name)
}

// system returns the path of a file in the system. Errors of a path without a name are as Linux has them.
func (f *Files) system(op, name string) (string, error) {
	if name == "" {
		return "", &fs.PathError{Op: op, Path: name, Err: syscall.ENOENT}
	}
	if strings.Contains(name, "\x00") {
		return "", &fs.PathError{Op: op, Path: name, Err: syscall.EINVAL}
	}
	p := f.Path(name)
	if f.Root != "" {
		p = filepath.Join(f.Root, filepath.FromSlash(p))
	}
	if strings.HasSuffix(name, "/") || strings.HasSuffix(name, "/.") || strings.HasSuffix(name, "/..") {
		if info, err := os.Stat(p); err == nil && !info.IsDir() {
			return "", &fs.PathError{Op: op, Path: name, Err: syscall.ENOTDIR}
		}
	}
	return p, nil
}

// renamed puts the name that the user knows into an error.
func renamed(err error, name string) error {
	if pathError, ok := err.(*fs.PathError); ok {
		return &fs.PathError{Op: pathError.Op, Path: name, Err: pathError.Err}
	}
	return err
}

// OpenFile opens a file, as [os.OpenFile] does.
func (f *Files) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	if p := f.Path(name); isDevice(p) && name != "" {
		switch {
		case p == "/dev/null":
			return null{}, nil
		case f.Device != nil:
			return f.Device(p, flag)
		}
	}
	p, err := f.system("open", name)
	if err != nil {
		return nil, err
	}
	fresh := f.Mask != nil && flag&os.O_CREATE != 0 && missing(p)
	file, err := os.OpenFile(p, flag, perm)
	if err != nil {
		return nil, renamed(err, name)
	}
	if fresh {
		_ = f.Chmod(name, perm&^*f.Mask)
	}
	if flag&(os.O_WRONLY|os.O_RDWR) != 0 {
		// WASI lets a directory be opened for writing.
		if info, err := file.Stat(); err == nil && info.IsDir() {
			_ = file.Close()
			return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
		}
	}
	return file, nil
}

func missing(p string) bool {
	_, err := os.Lstat(p)
	return err != nil
}

func isDevice(p string) bool {
	switch p {
	case "/dev/full", "/dev/null", "/dev/random", "/dev/stderr", "/dev/stdin", "/dev/stdout", "/dev/tty",
		"/dev/urandom",
		"/dev/zero":
		return true
	}
	return path.Dir(p) == "/dev/fd"
}

// Open opens a file for reading. "-" is a file like any other: see [Context.Input].
func (f *Files) Open(name string) (File, error) { return f.OpenFile(name, os.O_RDONLY, 0) }

// Create creates a file, or empties one, for writing.
func (f *Files) Create(name string) (File, error) {
	return f.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
}

// ReadFile returns the content of a file.
func (f *Files) ReadFile(name string) ([]byte, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	return data, renamed(err, name)
}

// WriteFile replaces the content of a file.
func (f *Files) WriteFile(name string, data []byte) error {
	file, err := f.Create(name)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if closing := file.Close(); err == nil {
		err = closing
	}
	return renamed(err, name)
}

// Stat describes a file, and Lstat a link itself.
func (f *Files) Stat(name string) (fs.FileInfo, error)  { return f.stat(name, os.Stat) }
func (f *Files) Lstat(name string) (fs.FileInfo, error) { return f.stat(name, os.Lstat) }

func (f *Files) stat(name string, stat func(string) (fs.FileInfo, error)) (fs.FileInfo, error) {
	if p := f.Path(name); isDevice(p) && name != "" && (p == "/dev/null" || f.Device != nil) {
		if p == "/dev/null" {
			return deviceInfo(path.Base(p)), nil
		}
		file, err := f.Device(p, os.O_RDONLY)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if s, ok := file.(interface{ Stat() (fs.FileInfo, error) }); ok {
			return s.Stat()
		}
		return deviceInfo(path.Base(p)), nil
	}
	p, err := f.system("stat", name)
	if err != nil {
		return nil, err
	}
	info, err := stat(p)
	if err == nil && f.Modes != nil {
		info = moded{info, f.Modes.of(f.Path(name), info.IsDir())}
	}
	return info, renamed(err, name)
}

// Modes are modes of files that are not kept with them: a project keeps none. They are forgotten with the shell.
type Modes struct {
	mu  sync.Mutex
	set map[string]fs.FileMode
}

func (m *Modes) of(path string, dir bool) fs.FileMode {
	m.mu.Lock()
	defer m.mu.Unlock()
	if mode, ok := m.set[path]; ok {
		return mode
	}
	if dir {
		return 0o755
	}
	return 0o644
}

// moded is a description of a file with another mode.
type moded struct {
	fs.FileInfo
	mode fs.FileMode
}

func (m moded) Mode() fs.FileMode { return m.FileInfo.Mode()&^fs.ModePerm | m.mode }

// ReadDir lists a directory, sorted by name.
func (f *Files) ReadDir(name string) ([]fs.DirEntry, error) {
	p, err := f.system("open", name)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(p); err == nil && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	entries, err := os.ReadDir(p)
	return entries, renamed(err, name)
}

// Mkdir makes a directory.
func (f *Files) Mkdir(name string, perm fs.FileMode) error {
	err := f.do("mkdir", strings.TrimRight(name, "/"), func(p string) error { return os.Mkdir(p, perm) })
	if err == nil && f.Mask != nil {
		_ = f.Chmod(name, perm&^*f.Mask)
	}
	return err
}

// MkdirAll makes a directory, and those above it.
func (f *Files) MkdirAll(name string, perm fs.FileMode) error {
	return f.do("mkdir", name, func(p string) error { return os.MkdirAll(p, perm) })
}

// Remove removes a file, or an empty directory.
func (f *Files) Remove(name string) error { return f.do("remove", name, os.Remove) }

// Unlink removes what is not a directory.
func (f *Files) Unlink(name string) error {
	info, err := f.Lstat(name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return &fs.PathError{Op: "unlink", Path: name, Err: syscall.EISDIR}
	}
	return f.Remove(name)
}

// Rmdir removes an empty directory.
func (f *Files) Rmdir(name string) error {
	info, err := f.Lstat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &fs.PathError{Op: "rmdir", Path: name, Err: syscall.ENOTDIR}
	}
	return f.Remove(name)
}

// Rename renames a file or directory.
func (f *Files) Rename(from, to string) error {
	source, err := f.system("rename", strings.TrimRight(from, "/"))
	if err != nil {
		return err
	}
	target, err := f.system("rename", strings.TrimRight(to, "/"))
	if err != nil {
		return err
	}
	return os.Rename(source, target)
}

// Truncate sets the size of a file.
func (f *Files) Truncate(name string, size int64) error {
	return f.do("truncate", name, func(p string) error { return os.Truncate(p, size) })
}

// Chmod sets the mode of a file.
func (f *Files) Chmod(name string, mode fs.FileMode) error {
	if _, err := f.Stat(name); err != nil {
		return err
	}
	if f.Modes == nil {
		return f.do("chmod", name, func(p string) error { return os.Chmod(p, mode) })
	}
	f.Modes.mu.Lock()
	defer f.Modes.mu.Unlock()
	if f.Modes.set == nil {
		f.Modes.set = map[string]fs.FileMode{}
	}
	f.Modes.set[f.Path(name)] = mode & fs.ModePerm
	return nil
}

// Chtimes sets the time at which a file was changed. Projects keep no time of reading.
func (f *Files) Chtimes(name string, accessed, modified time.Time) error {
	return f.do("chtimes", name, func(p string) error { return os.Chtimes(p, accessed, modified) })
}

// Symlink makes a symbolic link, Link another name for a file, and Readlink returns where a link leads. Projects have
// no links: making one fails there.
func (f *Files) Symlink(target, name string) error {
	return f.do("symlink", name, func(p string) error { return os.Symlink(target, p) })
}

// Link is described at Symlink.
func (f *Files) Link(name, other string) error {
	source, err := f.system("link", name)
	if err != nil {
		return err
	}
	target, err := f.system("link", other)
	if err != nil {
		return err
	}
	return os.Link(source, target)
}

// Readlink is described at Symlink.
func (f *Files) Readlink(name string) (target string, err error) {
	err = f.do("readlink", name, func(p string) (err error) {
		target, err = os.Readlink(p)
		return err
	})
	return target, err
}

func (f *Files) do(op, name string, do func(string) error) error {
	p, err := f.system(op, name)
	if err != nil {
		return err
	}
	return renamed(do(p), name)
}

// Same says whether two descriptions are of one file.
func (f *Files) Same(a, b string) bool {
	first, err := f.Stat(a)
	if err != nil {
		return false
	}
	second, err := f.Stat(b)
	if err != nil {
		return false
	}
	if m, ok := first.(moded); ok {
		first = m.FileInfo
	}
	if m, ok := second.(moded); ok {
		second = m.FileInfo
	}
	return f.Path(a) == f.Path(b) || os.SameFile(first, second)
}

// Links is how many links a file has: one, as files here have one name; a directory those of its name, its "." and the
// ".." of each directory in it.
func (f *Files) Links(name string, info fs.FileInfo) int {
	if !info.IsDir() {
		return 1
	}
	links := 2
	entries, _ := f.ReadDir(name)
	for _, entry := range entries {
		if entry.IsDir() {
			links++
		}
	}
	return links
}

// null is /dev/null.
type null struct{}

func (null) Read([]byte) (int, error)          { return 0, io.EOF }
func (null) Write(data []byte) (int, error)    { return len(data), nil }
func (null) Close() error                      { return nil }
func (null) Stat() (fs.FileInfo, error)        { return deviceInfo("null"), nil }
func (null) Seek(int64, int) (int64, error)    { return 0, nil }
func (null) WriteString(s string) (int, error) { return len(s), nil }

// deviceInfo describes a device.
type deviceInfo string

func (d deviceInfo) Name() string     { return string(d) }
func (deviceInfo) Size() int64        { return 0 }
func (deviceInfo) Mode() fs.FileMode  { return fs.ModeDevice | fs.ModeCharDevice | 0o666 }
func (deviceInfo) ModTime() time.Time { return time.Time{} }
func (deviceInfo) IsDir() bool        { return false }
func (deviceInfo) Sys() any           { return nil }
