package local_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

const secret = "secret of the host"

// openInside returns a project in a directory that lies in another one, which has a secret.
func openInside(t *testing.T) (p vfs.Project, inside, outside string) {
	t.Helper()
	outside = t.TempDir()
	inside = filepath.Join(outside, "project")
	require.NoError(t, os.Mkdir(inside, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte(secret), 0o600))
	p, err := local.OpenDir(inside, &vfs.Options{NoSync: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p, inside, outside
}

// link makes a symbolic link in the project. In its target, OUTSIDE is the directory that the project lies in.
func link(to, name string) func(t *testing.T, inside string) {
	return func(t *testing.T, inside string) {
		to := strings.ReplaceAll(to, "OUTSIDE", filepath.Dir(inside))
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(inside, name)), 0o700))
		require.NoError(t, os.Symlink(to, filepath.Join(inside, name)))
	}
}

func both(a, b func(*testing.T, string)) func(*testing.T, string) {
	return func(t *testing.T, inside string) {
		a(t, inside)
		b(t, inside)
	}
}

func directory(name string) func(*testing.T, string) {
	return func(t *testing.T, inside string) { require.NoError(t, os.MkdirAll(filepath.Join(inside, name), 0o700)) }
}

// waysOut are paths that reach the secret from the project's directory, unless something keeps them from it.
var waysOut = map[string]struct {
	prepare func(t *testing.T, inside string)
	path    string
}{
	"dots":                                 {nil, "../secret"},
	"dots behind a directory":              {directory("d"), "d/../../secret"},
	"many dots":                            {directory("d/e"), "d/e/../../../secret"},
	"a relative link":                      {link("../secret", "l"), "l"},
	"an absolute link":                     {link("OUTSIDE/secret", "l"), "l"},
	"a link to the directory above":        {link("..", "l"), "l/secret"},
	"an absolute link to a directory":      {link("OUTSIDE", "l"), "l/secret"},
	"a link through a link":                {both(link("m", "l"), link("..", "m")), "l/secret"},
	"a link that climbs and returns":       {link("../project/../secret", "l"), "l"},
	"a link below a directory":             {link("../../secret", "d/l"), "d/l"},
	"a link to the directory itself":       {both(link(".", "l"), link("../secret", "m")), "l/m"},
	"a link in the place of a parent":      {link("../../..", "d/e/l"), "d/e/l/secret"},
	"a link to the root of the host":       {link("/", "l"), "l/OUTSIDE/secret"},
	"a link in the place of .toolrun":      {link("..", ".toolrun"), ".toolrun/secret"},
	"a link in .toolrun":                   {link("../..", ".toolrun/l"), ".toolrun/l/secret"},
	"a link in /proc to the process's own": {link("/proc/self/root", "l"), "l/OUTSIDE/secret"},
}

func TestNoWayOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a privilege")
	}
	for name, test := range waysOut {
		if strings.Contains(name, "/proc") && runtime.GOOS != "linux" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p, inside, outside := openInside(t)
			if test.prepare != nil {
				test.prepare(t, inside)
			}
			path := strings.ReplaceAll(test.path, "OUTSIDE", outside)
			// The control: without a guard, the path reaches the secret.
			data, err := os.ReadFile(filepath.Join(inside, filepath.FromSlash(path)))
			if strings.Contains(path, "../") {
				data, err = os.ReadFile(inside + "/" + path) // with the dots that Join resolves
			}
			require.NoError(t, err)
			require.Equal(t, secret, string(data))

			attack(t, p, path)
			// What is outside is as it was.
			data, err = os.ReadFile(filepath.Join(outside, "secret"))
			require.NoError(t, err)
			require.Equal(t, secret, string(data))
			entries, err := os.ReadDir(outside)
			require.NoError(t, err)
			require.Len(t, entries, 2)
		})
	}
}

