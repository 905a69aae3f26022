package registry_test

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/wrapfs"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// A countingFs wraps files as a host may do: it counts how often files are opened.
type countingFs struct {
	afero.Fs
	opened *atomic.Int32
}

func (c countingFs) Create(name string) (afero.File, error) {
	c.opened.Add(1)
	return c.Fs.Create(name)
}

func (c countingFs) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	c.opened.Add(1)
	return c.Fs.OpenFile(name, flag, perm)
}

// TestWrappedProjects wraps a project in a file system of the host. Calls must still end and be undone properly.
func TestWrappedProjects(t *testing.T) {
	var opened atomic.Int32
	counting := func(files afero.Fs) afero.Fs { return countingFs{files, &opened} }
	for name, wrap := range map[string]func(files afero.Fs) afero.Fs{
		"a wrapper": func(files afero.Fs) afero.Fs { return wrapfs.Around(files, counting) },
		"a wrapper of a view": func(files afero.Fs) afero.Fs {
			return wrapfs.Around(vfs.ReadOnly(files, "/memories"), counting)
		},
		"a view of a wrapper": func(files afero.Fs) afero.Fs {
			return vfs.ReadOnly(wrapfs.Around(files, counting),
				"/memories")
		},
		"wrappers in a wrapper": func(files afero.Fs) afero.Fs {
			return wrapfs.Around(wrapfs.Around(files, counting), counting)
		},
	} {
		t.Run(name, func(t *testing.T) {
			opened.Store(0)
			project := newProject(t)
			require.NoError(t, afero.WriteFile(project, "/file", []byte("before"), 0o600))
			var kept afero.Fs
			var left afero.File
			r := newRegistry(t, doing("x", func(ctx context.Context, _ tool.Call,
				env tool.Env) (tool.Result, error) {
				kept = env.Files
				f, err := env.Files.Create("/file")
				if err == nil {
					_, err = f.WriteString("call")
					err = errors.Join(err, f.Close())
				}
				err = errors.Join(err, vfs.Append(ctx, env.Files, "/file", []byte("ed")))
				require.Equal(t, wrap(project).Name(), env.Files.Name())
				left, _ = env.Files.Create("/left-open")
				return tool.Text("done"), err
			}))
			result := r.Dispatch(t.Context(), call("x", ""), registry.Env{Files: wrap(project)})
			require.NoError(t, result.Err)
			require.Equal(t, "done", result.Text())
			require.Positive(t, opened.Load(), "the wrapper has seen what the call did")

			require.ErrorIs(t, afero.WriteFile(kept, "/file", []byte("later"), 0o600), fs.ErrClosed)
			_, err := left.WriteString("later")
			require.ErrorIs(t, err, fs.ErrClosed)
			content, err := afero.ReadFile(project, "/file")
			require.NoError(t, err)
			require.Equal(t, "called", string(content))
			_, err = project.Stat("/left-open")
			require.ErrorIs(t, err, fs.ErrNotExist)

			undone, err := project.Undo(t.Context(), "call-1")
			require.NoError(t, err)
			require.NotEmpty(t, undone)
			content, err = afero.ReadFile(project, "/file")
			require.NoError(t, err)
			require.Equal(t, "before", string(content))
		})
	}
}

// TestFilesThatHideAProject gives calls a file system that could neither be closed at their end nor be undone.
func TestFilesThatHideAProject(t *testing.T) {
	project := newProject(t)
	hiding := countingFs{project, new(atomic.Int32)}
	called := false
	r := newRegistry(t, doing("x", func(_ context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
		called = true
		return tool.Text("done"), afero.WriteFile(env.Files, "/file", nil, 0o600)
	}))
	for name, files := range map[string]afero.Fs{
		"itself":         hiding,
		"in a view":      vfs.ReadOnly(vfs.Sub(hiding, "/d"), "/memories"),
		"in a wrapper":   wrapfs.Around(hiding, func(files afero.Fs) afero.Fs { return files }),
		"another system": afero.NewMemMapFs(),
	} {
		t.Run(name, func(t *testing.T) {
			result := r.Dispatch(t.Context(), call("x", ""), registry.Env{Files: files})
			require.Equal(t, tool.CodeFailed, result.Code)
			_, ok := errors.AsType[*vfs.NoCallsError](result.Err)
			require.True(t, ok, result.Err)
			require.ErrorIs(t, result.Err, errors.ErrUnsupported)
			require.False(t, called)
		})
	}
	changes, err := project.Changes(t.Context(), "/")
	require.NoError(t, err)
	require.Empty(t, changes)

	result := r.Dispatch(t.Context(), call("x", ""), registry.Env{Files: wrapfs.Foreign(afero.NewMemMapFs())})
	require.Equal(t, "done", result.Text(), "who says that it has nothing to do with a project gets what there is")
}
