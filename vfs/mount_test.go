package vfs_test

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/vfs/vfstest"
)

// mountedIn opens the project a of a store, with share, read-only, and team mounted.
func mountedIn(t *testing.T, store vfs.Store, id string, mounts ...vfs.Mount) vfs.Project {
	t.Helper()
	open := func(id string) (vfs.Project, error) { return store.Open(t.Context(), id) }
	own, err := open(id)
	require.NoError(t, err)
	p, err := vfs.OpenMounts(own, id, mounts, func(m vfs.Mount) (vfs.Project, error) { return open(m.Project) })
	require.NoError(t, err)
	return p
}

var shareAndTeam = []vfs.Mount{{Path: "/share", Project: "common", ReadOnly: true}, {Path: "/sharerw", Project: "team"}}

func TestMounts(t *testing.T) {
	store := local.NewMemoryStore(&vfs.Options{Quota: vfs.Quota{Bytes: 100}})
	common, err := store.Open(t.Context(), "common")
	require.NoError(t, err)
	require.NoError(t, common.MkdirAll("/lib", 0o755))
	require.NoError(t, afero.WriteFile(common, "/lib/x.js", []byte("1"), 0o644))
	p := mountedIn(t, store, "a", shareAndTeam...)
	require.NoError(t, p.MkdirAll("/z/y", 0o755))
	require.NoError(t, afero.WriteFile(p, "/f", []byte("own"), 0o644))
	require.NoError(t, afero.WriteFile(p, "/sharerw/g", []byte("team's"), 0o644))

	names := func(dir string) (names []string) {
		infos, err := afero.ReadDir(p, dir)
		require.NoError(t, err)
		for _, info := range infos {
			names = append(names, info.Name())
		}
		return names
	}
	require.Equal(t, []string{"f", "share", "sharerw", "z"}, names("/"))
	require.Equal(t, []string{"lib"}, names("/share"))
	info, err := p.Stat("/share")
	require.NoError(t, err)
	require.True(t, info.IsDir())
	require.Equal(t, "share", info.Name())
	f, err := p.Open("/share/lib/x.js")
	require.NoError(t, err)
	require.Equal(t, "/share/lib/x.js", f.Name())
	require.NoError(t, f.Close())

	// The history and the quota are the mounted project's.
	team, err := store.Open(t.Context(), "team")
	require.NoError(t, err)
	changes, err := team.Changes(t.Context(), "/")
	require.NoError(t, err)
	require.Len(t, changes, 1)
	_, err = p.Changes(t.Context(), "/sharerw/g")
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, "the history is that of the project team")
	require.ErrorIs(t, afero.WriteFile(p, "/sharerw/large", make([]byte, 101), 0o644), syscall.ENOSPC)
	require.NoError(t, afero.WriteFile(p, "/sharerw/large", make([]byte, 90), 0o644))
	require.NoError(t, afero.WriteFile(p, "/large", make([]byte, 90), 0o644), "each has its own")

	require.True(t, vfs.IsReadOnly(p, "/share/x") && !vfs.IsReadOnly(p, "/sharerw/x"))
	require.True(t, vfs.IsMount(vfs.ReadOnly(p, "/memories"), "/share") && !vfs.IsMount(p, "/z") && !vfs.IsMount(common,
		"/share"))
	for what, err := range map[string]error{
		"writing":         afero.WriteFile(p, "/share/x", nil, 0o644),
		"making":          p.MkdirAll("/share/d/e", 0o755),
		"removing":        p.RemoveAll("/share/lib"),
		"renaming inside": p.Rename("/share/lib", "/share/lob"),
		"moving out":      p.Rename("/share/lib", "/mine"),
		"moving in":       p.Rename("/f", "/share/f"),
		"permissions":     p.Chmod("/share/lib/x.js", 0o600),
	} {
		require.ErrorIs(t, err, syscall.EROFS, what)
	}
	for what, err := range map[string]error{
		"removing": p.RemoveAll("/sharerw"), "removing one": p.Remove("/share"), "renaming": p.Rename("/sharerw", "/x"),
		"onto it":  p.Rename("/f", "/sharerw"),
		"the root": p.Rename("/", "/sharerw/x"),
	} {
		require.ErrorIs(t, err, syscall.EBUSY, what)
	}
	require.ErrorIs(t, p.Mkdir("/sharerw", 0o755), syscall.EEXIST)
	require.NoError(t, p.MkdirAll("/sharerw", 0o755))
	_, err = p.Stat("/SHARE/lib")
	_, conflict := errors.AsType[*vfs.NameConflictError](err)
	require.True(t, conflict, "%v", err)
	_, err = p.Create("/sharerw")
	require.Error(t, err)

	// Between projects, renaming copies and removes, by the same rules.
	require.NoError(t, p.MkdirAll("/z/y/w", 0o755))
	require.NoError(t, p.Rename("/z", "/sharerw/z"))
	require.Equal(t, []string{"g", "large", "z"}, names("/sharerw"))
	require.NoError(t, p.Rename("/sharerw/g", "/f"))
	content, err := afero.ReadFile(p, "/f")
	require.NoError(t, err)
	require.Equal(t, "team's", string(content))
	require.ErrorIs(t, p.Rename("/f", "/sharerw/z"), syscall.EEXIST)
	require.ErrorIs(t, p.Rename("/sharerw/z", "/f"), syscall.ENOTDIR)
	require.ErrorIs(t, p.Rename("/no", "/sharerw/no"), fs.ErrNotExist)
	require.NoError(t, vfs.Copy(t.Context(), p, "/share/lib", "/lib"))
	require.Equal(t, []string{"f", "large", "lib", "share", "sharerw"}, names("/"))

	_, err = vfs.OpenMounts(common, "common", []vfs.Mount{{Path: "/x", Project: "common"}}, nil)
	require.ErrorContains(t, err, "cannot be mounted in itself")
	_, err = vfs.OpenMounts(common, "common", shareAndTeam[1:], func(vfs.Mount) (vfs.Project, error) {
		return nil, fs.ErrNotExist
	})
	require.ErrorContains(t, err, "project team at /sharerw: file does not exist; bring it back (toolrun project "+
		"restore team), "+
		"or do without it (toolrun project unmount /sharerw)")
}

