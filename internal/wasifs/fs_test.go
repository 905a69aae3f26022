package wasifs_test

import (
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/experimental/sys"

	"github.com/toolrun/toolrun/internal/wasifs"
	"github.com/toolrun/toolrun/vfs"
)

// errnoOf drops the result of an operation and returns its error number.
func errnoOf[T any](_ T, errno sys.Errno) sys.Errno { return errno }

func opening(s sys.FS, name string, flag sys.Oflag) sys.Errno {
	f, errno := s.OpenFile(name, flag, 0o644)
	if errno != 0 {
		return errno
	}
	return f.Close()
}

// TestErrorsOfPaths works on the files made by fill.
func TestErrorsOfPaths(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	const create = sys.O_RDWR | sys.O_CREAT
	long := strings.Repeat("n", 300)
	tests := []struct {
		name string
		do   func(s sys.FS) sys.Errno
		want sys.Errno
	}{
		{"stat of the root", func(s sys.FS) sys.Errno { return errnoOf(s.Stat(".")) }, 0},
		{"stat of an empty path", func(s sys.FS) sys.Errno { return errnoOf(s.Stat("")) }, 0},
		{"stat of a file", func(s sys.FS) sys.Errno { return errnoOf(s.Stat("docs/a.md")) }, 0},
		{"stat of a directory with a slash", func(s sys.FS) sys.Errno { return errnoOf(s.Stat("docs/")) }, 0},
		{"stat of a file with a slash", func(s sys.FS) sys.Errno { return errnoOf(s.Stat("hello.txt/")) }, sys.ENOTDIR},
		{"stat of nothing", func(s sys.FS) sys.Errno { return errnoOf(s.Stat("none")) }, sys.ENOENT},
		{"stat below a file", func(s sys.FS) sys.Errno { return errnoOf(s.Stat("hello.txt/a")) }, sys.ENOTDIR},
		{"stat of a long name", func(s sys.FS) sys.Errno { return errnoOf(s.Stat(long)) }, sys.ENAMETOOLONG},
		{"stat of a name with a zero", func(s sys.FS) sys.Errno { return errnoOf(s.Stat("a\x00b")) }, sys.EINVAL},
		{"lstat of a file", func(s sys.FS) sys.Errno { return errnoOf(s.Lstat("hello.txt")) }, 0},
		{"lstat of nothing", func(s sys.FS) sys.Errno { return errnoOf(s.Lstat("none")) }, sys.ENOENT},
		{"lstat of a file with a slash", func(s sys.FS) sys.Errno { return errnoOf(s.Lstat("hello.txt/")) }, sys.ENOTDIR},

		{"opening the root", func(s sys.FS) sys.Errno { return opening(s, ".", sys.O_RDONLY) }, 0},
		{"opening an empty path", func(s sys.FS) sys.Errno { return opening(s, "", sys.O_RDONLY) }, 0},
		{"opening the root for writing", func(s sys.FS) sys.Errno { return opening(s, ".", sys.O_RDWR) }, sys.EISDIR},
		{"opening a directory", func(s sys.FS) sys.Errno { return opening(s, "docs", sys.O_RDONLY) }, 0},
		{"opening a directory as one", func(s sys.FS) sys.Errno { return opening(s, "docs", sys.O_DIRECTORY) }, 0},
		{"opening a directory for reading and writing", func(s sys.FS) sys.Errno { return opening(s, "docs", sys.O_RDWR) }, sys.EISDIR},
		{"opening a directory for writing", func(s sys.FS) sys.Errno { return opening(s, "docs", sys.O_WRONLY) }, sys.EISDIR},
		{"opening a directory as one for writing", func(s sys.FS) sys.Errno {
			return opening(s, "docs", sys.O_DIRECTORY|sys.O_RDWR)
		}, sys.EISDIR},
		{"emptying a directory", func(s sys.FS) sys.Errno { return opening(s, "docs", sys.O_TRUNC) }, sys.EISDIR},
		{"making a file where a directory is", func(s sys.FS) sys.Errno { return opening(s, "docs", create) }, sys.EISDIR},
		{"making a file anew where a directory is", func(s sys.FS) sys.Errno {
			return opening(s, "docs", create|sys.O_EXCL)
		}, sys.EEXIST},
		{"opening a file", func(s sys.FS) sys.Errno { return opening(s, "hello.txt", sys.O_RDONLY) }, 0},
		{"opening a file as a directory", func(s sys.FS) sys.Errno { return opening(s, "hello.txt", sys.O_DIRECTORY) }, sys.ENOTDIR},
		{"opening a file with a slash", func(s sys.FS) sys.Errno { return opening(s, "hello.txt/", sys.O_RDONLY) }, sys.ENOTDIR},
		{"opening nothing", func(s sys.FS) sys.Errno { return opening(s, "none", sys.O_RDONLY) }, sys.ENOENT},
		{"opening nothing as a directory", func(s sys.FS) sys.Errno { return opening(s, "none", sys.O_DIRECTORY) }, sys.ENOENT},
		{"opening nothing for writing", func(s sys.FS) sys.Errno { return opening(s, "none", sys.O_RDWR) }, sys.ENOENT},
		{"opening below a file", func(s sys.FS) sys.Errno { return opening(s, "hello.txt/a", sys.O_RDONLY) }, sys.ENOTDIR},
		{"making a file", func(s sys.FS) sys.Errno { return opening(s, "new", create) }, 0},
		{"making a file anew", func(s sys.FS) sys.Errno { return opening(s, "new", create|sys.O_EXCL) }, 0},
		{"making a file for reading", func(s sys.FS) sys.Errno { return opening(s, "new", sys.O_CREAT) }, 0},
		{"making a file that is there", func(s sys.FS) sys.Errno { return opening(s, "hello.txt", create) }, 0},
		{"making a file anew that is there", func(s sys.FS) sys.Errno {
			return opening(s, "hello.txt", create|sys.O_EXCL)
		}, sys.EEXIST},
		{"making nothing, exclusively", func(s sys.FS) sys.Errno { return opening(s, "hello.txt", sys.O_RDWR|sys.O_EXCL) }, 0},
		{"making a file below nothing", func(s sys.FS) sys.Errno { return opening(s, "none/new", create) }, sys.ENOENT},
		{"making a file below a file", func(s sys.FS) sys.Errno { return opening(s, "hello.txt/new", create) }, sys.ENOTDIR},
		{"making a file of a long name", func(s sys.FS) sys.Errno { return opening(s, long, create) }, sys.ENAMETOOLONG},
		{"making a directory by opening it", func(s sys.FS) sys.Errno { return opening(s, "new", create|sys.O_DIRECTORY) }, sys.EINVAL},
		{"opening for all at once", func(s sys.FS) sys.Errno { return opening(s, "hello.txt", sys.O_RDWR|sys.O_WRONLY) }, sys.EINVAL},
		{"opening with flags that mean nothing here", func(s sys.FS) sys.Errno {
			return opening(s, "hello.txt", sys.O_RDWR|sys.O_NONBLOCK|sys.O_NOFOLLOW|sys.O_RSYNC|sys.O_SYNC|sys.O_DSYNC)
		}, 0},
		{"opening with flags that are none", func(s sys.FS) sys.Errno {
			return opening(s, "hello.txt", sys.O_RDWR|1<<20|1<<31)
		}, 0},

		{"making a directory", func(s sys.FS) sys.Errno { return s.Mkdir("new", 0o700) }, 0},
		{"making a directory with a slash", func(s sys.FS) sys.Errno { return s.Mkdir("new/", 0o700) }, 0},
		{"making a directory that is there", func(s sys.FS) sys.Errno { return s.Mkdir("docs", 0o700) }, sys.EEXIST},
		{"making the root", func(s sys.FS) sys.Errno { return s.Mkdir(".", 0o700) }, sys.EEXIST},
		{"making a directory where a file is", func(s sys.FS) sys.Errno { return s.Mkdir("hello.txt", 0o700) }, sys.EEXIST},
		{"making a directory below nothing", func(s sys.FS) sys.Errno { return s.Mkdir("none/new", 0o700) }, sys.ENOENT},
		{"making a directory below a file", func(s sys.FS) sys.Errno { return s.Mkdir("hello.txt/new", 0o700) }, sys.ENOTDIR},

		{"removing a directory", func(s sys.FS) sys.Errno { return s.Rmdir("empty") }, 0},
		{"removing a directory with a slash", func(s sys.FS) sys.Errno { return s.Rmdir("empty/") }, 0},
		{"removing a directory that is not empty", func(s sys.FS) sys.Errno { return s.Rmdir("docs") }, sys.ENOTEMPTY},
		{"removing a file as a directory", func(s sys.FS) sys.Errno { return s.Rmdir("hello.txt") }, sys.ENOTDIR},
		{"removing no directory", func(s sys.FS) sys.Errno { return s.Rmdir("none") }, sys.ENOENT},
		{"removing the root", func(s sys.FS) sys.Errno { return s.Rmdir(".") }, sys.EPERM},
		{"removing a file", func(s sys.FS) sys.Errno { return s.Unlink("hello.txt") }, 0},
		{"removing a file with a slash", func(s sys.FS) sys.Errno { return s.Unlink("hello.txt/") }, sys.ENOTDIR},
		{"removing a directory as a file", func(s sys.FS) sys.Errno { return s.Unlink("empty") }, sys.EISDIR},
		{"removing no file", func(s sys.FS) sys.Errno { return s.Unlink("none") }, sys.ENOENT},
		{"removing the root as a file", func(s sys.FS) sys.Errno { return s.Unlink("") }, sys.EISDIR},

		{"renaming a file", func(s sys.FS) sys.Errno { return s.Rename("hello.txt", "new") }, 0},
		{"renaming a file to itself", func(s sys.FS) sys.Errno { return s.Rename("hello.txt", "./hello.txt") }, 0},
		{"renaming a file over a file", func(s sys.FS) sys.Errno { return s.Rename("hello.txt", "docs/a.md") }, 0},
		{"renaming a file over a directory", func(s sys.FS) sys.Errno { return s.Rename("hello.txt", "empty") }, sys.EISDIR},
		{"renaming a file with a slash", func(s sys.FS) sys.Errno { return s.Rename("hello.txt/", "new") }, sys.ENOTDIR},
		{"renaming a file to a name with a slash", func(s sys.FS) sys.Errno { return s.Rename("hello.txt", "new/") }, sys.ENOTDIR},
		{"renaming a file to below itself", func(s sys.FS) sys.Errno { return s.Rename("hello.txt", "hello.txt/a") }, sys.ENOTDIR},
		{"renaming a directory", func(s sys.FS) sys.Errno { return s.Rename("docs", "new") }, 0},
		{"renaming a directory with slashes", func(s sys.FS) sys.Errno { return s.Rename("docs/", "new/") }, 0},
		{"renaming a directory to itself", func(s sys.FS) sys.Errno { return s.Rename("docs", "docs/") }, 0},
		{"renaming a directory over a file", func(s sys.FS) sys.Errno { return s.Rename("docs", "hello.txt") }, sys.ENOTDIR},
		{"renaming a directory over an empty one", func(s sys.FS) sys.Errno { return s.Rename("docs", "empty") }, 0},
		{"renaming a directory over a full one", func(s sys.FS) sys.Errno { return s.Rename("empty", "docs") }, sys.ENOTEMPTY},
		{"renaming a directory into itself", func(s sys.FS) sys.Errno { return s.Rename("docs", "docs/new") }, sys.EINVAL},
		{"renaming nothing", func(s sys.FS) sys.Errno { return s.Rename("none", "new") }, sys.ENOENT},
		{"renaming nothing to itself", func(s sys.FS) sys.Errno { return s.Rename("none", "none") }, sys.ENOENT},
		{"renaming to below nothing", func(s sys.FS) sys.Errno { return s.Rename("hello.txt", "none/new") }, sys.ENOENT},
		{"renaming to below a file", func(s sys.FS) sys.Errno { return s.Rename("docs", "hello.txt/new") }, sys.ENOTDIR},
		{"renaming the root", func(s sys.FS) sys.Errno { return s.Rename(".", "new") }, sys.EPERM},
		{"renaming over the root", func(s sys.FS) sys.Errno { return s.Rename("docs", "/") }, sys.EPERM},

		{"making a link", func(s sys.FS) sys.Errno { return s.Link("hello.txt", "new") }, sys.EPERM},
		{"making a symbolic link", func(s sys.FS) sys.Errno { return s.Symlink("hello.txt", "new") }, sys.EPERM},
		{"making a symbolic link that leads out", func(s sys.FS) sys.Errno { return s.Symlink("/etc/passwd", "new") }, sys.EPERM},
		{"reading a file as a link", func(s sys.FS) sys.Errno { return errnoOf(s.Readlink("hello.txt")) }, sys.EINVAL},
		{"reading a directory as a link", func(s sys.FS) sys.Errno { return errnoOf(s.Readlink(".")) }, sys.EINVAL},
		{"reading nothing as a link", func(s sys.FS) sys.Errno { return errnoOf(s.Readlink("none")) }, sys.ENOENT},

		{"changing permissions", func(s sys.FS) sys.Errno { return s.Chmod("hello.txt", 0o600) }, 0},
		{"changing permissions of nothing", func(s sys.FS) sys.Errno { return s.Chmod("none", 0o600) }, sys.ENOENT},
		{"setting times", func(s sys.FS) sys.Errno { return s.Utimens("hello.txt", 1, 2) }, 0},
		{"setting times of a directory", func(s sys.FS) sys.Errno { return s.Utimens("docs/", 1, 2) }, 0},
		{"setting times of a file with a slash", func(s sys.FS) sys.Errno { return s.Utimens("hello.txt/", 1, 2) }, sys.ENOTDIR},
		{"setting times of nothing", func(s sys.FS) sys.Errno { return s.Utimens("none", 1, 2) }, sys.ENOENT},
		{"setting no times of nothing", func(s sys.FS) sys.Errno {
			return s.Utimens("none", sys.UTIME_OMIT, sys.UTIME_OMIT)
		}, sys.ENOENT},
	}
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			for _, test := range tests {
				t.Run(test.name, func(t *testing.T) {
					files := kind.make(t)
					fill(t, files)
					require.Equal(t, test.want.Error(), test.do(wasifs.New(files)).Error())
				})
			}
		})
	}
}

