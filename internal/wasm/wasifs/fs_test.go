package wasifs_test

import (
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/wasifs"
	"github.com/toolrun/toolrun/internal/wasm/wasifs/wasifstest"
	"github.com/toolrun/toolrun/vfs"
)

// errnoOf returns the number of an operation that has a result as well.
func errnoOf[T any](_ T, errno wasifs.Errno) wasifs.Errno { return errno }

// opening opens and closes a file.
func opening(s *wasifs.FS, name string, flag wasifs.Flag) wasifs.Errno {
	f, errno := s.Open(name, flag)
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
	const create = wasifs.O_RDWR | wasifs.O_CREAT
	long := strings.Repeat("n", 300)
	tests := []struct {
		name string
		do   func(s FS) Errno
		want wasifs.Errno
	}{
		{"stat of the root", func(s FS) Errno { return errnoOf(s.Stat(".")) }, 0},
		{"stat of an empty path", func(s FS) Errno { return errnoOf(s.Stat("")) }, 0},
		{"stat of a file", func(s FS) Errno { return errnoOf(s.Stat("docs/a.md")) }, 0},
		{"stat of a directory with a slash", func(s FS) Errno { return errnoOf(s.Stat("docs/")) }, 0},
		{"stat of a file with a slash", func(s FS) Errno { return errnoOf(s.Stat("hello.txt/")) }, wasifs.ENOTDIR},
		{"stat of nothing", func(s FS) Errno { return errnoOf(s.Stat("none")) }, wasifs.ENOENT},
		{"stat below a file", func(s FS) Errno { return errnoOf(s.Stat("hello.txt/a")) }, wasifs.ENOTDIR},
		{"stat of a long name", func(s FS) Errno { return errnoOf(s.Stat(long)) }, wasifs.ENAMETOOLONG},
		{"stat of a name with a zero", func(s FS) Errno { return errnoOf(s.Stat("a\x00b")) }, wasifs.EINVAL},
		{"lstat of a file", func(s FS) Errno { return errnoOf(s.Lstat("hello.txt")) }, 0},
		{"lstat of nothing", func(s FS) Errno { return errnoOf(s.Lstat("none")) }, wasifs.ENOENT},
		{"lstat of a file with a slash", func(s FS) Errno { return errnoOf(s.Lstat("hello.txt/")) }, wasifs.ENOTDIR},

		{"opening the root", func(s FS) Errno { return opening(s, ".", wasifs.O_RDONLY) }, 0},
		{"opening an empty path", func(s FS) Errno { return opening(s, "", wasifs.O_RDONLY) }, 0},
		{"opening the root for writing", func(s FS) Errno { return opening(s, ".", wasifs.O_RDWR) }, wasifs.EISDIR},
		{"opening a directory", func(s FS) Errno { return opening(s, "docs", wasifs.O_RDONLY) }, 0},
		{"opening a directory as one", func(s FS) Errno { return opening(s, "docs", wasifs.O_DIRECTORY) }, 0},
		{"opening a directory for reading and writing", func(s FS) Errno { return opening(s, "docs", wasifs.O_RDWR) },
			wasifs.EISDIR},
		{"opening a directory for writing", func(s FS) Errno { return opening(s, "docs", wasifs.O_WRONLY) },
			wasifs.EISDIR},
		{"opening a directory as one for writing", func(s FS) Errno {
			return opening(s, "docs", wasifs.O_DIRECTORY|wasifs.O_RDWR)
		}, wasifs.EISDIR},
		{"emptying a directory", func(s FS) Errno { return opening(s, "docs", wasifs.O_TRUNC) }, wasifs.EISDIR},
		{"making a file where a directory is", func(s FS) Errno { return opening(s, "docs", create) }, wasifs.EISDIR},
		{"making a file anew where a directory is", func(s FS) Errno {
			return opening(s, "docs", create|wasifs.O_EXCL)
		}, wasifs.EEXIST},
		{"opening a file", func(s FS) Errno { return opening(s, "hello.txt", wasifs.O_RDONLY) }, 0},
		{"opening a file as a directory", func(s FS) Errno { return opening(s, "hello.txt", wasifs.O_DIRECTORY) },
			wasifs.ENOTDIR},
		{"opening a file with a slash", func(s FS) Errno { return opening(s, "hello.txt/", wasifs.O_RDONLY) },
			wasifs.ENOTDIR},
		{"opening nothing", func(s FS) Errno { return opening(s, "none", wasifs.O_RDONLY) }, wasifs.ENOENT},
		{"opening nothing as a directory", func(s FS) Errno { return opening(s, "none", wasifs.O_DIRECTORY) },
			wasifs.ENOENT},
		{"opening nothing for writing", func(s FS) Errno { return opening(s, "none", wasifs.O_RDWR) }, wasifs.ENOENT},
		{"opening below a file", func(s FS) Errno { return opening(s, "hello.txt/a", wasifs.O_RDONLY) },
			wasifs.ENOTDIR},
		{"making a file", func(s FS) Errno { return opening(s, "new", create) }, 0},
		{"making a file anew", func(s FS) Errno { return opening(s, "new", create|wasifs.O_EXCL) }, 0},
		{"making a file for reading", func(s FS) Errno { return opening(s, "new", wasifs.O_CREAT) }, 0},
		{"making a file that is there", func(s FS) Errno { return opening(s, "hello.txt", create) }, 0},
		{"making a file anew that is there", func(s FS) Errno {
			return opening(s, "hello.txt", create|wasifs.O_EXCL)
		}, wasifs.EEXIST},
		{"making nothing, exclusively", func(s FS) Errno {
			return opening(s, "hello.txt", wasifs.O_RDWR|wasifs.O_EXCL)
		}, 0},
		{"making a file below nothing", func(s FS) Errno { return opening(s, "none/new", create) }, wasifs.ENOENT},
		{"making a file below a file", func(s FS) Errno { return opening(s, "hello.txt/new", create) }, wasifs.ENOTDIR},
		{"making a file of a long name", func(s FS) Errno { return opening(s, long, create) }, wasifs.ENAMETOOLONG},
		{"making a directory by opening it", func(s FS) Errno { return opening(s, "new", create|wasifs.O_DIRECTORY) },
			wasifs.EINVAL},
		{"opening for all at once", func(s FS) Errno { return opening(s, "hello.txt", wasifs.O_RDWR|wasifs.O_WRONLY) },
			wasifs.EINVAL},
		{"opening with flags that mean nothing here", func(s FS) Errno {
			return opening(s, "hello.txt", wasifs.O_RDWR|wasifs.O_NOFOLLOW|wasifs.O_SYNC)
		}, 0},

		{"making a directory", func(s FS) Errno { return s.Mkdir("new") }, 0},
		{"making a directory with a slash", func(s FS) Errno { return s.Mkdir("new/") }, 0},
		{"making a directory that is there", func(s FS) Errno { return s.Mkdir("docs") }, wasifs.EEXIST},
		{"making the root", func(s FS) Errno { return s.Mkdir(".") }, wasifs.EEXIST},
		{"making a directory where a file is", func(s FS) Errno { return s.Mkdir("hello.txt") }, wasifs.EEXIST},
		{"making a directory below nothing", func(s FS) Errno { return s.Mkdir("none/new") }, wasifs.ENOENT},
		{"making a directory below a file", func(s FS) Errno { return s.Mkdir("hello.txt/new") }, wasifs.ENOTDIR},

		{"removing a directory", func(s FS) Errno { return s.Rmdir("empty") }, 0},
		{"removing a directory with a slash", func(s FS) Errno { return s.Rmdir("empty/") }, 0},
		{"removing a directory that is not empty", func(s FS) Errno { return s.Rmdir("docs") }, wasifs.ENOTEMPTY},
		{"removing a file as a directory", func(s FS) Errno { return s.Rmdir("hello.txt") }, wasifs.ENOTDIR},
		{"removing no directory", func(s FS) Errno { return s.Rmdir("none") }, wasifs.ENOENT},
		{"removing the root", func(s FS) Errno { return s.Rmdir("/") }, wasifs.EPERM},
		{"removing a directory by a dot", func(s FS) Errno { return s.Rmdir("empty/.") }, wasifs.EINVAL},
		{"removing a directory by two dots", func(s FS) Errno { return s.Rmdir("empty/..") }, wasifs.ENOTEMPTY},
		{"removing a file", func(s FS) Errno { return s.Unlink("hello.txt") }, 0},
		{"removing a file with a slash", func(s FS) Errno { return s.Unlink("hello.txt/") }, wasifs.ENOTDIR},
		{"removing a directory as a file", func(s FS) Errno { return s.Unlink("empty") }, wasifs.EISDIR},
		{"removing no file", func(s FS) Errno { return s.Unlink("none") }, wasifs.ENOENT},
		{"removing the root as a file", func(s FS) Errno { return s.Unlink("") }, wasifs.EISDIR},

		{"renaming a file", func(s FS) Errno { return s.Rename("hello.txt", "new") }, 0},
		{"renaming a file to itself", func(s FS) Errno { return s.Rename("hello.txt", "./hello.txt") }, 0},
		{"renaming a file over a file", func(s FS) Errno { return s.Rename("hello.txt", "docs/a.md") }, 0},
		{"renaming a file over a directory", func(s FS) Errno { return s.Rename("hello.txt", "empty") }, wasifs.EISDIR},
		{"renaming a file with a slash", func(s FS) Errno { return s.Rename("hello.txt/", "new") }, wasifs.ENOTDIR},
		{"renaming a file to a name with a slash", func(s FS) Errno { return s.Rename("hello.txt", "new/") },
			wasifs.ENOTDIR},
		{"renaming a file to below itself", func(s FS) Errno { return s.Rename("hello.txt", "hello.txt/a") },
			wasifs.ENOTDIR},
		{"renaming a directory", func(s FS) Errno { return s.Rename("docs", "new") }, 0},
		{"renaming a directory with slashes", func(s FS) Errno { return s.Rename("docs/", "new/") }, 0},
		{"renaming a directory to itself", func(s FS) Errno { return s.Rename("docs", "docs/") }, 0},
		{"renaming a directory over a file", func(s FS) Errno { return s.Rename("docs", "hello.txt") }, wasifs.ENOTDIR},
		{"renaming a directory over an empty one", func(s FS) Errno { return s.Rename("docs", "empty") }, 0},
		{"renaming a directory over a full one", func(s FS) Errno { return s.Rename("empty", "docs") },
			wasifs.ENOTEMPTY},
		{"renaming a directory into itself", func(s FS) Errno { return s.Rename("docs", "docs/new") }, wasifs.EINVAL},
		{"renaming nothing", func(s FS) Errno { return s.Rename("none", "new") }, wasifs.ENOENT},
		{"renaming nothing to itself", func(s FS) Errno { return s.Rename("none", "none") }, wasifs.ENOENT},
		{"renaming to below nothing", func(s FS) Errno { return s.Rename("hello.txt", "none/new") }, wasifs.ENOENT},
		{"renaming to below a file", func(s FS) Errno { return s.Rename("docs", "hello.txt/new") }, wasifs.ENOTDIR},
		{"renaming the root", func(s FS) Errno { return s.Rename("/", "new") }, wasifs.EPERM},
		{"renaming a directory by a dot", func(s FS) Errno { return s.Rename("empty/.", "new") }, wasifs.EBUSY},
		{"renaming to two dots", func(s FS) Errno { return s.Rename("docs", "empty/..") }, wasifs.EBUSY},
		{"renaming over the root", func(s FS) Errno { return s.Rename("docs", "/") }, wasifs.EPERM},

		{"making a link", func(s FS) Errno { return s.Link("hello.txt", "new") }, wasifs.EPERM},
		{"making a symbolic link", func(s FS) Errno { return s.Symlink("new") }, wasifs.EPERM},
		{"making a symbolic link where something is", func(s FS) Errno { return s.Symlink("docs") }, wasifs.EEXIST},
		{"making a link of nothing", func(s FS) Errno { return s.Link("none", "new") }, wasifs.ENOENT},
		{"making a link of a directory", func(s FS) Errno { return s.Link("docs", "new") }, wasifs.EPERM},
		{"reading a file as a link", func(s FS) Errno { return s.Readlink("hello.txt") }, wasifs.EINVAL},
		{"reading a directory as a link", func(s FS) Errno { return s.Readlink(".") }, wasifs.EINVAL},
		{"reading nothing as a link", func(s FS) Errno { return s.Readlink("none") }, wasifs.ENOENT},

		{"setting times", func(s FS) Errno { return s.Utimens("hello.txt", 1, 2) }, 0},
		{"setting times of a directory", func(s FS) Errno { return s.Utimens("docs/", 1, 2) }, 0},
		{"setting times of a file with a slash", func(s FS) Errno { return s.Utimens("hello.txt/", 1, 2) },
			wasifs.ENOTDIR},
		{"setting times of nothing", func(s FS) Errno { return s.Utimens("none", 1, 2) }, wasifs.ENOENT},
		{"setting no times of nothing", func(s FS) Errno {
			return s.Utimens("none", wasifs.OmitTime, wasifs.OmitTime)
		}, wasifs.ENOENT},
	}
	for _, kind := range wasifstest.Kinds {
		t.Run(kind.Name, func(t *testing.T) {
			for _, test := range tests {
				t.Run(test.name, func(t *testing.T) {
					files := kind.Make(t)
					wasifstest.Fill(t, files)
					require.Equal(t, test.want.Error(), test.do(wasifs.New(files, 1<<20)).Error())
				})
			}
		})
	}
}