// TestUndoOfMounts: a call is undone in all projects that it changed, or in none.
func TestUndoOfMounts(t *testing.T) {
	store := local.NewMemoryStore(nil)
	p := mountedIn(t, store, "a", shareAndTeam...)
	change := func(id string) {
		call := p.WithCall(id)
		require.NoError(t, afero.WriteFile(call, "/f", []byte(id), 0o644))
		require.NoError(t, afero.WriteFile(call, "/sharerw/g", []byte(id), 0o644))
		call.EndCall()
		require.ErrorIs(t, afero.WriteFile(call, "/sharerw/g", nil, 0o644), fs.ErrClosed)
		require.ErrorIs(t, afero.WriteFile(call, "/f", nil, 0o644), fs.ErrClosed)
	}
	text := func(name string) string {
		content, err := afero.ReadFile(p, name)
		require.NoError(t, err)
		return string(content)
	}
	change("one")
	change("two")
	undone, err := p.Undo(t.Context(), "")
	require.NoError(t, err)
	require.Len(t, undone, 2)
	require.Equal(t, "one one", text("/f")+" "+text("/sharerw/g"))

	redone, err := p.WithCall("again").Redo(t.Context(), "")
	require.NoError(t, err)
	require.Len(t, redone, 2)
	require.Equal(t, "two two", text("/f")+" "+text("/sharerw/g"))
	_, err = p.Undo(t.Context(), "again")
	require.NoError(t, err)
	require.Equal(t, "one one", text("/f")+" "+text("/sharerw/g"))

	// Somebody else has changed the team's file since.
	change("three")
	team, err := store.Open(t.Context(), "team")
	require.NoError(t, err)
	require.NoError(t, afero.WriteFile(team.WithCall("other"), "/g", []byte("other"), 0o644))
	_, err = p.Undo(t.Context(), "three")
	require.ErrorContains(t, err, "project team: ")
	require.Equal(t, "three other", text("/f")+" "+text("/sharerw/g"), "nothing has been undone")

	// A call that changed only the mounted project is undone by its id.
	only := p.WithCall("only")
	require.NoError(t, afero.WriteFile(only, "/sharerw/h", nil, 0o644))
	_, err = p.Undo(t.Context(), "only")
	require.NoError(t, err)
	_, err = p.Stat("/sharerw/h")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = p.Undo(t.Context(), "never")
	require.ErrorIs(t, err, vfs.ErrNotKept)
}

// TestMountsOfEachOther has two projects that are mounted in each other, and change both at the same time.
func TestMountsOfEachOther(t *testing.T) {
	store := local.NewMemoryStore(nil)
	var group sync.WaitGroup
	for _, ids := range [][2]string{{"a", "b"}, {"b", "a"}} {
		p := mountedIn(t, store, ids[0], vfs.Mount{Path: "/other", Project: ids[1]}, vfs.Mount{Path: "/again",
			Project: ids[1]})
		group.Go(func() {
			for range 200 {
				_ = p.Exclusively(context.Background(), func(files afero.Fs) error {
					return errors.Join(
						afero.WriteFile(files, "/f", nil, 0o644), afero.WriteFile(files, "/other/f", nil, 0o644),
						vfs.WriteFile(context.Background(), files, "/again/f", nil))
				})
			}
		})
	}
	group.Wait()
}

// TestFsOfMounts checks that what is mounted is a file system like others, and what it is mounted in.
func TestFsOfMounts(t *testing.T) {
	for why, dir := range map[string]string{"the project": "/d", "a mounted one": "/sharerw"} {
		t.Run(why, func(t *testing.T) {
			vfstest.TestFs(t, func(t *testing.T) afero.Fs {
				return vfs.Sub(mountedIn(t, local.NewMemoryStore(nil), "a", shareAndTeam...), dir)
			})
		})
	}
}

