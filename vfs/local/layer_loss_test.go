package local_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// What no layer can hold is neither lost when a directory is moved, nor when its removal is applied.
func TestLayerLosesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it needs links, and names that Windows does not have")
	}
	for name, test := range map[string]struct {
		entry   string
		removed bool // applying the removal of the directory is right
	}{
		"link":            {"link", true},
		"odd name":        {`x\y`, false},
		"another project": {".toolrun/h", false},
		"decomposed name": {"u\u0308", false},
	} {
		for _, inside := range []string{"", "sub"} {
			t.Run(name+inside, func(t *testing.T) {
				dir := layeredDir(t)
				entry := filepath.Join(dir, "dir", inside, test.entry)
				require.NoError(t, os.MkdirAll(filepath.Dir(entry), 0o755))
				if test.entry == "link" {
					require.NoError(t, os.Symlink("b.txt", entry))
				} else {
					require.NoError(t, os.WriteFile(entry, []byte("kept"), 0o644))
				}
				before := filesOfTheHost(t, dir)
				p := openLayer(t, dir, t.TempDir())
				err := p.Rename("/dir", "/dir2")
				require.ErrorAs(t, err, new(*vfs.UncoveredError))
				require.ErrorIs(t, err, syscall.EXDEV)
				require.Empty(t, differences(t, p))
				require.Equal(t, "b", read(t, p, "/dir/b.txt"))

				require.NoError(t, p.RemoveAll("/dir"))
				write(t, p, "/a.txt", "new")
				_, err = p.Apply(t.Context())
				if test.removed {
					require.NoError(t, err)
					require.NoFileExists(t, filepath.Join(dir, "dir"))
					return
				}
				require.ErrorAs(t, err, new(*vfs.UncoveredError))
				require.Equal(t, before, filesOfTheHost(t, dir))
				_, err = p.Apply(t.Context(), "/a.txt")
				require.NoError(t, err)
				_, err = p.Discard(t.Context(), "/dir")
				require.NoError(t, err)
				require.Empty(t, differences(t, p))
				require.FileExists(t, entry)
			})
		}
	}
}

// An expiring context is over after it has been asked some times.
type expiring struct {
	context.Context
	left int
}

func (e *expiring) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// changeInterrupted makes changes that depend on each other, also in a directory that hides what is below.
func changeInterrupted(t *testing.T, p vfs.Project) {
	t.Helper()
	write(t, p, "/a.txt", "changed")
	require.NoError(t, p.RemoveAll("/dir"))
	write(t, p, "/dir/sub/p", "p")
	require.NoError(t, p.Remove("/empty"))
	require.NoError(t, p.Mkdir("/empty", 0o755))
	write(t, p, "/new/q", "q")
	require.NoError(t, p.RemoveAll("/other"))
}

// Wherever applying stops, applying again finishes it, and nobody else's changes get in the way.
func TestLayerIsAppliedAfterAFailure(t *testing.T) {
	p := openLayer(t, layeredDir(t), t.TempDir())
	changeInterrupted(t, p)
	require.Contains(t, differences(t, p), "write /a.txt")
	whole := &expiring{t.Context(), 1e9}
	applied, err := p.Apply(whole)
	require.NoError(t, err)
	asked := 1e9 - whole.left
	for _, killed := range []bool{false, true} {
		for at := range len(applied) + 1 {
			if killed && at%2 == 0 {
				continue // takes long, and is no different
			}
			dir, layer := layeredDir(t), t.TempDir()
			p := openLayer(t, dir, layer)
			changeInterrupted(t, p)
			shown := snapshot(t, p)
			if killed {
				require.NoError(t, local.BreakApplying(p, at))
			} else {
				done, err := p.Apply(&expiring{t.Context(), asked - len(applied) + at})
				require.Equal(t, at == len(applied), err == nil)
				require.Equal(t, applied[:at], append([]vfs.Difference{}, done...))
			}
			require.Equal(t, shown, snapshot(t, p))
			for _, d := range differences(t, p) {
				require.NotContains(t, d, "!", "%v %d", killed, at)
			}
			write := vfs.Difference{Path: "/a.txt", Op: vfs.OpWrite}
			// what is applied is no longer the layer's
			if !killed && at%2 == 1 && slices.Contains(applied[:at], write) {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("theirs"), 0o644))
				shown["/a.txt"] = "theirs"
			}
			require.NoError(t, p.Close())
			p = openLayer(t, dir, layer)
			_, again := p.Apply(t.Context())
			require.NoError(t, again, "%v %d", killed, at)
			require.Equal(t, shown, snapshot(t, openDir(t, dir, nil)))
			require.Empty(t, differences(t, p))
			requireExactUsage(t, p)
		}
	}
}

