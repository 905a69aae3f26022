package local_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// compare does two things by turns, and reports how long the first one takes, and how many times as long as the second
// one.
func compare(b *testing.B, this, bare func() error) {
	var times [2]time.Duration
	do := func(i int, what func() error) {
		begin := time.Now()
		err := what()
		times[i] += time.Since(begin)
		if err != nil {
			b.Fatal(err)
		}
	}
	// The first time is unlike the others.
	do(0, this)
	do(1, bare)
	times = [2]time.Duration{}
	b.ResetTimer()
	for i := range b.N {
		if i%2 == 0 {
			do(0, this)
			do(1, bare)
		} else {
			do(1, bare)
			do(0, this)
		}
	}
	b.ReportMetric(float64(times[0].Nanoseconds())/float64(b.N), "ns/op")
	b.ReportMetric(float64(times[0])/float64(max(1, times[1])), "ratio")
}

// A pair is a project and what it is compared with.
type pair struct {
	kind    string
	project vfs.Project
	// read, list and write do the same with the bare thing, and put prepares it for that.
	read  func(name string) ([]byte, error)
	list  func(name string) ([]fs.FileInfo, error)
	write func(name string, data []byte) error
	put   func(name string, data []byte) error
}

func pairs(b *testing.B) []pair {
	inMemory, err := local.NewMemoryStore(nil).Open(b.Context(), "p")
	require.NoError(b, err)
	bare := afero.NewMemMapFs()
	onDisk := benchOnDisk(b, nil)
	dir := b.TempDir()
	return []pair{
		{
			kind:    "memory",
			project: inMemory,
			read:    func(name string) ([]byte, error) { return afero.ReadFile(bare, name) },
			list:    func(name string) ([]fs.FileInfo, error) { return afero.ReadDir(bare, name) },
			write:   func(name string, data []byte) error { return afero.WriteFile(bare, name, data, 0o644) },
			put: func(name string, data []byte) error {
				return vfs.WriteFile(context.Background(), bare, name, data)
			},
		},
		{
			kind:    "disk",
			project: onDisk,
			read:    func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) },
			list: func(name string) ([]fs.FileInfo, error) {
				entries, err := os.ReadDir(filepath.Join(dir, name))
				infos := make([]fs.FileInfo, len(entries))
				for i, entry := range entries {
					if err == nil {
						infos[i], err = entry.Info()
					}
				}
				return infos, err
			},
			write: func(name string, data []byte) error { return durableWrite(filepath.Join(dir, name), data) },
			put: func(name string, data []byte) error {
				name = filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					return err
				}
				return os.WriteFile(name, data, 0o644)
			},
		},
	}
}

// benchOnDisk opens a new project on disk.
func benchOnDisk(b *testing.B, options *vfs.Options) vfs.Project {
	store, err := local.OpenStore(b.TempDir(), options)
	require.NoError(b, err)
	project, err := store.Open(b.Context(), "p")
	require.NoError(b, err)
	b.Cleanup(func() { _ = project.Close() })
	return project
}

// durableWrite replaces a file as whole and durably as it goes, with nothing but what that takes.
func durableWrite(name string, data []byte) error {
	dir := filepath.Dir(name)
	f, err := os.CreateTemp(dir, "temp")
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil {
		return err
	}
	return d.Close()
}

// benchSizes are those of the files that are read and written.
var benchSizes = []struct {
	name  string
	bytes int
}{{"4KiB", 4 << 10}, {"1MiB", 1 << 20}}

// expectSize makes an error of a content that has the wrong size.
func expectSize(size int, content []byte, err error) error {
	if err == nil && len(content) != size {
		err = fmt.Errorf("%d bytes instead of %d", len(content), size)
	}
	return err
}

func BenchmarkRead(b *testing.B) {
	for _, p := range pairs(b) {
		for _, size := range benchSizes {
			for _, at := range []struct{ name, path string }{{"", "/f"}, {" four deep", "/a/b/c/f"}} {
				b.Run(p.kind+"/"+size.name+at.name, func(b *testing.B) {
					data := make([]byte, size.bytes)
					require.NoError(b, vfs.WriteFile(context.Background(), p.project, at.path, data))
					require.NoError(b, p.put(at.path, data))
					compare(b, func() error {
						content, err := afero.ReadFile(p.project, at.path)
						return expectSize(size.bytes, content, err)
					}, func() error {
						content, err := p.read(at.path)
						return expectSize(size.bytes, content, err)
					})
				})
			}
		}
	}
}

