//go:build unix && !aix && !solaris

package local

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/toolrun/toolrun/vfs/internal/project"
)

// nonblocking keeps opening a pipe from waiting for its other end.
const nonblocking = syscall.O_NONBLOCK

const (
	canSyncDirectories = true
	canRemoveOpen      = true // files, which are there until they are closed
)

// lockFile takes the lock on an open file, which ends with the process. A lock of the same process by another opening
// of the file counts as another's.
func lockFile(f *os.File, wait bool) error {
	how := unix.LOCK_EX
	if !wait {
		how |= unix.LOCK_NB
	}
	err := flock(f, how)
	if err == unix.EWOULDBLOCK {
		return project.ErrLocked
	}
	return err
}

func unlockFile(f *os.File) error { return flock(f, unix.LOCK_UN) }

func flock(f *os.File, how int) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failure error
	err = c.Control(func(fd uintptr) {
		for {
			if failure = unix.Flock(int(fd), how); failure != unix.EINTR {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return failure
}

// linked reports whether a file has other names.
func linked(_ *os.File, info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}
