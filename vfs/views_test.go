package vfs_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/internal/test/wrapfs"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

var (
	openProject  = storetest.Open
	forEachStore = storetest.Each
	read         = storetest.Read
	write        = storetest.Write
	snapshot     = storetest.Snapshot
)

// attempts are ways to change a file or directory, each with one that it needs to exist.
var attempts = map[string]func(files afero.Fs, name string) error{
	"Create": func(files afero.Fs, name string) error { return closing(files.Create(name)) },
	"open to write": func(files afero.Fs, name string) error {
		return closing(files.OpenFile(name, os.O_WRONLY, 0))
	},
	"open to read, write": func(files afero.Fs, name string) error {
		return closing(files.OpenFile(name, os.O_RDWR, 0))
	},
	"open to append": func(files afero.Fs, name string) error {
		return closing(files.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0))
	},
	"open to create": func(files afero.Fs, name string) error {
		return closing(files.OpenFile(name+".new", os.O_CREATE, 0o666))
	},
	"Mkdir":       func(files afero.Fs, name string) error { return files.Mkdir(name+".dir", 0o777) },
	"MkdirAll":    func(files afero.Fs, name string) error { return files.MkdirAll(name+".dir/d", 0o777) },
	"Remove":      func(files afero.Fs, name string) error { return files.Remove(name) },
	"RemoveAll":   func(files afero.Fs, name string) error { return files.RemoveAll(name) },
	"Rename away": func(files afero.Fs, name string) error { return files.Rename(name, "/elsewhere") },
	"Rename onto": func(files afero.Fs, name string) error { return files.Rename("/mine", name) },
	"Chmod":       func(files afero.Fs, name string) error { return files.Chmod(name, 0o777) },
	"Chtimes": func(files afero.Fs, name string) error {
		return files.Chtimes(name, time.Unix(1, 0), time.Unix(1, 0))
	},
	"WriteFile": func(files afero.Fs, name string) error {
		return vfs.WriteFile(context.Background(), files, name, nil)
	},
	"Append": func(files afero.Fs, name string) error {
		return vfs.Append(context.Background(), files, name, []byte("x"))
	},
	"Edit": func(files afero.Fs, name string) error {
		return vfs.Edit(context.Background(), files, name, func([]byte) ([]byte, error) { return []byte("x"), nil })
	},
	"Move away": func(files afero.Fs, name string) error {
		return vfs.Move(context.Background(), files, name, "/elsewhere")
	},
	"Copy into": func(files afero.Fs, name string) error {
		return vfs.Copy(context.Background(), files, "/mine", name+".copy")
	},
	"exclusively": func(files afero.Fs, name string) error {
		return vfs.Exclusively(context.Background(), files, func(files afero.Fs) error { return files.Remove(name) })
	},
}

func closing(f afero.File, err error) error {
	if err != nil {
		return err
	}
	return f.Close()
}

func TestReadOnlyForbidsEverything(t *testing.T) {
	spellings := []string{
		"/memories/a", "memories/a", "/memories//a", "/./memories/a", "/x/../memories/a", "/../memories/a",
		"/MEMORIES/a", "/memoriEs/A",
		"/memories/dir/../a",
	}
	for name, attempt := range attempts {
		t.Run(name, func(t *testing.T) {
			fresh := func() vfs.Project {
				p := openProject(t, local.NewMemoryStore(nil), "project")
				write(t, p, "/memories/a", "text")
				write(t, p, "/mine", "mine")
				return p
			}
			// The control: without the view it is possible.
			require.NoError(t, attempt(fresh(), "/memories/a"))
			p := fresh()
			before := snapshot(t, p)
			for _, path := range spellings {
				for _, files := range []afero.Fs{
					vfs.ReadOnly(p, "/memories"), vfs.ReadOnly(p, "memories/"), vfs.ReadOnly(p, "/"),
					vfs.ReadOnly(p, "/other", "/Memories"),
					vfs.ReadOnly(vfs.ReadOnly(p, "/memories"), "/other"), vfs.ReadOnly(vfs.ReadOnly(p, "/other"),
						"/memories"),
					vfs.Sub(vfs.ReadOnly(p, "/memories"), "/"),
				} {
					err := attempt(files, path)
					// it reads first, and there is no file of that name
					if name == "Edit" && !errors.Is(err, syscall.EROFS) {
						require.ErrorIs(t, err, fs.ErrNotExist, path)
						continue
					}
					require.ErrorIs(t, err, syscall.EROFS, path)
					var pe *fs.PathError
					require.ErrorAs(t, err, &pe)
				}
			}
			require.Equal(t, before, snapshot(t, p))
		})
	}
}

