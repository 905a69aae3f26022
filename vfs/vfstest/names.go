package vfstest

import (
	"io/fs"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

// twins are names that differ in case or Unicode form only, and still are not the same.
var twins = []struct{ there, wanted string }{
	{"Readme.md", "README.md"},
	{"a", "A"},
	{"Ä", "ä"},
	{"ÉTÉ.txt", "été.txt"},
	{"Σίσυφος", "ΣΊΣΥΦΟΣ"},
	{"жук", "Жук"},
	{"o\u0308l", "O\u0308L"},
	{"\u0130zmir", "i\u0307zmir"},
	{"Straße", "STRA\u1e9eE"},
}

var nameRules = []rule{
	{"composed and decomposed letters are the same name", func(t *testing.T, files afero.Fs) {
		for _, forms := range []struct{ usual, other string }{
			{"caf\u00e9", "cafe\u0301"},
			{"\u00c5ngstr\u00f6m", "\u212bngstro\u0308m"},
			{"\u1e69", "s\u0307\u0323"},
			{"\ud55c\uae00", "\u1112\u1161\u11ab\u1100\u1173\u11af"},
		} {
			mkdir(t, files, forms.other)
			write(t, files, forms.other+"/"+forms.other, "decomposed")
			require.Contains(t, list(t, files, "/"), forms.usual)
			require.Equal(t, []string{forms.usual}, list(t, files, forms.usual))
			require.Equal(t, "decomposed", read(t, files, forms.usual+"/"+forms.usual))
			require.Equal(t, forms.usual, stat(t, files, forms.other).Name())

			write(t, files, forms.usual+"/"+forms.usual, "composed")
			require.Equal(t, "composed", read(t, files, forms.other+"/"+forms.other))
			fails(t, files.Mkdir(forms.other, 0o755), syscall.EEXIST, forms.other)
			f := openFile(t, files, forms.other, os.O_RDONLY)
			require.Equal(t, forms.other, f.Name(), "a handle has the name that it was opened with")
			infos, err := f.Readdir(-1)
			require.NoError(t, err)
			require.Equal(t, forms.usual, infos[0].Name())
			closeNow(t, f)
			require.NoError(t, files.RemoveAll(forms.other))
			require.Empty(t, list(t, files, "/"))
		}
	}},
	{"a file is not reached by a name in another case", func(t *testing.T, files afero.Fs) {
		for _, twin := range twins {
			write(t, files, twin.there, "content")
			absent(t, files, twin.wanted)
			for _, method := range methods {
				switch method.name {
				case "Stat", "Open", "OpenFile for reading", "OpenFile for replacing",
					"Remove", "Rename from it", "Chmod", "Chown", "Chtimes":
					fails(t, method.call(files, twin.wanted), syscall.ENOENT, twin.wanted, "elsewhere")
				}
			}
			require.NoError(t, files.RemoveAll(twin.wanted), "there is no such file")
			require.Equal(t, "content", read(t, files, twin.there))
		}
	}},
	{"what is in a directory is not reached by a name in another case", func(t *testing.T, files afero.Fs) {
		for _, twin := range twins {
			mkdir(t, files, twin.there)
			write(t, files, twin.there+"/file", "content")
			inside := twin.wanted + "/file"
			for _, method := range methods {
				switch method.name {
				case "MkdirAll", "RemoveAll", "Rename to it":
				default:
					fails(t, method.call(files, inside), syscall.ENOENT, inside, "elsewhere")
				}
			}
			fails(t, files.Rename(twin.there+"/file", inside), syscall.ENOENT, twin.there+"/file", inside)
			require.NoError(t, files.RemoveAll(inside), "there is no such file")
			require.Equal(t, "content", read(t, files, twin.there+"/file"))
		}
	}},
	{"a file takes the names in other cases", func(t *testing.T, files afero.Fs) {
		checkTwins(t, files, func(name string) { write(t, files, name, "content") })
	}},
	{"a directory takes the names in other cases", func(t *testing.T, files afero.Fs) {
		checkTwins(t, files, func(name string) { mkdir(t, files, name) })
	}},
	{"directories on the way are not made if their names are taken", func(t *testing.T, files afero.Fs) {
		mkdir(t, files, "Dir/Sub")
		conflicts(t, files.MkdirAll("dir/new", 0o755), "dir", "Dir", "dir/new")
		conflicts(t, files.MkdirAll("Dir/sub/new", 0o755), "sub", "Sub", "Dir/sub/new")
		require.Equal(t, map[string]string{"/Dir": "/", "/Dir/Sub": "/"}, tree(t, files))
	}},
	{"a name is free again when the file is gone", func(t *testing.T, files afero.Fs) {
		write(t, files, "Name", "1")
		require.NoError(t, files.Remove("Name"))
		mkdir(t, files, "NAME")
		require.NoError(t, files.RemoveAll("NAME"))
		write(t, files, "name", "2")
		require.NoError(t, files.Rename("name", "elsewhere"))
		write(t, files, "nAme", "3")
		require.Equal(t, []string{"elsewhere", "nAme"}, list(t, files, "/"))
	}},
	{"a name stays taken whatever the time of the directory is", func(t *testing.T, files afero.Fs) {
		// What remembers the names of a directory by the time of its last change must not be misled.
		mkdir(t, files, "dir")
		for _, twin := range twins {
			require.NoError(t, files.Chtimes("dir", longAgo, longAgo))
			conflictsNot(t, files, "dir/"+twin.wanted)
			put(t, files, "dir/"+twin.there, "content")
			require.NoError(t, files.Chtimes("dir", longAgo, longAgo))
			err := files.Mkdir("dir/"+twin.wanted, 0o755)
			require.ErrorIs(t, err, fs.ErrExist, twin.wanted)
		}
	}},
	{"names stay taken in a directory wherever it goes", func(t *testing.T, files afero.Fs) {
		mkdir(t, files, "here")
		put(t, files, "here/Name", "content")
		taken := func(dir string) {
			t.Helper()
			require.NoError(t, files.Chtimes(dir, longAgo, longAgo))
			conflicts(t, files.Mkdir(dir+"/name", 0o755), "name", "Name", dir+"/name")
		}
		taken("here")
		require.NoError(t, files.Rename("here", "there"))
		mkdir(t, files, "here")
		require.NoError(t, files.Chtimes("here", longAgo, longAgo))
		conflictsNot(t, files, "here/name")
		taken("there")
		require.NoError(t, files.RemoveAll("here"))
		require.NoError(t, files.Rename("there", "here"))
		taken("here")
		require.NoError(t, files.RemoveAll("here"))
		mkdir(t, files, "here")
		require.NoError(t, files.Chtimes("here", longAgo, longAgo))
		conflictsNot(t, files, "here/name")
	}},
	{"the case of a name can be changed", func(t *testing.T, files afero.Fs) {
		write(t, files, "a", "content")
		require.NoError(t, files.Rename("a", "A"))
		require.Equal(t, map[string]string{"/A": "content"}, tree(t, files))
		require.NoError(t, files.Rename("A", "a"))
		require.Equal(t, map[string]string{"/a": "content"}, tree(t, files))

		mkdir(t, files, "Ärger")
		write(t, files, "Ärger/inside", "inner")
		require.NoError(t, files.Rename("Ärger", "ärger"))
		absent(t, files, "Ärger")
		require.Equal(t, map[string]string{"/a": "content", "/ärger": "/", "/ärger/inside": "inner"}, tree(t, files))
	}},
	{"a name in another case can be a file in another directory", func(t *testing.T, files afero.Fs) {
		mkdir(t, files, "1")
		mkdir(t, files, "2")
		write(t, files, "1/Name", "one")
		write(t, files, "2/name", "two")
		require.Equal(t, "one", read(t, files, "1/Name"))
		require.Equal(t, "two", read(t, files, "2/name"))
		fails(t, files.Rename("1/Name", "2/Name"), fs.ErrExist, "1/Name", "2/Name")
	}},
}

// conflicts checks that a name could not be taken because another one is there.
func conflicts(t *testing.T, err error, name, existing string, paths ...string) {
	t.Helper()
	fails(t, err, fs.ErrExist, paths...)
	var conflict *vfs.NameConflictError
	require.ErrorAs(t, err, &conflict)
	require.Equal(t, name, conflict.Name)
	require.Equal(t, existing, conflict.Existing)
}

// conflictsNot checks that a directory can be made, and removes it.
func conflictsNot(t *testing.T, files afero.Fs, name string) {
	t.Helper()
	require.NoError(t, files.Mkdir(name, 0o755))
	require.NoError(t, files.Remove(name))
}

// checkTwins checks that no file can be made beside its twin.
func checkTwins(t *testing.T, files afero.Fs, make func(name string)) {
	write(t, files, "file", "other")
	var there []string
	for _, twin := range twins {
		make(twin.there)
		there = append(there, clean(t, twin.there))
		before := tree(t, files)
		for _, method := range methods {
			if slices.Contains([]string{"Create", "Mkdir", "MkdirAll", "OpenFile for writing", "Rename to it"},
				method.name) {
				conflicts(t, method.call(files, twin.wanted), clean(t, twin.wanted),
					clean(t, twin.there), twin.wanted, "file")
			}
		}
		for _, flag := range []int{
			os.O_CREATE, os.O_CREATE | os.O_EXCL | os.O_WRONLY, os.O_CREATE | os.O_APPEND | os.O_WRONLY,
		} {
			err := opened(files.OpenFile(twin.wanted, flag, 0o644))
			conflicts(t, err, clean(t, twin.wanted), clean(t, twin.there), twin.wanted)
		}
		require.Equal(t, before, tree(t, files))
	}
	there = append(there, "file")
	slices.Sort(there)
	require.Equal(t, there, list(t, files, "/"))
}

// clean returns a name in normal form.
func clean(t *testing.T, name string) string {
	t.Helper()
	name, err := vfs.Clean(name)
	require.NoError(t, err)
	return name[1:]
}
