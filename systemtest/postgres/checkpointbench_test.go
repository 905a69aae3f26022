//go:build systemtest

package postgres_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

// fill makes so many files, 100 in a directory.
func fill(b *testing.B, p vfs.Project, count int, text string) {
	require.NoError(b, p.Exclusively(b.Context(), func(files afero.Fs) error {
		for i := range count {
			dir := fmt.Sprintf("/dir%d", i/100)
			if i%100 == 0 {
				if err := files.MkdirAll(dir, 0o755); err != nil {
					return err
				}
			}
			f, err := files.OpenFile(fmt.Sprint(dir, "/file", i), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprint(f, text, i); err != nil {
				return err
			}
			if err := f.Close(); err != nil {
				return err
			}
		}
		return nil
	}))
}

func BenchmarkCheckpoints(b *testing.B) {
	for name, open := range stores {
		for _, count := range []int{100, 9800} { // with directories, that is almost as many as a project can have
			b.Run(fmt.Sprint(name, " of ", count), func(b *testing.B) {
				p, err := open(b).Open(b.Context(), "project")
				require.NoError(b, err)
				defer p.Close()
				fill(b, p, count, "content")
				b.Run("create and delete", func(b *testing.B) {
					for range b.N {
						_, err := p.CreateCheckpoint(b.Context(), "one", nil)
						require.NoError(b, err)
						b.StopTimer()
						require.NoError(b, p.DeleteCheckpoint(b.Context(), "one"))
						b.StartTimer()
					}
				})
				_, err = p.CreateCheckpoint(b.Context(), "one", nil)
				require.NoError(b, err)
				b.Run("compare", func(b *testing.B) {
					for range b.N {
						_, err := p.RestoreCheckpoint(b.Context(), "one", &vfs.RestoreOptions{DryRun: true})
						require.NoError(b, err)
					}
				})
				for what, change := range map[string]func() error{
					"restore 10 files": func() error {
						return p.Exclusively(b.Context(), func(files afero.Fs) error {
							for i := range 10 {
								if err := afero.WriteFile(files, fmt.Sprint("/dir0/file", i), []byte("changed"),
									0o644); err != nil {
									return err
								}
							}
							return nil
						})
					},
					"restore all that was removed": func() error {
						return p.Exclusively(b.Context(), func(files afero.Fs) error {
							for i := range count / 100 {
								if err := files.RemoveAll(fmt.Sprint("/dir", i)); err != nil {
									return err
								}
							}
							return nil
						})
					},
				} {
					b.Run(what, func(b *testing.B) {
						for range b.N {
							b.StopTimer()
							require.NoError(b, change())
							b.StartTimer()
							done, err := p.RestoreCheckpoint(b.Context(), "one", nil)
							require.NoError(b, err)
							require.NotEmpty(b, done.Changed)
						}
					})
				}
			})
		}
	}
}

// BenchmarkUndo undoes a call with one change, with more and more that others have done before.
func BenchmarkUndo(b *testing.B) {
	for _, count := range []int{0, 1000, 8000} {
		b.Run(fmt.Sprint("after ", count), func(b *testing.B) {
			p, err := durable(b).Open(b.Context(), "project")
			require.NoError(b, err)
			defer p.Close()
			require.NoError(b, p.Exclusively(b.Context(), func(files afero.Fs) error {
				for i := range count {
					if err := files.Mkdir(fmt.Sprint("/dir", i), 0o755); err != nil {
						return err
					}
				}
				return nil
			}))
			b.ResetTimer()
			for i := range b.N {
				b.StopTimer()
				call := p.WithCall(fmt.Sprint("call", i))
				require.NoError(b, afero.WriteFile(call, "/file", []byte(fmt.Sprint(i)), 0o644))
				call.EndCall()
				b.StartTimer()
				_, err := p.Undo(b.Context(), fmt.Sprint("call", i))
				require.NoError(b, err)
			}
		})
	}
}
