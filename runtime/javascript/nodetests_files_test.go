//go:build suites

package javascript_test

import (
	"context"
	"embed"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs/local"
)

// nodeCommon stands for test/common of Node's source.
//
//go:embed testdata/nodetests/common
var nodeCommon embed.FS

// nodeFiles are a project's files, with test/parallel, test/fixtures and what test/common does not have of its own from
// Node's source, which cannot be changed.
type nodeFiles struct {
	afero.Fs
	source afero.Fs
}

// newNodeFiles returns the files for one test.
func newNodeFiles(ctx context.Context, source string) (*nodeFiles, error) {
	project, err := local.NewMemoryStore(nil).Open(ctx, "node")
	if err != nil {
		return nil, err
	}
	if err := project.MkdirAll("/test/common", 0o755); err != nil {
		return nil, err
	}
	err = fs.WalkDir(nodeCommon, "testdata/nodetests/common", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := nodeCommon.ReadFile(name)
		if err != nil {
			return err
		}
		return afero.WriteFile(project, "/test/common/"+path.Base(name), data, 0o644)
	})
	return &nodeFiles{project, afero.NewBasePathFs(afero.NewOsFs(), filepath.Clean(source))}, err
}

// at returns the file system of a path.
func (n *nodeFiles) at(name string) afero.Fs {
	name = path.Clean("/" + name)
	if under(name, "/test/parallel") || under(name, "/test/fixtures") {
		return afero.NewReadOnlyFs(n.source)
	}
	if under(name, "/test/common") {
		if _, err := n.Fs.Stat(name); err != nil {
			return afero.NewReadOnlyFs(n.source)
		}
	}
	return n.Fs
}

func under(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// clean keeps the host's paths out of errors.
func cleanError(err error, name string) error {
	if e, ok := err.(*fs.PathError); ok {
		return &fs.PathError{Op: e.Op, Path: name, Err: e.Err}
	}
	return err
}

func (n *nodeFiles) Open(name string) (afero.File, error) {
	file, err := n.at(name).Open(name)
	return file, cleanError(err, name)
}

func (n *nodeFiles) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	file, err := n.at(name).OpenFile(name, flag, perm)
	return file, cleanError(err, name)
}

func (n *nodeFiles) Stat(name string) (os.FileInfo, error) {
	info, err := n.at(name).Stat(name)
	return info, cleanError(err, name)
}

func (n *nodeFiles) Create(name string) (afero.File, error) { return n.at(name).Create(name) }

func (n *nodeFiles) Mkdir(name string, perm os.FileMode) error { return n.at(name).Mkdir(name, perm) }

func (n *nodeFiles) MkdirAll(name string, perm os.FileMode) error {
	return n.at(name).MkdirAll(name, perm)
}

func (n *nodeFiles) Remove(name string) error { return n.at(name).Remove(name) }

func (n *nodeFiles) RemoveAll(name string) error { return n.at(name).RemoveAll(name) }

func (n *nodeFiles) Rename(from, to string) error {
	if n.at(from) != n.Fs || n.at(to) != n.Fs {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EROFS}
	}
	return n.Fs.Rename(from, to)
}

func (n *nodeFiles) Chmod(name string, mode os.FileMode) error { return n.at(name).Chmod(name, mode) }

func (n *nodeFiles) Chown(name string, uid, gid int) error { return n.at(name).Chown(name, uid, gid) }

func (n *nodeFiles) Chtimes(name string, accessed, changed time.Time) error {
	return n.at(name).Chtimes(name, accessed, changed)
}
