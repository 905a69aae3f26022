//go:build !unix

package runtime

import (
	"fmt"
	"os"
)

// checkCacheDir makes the directory. Whether others may write to it is left to the system's own defaults, which keep
// a user's cache directory private.
func checkCacheDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	return nil
}