// attack tries everything on a path that should not be reached.
func attack(t *testing.T, p vfs.Project, path string) {
	t.Helper()
	ctx := context.Background()
	_, err := afero.ReadFile(p, path)
	require.Error(t, err)
	require.NotContains(t, err.Error(), secret)
	for _, flag := range []int{
		os.O_RDONLY, os.O_RDWR, os.O_WRONLY, os.O_WRONLY | os.O_APPEND, os.O_WRONLY | os.O_TRUNC,
		os.O_RDWR | os.O_CREATE,
		os.O_WRONLY | os.O_CREATE | os.O_APPEND, os.O_RDWR | os.O_CREATE | os.O_TRUNC,
		os.O_RDWR | os.O_CREATE | os.O_EXCL,
	} {
		f, err := p.OpenFile(path, flag, 0o666)
		if err != nil {
			continue // where dots are clamped, a file is made inside
		}
		data, _ := io.ReadAll(f)
		require.NotContains(t, string(data), secret)
		_, _ = f.WriteString("changed")
		_ = f.Truncate(1)
		_ = f.Close()
	}
	_ = vfs.Append(ctx, p, path, []byte("more"))
	_ = vfs.Edit(ctx, p, path, func(content []byte) ([]byte, error) {
		require.NotContains(t, string(content), secret)
		return []byte("changed"), nil
	})
	for i, copied := range []string{"copied", "moved", "renamed"} {
		err := []func() error{
			func() error { return vfs.Copy(ctx, p, path, copied) },
			func() error { return vfs.Move(ctx, p, path, copied) },
			func() error { return p.Rename(path, copied) },
		}[i]()
		if err == nil {
			data, _ := afero.ReadFile(p, copied)
			require.NotContains(t, string(data), secret)
		}
	}
	_ = p.Chmod(path, 0o777)
	_ = p.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0))
	_ = afero.WriteFile(p, "mine", []byte("mine"), 0o600)
	_ = p.Rename("mine", path)
	_ = p.Mkdir(path+"/d", 0o700)
	_ = p.MkdirAll(path+"/d/e", 0o700)
	_ = p.Remove(path)
	_ = p.RemoveAll(path)
	_ = p.RemoveAll(strings.Split(path, "/")[0])
	_, _ = p.Undo(ctx, "")
}

func TestLinksInsideAreNotFollowed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a privilege")
	}
	p, inside, _ := openInside(t)
	require.NoError(t, afero.WriteFile(p, "file", []byte("text"), 0o600))
	require.NoError(t, p.Mkdir("dir", 0o700))
	link("file", "to-file")(t, inside)
	link("dir", "to-dir")(t, inside)

	for _, name := range []string{"to-file", "to-dir", "to-dir/x"} {
		_, err := p.Open(name)
		require.ErrorIs(t, err, fs.ErrPermission, name)
		require.ErrorIs(t, afero.WriteFile(p, name, nil, 0o600), fs.ErrPermission, name)
	}
	require.ErrorIs(t, p.Mkdir("to-dir/x", 0o700), fs.ErrPermission)
	infos, err := afero.ReadDir(p, "/")
	require.NoError(t, err)
	require.Len(t, infos, 4)
	info, err := p.Stat("to-file")
	require.NoError(t, err)
	require.Equal(t, fs.ModeSymlink, info.Mode().Type())
	// They can be moved and removed, which leaves alone what they lead to.
	require.NoError(t, p.Rename("to-file", "dir/l"))
	require.NoError(t, p.Remove("to-dir"))
	require.NoError(t, p.RemoveAll("dir"))
	data, err := afero.ReadFile(p, "file")
	require.NoError(t, err)
	require.Equal(t, "text", string(data))
}

func TestHardLinksToTheOutsideAreCutBeforeWriting(t *testing.T) {
	for name, write := range map[string]func(p vfs.Project) error{
		"in place": func(p vfs.Project) error {
			f, err := p.OpenFile("l", os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("changed")
			return errors.Join(err, f.Close())
		},
		"appending": func(p vfs.Project) error {
			f, err := p.OpenFile("l", os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("changed")
			return errors.Join(err, f.Close())
		},
		"anew":  func(p vfs.Project) error { return afero.WriteFile(p, "l", []byte("changed"), 0o600) },
		"mode":  func(p vfs.Project) error { return p.Chmod("l", 0o777) },
		"times": func(p vfs.Project) error { return p.Chtimes("l", time.Unix(1, 0), time.Unix(1, 0)) },
		"truncating": func(p vfs.Project) error {
			f, err := p.OpenFile("l", os.O_RDWR, 0)
			if err != nil {
				return err
			}
			return errors.Join(f.Truncate(0), f.Close())
		},
		"removing": func(p vfs.Project) error { return p.Remove("l") },
		"removing, undone": func(p vfs.Project) error {
			_, err := p.Undo(context.Background(), "")
			return errors.Join(p.Remove("l"), ignore(err))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, inside, outside := openInside(t)
			file := filepath.Join(outside, "secret")
			require.NoError(t, os.Link(file, filepath.Join(inside, "l")))
			before, err := os.Stat(file)
			require.NoError(t, err)
			require.NoError(t, write(p))
			after, err := os.Stat(file)
			require.NoError(t, err)
			require.Equal(t, before.Mode(), after.Mode())
			require.Equal(t, before.ModTime(), after.ModTime())
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, secret, string(data))
		})
	}
}

