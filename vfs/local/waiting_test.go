package local_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
)

// eachStore makes a store of each kind.
func eachStore(t *testing.T, options vfs.Options) map[string]vfs.Store {
	options.NoSync = true
	all := map[string]vfs.Store{}
	for name, open := range stores {
		all[name] = open(t, &options)
	}
	return all
}

// hold takes the project's lock until release is called, which returns what Exclusively does.
func hold(t *testing.T, files afero.Fs) (release func() error) {
	held, free := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- vfs.Exclusively(context.Background(), files, func(afero.Fs) error {
			close(held)
			<-free
			return nil
		})
	}()
	select {
	case <-held:
	case err := <-done:
		require.Fail(t, "the lock is not held", err)
	}
	return sync.OnceValue(func() error {
		close(free)
		return <-done
	})
}

func TestProjectsDoNotWaitForEachOther(t *testing.T) {
	for name, store := range eachStore(t, vfs.Options{}) {
		t.Run(name, func(t *testing.T) {
			var projects []vfs.Project
			for i := range 10 {
				project, err := store.Open(t.Context(), fmt.Sprint("p", i))
				require.NoError(t, err)
				require.NoError(t, afero.WriteFile(project, "/f", []byte("before"), 0o644))
				projects = append(projects, project)
			}
			// If any of this waited for the others, it would do so forever.
			var group sync.WaitGroup
			for free, project := range projects {
				var releases []func() error
				for i, other := range projects {
					if i != free {
						releases = append(releases, hold(t, other))
					}
				}
				require.NoError(t, afero.WriteFile(project, "/f", []byte("after"), 0o644))
				require.NoError(t, vfs.Append(context.Background(), project, "/d/g", []byte("more")))
				require.NoError(t, project.Rename("/d", "/e"))
				requireExactUsage(t, project)
				_, err := project.Undo(context.Background(), "")
				require.NoError(t, err)
				ids, err := store.List(t.Context(), "", 0)
				require.NoError(t, err)
				require.Len(t, ids, 10)
				another, err := store.Open(t.Context(), "another")
				require.NoError(t, err)
				require.NoError(t, another.MkdirAll("/x/y", 0o755))
				require.NoError(t, another.Close())
				require.NoError(t, store.Delete(t.Context(), "another"))
				for _, release := range releases {
					require.NoError(t, release())
				}
			}
			// All at once, meeting after each step: none gets ahead of another, which it would if they took turns.
			step := make([]sync.WaitGroup, 5)
			for i := range step {
				step[i].Add(len(projects))
			}
			for _, project := range projects {
				group.Go(func() {
					for i := range step {
						err := vfs.Exclusively(context.Background(), project, func(files afero.Fs) error {
							step[i].Done()
							step[i].Wait()
							return afero.WriteFile(files, "/f", fmt.Append(nil, i), 0o644)
						})
						if err != nil {
							t.Error(err)
						}
					}
				})
			}
			group.Wait()
			for _, project := range projects {
				require.NoError(t, project.Close())
			}
		})
	}
}

// inBubble runs a test of a kind of store in a bubble of synctest, in which nobody waits for the clock. A database is
// outside.
func inBubble(t *testing.T, kind string, test func(t *testing.T)) {
	t.Run(kind, func(t *testing.T) {
		if kind == "database" {
			test(t)
		} else {
			synctest.Test(t, test)
		}
	})
}