func TestParseMounts(t *testing.T) {
	for settings, want := range map[string]string{
		``:   "",
		`{}`: "",
		`{"mounts":[{"path":"/share","project":"a","readOnly":true}]}`: "",
		`[]`:             "not a JSON object",
		`{"mounts":"x"}`: "the settings' mounts",
		`{"mounts":[{"path":"/","project":"a"}]}`:                              "a name at the root",
		`{"mounts":[{"path":"share","project":"a"}]}`:                          "a name at the root",
		`{"mounts":[{"path":"/a/b","project":"a"}]}`:                           "a name at the root",
		`{"mounts":[{"path":"/..","project":"a"}]}`:                            "a name at the root",
		`{"mounts":[{"path":"/.toolrun","project":"a"}]}`:                      "mount",
		`{"mounts":[{"path":"/Memories","project":"a"}]}`:                      "each project's own",
		`{"mounts":[{"path":"/a","project":"a\u0000"}]}`:                       "invalid project id",
		`{"mounts":[{"path":"/a","project":"x"},{"path":"/A","project":"y"}]}`: "another one at that path",
	} {
		_, err := vfs.ParseMounts([]byte(settings))
		if want == "" {
			require.NoError(t, err, settings)
		} else {
			require.ErrorIs(t, err, fs.ErrInvalid, settings)
			require.ErrorContains(t, err, want, settings)
		}
	}
}

// The memory of a project that is mounted is not changed through the mount, however it is spelled.
func TestMemoryOfAMountedProject(t *testing.T) {
	store := local.NewMemoryStore(nil)
	team, err := store.Open(t.Context(), "team")
	require.NoError(t, err)
	require.NoError(t, team.MkdirAll("/memories/sub", 0o755))
	require.NoError(t, vfs.WriteFile(t.Context(), team, "/memories/note", []byte("true")))
	p := mountedIn(t, store, "a", shareAndTeam...)
	require.NoError(t, vfs.WriteFile(t.Context(), p, "/evil/note", []byte("false")))
	require.NoError(t, vfs.WriteFile(t.Context(), p, "/sharerw/evil/note", []byte("false")))
	for name, attack := range map[string]func(files afero.Fs) error{
		"write": func(files afero.Fs) error {
			return afero.WriteFile(files, "/sharerw/memories/note", []byte("x"), 0o644)
		},
		"new": func(files afero.Fs) error {
			return afero.WriteFile(files, "/sharerw/Memories/../memories/n", nil, 0o644)
		},
		"mkdir":      func(files afero.Fs) error { return files.MkdirAll("/sharerw/memories/d", 0o755) },
		"remove":     func(files afero.Fs) error { return files.RemoveAll("/sharerw/memories") },
		"from here":  func(files afero.Fs) error { return files.Rename("/evil", "/sharerw/memories/evil") },
		"from there": func(files afero.Fs) error { return files.Rename("/sharerw/evil", "/sharerw/memories/evil") },
		"away":       func(files afero.Fs) error { return files.Rename("/sharerw/memories", "/mine") },
		"view": func(files afero.Fs) error {
			return afero.WriteFile(vfs.Sub(files, "/sharerw"), "/memories/note", []byte("x"), 0o644)
		},
	} {
		require.ErrorIs(t, attack(p), syscall.EROFS, name)
		require.ErrorIs(t, attack(p.WithCall("call")), syscall.EROFS, name)
		err := p.Exclusively(t.Context(), attack)
		require.ErrorIs(t, err, syscall.EROFS, name)
	}
	require.True(t, vfs.IsReadOnly(p, "/sharerw/memories/note"))
	require.False(t, vfs.IsReadOnly(p, "/sharerw/evil"))
	text, err := afero.ReadFile(p, "/sharerw/memories/note")
	require.NoError(t, err)
	require.Equal(t, "true", string(text))
	infos, err := afero.ReadDir(team, "/memories")
	require.NoError(t, err)
	require.Len(t, infos, 2)
	require.NoError(t, p.MkdirAll("/memories", 0o755), "the project's own is that of its tools to protect")
}

// A notingProject notes when it is locked.
type notingProject struct {
	vfs.Project
	id     string
	locked *[]string
}

func (n notingProject) Exclusively(ctx context.Context, do func(files afero.Fs) error) error {
	*n.locked = append(*n.locked, n.id)
	return n.Project.Exclusively(ctx, do)
}

// Projects that mount each other are locked in the same order, even if only the Unicode form of their ids differs.
func TestOrderOfLocks(t *testing.T) {
	const composed, decomposed = "\u00e9", "e\u0301"
	store := local.NewMemoryStore(nil)
	for _, ids := range [][2]string{{composed, decomposed}, {decomposed, composed}} {
		var locked []string
		open := func(id string) vfs.Project {
			p, err := store.Open(t.Context(), id)
			require.NoError(t, err)
			return notingProject{p, id, &locked}
		}
		p, err := vfs.OpenMounts(open(ids[0]), ids[0], []vfs.Mount{{Path: "/other", Project: ids[1]}},
			func(m vfs.Mount) (vfs.Project, error) { return open(m.Project), nil })
		require.NoError(t, err)
		require.NoError(t, p.Exclusively(t.Context(), func(afero.Fs) error { return nil }))
		require.Equal(t, []string{decomposed, composed}, locked)
	}
}
