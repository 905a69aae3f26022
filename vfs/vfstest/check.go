package vfstest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

// oneOf stands for errors that are equally right.
type oneOf []error

func (o oneOf) Error() string { return fmt.Sprintf("one of %q", []error(o)) }

// wrongWay is the error of reading what is open for writing only, and the other way round.
var wrongWay = oneOf{fs.ErrPermission, syscall.EBADF}

func is(err, want error) bool {
	if several, ok := want.(oneOf); ok {
		return slices.ContainsFunc(several, func(one error) bool { return errors.Is(err, one) })
	}
	return errors.Is(err, want)
}

// fails checks that an error is what it should be: the one that is wanted, about one of the paths that the caller gave
// (there are two in renaming), without a word about the host.
func fails(t testing.TB, err, want error, paths ...string) {
	t.Helper()
	require.Error(t, err, "this should be an error: %v", want)
	require.True(t, is(err, want), "the error is %q (%T), but should be %q", err, err, want)
	var about *fs.PathError
	require.ErrorAs(t, err, &about, "errors are *fs.PathError")
	require.Contains(t, paths, about.Path, "errors have the path as it was given")
	require.NotEmpty(t, about.Op, "errors say what failed")
	// Whatever is inside is not about something else.
	if errors.As(about.Err, &about) {
		require.Contains(t, paths, about.Path, "errors have the path as it was given")
	}
	for _, dir := range hostDirs() {
		require.NotContains(t, err.Error(), dir, "errors do not name paths of the host")
	}
}

// hostDirs are directories that a file system which lives on the host is likely to be in.
var hostDirs = sync.OnceValue(func() (dirs []string) {
	wd, _ := os.Getwd()
	for _, dir := range []string{os.TempDir(), wd} {
		if dir = filepath.Clean(dir); dir != "." && dir != filepath.Dir(dir) { // all paths have the root in them
			dirs = append(dirs, dir)
		}
	}
	return dirs
})

// write replaces a file, or makes one.
func write(t testing.TB, files afero.Fs, name, content string) {
	t.Helper()
	require.NoError(t, afero.WriteFile(files, name, []byte(content), 0o644))
}

// put makes a file in place, which costs less than write where it has to be durable.
func put(t testing.TB, files afero.Fs, name, content string) {
	t.Helper()
	f, err := files.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	require.NoError(t, err)
	writeTo(t, f, content)
	closeNow(t, f)
}

func read(t testing.TB, files afero.Fs, name string) string {
	t.Helper()
	content, err := afero.ReadFile(files, name)
	require.NoError(t, err)
	return string(content)
}

func mkdir(t testing.TB, files afero.Fs, name string) {
	t.Helper()
	require.NoError(t, files.MkdirAll(name, 0o755))
}

func stat(t testing.TB, files afero.Fs, name string) fs.FileInfo {
	t.Helper()
	info, err := files.Stat(name)
	require.NoError(t, err)
	return info
}

// openFile opens a file, which is closed at the end of the test if it has not been before.
func openFile(t testing.TB, files afero.Fs, name string, flag int) afero.File {
	t.Helper()
	f, err := files.OpenFile(name, flag, 0o644)
	require.NoError(t, err)
	t.Cleanup(func() {
		// Where something has panicked, its locks may still be held; the panic is what one wants to see then.
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			_ = f.Close()
		}()
		select {
		case <-closed:
		case <-time.After(10 * time.Second):
		}
	})
	return f
}

func writeTo(t testing.TB, f afero.File, content string) {
	t.Helper()
	n, err := f.Write([]byte(content))
	require.NoError(t, err)
	require.Equal(t, len(content), n)
}

func seek(t testing.TB, f afero.File, offset int64, whence int) {
	t.Helper()
	_, err := f.Seek(offset, whence)
	require.NoError(t, err)
}

func closeNow(t testing.TB, f afero.File) {
	t.Helper()
	require.NoError(t, f.Close())
}

