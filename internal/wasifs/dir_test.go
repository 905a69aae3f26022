package wasifs_test

import (
	"fmt"
	"io"
	"io/fs"
	"math"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/experimental/sys"

	"github.com/toolrun/toolrun/internal/wasifs"
)

func names(entries []sys.Dirent) []string {
	list := []string{}
	for _, entry := range entries {
		list = append(list, entry.Name)
	}
	return list
}

func TestDirectoriesAreReadInPages(t *testing.T) {
	forEachKind(t, func(t *testing.T, files afero.Fs) {
		want := map[string]bool{}
		for i := range 350 {
			name := fmt.Sprintf("file-%d", i)
			want[name] = true
			require.NoError(t, afero.WriteFile(files, "/"+name, nil, 0o644))
		}
		s := wasifs.New(files)
		for _, n := range []int{1, 2, 49, 50, 349, 350, 351, math.MaxInt, 0, -1, math.MinInt} {
			f := open(t, s, ".", sys.O_RDONLY)
			seen := map[string]bool{}
			for {
				entries, errno := f.Readdir(n)
				require.Zero(t, errno)
				for _, name := range names(entries) {
					require.False(t, seen[name], name)
					seen[name] = true
				}
				if n > 0 {
					require.LessOrEqual(t, len(entries), n)
				}
				if n <= 0 || len(entries) < n {
					break
				}
			}
			require.Equal(t, want, seen)
			entries, errno := f.Readdir(n)
			require.Zero(t, errno)
			require.Empty(t, entries, "the end stays")
		}
	})
}

func TestDirectoriesStayAsTheyWereWhenReadingBegan(t *testing.T) {
	files := inMemory(t, nil)
	s := wasifs.New(files)
	for _, name := range []string{"a", "b", "c", "d"} {
		require.Zero(t, opening(s, name, sys.O_RDWR|sys.O_CREAT))
	}
	f := open(t, s, ".", sys.O_RDONLY)
	require.Equal(t, []string{"a", "b"}, names(must(f.Readdir(2))))
	require.Zero(t, s.Unlink("a"))
	require.Zero(t, s.Unlink("c"))
	require.Zero(t, opening(s, "b2", sys.O_RDWR|sys.O_CREAT))
	page := must(f.Readdir(1))
	require.Equal(t, []string{"c"}, names(page))
	_ = append(page, sys.Dirent{Name: "x"}) // as wazero does
	require.Equal(t, []string{"d"}, names(must(f.Readdir(-1))))

	require.Zero(t, must(f.Seek(0, io.SeekStart)))
	require.Equal(t, []string{"b", "b2", "d"}, names(must(f.Readdir(-1))), "until it begins anew")
}

func TestEntriesHaveTheirTypes(t *testing.T) {
	forEachKind(t, func(t *testing.T, files afero.Fs) {
		fill(t, files)
		types := map[string]fs.FileMode{}
		for _, entry := range must(open(t, wasifs.New(files), ".", sys.O_DIRECTORY).Readdir(-1)) {
			types[entry.Name] = entry.Type
		}
		require.Equal(t, map[string]fs.FileMode{
			"docs": fs.ModeDir, "empty": fs.ModeDir, "etc": fs.ModeDir, "hello.txt": 0,
		}, types)
	})
}

func TestDirectoriesAreNoFiles(t *testing.T) {
	forEachKind(t, func(t *testing.T, files afero.Fs) {
		fill(t, files)
		s := wasifs.New(files)
		for _, name := range []string{".", "docs"} {
			f := open(t, s, name, sys.O_RDONLY|sys.O_APPEND)
			require.True(t, must(f.IsDir()))
			require.False(t, f.IsAppend())
			for what, errno := range map[string]sys.Errno{
				"read":         errnoOf(f.Read(make([]byte, 1))),
				"pread":        errnoOf(f.Pread(make([]byte, 1), 0)),
				"write":        errnoOf(f.Write(make([]byte, 1))),
				"pwrite":       errnoOf(f.Pwrite(make([]byte, 1), 0)),
				"truncate":     f.Truncate(0),
				"set append":   f.SetAppend(true),
				"seek":         errnoOf(f.Seek(1, io.SeekStart)),
				"seek on":      errnoOf(f.Seek(0, io.SeekCurrent)),
				"seek the end": errnoOf(f.Seek(0, io.SeekEnd)),
			} {
				require.Equal(t, sys.EISDIR, errno, what)
			}
			require.True(t, must(f.Stat()).Mode.IsDir())
			require.Zero(t, f.Sync())
			require.Zero(t, f.Datasync())
		}
		require.False(t, must(open(t, s, "hello.txt", sys.O_RDONLY).IsDir()))
		f := open(t, s, "docs", sys.O_RDONLY)
		require.Zero(t, f.Utimens(1, 2_000_000_000))
		require.EqualValues(t, 2_000_000_000, must(f.Stat()).Mtim)
	})
}

func TestDirectoriesThatAreRemovedWhileTheyAreOpen(t *testing.T) {
	forEachKind(t, func(t *testing.T, files afero.Fs) {
		fill(t, files)
		s := wasifs.New(files)
		f := open(t, s, "empty", sys.O_RDONLY)
		require.Zero(t, s.Rmdir("empty"))
		require.Equal(t, sys.ENOENT, errnoOf(f.Readdir(-1)))
		require.Equal(t, sys.ENOENT, errnoOf(f.Stat()))
		require.Equal(t, sys.ENOENT, f.Utimens(1, 1))
	})
}
