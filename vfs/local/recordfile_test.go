package local_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// recordsIn opens a store in a directory and returns its records of one kind.
func recordsIn(t testing.TB, dir string) vfs.Records {
	store, err := local.OpenStore(dir, &vfs.Options{NoSync: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store.Records("kind")
}

func changeRecord(r vfs.Records, data string) (before string, err error) {
	err = r.Change(context.Background(), "one", time.Hour, func(now []byte) ([]byte, error) {
		before = string(now)
		return []byte(data), nil
	})
	return before, err
}

func getRecord(t testing.TB, r vfs.Records) string {
	data, err := r.Get(t.Context(), "one")
	require.NoError(t, err)
	return string(data)
}

// onlyRecord returns the path of the file of the only record in a store.
func onlyRecord(t testing.TB, dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, ".records", "*", "*.rec"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	return files[0]
}

// TestInterruptedRecord leaves a record as a machine may that loses its power, or a process that is killed, at each
// byte of a change.
func TestInterruptedRecord(t *testing.T) {
	dir := t.TempDir()
	r := recordsIn(t, dir)
	third := strings.Repeat("third ", 20)
	for _, data := range []string{"first", "second", third} {
		_, err := changeRecord(r, data)
		require.NoError(t, err)
	}
	file := onlyRecord(t, dir)
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	last := strings.Repeat("the last one ", 10)
	_, err = changeRecord(r, last)
	require.NoError(t, err)
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, before, after[:len(before)], "it has been appended")
	require.Equal(t, last, getRecord(t, r))

	check := func(what string, content []byte) {
		require.NoError(t, os.WriteFile(file, content, 0o600))
		require.Equal(t, third, getRecord(t, r), what)
		names, err := r.List(t.Context(), "", 0)
		require.NoError(t, err)
		require.Equal(t, []string{"one"}, names, what)
		was, err := changeRecord(r, "next")
		require.NoError(t, err)
		require.Equal(t, third, was, what)
		require.Equal(t, "next", getRecord(t, r), what)
		was, err = changeRecord(r, "and on")
		require.NoError(t, err)
		require.Equal(t, "next", was, what)
	}
	for n := len(before); n < len(after); n++ {
		check(fmt.Sprintf("cut at %d", n), after[:n])
		zeros := append(bytes.Clone(after[:n]), make([]byte, len(after)-n)...)
		check(fmt.Sprintf("zeros from %d", n), zeros)
		wrong := bytes.Clone(after)
		wrong[n] ^= 4
		check(fmt.Sprintf("%d is wrong", n), wrong)
	}
}

// TestDamagedRecord has contents that no interruption leaves. They are errors, and stay as they are.
func TestDamagedRecord(t *testing.T) {
	dir := t.TempDir()
	r := recordsIn(t, dir)
	for _, data := range []string{"first", "second", "third"} {
		_, err := changeRecord(r, data)
		require.NoError(t, err)
	}
	file := onlyRecord(t, dir)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	second := bytes.Index(whole, []byte("second"))
	middle := bytes.Clone(whole)
	middle[second] ^= 1
	later := bytes.Clone(whole)
	later[second-16] ^= 1 // until when it is kept
	for name, content := range map[string][]byte{
		"empty":                       {},
		"a byte":                      {1},
		"a head":                      whole[:16],
		"half of the first":           whole[:19],
		"zeros":                       make([]byte, 100),
		"ones":                        bytes.Repeat([]byte{255}, 100),
		"text":                        []byte(strings.Repeat("text ", 100)),
		"a sparse file":               make([]byte, 64<<10),
		"more than a record can have": make([]byte, vfs.MaxRecord+17),
		"a wrong bit before others":   middle,
		"a wrong time before others":  later,
	} {
		require.NoError(t, os.WriteFile(file, content, 0o600))
		_, err = r.Get(t.Context(), "one")
		require.ErrorIs(t, err, fs.ErrInvalid, name)
		_, err = changeRecord(r, "x")
		require.ErrorIs(t, err, fs.ErrInvalid, name)
		now, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, content, now, name)
	}
}

// TestRecordWrittenInPlace reads a large record while somebody writes its file without caring for readers, as cp does.
func TestRecordWrittenInPlace(t *testing.T) {
	dir := t.TempDir()
	r := recordsIn(t, dir)
	data := strings.Repeat("x", 100<<10)
	_, err := changeRecord(r, data)
	require.NoError(t, err)
	file := onlyRecord(t, dir)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var group sync.WaitGroup
	done := make(chan struct{})
	group.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if data, err := r.Get(context.Background(), "one"); err == nil && len(data) != 100<<10 {
				t.Errorf("%d bytes", len(data))
			}
			_, _ = r.List(context.Background(), "", 0)
		}
	})
	for range 300 {
		require.NoError(t, os.WriteFile(file, content, 0o600))
	}
	close(done)
	group.Wait()
	require.Equal(t, data, getRecord(t, r))
}