func BenchmarkList(b *testing.B) {
	const count = 1000
	for _, p := range pairs(b) {
		require.NoError(b, vfs.Exclusively(context.Background(), p.project, func(files afero.Fs) error {
			for i := range count {
				name := fmt.Sprintf("/d/%04d", i)
				if err := vfs.WriteFile(context.Background(), files, name, nil); err != nil {
					return err
				}
				if err := p.put(name, nil); err != nil {
					return err
				}
			}
			return nil
		}))
		check := func(infos []fs.FileInfo, err error) error {
			if err == nil && len(infos) != count {
				err = fmt.Errorf("%d files", len(infos))
			}
			return err
		}
		b.Run(p.kind, func(b *testing.B) {
			compare(b, func() error { return check(afero.ReadDir(p.project, "/d")) }, func() error {
				return check(p.list("/d"))
			})
		})
	}
}

// BenchmarkWrite replaces a file by another content. On disk that is durable, and by default the old content goes to
// the history.
func BenchmarkWrite(b *testing.B) {
	for _, p := range pairs(b) {
		for _, size := range benchSizes {
			for history, project := range []vfs.Project{withoutHistory(b, p.kind), p.project} {
				b.Run(p.kind+"/"+size.name+[]string{" without history", ""}[history], func(b *testing.B) {
					data := make([]byte, size.bytes)
					require.NoError(b, p.put("/d/f", data))
					require.NoError(b, vfs.WriteFile(context.Background(), project, "/d/f", data))
					this, bare := byte(0), byte(0)
					compare(b, func() error {
						this++
						data[0] = this
						return afero.WriteFile(project, "/d/f", data, 0o644)
					}, func() error {
						bare++
						data[0] = bare
						return p.write("/d/f", data)
					})
				})
			}
		}
	}
}

func withoutHistory(b *testing.B, kind string) vfs.Project {
	options := &vfs.Options{History: vfs.HistoryOptions{Off: true}}
	if kind == "disk" {
		return benchOnDisk(b, options)
	}
	project, err := local.NewMemoryStore(options).Open(b.Context(), "p")
	require.NoError(b, err)
	return project
}

// BenchmarkProtected writes at the top of a repository and deep in it, and compares with writing without protection.
func BenchmarkProtected(b *testing.B) {
	for _, noSync := range []bool{false, true} {
		for name, file := range map[string]string{"top": "/f", "deep": "/a/b/c/d/e/f/g/h/f"} {
			b.Run(name+map[bool]string{true: " without syncing"}[noSync], func(b *testing.B) {
				write := func(unprotect ...string) func() error {
					dir := b.TempDir()
					for _, made := range []string{".git/hooks", ".git/objects", ".git/refs", "src", "docs"} {
						require.NoError(b, os.MkdirAll(filepath.Join(dir, made), 0o755))
					}
					for i := range 20 {
						require.NoError(b, os.WriteFile(filepath.Join(dir, fmt.Sprint("file", i)), nil, 0o644))
						require.NoError(b, os.WriteFile(filepath.Join(dir, ".git/hooks", fmt.Sprint("sample", i)),
							nil, 0o644))
					}
					p, err := local.OpenDir(dir, &vfs.Options{NoSync: noSync, Unprotect: unprotect})
					require.NoError(b, err)
					b.Cleanup(func() { _ = p.Close() })
					data := make([]byte, 4<<10)
					call := p.WithCall("call")
					require.NoError(b, vfs.WriteFile(b.Context(), call, file, data))
					return func() error {
						data[0]++
						return afero.WriteFile(call, file, data, 0o644)
					}
				}
				compare(b, write(), write("*"))
			})
		}
	}
}

// BenchmarkView reads through views, which are made for each time, and compares with reading without.
func BenchmarkView(b *testing.B) {
	for _, p := range pairs(b) {
		require.NoError(b, vfs.WriteFile(context.Background(), p.project, "/a/b/f", make([]byte, 4<<10)))
		for _, test := range []struct {
			name, path string
			view       func() afero.Fs
		}{
			{"ReadOnly", "/a/b/f", func() afero.Fs { return vfs.ReadOnly(p.project, "/a") }},
			{"Sub", "/b/f", func() afero.Fs { return vfs.Sub(p.project, "/a") }},
			{"ReadOnly of Sub", "/f", func() afero.Fs { return vfs.ReadOnly(vfs.Sub(p.project, "/a/b"), "/") }},
		} {
			b.Run(p.kind+"/"+test.name, func(b *testing.B) {
				compare(b, func() error {
					content, err := afero.ReadFile(test.view(), test.path)
					return expectSize(4<<10, content, err)
				}, func() error {
					content, err := afero.ReadFile(p.project, "/a/b/f")
					return expectSize(4<<10, content, err)
				})
			})
		}
	}
}
