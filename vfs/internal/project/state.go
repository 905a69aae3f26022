package project

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// A State is what all processes that use a project know of it together. It is read and written under the project's
// lock. It only saves counting: all of it can be found out from the files.
type State struct {
	// Dirty says that a change is under way, or that a process died while one was.
	Dirty bool
	// Deleted says that the project is being deleted.
	Deleted bool
	// Bytes and Files are what the quota counts.
	Bytes, Files int64
	// Kept is what the history's limit counts.
	Kept int64
	// Oldest is the number of the oldest change in the history, and Next that of the next one.
	Oldest, Next int64
}

const (
	stateSize  = 64
	stateMagic = 0x746f6f6c_72756e31 // "toolrun1"
)

// Encode returns the state in [stateSize] bytes.
func (s State) Encode() []byte {
	var flags uint64
	if s.Dirty {
		flags |= 1
	}
	if s.Deleted {
		flags |= 2
	}
	buf := make([]byte, 0, stateSize)
	for _, v := range []uint64{
		stateMagic, flags, uint64(max(0, s.Bytes)), uint64(max(0, s.Files)), uint64(s.Kept),
		uint64(s.Oldest), uint64(s.Next),
	} {
		buf = binary.LittleEndian.AppendUint64(buf, v)
	}
	return binary.LittleEndian.AppendUint64(buf, uint64(crc32.ChecksumIEEE(buf)))
}

var errBadState = errors.New("the project's state is not readable")

func decodeState(buf []byte) (State, error) {
	var v [8]uint64
	for i := range v {
		v[i] = binary.LittleEndian.Uint64(buf[8*i:])
	}
	s := State{
		v[1]&1 != 0, v[1]&2 != 0, int64(v[2]), int64(v[3]), int64(v[4]), int64(v[5]), int64(v[6]),
	}
	if v[0] != stateMagic || v[7] != uint64(crc32.ChecksumIEEE(buf[:56])) ||
		s.Bytes < 0 || s.Files < 0 || s.Kept < 0 || s.Oldest < 0 || s.Next < s.Oldest || s.Next > maxNumber {
		return State{}, errBadState
	}
	return s, nil
}

// ReadState reads the state, without the lock if a moment's value is enough.
func ReadState(b Backend) (State, error) {
	var buf [stateSize]byte
	if err := b.ReadState(buf[:]); err != nil {
		return State{}, err
	}
	return decodeState(buf[:])
}
