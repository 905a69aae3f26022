package local

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// A state is what all processes that use a project know of it together. It is read and written under the project's
// lock. It only saves counting: all of it can be found out from the files.
type state struct {
	// dirty says that a change is under way, or that a process died while one was.
	dirty bool
	// deleted says that the project is being deleted.
	deleted bool
	// bytes and files are what the quota counts.
	bytes, files int64
	// kept is what the history's limit counts.
	kept int64
	// oldest is the number of the oldest change in the history, and next that of the next one.
	oldest, next int64
}

const (
	stateSize  = 64
	stateMagic = 0x746f6f6c_72756e31 // "toolrun1"
)

func (s state) encode() []byte {
	var flags uint64
	if s.dirty {
		flags |= 1
	}
	if s.deleted {
		flags |= 2
	}
	buf := make([]byte, 0, stateSize)
	for _, v := range []uint64{
		stateMagic, flags, uint64(max(0, s.bytes)), uint64(max(0, s.files)), uint64(s.kept), uint64(s.oldest), uint64(s.next),
	} {
		buf = binary.LittleEndian.AppendUint64(buf, v)
	}
	return binary.LittleEndian.AppendUint64(buf, uint64(crc32.ChecksumIEEE(buf)))
}

var errBadState = errors.New("the project's state is not readable")

func decodeState(buf []byte) (state, error) {
	var v [8]uint64
	for i := range v {
		v[i] = binary.LittleEndian.Uint64(buf[8*i:])
	}
	s := state{
		v[1]&1 != 0, v[1]&2 != 0, int64(v[2]), int64(v[3]), int64(v[4]), int64(v[5]), int64(v[6]),
	}
	if v[0] != stateMagic || v[7] != uint64(crc32.ChecksumIEEE(buf[:56])) ||
		s.bytes < 0 || s.files < 0 || s.kept < 0 || s.oldest < 0 || s.next < s.oldest || s.next > maxNumber {
		return state{}, errBadState
	}
	return s, nil
}

// readState reads the state, without the lock if a moment's value is enough.
func readState(b backend) (state, error) {
	var buf [stateSize]byte
	if err := b.readState(buf[:]); err != nil {
		return state{}, err
	}
	return decodeState(buf[:])
}