func TestIsReadOnly(t *testing.T) {
	p := openProject(t, local.NewMemoryStore(nil), "project")
	files := vfs.ReadOnly(p, "/memories", "/a/b")
	for name, want := range map[string]bool{
		"/memories": true, "memories/x": true, "/x/../MEMORIES/y": true, "/a/b": true, "/": false, "/a": false,
		"/a/bc": false, "": false, "/memories\x00": false,
	} {
		require.Equal(t, want, vfs.IsReadOnly(files, name), name)
		require.Equal(t, want, vfs.IsReadOnly(vfs.ReadOnly(files, "/other"), name), name)
		require.False(t, vfs.IsReadOnly(p, name))
		require.False(t, vfs.IsReadOnly(afero.NewMemMapFs(), name))
	}
	require.True(t, vfs.IsReadOnly(vfs.Sub(files, "/a"), "/b/c"))
	require.False(t, vfs.IsReadOnly(vfs.Sub(files, "/a"), "/c"))
}

func TestReadOnlyProtectsTheDirectoriesAbove(t *testing.T) {
	p := openProject(t, local.NewMemoryStore(nil), "project")
	write(t, p, "/a/b/memories/x", "text")
	write(t, p, "/mine", "mine")
	files := vfs.ReadOnly(p, "/a/b/memories")
	for _, path := range []string{"/a", "/a/b", "/a/b/memories", "/A"} {
		require.ErrorIs(t, files.RemoveAll(path), syscall.EROFS)
		require.ErrorIs(t, files.Remove(path), syscall.EROFS)
		require.ErrorIs(t, files.Rename(path, "/gone"), syscall.EROFS)
		require.ErrorIs(t, files.Rename("/mine", path), syscall.EROFS)
	}
	// What is beside it can be changed.
	write(t, files, "/a/b/memories2", "1")
	write(t, files, "/a/b/memorie", "1")
	require.NoError(t, files.RemoveAll("/a/b/memories2"))
	require.Equal(t, "text", read(t, files, "/a/b/memories/x"))
}

// careless is a file system whose files can be written although they have been opened for reading.
type careless struct{ afero.Fs }

func (c careless) OpenFile(name string, _ int, perm os.FileMode) (afero.File, error) {
	return c.Fs.OpenFile(name, os.O_RDWR, perm)
}

func TestReadOnlyForbidsThroughHandles(t *testing.T) {
	p := openProject(t, local.NewMemoryStore(nil), "project")
	write(t, p, "/memories/a", "text")
	for name, base := range map[string]afero.Fs{"a project": p, "a careless file system": careless{p}} {
		t.Run(name, func(t *testing.T) {
			f, err := vfs.ReadOnly(base, "/memories").Open("/memories/a")
			require.NoError(t, err)
			defer f.Close()
			_, err = f.Write([]byte("x"))
			require.ErrorIs(t, err, syscall.EROFS)
			_, err = f.WriteString("x")
			require.ErrorIs(t, err, syscall.EROFS)
			_, err = f.WriteAt([]byte("x"), 0)
			require.ErrorIs(t, err, syscall.EROFS)
			require.ErrorIs(t, f.Truncate(0), syscall.EROFS)
			data, err := io.ReadAll(f)
			require.NoError(t, err)
			require.Equal(t, "text", string(data))
		})
	}
}

