//go:build !unix

package cachedir

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// secure makes a cache directory. Who can write to it is left to the system, whose defaults keep a user's directories from others.
func secure(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory", dir)
	}
	return dir, os.MkdirAll(dir, 0o700)
}

func checkOwn(string, fs.FileInfo) error { return nil }