func TestChangesOfWhatIsReadOnly(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(s FS) Errno
	}{
		{"opening for writing", func(s FS) Errno { return opening(s, "hello.txt", wasifs.O_WRONLY) }},
		{"opening for reading and writing", func(s FS) Errno { return opening(s, "hello.txt", wasifs.O_RDWR) }},
		{"emptying", func(s FS) Errno { return opening(s, "hello.txt", wasifs.O_RDWR|wasifs.O_TRUNC) }},
		{"emptying what is open for reading", func(s FS) Errno { return opening(s, "hello.txt", wasifs.O_TRUNC) }},
		{"making a file", func(s FS) Errno { return opening(s, "new", wasifs.O_RDWR|wasifs.O_CREAT) }},
		{"making a directory", func(s FS) Errno { return s.Mkdir("new") }},
		{"removing a directory", func(s FS) Errno { return s.Rmdir("empty") }},
		{"removing a file", func(s FS) Errno { return s.Unlink("hello.txt") }},
		{"renaming", func(s FS) Errno { return s.Rename("hello.txt", "new") }},
		{"renaming a directory over an empty one", func(s FS) Errno { return s.Rename("docs", "empty") }},
		{"setting times", func(s FS) Errno { return s.Utimens("hello.txt", 1, 1) }},
		{"setting times of an open file", func(s FS) Errno {
			f, errno := s.Open("hello.txt", wasifs.O_RDONLY)
			if errno != 0 {
				return errno
			}
			defer f.Close()
			return f.Utimens(1, 1)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			wasifstest.ForEachKind(t, func(t *testing.T, files afero.Fs) {
				wasifstest.Fill(t, files)
				before := wasifstest.Contents(t, files)
				require.Equal(t, wasifs.EROFS.Error(), test.do(wasifs.New(vfs.ReadOnly(files, "/"), 1<<20)).Error())
				require.Equal(t, wasifs.EPERM.Error(), test.do(wasifs.New(afero.NewReadOnlyFs(files), 1<<20)).Error(),
					"afero's")
				require.Equal(t, before, wasifstest.Contents(t, files))
			})
		})
	}
}

