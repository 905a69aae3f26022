package toolrun

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"github.com/toolrun/toolrun/tools/code"
)

// A PackageIndex is where packages come from: see [Options].Packages.
type PackageIndex = code.PackageIndex

// AddPackages puts packages of pure Python from [Options].Packages into the project's folder /lib/python, from which
// code imports them, each with all that it needs. They are named as for pip: "rich", "requests>=2.30,<3". The
// project's file /python.lock has the version and the SHA-256 of each; without names, the folder gets what that says.
// No code of a package runs. It returns all packages that there are then, as "rich 13.9.4". Undoing the latest call of
// the project takes back all that it has changed. The error is [errors.ErrUnsupported] if there is no index, no Python
// or no project.
func (s *Session) AddPackages(ctx context.Context, names ...string) (packages []string, err error) {
	ctx, end, err := s.calls.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	files, err := s.Files(ctx)
	if err != nil {
		return nil, err
	}
	if s.runner.installer == nil || files == nil {
		return nil, errors.ErrUnsupported
	}
	call := files.WithCall("packages-" + strings.ToLower(rand.Text()[:8]))
	defer call.EndCall()
	return s.runner.installer.Install(ctx, call, names)
}
