package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

var _ project.SessionLocker = (*disk)(nil)

// LockSession implements [project.SessionLocker]: it locks a file, which is there only while somebody has or wants the
// lock.
func (d *disk) LockSession(ctx context.Context, session string) (unlock func(), err error) {
	name := "/" + vfs.Reserved + "/session-" + session + project.ClaimSuffix
	for wait := time.Millisecond; ; {
		f, err := d.sessionFile(name)
		if err != nil {
			return nil, err
		}
		if err = lockFile(f, false); err == nil {
			// Who had it before has removed the file, and others may have made another one.
			is, err1 := d.root.Lstat(local(name))
			was, err2 := f.Stat()
			if err1 == nil && err2 == nil && os.SameFile(is, was) {
				return func() {
					_ = d.root.Remove(local(name)) // while it is locked
					_ = f.Close()
				}, nil
			}
			_ = f.Close()
			continue
		}
		_ = f.Close()
		if err != project.ErrLocked {
			return nil, err
		}
		select {
		case <-time.After(wait):
			wait = min(2*wait, 20*time.Millisecond)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// sessionFile opens the file of a session's lock.
func (d *disk) sessionFile(name string) (*os.File, error) {
	n, err := d.Open(name, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if d.isGone() {
			return nil, vfs.ErrDeleted
		}
		if err := d.makeMeta(); err != nil {
			return nil, err
		}
		n, err = d.Open(name, os.O_RDWR|os.O_CREATE, 0o600)
	}
	if err != nil {
		return nil, err
	}
	return n.(*os.File), nil
}
