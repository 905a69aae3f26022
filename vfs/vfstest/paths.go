package vfstest

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

// methods are all ways to hand a path to a file system.
var methods = []struct {
	name string
	call func(files afero.Fs, name string) error
}{
	{"Create", func(files afero.Fs, name string) error { return opened(files.Create(name)) }},
	{"Mkdir", func(files afero.Fs, name string) error { return files.Mkdir(name, 0o755) }},
	{"MkdirAll", func(files afero.Fs, name string) error { return files.MkdirAll(name, 0o755) }},
	{"Open", func(files afero.Fs, name string) error { return opened(files.Open(name)) }},
	{"OpenFile for reading", func(files afero.Fs, name string) error {
		return opened(files.OpenFile(name, os.O_RDONLY, 0))
	}},
	{"OpenFile for writing", func(files afero.Fs, name string) error {
		return opened(files.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644))
	}},
	{"OpenFile for replacing", func(files afero.Fs, name string) error {
		return opened(files.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0o644))
	}},
	{"Remove", func(files afero.Fs, name string) error { return files.Remove(name) }},
	{"RemoveAll", func(files afero.Fs, name string) error { return files.RemoveAll(name) }},
	{"Rename from it", func(files afero.Fs, name string) error { return files.Rename(name, "elsewhere") }},
	{"Rename to it", func(files afero.Fs, name string) error { return files.Rename("file", name) }},
	{"Stat", func(files afero.Fs, name string) error {
		_, err := files.Stat(name)
		return err
	}},
	{"Chmod", func(files afero.Fs, name string) error { return files.Chmod(name, 0o644) }},
	{"Chown", func(files afero.Fs, name string) error { return files.Chown(name, 1, 1) }},
	{"Chtimes", func(files afero.Fs, name string) error { return files.Chtimes(name, time.Now(), time.Now()) }},
}

var pathRules = []rule{
	{"all spellings reach the same file", checkSpellings},
	{"all spellings make the same file", func(t *testing.T, files afero.Fs) {
		require.NoError(t, files.Mkdir("x/..//made/.", 0o755))
		require.NoError(t, files.MkdirAll("../made//by/./steps/", 0o755))
		write(t, files, "./made/../made/file", "content")
		require.NoError(t, files.Rename("//made/by/", "made/off/.."+"/with"))
		require.NoError(t, files.Rename("made/./file", "/made/with//steps/file/"))
		require.Equal(t, map[string]string{
			"/made": "/", "/made/with": "/", "/made/with/steps": "/", "/made/with/steps/file": "content",
		}, tree(t, files))
		require.NoError(t, files.Remove("missing/../made/with/steps/./file/"))
		require.NoError(t, files.RemoveAll("..//../made/"))
		require.Empty(t, tree(t, files))
	}},
	{"all spellings reach the root", func(t *testing.T, files afero.Fs) {
		populate(t, files)
		for _, root := range []string{
			"/", "", ".", "..", "//", "./", "/..", "../..", "dir/..", "missing/..", "dir/inside/../../..",
		} {
			require.True(t, stat(t, files, root).IsDir(), root)
			require.Equal(t, []string{"dir", "empty", "file", "other"}, list(t, files, root), root)
			require.NoError(t, files.MkdirAll(root, 0o755), root)
		}
	}},
	{"the root stays", func(t *testing.T, files afero.Fs) {
		var failures []failure
		for _, root := range []string{"/", "", ".", "dir/.."} {
			for _, attempt := range []failure{
				{"Remove", func(files afero.Fs) error { return files.Remove(root) }, syscall.EBUSY, []string{root}},
				{"RemoveAll", func(files afero.Fs) error {
					return files.RemoveAll(root)
				}, syscall.EBUSY, []string{root}},
				{"Rename from it", func(files afero.Fs) error {
					return files.Rename(root, "new")
				}, syscall.EBUSY, []string{root, "new"}},
				{"Rename to it", func(files afero.Fs) error {
					return files.Rename("empty", root)
				}, syscall.EBUSY, []string{"empty", root}},
				{"Rename of a file to it", func(files afero.Fs) error {
					return files.Rename("file", root)
				}, syscall.EBUSY, []string{"file", root}},
				{"Mkdir", func(files afero.Fs) error {
					return files.Mkdir(root, 0o755)
				}, syscall.EEXIST, []string{root}},
				{"Create", func(files afero.Fs) error {
					return opened(files.Create(root))
				}, syscall.EISDIR, []string{root}},
			} {
				attempt.name += " with " + `"` + root + `"`
				failures = append(failures, attempt)
			}
		}
		checkFailures(t, files, failures)
	}},
	{"what cannot be a path is refused", checkRefused},
	{"unusual names are names", func(t *testing.T, files afero.Fs) {
		unusual := []string{" before", "!", "#", "$HOME", "%41", "&amp;", "'quoted'",
			"(1)", "+", "-", "--help", "...", "..a", ".a", ".toolrun.txt",
			".toolrunner", "=", "@", "[a]", "^", "`", "toolrun", "x.toolrun", "{}",
			"~", "\u200b", "né", "€", "日本語", "😀"}
		if runtime.GOOS != "windows" {
			unusual = append(unusual, `"`, "*", "?", "<>", "a:b", "a|b", "after ", "after.", "con", "nul.txt")
		}
		for _, name := range unusual {
			put(t, files, name, name)
		}
		slices.Sort(unusual)
		require.Equal(t, unusual, list(t, files, "/"))
		for _, name := range unusual {
			require.Equal(t, name, read(t, files, name))
		}
	}},
	{"names and paths can be long", func(t *testing.T, files afero.Fs) {
		// Views of a directory have less to give than the limits.
		for name, dir := range map[string]string{
			"a long name":        "/",
			"many letters":       "/" + strings.Repeat("é", vfs.MaxName/2),
			"a deep one":         strings.Repeat("/deep", vfs.MaxDepth/2),
			"a long path":        strings.Repeat("/"+strings.Repeat("long", 50), 14),
			"longer than normal": strings.Repeat("/x/..", vfs.MaxPath) + "/short",
		} {
			mkdir(t, files, dir)
			file := dir + "/" + strings.Repeat("x", vfs.MaxName)
			put(t, files, file, name)
			require.Equal(t, name, read(t, files, file))
			require.Contains(t, list(t, files, dir), strings.Repeat("x", vfs.MaxName))
		}
	}},
}

