//go:build systemtest

package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/vfs/postgres"
)

// durable starts a server that writes through to the disk, as those of the other tests do not.
func durable(b *testing.B) vfs.Store {
	server := pgtest.StartFor(b, "fsync=on")
	store, err := postgres.Open(b.Context(), server.Base(0), nil)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, store.Close()) })
	return store
}

// stores are those that are compared.
var stores = map[string]func(b *testing.B) vfs.Store{
	"database": durable,
	"directory": func(b *testing.B) vfs.Store {
		store, err := local.OpenStore(b.TempDir(), nil)
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, store.Close()) })
		return store
	},
}

func BenchmarkStores(b *testing.B) {
	for name, open := range stores {
		b.Run(name, func(b *testing.B) {
			store := open(b)
			content := bytes.Repeat([]byte("0123456789abcde\n"), 256)
			project := func(b *testing.B, id string) vfs.Project {
				p, err := store.Open(b.Context(), id)
				require.NoError(b, err)
				b.Cleanup(func() { _ = p.Close() })
				require.NoError(b, vfs.WriteFile(b.Context(), p, "/dir/file", content))
				return p
			}
			b.Run("replace 4 KiB", func(b *testing.B) {
				p := project(b, "replace")
				for i := range b.N {
					copy(content, strconv.Itoa(i))
					require.NoError(b, vfs.WriteFile(b.Context(), p, "/dir/file", content))
				}
			})
			for _, writers := range []int{1, 4, 16, 64} {
				b.Run(fmt.Sprint("replace 4 KiB in 16 projects by ", writers), func(b *testing.B) {
					var all []vfs.Project
					for i := range 16 {
						all = append(all, project(b, fmt.Sprint("project", i)))
					}
					var done atomic.Int64
					var group sync.WaitGroup
					b.ResetTimer()
					for writer := range writers {
						group.Go(func() {
							mine := bytes.Clone(content)
							for n := done.Add(1); n <= int64(b.N); n = done.Add(1) {
								copy(mine, strconv.Itoa(int(n)))
								if err := vfs.WriteFile(b.Context(), all[writer%16], "/dir/file", mine); err != nil {
									b.Error(err)
								}
							}
						})
					}
					group.Wait()
					b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "changes/s")
				})
			}
			b.Run("read 4 KiB", func(b *testing.B) {
				p := project(b, "read")
				for range b.N {
					data, err := afero.ReadFile(p, "/dir/file")
					require.NoError(b, err)
					require.Len(b, data, len(content))
				}
			})
			b.Run("list 1000 files", func(b *testing.B) {
				p := project(b, "list")
				require.NoError(b, p.Exclusively(b.Context(), func(files afero.Fs) error {
					for i := range 1000 {
						if err := afero.WriteFile(files, fmt.Sprint("/dir/file", i), content[:100], 0o644); err != nil {
							return err
						}
					}
					return nil
				}))
				b.ResetTimer()
				for range b.N {
					infos, err := afero.ReadDir(p, "/dir")
					require.NoError(b, err)
					require.Len(b, infos, 1001)
				}
			})
			b.Run("replace 8 MiB", func(b *testing.B) {
				p := project(b, "large")
				large := bytes.Repeat(content, 2048)
				for i := range b.N {
					for part := range 8 {
						copy(large[part<<20:], fmt.Sprint(i, part))
					}
					require.NoError(b, vfs.WriteFile(b.Context(), p, "/dir/large", large))
				}
			})
		})
	}
}

// BenchmarkManyProjects shows that what is done with one project does not depend on how many there are.
func BenchmarkManyProjects(b *testing.B) {
	counts := []int{100, 1000}
	if *soak {
		counts = append(counts, 10_000)
	}
	for _, count := range counts {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			url := pgtest.URL(b)
			store := openAt(b, url, nil)
			conn, err := pgx.Connect(b.Context(), url)
			require.NoError(b, err)
			defer conn.Close(context.Background())
			for _, sql := range []string{
				"INSERT INTO project (id, folded, files, ino) SELECT 'p' || i, 'P' || i, 100, 200 FROM " +
					"generate_series(1, $1::int) i",
				"INSERT INTO entry SELECT key, 1, 0, '', '', 16877, 0, 0, 0, '' FROM project WHERE $1::int > 0",
				"INSERT INTO entry SELECT key, 16 + n, 1, 'file' || n, 'file' || n, 420, 0, 0, 0, '' FROM project, " +
					"generate_series(1, 100) n WHERE $1::int > 0",
			} {
				_, err := conn.Exec(b.Context(), sql, count)
				require.NoError(b, err)
			}
			_, err = conn.Exec(b.Context(), "VACUUM ANALYZE")
			require.NoError(b, err)
			b.Run("open and look", func(b *testing.B) {
				for i := range b.N {
					p, err := store.OpenExisting(b.Context(), fmt.Sprint("p", i%count+1))
					require.NoError(b, err)
					_, err = p.Stat("/file7")
					require.NoError(b, err)
					require.NoError(b, p.Close())
				}
			})
			b.Run("list a page", func(b *testing.B) {
				for range b.N {
					ids, err := store.List(b.Context(), "p5", 50)
					require.NoError(b, err)
					require.Len(b, ids, 50)
				}
			})
			b.Run("usage", func(b *testing.B) {
				for i := range b.N {
					_, err := store.Usage(b.Context(), fmt.Sprint("p", i%count+1))
					require.NoError(b, err)
				}
			})
		})
	}
}

// BenchmarkReplicas replaces files through servers that are 2 ms away from the database and have four connections each:
// what they do together grows with their number until the database, here on the same machine, is the limit.
func BenchmarkReplicas(b *testing.B) {
	server := pgtest.StartFor(b, "fsync=on")
	for _, replicas := range []int{1, 2, 4, 8, 16} {
		b.Run(fmt.Sprint(replicas), func(b *testing.B) {
			content := bytes.Repeat([]byte("0123456789abcde\n"), 256)
			var projects []vfs.Project // four of each replica
			for range replicas {
				far := distant(b, server.Port, time.Millisecond)
				store, err := postgres.Open(b.Context(), pgtest.With(server.Base(far), "pool_max_conns", "4"), nil)
				require.NoError(b, err)
				defer store.Close()
				for range 4 {
					project, err := store.Open(b.Context(), fmt.Sprint("p", len(projects)))
					require.NoError(b, err)
					defer project.Close()
					projects = append(projects, project)
				}
			}
			var done atomic.Int64
			var group sync.WaitGroup
			b.ResetTimer()
			for _, project := range projects {
				group.Go(func() {
					mine := bytes.Clone(content)
					for n := done.Add(1); n <= int64(b.N); n = done.Add(1) {
						copy(mine, strconv.Itoa(int(n)))
						if err := vfs.WriteFile(b.Context(), project, "/file", mine); err != nil {
							b.Error(err)
						}
					}
				})
			}
			group.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "changes/s")
		})
	}
}

// distant listens on a port that leads to another one, and takes its time for each message in each direction.
func distant(b *testing.B, port int, delay time.Duration) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	b.Cleanup(func() { _ = l.Close() })
	forward := func(to, from net.Conn) {
		defer to.Close()
		buf := make([]byte, 1<<20)
		for {
			n, err := from.Read(buf)
			if err != nil {
				return
			}
			time.Sleep(delay)
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
	}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", port))
			if err != nil {
				_ = client.Close()
				continue
			}
			go forward(server, client)
			go forward(client, server)
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}