// What others write where applying was interrupted is still a conflict, wherever it was, and nothing of it is lost.
func TestLayerConflictsAfterAFailure(t *testing.T) {
	p := openLayer(t, layeredDir(t), t.TempDir())
	changeInterrupted(t, p)
	steps := len(differences(t, p))
	for name, theirs := range map[string]struct {
		change   func(dir string) error
		conflict string
	}{
		"a file": {writes("a.txt"), "/a.txt"},
		"a removed file": {func(dir string) error {
			return errors.Join(os.RemoveAll(dir+"/empty"), writes("empty")(dir))
		}, "/empty"},
		"in what is removed":  {writes("other/late"), "/other"},
		"in what is replaced": {writes("dir/sub/late"), "/dir"},
		"over what is new":    {writes("dir/sub/p"), "/dir"},
		"a directory instead": {func(dir string) error {
			return errors.Join(os.RemoveAll(dir+"/dir/sub"), os.MkdirAll(dir+"/dir/sub", 0o755),
				writes("dir/sub/late")(dir))
		}, "/dir"},
		"beside": {writes("late"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, at := range []int{steps / 2, steps - 1} {
				dir, layer := layeredDir(t), t.TempDir()
				p := openLayer(t, dir, layer)
				changeInterrupted(t, p)
				require.NoError(t, local.BreakApplying(p, at))
				require.NoError(t, theirs.change(dir))
				require.NoError(t, p.Close())
				before := filesBelow(t, dir)
				p = openLayer(t, dir, layer)
				require.NoDirExists(t, filepath.Join(dir, vfs.Reserved))
				_, err := p.Apply(t.Context())
				if theirs.conflict == "" {
					require.NoError(t, err)
					continue
				}
				var conflict *vfs.ConflictError
				require.ErrorAs(t, err, &conflict, at)
				require.True(t, vfs.Within(conflict.Paths[0], theirs.conflict), "%v", conflict.Paths)
				require.Equal(t, before, filesBelow(t, dir))
			}
		})
	}
}

// filesBelow returns what is in a directory, and writes nothing to it.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	return snapshot(t, openDir(t, dir, &vfs.Options{ReadOnly: true}))
}

// writes returns a function that writes another text to a file of the host.
func writes(name string) func(dir string) error {
	return func(dir string) error {
		name := filepath.Join(dir, filepath.FromSlash(name))
		return errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte("somebody else's"), 0o644))
	}
}

// What a killed process has begun to drop, after applying or for good, is dropped by the next one, and means nothing
// else.
func TestLayerIsDroppedAfterAFailure(t *testing.T) {
	for _, applied := range []bool{true, false} {
		for _, top := range []string{"/", "/dir"} {
			t.Run(fmt.Sprint(applied, top), func(t *testing.T) {
				dir, layer := layeredDir(t), t.TempDir()
				p := openLayer(t, dir, layer)
				changeInterrupted(t, p)
				if applied {
					require.NoError(t, local.BreakApplying(p, math.MaxInt))
				}
				want := filesBelow(t, dir)
				require.NoError(t, local.BreakDropping(p, top))
				require.NoError(t, p.Close())
				p = openLayer(t, dir, layer)
				for _, d := range differences(t, p) {
					require.NotContains(t, d, " /dir")
				}
				if top == "/" || applied {
					require.Empty(t, differences(t, p))
					_, err := p.Apply(t.Context())
					require.NoError(t, err)
				}
				require.Equal(t, want, filesBelow(t, dir))
				require.NoDirExists(t, filepath.Join(dir, vfs.Reserved))
				requireExactUsage(t, p)
			})
		}
	}
}