// TestRecordStaysSmall changes a record often, with data of all sizes.
func TestRecordStaysSmall(t *testing.T) {
	dir := t.TempDir()
	r := recordsIn(t, dir)
	last := ""
	for i := range 300 {
		data := strconv.Itoa(i) + strings.Repeat("x", []int{100, 1000, 20_000, 0, 40_000, 32<<10 - 16}[i/5%6])
		was, err := changeRecord(r, data)
		require.NoError(t, err)
		require.Equal(t, last, was)
		require.Equal(t, data, getRecord(t, r))
		info, err := os.Stat(onlyRecord(t, dir))
		require.NoError(t, err)
		require.LessOrEqual(t, info.Size(), int64(max(32<<10, len(data)+16)))
		last = data
	}
}

// TestLinkedRecord changes a record whose file somebody has copied by giving it a second name.
func TestLinkedRecord(t *testing.T) {
	dir := t.TempDir()
	r := recordsIn(t, dir)
	_, err := changeRecord(r, "data")
	require.NoError(t, err)
	file := onlyRecord(t, dir)
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	backup := filepath.Join(t.TempDir(), "backup")
	if err := os.Link(file, backup); err != nil {
		t.Skip(err)
	}
	_, err = changeRecord(r, "more")
	require.NoError(t, err)
	require.Equal(t, "more", getRecord(t, r))
	kept, err := os.ReadFile(backup)
	require.NoError(t, err)
	require.Equal(t, before, kept)
}

