package wasifs

import (
	"errors"
	"io"
	"io/fs"
	"syscall"

	"github.com/spf13/afero"
	"github.com/tetratelabs/wazero/experimental/sys"
)

// errnos says what errors are for the guest. The first that matches counts, and the order matters: numbers come before
// the errors of package fs that they imply. On Unix ENOTEMPTY is also fs.ErrExist; on Windows ENOTDIR is also
// fs.ErrNotExist.
//
// wazero has no numbers for some errors. Those have the nearest that does not make programs try again or go another
// way.
var errnos = []struct {
	is    error
	errno sys.Errno
}{
	{syscall.ENOTEMPTY, sys.ENOTEMPTY},
	{syscall.ENOTDIR, sys.ENOTDIR},
	{syscall.EISDIR, sys.EISDIR},
	{syscall.ENAMETOOLONG, sys.ENAMETOOLONG},
	{syscall.EROFS, sys.EROFS},
	{syscall.ELOOP, sys.ELOOP},
	{syscall.EPERM, sys.EPERM},
	{syscall.EACCES, sys.EACCES},
	{syscall.EBADF, sys.EBADF},
	{syscall.EINVAL, sys.EINVAL},
	{syscall.ERANGE, sys.ERANGE},
	{syscall.EINTR, sys.EINTR},
	{syscall.EAGAIN, sys.EAGAIN},

	// No room: a write fails for a reason that is not in the call.
	{syscall.ENOSPC, sys.EIO},
	{syscall.EDQUOT, sys.EIO},
	{syscall.EFBIG, sys.EIO},
	// The file has been replaced or removed by somebody else: the handle is of no more use.
	{syscall.ESTALE, sys.EBADF},
	// In use, or the root: it will not be allowed later either.
	{syscall.EBUSY, sys.EPERM},
	{syscall.EXDEV, sys.ENOTSUP},

	{fs.ErrNotExist, sys.ENOENT},
	{fs.ErrExist, sys.EEXIST},
	{fs.ErrPermission, sys.EACCES},
	{fs.ErrInvalid, sys.EINVAL},
	{fs.ErrClosed, sys.EBADF},
	{errors.ErrUnsupported, sys.ENOTSUP},
	{afero.ErrFileClosed, sys.EBADF},
	{afero.ErrOutOfRange, sys.EINVAL},
}

// toErrno returns what an error of an afero.Fs is for the guest, EIO if it is not known. The end of a file is no error.
func toErrno(err error) sys.Errno {
	if err == nil || errors.Is(err, io.EOF) {
		return 0
	}
	for _, known := range errnos {
		if errors.Is(err, known.is) {
			return known.errno
		}
	}
	return sys.EIO
}
