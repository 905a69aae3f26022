//go:build !linux

package linearmem

import (
	"errors"
	"io"
	"os"
)

// Without anonymous files, memories are copied from images.

func share(func(io.Writer) error) (*os.File, []byte, error) { return nil, nil, errors.ErrUnsupported }

func shareFile(*os.File, int64, int) (*os.File, []byte, error) {
	return nil, nil, errors.ErrUnsupported
}

func unshare(*os.File, []byte) {}

func (i *Image) placeShared([]byte) error { return errors.ErrUnsupported }

func (m *Memory) revert([]byte) error { return errors.ErrUnsupported }

func ownPages([]byte, []uint64, int) ([]uint64, bool) { return nil, false }

// prepareWrites has no effect on these systems.
func prepareWrites([]byte, uint64, uint64) {}
