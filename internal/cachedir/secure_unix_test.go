//go:build unix

package cachedir_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/cachedir"
)

// nobody is the id of a user other than the one that runs the tests.
const nobody = 65534

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	require.NoError(t, os.Chmod(path, mode))
}

func mkdir(t *testing.T, path string, mode os.FileMode) string {
	t.Helper()
	require.NoError(t, os.Mkdir(path, 0o700))
	chmod(t, path, mode)
	return path
}

func chown(t *testing.T, path string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can give files to another user")
	}
	require.NoError(t, os.Lchown(path, nobody, nobody))
}

// TestPlaces opens cache directories in places that others may or may not be able to change. If they can, the directory
// is refused, and nothing is made in it.
func TestPlaces(t *testing.T) {
	for name, test := range map[string]struct {
		place func(t *testing.T, root string) string
		want  string // part of the error; empty if the place is accepted
	}{
		"a private directory": {place: func(t *testing.T, root string) string {
			return mkdir(t, root+"/cache", 0o700)
		}},
		"others may look": {place: func(t *testing.T, root string) string {
			return mkdir(t, root+"/cache", 0o755)
		}},
		"a missing directory": {place: func(t *testing.T, root string) string { return root + "/a/b/c" }},
		"below a sticky one": {place: func(t *testing.T, root string) string {
			return mkdir(t, root+"/tmp", 0o777|os.ModeSticky) + "/cache"
		}},
		"a group may write": {func(t *testing.T, root string) string { return mkdir(t, root+"/cache", 0o770) },
			"/cache can be written by other users"},
		"everybody may write": {func(t *testing.T, root string) string { return mkdir(t, root+"/cache", 0o707) },
			"/cache can be written by other users"},
		"a sticky one": {func(t *testing.T, root string) string {
			return mkdir(t, root+"/cache", 0o777|os.ModeSticky)
		}, "/cache can be written by other users"},
		"below a group's": {func(t *testing.T, root string) string { return mkdir(t, root+"/up", 0o770) + "/a/b" },
			"/up can be written by other users"},
		"below everybody's": {func(t *testing.T, root string) string { return mkdir(t, root+"/up", 0o777) + "/a" },
			"/up can be written by other users"},
		"private in a bad one": {func(t *testing.T, root string) string {
			return mkdir(t, mkdir(t, root+"/up", 0o777)+"/a", 0o700)
		}, "/up can be written by other users"},
		"a file": {func(t *testing.T, root string) string { return file(t, root+"/cache") },
			"/cache is not a directory"},
		"below a file": {func(t *testing.T, root string) string { return file(t, root+"/up") + "/cache" }, "/up"},
		"a pipe": {func(t *testing.T, root string) string { return pipe(t, root+"/cache") },
			"/cache is not a directory"},
		"a link to a good place": {place: func(t *testing.T, root string) string {
			return link(t, mkdir(t, root+"/private", 0o700), root+"/cache")
		}},
		"a link to a bad place": {func(t *testing.T, root string) string {
			return link(t, mkdir(t, root+"/shared", 0o777), root+"/cache")
		}, "/shared can be written by other users"},
		"a link to below a bad place": {func(t *testing.T, root string) string {
			return link(t, mkdir(t, mkdir(t, root+"/shared", 0o777)+"/a", 0o700), root+"/cache") + "/b"
		}, "/shared can be written by other users"},
		"out of a bad place by a link": {place: func(t *testing.T, root string) string {
			return link(t, mkdir(t, root+"/private", 0o700), mkdir(t, root+"/shared", 0o777)+"/cache")
		}},
		"a link to nothing": {func(t *testing.T, root string) string {
			return link(t, root+"/nothing", root+"/cache") + "/a"
		}, "/cache is a link to something that does not exist"},
		"a link to itself": {func(t *testing.T, root string) string {
			return link(t, root+"/cache", root+"/cache")
		}, "/cache"},
		"another user's": {func(t *testing.T, root string) string {
			dir := mkdir(t, root+"/cache", 0o700)
			chown(t, dir)
			return dir
		}, "/cache belongs to another user"},
		"below another user's": {func(t *testing.T, root string) string {
			dir := mkdir(t, mkdir(t, root+"/up", 0o755)+"/cache", 0o700)
			chown(t, root+"/up")
			return dir
		}, "/up belongs to another user"},
		"below another user's sticky one": {func(t *testing.T, root string) string {
			dir := mkdir(t, mkdir(t, root+"/up", 0o777|os.ModeSticky)+"/cache", 0o700)
			chown(t, root+"/up")
			return dir
		}, "/up belongs to another user"},
	} {
		t.Run(name, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			dir := test.place(t, root)
			before := tree(t, root)
			e, err := cachedir.Open(dir, "engine", key("1"))
			if test.want == "" {
				require.NoError(t, err)
				fill(t, e)
				require.NoError(t, e.Publish())
				require.True(t, found(t, dir, key("1")))
				info, err := os.Stat(e.Dir())
				require.NoError(t, err)
				require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
				return
			}
			require.ErrorContains(t, err, root)
			require.ErrorContains(t, err, test.want)
			require.Equal(t, before, tree(t, root))
		})
	}
}

