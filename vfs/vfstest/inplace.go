package vfstest

import (
	"io"
	"os"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

var inPlaceRules = []rule{
	{"others see what is written at once", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "0123456789")
		reader := openFile(t, files, "file", os.O_RDONLY)
		one, two := openFile(t, files, "file", os.O_RDWR), openFile(t, files, "file", os.O_WRONLY)
		writeTo(t, one, "ab")
		require.Equal(t, "ab23456789", contentOf(t, reader))
		_, err := two.WriteAt([]byte("cde"), 9)
		require.NoError(t, err)
		for _, content := range []string{contentOf(t, reader), contentOf(t, one), read(t, files, "file")} {
			require.Equal(t, "ab2345678cde", content)
		}
		require.Equal(t, int64(12), stat(t, files, "file").Size())
		require.Equal(t, int64(12), sizeOf(t, two))
		require.NoError(t, two.Truncate(3))
		require.Equal(t, "ab2", contentOf(t, reader))
		require.Equal(t, "ab2", contentOf(t, one))
		require.Equal(t, int64(3), stat(t, files, "file").Size())
	}},
	{"a reader goes on where others have written more", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "one ")
		reader, writer := openFile(t, files, "file", os.O_RDONLY), openFile(t, files, "file", os.O_WRONLY|os.O_APPEND)
		content, err := io.ReadAll(reader)
		require.NoError(t, err)
		require.Equal(t, "one ", string(content))
		writeTo(t, writer, "two")
		content, err = io.ReadAll(reader)
		require.NoError(t, err)
		require.Equal(t, "two", string(content))
	}},
	{"each handle has a position of its own", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "0123456789")
		one, two := openFile(t, files, "file", os.O_RDWR), openFile(t, files, "file", os.O_RDWR)
		writeTo(t, one, "ab")
		writeTo(t, two, "c")
		writeTo(t, one, "d")
		require.Equal(t, "cbd3456789", read(t, files, "file"))
	}},
	{"reading and writing share the position of a handle", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "0123456789")
		f := openFile(t, files, "file", os.O_RDWR)
		buf := make([]byte, 2)
		for _, want := range []string{"01", "45", "89"} {
			_, err := io.ReadFull(f, buf)
			require.NoError(t, err)
			require.Equal(t, want, string(buf))
			writeTo(t, f, "..")
		}
		require.Equal(t, "01..45..89..", read(t, files, "file"))
	}},
	{"a new file is there at once", func(t *testing.T, files afero.Fs) {
		f := openFile(t, files, "file", os.O_WRONLY|os.O_CREATE)
		require.Equal(t, "", read(t, files, "file"))
		require.Equal(t, []string{"file"}, list(t, files, "/"))
		writeTo(t, f, "content")
		require.Equal(t, "content", read(t, files, "file"))
		require.NoError(t, f.Sync())
		closeNow(t, f)
		require.Equal(t, "content", read(t, files, "file"))
	}},
	{"O_APPEND writes to the end, wherever the handle is", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "0")
		f := openFile(t, files, "file", os.O_RDWR|os.O_APPEND)
		writeTo(t, f, "1")
		seek(t, f, 0, io.SeekStart)
		writeTo(t, f, "2")
		seek(t, f, 100, io.SeekStart)
		writeTo(t, f, "3")
		require.Equal(t, "0123", read(t, files, "file"))
		_, err := f.Read(make([]byte, 1))
		require.Equal(t, io.EOF, err, "writing has led to the end")
		seek(t, f, 1, io.SeekStart)
		content, err := io.ReadAll(f)
		require.NoError(t, err)
		require.Equal(t, "123", string(content))
		require.NoError(t, f.Truncate(2))
		writeTo(t, f, "4")
		require.Equal(t, "014", read(t, files, "file"))
	}},
	{"O_APPEND writes behind what others have written", func(t *testing.T, files afero.Fs) {
		one, two := openFile(t, files, "file", os.O_WRONLY|os.O_APPEND|os.O_CREATE),
			openFile(t, files, "file", os.O_WRONLY|os.O_APPEND)
		plain := openFile(t, files, "file", os.O_RDWR)
		for i, f := range []afero.File{one, two, one, one, two} {
			writeTo(t, f, string(rune('a'+i)))
		}
		_, err := plain.WriteAt([]byte("XYZ"), 4)
		require.NoError(t, err)
		writeTo(t, two, "!")
		require.NoError(t, plain.Truncate(6))
		writeTo(t, one, "?")
		require.Equal(t, "abcdXY?", read(t, files, "file"))
	}},
	{"O_APPEND does not go with WriteAt", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "0123456789")
		for _, flag := range []int{os.O_APPEND, os.O_APPEND | os.O_TRUNC} {
			f := openFile(t, files, "file", os.O_RDWR|flag)
			before := contentOf(t, f)
			for _, offset := range []int64{0, 10} {
				_, err := f.WriteAt([]byte("x"), offset)
				require.Error(t, err)
			}
			require.Equal(t, before, contentOf(t, f))
		}
		require.Equal(t, "0123456789", read(t, files, "file"))
	}},
	{"O_APPEND with O_TRUNC appends to what is new", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "old")
		f := openFile(t, files, "file", os.O_WRONLY|os.O_APPEND|os.O_TRUNC)
		writeTo(t, f, "1")
		seek(t, f, 0, io.SeekStart)
		writeTo(t, f, "2")
		require.NoError(t, f.Sync())
		other := openFile(t, files, "file", os.O_WRONLY|os.O_APPEND)
		writeTo(t, other, "3")
		writeTo(t, f, "4")
		closeNow(t, f)
		require.Equal(t, "1234", read(t, files, "file"))
	}},
}
