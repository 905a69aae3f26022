package cachedir_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/cachedir"
)

func key(text string) cachedir.Key { return sha256.Sum256([]byte(text)) }

// fill writes the content of an entry.
func fill(t testing.TB, e *cachedir.Entry) {
	t.Helper()
	require.NoError(t, os.Mkdir(filepath.Join(e.Dir(), "compiler-1"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(e.Dir(), "compiler-1", "code"),
		[]byte(strings.Repeat("native code ", 1000)), 0o600))
	require.NoError(t, e.Write("data", []byte("some data")))
}

// keep makes an entry and returns its directory.
func keep(t testing.TB, dir string, k cachedir.Key) string {
	t.Helper()
	e, err := cachedir.Open(dir, "engine", k)
	require.NoError(t, err)
	require.False(t, e.Found())
	_, err = e.Read("data")
	require.ErrorIs(t, err, os.ErrNotExist)
	fill(t, e)
	require.NoError(t, e.Publish())
	require.NoError(t, e.Close())
	return e.Dir()
}

// found reports whether there is an entry whose files are what was written.
func found(t testing.TB, dir string, k cachedir.Key) bool {
	t.Helper()
	e, err := cachedir.Open(dir, "engine", k)
	require.NoError(t, err)
	defer e.Close()
	return e.Found() && intact(t, e)
}

// intact reports whether the files that fill writes are what was written, as far as they are there.
func intact(t testing.TB, e *cachedir.Entry) bool {
	t.Helper()
	_, err := e.Read("data")
	if err == nil {
		err = e.Guard(func() error { return nil }, code)
	}
	if err == nil || errors.Is(err, os.ErrNotExist) {
		return true
	}
	require.ErrorIs(t, err, cachedir.ErrDamaged)
	require.NoDirExists(t, e.Dir())
	return false
}

// code is a file that another library reads by its path.
const code = "compiler-1/code"

func names(t testing.TB, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, d := range list {
		names = append(names, d.Name())
	}
	return names
}

func TestEntriesAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	kept := keep(t, dir, key("1"))

	e, err := cachedir.Open(dir, "engine", key("1"))
	require.NoError(t, err)
	require.True(t, e.Found())
	require.Equal(t, kept, e.Dir())
	data, err := e.Read("data")
	require.NoError(t, err)
	require.Equal(t, "some data", string(data))
	_, err = e.Read("code")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorIs(t, e.Guard(func() error { return os.ErrInvalid }, code), os.ErrInvalid)
	require.NoError(t, e.Publish(), "there is nothing to do")
	require.NoError(t, e.Close())

	require.False(t, found(t, dir, key("2")))
}

func TestWhatIsNotPublishedIsRemoved(t *testing.T) {
	dir := t.TempDir()
	e, err := cachedir.Open(dir, "engine", key("1"))
	require.NoError(t, err)
	fill(t, e)
	require.NoError(t, e.Close())
	require.Empty(t, names(t, dir))
}

func TestDamagedEntriesAreMadeAgain(t *testing.T) {
	edit := func(name string, change func([]byte) []byte) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, filepath.FromSlash(name))
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, change(data), 0o600))
		}
	}
	flip := func(data []byte) []byte { data[len(data)/2] ^= 1; return data }
	cut := func(data []byte) []byte { return data[:len(data)-1] }
	empty := func([]byte) []byte { return nil }
	for name, damage := range map[string]func(t *testing.T, dir string){
		"a bit of the code":    edit("compiler-1/code", flip),
		"the end of the code":  edit("compiler-1/code", cut),
		"no code":              edit("compiler-1/code", empty),
		"a bit of other files": edit("data", flip),
		"a bit of the hashes":  edit("CHECKSUMS", flip),
		"the end of hashes":    edit("CHECKSUMS", cut),
		"no hashes":            edit("CHECKSUMS", empty),
		"a missing file": func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "data")))
		},
		"a missing file of hashes": func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "CHECKSUMS")))
		},
		"neither files nor hashes": func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "data")))
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "compiler-1")))
			require.NoError(t, os.Truncate(filepath.Join(dir, "CHECKSUMS"), 0))
		},
		"a file too many": func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "compiler-1", "more"), nil, 0o600))
		},
		"a file with another name": func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(filepath.Join(dir, "data"), filepath.Join(dir, "date")))
		},
		"nothing": func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(dir))
			require.NoError(t, os.Mkdir(dir, 0o700))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			kept := keep(t, dir, key("1"))
			require.True(t, found(t, dir, key("1")))
			damage(t, kept)
			require.False(t, found(t, dir, key("1")))
			require.Empty(t, names(t, dir))
			keep(t, dir, key("1"))
			require.True(t, found(t, dir, key("1")))
		})
	}
}

