//go:build !unix

package escape_test

import "errors"

func makePipe(string) error { return errors.ErrUnsupported }
