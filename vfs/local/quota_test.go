package local_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func usage(t *testing.T, p vfs.Project) (bytes, files int64) {
	t.Helper()
	u, err := p.Usage(t.Context())
	require.NoError(t, err)
	return u.Bytes, u.Files
}

func TestQuotas(t *testing.T) {
	ctx := context.Background()
	options := &vfs.Options{Quota: vfs.Quota{Bytes: 1000, Files: 6, FileSize: 400}}
	full := func(p vfs.Project, t *testing.T) { // 900 bytes in 4 files and directories
		for _, name := range []string{"/d/a", "/d/b", "/c"} {
			write(t, p, name, string(bytes.Repeat([]byte("x"), 300)))
		}
	}
	size := func(n int) []byte { return bytes.Repeat([]byte("y"), n) }
	handle := func(p vfs.Project, name string, flag int, do func(f afero.File) error) error {
		f, err := p.OpenFile(name, flag, 0o600)
		if err != nil {
			return err
		}
		return errors.Join(do(f), f.Close())
	}
	for name, test := range map[string]struct {
		do    func(p vfs.Project) error
		limit string // that is reached, if any
		bytes int64  // afterwards
		files int64
	}{
		"a file that fits": {func(p vfs.Project) error { return vfs.WriteFile(ctx, p, "n", size(100)) },
			"", 1000, 5},
		"a file that is too much": {func(p vfs.Project) error { return vfs.WriteFile(ctx, p, "n", size(101)) },
			"bytes", 900, 4},
		"overwriting by less": {func(p vfs.Project) error { return vfs.WriteFile(ctx, p, "c", size(10)) },
			"", 610, 4},
		"overwriting by as much as fits": {func(p vfs.Project) error { return vfs.WriteFile(ctx, p, "c", size(400)) },
			"", 1000, 4},
		"overwriting by too large a file": {func(p vfs.Project) error { return vfs.WriteFile(ctx, p, "c", size(401)) },
			"file size", 900, 4},
		"appending as much as fits": {func(p vfs.Project) error { return vfs.Append(ctx, p, "c", size(100)) }, "",
			1000, 4},
		"appending too much": {func(p vfs.Project) error { return vfs.Append(ctx, p, "c", size(101)) },
			"file size", 900, 4},
		"copying a file": {func(p vfs.Project) error { return vfs.Copy(ctx, p, "c", "n") }, "bytes",
			900, 4},
		"copying a tree": {func(p vfs.Project) error { return vfs.Copy(ctx, p, "d", "n") }, "bytes",
			900, 4},
		"renaming over a file": {func(p vfs.Project) error { return p.Rename("d/a", "c") }, "", 600, 3},
		"removing":             {func(p vfs.Project) error { return p.Remove("c") }, "", 600, 3},
		"removing a tree":      {func(p vfs.Project) error { return p.RemoveAll("d") }, "", 300, 1},
		"directories that are too many": {func(p vfs.Project) error { return p.MkdirAll("1/2/3", 0o700) }, "files",
			900, 4},
		"directories that fit": {func(p vfs.Project) error { return p.MkdirAll("1/2", 0o700) }, "", 900, 6},
		"files that are too many": {func(p vfs.Project) error {
			_ = p.MkdirAll("1/2", 0o700)
			return vfs.WriteFile(ctx, p, "n", nil)
		}, "files", 900, 6},
		"files that are too many, one way": {func(p vfs.Project) error {
			_ = p.MkdirAll("1/2", 0o700)
			return handle(p, "n", os.O_CREATE|os.O_EXCL|os.O_RDWR, nil)
		}, "files", 900, 6},
		"growing in place": {func(p vfs.Project) error {
			return handle(p, "c", os.O_RDWR, func(f afero.File) error {
				_, err := f.WriteAt(size(100), 300)
				return err
			})
		}, "", 1000, 4},
		"growing in place too much": {func(p vfs.Project) error {
			_ = p.Chmod("c", 0o600)
			return handle(p, "d/a", os.O_RDWR, func(f afero.File) error {
				_ = handle(p, "c", os.O_RDWR|os.O_APPEND, func(f afero.File) error {
					_, err := f.Write(size(60))
					return err
				})
				_, err := f.WriteAt(size(41), 300)
				return err
			})
		}, "bytes", 960, 4},
		"a hole": {func(p vfs.Project) error {
			return handle(p, "c", os.O_RDWR, func(f afero.File) error {
				_, err := f.WriteAt([]byte("x"), 1<<40)
				return err
			})
		}, "file size", 900, 4},
		"a hole at the end of all numbers": {func(p vfs.Project) error {
			return handle(p, "c", os.O_RDWR, func(f afero.File) error {
				_, err := f.WriteAt([]byte("xy"), 1<<63-1)
				return err
			})
		}, "file size", 900, 4},
		"truncating to more": {func(p vfs.Project) error {
			return handle(p, "c", os.O_RDWR, func(f afero.File) error { return f.Truncate(1 << 60) })
		}, "file size", 900, 4},
		"truncating to more, anew": {func(p vfs.Project) error {
			return handle(p, "c", os.O_RDWR|os.O_TRUNC, func(f afero.File) error { return f.Truncate(1 << 60) })
		}, "file size", 900, 4},
		"truncating to less": {func(p vfs.Project) error {
			return handle(p, "c", os.O_RDWR, func(f afero.File) error { return f.Truncate(1) })
		}, "", 601, 4},
		"restoring": {func(p vfs.Project) error {
			if err := errors.Join(p.Remove("c"), vfs.WriteFile(ctx, p, "n", size(300))); err != nil {
				return err
			}
			changes, err := p.Changes(t.Context(), "/c")
			if err != nil {
				return err
			}
			return p.Restore(ctx, changes[0].ID, "")
		}, "bytes", 900, 4},
	} {
		t.Run(name, func(t *testing.T) {
			forEachStore(t, options, func(t *testing.T, p vfs.Project) {
				full(p, t)
				before := snapshot(t, p)
				err := test.do(p)
				if test.limit == "" {
					require.NoError(t, err)
				} else {
					var quota *vfs.QuotaError
					require.ErrorAs(t, err, &quota)
					require.Equal(t, test.limit, quota.Limit)
					require.ErrorIs(t, err, syscall.ENOSPC)
				}
				if test.limit != "" && test.bytes == 900 && test.files == 4 && name != "restoring" {
					require.Equal(t, before, snapshot(t, p), "nothing is damaged")
				}
				gotBytes, gotFiles := usage(t, p)
				require.Equal(t, []int64{test.bytes, test.files}, []int64{gotBytes, gotFiles})
			})
		})
	}
}