func TestWritersWaitAndReadersDoNot(t *testing.T) {
	for name, open := range stores {
		inBubble(t, name, func(t *testing.T) {
			store := open(t, &vfs.Options{NoSync: true})
			project, err := store.Open(t.Context(), "p")
			require.NoError(t, err)
			second, err := store.Open(t.Context(), "p")
			require.NoError(t, err)
			require.NoError(t, vfs.WriteFile(context.Background(), project, "/d/f", []byte("before")))
			appender, err := project.OpenFile("/d/f", os.O_WRONLY|os.O_APPEND, 0)
			require.NoError(t, err)
			staged, err := project.Create("/d/g")
			require.NoError(t, err)

			release := hold(t, project)
			writers := map[string]func() error{
				"a file in place":  func() error { _, err := appender.WriteString("+"); return err },
				"a finished file":  func() error { return staged.Close() },
				"another handle":   func() error { return second.Mkdir("/second", 0o755) },
				"a whole file":     func() error { return afero.WriteFile(project, "/d/h", nil, 0o644) },
				"a view":           func() error { return vfs.Sub(project, "/d").Mkdir("/view", 0o755) },
				"another function": func() error { return vfs.Append(context.Background(), project, "/d/i", nil) },
			}
			done := make(chan error)
			for name, write := range writers {
				go func() {
					if err := write(); err != nil {
						done <- fmt.Errorf("%s: %w", name, err)
						return
					}
					done <- nil
				}()
			}
			requireReadable(t, project)
			requireReadable(t, second)
			requireReadable(t, vfs.ReadOnly(project, "/"))
			_, err = second.Usage(t.Context())
			require.NoError(t, err)
			// Whoever waits can be told to stop. What does not wait would run what it has been given.
			for _, project := range []vfs.Project{project, second} {
				storetest.RequireWaits(t, project)
			}
			select {
			case err := <-done:
				require.Fail(t, "a writer has not waited", err)
			default:
			}
			require.NoError(t, release())
			for range writers {
				require.NoError(t, <-done)
			}
			require.NoError(t, appender.Close())
			infos, err := afero.ReadDir(project, "/d")
			require.NoError(t, err)
			require.Len(t, infos, 5)
			requireExactUsage(t, second)
			require.NoError(t, project.Close())
		})
	}
}

// requireReadable checks that reading does not wait.
func requireReadable(t *testing.T, files afero.Fs) {
	content, err := afero.ReadFile(files, "/d/f")
	require.NoError(t, err)
	require.Equal(t, "before", string(content))
	infos, err := afero.ReadDir(files, "/d")
	require.NoError(t, err)
	require.Len(t, infos, 1)
	_, err = files.Stat("/d/none")
	require.ErrorIs(t, err, fs.ErrNotExist)
	if project, ok := files.(vfs.Project); ok {
		changes, err := project.Changes(t.Context(), "/d/f")
		require.NoError(t, err)
		require.NotEmpty(t, changes)
	}
}

func TestGoroutinesTogetherStayWithinTheQuota(t *testing.T) {
	for role, quota := range map[string]vfs.Quota{"fill": {Bytes: 40_050}, "files": {Files: 200}} {
		fill := map[string]func(*testing.T, vfs.Project, uint64){"fill": storetest.FillWithBytes,
			"files": storetest.FillWithFiles}[role]
		for name, store := range eachStore(t, vfs.Options{Quota: quota}) {
			t.Run(name+" "+role, func(t *testing.T) {
				project, err := store.Open(t.Context(), "p")
				require.NoError(t, err)
				var group sync.WaitGroup
				for i := range 4 {
					group.Go(func() {
						handle, err := store.Open(t.Context(), "p")
						if err != nil {
							t.Error(err)
							return
						}
						fill(t, handle, uint64(i))
						if err := handle.Close(); err != nil {
							t.Error(err)
						}
					})
				}
				group.Wait()
				usage, err := project.Usage(t.Context())
				require.NoError(t, err)
				if role == "fill" {
					require.EqualValues(t, 40_000, usage.Bytes)
				} else {
					require.EqualValues(t, 200, usage.Files)
				}
				requireExactUsage(t, project)
			})
		}
	}
}

func TestACallThatEndsWhileItWaitsForTheLock(t *testing.T) {
	for name, open := range stores {
		inBubble(t, name, func(t *testing.T) {
			project := openProject(t, open(t, nil), "one")
			write(t, project, "/file", "1")
			call, end, err := vfs.BeginCall(vfs.ReadOnly(vfs.Sub(project, "/"), "/memories"), "call")
			require.NoError(t, err)
			inPlace, err := call.OpenFile("/file", os.O_RDWR, 0)
			require.NoError(t, err)
			replacing, err := call.Create("/file")
			require.NoError(t, err)
			errs := make(chan error, 10)
			require.NoError(t, project.Exclusively(t.Context(), func(afero.Fs) error {
				for _, attempt := range []func() error{
					func() error { return call.Remove("/file") },
					func() error { return afero.WriteFile(call, "/new", []byte("2"), 0o600) },
					func() error { return vfs.Append(context.Background(), call, "/file", []byte("2")) },
					func() error { _, err := inPlace.WriteAt([]byte("2"), 0); return err },
					func() error { return replacing.Close() },
				} {
					go func() { errs <- attempt() }()
				}
				time.Sleep(50 * time.Millisecond) // by then they wait
				end()
				for range 5 {
					require.Error(t, <-errs, "nobody waits for the lock for it any more")
				}
				return nil
			}))
			require.Equal(t, map[string]string{"/": "directory", "/file": "1"}, snapshot(t, project))
		})
	}
}