// TestEntriesThatOthersCanChange puts things into an entry that are not files, or that others could change. They are
// neither used nor removed.
func TestEntriesThatOthersCanChange(t *testing.T) {
	const code = "/compiler-1/code"
	for name, test := range map[string]struct {
		change func(t *testing.T, entry string)
		want   string
	}{
		"a directory that a group can write": {func(t *testing.T, entry string) { chmod(t, entry, 0o770) },
			"can be written by other users"},
		"a directory in it": {func(t *testing.T, entry string) { chmod(t, entry+"/compiler-1", 0o777) },
			"/compiler-1 can be written by other users"},
		"a file that a group can write": {func(t *testing.T, entry string) { chmod(t, entry+code, 0o660) },
			"/code can be written by other users"},
		"hashes that others can write": {func(t *testing.T, entry string) { chmod(t, entry+"/CHECKSUMS", 0o606) },
			"/CHECKSUMS can be written by other users"},
		"a file of another user": {func(t *testing.T, entry string) { chown(t, entry+code) },
			"/code belongs to another user"},
		"a directory of another user": {func(t *testing.T, entry string) { chown(t, entry+"/compiler-1") },
			"/compiler-1 belongs to another user"},
		"an entry of another user": {func(t *testing.T, entry string) { chown(t, entry) }, " belongs to another user"},
		"a pipe for a file": {func(t *testing.T, entry string) { replace(t, entry+code); pipe(t, entry+code) },
			"/code is neither a file nor a directory"},
		"a pipe for the hashes": {func(t *testing.T, entry string) {
			replace(t, entry+"/CHECKSUMS")
			pipe(t, entry+"/CHECKSUMS")
		}, "/CHECKSUMS is neither"},
		"a pipe for an entry": {func(t *testing.T, entry string) { replace(t, entry); pipe(t, entry) },
			"is not a directory"},
		"a pipe too many": {func(t *testing.T, entry string) { pipe(t, entry+"/pipe") },
			"/pipe is neither a file nor a directory"},
		"a file for an entry": {func(t *testing.T, entry string) { replace(t, entry); file(t, entry) },
			"is not a directory"},
		"a link for a file": {func(t *testing.T, entry string) { link(t, replace(t, entry+code), entry+code) },
			"/code is neither a file nor a directory"},
		"a link for a directory": {func(t *testing.T, entry string) {
			link(t, replace(t, entry+"/compiler-1"), entry+"/compiler-1")
		}, "/compiler-1 is neither a file nor a directory"},
		"a link for the hashes": {func(t *testing.T, entry string) {
			link(t, replace(t, entry+"/CHECKSUMS"), entry+"/CHECKSUMS")
		}, "/CHECKSUMS is neither a file nor a directory"},
		"a link for an entry": {func(t *testing.T, entry string) { link(t, replace(t, entry), entry) },
			"is not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			entry := keep(t, dir, key("1"))
			test.change(t, entry)
			before := tree(t, dir)
			_, err = cachedir.Open(dir, "engine", key("1"))
			require.ErrorContains(t, err, entry)
			require.ErrorContains(t, err, test.want)
			require.Equal(t, before, tree(t, dir))
		})
	}
}

func TestRemovingFollowsNoLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	file(t, outside+"/file")
	then := time.Now().Add(-400 * 24 * time.Hour)

	old := keep(t, dir, key("with a link"))
	link(t, outside, old+"/link")
	require.NoError(t, os.Chtimes(old, then, then))
	instead := keep(t, dir, key("is a link"))
	replace(t, instead)
	link(t, outside, instead)
	require.NoError(t, os.Chtimes(outside, then, then))
	foreign := keep(t, dir, key("can be written by others"))
	chmod(t, foreign, 0o777)
	require.NoError(t, os.Chtimes(foreign, then, then))

	keep(t, dir, key("new"))
	require.NoDirExists(t, old)
	require.FileExists(t, outside+"/file")
	require.FileExists(t, instead+"/file")
	require.DirExists(t, foreign, "it may be anybody's")
}

func TestACacheThatCanOnlyBeRead(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root can write everywhere")
	}
	dir := t.TempDir()
	keep(t, dir, key("1"))
	chmod(t, dir, 0o500)
	defer chmod(t, dir, 0o700)
	require.True(t, found(t, dir, key("1")))
	_, err := cachedir.Open(dir, "engine", key("2"))
	require.ErrorIs(t, err, os.ErrPermission)
}

func file(t *testing.T, path string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	return path
}

func pipe(t *testing.T, path string) string {
	t.Helper()
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	return path
}

func link(t *testing.T, to, path string) string {
	t.Helper()
	require.NoError(t, os.Symlink(to, path))
	return path
}

// replace moves something out of the cache directory, to make room for something else, and returns its new path.
func replace(t *testing.T, path string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(path))
	require.NoError(t, os.Rename(path, to))
	return to
}

// tree lists everything below a directory, with modes.
func tree(t *testing.T, root string) (list []string) {
	t.Helper()
	require.NoError(t, filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		require.NoError(t, err)
		list = append(list, path+" "+info.Mode().String())
		return nil
	}))
	return list
}
