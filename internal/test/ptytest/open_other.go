//go:build !linux

package ptytest

import (
	"errors"
	"os"
)

func open() (keys, terminal *os.File, err error) { return nil, nil, errors.ErrUnsupported }
