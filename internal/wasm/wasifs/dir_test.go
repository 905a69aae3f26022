package wasifs_test

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/wasifs"
	"github.com/toolrun/toolrun/internal/wasm/wasifs/wasifstest"
)

func names(entries []wasifs.Entry) []string {
	list := []string{}
	for _, entry := range entries {
		list = append(list, entry.Name)
	}
	return list
}

func TestDirectoriesAreListedWhole(t *testing.T) {
	host := t.TempDir()
	want := []string{}
	for i := range 1050 { // more than are read at a time
		name := fmt.Sprintf("file-%04d", i)
		want = append(want, name)
		require.NoError(t, os.WriteFile(filepath.Join(host, name), nil, 0o644))
	}
	for _, files := range []afero.Fs{wasifstest.InDirectory(t, host), afero.NewBasePathFs(afero.NewOsFs(), host)} {
		dir := open(t, wasifs.New(files, 1<<20), ".", wasifs.O_RDONLY)
		for range 2 {
			require.Subset(t, names(must(dir.List())), want)
		}
	}
}

// endless lists without an end.
type endless struct{ afero.Fs }

type endlessDir struct{ afero.File }

func (e endless) Open(name string) (afero.File, error) {
	f, err := e.Fs.Open(name)
	return endlessDir{f}, err
}

func (d endlessDir) Readdir(int) ([]fs.FileInfo, error) {
	info, err := d.Stat()
	return slices.Repeat([]fs.FileInfo{longName{info}}, 100), err
}

type longName struct{ fs.FileInfo }

func (longName) Name() string { return strings.Repeat("n", 10_000) }

func TestListingsEnd(t *testing.T) {
	dir := open(t, wasifs.New(endless{wasifstest.InMemory(t, nil)}, 1<<20), ".", wasifs.O_RDONLY)
	require.Equal(t, wasifs.EOVERFLOW, errnoOf(dir.List()))
}

func TestEntriesHaveTheirTypes(t *testing.T) {
	wasifstest.ForEachKind(t, func(t *testing.T, files afero.Fs) {
		wasifstest.Fill(t, files)
		types := map[string]fs.FileMode{}
		for _, entry := range must(open(t, wasifs.New(files, 1<<20), ".", wasifs.O_DIRECTORY).List()) {
			types[entry.Name] = entry.Type
		}
		require.Equal(t, map[string]fs.FileMode{
			"docs": fs.ModeDir, "empty": fs.ModeDir, "etc": fs.ModeDir, "hello.txt": 0,
		}, types)
	})
}

func TestDirectoriesAreNoFiles(t *testing.T) {
	wasifstest.ForEachKind(t, func(t *testing.T, files afero.Fs) {
		wasifstest.Fill(t, files)
		s := wasifs.New(files, 1<<20)
		for _, name := range []string{".", "docs"} {
			f := open(t, s, name, wasifs.O_RDONLY|wasifs.O_APPEND)
			require.True(t, f.IsDir())
			require.False(t, f.IsAppend())
			for what, errno := range map[string]wasifs.Errno{
				"read":         errnoOf(f.Read(make([]byte, 1))),
				"pread":        errnoOf(f.Pread(make([]byte, 1), 0)),
				"truncate":     f.Truncate(0),
				"set append":   f.SetAppend(true),
				"set sync":     f.SetSync(true),
				"seek":         errnoOf(f.Seek(0, io.SeekStart)),
				"seek on":      errnoOf(f.Seek(0, io.SeekCurrent)),
				"seek the end": errnoOf(f.Seek(0, io.SeekEnd)),
			} {
				require.Equal(t, wasifs.EISDIR, errno, what)
			}
			require.Equal(t, wasifs.EBADF, errnoOf(f.Write(make([]byte, 1))))
			require.Equal(t, wasifs.EBADF, errnoOf(f.Pwrite(make([]byte, 1), 0)))
			require.True(t, must(f.Stat()).Mode.IsDir())
			require.Zero(t, f.Sync())
		}
		require.False(t, open(t, s, "hello.txt", wasifs.O_RDONLY).IsDir())
		f := open(t, s, "docs", wasifs.O_RDONLY)
		require.Zero(t, f.Utimens(1, 2_000_000_000))
		require.EqualValues(t, 2_000_000_000, must(f.Stat()).Mtim)
	})
}

func TestDirectoriesThatAreRemovedWhileTheyAreOpen(t *testing.T) {
	wasifstest.ForEachKind(t, func(t *testing.T, files afero.Fs) {
		wasifstest.Fill(t, files)
		s := wasifs.New(files, 1<<20)
		f := open(t, s, "empty", wasifs.O_RDONLY)
		require.Zero(t, s.Rmdir("empty"))
		require.Equal(t, wasifs.ENOENT, errnoOf(f.List()))
		require.Equal(t, wasifs.ENOENT, errnoOf(f.Stat()))
		require.Equal(t, wasifs.ENOENT, f.Utimens(1, 1))
	})
}