func TestChangesOfWhatIsReadOnly(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(s sys.FS) sys.Errno
	}{
		{"opening for writing", func(s sys.FS) sys.Errno { return opening(s, "hello.txt", sys.O_WRONLY) }},
		{"opening for reading and writing", func(s sys.FS) sys.Errno { return opening(s, "hello.txt", sys.O_RDWR) }},
		{"emptying", func(s sys.FS) sys.Errno { return opening(s, "hello.txt", sys.O_RDWR|sys.O_TRUNC) }},
		{"emptying what is open for reading", func(s sys.FS) sys.Errno { return opening(s, "hello.txt", sys.O_TRUNC) }},
		{"making a file", func(s sys.FS) sys.Errno { return opening(s, "new", sys.O_RDWR|sys.O_CREAT) }},
		{"making a directory", func(s sys.FS) sys.Errno { return s.Mkdir("new", 0o755) }},
		{"removing a directory", func(s sys.FS) sys.Errno { return s.Rmdir("empty") }},
		{"removing a file", func(s sys.FS) sys.Errno { return s.Unlink("hello.txt") }},
		{"renaming", func(s sys.FS) sys.Errno { return s.Rename("hello.txt", "new") }},
		{"renaming a directory over an empty one", func(s sys.FS) sys.Errno { return s.Rename("docs", "empty") }},
		{"changing permissions", func(s sys.FS) sys.Errno { return s.Chmod("hello.txt", 0o600) }},
		{"setting times", func(s sys.FS) sys.Errno { return s.Utimens("hello.txt", 1, 1) }},
		{"setting times of an open file", func(s sys.FS) sys.Errno {
			f, errno := s.OpenFile("hello.txt", sys.O_RDONLY, 0)
			if errno != 0 {
				return errno
			}
			defer f.Close()
			return f.Utimens(1, 1)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			forEachKind(t, func(t *testing.T, files afero.Fs) {
				fill(t, files)
				before := contents(t, files)
				require.Equal(t, sys.EROFS.Error(), test.do(wasifs.New(vfs.ReadOnly(files, "/"))).Error())
				require.Equal(t, sys.EPERM.Error(), test.do(wasifs.New(afero.NewReadOnlyFs(files))).Error(), "afero's")
				require.Equal(t, before, contents(t, files))
			})
		})
	}
}