// Nothing is applied if something at the end is protected.
func TestLayerIsCheckedBeforeItIsApplied(t *testing.T) {
	dir, layer := layeredDir(t), t.TempDir()
	careless, err := local.OpenLayer(dir, layer, &vfs.Options{NoSync: true, Unprotect: []string{"*"}})
	require.NoError(t, err)
	defer careless.Close()
	changeInterrupted(t, careless)
	write(t, careless, "/dir/.envrc", "evil")
	before := filesOfTheHost(t, dir)
	p := openLayer(t, dir, layer)
	done, err := p.Apply(t.Context())
	require.ErrorAs(t, err, new(*vfs.ProtectedError))
	require.Empty(t, done)
	require.Equal(t, before, filesOfTheHost(t, dir))
	_, err = careless.Apply(t.Context())
	require.NoError(t, err)
}

// However many paths are used, a layer's notes stay small, and it can always be discarded.
func TestLayerNotesAreLimited(t *testing.T) {
	dir, layer := layeredDir(t), t.TempDir()
	p, other := openLayer(t, dir, layer), openLayer(t, dir, layer)
	local.LimitLayer(p, 128<<10)
	size := func() int64 {
		info, err := os.Stat(filepath.Join(layer, ".toolrun", "layer"))
		require.NoError(t, err)
		return info.Size()
	}
	write(t, p, "/a.txt", "changed")
	long := strings.Repeat("/"+strings.Repeat("<", 250), 3)
	require.NoError(t, p.MkdirAll(long, 0o755))
	for i := range 80 {
		name := fmt.Sprintf("%s/%d", long, i)
		require.NoError(t, p.Mkdir(name, 0o755))
		require.NoError(t, p.Remove(name))
	}
	require.Less(t, size(), int64(80<<10))
	require.Len(t, differences(t, p), 4)
	require.Equal(t, differences(t, p), differences(t, other))

	var err error
	made := 0
	for ; err == nil; made++ {
		require.Less(t, made, 200)
		err = p.Mkdir(fmt.Sprintf("%s/%d", long, made), 0o755)
	}
	require.ErrorAs(t, err, new(*vfs.QuotaError))
	require.LessOrEqual(t, size(), int64(128<<10))
	require.Len(t, differences(t, other), made+3)
	done, err := p.Discard(t.Context())
	require.NoError(t, err)
	require.Len(t, done, made+3)
	require.Zero(t, size())
	require.Empty(t, differences(t, other))
	changeLayer(t, p)
	require.Equal(t, layerDifferences, differences(t, other))
	_, err = other.Apply(t.Context())
	require.NoError(t, err)
	require.Zero(t, size())
	require.Equal(t, changedLayer, snapshot(t, p))
}

// A layer cannot be in the directory that it belongs to, whichever way that is named.
func TestLayerIsOutside(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	outside := filepath.Join(elsewhere, "layer")
	inside := []string{dir, filepath.Join(dir, "a", "b"), filepath.Join(dir, "..", filepath.Base(dir), "x")}
	if runtime.GOOS != "windows" {
		require.NoError(t, os.Symlink(dir, filepath.Join(elsewhere, "link")))
		inside = append(inside, filepath.Join(elsewhere, "link"), filepath.Join(elsewhere, "link", "a", "b"))
	}
	for _, layer := range inside {
		_, err := local.OpenLayer(dir, layer, nil)
		require.Error(t, err, layer)
	}
	require.Len(t, filesOfTheHost(t, dir), 1)
	for _, other := range []string{outside, elsewhere, dir + "x", filepath.Join(dir, "..")} {
		contained, err := local.Contains(dir, other)
		require.NoError(t, err)
		require.False(t, contained, other)
	}
	contained, err := local.Contains(string(filepath.Separator), outside)
	require.NoError(t, err)
	require.True(t, contained)
}
