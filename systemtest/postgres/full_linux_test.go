//go:build systemtest

package postgres_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/vfs"
)

// small mounts a file system of a size in MiB until the end of the test.
func small(t *testing.T, size int) (dir string) {
	if !*soak {
		t.Skip("takes long")
	}
	dir, err := os.MkdirTemp("", "toolrun-small-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.Remove(dir) })
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=777", size)); err != nil {
		t.Skip("file systems cannot be mounted here: ", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// fillDisk leaves so many MiB in a file system, until the ballast is removed.
func fillDisk(t *testing.T, dir string, left int) (remove func()) {
	ballast, err := os.Create(filepath.Join(dir, "ballast"))
	require.NoError(t, err)
	var now syscall.Statfs_t
	require.NoError(t, syscall.Statfs(dir, &now))
	size := int64(now.Bavail)*now.Bsize - int64(left)<<20
	require.Positive(t, size)
	_, err = io.CopyN(ballast, zeros{}, size)
	require.NoError(t, errors.Join(err, ballast.Close()))
	return func() { require.NoError(t, os.Remove(ballast.Name())) }
}

type zeros struct{}

func (zeros) Read(data []byte) (int, error) {
	clear(data)
	return len(data), nil
}

// writeUntilFull writes large files by several writers until each has met several errors in a row.
func writeUntilFull(t *testing.T, store vfs.Store, told *promise) (errs []error) {
	var mu sync.Mutex
	var group sync.WaitGroup
	for writer := range 3 {
		group.Go(func() {
			for i, failures := 0, 0; failures < 3 && i < 1000; i++ {
				// a large one
				err := told.write(t, store, fmt.Sprint("p", writer%2), fmt.Sprintf("/d/%d-%d17", writer, i))
				if err == nil {
					failures = 0
					continue
				}
				failures++
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return errs
}

// TestFullTables fills the disk on which the tables are. Changes that need room fail with an error that says why, and
// have not happened; all else goes on, and so do changes as soon as there is room.
func TestFullTables(t *testing.T) {
	dir := small(t, 64)
	server := pgtest.StartFor(t)
	conn, err := pgx.Connect(t.Context(), server.Base(0))
	require.NoError(t, err)
	inside := filepath.Join(dir, "tables")
	require.NoError(t, os.Mkdir(inside, 0o700))
	owner, err := os.Stat(server.Dir)
	require.NoError(t, err)
	stat := owner.Sys().(*syscall.Stat_t)
	require.NoError(t, os.Chown(inside, int(stat.Uid), int(stat.Gid)))
	_, err = conn.Exec(t.Context(), "CREATE TABLESPACE small LOCATION '"+inside+"'")
	require.NoError(t, errors.Join(err, conn.Close(t.Context())))
	store := openAt(t, pgtest.With(server.URL(t), "default_tablespace", "small"), nil)
	told := &promise{done: map[string]bool{}, unknown: map[string]bool{}}
	remove := fillDisk(t, dir, 24)
	errs := writeUntilFull(t, store, told)
	require.NotEmpty(t, told.done)
	require.NotEmpty(t, errs)
	for _, err := range errs {
		require.ErrorIs(t, err, syscall.ENOSPC)
		requireUnavailable(t, err)
	}
	remove()
	for i := range 10 {
		require.NoError(t, told.write(t, store, "p0", fmt.Sprintf("/after/%d", i)))
	}
	told.require(t, store, "p0", "p1")
}

// TestFullServer fills the disk of everything that the server has, its log of changes included, so that it may end.
// What was told is there when there is room again and the server runs.
func TestFullServer(t *testing.T) {
	dir := small(t, 400)
	t.Setenv("TMPDIR", dir)
	server := pgtest.StartFor(t, "wal_recycle=off", "min_wal_size=32MB", "max_wal_size=64MB")
	store := openAt(t, server.URL(t), nil)
	told := &promise{done: map[string]bool{}, unknown: map[string]bool{}}
	require.NoError(t, told.write(t, store, "p0", "/before"))
	t.Setenv("TMPDIR", "/tmp") // what is written is staged there
	remove := fillDisk(t, dir, 48)
	errs := writeUntilFull(t, store, told)
	require.NotEmpty(t, told.done)
	require.NotEmpty(t, errs)
	remove()
	server.Stop(true)
	require.NoError(t, server.Run())
	for deadline := time.Now().Add(2 * time.Minute); told.write(t, store, "p0", "/after") != nil; {
		require.True(t, time.Now().Before(deadline), "nobody can write any more")
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("%d changes were done, of %d nobody knew; for example %v", len(told.done), len(told.unknown), errs[0])
	told.require(t, store, "p0", "p1")
}