func TestStatTellsNothingOfTheHost(t *testing.T) {
	wasifstest.ForEachKind(t, func(t *testing.T, files afero.Fs) {
		wasifstest.Fill(t, files)
		s, other := wasifs.New(files, 1<<20), wasifs.New(files, 1<<20)
		then := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC).UnixNano()

		st, errno := s.Stat("hello.txt")
		require.Zero(t, errno)
		require.Zero(t, st.Mode.Type())
		require.EqualValues(t, 12, st.Size)
		require.Equal(t, then, st.Mtim)
		require.NotZero(t, st.Ino)

		dir, errno := s.Stat("docs")
		require.Zero(t, errno)
		require.Equal(t, fs.ModeDir, dir.Mode.Type())

		f, errno := s.Open("/docs/../hello.txt", wasifs.O_RDONLY)
		require.Zero(t, errno)
		opened, errno := f.Stat()
		require.Zero(t, errno)
		require.Equal(t, st, opened, "an open file is the same file")
		require.Zero(t, f.Close())

		again, errno := other.Stat("hello.txt")
		require.Zero(t, errno)
		require.Equal(t, st.Ino, again.Ino, "numbers are the same each time")

		root, errno := s.Open(".", wasifs.O_RDONLY)
		require.Zero(t, errno)
		entries, errno := root.List()
		require.Zero(t, errno)
		seen := map[uint64]bool{must(root.Stat()).Ino: true}
		for _, entry := range entries {
			st, errno := s.Lstat(entry.Name)
			require.Zero(t, errno)
			require.Equal(t, st.Ino, entry.Ino, entry.Name)
			require.False(t, seen[entry.Ino], entry.Name)
			seen[entry.Ino] = true
		}
	})
}

