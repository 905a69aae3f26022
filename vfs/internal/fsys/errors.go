// Package fsys has what the files of all stores have in common: errors, descriptions of files and open directories.
package fsys

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotFollowed is the error for links, devices, pipes and sockets. It is fs.ErrPermission.
var ErrNotFollowed error = &notFollowedError{}

type notFollowedError struct{}

func (*notFollowedError) Error() string { return "links and special files are not followed" }
func (*notFollowedError) Unwrap() error { return fs.ErrPermission }

// NotDirectory returns the error for something that should be a directory, or nil if it is one.
func NotDirectory(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return nil
	case info.Mode().IsRegular():
		return ErrNotDir
	}
	return ErrNotFollowed
}

// NotFile returns the error for something that should be a regular file, or nil if it is one.
func NotFile(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return syscall.EISDIR
	case !info.Mode().IsRegular():
		return ErrNotFollowed
	}
	return nil
}

// PathError makes a [*fs.PathError] with the path that the caller gave, and no path of the host. It returns nil if err
// is nil.
func PathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: Bare(err)}
}

// Bare returns the cause of an error, without the path that it is about.
func Bare(err error) error {
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
