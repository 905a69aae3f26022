//go:build systemtest

package postgres_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/admin"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/vfs/postgres"
)

// A proxy is on the way to the database, and can cut it.
type proxy struct {
	t      *testing.T
	to     string
	listen net.Listener

	mu    sync.Mutex
	conns map[net.Conn]bool
	// cut says, of what goes to the database, whether the connection is cut: before it gets there, or after that, so
	// that nobody learns what became of it.
	cut func(data []byte) when
	// last is what the client gets before it is cut off.
	last []byte

	received atomic.Int64 // bytes that the database has sent
}

type when int

const (
	never when = iota
	before
	after
)

// commit is the message in which a transaction is committed.
const commit = "COMMIT"

// synced is the end of what is sent at once.
const synced = "S\x00\x00\x00\x04"

func newProxy(t *testing.T, server *pgtest.Server) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{t: t, to: fmt.Sprint("127.0.0.1:", server.Port), listen: l, conns: map[net.Conn]bool{}}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			group.Go(func() { p.serve(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		p.cutAll()
		group.Wait()
	})
	return p
}

func (p *proxy) serve(client net.Conn) {
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		_ = client.Close()
		return
	}
	p.mu.Lock()
	p.conns[client], p.conns[server] = true, true
	p.mu.Unlock()
	var mute atomic.Bool
	answered := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		defer close(answered)
		_, _ = io.Copy(answers{p, client, &mute}, server)
		if !mute.Load() {
			_ = client.Close()
		}
	})
	group.Go(func() {
		defer client.Close()
		defer server.Close()
		buf := make([]byte, 1<<20)
		for {
			n, err := client.Read(buf)
			if err != nil {
				return
			}
			p.mu.Lock()
			how, last := never, p.last
			if p.cut != nil {
				how = p.cut(buf[:n])
			}
			p.mu.Unlock()
			if how == before {
				return
			}
			mute.Store(how == after)
			if _, err := server.Write(buf[:n]); err != nil {
				return
			}
			if how == after {
				_ = server.(*net.TCPConn).CloseWrite()
				<-answered // or the client would ask the server to cancel what it does
				_, _ = client.Write(last)
				return
			}
		}
	})
	group.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, client)
	delete(p.conns, server)
}

// answers gives what a database answers to a client, unless it is mute.
type answers struct {
	p      *proxy
	client io.Writer
	mute   *atomic.Bool
}

func (a answers) Write(data []byte) (int, error) {
	a.p.received.Add(int64(len(data)))
	if a.mute.Load() {
		return len(data), nil
	}
	return a.client.Write(data)
}

func (p *proxy) cutAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

func (p *proxy) cutting(cut func(data []byte) when) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
}

// url is the URL of a schema by way of the proxy.
func (p *proxy) url(server *pgtest.Server, direct string) string {
	_, query, _ := strings.Cut(direct, "search_path=")
	schema, _, _ := strings.Cut(query, "&")
	url := pgtest.With(server.Base(p.listen.Addr().(*net.TCPAddr).Port), "search_path", schema)
	return pgtest.With(url, "default_query_exec_mode", "exec") // so that each statement is sent as a text
}

// behindProxy opens a store by way of a proxy, and another one directly.
func behindProxy(t *testing.T) (p *proxy, store, direct vfs.Store) {
	server := pgtest.Get(t)
	if server.Port == 0 {
		t.Skip("the server is not ours")
	}
	url := pgtest.URL(t)
	p = newProxy(t, server)
	return p, openAt(t, p.url(server, url), nil), openAt(t, url, nil)
}