func must[T any](v T, errno wasifs.Errno) T {
	if errno != 0 {
		panic(errno)
	}
	return v
}

func TestTimesThatAreLeftOutStay(t *testing.T) {
	wasifstest.ForEachKind(t, func(t *testing.T, files afero.Fs) {
		wasifstest.Fill(t, files)
		s := wasifs.New(files, 1<<20)
		mtim := func() int64 { return must(s.Stat("docs/a.md")).Mtim }

		require.Zero(t, s.Utimens("docs/a.md", 1_000_000_000, 2_000_000_000))
		require.EqualValues(t, 2_000_000_000, mtim())
		require.Zero(t, s.Utimens("docs/a.md", 3_000_000_000, wasifs.OmitTime))
		require.EqualValues(t, 2_000_000_000, mtim())
		require.Zero(t, s.Utimens("docs/a.md", wasifs.OmitTime, 4_000_000_000))
		require.EqualValues(t, 4_000_000_000, mtim())
		require.Zero(t, s.Utimens("docs/a.md", wasifs.OmitTime, wasifs.OmitTime))
		require.EqualValues(t, 4_000_000_000, mtim())

		f, errno := s.Open("docs/a.md", wasifs.O_RDWR)
		require.Zero(t, errno)
		require.Zero(t, f.Utimens(wasifs.OmitTime, 5_000_000_000))
		require.Zero(t, f.Close())
		require.EqualValues(t, 5_000_000_000, mtim(), "closing does not change it again")
	})
}

func TestNamesThatDifferInCase(t *testing.T) {
	s := wasifs.New(wasifstest.InMemory(t, nil), 1<<20)
	require.Zero(t, s.Mkdir("README"))
	require.Equal(t, wasifs.ENOENT, errnoOf(s.Stat("readme")))
	require.Equal(t, wasifs.EEXIST, opening(s, "readme", wasifs.O_RDWR|wasifs.O_CREAT))
	require.Equal(t, wasifs.EEXIST, s.Mkdir("Readme"))
	require.Zero(t, opening(s, "a", wasifs.O_RDWR|wasifs.O_CREAT))
	require.Equal(t, wasifs.EEXIST, s.Rename("a", "readme"))
	require.Zero(t, s.Rename("a", "A"))
}
