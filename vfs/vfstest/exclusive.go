package vfstest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

// What follows is only for file systems that are a vfs.Exclusive.
var exclusiveRules = []rule{
	{"reading and writing again loses nothing", ifExclusive(func(t *testing.T, files afero.Fs, x vfs.Exclusive) {
		const rounds = 5
		write(t, files, "counter", "0")
		together(t, func(int) error {
			for range rounds {
				if err := x.Exclusively(t.Context(), increment); err != nil {
					return err
				}
			}
			return nil
		})
		require.Equal(t, strconv.Itoa(10*rounds), read(t, files, "counter"))
	})},
	{"what it has done is there afterwards", ifExclusive(func(t *testing.T, files afero.Fs, x vfs.Exclusive) {
		populate(t, files)
		require.NoError(t, x.Exclusively(t.Context(), func(locked afero.Fs) error {
			return errors.Join(
				locked.Mkdir("new", 0o755),
				locked.Rename("file", "new/file"),
				locked.RemoveAll("dir"),
				locked.Remove("empty"),
				afero.WriteFile(locked, "other", []byte("written"), 0o644),
			)
		}))
		require.Equal(t, map[string]string{"/new": "/", "/new/file": "content", "/other": "written"}, tree(t, files))
	})},
	{"others wait with their changes", ifExclusive(func(t *testing.T, files afero.Fs, x vfs.Exclusive) {
		write(t, files, "file", "before")
		changed := make(chan error, 1)
		require.NoError(t, x.Exclusively(t.Context(), func(locked afero.Fs) error {
			go func() { changed <- afero.WriteFile(files, "file", []byte("after"), 0o644) }()
			time.Sleep(20 * time.Millisecond) // long enough for who does not wait
			content, err := afero.ReadFile(locked, "file")
			if err == nil && string(content) != "before" {
				err = fmt.Errorf("the file has %q", content)
			}
			return err
		}))
		soon(t, func() { require.NoError(t, <-changed) })
		require.Equal(t, "after", read(t, files, "file"))
	})},
	{"its function's error comes back", ifExclusive(func(t *testing.T, files afero.Fs, x vfs.Exclusive) {
		mine := errors.New("mine")
		require.ErrorIs(t, x.Exclusively(t.Context(), func(locked afero.Fs) error {
			return errors.Join(afero.WriteFile(locked, "file", []byte("content"), 0o644), mine)
		}), mine)
		require.Equal(t, "content", read(t, files, "file"), "an error does not take anything back")
		requireFree(t, files, x)
	})},
	{"a panic releases the lock", ifExclusive(func(t *testing.T, files afero.Fs, x vfs.Exclusive) {
		require.PanicsWithValue(t, "mine", func() {
			_ = x.Exclusively(t.Context(), func(afero.Fs) error { panic("mine") })
		})
		requireFree(t, files, x)
	})},
	{"waiting ends with its context", ifExclusive(checkImpatience)},
	{"files opened inside can be used outside", ifExclusive(func(t *testing.T, files afero.Fs, x vfs.Exclusive) {
		var locked afero.Fs
		var inPlace, anew afero.File
		require.NoError(t, x.Exclusively(t.Context(), func(inside afero.Fs) error {
			locked = inside
			inPlace = openFile(t, locked, "in place", os.O_RDWR|os.O_CREATE)
			anew = openFile(t, locked, "anew", replacing)
			writeTo(t, inPlace, "in ")
			writeTo(t, anew, "a")
			return nil
		}))
		soon(t, func() {
			writeTo(t, inPlace, "place")
			writeTo(t, anew, "new")
			closeNow(t, inPlace)
			closeNow(t, anew)
			write(t, locked, "later", "later on")
			write(t, files, "file", "content")
		})
		require.Equal(t, map[string]string{"/in place": "in place", "/anew": "anew",
			"/later": "later on", "/file": "content"}, tree(t, locked))
		requireFree(t, locked, x)
	})},
	{"files opened outside can be used inside", ifExclusive(func(t *testing.T, files afero.Fs, x vfs.Exclusive) {
		write(t, files, "file", "content")
		reader := openFile(t, files, "file", os.O_RDONLY)
		soon(t, func() {
			require.NoError(t, x.Exclusively(t.Context(), func(locked afero.Fs) error {
				require.Equal(t, "content", contentOf(t, reader))
				f := openFile(t, locked, "file", os.O_RDWR)
				writeTo(t, f, "CON")
				require.Equal(t, "CONtent", contentOf(t, reader))
				return f.Close()
			}))
		})
	})},
	{"it can be used by several inside", ifExclusive(func(t *testing.T, files afero.Fs, x vfs.Exclusive) {
		require.NoError(t, x.Exclusively(t.Context(), func(locked afero.Fs) error {
			together(t, func(i int) error {
				return afero.WriteFile(locked, fmt.Sprint("file", i), []byte("content"), 0o644)
			})
			return nil
		}))
		require.Len(t, list(t, files, "/"), 10)
	})},
	{"it can be used inside of itself", ifExclusive(func(t *testing.T, files afero.Fs, x vfs.Exclusive) {
		write(t, files, "counter", "0")
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		require.NoError(t, x.Exclusively(ctx, func(locked afero.Fs) error {
			again, ok := locked.(vfs.Exclusive)
			if !ok {
				return nil
			}
			if err := again.Exclusively(ctx, increment); err != nil {
				return err
			}
			return increment(locked) // the lock is still there
		}))
		requireFree(t, files, x)
	})},
}

// ifExclusive skips a check if a file system has no method for it.
func ifExclusive(check func(t *testing.T, files afero.Fs, x vfs.Exclusive)) func(t *testing.T, files afero.Fs) {
	return func(t *testing.T, files afero.Fs) {
		x, ok := files.(vfs.Exclusive)
		if !ok {
			t.Skip("it has no method Exclusively, and needs none")
		}
		check(t, files, x)
	}
}

// increment adds 1 to the number in "counter".
func increment(files afero.Fs) error {
	content, err := afero.ReadFile(files, "counter")
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(content))
	if err != nil {
		return err
	}
	return afero.WriteFile(files, "counter", []byte(strconv.Itoa(n+1)), 0o644)
}

// requireFree checks that nobody has the lock.
func requireFree(t *testing.T, files afero.Fs, x vfs.Exclusive) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	require.NoError(t, x.Exclusively(ctx, func(afero.Fs) error { return nil }))
	soon(t, func() { write(t, files, "free", "content") })
	require.NoError(t, files.Remove("free"))
}

// checkImpatience has somebody wait for a lock who gives up.
func checkImpatience(t *testing.T, files afero.Fs, x vfs.Exclusive) {
	held, release := make(chan struct{}), make(chan struct{})
	holder := make(chan error, 1)
	go func() {
		holder <- x.Exclusively(context.Background(), func(afero.Fs) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	canceled, cancel := context.WithCancel(t.Context())
	time.AfterFunc(5*time.Millisecond, cancel)
	late, cancelLate := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancelLate()
	soon(t, func() {
		never := func(afero.Fs) error { panic("somebody else has the lock") }
		require.ErrorIs(t, x.Exclusively(canceled, never), context.Canceled)
		require.ErrorIs(t, x.Exclusively(late, never), context.DeadlineExceeded)
		require.ErrorIs(t, x.Exclusively(canceled, never), context.Canceled)
	})
	close(release)
	require.NoError(t, <-holder)
	requireFree(t, files, x)
}