// TestFilesThatAreReplaced lets a library that reads a file by its path make it anew, as if another process had removed
// it first.
func TestFilesThatAreReplaced(t *testing.T) {
	for name, replace := range map[string]func(path string) error{
		"by another file": func(path string) error {
			if err := os.WriteFile(path+".new", []byte("other code"), 0o600); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		},
		"by the same": func(path string) error {
			data, err := os.ReadFile(path)
			if err == nil {
				err = os.Remove(path)
			}
			if err == nil {
				err = os.WriteFile(path, data, 0o600)
			}
			return err
		},
		"by nothing": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			keep(t, dir, key("1"))
			e, err := cachedir.Open(dir, "engine", key("1"))
			require.NoError(t, err)
			defer e.Close()
			err = e.Guard(func() error { return replace(filepath.Join(e.Dir(), filepath.FromSlash(code))) }, code)
			if goruntime.GOOS != "windows" { // where files that are open stay
				require.ErrorIs(t, err, cachedir.ErrDamaged)
				require.False(t, found(t, dir, key("1")))
			}
		})
	}
}

func TestProcessesThatStartTogether(t *testing.T) {
	t.Run("the first one's entry stays", func(t *testing.T) {
		dir := t.TempDir()
		first, err := cachedir.Open(dir, "engine", key("1"))
		require.NoError(t, err)
		second, err := cachedir.Open(dir, "engine", key("1"))
		require.NoError(t, err)
		require.NotEqual(t, first.Dir(), second.Dir())
		require.NoError(t, second.Write("data", []byte("the second one's")))
		fill(t, first)
		require.NoError(t, first.Publish())
		require.NoError(t, second.Publish())
		require.NoError(t, second.Close())
		require.NoError(t, first.Close())
		require.Len(t, names(t, dir), 1)
		e, err := cachedir.Open(dir, "engine", key("1"))
		require.NoError(t, err)
		require.True(t, e.Found())
		require.True(t, intact(t, e))
	})
	t.Run("many of several versions", func(t *testing.T) {
		dir := t.TempDir()
		var wg sync.WaitGroup
		for i := range 24 {
			wg.Go(func() {
				for range 10 {
					e, err := cachedir.Open(dir, "engine", key(fmt.Sprint(i%6)))
					if err != nil {
						t.Error(err)
						return
					}
					if !e.Found() {
						err = e.Write("data", []byte("some data"))
						if err == nil {
							err = e.Publish()
						}
						if err != nil {
							t.Error(err)
						}
					} else if data, err := e.Read("data"); err != nil || string(data) != "some data" {
						t.Error(string(data), err)
					}
					if err := e.Close(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		require.Len(t, names(t, dir), 6)
	})
}

func TestOldEntriesAreRemoved(t *testing.T) {
	age := func(t *testing.T, path string, age time.Duration) {
		then := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(path, then, then))
	}
	const day = 24 * time.Hour
	t.Run("those that are not used", func(t *testing.T) {
		dir := t.TempDir()
		unused, used, rarely := keep(t, dir, key("unused")), keep(t, dir, key("used")), keep(t, dir, key("rarely used"))
		age(t, unused, 31*day)
		age(t, used, 31*day)
		age(t, rarely, 29*day)
		require.True(t, found(t, dir, key("used")))
		keep(t, dir, key("new"))
		require.Len(t, names(t, dir), 3)
		for _, name := range []string{"new", "used", "rarely used"} {
			require.True(t, found(t, dir, key(name)), name)
		}
	})
	t.Run("those that are too many", func(t *testing.T) {
		dir := t.TempDir()
		for i := range 40 {
			age(t, keep(t, dir, key(fmt.Sprint(i))), time.Duration(40-i)*time.Minute)
		}
		require.Len(t, names(t, dir), 32)
		for i := range 40 {
			_, err := os.Lstat(filepath.Join(dir, fmt.Sprintf("engine-%x", key(fmt.Sprint(i)))))
			require.Equal(t, i >= 8, err == nil, i)
		}
	})
	t.Run("those that are too large", func(t *testing.T) {
		dir := t.TempDir()
		for i := range 5 {
			entry := keep(t, dir, key(fmt.Sprint(i)))
			require.NoError(t, os.Truncate(filepath.Join(entry, "data"), 1<<30)) // which takes no room
			age(t, entry, time.Duration(20-i)*time.Minute)
		}
		require.Len(t, names(t, dir), 4)
		keep(t, dir, key("new"))
		require.Len(t, names(t, dir), 4)
		require.True(t, found(t, dir, key("new")))
	})
	t.Run("what killed processes have left", func(t *testing.T) {
		dir := t.TempDir()
		for _, old := range []time.Duration{time.Minute, 2 * time.Hour} {
			e, err := cachedir.Open(dir, "engine", key("killed"))
			require.NoError(t, err)
			fill(t, e)
			age(t, e.Dir(), old)
		}
		require.Len(t, names(t, dir), 2)
		keep(t, dir, key("new"))
		require.Len(t, names(t, dir), 2, "what another process may be making stays")
	})
	t.Run("what processes have left that are killed again and again", func(t *testing.T) {
		dir := t.TempDir()
		for range 40 {
			e, err := cachedir.Open(dir, "engine", key("killed"))
			require.NoError(t, err)
			fill(t, e)
			age(t, e.Dir(), 2*time.Minute)
		}
		require.Len(t, names(t, dir), 33)
	})
	t.Run("but not what many processes are making", func(t *testing.T) {
		dir := t.TempDir()
		for range 20 {
			e, err := cachedir.Open(dir, "engine", key("new"))
			require.NoError(t, err)
			defer e.Close()
		}
		require.Len(t, names(t, dir), 20)
	})
	t.Run("but not what others are making, by a clock that is behind", func(t *testing.T) {
		dir := t.TempDir()
		others, err := cachedir.Open(dir, "engine", key("made by another"))
		require.NoError(t, err)
		synctest.Test(t, func(t *testing.T) { // where it is the year 2000
			keep(t, dir, key("new"))
		})
		fill(t, others)
		require.NoError(t, others.Publish())
		require.Len(t, names(t, dir), 2)
	})
	t.Run("before others, those of a clock that was ahead", func(t *testing.T) {
		dir := t.TempDir()
		for i := range 31 {
			age(t, keep(t, dir, key(fmt.Sprint("ahead ", i))), -1000*day)
		}
		age(t, keep(t, dir, key("one")), 2*time.Minute)
		age(t, keep(t, dir, key("another")), time.Minute)
		keep(t, dir, key("new"))
		require.Len(t, names(t, dir), 32)
		require.True(t, found(t, dir, key("one")))
		require.True(t, found(t, dir, key("another")))

		e, err := cachedir.Open(dir, "engine", key("killed"))
		require.NoError(t, err)
		age(t, e.Dir(), -1000*day)
		keep(t, dir, key("newer"))
		require.NoDirExists(t, e.Dir())
	})
	t.Run("and nothing else", func(t *testing.T) {
		dir := t.TempDir()
		old := keep(t, dir, key("old"))
		name := filepath.Base(old)
		others := []string{"data", strings.Replace(name, "engine", "image", 1), "engine-", "engine-old", name + "0",
			name + ".new", name + ".new-x", "x" + name, name + ".bak"}
		for _, other := range others {
			require.NoError(t, os.Mkdir(filepath.Join(dir, other), 0o700))
			age(t, filepath.Join(dir, other), 400*day)
		}
		file := filepath.Join(dir, "engine-"+strings.Repeat("0", 64))
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		age(t, file, 400*day)
		age(t, old, 400*day)
		keep(t, dir, key("new"))
		require.NoDirExists(t, old)
		require.FileExists(t, file)
		for _, other := range others {
			require.DirExists(t, filepath.Join(dir, other))
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	e, err := cachedir.Open(dir, "engine", key("1"))
	require.NoError(b, err)
	require.NoError(b, e.Write("data", make([]byte, 5<<20)))
	require.NoError(b, e.Publish())
	b.SetBytes(5 << 20)
	for b.Loop() {
		require.True(b, found(b, dir, key("1")))
	}
}