func TestStatTellsNothingOfTheHost(t *testing.T) {
	forEachKind(t, func(t *testing.T, files afero.Fs) {
		fill(t, files)
		s, other := wasifs.New(files), wasifs.New(files)
		then := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC).UnixNano()

		st, errno := s.Stat("hello.txt")
		require.Zero(t, errno)
		require.Zero(t, st.Mode.Type())
		require.EqualValues(t, 12, st.Size)
		require.EqualValues(t, 1, st.Nlink)
		require.Equal(t, []int64{then, then, then}, []int64{st.Atim, st.Mtim, st.Ctim})
		require.NotZero(t, st.Ino)
		require.NotZero(t, st.Dev)

		dir, errno := s.Stat("docs")
		require.Zero(t, errno)
		require.Equal(t, fs.ModeDir, dir.Mode.Type())

		f, errno := s.OpenFile("/docs/../hello.txt", sys.O_RDONLY, 0)
		require.Zero(t, errno)
		opened, errno := f.Stat()
		require.Zero(t, errno)
		require.Equal(t, st, opened, "an open file is the same file")
		require.Equal(t, st.Ino, must(f.Ino()))
		require.Equal(t, st.Dev, must(f.Dev()))
		require.Zero(t, f.Close())

		again, errno := other.Stat("hello.txt")
		require.Zero(t, errno)
		require.Equal(t, st.Ino, again.Ino, "numbers are the same each time")
		require.NotEqual(t, st.Dev, again.Dev, "files of different mounts are different")

		root, errno := s.OpenFile(".", sys.O_RDONLY, 0)
		require.Zero(t, errno)
		entries, errno := root.Readdir(-1)
		require.Zero(t, errno)
		seen := map[uint64]bool{must(root.Ino()): true}
		for _, entry := range entries {
			st, errno := s.Lstat(entry.Name)
			require.Zero(t, errno)
			require.Equal(t, st.Ino, entry.Ino, entry.Name)
			require.False(t, seen[entry.Ino], entry.Name)
			seen[entry.Ino] = true
		}
	})
}

