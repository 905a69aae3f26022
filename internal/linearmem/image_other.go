//go:build !linux

package linearmem

import (
	"errors"
	"os"
)

// Memories are copied from images, since there are no anonymous files.

func share([][]byte) (*os.File, []byte, error) { return nil, nil, errors.ErrUnsupported }

func unshare(*os.File, []byte) {}

func (i *Image) placeShared([]byte) error { return errors.ErrUnsupported }

func (m *Memory) revert([]byte) error { return errors.ErrUnsupported }
