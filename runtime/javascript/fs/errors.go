package fs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// A place is a path: as the script gave it, and in absolute, cleaned form.
type place struct{ given, name string }

// below returns the place with a relative path in a directory.
func (p place) below(relative string) place {
	below := p
	if relative == "" {
		return p
	}
	for _, s := range []*string{&below.given, &below.name} {
		if *s != "" && (*s)[len(*s)-1] != '/' {
			*s += "/"
		}
		*s += relative
	}
	return below
}

// A placeError says which path of an operation failed, and what was attempted there.
type placeError struct {
	place
	verb string // what read-only file systems refuse: write, mkdir, unlink, rmdir or rename
	err  error
}

func (e *placeError) Error() string { return e.err.Error() }
func (e *placeError) Unwrap() error { return e.err }

// at adds the place to an error that has none yet. It returns nil for nil.
func at(p place, verb string, err error) error {
	var known *placeError
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &placeError{p, verb, err}
}

// The errors of fs have the texts of Node's, with the path as the script gave it.

func fileFailure(code, reason, given string) *host.Failure {
	return &host.Failure{Name: "Error", Message: code + ": " + reason + ", '" + given + "'", Code: code, Path: given}
}

// codeArgument is Node's code for arguments that are missing or of the wrong type.
const codeArgument = "ERR_INVALID_ARG_TYPE"

func missingArgument(name, operation string) *host.Failure {
	return &host.Failure{
		Name:    "TypeError",
		Code:    codeArgument,
		Message: "EINVAL: missing required argument '" + name + "' for fs." + operation,
	}
}

// codeValue is Node's code for arguments with a value that is not allowed.
const codeValue = "ERR_INVALID_ARG_VALUE"

// invalid is the error for an invalid argument. The code is Node's.
func invalid(code, reason, given string) *host.Failure {
	f := fileFailure("EINVAL", "invalid argument"+reason, given)
	f.Name, f.Code = "TypeError", code
	return f
}

// systemCalls are what Node names as the failed system call of an operation, where that is not the operation's name.
var systemCalls = map[string]string{
	"readFile": "open", "writeFile": "open", "appendFile": "open", "truncate": "open", "readdir": "scandir",
	"copyFile": "copyfile", "readPart": "read", "writePart": "write",
}

// errorNumbers are the numbers of errors in Linux.
var errorNumbers = map[string]int{
	"ENOENT": 2, "EIO": 5, "ENOMEM": 12, "EACCES": 13, "EBUSY": 16, "EEXIST": 17, "EXDEV": 18, "ENOTDIR": 20,
	"EISDIR": 21, "EINVAL": 22, "EFBIG": 27, "ENOSPC": 28, "EROFS": 30, "ENOTEMPTY": 39,
}

// withSystemCall adds what Node's errors of an operation say of the system call that failed.
func withSystemCall(err error, operation string) error {
	if f, ok := err.(*host.Failure); ok && errorNumbers[f.Code] != 0 {
		f.Errno, f.Syscall = -errorNumbers[f.Code], systemCalls[operation]
		if f.Syscall == "" {
			f.Syscall = operation
		}
	}
	return err
}

// knownErrors are the errors with a code of their own. The first match counts.
var knownErrors = []struct {
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
	{syscall.ENOMEM, "ENOMEM", "not enough memory"},
	{syscall.EBUSY, "EBUSY", "resource busy or locked"},
	{syscall.EINVAL, "EINVAL", "invalid argument"},
	{syscall.ENAMETOOLONG, "EINVAL", "invalid argument"},
}

// A protectedError names a file or directory that nobody may change: vfs.ProtectedError is one.
type protectedError interface {
	error
	Protected() string
}

// An unavailableError says in words for scripts that the files cannot be reached: vfs.UnavailableError is one.
type unavailableError interface {
	error
	Unavailable() string
}

// Error turns the error of a file operation into one for the script, without the host's own paths. An error that
// has no place gets the given path.
func Error(err error, given string) error {
	if host.Ended(err) {
		return err // the run is over
	}
	if f, ok := errors.AsType[*host.Failure](err); ok {
		return f
	}
	verb := "write"
	if where, ok := errors.AsType[*placeError](err); ok {
		given, verb = where.given, where.verb
	}
	for _, known := range knownErrors {
		if errors.Is(err, known.err) {
			f := fileFailure(known.code, known.reason, given)
			if verb == "rmdir" && known.err == syscall.ENOTEMPTY {
				f.Message += " (pass {recursive: true} to remove it with its content)"
			}
			return f
		}
	}
	if errors.Is(err, syscall.EROFS) {
		message := "EROFS: read-only file system, " + verb + " '" + given + "'"
		if p, ok := errors.AsType[protectedError](err); ok {
			message += ": " + p.Protected() + " is protected, because other programs may execute it"
		}
		return &host.Failure{Name: "Error", Message: message, Code: "EROFS", Path: given}
	}
	if errors.Is(err, fs.ErrPermission) {
		return fileFailure("EACCES", "permission denied", given)
	}
	if u, ok := errors.AsType[unavailableError](err); ok {
		return fileFailure("EIO", u.Unavailable(), given)
	}
	return fileFailure("EIO", withoutPaths(err).Error(), given)
}

// withoutPaths removes the paths from an error, because they may be the host's.
func withoutPaths(err error) error {
	for {
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			err = pe.Err
		} else if le, ok := errors.AsType[*os.LinkError](err); ok {
			err = le.Err
		} else {
			return err
		}
	}
}
