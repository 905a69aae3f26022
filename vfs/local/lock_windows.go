package local

import (
	"os"

	"golang.org/x/sys/windows"

	"github.com/toolrun/toolrun/vfs/internal/project"
)

const nonblocking = 0

// Directories cannot be flushed on Windows, and files that are open are in the way.
const (
	canSyncDirectories = false
	canRemoveOpen      = false
)

// The locked byte lies far beyond the content, since locks on Windows keep others from reading.
const lockedByte = 1 << 30

// lockFile takes the lock on an open file, which ends with the process.
func lockFile(f *os.File, wait bool) error {
	var how uint32 = windows.LOCKFILE_EXCLUSIVE_LOCK
	if !wait {
		how |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: lockedByte})
	if err == windows.ERROR_LOCK_VIOLATION || err == windows.ERROR_IO_PENDING {
		return project.ErrLocked
	}
	return err
}

func unlockFile(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: lockedByte})
}

// linked reports whether a file has other names.
func linked(f *os.File, _ os.FileInfo) bool {
	var info windows.ByHandleFileInformation
	return windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info) == nil && info.NumberOfLinks > 1
}
