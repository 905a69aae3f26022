package wasifs_test

import (
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/wasifs"
	"github.com/toolrun/toolrun/internal/wasm/wasifs/wasifstest"
)

const creating = wasifs.O_RDWR | wasifs.O_CREAT

// put writes a file.
func put(s FS, name, content string) wasifs.Errno {
	f, errno := s.Open(name, creating|wasifs.O_TRUNC)
	if errno != 0 {
		return errno
	}
	if _, errno := f.Write([]byte(content)); errno != 0 {
		return errno
	}
	return f.Close()
}

// get reads a file of up to a hundred bytes.
func get(t *testing.T, s FS, name string) string {
	t.Helper()
	f, errno := s.Open(name, wasifs.O_RDONLY)
	require.Zero(t, errno)
	b := make([]byte, 100)
	n, errno := f.Read(b)
	require.Zero(t, errno)
	require.Zero(t, f.Close())
	return string(b[:n])
}

func TestScratchIsNotInTheProject(t *testing.T) {
	wasifstest.ForEachKind(t, func(t *testing.T, files afero.Fs) {
		wasifstest.Fill(t, files)
		before := wasifstest.Contents(t, files)
		s := wasifs.New(files, 1<<20)
		require.True(t, s.IsClean())
		require.Zero(t, s.Mkdir("tmp/dir"))
		require.Zero(t, put(s, "tmp/dir/a", "content"))
		require.Zero(t, put(s, "dev/null", "content"))
		require.False(t, s.IsClean())
		require.Equal(t, "content", get(t, s, "tmp/dir/a"))
		require.Empty(t, get(t, s, "dev/null"))
		for name, errno := range map[string]wasifs.Errno{
			"tmp":           s.Rmdir("tmp"),
			"null":          s.Unlink("dev/null"),
			"a new device":  put(s, "dev/new", ""),
			"a directory":   s.Mkdir("dev/new"),
			"to a device":   s.Rename("tmp/dir/a", "dev/new"),
			"tmp elsewhere": s.Rename("tmp", "tmp2"),
		} {
			require.Contains(t, []wasifs.Errno{wasifs.EACCES, wasifs.EXDEV, wasifs.ENOTEMPTY}, errno, name)
		}
		require.Equal(t, wasifs.EEXIST, s.Mkdir("tmp"))
		require.Equal(t, before, wasifstest.Contents(t, files))

		require.Zero(t, s.Rename("tmp/dir/a", "hello.txt"))
		require.Zero(t, s.Rename("docs/a.md", "tmp/b"))
		require.Equal(t, "# a", get(t, s, "tmp/b"))
		require.Zero(t, s.Close(true))
		delete(before, "/docs/a.md")
		before["/hello.txt"] = "content"
		require.Equal(t, before, wasifstest.Contents(t, files))
	})
}

func TestScratchIsTheProjectsOwn(t *testing.T) {
	files := wasifstest.InMemory(t, nil)
	require.NoError(t, files.Mkdir("/tmp", 0o755))
	s := wasifs.New(files, 1<<20)
	require.Zero(t, put(s, "tmp/a", "content"))
	require.True(t, s.IsClean())
	require.Zero(t, s.Close(true))
	require.Equal(t, map[string]string{"/": "a directory", "/tmp": "a directory", "/tmp/a": "content"},
		wasifstest.Contents(t, files))
}

// TestScratchIsBounded fills /tmp in several ways.
func TestScratchIsBounded(t *testing.T) {
	const most = 1 << 20
	half := string(make([]byte, most/2))
	s := wasifs.New(afero.NewMemMapFs(), most)
	for range 3 { // what is removed makes room
		require.Zero(t, put(s, "tmp/a", half))
		require.Equal(t, wasifs.ENOSPC, put(s, "tmp/b", half))
		require.Zero(t, s.Unlink("tmp/b"))
		f, errno := s.Open("tmp/a", wasifs.O_RDWR)
		require.Zero(t, errno)
		require.Equal(t, wasifs.ENOSPC, f.Truncate(1<<40))
		_, errno = f.Pwrite([]byte("x"), 1<<62)
		require.Equal(t, wasifs.ENOSPC, errno)
		require.Zero(t, f.Close())
		require.Zero(t, s.Unlink("tmp/a"))
		require.True(t, s.IsClean())
	}

	require.Zero(t, put(s, "tmp/a", half))
	open, errno := s.Open("tmp/a", wasifs.O_RDONLY)
	require.Zero(t, errno)
	require.Zero(t, s.Unlink("tmp/a"))
	require.Equal(t, wasifs.ENOSPC, put(s, "tmp/b", half), "the removed file is open")
	require.Zero(t, open.Close())
	require.Zero(t, put(s, "tmp/b", half))
	require.Zero(t, s.Unlink("tmp/b"))

	made := 0
	for ; errno == 0; made++ {
		errno = s.Mkdir("tmp/" + string(rune('a'+made%26)) + string(rune('a'+made/26)))
	}
	require.Equal(t, wasifs.ENOSPC, errno)
	require.Less(t, made, most/500, "empty directories count, too")
}
