package vfstest

import (
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

// longAgo is a time that nothing has by itself. All file systems can hold it.
var longAgo = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

var timeRules = []rule{
	{"Chtimes sets the time of a file or directory", func(t *testing.T, files afero.Fs) {
		populate(t, files)
		for i, name := range []string{"file", "dir", "dir/inside", "empty"} {
			then := longAgo.Add(time.Duration(i) * time.Hour)
			require.NoError(t, files.Chtimes(name, then.Add(time.Minute), then))
			requireTime(t, files, name, then)
		}
		requireTime(t, files, "file", longAgo)
	}},
	{"what is new has the time of its making", func(t *testing.T, files afero.Fs) {
		populate(t, files)
		for _, name := range []string{"file", "dir", "dir/inside", "empty"} {
			requireNow(t, files, name)
		}
	}},
	{"writing brings a file's time up to date", func(t *testing.T, files afero.Fs) {
		ways := map[string]func(t *testing.T, files afero.Fs){
			"replacing":       func(t *testing.T, files afero.Fs) { write(t, files, "file", "new") },
			"replacing by it": func(t *testing.T, files afero.Fs) { write(t, files, "file", "content") },
			"writing in place": func(t *testing.T, files afero.Fs) {
				writeTo(t, openFile(t, files, "file", os.O_RDWR), "x")
			},
			"appending": func(t *testing.T, files afero.Fs) {
				writeTo(t, openFile(t, files, "file", os.O_WRONLY|os.O_APPEND), "x")
			},
			"truncating": func(t *testing.T, files afero.Fs) {
				require.NoError(t, openFile(t, files, "file", os.O_RDWR).Truncate(2))
			},
		}
		for name, way := range ways {
			t.Run(name, func(t *testing.T) {
				write(t, files, "file", "content")
				require.NoError(t, files.Chtimes("file", longAgo, longAgo))
				way(t, files)
				requireNow(t, files, "file")
			})
		}
	}},
	{"time does not go backwards", func(t *testing.T, files afero.Fs) {
		f := openFile(t, files, "file", os.O_RDWR|os.O_CREATE)
		last := stat(t, files, "file").ModTime()
		for range 10 {
			writeTo(t, f, "x")
			now := stat(t, files, "file").ModTime()
			require.False(t, now.Before(last))
			last = now
			time.Sleep(time.Millisecond)
		}
	}},
	{"what does not write leaves a file's time", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "content")
		require.NoError(t, files.Chtimes("file", longAgo, longAgo))
		f := openFile(t, files, "file", os.O_RDWR)
		_ = contentOf(t, f)
		closeNow(t, f)
		require.NoError(t, files.Chmod("file", 0o600))
		requireTime(t, files, "file", longAgo)
		require.NoError(t, files.Rename("file", "renamed"))
		requireTime(t, files, "renamed", longAgo)
	}},
	{"a directory's time is that of its last change", func(t *testing.T, files afero.Fs) {
		mkdir(t, files, "dir")
		mkdir(t, files, "elsewhere")
		for _, way := range []struct {
			name string
			do   func(t *testing.T)
		}{
			{"making a file", func(t *testing.T) { put(t, files, "dir/file", "x") }},
			{"making a directory", func(t *testing.T) { mkdir(t, files, "dir/sub") }},
			{"renaming", func(t *testing.T) { require.NoError(t, files.Rename("dir/file", "dir/other")) }},
			{"moving out", func(t *testing.T) { require.NoError(t, files.Rename("dir/other", "elsewhere/file")) }},
			{"moving in", func(t *testing.T) { require.NoError(t, files.Rename("elsewhere/file", "dir/file")) }},
			{"removing", func(t *testing.T) { require.NoError(t, files.Remove("dir/file")) }},
			{"removing a tree", func(t *testing.T) { require.NoError(t, files.RemoveAll("dir/sub")) }},
			{"writing a new file", func(t *testing.T) { write(t, files, "dir/new", "x") }},
		} {
			t.Run(way.name, func(t *testing.T) {
				require.NoError(t, files.Chtimes("dir", longAgo, longAgo))
				requireTime(t, files, "dir", longAgo)
				way.do(t)
				requireNow(t, files, "dir")
			})
		}
		require.NoError(t, files.Chtimes("dir", longAgo, longAgo))
		f := openFile(t, files, "dir/new", os.O_RDWR)
		writeTo(t, f, "y")
		closeNow(t, f)
		requireTime(t, files, "dir", longAgo)
	}},
	{"handles know the time as well", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "content")
		f := openFile(t, files, "file", os.O_RDONLY)
		require.NoError(t, files.Chtimes("file", longAgo, longAgo))
		info, err := f.Stat()
		require.NoError(t, err)
		require.True(t, longAgo.Equal(info.ModTime().Truncate(time.Second)))
	}},
}

func requireTime(t *testing.T, files afero.Fs, name string, want time.Time) {
	t.Helper()
	require.Equal(t, want, stat(t, files, name).ModTime().UTC().Truncate(time.Second))
}

// requireNow checks that a file has changed just now. Clocks of file systems can be behind, and have steps of two
// seconds.
func requireNow(t *testing.T, files afero.Fs, name string) {
	t.Helper()
	require.WithinDuration(t, time.Now(), stat(t, files, name).ModTime(), time.Minute)
}