func must[T any](v T, errno sys.Errno) T {
	if errno != 0 {
		panic(errno)
	}
	return v
}

func TestTimesThatAreLeftOutStay(t *testing.T) {
	forEachKind(t, func(t *testing.T, files afero.Fs) {
		fill(t, files)
		s := wasifs.New(files)
		mtim := func() int64 { return must(s.Stat("docs/a.md")).Mtim }

		require.Zero(t, s.Utimens("docs/a.md", 1_000_000_000, 2_000_000_000))
		require.EqualValues(t, 2_000_000_000, mtim())
		require.Zero(t, s.Utimens("docs/a.md", 3_000_000_000, sys.UTIME_OMIT))
		require.EqualValues(t, 2_000_000_000, mtim())
		require.Zero(t, s.Utimens("docs/a.md", sys.UTIME_OMIT, 4_000_000_000))
		require.EqualValues(t, 4_000_000_000, mtim())
		require.Zero(t, s.Utimens("docs/a.md", sys.UTIME_OMIT, sys.UTIME_OMIT))
		require.EqualValues(t, 4_000_000_000, mtim())

		f, errno := s.OpenFile("docs/a.md", sys.O_RDWR, 0)
		require.Zero(t, errno)
		require.Zero(t, f.Utimens(sys.UTIME_OMIT, 5_000_000_000))
		require.Zero(t, f.Close())
		require.EqualValues(t, 5_000_000_000, mtim(), "closing does not change it again")
	})
}

func TestNamesThatDifferInCase(t *testing.T) {
	s := wasifs.New(inMemory(t, nil))
	require.Zero(t, s.Mkdir("README", 0o755))
	require.Equal(t, sys.ENOENT, errnoOf(s.Stat("readme")))
	require.Equal(t, sys.EEXIST, opening(s, "readme", sys.O_RDWR|sys.O_CREAT))
	require.Equal(t, sys.EEXIST, s.Mkdir("Readme", 0o755))
	require.Zero(t, opening(s, "a", sys.O_RDWR|sys.O_CREAT))
	require.Equal(t, sys.EEXIST, s.Rename("a", "readme"))
	require.Zero(t, s.Rename("a", "A"))
}