// TestLostCommits: when the connection is lost during a commit, the store finds out what has become of it. Whatever the
// caller was told is so.
func TestLostCommits(t *testing.T) {
	p, store, direct := behindProxy(t)
	project, other := storetest.Open(t, store, "p"), storetest.Open(t, direct, "p")
	storetest.Write(t, project, "/file", "old")
	for i, test := range []struct {
		how  when
		last string
		want string
	}{
		{before, "", "old"},
		{after, "", "new"},
		// the server fails just after it has committed
		{after, "SPANIC\x00VPANIC\x00C53100\x00Mno room for the log\x00\x00", "new"},
		{after, "SFATAL\x00VFATAL\x00CXX000\x00Mfailed\x00\x00", "new"},
	} {
		how, want, id := test.how, test.want, fmt.Sprint("call ", i)
		var last []byte
		if test.last != "" {
			last = append(binary.BigEndian.AppendUint32([]byte("E"), uint32(4+len(test.last))), test.last...)
		}
		p.mu.Lock()
		p.last = last
		p.mu.Unlock()
		call := project.WithCall(id)
		begun, cut := false, false
		p.cutting(func(data []byte) when {
			begun = begun || strings.Contains(string(data), commit)
			// The rest of the message can come in another piece. What the server has not got as a whole does not count.
			if whole := strings.HasSuffix(string(data), synced); !begun || cut || how == after && !whole {
				return never
			}
			cut = true
			return how
		})
		err := vfs.WriteFile(t.Context(), call, "/file", []byte("new"))
		p.cutting(nil)
		if want == "old" {
			u, ok := errors.AsType[*vfs.UnavailableError](err)
			require.True(t, ok, "%v", err)
			require.False(t, u.Unknown)
		} else {
			require.NoError(t, err)
		}
		require.Equal(t, want, storetest.Read(t, other, "/file"))
		changes, err := other.Changes(t.Context(), "/file")
		require.NoError(t, err)
		require.Equal(t, want == "new", changes[0].Call == id)
		// The next call works.
		require.NoError(t, vfs.WriteFile(t.Context(), call, "/file", []byte("next")))
		_, err = project.Undo(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, "old", storetest.Read(t, other, "/file"))
		call.EndCall()
	}
	usage, err := project.Usage(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(3), usage.Bytes)
	requireSound(t, direct)
}

// TestUndoReadsWhatItNeeds: undoing, redoing and reverting what came last read none of what has been done long before.
func TestUndoReadsWhatItNeeds(t *testing.T) {
	p, store, direct := behindProxy(t)
	const much = 100 << 10
	long := strings.Repeat("long ", 30)
	require.NoError(t, storetest.Open(t, direct, "p").Exclusively(t.Context(), func(files afero.Fs) error {
		for i := range 2000 {
			if err := files.Mkdir(fmt.Sprint("/", long, i), 0o755); err != nil {
				return err
			}
		}
		return nil
	}))
	project := storetest.Open(t, store, "p")
	storetest.Write(t, project.WithCall("call"), "/file", "content")
	reads := func(do func() error) int64 {
		before := p.received.Load()
		require.NoError(t, do())
		return p.received.Load() - before
	}
	require.Greater(t, reads(func() error { _, err := project.Changes(t.Context(), "/"); return err }), int64(2*much))
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"undo by id", func() error { _, err := project.Undo(t.Context(), "call"); return err }},
		{"redo by id", func() error { _, err := project.Redo(t.Context(), "call"); return err }},
		{"undo the latest", func() error { _, err := project.Undo(t.Context(), ""); return err }},
		{"redo the latest", func() error { _, err := project.Redo(t.Context(), ""); return err }},
		{"revert", func() error { _, err := vfs.Revert(t.Context(), project, 2001, ""); return err }},
	} {
		t.Run(step.name, func(t *testing.T) { require.Less(t, reads(step.do), int64(much)) })
	}
	_, err := project.Stat("/file")
	require.ErrorIs(t, err, afero.ErrFileNotFound)
}