var modeRules = []rule{
	{"files are regular and directories are directories", func(t *testing.T, files afero.Fs) {
		populate(t, files)
		for name, mode := range map[string]fs.FileMode{"/": fs.ModeDir, "file": 0, "dir": fs.ModeDir, "dir/inside": 0} {
			info := stat(t, files, name)
			require.Equal(t, mode, info.Mode().Type(), name)
			require.Equal(t, mode.IsDir(), info.IsDir(), name)
		}
	}},
	{"Chmod sets the permission bits, but the owner's stay", func(t *testing.T, files afero.Fs) {
		needsModes(t)
		populate(t, files)
		for mode, want := range map[fs.FileMode]struct{ file, dir fs.FileMode }{
			0:     {0o600, 0o700},
			0o400: {0o600, 0o700},
			0o640: {0o640, 0o740},
			0o444: {0o644, 0o744},
			0o755: {0o755, 0o755},
			0o077: {0o677, 0o777},
			0o111: {0o711, 0o711},
			0o777: {0o777, 0o777},
		} {
			require.NoError(t, files.Chmod("file", mode))
			requireMode(t, files, "file", want.file)
			require.NoError(t, files.Chmod("dir", mode))
			requireMode(t, files, "dir", fs.ModeDir|want.dir)
			require.Equal(t, "inner", read(t, files, "dir/inside"))
			require.Equal(t, "content", read(t, files, "file"))
		}
	}},
	{"what is made is the owner's to read and write", func(t *testing.T, files afero.Fs) {
		for _, perm := range []fs.FileMode{0, 0o444, 0o111} {
			require.NoError(t, files.Mkdir("dir", perm))
			require.NoError(t, files.MkdirAll("dir/a/b", perm))
			for name, flag := range map[string]int{
				"dir/a/b/in place": 0, "dir/a/b/replaced": os.O_TRUNC, "dir/excl": os.O_EXCL,
			} {
				f, err := files.OpenFile(name, os.O_RDWR|os.O_CREATE|flag, perm)
				require.NoError(t, err)
				writeTo(t, f, "content")
				closeNow(t, f)
				writeTo(t, openFile(t, files, name, os.O_RDWR), "CON")
				require.Equal(t, "CONtent", read(t, files, name))
				require.Equal(t, fs.FileMode(0o600), stat(t, files, name).Mode().Perm()&0o600)
			}
			require.NoError(t, files.RemoveAll("dir"))
		}
	}},
	{"a file that cannot be written can", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "content")
		require.NoError(t, files.Chmod("file", 0o444))
		writeTo(t, openFile(t, files, "file", os.O_WRONLY), "CON")
		require.Equal(t, "CONtent", read(t, files, "file"))
		write(t, files, "file", "new")
		require.Equal(t, "new", read(t, files, "file"))
		require.NoError(t, files.Remove("file"))
	}},
	{"a file that is replaced keeps its permission bits", func(t *testing.T, files afero.Fs) {
		needsModes(t)
		for _, mode := range []fs.FileMode{0o600, 0o640, 0o755, 0o666} {
			write(t, files, "file", "content")
			require.NoError(t, files.Chmod("file", mode))
			write(t, files, "file", "new")
			requireMode(t, files, "file", mode)

			// Also if they change meanwhile.
			f := openFile(t, files, "file", replacing)
			require.NoError(t, files.Chmod("file", 0o604))
			closeNow(t, f)
			requireMode(t, files, "file", 0o604)
		}
	}},
	{"there are no other bits", func(t *testing.T, files afero.Fs) {
		const special = fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
		mkdir(t, files, "dir")
		for _, bit := range []fs.FileMode{fs.ModeSetuid, fs.ModeSetgid, fs.ModeSticky, special} {
			f, err := files.OpenFile("file", os.O_RDWR|os.O_CREATE, 0o755|bit)
			require.NoError(t, err)
			closeNow(t, f)
			require.NoError(t, files.MkdirAll("dir/sub", 0o755|bit))
			for _, name := range []string{"file", "dir/sub"} {
				require.Zero(t, stat(t, files, name).Mode()&special)
				require.NoError(t, files.Chmod(name, 0o755|bit))
				require.Zero(t, stat(t, files, name).Mode()&special)
				require.NoError(t, files.RemoveAll(name))
			}
		}
		require.NoError(t, files.Chmod("dir", 0o755|fs.ModeDir))
		require.True(t, stat(t, files, "dir").Mode().IsDir())
		write(t, files, "file", "content")
		require.NoError(t, files.Chmod("file", 0o644|fs.ModeDir|fs.ModeSymlink))
		require.True(t, stat(t, files, "file").Mode().IsRegular())
	}},
	{"owners cannot be changed", func(t *testing.T, files afero.Fs) {
		populate(t, files)
		for _, name := range []string{"file", "./dir", "/"} {
			fails(t, files.Chown(name, os.Getuid(), os.Getgid()), syscall.EPERM, name)
			fails(t, files.Chown(name, 0, 0), fs.ErrPermission, name)
		}
	}},
}

// needsModes skips what Windows cannot do.
func needsModes(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there are no permission bits")
	}
}

func requireMode(t *testing.T, files afero.Fs, name string, want fs.FileMode) {
	t.Helper()
	require.Equal(t, want, stat(t, files, name).Mode())
}
