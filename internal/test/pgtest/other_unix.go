//go:build unix

package pgtest

import (
	"errors"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// asOther has the server run as another user.
func (s *Server) asOther() error {
	for _, name := range []string{"postgres", "nobody"} {
		other, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(other.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(other.Gid, 10, 32)
		if err := errors.Join(err1, err2, os.Chown(s.Dir, int(uid), int(gid))); err != nil {
			return err
		}
		s.attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return nil
	}
	return errors.New("it refuses to run as root, and there is neither a user postgres nor nobody")
}