func ignore(error) error { return nil }

// TestNoWayOutUnderRace swaps a directory for links while files in it are read and written.
func TestNoWayOutUnderRace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a privilege")
	}
	p, inside, outside := openInside(t)
	require.NoError(t, os.Mkdir(filepath.Join(inside, "real"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(inside, "real", "secret"), []byte("harmless"), 0o600))
	at := filepath.Join(inside, "d")

	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = os.Symlink("..", at)
				_ = os.Remove(at)
				_ = os.Rename(filepath.Join(inside, "real"), at)
				_ = os.Rename(at, filepath.Join(inside, "real"))
			}
		}
	})
	reached := 0
	times, changes := 1000, 100
	if *soak {
		times, changes = 20_000, 1000
	}
	for i := 0; i < times || reached == 0 && i < 5_000_000; i++ {
		data, err := afero.ReadFile(p, "d/secret")
		require.NotContains(t, string(data), secret)
		if err == nil {
			reached++
		}
	}
	for range 2 * changes {
		if f, err := p.OpenFile("d/secret", os.O_WRONLY, 0); err == nil {
			_, _ = f.WriteString("harmless")
			_ = f.Close()
		}
		_ = afero.WriteFile(p, "d/secret", []byte("harmless"), 0o600)
		_ = p.Chmod("d/secret", 0o700)
	}
	for range changes {
		_ = p.Remove("d/secret")
		_ = p.Rename("d/secret", "d/other")
		_ = p.RemoveAll("d")
		_ = p.MkdirAll("real", 0o700)
		_ = afero.WriteFile(p, "real/secret", []byte("harmless"), 0o600)
	}
	close(stop)
	swapping.Wait()
	data, err := os.ReadFile(filepath.Join(outside, "secret"))
	require.NoError(t, err)
	require.Equal(t, secret, string(data))
	info, err := os.Stat(filepath.Join(outside, "secret"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode())
	require.Positive(t, reached, "the files were never reached at all")
}

