//go:build !linux

package local

import (
	"io/fs"
	"os"
)

// A quick finds files faster than os.Root does, where the system has a way.
type quick struct{}

func (*quick) lstat(*os.Root, string) (fs.FileInfo, bool, error) { return nil, false, nil }
func (*quick) open(*os.Root, string) (*os.File, bool)            { return nil, false }
func (*quick) links(*os.Root, string, string, []string) int      { return 0 }
func (*quick) close()                                            {}
