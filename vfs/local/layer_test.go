package local_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// layeredFiles are what is below in tests of layers.
var layeredFiles = map[string]string{
	"a.txt": "a", "dir/b.txt": "b", "dir/sub/c.txt": "c", "dir/sub/d.txt": "d", "other/e.txt": "e", "empty": "",
}

func layeredDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range layeredFiles {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

func openLayer(t *testing.T, dir, layer string) vfs.Layer {
	t.Helper()
	p, err := local.OpenLayer(dir, layer, &vfs.Options{NoSync: true, Quota: vfs.Quota{Growth: true}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// differences are those of a layer, as "op path", and "!" if it is a conflict.
func differences(t *testing.T, p vfs.Layer) []string {
	t.Helper()
	found, err := p.Differences(t.Context())
	require.NoError(t, err)
	return shortly(found)
}

func shortly(found []vfs.Difference) (short []string) {
	for _, d := range found {
		text := string(d.Op) + " " + d.Path
		if d.Conflict {
			text = "!" + text
		}
		short = append(short, text)
	}
	return short
}

// changeLayer does one of everything.
func changeLayer(t *testing.T, p vfs.Project) {
	t.Helper()
	write(t, p, "/a.txt", "changed")
	require.NoError(t, vfs.Append(t.Context(), p, "/dir/b.txt", []byte("+")))
	require.NoError(t, p.Rename("/dir/sub", "/moved"))
	require.NoError(t, p.RemoveAll("/other"))
	write(t, p, "/other/new.txt", "n")
	require.NoError(t, p.Remove("/empty"))
	require.NoError(t, p.Mkdir("/empty", 0o755))
	f, err := p.OpenFile("/dir/b.txt", os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("B"), 0)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

var changedLayer = map[string]string{
	"/": "directory", "/a.txt": "changed", "/dir": "directory", "/dir/b.txt": "B+", "/moved": "directory",
	"/moved/c.txt": "c",
	"/moved/d.txt": "d", "/other": "directory", "/other/new.txt": "n", "/empty": "directory",
}

var layerDifferences = []string{
	"write /a.txt", "remove /dir/sub", "write /dir/b.txt", "remove /empty", "mkdir /empty", "mkdir /moved",
	"create /moved/c.txt",
	"create /moved/d.txt", "remove /other/e.txt", "create /other/new.txt",
}

func TestLayer(t *testing.T) {
	dir, layer := layeredDir(t), filepath.Join(t.TempDir(), "layer")
	before := filesOfTheHost(t, dir)
	p := openLayer(t, dir, layer)
	original := snapshot(t, p)
	require.Len(t, original, 6+4)
	require.Empty(t, differences(t, p))
	changeLayer(t, p.WithCall("call"))
	require.Equal(t, changedLayer, snapshot(t, p))
	require.Equal(t, before, filesOfTheHost(t, dir), "nothing is written")
	require.Equal(t, layerDifferences, differences(t, p))
	requireExactUsage(t, p)

	// Others see the same, now and later, and everything can be undone.
	other := openLayer(t, dir, layer)
	require.Equal(t, changedLayer, snapshot(t, other))
	require.NoError(t, p.Close())
	_, err := other.Undo(t.Context(), "call")
	require.NoError(t, err)
	require.Equal(t, original, snapshot(t, other))
	require.Empty(t, differences(t, other))
	requireExactUsage(t, other)

	// Applying makes the directory as it has been shown.
	changeLayer(t, other)
	done, err := other.Apply(t.Context())
	require.NoError(t, err)
	require.Equal(t, layerDifferences, shortly(done))
	require.Equal(t, changedLayer, snapshot(t, other))
	require.Empty(t, differences(t, other))
	requireExactUsage(t, other)
	plain := openDir(t, dir, nil)
	require.Equal(t, changedLayer, snapshot(t, plain))
	_, err = os.Lstat(filepath.Join(dir, vfs.Reserved))
	require.ErrorIs(t, err, fs.ErrNotExist)
	write(t, other, "/a.txt", "again")
	require.Equal(t, []string{"write /a.txt"}, differences(t, other))
}

func TestLayerIsDiscarded(t *testing.T) {
	dir := layeredDir(t)
	p := openLayer(t, dir, t.TempDir())
	original := snapshot(t, p)
	for _, names := range [][]string{nil, {"/"}, {"a.txt", "dir", "moved", "other", "empty"}} {
		changeLayer(t, p)
		done, err := p.Discard(t.Context(), names...)
		require.NoError(t, err)
		require.ElementsMatch(t, layerDifferences, shortly(done))
		require.Equal(t, original, snapshot(t, p))
		require.Empty(t, differences(t, p))
		requireExactUsage(t, p)
	}
	_, err := p.Discard(t.Context(), `a\b`)
	require.ErrorIs(t, err, fs.ErrInvalid)
}

func TestLayerIsAppliedInPart(t *testing.T) {
	dir := layeredDir(t)
	p := openLayer(t, dir, t.TempDir())
	changeLayer(t, p)
	write(t, p, "/new/er/f.txt", "f")
	all, shown := differences(t, p), snapshot(t, p)
	for _, none := range []string{"/none", "dir/none", "/a.txt/none", "/other/none", "/other/e.txt/none",
		"/dir/sub/none", "/moved/none"} {
		for _, do := range []func(ctx context.Context, names ...string) ([]vfs.Difference, error){p.Apply, p.Discard} {
			done, err := do(t.Context(), "/a.txt", none)
			require.ErrorIs(t, err, vfs.ErrNoDifference, none)
			require.Empty(t, done)
		}
	}
	require.Equal(t, all, differences(t, p))
	require.Equal(t, shown, snapshot(t, p))
	for _, part := range []struct {
		names []string
		want  []string
	}{
		{[]string{"/a.txt"}, []string{"write /a.txt"}},
		// it hides what is below
		{[]string{"/other/new.txt"}, []string{"remove /other/e.txt", "create /other/new.txt"}},
		{[]string{"/new/er/f.txt"}, []string{"mkdir /new", "mkdir /new/er", "create /new/er/f.txt"}},
		{[]string{"/dir/sub/c.txt"}, []string{"remove /dir/sub"}}, // it is removed with that
		{[]string{"/dir"}, []string{"write /dir/b.txt"}},
	} {
		shown := snapshot(t, p)
		done, err := p.Apply(t.Context(), part.names...)
		require.NoError(t, err)
		require.Equal(t, part.want, shortly(done))
		require.Equal(t, shown, snapshot(t, p), "it shows the same as before")
	}
	require.Equal(t, []string{"remove /empty", "mkdir /empty", "mkdir /moved", "create /moved/c.txt",
		"create /moved/d.txt"}, differences(t, p))
}

func TestLayerConflicts(t *testing.T) {
	for name, test := range map[string]struct {
		mine   func(p vfs.Project) error
		theirs func(dir string) error
		want   []string
	}{
		"both write": {
			func(p vfs.Project) error { return vfs.WriteFile(ctxOf(), p, "/a.txt", []byte("mine")) },
			func(dir string) error { return os.WriteFile(filepath.Join(dir, "a.txt"), []byte("theirs"), 0o644) },
			[]string{"!write /a.txt"},
		},
		"both create": {
			func(p vfs.Project) error { return vfs.WriteFile(ctxOf(), p, "/new", []byte("mine")) },
			func(dir string) error { return os.WriteFile(filepath.Join(dir, "new"), []byte("theirs"), 0o644) },
			[]string{"!write /new"},
		},
		"removed and written": {
			func(p vfs.Project) error { return p.Remove("/a.txt") },
			func(dir string) error { return os.WriteFile(filepath.Join(dir, "a.txt"), []byte("theirs"), 0o644) },
			[]string{"!remove /a.txt"},
		},
		"removed with something new in it": {
			func(p vfs.Project) error { return p.RemoveAll("/dir") },
			func(dir string) error {
				return os.WriteFile(filepath.Join(dir, "dir", "sub", "new"), []byte("theirs"), 0o644)
			},
			[]string{"!remove /dir"},
		},
		"written and removed": {
			func(p vfs.Project) error { return vfs.WriteFile(ctxOf(), p, "/a.txt", []byte("mine")) },
			func(dir string) error { return os.Remove(filepath.Join(dir, "a.txt")) },
			[]string{"!create /a.txt"},
		},
		"other files": {
			func(p vfs.Project) error { return vfs.WriteFile(ctxOf(), p, "/dir/b.txt", []byte("mine")) },
			func(dir string) error {
				return os.WriteFile(filepath.Join(dir, "dir", "sub", "c.txt"), []byte("theirs"), 0o644)
			},
			[]string{"write /dir/b.txt"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := layeredDir(t)
			p := openLayer(t, dir, t.TempDir())
			require.NoError(t, test.mine(p))
			write(t, p, "/free", "free")
			require.NoError(t, test.theirs(dir))
			found := differences(t, p)
			require.Subset(t, found, test.want)
			before, shown := filesOfTheHost(t, dir), snapshot(t, p)
			_, err := p.Apply(t.Context())
			if test.want[0][0] != '!' {
				require.NoError(t, err)
				return
			}
			require.ErrorAs(t, err, new(*vfs.ConflictError))
			require.Equal(t, before, filesOfTheHost(t, dir))
			require.Equal(t, shown, snapshot(t, p))
			_, err = p.Apply(t.Context(), "/free")
			require.NoError(t, err)
			_, err = p.Discard(t.Context())
			require.NoError(t, err)
			require.Empty(t, differences(t, p))
		})
	}
}

// What is protected cannot be in a layer, and nothing of a layer gets there.
func TestLayerIsProtected(t *testing.T) {
	attacked := openLayer(t, protectedDir(t), t.TempDir())
	for name, attack := range protectionAttacks() {
		require.ErrorAs(t, attack(attacked), new(*vfs.ProtectedError), name)
	}
	dir, layer := protectedDir(t), t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(layer, ".git"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(layer, ".git", "config"), []byte("evil"), 0o644))
	p := openLayer(t, dir, layer)
	before := filesOfTheHost(t, dir)
	_, err := p.Apply(t.Context())
	require.Error(t, err)
	require.Equal(t, before, filesOfTheHost(t, dir))
	_, err = p.Discard(t.Context())
	require.NoError(t, err)
	require.Equal(t, "[core]\n", read(t, p, "/.git/config"))
}

// Links below are as in any project: they are seen and can be removed, and lead nowhere, also when a layer is applied.
func TestLayerOverLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a privilege")
	}
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o644))
	dir := layeredDir(t)
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link")))
	p := openLayer(t, dir, t.TempDir())
	_, err := afero.ReadFile(p, "/link/secret")
	require.ErrorIs(t, err, fs.ErrPermission)
	require.ErrorIs(t, vfs.WriteFile(t.Context(), p, "/link/new", nil), fs.ErrPermission)
	require.NoError(t, p.Remove("/link"))
	require.Equal(t, []string{"remove /link"}, differences(t, p))
	write(t, p, "/dir/b.txt", "new")
	require.NoError(t, os.Rename(filepath.Join(dir, "dir"), filepath.Join(dir, "dir2")))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "dir")))
	_, err = p.Apply(t.Context())
	require.Error(t, err)
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// TestLayerBehavesLikeAProject does the same at random with a layer over files and with a project in memory.
func TestLayerBehavesLikeAProject(t *testing.T) {
	names := []string{"/a.txt", "/dir", "/dir/b.txt", "/dir/sub", "/dir/sub/c.txt", "/other", "/other/e.txt", "/empty",
		"/x", "/dir/x", "/x/y"}
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 1))
		dir, layer := layeredDir(t), t.TempDir()
		p := openLayer(t, dir, layer)
		model := openProject(t, local.NewMemoryStore(nil), "p")
		for name, text := range layeredFiles {
			write(t, model, name, text)
		}
		for step := range 40 {
			from, to := names[random.IntN(len(names))], names[random.IntN(len(names))]
			op, text := random.IntN(8), fmt.Sprint(step)
			do := func(files afero.Fs) error {
				switch op {
				case 0:
					return afero.WriteFile(files, from, []byte(text), 0o644)
				case 1:
					return files.Rename(from, to)
				case 2:
					return files.RemoveAll(from)
				case 3:
					return files.Remove(from)
				case 4:
					return files.MkdirAll(from, 0o755)
				case 5:
					return vfs.Append(ctxOf(), files, from, []byte(text))
				case 6:
					return vfs.Copy(ctxOf(), files, from, to)
				}
				f, err := files.OpenFile(from, os.O_RDWR|os.O_CREATE, 0o644)
				if err == nil {
					_, err = f.WriteString(text)
					_ = f.Close()
				}
				return err
			}
			want, got := do(model), do(p)
			require.Equal(t, fmt.Sprint(want), fmt.Sprint(got), "seed %d step %d: %d %s %s", seed, step, op, from, to)
			require.Equal(t, snapshot(t, model), snapshot(t, p), "seed %d step %d: %d %s %s", seed, step, op, from, to)
			if random.IntN(30) == 0 {
				_, err := p.Apply(t.Context())
				require.NoError(t, err)
			}
		}
		requireExactUsage(t, p)
		_, err := p.Apply(t.Context())
		require.NoError(t, err)
		require.Empty(t, differences(t, p))
		require.Equal(t, snapshot(t, model), snapshot(t, openDir(t, dir, nil)))
	}
}
