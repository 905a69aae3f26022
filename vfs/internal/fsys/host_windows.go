package fsys

import (
	"path/filepath"
	"strings"
	"syscall"
)

// HostRefuses says why Windows cannot have a file of this name, or returns "". It would take the name for a device,
// for a stream of another file, or for the name without the dots and spaces at its end.
func HostRefuses(name string) string {
	switch {
	case strings.ContainsAny(name, `<>:"|?*`):
		return `names must not contain any of <>:"|?* on Windows`
	case strings.HasSuffix(name, "."), strings.HasSuffix(name, " "):
		return "names must not end in a dot or a space on Windows"
	case !filepath.IsLocal(name):
		return "it is the name of a device on Windows"
	}
	return ""
}

// ErrNotDir is syscall.ENOTDIR, which on Windows would count as fs.ErrNotExist.
var ErrNotDir error = notDirError{}

type notDirError struct{}

func (notDirError) Error() string        { return "not a directory" }
func (notDirError) Is(target error) bool { return target == syscall.ENOTDIR }

// portable gives errors of Windows the numbers that other systems have for them.
func portable(err error) error {
	const (
		errorDirNotEmpty   = syscall.Errno(145)
		errorDirectory     = syscall.Errno(267)
		errorDiskFull      = syscall.Errno(112)
		errorAlreadyExists = syscall.ERROR_ALREADY_EXISTS
	)
	switch err {
	case errorDirNotEmpty:
		return syscall.ENOTEMPTY
	case errorDirectory:
		return ErrNotDir
	case errorDiskFull:
		return syscall.ENOSPC
	case errorAlreadyExists, syscall.ERROR_FILE_EXISTS:
		return syscall.EEXIST
	case syscall.ERROR_FILE_NOT_FOUND, syscall.ERROR_PATH_NOT_FOUND:
		return syscall.ENOENT
	}
	return err
}