func TestSub(t *testing.T) {
	forEachStore(t, nil, func(t *testing.T, p vfs.Project) {
		files := vfs.Sub(p, "/memories")
		t.Run("is empty as long as its directory is not there", func(t *testing.T) {
			require.Equal(t, map[string]string{"/": "directory"}, snapshot(t, files))
			_, err := p.Stat("/memories")
			require.ErrorIs(t, err, fs.ErrNotExist)
			require.ErrorIs(t, files.RemoveAll("/"), syscall.EBUSY)
		})
		t.Run("makes its directory when it is needed", func(t *testing.T) {
			write(t, files, "/a/b", "text")
			require.Equal(t, "text", read(t, p, "/memories/a/b"))
			require.Equal(t, map[string]string{"/": "directory", "/a": "directory", "/a/b": "text"}, snapshot(t, files))
		})
		t.Run("has no way out", func(t *testing.T) {
			write(t, p, "/secret", "secret of the host")
			for _, path := range []string{"../secret", "/../secret", "a/../../secret", "/memories/../../secret"} {
				_, err := files.Open(path)
				require.ErrorIs(t, err, fs.ErrNotExist, path)
			}
			require.NoError(t, files.Rename("a/b", "../../stays"))
			require.Equal(t, "text", read(t, p, "/memories/stays"))
		})
		t.Run("names its own paths", func(t *testing.T) {
			f, err := files.Open("stays")
			require.NoError(t, err)
			defer f.Close()
			require.Equal(t, "stays", f.Name())
			_, err = f.Write(nil)
			require.EqualError(t, err, "write stays: bad file descriptor")
			_, err = files.Open("/missing")
			require.EqualError(t, err, "open /missing: "+syscall.ENOENT.Error())
		})
		t.Run("can be read-only", func(t *testing.T) {
			require.ErrorIs(t, afero.WriteFile(vfs.ReadOnly(files, "/"), "x", nil, 0o600), syscall.EROFS)
			require.ErrorIs(t, afero.WriteFile(vfs.Sub(vfs.ReadOnly(p, "/"), "/memories"), "x", nil, 0o600),
				syscall.EROFS)
			require.ErrorIs(t, afero.WriteFile(vfs.Sub(vfs.ReadOnly(p, "/memories/a"), "/memories"), "a/x", nil, 0o600),
				syscall.EROFS)
		})
	})
}

func TestViewsRefusePathsThatCannotBe(t *testing.T) {
	require.Panics(t, func() { vfs.Sub(afero.NewMemMapFs(), "a\\b") })
	require.Panics(t, func() { vfs.ReadOnly(afero.NewMemMapFs(), "a\x00") })
}

// views are all kinds of views, and what differs in them from what is behind them: a project with mounts at /share,
// read-only, and /sharerw.
var views = map[string]struct {
	of            func(files afero.Fs) afero.Fs
	mount, locked string // paths of the view that are a mount, and in one that is read-only; "" if it shows none
	all           bool   // is read-only
	states        string // whose: "" if it has none
}{
	"itself": {func(files afero.Fs) afero.Fs { return files }, "/share", "/share/x", false, "project"},
	"read-only": {func(files afero.Fs) afero.Fs { return vfs.ReadOnly(files, "/memories") }, "/share", "/share/x",
		false, "project"},
	"all read-only": {func(files afero.Fs) afero.Fs { return vfs.ReadOnly(files, "/") }, "/share", "/share/x",
		true, ""},
	"a part": {func(files afero.Fs) afero.Fs { return vfs.Sub(files, "/d") }, "", "", false, ""},
	"a mount": {func(files afero.Fs) afero.Fs { return vfs.Sub(files, "/sharerw") }, "/", "/memories/x", false,
		""},
	"other states": {func(files afero.Fs) afero.Fs { return vfs.WithStates(files, otherStates) }, "/share", "/share/x",
		false, "other"},
	"a wrapper": {func(files afero.Fs) afero.Fs {
		return wrapfs.Around(files, func(files afero.Fs) afero.Fs { return careless{files} })
	}, "/share", "/share/x", false, "project"},
	"several": {func(files afero.Fs) afero.Fs {
		return vfs.ReadOnly(vfs.Sub(vfs.WithStates(files, otherStates), "/d"), "/memories")
	}, "", "", false, ""},
}

var otherStates = func() vfs.States {
	p, err := local.NewMemoryStore(nil).Open(context.Background(), "other")
	if err != nil {
		panic(err)
	}
	return p
}()