// TestHostileMeta opens a directory that comes with a .toolrun of its own, as a repository from the net could.
func TestHostileMeta(t *testing.T) {
	ctx := context.Background()
	for name, prepare := range map[string]func(t *testing.T, meta string){
		"garbage as state": func(t *testing.T, meta string) {
			require.NoError(t, os.WriteFile(filepath.Join(meta, "state"), []byte(strings.Repeat("x", 64)), 0o600))
		},
		"a directory as state": func(t *testing.T, meta string) {
			require.NoError(t, os.Mkdir(filepath.Join(meta,
				"state"), 0o700))
		},
		"a file as history": func(t *testing.T, meta string) {
			require.NoError(t, os.WriteFile(filepath.Join(meta, "history"), nil, 0o600))
		},
		"changes that make no sense": func(t *testing.T, meta string) {
			require.NoError(t, os.Mkdir(filepath.Join(meta, "history"), 0o700))
			for name, text := range map[string]string{
				"0000000000000000.page": `
					{"n":1,"op":"write","path":"/../../secret","kept":true}
					{"n":2,"op":"remove","path":"/.toolrun/state","kept":true}
					{"n":3,"op":"rename","path":"/a"}
					{"n":4,"op":"undone"}
					{"n":5,"op":"explode","path":"/a"}
					null
					{"n":7,"op":"create","path":"/"}
					{"n":1000,"op":"create","path":"/a"}
					{"n":-1,"op":"create","path":"/a"}
					{"n":0,"op":"create","path":"/a"}
					{"n":8,"after":{"size":-1}}
					{"n":9,"void":true}
					{"n":10,"op":"write","path":"/a","kept":true}
					{"n":11,"op":"create","path":"/a`,
				"0000000000000001.page": strings.Repeat("[", 3<<20),
				"0017592186044415.page": `{"n":1125899906842623,"op":"create","path":"/a"}`,
				"9999999999999999.page": `{"n":1125899906842623,"op":"create","path":"/a"}`,
				"-000000000000001.page": `{"n":1,"op":"create","path":"/a"}`,
				"other":                 `x`,
				"0008796093022208.page": `{"n":562949953421312,"op":"undone"}`,
			} {
				require.NoError(t, os.WriteFile(filepath.Join(meta, "history", name), []byte(text), 0o600))
			}
		},
		"kept things that are links": func(t *testing.T, meta string) {
			require.NoError(t, os.Mkdir(filepath.Join(meta, "history"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(meta, "history", "0000000000000000.page"),
				[]byte(`{"n":1,"op":"write","path":"/a","kept":true}`), 0o600))
			require.NoError(t, os.Symlink("../../../secret", filepath.Join(meta, "history", "0000000000000001.kept")))
		},
		"a link as tmp": func(t *testing.T, meta string) {
			require.NoError(t, os.Symlink("../..", filepath.Join(meta,
				"tmp")))
		},
		"a link as history": func(t *testing.T, meta string) {
			require.NoError(t, os.Symlink("../..", filepath.Join(meta, "history")))
		},
		"a link as state": func(t *testing.T, meta string) {
			require.NoError(t, os.Symlink("../../secret", filepath.Join(meta, "state")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(name, "link") {
				t.Skip("making links needs a privilege")
			}
			p, inside, outside := openInside(t)
			meta := filepath.Join(inside, ".toolrun")
			require.NoError(t, os.Mkdir(meta, 0o700))
			prepare(t, meta)

			_, _ = p.Changes(t.Context(), "/")
			for id := range int64(12) {
				if f, err := p.OpenVersion(t.Context(), id); err == nil {
					data, _ := io.ReadAll(f)
					require.NotContains(t, string(data), secret)
					_ = f.Close()
				}
			}
			// Either nothing can be changed, or all is well.
			if err := afero.WriteFile(p, "a", []byte("1"), 0o600); err == nil {
				for range 20 {
					_, err := p.Undo(ctx, "")
					if err != nil {
						break
					}
				}
				_ = p.Restore(ctx, 1, "")
				require.NoError(t, afero.WriteFile(p, "a", []byte("12"), 0o600))
				require.NoError(t, p.Remove("a"))
				usage, err := p.Usage(t.Context())
				require.NoError(t, err)
				require.Zero(t, usage.Bytes)
			}
			data, err := os.ReadFile(filepath.Join(outside, "secret"))
			require.NoError(t, err)
			require.Equal(t, secret, string(data))
			entries, err := os.ReadDir(outside)
			require.NoError(t, err)
			require.Len(t, entries, 2)
		})
	}
}

// A history that somebody has made can be as large as a disk, and is not read as a whole.
func TestHistoriesThatAreTooLarge(t *testing.T) {
	const limit, written = 4 << 20, 200
	_, inside, _ := openInside(t)
	p, err := local.OpenDir(inside, &vfs.Options{History: vfs.HistoryOptions{Bytes: limit}})
	require.NoError(t, err)
	defer p.Close()
	pages := filepath.Join(inside, ".toolrun", "history")
	require.NoError(t, os.MkdirAll(pages, 0o700))
	for page := range written {
		var text strings.Builder
		for n := range 64 {
			fmt.Fprintf(&text, "{\"n\":%d,\"op\":\"mkdir\",\"path\":\"/%d\"}\n", page*64+n, n)
		}
		require.NoError(t, os.WriteFile(filepath.Join(pages, fmt.Sprintf("%016d.page", page)),
			[]byte(text.String()), 0o600))
	}
	const most = 2*limit/4096 + 128 // twice as many as there can be
	changes, err := p.Changes(t.Context(), "/")
	require.NoError(t, err)
	require.NotEmpty(t, changes)
	require.LessOrEqual(t, len(changes), most)

	// The latest ones are there, and it goes on from there.
	require.EqualValues(t, written*64-1, changes[0].ID)
	require.NoError(t, p.Mkdir("a", 0o755))
	changes, err = p.Changes(t.Context(), "/a")
	require.NoError(t, err)
	require.Len(t, changes, 1)
}
