package local_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// recordsIn opens a store in a directory and returns its records of one kind.
func recordsIn(t testing.TB, dir string) vfs.Records {
	store, err := local.OpenStore(dir, nil)
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
	files, err := filepath.Glob(filepath.Join(dir, ".records", "*", "*.record"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	return files[0]
}

// TestInterruptedRecord leaves a record as a machine may that loses its power, or a process that is killed, at each byte
// of a change.
func TestInterruptedRecord(t *testing.T) {
	dir := t.TempDir()
	r := recordsIn(t, dir)
	for _, data := range []string{"first", "second", strings.Repeat("third ", 20)} {
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

	third := strings.Repeat("third ", 20)
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
	// What never was whole is an error, and stays as it is until somebody replaces it.
	require.NoError(t, os.WriteFile(file, before[:20], 0o600))
	_, err = r.Get(t.Context(), "one")
	require.ErrorIs(t, err, fs.ErrInvalid)
	_, err = changeRecord(r, "x")
	require.ErrorIs(t, err, fs.ErrInvalid)
	now, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, before[:20], now)
}

// TestRecordOfBefore reads a file as versions of the program wrote it that kept one version of a record.
func TestRecordOfBefore(t *testing.T) {
	dir := t.TempDir()
	r := recordsIn(t, dir)
	_, err := changeRecord(r, "data")
	require.NoError(t, err)
	file := onlyRecord(t, dir)
	for name, until := range map[string]time.Time{"for good": {}, "for a time": time.Now().Add(time.Hour)} {
		head := make([]byte, 8)
		if !until.IsZero() {
			binary.LittleEndian.PutUint64(head, uint64(until.UnixMilli()))
		}
		for _, size := range []int{0, 3, 8, 100, 1 << 20} {
			data := strings.Repeat("x", size)
			require.NoError(t, os.WriteFile(file, append(head, data...), 0o600))
			require.Equal(t, data, getRecord(t, r), "%s, %d", name, size)
			for _, next := range []string{"next", "and on"} {
				was, err := changeRecord(r, next)
				require.NoError(t, err)
				require.Equal(t, data, was)
				data = next
			}
			require.Equal(t, "and on", getRecord(t, r))
		}
	}
	require.NoError(t, os.WriteFile(file, []byte{1, 0, 0, 0, 0, 0, 0, 0, 'x'}, 0o600))
	_, err = r.Get(t.Context(), "one")
	require.ErrorIs(t, err, fs.ErrNotExist, "its time is over")
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
			target := map[string]string{"kind/lock": filepath.Join(kind, "lock"), "kind": kind, ".": filepath.Dir(kind)}[remove]
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
				if err != nil || strings.Trim(strings.ReplaceAll(string(data), digits, ""), "") != "" || n < last {
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
	dir := t.TempDir()
	before := recordsIn(t, dir)
	for _, name := range []string{"one", "other"} {
		err := before.Change(t.Context(), name, time.Millisecond, func([]byte) ([]byte, error) { return []byte("old"), nil })
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
}
