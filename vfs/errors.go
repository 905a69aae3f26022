package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// A QuotaError says that an operation would go beyond a limit of the project. It is syscall.ENOSPC. The operation has
// changed nothing.
type QuotaError struct {
	// Limit is what there would be too much of: "bytes", "files" or "file size".
	Limit string
	// Max is the limit, and Want what the operation would have led to.
	Max, Want int64
}

func (e *QuotaError) Error() string {
	switch e.Limit {
	case "files":
		return fmt.Sprintf("no space left: the project may have %d files and directories", e.Max)
	case "file size":
		return fmt.Sprintf("no space left: a file may have %d bytes, not %d", e.Max, e.Want)
	}
	return fmt.Sprintf("no space left: the project's files may have %d bytes together", e.Max)
}

// Unwrap makes errors.Is hold for syscall.ENOSPC.
func (e *QuotaError) Unwrap() error { return syscall.ENOSPC }

// A NameConflictError says that a name cannot be taken because another one differs from it in case or Unicode form only,
// which some systems take for the same. It is fs.ErrExist.
type NameConflictError struct {
	// Name is the name that was wanted, Existing the one that is there.
	Name, Existing string
}

func (e *NameConflictError) Error() string {
	return fmt.Sprintf("%q is there, which differs in case or Unicode form only", e.Existing)
}

// Unwrap makes errors.Is hold for fs.ErrExist and syscall.EEXIST.
func (e *NameConflictError) Unwrap() error { return syscall.EEXIST }

// errNotFollowed is what happens to links, devices, pipes and sockets.
var errNotFollowed error = &notFollowedError{}

type notFollowedError struct{}

func (*notFollowedError) Error() string { return "links and special files are not followed" }
func (*notFollowedError) Unwrap() error { return fs.ErrPermission }

// notDirectory is the error of what should be a directory, or nil.
func notDirectory(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return nil
	case info.Mode().IsRegular():
		return errNotDir
	}
	return errNotFollowed
}

// notFile is the error of what should be a regular file, or nil.
func notFile(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return syscall.EISDIR
	case !info.Mode().IsRegular():
		return errNotFollowed
	}
	return nil
}

// errLocked means that another process holds the lock.
var errLocked = errors.New("another process holds the lock")

// pathError puts the path that the caller gave into an error, in the place of the host's.
func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: bare(err)}
}

// bare is what went wrong, without the path that it went wrong with.
func bare(err error) error {
	for {
		var pe *fs.PathError
		var le *os.LinkError
		var se *os.SyscallError
		switch {
		case errors.As(err, &pe):
			err = pe.Err
		case errors.As(err, &le):
			err = le.Err
		case errors.As(err, &se):
			err = se.Err
		default:
			return portable(err)
		}
	}
}
