package vfstest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

// keep replaces a record.
func keep(t *testing.T, r vfs.Records, name, data string, how time.Duration) {
	t.Helper()
	require.NoError(t, r.Change(t.Context(), name, how, func([]byte) ([]byte, error) { return []byte(data), nil }))
}

func removeRecord(t *testing.T, r vfs.Records, name string) {
	t.Helper()
	require.NoError(t, r.Change(t.Context(), name, 0, func([]byte) ([]byte, error) { return nil, nil }))
}

func recordNames(t *testing.T, r vfs.Records) []string {
	t.Helper()
	names, err := r.List(t.Context(), "", 0)
	require.NoError(t, err)
	return names
}

func checkRecords(t *testing.T, store vfs.Store) {
	r, other := store.Records("kind"), store.Records("other kind/é")
	require.Panics(t, func() { store.Records("") })
	_, err := r.Get(t.Context(), "one")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.Empty(t, recordNames(t, r))

	keep(t, r, "one", "first", 0)
	keep(t, r, "ONE", "another", time.Hour)
	keep(t, r, "two/../three é", "", 0)
	keep(t, other, "one", "of another kind", 0)
	again := store.Records("kind")
	for name, want := range map[string]string{"one": "first", "ONE": "another", "two/../three é": ""} {
		data, err := again.Get(t.Context(), name)
		require.NoError(t, err)
		require.NotNil(t, data)
		require.Equal(t, want, string(data))
	}
	require.Equal(t, []string{"ONE", "one", "two/../three é"}, recordNames(t, r))
	names, err := r.List(t.Context(), "ONE", 1)
	require.NoError(t, err)
	require.Equal(t, []string{"one"}, names)
	_, err = r.List(t.Context(), "", -1)
	require.ErrorIs(t, err, fs.ErrInvalid)
	ids, err := store.List(t.Context(), "", 0)
	require.NoError(t, err)
	require.Empty(t, ids, "records are no projects")

	require.NoError(t, r.Change(t.Context(), "one", 0, func(data []byte) ([]byte, error) {
		return append(data[:len(data):len(data)], " and more"...), nil
	}))
	refused := errors.New("refused")
	require.ErrorIs(t, r.Change(t.Context(), "one", 0, func([]byte) ([]byte, error) {
		return []byte("x"), refused
	}), refused)
	data, err := r.Get(t.Context(), "one")
	require.NoError(t, err)
	require.Equal(t, "first and more", string(data))
	removeRecord(t, r, "one")
	removeRecord(t, r, "one")
	_, err = r.Get(t.Context(), "one")
	require.ErrorIs(t, err, fs.ErrNotExist)
	data, err = other.Get(t.Context(), "one")
	require.NoError(t, err)
	require.Equal(t, "of another kind", string(data))

	for _, name := range []string{"", strings.Repeat("x", vfs.MaxID+1), "a\x00b", "\xff"} {
		_, err := r.Get(t.Context(), name)
		_, invalid := errors.AsType[*vfs.InvalidIDError](err)
		require.True(t, invalid, "%q: %v", name, err)
		require.Error(t, r.Change(t.Context(), name, 0, func([]byte) ([]byte, error) { return nil, nil }))
	}
	require.ErrorIs(t, r.Change(t.Context(), "one", -1, func(data []byte) ([]byte, error) {
		return data, nil
	}), fs.ErrInvalid)
	keep(t, r, "large", strings.Repeat("x", 3<<20), 0)
	data, err = r.Get(t.Context(), "large")
	require.NoError(t, err)
	require.Len(t, data, 3<<20)
	require.ErrorIs(t, r.Change(t.Context(), "large", 0, func([]byte) ([]byte, error) {
		return make([]byte, vfs.MaxRecord+1), nil
	}), vfs.ErrTooLarge)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = r.Get(ended, "large")
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, r.Change(ended, "large", 0, func([]byte) ([]byte, error) { return nil, nil }), context.Canceled)
	_, err = r.List(ended, "", 0)
	require.ErrorIs(t, err, context.Canceled)
}

// checkRecordTimes waits for real, since a store may go by the clock of another machine.
func checkRecordTimes(t *testing.T, store vfs.Store) {
	r := store.Records("kind")
	keep(t, r, "short", "data", 50*time.Millisecond)
	keep(t, r, "longer", "data", 50*time.Millisecond)
	keep(t, r, "longer", "kept on", time.Hour)
	require.Eventually(t, func() bool {
		_, err := r.Get(t.Context(), "short")
		return errors.Is(err, fs.ErrNotExist)
	}, 10*time.Second, 5*time.Millisecond)
	require.Equal(t, []string{"longer"}, recordNames(t, r))
	require.NoError(t, r.Change(t.Context(), "short", 0, func(data []byte) ([]byte, error) {
		require.Nil(t, data, "its time is over")
		return []byte("again"), nil
	}))
	data, err := r.Get(t.Context(), "short")
	require.NoError(t, err)
	require.Equal(t, "again", string(data))
}

func checkRecordsTogether(t *testing.T, store vfs.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	var told sync.Map
	var watching sync.WaitGroup
	watching.Go(func() {
		err := store.Records("kind").Watch(ctx, func(name string) { told.Store(name, true) })
		require.ErrorIs(t, err, context.Canceled)
	})
	const each, tasks = 20, 4
	var failed atomic.Int64
	var group sync.WaitGroup
	for task := range tasks {
		r := store.Records("kind")
		group.Go(func() {
			for range each {
				if r.Change(t.Context(), "counter", 0, func(data []byte) ([]byte, error) {
					return append(data[:len(data):len(data)], 'x'), nil
				}) != nil {
					failed.Add(1)
				}
			}
			keep(t, r, fmt.Sprint("task ", task), "done", 0)
		})
	}
	group.Wait()
	require.Zero(t, failed.Load())
	r := store.Records("kind")
	data, err := r.Get(t.Context(), "counter")
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("x", each*tasks), string(data), "no change is lost")
	require.Eventually(t, func() bool {
		_, begun := told.LoadAndDelete("")
		return begun
	}, 20*time.Second, time.Millisecond, "there may have been changes before the watch began")
	for name, change := range map[string]func(){
		"counter": func() { keep(t, r, "counter", "y", 0) },
		"task 1": func() {
			keep(t, r, "task 1", "", 0)
			removeRecord(t, r, "task 1")
		},
	} {
		told.Delete(name)
		require.Eventually(t, func() bool { // until the watch has begun
			_, all := told.Load("")
			if _, ok := told.Load(name); ok || all {
				return true
			}
			change()
			return false
		}, 20*time.Second, 20*time.Millisecond, name)
	}
	cancel()
	watching.Wait()
}