// TestRecordsRemovedByOthers removes the files of records, and that of their lock, while two stores have them open.
func TestRecordsRemovedByOthers(t *testing.T) {
	dir := t.TempDir()
	a, b := recordsIn(t, dir), recordsIn(t, dir)
	for i, remove := range []string{"", "kind/lock", "kind", "."} {
		for _, r := range []vfs.Records{a, b} {
			_, err := changeRecord(r, "data")
			require.NoError(t, err)
		}
		if remove != "" {
			kind := filepath.Dir(onlyRecord(t, dir))
			target := map[string]string{"kind/lock": filepath.Join(kind, "lock"), "kind": kind,
				".": filepath.Dir(kind)}[remove]
			if err := os.RemoveAll(target); err != nil {
				t.Skip(err) // Windows does not remove what is open
			}
		}
		_, err := changeRecord(b, "of b")
		require.NoError(t, err)
		require.Equal(t, "of b", getRecord(t, a), "%d", i)
		var group sync.WaitGroup
		const each = 50
		_, err = changeRecord(a, "0")
		require.NoError(t, err)
		for _, r := range []vfs.Records{a, b, a, b} {
			group.Go(func() {
				for range each {
					err := r.Change(context.Background(), "one", time.Hour, func(now []byte) ([]byte, error) {
						n, err := strconv.Atoi(string(now))
						return strconv.AppendInt(nil, int64(n+1), 10), err
					})
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		group.Wait()
		require.Equal(t, strconv.Itoa(4*each), getRecord(t, a), "%d", i)
	}
}

// TestStoreClosedInAChange closes a store while it changes a record. Others must wait until that has ended.
func TestStoreClosedInAChange(t *testing.T) {
	dir := t.TempDir()
	store, err := local.OpenStore(dir, nil)
	require.NoError(t, err)
	a, b := store.Records("kind"), recordsIn(t, dir)
	_, err = changeRecord(a, "0")
	require.NoError(t, err)
	inside, goOn := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	var first error
	group.Go(func() {
		first = a.Change(context.Background(), "one", 0, func(now []byte) ([]byte, error) {
			close(inside)
			<-goOn
			return append(bytes.Clone(now), 'a'), nil
		})
	})
	<-inside
	require.NoError(t, store.Close())
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err = b.Change(short, "one", 0, func([]byte) ([]byte, error) { return []byte("b"), nil })
	require.ErrorIs(t, err, context.DeadlineExceeded)
	close(goOn)
	group.Wait()
	want := "0"
	if first == nil {
		want = "0a"
	}
	require.Equal(t, want, getRecord(t, b))
	was, err := changeRecord(b, "b")
	require.NoError(t, err)
	require.Equal(t, want, was)
	_, err = changeRecord(a, "c")
	require.Error(t, err)
}

// TestPlantedRecords has other things where the files of records are.
func TestPlantedRecords(t *testing.T) {
	dir := t.TempDir()
	r := recordsIn(t, dir)
	_, err := changeRecord(r, "data")
	require.NoError(t, err)
	file := onlyRecord(t, dir)
	kind := filepath.Dir(file)
	two := func(data string) error {
		return r.Change(t.Context(), "two", 0, func([]byte) ([]byte, error) { return []byte(data), nil })
	}
	require.NoError(t, two("of two"))
	files, err := filepath.Glob(filepath.Join(kind, "*.rec"))
	require.NoError(t, err)
	other := files[0]
	if other == file {
		other = files[1]
	}
	t.Run("a link to another record", func(t *testing.T) {
		require.NoError(t, os.Remove(other))
		if err := os.Symlink(filepath.Base(file), other); err != nil {
			t.Skip(err)
		}
		require.NoError(t, two("of two again"))
		require.Equal(t, "data", getRecord(t, r))
	})
	t.Run("a file that may only be read", func(t *testing.T) {
		require.NoError(t, os.Chmod(other, 0o400))
		require.NoError(t, two("of two once more"))
		data, err := r.Get(t.Context(), "two")
		require.NoError(t, err)
		require.Equal(t, "of two once more", string(data))
	})
	t.Run("a directory", func(t *testing.T) {
		require.NoError(t, os.Remove(other))
		require.NoError(t, os.Mkdir(other, 0o700))
		require.Error(t, two("x"))
		_, err := r.Get(t.Context(), "two")
		require.Error(t, err)
		require.NoError(t, os.Remove(other))
	})
	t.Run("a lock that leads elsewhere", func(t *testing.T) {
		lock := filepath.Join(kind, "lock")
		require.NoError(t, os.Remove(lock))
		if err := os.Symlink(filepath.Join(t.TempDir(), "lock"), lock); err != nil {
			t.Skip(err)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.Error(t, r.Change(short, "one", 0, func([]byte) ([]byte, error) { return []byte("x"), nil }))
		require.NoError(t, short.Err())
		require.NoError(t, os.Remove(lock))
		require.NoError(t, os.Symlink("lock2", lock))
		_, err := changeRecord(r, "more")
		require.NoError(t, err)
	})
}

// TestReadingRecordsThatChange reads a record all the time while it grows, shrinks and is appended to.
func TestReadingRecordsThatChange(t *testing.T) {
	dir := t.TempDir()
	a, b := recordsIn(t, dir), recordsIn(t, dir)
	write := func(r vfs.Records, n int) error {
		digits := fmt.Sprintf("%08d", n)
		_, err := changeRecord(r, strings.Repeat(digits, []int{1, 100, 1, 500, 10_000, 3}[n%6]))
		return err
	}
	require.NoError(t, write(a, 0))
	done := make(chan struct{})
	var group sync.WaitGroup
	for _, r := range []vfs.Records{a, b} {
		group.Go(func() {
			last := 0
			for {
				data, err := r.Get(context.Background(), "one")
				digits, n := "", 0
				if err == nil && len(data) >= 8 {
					digits = string(data[:8])
					n, err = strconv.Atoi(digits)
				}
				if err != nil || strings.ReplaceAll(string(data), digits, "") != "" || n < last {
					t.Errorf("after %d: %d bytes, %q, %v", last, len(data), digits, err)
					return
				}
				last = n
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for n := 1; n < 400; n++ {
		require.NoError(t, write([]vfs.Records{a, b}[n%2], n))
	}
	close(done)
	group.Wait()
}

// TestRecordAgain changes a record whose time is over, first thing in a process.
func TestRecordAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		before := recordsIn(t, dir)
		for _, name := range []string{"one", "other"} {
			err := before.Change(t.Context(), name, time.Millisecond, func([]byte) ([]byte, error) {
				return []byte("old"), nil
			})
			require.NoError(t, err)
		}
		time.Sleep(5 * time.Millisecond)
		r := recordsIn(t, dir)
		was, err := changeRecord(r, "new")
		require.NoError(t, err)
		require.Empty(t, was)
		require.Equal(t, "new", getRecord(t, r))
		require.Equal(t, "new", getRecord(t, recordsIn(t, dir)))
		onlyRecord(t, dir) // the other one is gone
	})
}
