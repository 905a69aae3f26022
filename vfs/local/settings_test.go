package local_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func TestSettingsAreNotReadThroughLinks(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".toolrun"), 0o700))
	if err := os.Symlink(outside, filepath.Join(dir, ".toolrun", "settings.json")); err != nil {
		t.Skip(err)
	}
	project, err := local.OpenDir(dir, nil)
	require.NoError(t, err)
	defer project.Close()
	_, err = project.Settings(t.Context())
	require.ErrorIs(t, err, fs.ErrPermission)
	err = project.EditSettings(t.Context(), func([]byte) ([]byte, error) { return []byte("x"), nil })
	require.ErrorIs(t, err, fs.ErrPermission)
	data, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "secret", string(data))
}

func TestNothingCanBeDoneForACallThatHasEnded(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			project := openProject(t, open(t, nil), "one")
			write(t, project, "/file", "1")
			call := project.WithCall("call")
			held, err := call.Open("/file")
			require.NoError(t, err)
			replacing, err := call.Create("/file")
			require.NoError(t, err)
			_, err = replacing.WriteString("2")
			require.NoError(t, err)

			inside := make(chan error)
			go func() {
				inside <- call.Exclusively(context.Background(), func(files afero.Fs) error {
					inside <- nil
					<-inside
					return afero.WriteFile(files, "/inside", nil, 0o600)
				})
			}()
			<-inside
			call.EndCall()
			inside <- nil
			require.ErrorIs(t, <-inside, fs.ErrClosed, "not even for who has the lock")

			views := []afero.Fs{call, vfs.ReadOnly(call, "/memories"), vfs.Sub(call, "/")}
			for _, files := range views {
				_, err = files.Open("/file")
				require.ErrorIs(t, err, fs.ErrClosed)
				_, err = files.Stat("/file")
				require.ErrorIs(t, err, fs.ErrClosed)
				for op, attempt := range map[string]func() error{
					"create":    func() error { return afero.WriteFile(files, "/new", nil, 0o600) },
					"mkdir":     func() error { return files.Mkdir("/dir", 0o700) },
					"remove":    func() error { return files.Remove("/file") },
					"removeall": func() error { return files.RemoveAll("/file") },
					"rename":    func() error { return files.Rename("/file", "/other") },
					"chmod":     func() error { return files.Chmod("/file", 0o777) },
					"compound":  func() error { return vfs.Append(context.Background(), files, "/file", []byte("x")) },
				} {
					require.ErrorIs(t, attempt(), fs.ErrClosed, op)
				}
			}
			_, err = held.Read(make([]byte, 1))
			require.ErrorIs(t, err, fs.ErrClosed)
			_, err = replacing.WriteString("3")
			require.ErrorIs(t, err, fs.ErrClosed)
			require.ErrorIs(t, replacing.Close(), fs.ErrClosed)
			require.Equal(t, map[string]string{"/": "directory", "/file": "1"}, snapshot(t, project), "others go on")
		})
	}
}

// TestSettingsOfADeletedProject: nothing would mean that nothing has been forbidden.
func TestSettingsOfADeletedProject(t *testing.T) {
	for kind, store := range eachStore(t, vfs.Options{}) {
		for name, before := range map[string]func(vfs.Project) error{
			"never used":    func(vfs.Project) error { return nil },
			"asked before":  func(p vfs.Project) error { _, err := p.Settings(t.Context()); return err },
			"with a file":   func(p vfs.Project) error { return afero.WriteFile(p, "/f", nil, 0o644) },
			"with settings": func(p vfs.Project) error { return editSettings(p, "{}") },
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				project, err := store.Open(t.Context(), "p")
				require.NoError(t, err)
				defer project.Close()
				require.NoError(t, before(project))
				require.NoError(t, store.Delete(t.Context(), "p"))
				_, err = project.Settings(t.Context())
				require.ErrorIs(t, err, vfs.ErrDeleted)
				again, err := store.Open(t.Context(), "p")
				require.NoError(t, err)
				defer again.Close()
				settings, err := again.Settings(t.Context())
				require.NoError(t, err)
				require.Nil(t, settings)
				require.NoError(t, store.Delete(t.Context(), "p"))
			})
		}
	}
}

func editSettings(p vfs.Project, settings string) error {
	return p.EditSettings(context.Background(), func([]byte) ([]byte, error) { return []byte(settings), nil })
}