func checkSpellings(t *testing.T, files afero.Fs) {
	const plain = "/dir/file.txt"
	mkdir(t, files, "/dir")
	write(t, files, plain, "first")
	for _, name := range []string{
		plain, "dir/file.txt", "//dir///file.txt", "./dir/./file.txt", "/./dir/file.txt/.",
		"dir/file.txt/", "dir/file.txt///", "dir/../dir/file.txt",
		"missing/../dir/file.txt", "dir/file.txt/../file.txt", "../dir/file.txt",
		"../../../dir/file.txt", "/../dir/file.txt", "dir/../../dir/file.txt",
	} {
		t.Run(name, func(t *testing.T) {
			before := read(t, files, plain)
			require.Equal(t, before, read(t, files, name))
			write(t, files, name, "by "+name)
			require.Equal(t, "by "+name, read(t, files, plain))

			f := openFile(t, files, name, os.O_RDWR)
			require.Equal(t, name, f.Name(), "a handle has the name that it was opened with")
			writeTo(t, f, "in")
			require.Equal(t, "in "+name, read(t, files, plain))
			closeNow(t, f)

			then := time.Date(2001, 2, 3, 4, 5, len(name), 0, time.UTC)
			require.NoError(t, files.Chtimes(name, then, then))
			require.Equal(t, then, stat(t, files, plain).ModTime().UTC())
			require.NoError(t, files.Chmod(name, 0o600))
			require.Equal(t, "file.txt", stat(t, files, name).Name())
			fails(t, files.Mkdir(name, 0o755), syscall.EEXIST, name)
			fails(t, files.Chown(name, 1, 1), syscall.EPERM, name)
			require.NoError(t, files.Rename(name, plain), "this is the same file")
			require.NoError(t, files.Rename(plain, name), "this is the same file")
			require.Equal(t, []string{"file.txt"}, list(t, files, "dir"))
		})
	}
}

func checkRefused(t *testing.T, files afero.Fs) {
	populate(t, files)
	before := tree(t, files)
	for _, refused := range []struct {
		why, path string
		errno     syscall.Errno
	}{
		{"a backslash", `dir\inside`, syscall.EINVAL},
		{"a backslash at the end", `dir\`, syscall.EINVAL},
		{"a NUL", "file\x00", syscall.EINVAL},
		{"a newline", "dir/in\nside", syscall.EINVAL},
		{"an escape", "\x1b[31mfile", syscall.EINVAL},
		{"a delete", "file\x7f", syscall.EINVAL},
		{"a control character beyond ASCII", "file\u0085", syscall.EINVAL},
		{"a control character in a part that is resolved", "a\x01/../file", syscall.EINVAL},
		{"half a letter", "caf\xc3", syscall.EINVAL},
		{"a surrogate", "\xed\xa0\x80", syscall.EINVAL},
		{"a name that is too long", strings.Repeat("x", vfs.MaxName+1), syscall.ENAMETOOLONG},
		{"a name with too many bytes", strings.Repeat("é", vfs.MaxName/2+1), syscall.ENAMETOOLONG},
		{"a directory's name that is too long", strings.Repeat("x", vfs.MaxName+1) + "/file", syscall.ENAMETOOLONG},
		{"a path that is too long", strings.Repeat("/"+strings.Repeat("x", 200), vfs.MaxPath/200+1),
			syscall.ENAMETOOLONG},
		{"a path that is too deep", strings.Repeat("x/", vfs.MaxDepth+1), syscall.ENAMETOOLONG},
		{"the reserved name", ".toolrun", syscall.EINVAL},
		{"the reserved name below the root", "/.toolrun/state", syscall.EINVAL},
		{"the reserved name in a directory", "dir/.toolrun", syscall.EINVAL},
		{"the reserved name in the middle", "dir/.toolrun/history/x", syscall.EINVAL},
		{"the reserved name in capitals", ".TOOLRUN", syscall.EINVAL},
		{"the reserved name in both cases", "dir/.ToolRun/", syscall.EINVAL},
		{"the reserved name, spelled otherwise", "dir/.././/.toolrun", syscall.EINVAL},
	} {
		t.Run(refused.why, func(t *testing.T) {
			for _, method := range methods {
				t.Run(method.name, func(t *testing.T) {
					err := method.call(files, refused.path)
					// Which of its two paths an error of Rename is about, InvalidPathError says.
					fails(t, err, refused.errno, refused.path, "file")
					require.ErrorIs(t, err, fs.ErrInvalid)
					var invalid *vfs.InvalidPathError
					require.True(t, errors.As(err, &invalid), "the error is a *vfs.InvalidPathError")
					require.Equal(t, refused.path, invalid.Path)
					require.NotEmpty(t, invalid.Reason)
				})
			}
		})
	}
	require.Equal(t, before, tree(t, files))
}
