package vfstest

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

var listRules = []rule{
	{"names come in byte order", func(t *testing.T, files afero.Fs) {
		names := []string{"B", "Z10", "Z9", "_", "a", "a b", "a-b", "a.b", "aa", "c", "été", "zz", "Ω", "日", "😀", "�"}
		for i, name := range names {
			if i%3 == 0 {
				require.NoError(t, files.Mkdir(name, 0o755))
			} else {
				put(t, files, name, "")
			}
		}
		slices.Sort(names)
		require.Equal(t, names, list(t, files, "/"))
		for _, n := range []int{1, 3, 100} {
			require.Equal(t, names, namesOf(inPages(t, files, "/", n)))
		}
	}},
	{"entries describe what is there", func(t *testing.T, files afero.Fs) {
		populate(t, files)
		f := openFile(t, files, ".", os.O_RDONLY)
		infos, err := f.Readdir(-1)
		require.NoError(t, err)
		require.Equal(t, []string{"dir", "empty", "file", "other"}, namesOf(infos))
		for _, info := range infos {
			own := stat(t, files, info.Name())
			require.Equal(t, own.Name(), info.Name())
			require.Equal(t, own.IsDir(), info.IsDir())
			require.Equal(t, own.Mode(), info.Mode())
			require.Equal(t, own.ModTime(), info.ModTime())
			if !info.IsDir() {
				require.Equal(t, int64(7), info.Size())
				require.Equal(t, int64(7), own.Size())
			}
		}
	}},
	{"250 entries come in pages", func(t *testing.T, files afero.Fs) {
		var names []string
		for i := range 250 {
			name := fmt.Sprintf("file %03d", i)
			names = append(names, name)
			put(t, files, name, "")
		}
		require.Equal(t, names, list(t, files, "/"))
		for _, n := range []int{7, 100, 250} {
			require.Equal(t, names, namesOf(inPages(t, files, "/", n)))
		}
		f := openFile(t, files, "/", os.O_RDONLY)
		infos, err := f.Readdir(0)
		require.NoError(t, err)
		require.Equal(t, names, namesOf(infos))
	}},
	{"what is left comes after a page", func(t *testing.T, files afero.Fs) {
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			put(t, files, name, "")
		}
		for _, all := range []int{0, -1, -100} {
			f := openFile(t, files, "/", os.O_RDONLY)
			names, err := f.Readdirnames(2)
			require.NoError(t, err)
			require.Equal(t, []string{"a", "b"}, names)
			infos, err := f.Readdir(1)
			require.NoError(t, err)
			require.Equal(t, []string{"c"}, namesOf(infos))
			names, err = f.Readdirnames(all)
			require.NoError(t, err)
			require.Equal(t, []string{"d", "e"}, names)
			for range 2 {
				names, err = f.Readdirnames(all)
				require.NoError(t, err)
				require.Empty(t, names)
				infos, err = f.Readdir(3)
				require.Equal(t, io.EOF, err)
				require.Empty(t, infos)
			}
		}
	}},
	{"an empty directory has no entries", func(t *testing.T, files afero.Fs) {
		mkdir(t, files, "dir")
		for _, dir := range []string{"dir", "/dir/"} {
			f := openFile(t, files, dir, os.O_RDONLY)
			names, err := f.Readdirnames(-1)
			require.NoError(t, err)
			require.Empty(t, names)
			_, err = f.Readdirnames(1)
			require.Equal(t, io.EOF, err)
			_, err = f.Readdir(1)
			require.Equal(t, io.EOF, err)
		}
	}},
	{"Seek to the start begins anew", func(t *testing.T, files afero.Fs) {
		for _, name := range []string{"a", "b", "c"} {
			put(t, files, name, "")
		}
		f := openFile(t, files, "/", os.O_RDONLY)
		for range 3 {
			names, err := f.Readdirnames(2)
			require.NoError(t, err)
			require.Equal(t, []string{"a", "b"}, names)
			at, err := f.Seek(0, io.SeekStart)
			require.NoError(t, err)
			require.Equal(t, int64(0), at)
		}
		put(t, files, "d", "")
		seek(t, f, 0, io.SeekStart)
		names, err := f.Readdirnames(-1)
		require.NoError(t, err)
		require.Equal(t, []string{"a", "b", "c", "d"}, names)
	}},
	{"a directory can change while it is listed", func(t *testing.T, files afero.Fs) {
		var names []string
		for i := range 20 {
			names = append(names, fmt.Sprintf("old %02d", i))
			put(t, files, names[i], "")
		}
		f := openFile(t, files, "/", os.O_RDONLY)
		found, err := f.Readdirnames(5)
		require.NoError(t, err)
		put(t, files, "a new one", "") // it may be seen or not
		put(t, files, "the newest", "")
		require.NoError(t, files.Remove("old 02"))
		require.NoError(t, files.Remove("old 12")) // the same
		rest, err := f.Readdir(-1)
		require.NoError(t, err)
		found = append(found, namesOf(rest)...)
		sorted := slices.Sorted(slices.Values(found))
		require.Equal(t, slices.Compact(slices.Clone(sorted)), sorted, "nothing comes twice")
		for _, name := range names {
			require.True(t, name == "old 12" || slices.Contains(found, name), name)
		}
	}},
	{"what comes of it can all be removed", func(t *testing.T, files afero.Fs) {
		for i := range 20 {
			put(t, files, fmt.Sprint("file", i), "")
		}
		f := openFile(t, files, "/", os.O_RDONLY)
		for range 21 { // and not for ever
			names, err := f.Readdirnames(3)
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			for _, name := range names {
				require.NoError(t, files.Remove(name))
			}
		}
		require.Empty(t, list(t, files, "/"))
	}},
	{"a handle on a directory says what it is", func(t *testing.T, files afero.Fs) {
		mkdir(t, files, "dir/sub")
		for _, name := range []string{"dir/sub", "/dir//sub/", "dir/../dir/./sub"} {
			f := openFile(t, files, name, os.O_RDONLY)
			require.Equal(t, name, f.Name())
			info, err := f.Stat()
			require.NoError(t, err)
			require.Equal(t, "sub", info.Name())
			require.True(t, info.IsDir())
			require.True(t, info.Mode().IsDir())
			closeNow(t, f)
		}
	}},
	{"handles can read entries as package io_fs does", func(t *testing.T, files afero.Fs) {
		populate(t, files)
		f := openFile(t, files, "/", os.O_RDONLY)
		d, ok := f.(fs.ReadDirFile)
		if !ok {
			t.Skip("they have no ReadDir, and need none")
		}
		entries, err := d.ReadDir(1)
		require.NoError(t, err)
		require.Len(t, entries, 1)
		rest, err := d.ReadDir(-1)
		require.NoError(t, err)
		for i, entry := range append(entries, rest...) {
			require.Equal(t, []string{"dir", "empty", "file", "other"}[i], entry.Name())
			require.Equal(t, i < 2, entry.IsDir())
			info, err := entry.Info()
			require.NoError(t, err)
			require.Equal(t, stat(t, files, entry.Name()).Mode(), info.Mode())
		}
		_, err = d.ReadDir(1)
		require.Equal(t, io.EOF, err)
	}},
	{"a directory is not read or written as a file", func(t *testing.T, files afero.Fs) {
		const name = "./dir/"
		populate(t, files)
		f := openFile(t, files, name, os.O_RDONLY)
		buf := make([]byte, 10)
		for what, do := range map[string]func() error{
			"Read":        func() error { _, err := f.Read(buf); return err },
			"ReadAt":      func() error { _, err := f.ReadAt(buf, 0); return err },
			"Write":       func() error { _, err := f.Write(buf); return err },
			"WriteAt":     func() error { _, err := f.WriteAt(buf, 0); return err },
			"WriteString": func() error { _, err := f.WriteString("x"); return err },
			"Truncate":    func() error { return f.Truncate(0) },
		} {
			t.Run(what, func(t *testing.T) { fails(t, do(), syscall.EISDIR, name) })
		}
		require.Equal(t, "inner", read(t, files, "dir/inside"))
	}},
	{"a file is not listed", func(t *testing.T, files afero.Fs) {
		populate(t, files)
		for _, flag := range []int{os.O_RDONLY, os.O_RDWR, os.O_WRONLY | os.O_TRUNC} {
			f := openFile(t, files, "./file", flag)
			for _, n := range []int{-1, 0, 1} {
				_, err := f.Readdir(n)
				fails(t, err, syscall.ENOTDIR, "./file")
				_, err = f.Readdirnames(n)
				fails(t, err, syscall.ENOTDIR, "./file")
			}
		}
	}},
}

// inPages reads a directory by pages of n entries.
func inPages(t *testing.T, files afero.Fs, dir string, n int) (all []fs.FileInfo) {
	t.Helper()
	f := openFile(t, files, dir, os.O_RDONLY)
	for {
		page, err := f.Readdir(n)
		if err == io.EOF {
			require.Empty(t, page)
			closeNow(t, f)
			return all
		}
		require.NoError(t, err)
		require.NotEmpty(t, page)
		require.LessOrEqual(t, len(page), n)
		all = append(all, page...)
		require.LessOrEqual(t, len(all), 1000, "there is no end to it")
	}
}

func namesOf(infos []fs.FileInfo) (names []string) {
	for _, info := range infos {
		names = append(names, info.Name())
	}
	return names
}
