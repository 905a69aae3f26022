package wasifs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

func TestErrorsBecomeNumbers(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		want Errno
	}{
		{"no error is none", nil, 0},
		{"the end of a file is none", io.EOF, 0},
		{"nothing there", fs.ErrNotExist, ENOENT},
		{"nothing there, as a number", syscall.ENOENT, ENOENT},
		{"something there", fs.ErrExist, EEXIST},
		{"something there, as a number", syscall.EEXIST, EEXIST},
		{"a full directory is not something there", syscall.ENOTEMPTY, ENOTEMPTY},
		{"a directory", syscall.EISDIR, EISDIR},
		{"no directory is not nothing there", syscall.ENOTDIR, ENOTDIR},
		{"a read-only view", syscall.EROFS, EROFS},
		{"invalid", fs.ErrInvalid, EINVAL},
		{"invalid, as a number", syscall.EINVAL, EINVAL},
		{"too long", syscall.ENAMETOOLONG, ENAMETOOLONG},
		{"too long and invalid", errors.Join(fs.ErrInvalid, syscall.ENAMETOOLONG), ENAMETOOLONG},
		{"no permission", fs.ErrPermission, EACCES},
		{"no access", syscall.EACCES, EACCES},
		{"not permitted", syscall.EPERM, EPERM},
		{"no space", syscall.ENOSPC, ENOSPC},
		{"a quota of the host", syscall.EDQUOT, EDQUOT},
		{"a quota of the project", &vfs.QuotaError{Limit: "bytes"}, ENOSPC},
		{"a file that is too large", syscall.EFBIG, EFBIG},
		{"a file that has been replaced", syscall.ESTALE, ESTALE},
		{"a closed file", fs.ErrClosed, EBADF},
		{"a closed file of afero's", afero.ErrFileClosed, EBADF},
		{"a file that is open for something else", syscall.EBADF, EBADF},
		{"busy", syscall.EBUSY, EBUSY},
		{"another file system", syscall.EXDEV, EXDEV},
		{"unsupported", errors.ErrUnsupported, ENOTSUP},
		{"unsupported, as a number", syscall.ENOTSUP, ENOTSUP},
		{"links in circles", syscall.ELOOP, ELOOP},
		{"interrupted", syscall.EINTR, EINTR},
		{"to be tried again", syscall.EAGAIN, EAGAIN},
		{"out of range", syscall.ERANGE, ERANGE},
		{"out of afero's range", afero.ErrOutOfRange, EINVAL},
		{"a name that differs in case", &vfs.NameConflictError{Name: "a", Existing: "A"}, EEXIST},
		{"a deleted project", vfs.ErrDeleted, ENOENT},
		{"too many open files", syscall.EMFILE, EMFILE},
		{"an error of the host", syscall.EIO, EIO},
		{"a number that nobody knows", syscall.Errno(9999), EIO},
		{"an error that nobody knows", errors.New("unknown"), EIO},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, toErrno(test.err))
			if test.err == nil {
				return
			}
			require.Equal(t, test.want, toErrno(&fs.PathError{Op: "open", Path: "/a", Err: test.err}),
				"in an error with a path")
			require.Equal(t, test.want, toErrno(fmt.Errorf("wrapped: %w", test.err)), "wrapped")
			require.Equal(t, test.want, toErrno(errors.Join(test.err, nil)), "joined")
		})
	}
	_, err := vfs.Clean("/a\x00b")
	require.Equal(t, EINVAL, toErrno(err))
}
