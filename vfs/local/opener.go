package local

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/toolrun/toolrun/vfs"
)

// Opener returns the opener of data directories, which keep projects in their folder projects: see [OpenStore]. It
// takes every place for a directory that is not a URL.
func Opener() vfs.Opener {
	return vfs.Opener{
		Opens: func(place string) bool { return !strings.Contains(place, "://") },
		Open: func(_ context.Context, dir string, options *vfs.Options) (vfs.Store, error) {
			return OpenStore(filepath.Join(dir, "projects"), options)
		},
	}
}
