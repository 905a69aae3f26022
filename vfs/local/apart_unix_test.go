//go:build unix

package local_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/toolrun/toolrun/vfs"
)

// What a person has in a directory that is removed comes back, even if the tools could not have made it.
func TestUndoBringsBackWhatToolsCannotMake(t *testing.T) {
	for name, open := range map[string]func(t *testing.T, dir string) vfs.Project{
		"history inside": func(t *testing.T, dir string) vfs.Project {
			return openDir(t, dir, &vfs.Options{NoSync: true})
		},
		"history apart": func(t *testing.T, dir string) vfs.Project { return openApart(t, dir, t.TempDir()) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, outside := t.TempDir(), t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600))
			inside := filepath.Join(dir, "d", "sub")
			require.NoError(t, os.MkdirAll(inside, 0o755))
			for _, odd := range []string{"a", `b\c`, "new\nline", " x ", "\xff", "CON", "e\u0301"} {
				if err := os.WriteFile(filepath.Join(inside, odd), []byte(odd), 0o600); !errors.Is(err, unix.EILSEQ) {
					require.NoError(t, err)
				}
			}
			for link, to := range map[string]string{
				"link": "a", "dangling": "nowhere", "out": outside, "file": filepath.Join(outside, "secret"),
				"up": "../..",
			} {
				require.NoError(t, os.Symlink(to, filepath.Join(inside, link)))
			}
			before := contentsOfTheHost(t, filepath.Join(dir, "d"))
			p := open(t, dir)
			require.NoError(t, p.RemoveAll("/d"))
			_, err := os.Lstat(filepath.Join(dir, "d"))
			require.ErrorIs(t, err, os.ErrNotExist)
			_, err = p.Undo(t.Context(), "")
			require.NoError(t, err)
			require.Equal(t, before, contentsOfTheHost(t, filepath.Join(dir, "d")))
			require.Equal(t, "secret", contentsOfTheHost(t, outside)["secret"])
			_, err = p.Redo(t.Context(), "")
			require.NoError(t, err)
			require.Equal(t, "secret", contentsOfTheHost(t, outside)["secret"])
			requireExactUsage(t, p)

			require.NoError(t, os.MkdirAll(inside, 0o755))
			require.NoError(t, unix.Mkfifo(filepath.Join(inside, "pipe"), 0o600))
			write(t, p, "/d/kept", "x")
			require.EqualError(t, p.RemoveAll("/d"), "remove /d: /d/sub/pipe is a pipe, a socket or a device, "+
				"of which the history cannot keep a copy: unsupported operation")
			require.Equal(t, "x", read(t, p, "/d/kept"))

			// By itself it can be removed or replaced, which the history says.
			require.NoError(t, p.Remove("/d/sub/pipe"))
			require.NoError(t, os.Symlink("a", filepath.Join(inside, "single")))
			require.NoError(t, p.Remove("/d/sub/single"))
			require.NoError(t, os.Symlink("a", filepath.Join(inside, "single")))
			require.NoError(t, p.Rename("/d/kept", "/d/sub/single"))
			changes, err := p.Changes(t.Context(), "/")
			require.NoError(t, err)
			for _, change := range changes[:3] {
				require.True(t, change.Special, "%+v", change)
				require.False(t, change.Kept || change.Lost, "%+v", change)
				_, err = p.Undo(t.Context(), fmt.Sprintf("#%d", change.ID))
				require.ErrorContains(t, err, "was a link or a special file, which the history does not keep")
				_, err = vfs.Revert(t.Context(), p, change.ID, "")
				require.ErrorIs(t, err, vfs.ErrNotKept)
				require.ErrorContains(t, err, "was a link or a special file")
			}
		})
	}
}

// contentsOfTheHost returns the contents of files and the targets of links, by path.
func contentsOfTheHost(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			all[relative] = "directory"
		case entry.Type()&os.ModeSymlink != 0:
			to, err := os.Readlink(name)
			all[relative] = "to " + to
			return err
		default:
			text, err := os.ReadFile(name)
			all[relative] = string(text)
			return err
		}
		return nil
	}))
	return all
}
