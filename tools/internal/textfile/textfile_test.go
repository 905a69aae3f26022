package textfile

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"path"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/progress/progresstest"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func TestLinesAreCounted(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "a\n": 1, "a\nb": 2, "a\nb\n": 2, "\n": 1, "\n\n": 2,
		"\n\nb": 3, "\r": 1} {
		require.Equal(t, want, countLines([]byte(text)), "%q", text)
		require.Len(t, text, afterLine([]byte(text), want), "%q", text)
		require.Zero(t, afterLine([]byte(text), 0), "%q", text)
	}
	require.Equal(t, 2, afterLine([]byte("a\nb\n"), 1))
}

func TestSizesForPeople(t *testing.T) {
	for size, want := range map[int64]string{
		0: "0", 1: "1", 1023: "1023", 1024: "1.0K", 1536: "1.5K", 4096: "4.0K", 1<<20 - 52: "1023.9K",
		1<<20 - 51: "1.0M", 1<<20 - 1: "1.0M", 2 << 20: "2.0M",
		5<<30 + 1<<29: "5.5G", 1<<40 - 1: "1.0T", 3 << 50: "3072.0T",
	} {
		require.Equal(t, want, formatSize(size), "%d", size)
	}
}

func TestWholeNumbers(t *testing.T) {
	for _, test := range []struct {
		number json.Number
		want   int
		ok     bool
	}{
		{"0", 0, true}, {"-1", -1, true}, {"12", 12, true}, {"1.0", 1, true}, {"1e2", 100, true}, {"-2e0", -2, true},
		{"1.5", 1, false}, {"", 0, false}, {"x", 0, false},
		{"99999999999999999999", math.MaxInt, true}, {"-99999999999999999999", math.MinInt, true},
		{"1e999", math.MaxInt, true}, {"-1e999", math.MinInt, true},
	} {
		got, ok := whole(test.number)
		require.Equal(t, test.ok, ok, test.number)
		if ok {
			require.Equal(t, test.want, got, test.number)
		}
	}
}

func TestCut(t *testing.T) {
	require.Equal(t, "", Cut("", 3))
	require.Equal(t, "abc", Cut("abc", 3))
	require.Equal(t, "abc...", Cut("abcd", 3))
	require.Equal(t, "ää...", Cut("äää", 3))
}

// TestErrorsAreExplained has what tests of the tools cannot bring about.
func TestErrorsAreExplained(t *testing.T) {
	project, err := local.NewMemoryStore(nil).Open(t.Context(), "test")
	require.NoError(t, err)
	tree := Tree{project, "/memories"}
	for _, test := range []struct {
		err  error
		want string
	}{
		{syscall.EROFS, "Error: The path /memories/f is read-only."},
		{syscall.ENAMETOOLONG, "Error: The path /memories/f cannot be used: it is too long."},
		{syscall.EISDIR, "Error: The path /memories/f is a directory, not a file."},
		{syscall.ENOSPC, "Error: There is no space left for /memories/f."},
		{fs.ErrPermission, "Error: The path /memories/f cannot be used: it is, or leads through, a link, a special " +
			"file, or something that is protected."},
		{fs.ErrNotExist, "Error: The path /memories/f does not exist"},
		{&vfs.UnavailableError{Reason: "the database is restarting", Err: errors.New("db.internal:5432")},
			"Error: /memories/f: the files cannot be reached at the moment (the database is restarting), and nothing " +
				"has been changed; try again later."},
		{&vfs.UnavailableError{Reason: "the connection was lost", Unknown: true},
			"Error: /memories/f: the files cannot be reached at the moment (the connection was lost), and it is not " +
				"known whether this has been done; look before trying again."},
	} {
		err := tree.Explain("/f", &fs.PathError{Op: "open", Path: "/f", Err: test.err})
		require.EqualError(t, err, test.want)
		require.ErrorIs(t, err, test.err)
		_, ok := errors.AsType[*tool.ModelError](err)
		require.True(t, ok)
	}
	require.NoError(t, tree.Explain("/f", nil))
	require.Equal(t, syscall.EIO, tree.Explain("/f", syscall.EIO),
		"what nobody can do anything about is an error of the host")
}

func TestSnippets(t *testing.T) {
	text := []byte("1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	for _, test := range []struct {
		from, to int
		want     string
	}{
		{0, 0, "     1\t1\n     2\t2\n     3\t3\n     4\t4"},
		{8, 9, "     2\t2\n     3\t3\n     4\t4\n     5\t5\n     6\t6\n     7\t7\n     8\t8"},
		{8, 10, "     2\t2\n     3\t3\n     4\t4\n     5\t5\n     6\t6\n     7\t7\n     8\t8"},
		{8, 11, "     2\t2\n     3\t3\n     4\t4\n     5\t5\n     6\t6\n     7\t7\n     8\t8\n     9\t9"},
		{18, 18, "     7\t7\n     8\t8\n     9\t9"},
		{16, 18, "     6\t6\n     7\t7\n     8\t8\n     9\t9"},
	} {
		require.Equal(t, test.want, snippet(text, test.from, test.to), "%d to %d", test.from, test.to)
	}
	require.Empty(t, snippet(nil, 0, 0))
}

// TestRelocateLeavesNothingBehind has paths for something that fails when the directories that they lie in have been
// made.
func TestRelocateLeavesNothingBehind(t *testing.T) {
	project, err := local.NewMemoryStore(nil).Open(t.Context(), "test")
	require.NoError(t, err)
	require.NoError(t, project.MkdirAll("/from", 0o755))
	require.NoError(t, project.MkdirAll("/there/empty", 0o755))
	for _, test := range []struct{ to, made string }{
		{"/new/f", "/new"},
		{"/new/a/b/f", "/new"},
		{"/there/empty/a/b/f", "/there/empty/a"},
		{"/there/empty/f", ""},
	} {
		err := Tree{Files: project}.relocate("/from", test.to, "move", nil, func(fs.FileInfo, fs.FileInfo) error {
			info, err := project.Stat(path.Dir(test.to))
			require.NoError(t, err)
			require.True(t, info.IsDir())
			return syscall.ENOSPC
		})
		require.EqualError(t, err, "Error: There is no space left for "+test.to+".")
		if test.made != "" {
			_, err = project.Stat(test.made)
			require.ErrorIs(t, err, fs.ErrNotExist, test.made)
		}
		_, err = project.Stat("/there/empty")
		require.NoError(t, err)
	}
}

func TestAFileThatGivesNothing(t *testing.T) {
	files := progresstest.Stuck{Fs: afero.NewMemMapFs()}
	require.NoError(t, afero.WriteFile(files, "/a", []byte("text"), 0o644))
	_, err := Tree{Files: files}.Read("/a")
	require.ErrorIs(t, err, io.ErrNoProgress)
}