// TestViewsOfProjects: through each view a project can do what it can beside the operations of afero, also as a call
// and an exclusive section see it.
func TestViewsOfProjects(t *testing.T) {
	for name, view := range views {
		t.Run(name, func(t *testing.T) {
			p := mountedIn(t, local.NewMemoryStore(nil), "a", shareAndTeam...)
			write(t, p.WithCall("before"), "/d/file", "text")
			usage, err := p.Usage(t.Context())
			require.NoError(t, err)

			look := func(files afero.Fs) {
				t.Helper()
				require.Equal(t, view.of(p).Name(), files.Name())
				seen, err := vfs.UsageOf(t.Context(), files)
				require.NoError(t, err)
				require.Equal(t, usage, seen)
				history, ok := vfs.HistoryOf(files)
				require.True(t, ok)
				unit, err := history.CheckUndo(t.Context(), "")
				require.NoError(t, err)
				require.Equal(t, "before", unit)
				require.Equal(t, view.all, vfs.IsReadOnly(files, "/f"))
				require.False(t, vfs.IsMount(files, "/f"))
				require.False(t, vfs.IsReadOnly(files, "/\x00") || vfs.IsMount(files, "/\x00"))
				if view.mount != "" {
					require.True(t, vfs.IsMount(files, view.mount))
					require.True(t, vfs.IsReadOnly(files, view.locked))
				}
				states, ok := vfs.StatesOf(files)
				require.Equal(t, view.states != "", ok)
				require.Equal(t, view.states == "other", ok && states == otherStates)
			}
			look(view.of(p))
			files, end, err := vfs.BeginCall(view.of(p), "call")
			require.NoError(t, err)
			other, endOther, err := vfs.BeginCall(view.of(p), "other")
			require.NoError(t, err)
			defer endOther()
			look(files)
			require.Nil(t, vfs.Holding(files))
			var held <-chan struct{}
			require.NoError(t, vfs.Exclusively(t.Context(), files, func(inside afero.Fs) error {
				look(inside)
				held = vfs.Holding(files)
				require.NotNil(t, held)
				require.Equal(t, held, vfs.Holding(inside))
				require.Nil(t, vfs.Holding(other))
				require.NoError(t, vfs.Exclusively(t.Context(), inside, func(afero.Fs) error { return nil }))
				require.Equal(t, held, vfs.Holding(files), "the end of what is inside is not the end")
				return nil
			}))
			<-held
			require.Nil(t, vfs.Holding(files))

			made, err := vfs.CheckpointBefore(t.Context(), files, "call")
			require.NoError(t, err)
			require.Equal(t, !view.all, made.Name != "", "a view in which nothing can be changed needs none")
			end()
			_, err = files.Stat("/")
			require.ErrorIs(t, err, fs.ErrClosed, "the call has ended")
			require.ErrorIs(t, vfs.Exclusively(t.Context(), files, func(afero.Fs) error { return nil }), fs.ErrClosed)
		})
	}
}

// TestViewsOfOtherFiles: through no view can files do more than they can.
func TestViewsOfOtherFiles(t *testing.T) {
	for name, view := range views {
		t.Run(name, func(t *testing.T) {
			files := view.of(afero.NewMemMapFs())
			_, _, err := vfs.BeginCall(files, "call")
			_, refused := errors.AsType[*vfs.NoCallsError](err)
			require.True(t, refused)
			_, err = vfs.UsageOf(t.Context(), files)
			require.ErrorIs(t, err, errors.ErrUnsupported)
			_, ok := vfs.HistoryOf(files)
			require.False(t, ok)
			_, ok = vfs.StatesOf(files)
			require.Equal(t, view.states == "other", ok)
			require.Equal(t, view.all, vfs.IsReadOnly(files, "/x"))
			require.False(t, vfs.IsMount(files, "/share") || vfs.IsMount(files, "/"))
			_, err = vfs.CheckpointBefore(t.Context(), files, "call")
			require.Equal(t, !view.all, errors.Is(err, errors.ErrUnsupported))
			require.NoError(t, vfs.Exclusively(t.Context(), files, func(inside afero.Fs) error {
				require.Nil(t, vfs.Holding(inside))
				require.Equal(t, files.Name(), inside.Name())
				return nil
			}))

			off := openProject(t, local.NewMemoryStore(&vfs.Options{History: vfs.HistoryOptions{Off: true}}), "project")
			_, ok = vfs.HistoryOf(view.of(off))
			require.False(t, ok, "it keeps none")
		})
	}
}

// A file that cannot be read to its end is not copied in part.
func TestCopyFailsAsAWhole(t *testing.T) {
	forEachStore(t, nil, func(t *testing.T, p vfs.Project) {
		write(t, p, "/from", "some text")
		failing := wrapfs.Around(p, func(files afero.Fs) afero.Fs { return unreadable{files} })
		require.ErrorIs(t, vfs.Copy(t.Context(), failing, "/from", "/to"), io.ErrNoProgress)
		require.Equal(t, map[string]string{"/": "directory", "/from": "some text"}, snapshot(t, p))
	})
}

// An unreadable file system has files that fail after the first byte.
type unreadable struct{ afero.Fs }

func (u unreadable) Open(name string) (afero.File, error) {
	f, err := u.Fs.Open(name)
	return unreadableFile{f, new(bool)}, err
}

type unreadableFile struct {
	afero.File
	begun *bool
}

func (f unreadableFile) Read(b []byte) (int, error) {
	if *f.begun {
		return 0, io.ErrNoProgress
	}
	*f.begun = true
	return f.File.Read(b[:1])
}