// TestCutConnections cuts all connections again and again while several write. What a writer was told has happened has,
// and nothing else, unless it was told that nobody knows.
func TestCutConnections(t *testing.T) {
	p, store, direct := behindProxy(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	var cutter, group sync.WaitGroup
	stop := make(chan struct{})
	cutter.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(7 * time.Millisecond):
				p.cutAll()
			}
		}
	})
	const tasks, each = 4, 25
	type told struct{ done, unknown map[string]bool }
	all := make([]told, tasks)
	for task := range tasks {
		all[task] = told{map[string]bool{}, map[string]bool{}}
		group.Go(func() {
			for i := 0; i < each && ctx.Err() == nil; i++ {
				name := fmt.Sprint("/dir", task%2, "/file ", task, " ", i)
				project, err := store.Open(ctx, "p")
				if err != nil {
					continue
				}
				err = vfs.WriteFile(ctx, project.WithCall(name), name, []byte(name))
				u, unavailable := errors.AsType[*vfs.UnavailableError](err)
				switch {
				case err == nil:
					all[task].done[name] = true
				case unavailable && u.Unknown, errors.Is(err, context.DeadlineExceeded):
					all[task].unknown[name] = true
				default:
					if !unavailable {
						t.Errorf("not a typed error: %v", err)
					}
				}
				_ = project.Close()
			}
		})
	}
	group.Wait()
	close(stop)
	cutter.Wait()
	project := storetest.Open(t, direct, "p")
	there := storetest.Snapshot(t, project)
	changes, err := project.Changes(t.Context(), "/")
	require.NoError(t, err)
	calls := map[string]bool{}
	for _, e := range changes {
		calls[e.Call] = true
	}
	for task := range all {
		for name := range all[task].done {
			require.Equal(t, name, there[name])
			require.True(t, calls[name])
			delete(there, name)
		}
		for name := range all[task].unknown {
			if content, ok := there[name]; ok {
				require.Equal(t, name, content)
				require.True(t, calls[name], "the history knows")
			}
			delete(there, name)
		}
	}
	for name, content := range there {
		require.Equal(t, "directory", content, name)
	}
	requireSound(t, direct)
}

// TestFailuresOfTheServer has a server of its own, which can be stopped.
func TestFailuresOfTheServer(t *testing.T) {
	t.Parallel()
	server := pgtest.StartFor(t)
	t.Run("restarts", func(t *testing.T) { testRestarts(t, server) })
	t.Run("restarts with many connections", func(t *testing.T) { testStaleConnections(t, server) })
	t.Run("kills", func(t *testing.T) { testKills(t, server) })
	t.Run("kills while restoring", func(t *testing.T) { testKilledRestoring(t, server) })
}

// testRestarts: after a restart of the server, also without warning, everything goes on, and nothing is lost.
func testRestarts(t *testing.T, server *pgtest.Server) {
	store := openAt(t, server.URL(t), nil)
	project := storetest.Open(t, store, "p")
	for i, immediately := range []bool{true, false} {
		name := fmt.Sprint("/file", i)
		storetest.Write(t, project, name, "content")
		left, err := project.Create("/unfinished")
		require.NoError(t, err)
		_, err = left.WriteString("half")
		require.NoError(t, err)
		server.Stop(immediately)
		_, err = afero.ReadFile(project, name)
		requireUnavailable(t, err)
		requireUnavailable(t, vfs.WriteFile(t.Context(), project, name, []byte("other")))
		_, err = store.Open(t.Context(), "other")
		requireUnavailable(t, err)
		require.NoError(t, server.Run())
		require.Equal(t, "content", storetest.Read(t, project, name))
		require.NoError(t, vfs.WriteFile(t.Context(), project, name, []byte("next")))
		require.NoError(t, left.Close())
		require.Equal(t, "half", storetest.Read(t, project, "/unfinished"))
	}
	// A section whose transaction is lost has not happened, and says so.
	err := project.Exclusively(t.Context(), func(files afero.Fs) error {
		require.NoError(t, afero.WriteFile(files, "/lost", []byte("x"), 0o644))
		server.Stop(true)
		return server.Run()
	})
	requireUnavailable(t, err)
	_, err = project.Stat("/lost")
	require.Error(t, err)
	requireSound(t, store)
}

