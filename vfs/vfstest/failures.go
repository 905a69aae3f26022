package vfstest

import (
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

var errorRules = []rule{
	{"each method says what is wrong, about the path as it was given", func(t *testing.T, files afero.Fs) {
		paths := []struct {
			what, path string
			want       error
		}{
			{"nothing", "missing", syscall.ENOENT},
			{"nothing, spelled otherwise", "no/../missing", syscall.ENOENT},
			{"nothing, spelled with slashes", "//missing//", syscall.ENOENT},
			{"nothing in a directory", "./dir/missing", syscall.ENOENT},
			{"nothing in nothing", "/no/missing/", syscall.ENOENT},
			{"nothing beyond the root", "../../missing", syscall.ENOENT},
			{"nothing in composed letters", "e\u0301", syscall.ENOENT},
			{"something below a file", "./file/below", syscall.ENOTDIR},
			{"something below a file in a directory", "dir//inside/far/below", syscall.ENOTDIR},
		}
		var failures []failure
		for _, path := range paths {
			for _, method := range methods {
				switch method.name {
				case "Create", "Mkdir", "MkdirAll", "RemoveAll", "OpenFile for writing", "Rename to it":
					continue // for these it may be right
				}
				failures = append(failures, failure{method.name + " with " + path.what, func(files afero.Fs) error {
					return method.call(files, path.path)
				}, path.want, []string{path.path, "elsewhere"}})
			}
		}
		checkFailures(t, files, failures)
	}},
	{"methods that make something say why they cannot", func(t *testing.T, files afero.Fs) {
		var failures []failure
		for _, method := range methods {
			switch method.name {
			case "Create", "Mkdir", "OpenFile for writing", "Rename to it":
			default:
				continue
			}
			for _, path := range []struct {
				what, path string
				want       error
			}{
				{"in nothing", ".//no/new", syscall.ENOENT},
				{"in nothing in a directory", "dir/no/../no/new", syscall.ENOENT},
				{"below a file", "/file//below", syscall.ENOTDIR},
				{"where a directory is", "./dir/", oneOf{syscall.EISDIR, syscall.EEXIST}},
			} {
				failures = append(failures, failure{method.name + " " + path.what, func(files afero.Fs) error {
					return method.call(files, path.path)
				}, path.want, []string{path.path, "file"}})
			}
		}
		checkFailures(t, files, failures)
	}},
	{"each method of a handle says what is wrong, about the path as it was given", func(t *testing.T, files afero.Fs) {
		const name = "dir/..//file"
		populate(t, files)
		reader, writer := openFile(t, files, name, os.O_RDONLY), openFile(t, files, name, os.O_WRONLY)
		both, end := openFile(t, files, name, os.O_RDWR), openFile(t, files, name, os.O_RDWR|os.O_APPEND)
		anew := openFile(t, files, name, os.O_RDWR|os.O_TRUNC)
		buf := make([]byte, 10)
		anything := oneOf{syscall.EINVAL, os.ErrInvalid, os.ErrPermission, syscall.EBADF}
		for _, attempt := range []struct {
			what string
			do   func() (int, error)
			want error
		}{
			{"reading what is for writing", func() (int, error) { return writer.Read(buf) }, wrongWay},
			{"reading somewhere in it", func() (int, error) { return writer.ReadAt(buf, 1) }, wrongWay},
			{"writing what is for reading", func() (int, error) { return reader.Write(buf) }, wrongWay},
			{"writing text", func() (int, error) { return reader.WriteString("text") }, wrongWay},
			{"writing somewhere in it", func() (int, error) { return reader.WriteAt(buf, 1) }, wrongWay},
			{"truncating what is for reading", func() (int, error) { return 0, reader.Truncate(1) }, anything},
			{"reading before the start", func() (int, error) { return both.ReadAt(buf, -1) }, anything},
			{"writing before the start", func() (int, error) { return both.WriteAt(buf, -1) }, anything},
			{"writing before the start of what is new", func() (int, error) { return anew.WriteAt(buf, -1) }, anything},
			{"writing somewhere when appending", func() (int, error) { return end.WriteAt(buf, 1) }, anything},
			{"seeking before the start", func() (int, error) {
				_, err := both.Seek(-1, io.SeekStart)
				return 0, err
			}, syscall.EINVAL},
			{"seeking from nowhere", func() (int, error) { _, err := both.Seek(0, 42); return 0, err }, syscall.EINVAL},
			{"truncating to less than nothing", func() (int, error) { return 0, both.Truncate(-1) }, syscall.EINVAL},
			{"listing", func() (int, error) { _, err := both.Readdir(-1); return 0, err }, syscall.ENOTDIR},
			{"listing names", func() (int, error) { _, err := both.Readdirnames(1); return 0, err }, syscall.ENOTDIR},
		} {
			t.Run(attempt.what, func(t *testing.T) {
				n, err := attempt.do()
				fails(t, err, attempt.want, name)
				require.Equal(t, 0, n)
				require.Equal(t, "content", read(t, files, "file"))
			})
		}
	}},
	{"the end is io.EOF and nothing around it", func(t *testing.T, files afero.Fs) {
		populate(t, files)
		f, d := openFile(t, files, "file", os.O_RDONLY), openFile(t, files, "empty", os.O_RDONLY)
		seek(t, f, 0, io.SeekEnd)
		_, err := f.Read(make([]byte, 1))
		require.True(t, err == io.EOF)
		_, err = f.ReadAt(make([]byte, 100), 3)
		require.True(t, err == io.EOF)
		_, err = d.Readdir(1)
		require.True(t, err == io.EOF)
		_, err = d.Readdirnames(1)
		require.True(t, err == io.EOF)
	}},
	{"changing the times or permissions of nothing makes nothing", func(t *testing.T, files afero.Fs) {
		fails(t, files.Chtimes("a/../b", time.Now(), time.Now()), syscall.ENOENT, "a/../b")
		fails(t, files.Chmod("a/../b", 0o644), syscall.ENOENT, "a/../b")
		fails(t, files.Chown("a/../b", 0, 0), syscall.ENOENT, "a/../b")
		require.Empty(t, tree(t, files))
	}},
}
