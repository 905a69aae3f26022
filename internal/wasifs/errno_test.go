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
	"github.com/tetratelabs/wazero/experimental/sys"

	"github.com/toolrun/toolrun/vfs"
)

func TestErrorsBecomeNumbers(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		want sys.Errno
	}{
		{"no error is none", nil, 0},
		{"the end of a file is none", io.EOF, 0},
		{"nothing there", fs.ErrNotExist, sys.ENOENT},
		{"nothing there, as a number", syscall.ENOENT, sys.ENOENT},
		{"something there", fs.ErrExist, sys.EEXIST},
		{"something there, as a number", syscall.EEXIST, sys.EEXIST},
		{"a full directory is not something there", syscall.ENOTEMPTY, sys.ENOTEMPTY},
		{"a directory", syscall.EISDIR, sys.EISDIR},
		{"no directory is not nothing there", syscall.ENOTDIR, sys.ENOTDIR},
		{"a read-only view", syscall.EROFS, sys.EROFS},
		{"invalid", fs.ErrInvalid, sys.EINVAL},
		{"invalid, as a number", syscall.EINVAL, sys.EINVAL},
		{"too long", syscall.ENAMETOOLONG, sys.ENAMETOOLONG},
		{"too long and invalid", errors.Join(fs.ErrInvalid, syscall.ENAMETOOLONG), sys.ENAMETOOLONG},
		{"no permission", fs.ErrPermission, sys.EACCES},
		{"no access", syscall.EACCES, sys.EACCES},
		{"not permitted", syscall.EPERM, sys.EPERM},
		{"no space", syscall.ENOSPC, sys.EIO},
		{"a quota of the host", syscall.EDQUOT, sys.EIO},
		{"a quota of the project", &vfs.QuotaError{Limit: "bytes"}, sys.EIO},
		{"a file that is too large", syscall.EFBIG, sys.EIO},
		{"a file that has been replaced", syscall.ESTALE, sys.EBADF},
		{"a closed file", fs.ErrClosed, sys.EBADF},
		{"a closed file of afero's", afero.ErrFileClosed, sys.EBADF},
		{"a file that is open for something else", syscall.EBADF, sys.EBADF},
		{"busy", syscall.EBUSY, sys.EPERM},
		{"another file system", syscall.EXDEV, sys.ENOTSUP},
		{"unsupported", errors.ErrUnsupported, sys.ENOTSUP},
		{"unsupported, as a number", syscall.ENOTSUP, sys.ENOTSUP},
		{"links in circles", syscall.ELOOP, sys.ELOOP},
		{"interrupted", syscall.EINTR, sys.EINTR},
		{"to be tried again", syscall.EAGAIN, sys.EAGAIN},
		{"out of range", syscall.ERANGE, sys.ERANGE},
		{"out of afero's range", afero.ErrOutOfRange, sys.EINVAL},
		{"a name that differs in case", &vfs.NameConflictError{Name: "a", Existing: "A"}, sys.EEXIST},
		{"a deleted project", vfs.ErrDeleted, sys.ENOENT},
		{"one of wazero's own numbers", sys.ENOTEMPTY, sys.ENOTEMPTY},
		{"an error of the host", syscall.EIO, sys.EIO},
		{"a number that nobody knows", syscall.Errno(9999), sys.EIO},
		{"an error that nobody knows", errors.New("unknown"), sys.EIO},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, toErrno(test.err))
			if test.err == nil {
				return
			}
			require.Equal(t, test.want, toErrno(&fs.PathError{Op: "open", Path: "/a", Err: test.err}), "in an error with a path")
			require.Equal(t, test.want, toErrno(fmt.Errorf("wrapped: %w", test.err)), "wrapped")
			require.Equal(t, test.want, toErrno(errors.Join(test.err, nil)), "joined")
		})
	}
	_, err := vfs.Clean("/a\x00b")
	require.Equal(t, sys.EINVAL, toErrno(err))
}
