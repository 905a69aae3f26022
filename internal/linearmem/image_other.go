//go:build !linux

package linearmem

import (
	"errors"
	"os"
)

// Without anonymous files, memories are copied from images.

func share([][]byte) (*os.File, []byte, error) { return nil, nil, errors.ErrUnsupported }

func unshare(*os.File, []byte) {}

func (i *Image) placeShared([]byte) error { return errors.ErrUnsupported }

func (m *Memory) revert([]byte) error { return errors.ErrUnsupported }
