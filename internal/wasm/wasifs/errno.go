package wasifs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"github.com/spf13/afero"
)

// An Errno is a number of an error in WASI preview 1. Zero means success.
type Errno uint16

// The errors that calls of WASI can have.
const (
	EACCES       Errno = 2
	EAGAIN       Errno = 6
	EBADF        Errno = 8
	EBUSY        Errno = 10
	EDQUOT       Errno = 19
	EEXIST       Errno = 20
	EFAULT       Errno = 21
	EFBIG        Errno = 22
	EILSEQ       Errno = 25
	EINTR        Errno = 27
	EINVAL       Errno = 28
	EIO          Errno = 29
	EISDIR       Errno = 31
	ELOOP        Errno = 32
	EMFILE       Errno = 33
	ENAMETOOLONG Errno = 37
	ENFILE       Errno = 41
	ENOENT       Errno = 44
	ENOSPC       Errno = 51
	ENOTDIR      Errno = 54
	ENOTEMPTY    Errno = 55
	ENOTSOCK     Errno = 57
	ENOTSUP      Errno = 58
	EOVERFLOW    Errno = 61
	EPERM        Errno = 63
	ERANGE       Errno = 68
	EROFS        Errno = 69
	ESPIPE       Errno = 70
	ESTALE       Errno = 72
	EXDEV        Errno = 75
)

// Error names the number.
func (e Errno) Error() string { return fmt.Sprintf("WASI error %d", uint16(e)) }

// errnos says what errors are for the guest. The first that matches counts, and the order matters: numbers come before
// the errors of package fs that they imply. On Unix ENOTEMPTY is also fs.ErrExist; on Windows ENOTDIR is also
// fs.ErrNotExist.
var errnos = []struct {
	is    error
	errno Errno
}{
	{syscall.ENOTEMPTY, ENOTEMPTY},
	{syscall.ENOTDIR, ENOTDIR},
	{syscall.EISDIR, EISDIR},
	{syscall.ENAMETOOLONG, ENAMETOOLONG},
	{syscall.EROFS, EROFS},
	{syscall.ELOOP, ELOOP},
	{syscall.EPERM, EPERM},
	{syscall.EACCES, EACCES},
	{syscall.EBADF, EBADF},
	{syscall.EINVAL, EINVAL},
	{syscall.ERANGE, ERANGE},
	{syscall.EINTR, EINTR},
	{syscall.EAGAIN, EAGAIN},
	{syscall.ENOSPC, ENOSPC},
	{syscall.EDQUOT, EDQUOT},
	{syscall.EFBIG, EFBIG},
	{syscall.ESTALE, ESTALE},
	{syscall.EBUSY, EBUSY},
	{syscall.EXDEV, EXDEV},
	{syscall.EMFILE, EMFILE},
	{syscall.ENFILE, ENFILE},

	{fs.ErrNotExist, ENOENT},
	{fs.ErrExist, EEXIST},
	{fs.ErrPermission, EACCES},
	{fs.ErrInvalid, EINVAL},
	{fs.ErrClosed, EBADF},
	{errors.ErrUnsupported, ENOTSUP},
	{afero.ErrFileClosed, EBADF},
	{afero.ErrOutOfRange, EINVAL},
}

// toErrno returns what an error of an afero.Fs is for the guest, EIO if it is not known. The end of a file is no error.
func toErrno(err error) Errno {
	if err == nil || err == io.EOF || errors.Is(err, io.EOF) {
		return 0
	}
	for _, known := range errnos {
		if errors.Is(err, known.is) {
			return known.errno
		}
	}
	return EIO
}