// testStaleConnections: after a restart of the server all connections are lost, and nobody notices, however many there
// are.
func testStaleConnections(t *testing.T, server *pgtest.Server) {
	store := openAt(t, server.URL(t), nil)
	records := store.Records("kind")
	project := storetest.Open(t, store, "p")
	large := strings.Repeat("large", 100_000)
	set := func(data []byte) ([]byte, error) { return []byte("content"), nil }
	require.NoError(t, records.Change(t.Context(), "record", 0, set))
	storetest.Write(t, project, "/file", large)
	for name, do := range map[string]func() error{
		"read": func() error {
			data, err := afero.ReadFile(project, "/file")
			require.Equal(t, large, string(data))
			return err
		},
		"read directory": func() error { _, err := afero.ReadDir(project, "/"); return err },
		"write":          func() error { return vfs.WriteFile(t.Context(), project, "/file", []byte(large)) },
		"changes":        func() error { _, err := project.Changes(t.Context(), "/file"); return err },
		"usage":          func() error { _, err := store.Usage(t.Context(), "p"); return err },
		"projects":       func() error { _, err := store.List(t.Context(), "", 0); return err },
		"discarded":      func() error { _, err := store.Discarded(t.Context()); return err },
		"open":           func() error { return openAndClose(t, store, "p") },
		"make":           func() error { return openAndClose(t, store, "new") },
		"record":         func() error { _, err := records.Get(t.Context(), "record"); return err },
		"records":        func() error { _, err := records.List(t.Context(), "", 0); return err },
		"change record":  func() error { return records.Change(t.Context(), "other", 0, set) },
		"all records": func() error {
			for _, err := range store.AllRecords(t.Context()) {
				if err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var group sync.WaitGroup
			for i := range 20 {
				group.Go(func() {
					mine, err := store.Open(t.Context(), fmt.Sprint("project ", i))
					if err == nil {
						err = vfs.WriteFile(t.Context(), mine, "/file", []byte(large))
					}
					for range 4 {
						if err == nil {
							_, err = afero.ReadFile(mine, "/file")
						}
					}
					if err == nil {
						err = mine.Close()
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			server.Stop(true)
			require.NoError(t, server.Run())
			require.NoError(t, do())
		})
	}
}

func openAndClose(t *testing.T, store vfs.Store, id string) error {
	project, err := store.Open(t.Context(), id)
	if err == nil {
		err = project.Close()
	}
	return err
}

func requireUnavailable(t *testing.T, err error) {
	t.Helper()
	u, ok := errors.AsType[*vfs.UnavailableError](err)
	require.True(t, ok, "%v", err)
	require.False(t, u.Unknown, "%v", err)
}

// TestExhaustion: when all connections are in use, changes wait and then fail, and nothing has happened. Whoever has a
// project to itself can go on.
func TestExhaustion(t *testing.T) {
	url := pgtest.With(pgtest.URL(t), "pool_max_conns", "2")
	store := openAt(t, url, nil)
	one, two := storetest.Open(t, store, "one"), storetest.Open(t, store, "two")
	require.NoError(t, one.Exclusively(t.Context(), func(files afero.Fs) error {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		err := vfs.WriteFile(ctx, two, "/file", []byte("x"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		storetest.Write(t, files, "/file", "x")
		require.Equal(t, "x", storetest.Read(t, files, "/file"))
		_, err = two.Stat("/file") // reading has connections of its own
		require.ErrorIs(t, err, afero.ErrFileNotFound)
		return nil
	}))
	storetest.Write(t, two, "/file", "x")
}

// TestReadOnlyDatabase: a database that refuses changes, such as a standby, can be read.
func TestReadOnlyDatabase(t *testing.T) {
	url := pgtest.URL(t)
	storetest.Write(t, storetest.Open(t, openAt(t, url, nil), "p"), "/file", "content")
	store := openAt(t, pgtest.With(url, "default_transaction_read_only", "on"), nil)
	project := storetest.Open(t, store, "p")
	require.Equal(t, "content", storetest.Read(t, project, "/file"))
	requireUnavailable(t, vfs.WriteFile(t.Context(), project, "/file", []byte("x")))
	_, err := store.Open(t.Context(), "new")
	requireUnavailable(t, err)
	require.Equal(t, "content", storetest.Read(t, project, "/file"))
}

// TestRefusals: whatever the database refuses in the middle of a change is a typed error that says why, nothing of the
// change has happened, and the next one works.
func TestRefusals(t *testing.T) {
	url := pgtest.With(pgtest.URL(t), "statement_timeout", "200")
	store := openAt(t, url, nil)
	project := storetest.Open(t, store, "p")
	storetest.Write(t, project, "/file", "old")
	before, err := project.Usage(t.Context())
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	do := func(sql string) {
		_, err := conn.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	for _, test := range []struct {
		name, statement, reason string
		errno                   error
	}{
		{"the disk is full", "RAISE EXCEPTION 'full' USING ERRCODE = 'disk_full'", "disk is full", syscall.ENOSPC},
		{"out of memory", "RAISE EXCEPTION 'full' USING ERRCODE = 'out_of_memory'", "out of memory", nil},
		{"a standby", "RAISE EXCEPTION 'no' USING ERRCODE = 'read_only_sql_transaction'", "read-only", syscall.EROFS},
		{"a statement takes too long", "PERFORM pg_sleep(10)", "took too long", nil},
		{"the connection is ended", "PERFORM pg_terminate_backend(pg_backend_pid())",
			"connection to the database was lost", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			do("CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + test.statement +
				"; RETURN new; END $$")
			do("CREATE TRIGGER fail BEFORE INSERT ON change FOR EACH ROW EXECUTE FUNCTION fail()")
			err := vfs.WriteFile(t.Context(), project, "/file", []byte("much longer"))
			requireUnavailable(t, err)
			require.ErrorContains(t, err, test.reason)
			if test.errno != nil {
				require.ErrorIs(t, err, test.errno)
			}
			do("DROP TRIGGER fail ON change")
			do("DROP FUNCTION fail")
			require.Equal(t, "old", storetest.Read(t, project, "/file"))
			after, err := project.Usage(t.Context())
			require.NoError(t, err)
			require.Equal(t, before, after)
			requireSound(t, store)
		})
	}
	storetest.Write(t, project, "/file", "new")
	require.Equal(t, "new", storetest.Read(t, project, "/file"))
}

// TestTooManyConnections: a database that accepts no further connection is a typed error as well.
func TestTooManyConnections(t *testing.T) {
	url := pgtest.URL(t)
	require.NoError(t, openAt(t, url, nil).Close())
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	role := pgx.Identifier{fmt.Sprintf("crowded_%d", os.Getpid())}.Sanitize()
	_, err = conn.Exec(t.Context(), "CREATE ROLE "+role+" LOGIN CONNECTION LIMIT 0")
	require.NoError(t, err)
	defer func() { _, _ = conn.Exec(context.Background(), "DROP ROLE "+role) }()
	_, err = postgres.Open(t.Context(), pgtest.With(url, "user", fmt.Sprintf("crowded_%d", os.Getpid())), nil)
	requireUnavailable(t, err)
	require.ErrorContains(t, err, "no connection left")
}

// TestNewerSchema: an older version refuses what a newer one has made.
func TestNewerSchema(t *testing.T) {
	url := pgtest.URL(t)
	require.NoError(t, openAt(t, url, nil).Close())
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), "INSERT INTO migration (number) VALUES (1000)")
	require.NoError(t, err)
	_, err = postgres.Open(t.Context(), url, nil)
	newer, ok := errors.AsType[*postgres.NewerSchemaError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, 1000, newer.Schema)
}

// TestMigrationsTogether: several that open a store at once apply each migration once.
func TestMigrationsTogether(t *testing.T) {
	url := pgtest.URL(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			store, err := postgres.Open(t.Context(), url, nil)
			if err != nil {
				t.Error(err)
				return
			}
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// TestWatchProjects: changes by another process are told, also if the connection for that goes another way.
func TestWatchProjects(t *testing.T) {
	server, url := pgtest.Get(t), pgtest.URL(t)
	requireHeard(t, openAt(t, url, nil), openAt(t, url, nil))
	if server.Port == 0 {
		return // it is not ours
	}
	p := newProxy(t, server)
	p.cutting(func([]byte) when { // connecting takes longer than a change takes to be told
		time.Sleep(100 * time.Millisecond)
		return never
	})
	watching := openAt(t, pgtest.With(url, "listen", p.listen.Addr().String()), nil)
	requireHeard(t, watching, openAt(t, url, nil))
	p.mu.Lock()
	require.Len(t, p.conns, 2, "one connection, both ways")
	p.mu.Unlock()
	for _, wrong := range []string{"localhost", ":5432", "%zz"} {
		_, err := postgres.Open(t.Context(), url+"&listen="+wrong, nil)
		require.ErrorContains(t, err, "listen")
	}
}

// requireHeard checks that what is changed after a watch has said that it hears of changes is told.
func requireHeard(t *testing.T, watching, other *postgres.Store) {
	t.Helper()
	project := storetest.Open(t, other, "p")
	for range 2 { // the second time, the store is connected already
		ctx, cancel := context.WithCancel(t.Context())
		heard, done := make(chan string, 100), make(chan error)
		go func() { done <- watching.WatchProjects(ctx, func(id string) { heard <- id }) }()
		for _, want := range []string{"", "p"} {
			storetest.Hear(t, heard, want)
			storetest.Write(t, project, "/file", "x")
		}
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
	}
}

// TestSweep: contents that no file has are removed after a time, and others are not.
func TestSweep(t *testing.T) {
	store := open(t, &vfs.Options{History: vfs.HistoryOptions{Off: true}})
	project := storetest.Open(t, store, "p")
	storetest.Write(t, project, "/file", "old")
	reader, err := project.Open("/file")
	require.NoError(t, err)
	storetest.Write(t, project, "/file", "new")
	require.NoError(t, store.Sweep(t.Context(), time.Hour))
	data, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Equal(t, "old", string(data))
	require.NoError(t, reader.Close())
	storetest.Write(t, project, "/again", "old")
	storetest.Write(t, project, "/file", "newer")
	require.NoError(t, store.Sweep(t.Context(), 0))
	require.Equal(t, "old", storetest.Read(t, project, "/again"))
	require.Equal(t, "newer", storetest.Read(t, project, "/file"))
	requireSound(t, store)
}

// TestDamage: what is missing in the database is found, and spreads no further.
func TestDamage(t *testing.T) {
	url := pgtest.URL(t)
	store := openAt(t, url, nil)
	project := storetest.Open(t, store, "p")
	storetest.Write(t, project, "/file", "old")
	storetest.Write(t, project, "/file", "new")
	storetest.Write(t, project, "/other", "other")
	requireSound(t, store)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), "DELETE FROM part WHERE data = 'old'::bytea")
	require.NoError(t, err)
	var problems []string
	require.NoError(t, store.Check(t.Context(), func(_, problem string) { problems = append(problems, problem) }))
	require.Equal(t, []string{"a part of the content of 0000000000000002.kept is missing"}, problems)
	_, err = project.Undo(t.Context(), "#2")
	require.ErrorContains(t, err, "has not all of the file's content")
	require.Equal(t, "new", storetest.Read(t, project, "/file"))
	_, err = conn.Exec(t.Context(), "DELETE FROM entry WHERE name = '0000000000000002.kept'")
	require.NoError(t, err)
	problems = nil
	require.NoError(t, store.Check(t.Context(), func(_, problem string) { problems = append(problems, problem) }))
	require.Contains(t, problems, "what change 2 is said to have kept is not there")
	storetest.Write(t, project, "/other", "goes on")
	require.Equal(t, "goes on", storetest.Read(t, project, "/other"))
}

// TestForeignHistory: a history that another program has written comes along, whatever is in it.
func TestForeignHistory(t *testing.T) {
	dir := t.TempDir()
	from, err := local.OpenStore(dir, nil)
	require.NoError(t, err)
	storetest.Write(t, storetest.Open(t, from, "p"), "/file", "content")
	require.NoError(t, from.Close())
	var page string
	require.NoError(t, filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(name, ".page") {
			page = name
		}
		return err
	}))
	call := "\x00" + strings.Repeat("é", 10_000)
	line, err := json.Marshal(map[string]any{"n": 1, "time": time.Now(), "op": "create", "path": "/file", "call": call})
	require.NoError(t, err)
	f, err := os.OpenFile(page, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = fmt.Fprintf(f, "\n%s\n", line)
	require.NoError(t, errors.Join(err, f.Close()))
	from, err = local.OpenStore(dir, nil)
	require.NoError(t, err)
	defer from.Close()
	store := open(t, nil)
	require.NoError(t, admin.Migrate(t.Context(), from, store, func(admin.Result) {}))
	changes, err := storetest.Open(t, store, "p").Changes(t.Context(), "/")
	require.NoError(t, err)
	require.Len(t, changes, 1)
	require.Equal(t, call, changes[0].Call)
	requireSound(t, store)
}