// opened closes what an attempt to open something has opened, if it has, and returns the attempt's error.
func opened(f afero.File, err error) error {
	if err != nil {
		if f != nil {
			return fmt.Errorf("there is a file as well as an error: %w", err)
		}
		return err
	}
	return f.Close()
}

// list returns the names in a directory, in the order in which they come.
func list(t testing.TB, files afero.Fs, dir string) []string {
	t.Helper()
	f, err := files.Open(dir)
	require.NoError(t, err)
	defer f.Close()
	names, err := f.Readdirnames(-1)
	require.NoError(t, err)
	return names
}

// absent checks that there is no file of a name, whichever way one looks. Its directory must exist.
func absent(t testing.TB, files afero.Fs, name string) {
	t.Helper()
	_, err := files.Stat(name)
	fails(t, err, syscall.ENOENT, name)
	fails(t, opened(files.Open(name)), syscall.ENOENT, name)
	require.NotContains(t, list(t, files, path.Dir(name)), path.Base(name))
}

// tree returns all files with their contents, and directories with "/" in the place of it.
func tree(t testing.TB, files afero.Fs) map[string]string {
	t.Helper()
	found := map[string]string{}
	var visit func(dir string)
	visit = func(dir string) {
		for _, name := range list(t, files, dir) {
			name = path.Join(dir, name)
			if stat(t, files, name).IsDir() {
				found[name] = "/"
				visit(name)
			} else {
				found[name] = read(t, files, name)
			}
		}
	}
	visit("/")
	return found
}

// A failure is an operation that must fail, and change nothing by that.
type failure struct {
	name  string
	do    func(files afero.Fs) error
	want  error
	paths []string
}

// checkFailures attempts each of the failures, in what populate makes.
func checkFailures(t *testing.T, files afero.Fs, failures []failure) {
	populate(t, files)
	before := tree(t, files)
	for _, failure := range failures {
		t.Run(failure.name, func(t *testing.T) {
			fails(t, failure.do(files), failure.want, failure.paths...)
			require.Equal(t, before, tree(t, files), "what fails changes nothing")
		})
	}
}

// populate makes some files: "file", "other", "dir" with an "inside", and "empty", which is a directory.
func populate(t *testing.T, files afero.Fs) {
	t.Helper()
	mkdir(t, files, "dir")
	mkdir(t, files, "empty")
	write(t, files, "file", "content")
	write(t, files, "other", "another")
	write(t, files, "dir/inside", "inner")
}

// together runs a function ten times at once and waits.
func together(t testing.TB, do func(i int) error) {
	t.Helper()
	const n = 10
	errs := make([]error, n)
	soon(t, func() {
		var all sync.WaitGroup
		start := make(chan struct{})
		for i := range n {
			all.Go(func() {
				<-start
				errs[i] = do(i)
			})
		}
		close(start)
		all.Wait()
	})
	require.NoError(t, errors.Join(errs...))
}

// soon runs something that might hang. It may end the test, as the test itself may.
func soon(t testing.TB, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		require.Fail(t, "this hangs")
	}
	if t.Failed() {
		t.FailNow() // in the goroutine that does was only its own end
	}
}

// flagNames writes the flags of os.OpenFile out.
func flagNames(flag int) string {
	names := []string{
		map[int]string{os.O_RDONLY: "O_RDONLY", os.O_WRONLY: "O_WRONLY", os.O_RDWR: "O_RDWR"}[access(flag)],
	}
	for _, known := range []struct {
		flag int
		name string
	}{{os.O_CREATE, "O_CREATE"}, {os.O_EXCL, "O_EXCL"}, {os.O_APPEND, "O_APPEND"},
		{os.O_TRUNC, "O_TRUNC"}, {os.O_SYNC, "O_SYNC"}} {
		if flag&known.flag == known.flag {
			names = append(names, known.name)
		}
	}
	return strings.Join(names, "+")
}

// access is which of O_RDONLY, O_WRONLY and O_RDWR is in the flags.
func access(flag int) int { return flag & (os.O_WRONLY | os.O_RDWR) }