func TestWhatIsBeingWrittenIsLimited(t *testing.T) {
	forEachStore(t, &vfs.Options{Quota: vfs.Quota{Bytes: 1000}}, func(t *testing.T, p vfs.Project) {
		write(t, p, "f", string(make([]byte, 900)))
		var open []afero.File
		written := 0
		for i := range 20 { // each by itself could take the place of the file
			f, err := p.Create("f")
			require.NoError(t, err)
			open = append(open, f)
			n, err := f.Write(make([]byte, 300))
			written += n
			require.Equal(t, i < 6, err == nil, "%v", err)
		}
		require.Equal(t, 1800, written)
		for i, f := range open {
			require.Equal(t, i < 6, f.Close() == nil)
		}
		bytes, files := usage(t, p)
		require.EqualValues(t, 300, bytes)
		require.EqualValues(t, 1, files)
		require.NoError(t, afero.WriteFile(p, "g", make([]byte, 700), 0o600), "all is given back")
	})
}

func TestLimitsOnGrowth(t *testing.T) {
	dir := t.TempDir()
	for i := range 20 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), make([]byte, 100), 0o600))
	}
	open := func(quota vfs.Quota) vfs.Project {
		p, err := local.OpenDir(dir, &vfs.Options{Quota: quota})
		require.NoError(t, err)
		t.Cleanup(func() { _ = p.Close() })
		return p
	}
	p := open(vfs.Quota{Bytes: 1000, Files: 10})
	require.ErrorIs(t, afero.WriteFile(p, "new", []byte("x"), 0o600), syscall.ENOSPC)
	require.NoError(t, afero.WriteFile(p, "0", make([]byte, 50), 0o600), "what does not add is possible")

	p = open(vfs.Quota{Bytes: 1000, Files: 10, Growth: true})
	require.NoError(t, afero.WriteFile(p, "new", make([]byte, 1000), 0o600))
	require.ErrorIs(t, vfs.Append(context.Background(), p, "new", []byte("x")), syscall.ENOSPC)
	require.NoError(t, p.Remove("1"))
	require.NoError(t, vfs.Append(context.Background(), p, "new", []byte("x")))

	p = open(vfs.Quota{Bytes: vfs.Unlimited, Files: vfs.Unlimited, FileSize: vfs.Unlimited})
	require.NoError(t, afero.WriteFile(p, "more", make([]byte, 10_000), 0o600))
}
