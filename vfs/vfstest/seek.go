package vfstest

import (
	"io"
	"math"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

// What follows holds for files that are written in place and for those that are replaced, so it is checked for both.
var seekRules = []rule{
	{"reading by pieces of any size gives the content", inBothWays(func(t *testing.T, f afero.File) {
		content := strings.Repeat("0123456789", 300)
		writeTo(t, f, content)
		seek(t, f, 0, io.SeekStart)
		require.NoError(t, iotest.TestReader(f, []byte(content)))
	})},
	{"an empty file can be read", inBothWays(func(t *testing.T, f afero.File) {
		require.NoError(t, iotest.TestReader(f, nil))
	})},
	{"reading at the end is io.EOF", inBothWays(func(t *testing.T, f afero.File) {
		writeTo(t, f, "abc")
		for range 2 {
			n, err := f.Read(make([]byte, 10))
			require.Equal(t, 0, n)
			require.Equal(t, io.EOF, err)
		}
		seek(t, f, 1, io.SeekStart)
		buf := make([]byte, 10)
		n, err := io.ReadFull(f, buf)
		require.Equal(t, io.ErrUnexpectedEOF, err)
		require.Equal(t, "bc", string(buf[:n]))
	})},
	{"reading nothing works everywhere", inBothWays(func(t *testing.T, f afero.File) {
		for _, content := range []string{"", "abc"} {
			writeTo(t, f, content)
			n, err := f.Read(nil)
			require.NoError(t, err)
			require.Equal(t, 0, n)
			seek(t, f, 0, io.SeekStart)
			n, err = f.Read([]byte{})
			require.NoError(t, err)
			require.Equal(t, 0, n)
		}
	})},
	{"writing nothing changes nothing", inBothWays(func(t *testing.T, f afero.File) {
		writeTo(t, f, "abc")
		seek(t, f, 100, io.SeekStart)
		writeTo(t, f, "")
		_, err := f.WriteString("")
		require.NoError(t, err)
		for _, offset := range []int64{0, 3, 10, 100 << 20} {
			n, err := f.WriteAt(nil, offset)
			require.NoError(t, err)
			require.Equal(t, 0, n)
		}
		require.Equal(t, "abc", contentOf(t, f))
	})},
	{"ReadAt reads what it can and keeps the position", inBothWays(checkReadAt)},
	{"WriteAt writes where it should and keeps the position", inBothWays(func(t *testing.T, f afero.File) {
		writeTo(t, f, "0123456789")
		seek(t, f, 2, io.SeekStart)
		for _, at := range []int64{4, 9, 12} {
			n, err := f.WriteAt([]byte("ab"), at)
			require.NoError(t, err)
			require.Equal(t, 2, n)
		}
		writeTo(t, f, "X")
		require.Equal(t, "01X3ab678ab\x00ab", contentOf(t, f))
		_, err := f.WriteAt([]byte("x"), -1)
		require.Error(t, err)
		require.Equal(t, "01X3ab678ab\x00ab", contentOf(t, f))
	})},
	{"WriteString writes", inBothWays(func(t *testing.T, f afero.File) {
		n, err := f.WriteString("é€")
		require.NoError(t, err)
		require.Equal(t, 5, n)
		_, err = f.WriteString("!")
		require.NoError(t, err)
		require.Equal(t, "é€!", contentOf(t, f))
	})},
	{"Seek goes where it should", inBothWays(checkSeek)},
	{"Seek refuses what is no position and stays", inBothWays(func(t *testing.T, f afero.File) {
		writeTo(t, f, "0123456789")
		seek(t, f, 3, io.SeekStart)
		for _, to := range []struct {
			offset int64
			whence int
		}{
			{-1, io.SeekStart}, {-4, io.SeekCurrent}, {-11, io.SeekEnd}, {math.MinInt64, io.SeekStart},
			{math.MinInt64, io.SeekCurrent}, {math.MinInt64, io.SeekEnd}, {math.MaxInt64, io.SeekCurrent},
			{math.MaxInt64, io.SeekEnd},
			{0, 99}, {0, -1},
		} {
			_, err := f.Seek(to.offset, to.whence)
			fails(t, err, syscall.EINVAL, f.Name())
			at, err := f.Seek(0, io.SeekCurrent)
			require.NoError(t, err)
			require.Equal(t, int64(3), at)
		}
	})},
	{"Seek goes beyond the end, and writing there leaves zeros", inBothWays(func(t *testing.T, f afero.File) {
		writeTo(t, f, "abc")
		at, err := f.Seek(5, io.SeekEnd)
		require.NoError(t, err)
		require.Equal(t, int64(8), at)
		_, err = f.Read(make([]byte, 1))
		require.Equal(t, io.EOF, err)
		require.Equal(t, int64(3), sizeOf(t, f), "going there changes nothing")
		writeTo(t, f, "def")
		require.Equal(t, "abc\x00\x00\x00\x00\x00def", contentOf(t, f))
	})},
	{"Truncate cuts and stretches, and keeps the position", inBothWays(func(t *testing.T, f afero.File) {
		writeTo(t, f, "0123456789")
		require.NoError(t, f.Truncate(4))
		require.Equal(t, int64(4), sizeOf(t, f))
		_, err := f.Read(make([]byte, 1))
		require.Equal(t, io.EOF, err)
		require.Equal(t, "0123", contentOf(t, f))
		require.NoError(t, f.Truncate(4))
		require.NoError(t, f.Truncate(6))
		require.Equal(t, "0123\x00\x00", contentOf(t, f), "what was cut off does not come back")
		seek(t, f, 2, io.SeekStart)
		require.NoError(t, f.Truncate(0))
		require.Equal(t, int64(0), sizeOf(t, f))
		writeTo(t, f, "ab")
		require.Equal(t, "\x00\x00ab", contentOf(t, f))
		fails(t, f.Truncate(-1), syscall.EINVAL, f.Name())
		require.Equal(t, "\x00\x00ab", contentOf(t, f))
	})},
	{"large contents come back", inBothWays(func(t *testing.T, f afero.File) {
		content := strings.Repeat("toolrun ", 1<<17) // 1 MiB
		for rest := content; rest != ""; {
			n := min(len(rest), 100_001)
			writeTo(t, f, rest[:n])
			rest = rest[n:]
		}
		require.True(t, content == contentOf(t, f))
	})},
}

// inBothWays checks something with a handle on a new file, and that the file has the content that the handle had last.
func inBothWays(check func(t *testing.T, f afero.File)) func(t *testing.T, files afero.Fs) {
	return func(t *testing.T, files afero.Fs) {
		for name, flag := range map[string]int{"in place": 0, "replacing": os.O_TRUNC} {
			t.Run(name, func(t *testing.T) {
				f := openFile(t, files, name, os.O_RDWR|os.O_CREATE|flag)
				check(t, f)
				content := contentOf(t, f)
				closeNow(t, f)
				require.True(t, content == read(t, files, name), "closing leaves what was there")
				require.Equal(t, int64(len(content)), stat(t, files, name).Size())
			})
		}
	}
}

// contentOf reads all that a handle has, without moving it.
func contentOf(t testing.TB, f afero.File) string {
	t.Helper()
	content, err := io.ReadAll(io.NewSectionReader(f, 0, math.MaxInt64))
	require.NoError(t, err)
	require.Equal(t, int64(len(content)), sizeOf(t, f))
	return string(content)
}

func sizeOf(t testing.TB, f afero.File) int64 {
	t.Helper()
	info, err := f.Stat()
	require.NoError(t, err)
	return info.Size()
}

func checkReadAt(t *testing.T, f afero.File) {
	writeTo(t, f, "0123456789")
	seek(t, f, 1, io.SeekStart)
	for _, at := range []struct {
		offset int64
		want   string
		err    error
	}{
		{0, "012", nil}, {4, "456", nil}, {8, "89", io.EOF}, {10, "", io.EOF}, {1000, "", io.EOF},
		{1 << 40, "", io.EOF},
	} {
		buf := make([]byte, 3)
		n, err := f.ReadAt(buf, at.offset)
		require.Equal(t, at.err, err, at.offset)
		require.Equal(t, at.want, string(buf[:n]))
	}
	buf := make([]byte, 3)
	n, err := f.ReadAt(buf, 7) // io.ReaderAt allows both
	require.True(t, err == nil || err == io.EOF)
	require.Equal(t, "789", string(buf[:n]))
	_, err = f.ReadAt(buf, -1)
	require.Error(t, err)
	require.NotEqual(t, io.EOF, err)
	n, err = f.Read(buf)
	require.NoError(t, err)
	require.Equal(t, "123"[:n], string(buf[:n]))
}

func checkSeek(t *testing.T, f afero.File) {
	writeTo(t, f, "0123456789")
	for _, to := range []struct {
		offset int64
		whence int
		want   int64
		next   byte
	}{
		{0, io.SeekStart, 0, '0'}, {7, io.SeekStart, 7, '7'}, {-4, io.SeekCurrent, 4, '4'}, {0, io.SeekCurrent, 5, '5'},
		{2, io.SeekCurrent, 8, '8'}, {-1, io.SeekEnd, 9, '9'}, {-10, io.SeekEnd, 0, '0'},
	} {
		at, err := f.Seek(to.offset, to.whence)
		require.NoError(t, err)
		require.Equal(t, to.want, at)
		buf := make([]byte, 1)
		n, err := f.Read(buf)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.Equal(t, to.next, buf[0])
	}
	at, err := f.Seek(0, io.SeekEnd)
	require.NoError(t, err)
	require.Equal(t, int64(10), at)
	writeTo(t, f, "end")
	seek(t, f, 2, io.SeekStart)
	writeTo(t, f, "ab")
	require.Equal(t, "01ab456789end", contentOf(t, f))
}
