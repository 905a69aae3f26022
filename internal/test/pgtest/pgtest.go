// Package pgtest starts a PostgreSQL server for the tests of one binary, in a temporary directory. Each test gets a
// schema of its own:
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
//
//	func TestStore(t *testing.T) {
//		store, err := postgres.Open(t.Context(), pgtest.URL(t), nil)
//		...
//	}
//
// Only builds with the tag systemtest start a server. Its programs are found on the path or where distributions put
// them. The environment variable TOOLRUN_TEST_POSTGRES can be the URL of a database, on a server that is used instead.
// Without a server, tests are skipped.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Server is a running server.
type Server struct {
	// Port is that at 127.0.0.1. It and Dir are zero if the server is not ours.
	Port int
	Dir  string
	base string // the URL of its database

	bin      string
	settings []string
	args     []string
	attr     *syscall.SysProcAttr
	mu       sync.Mutex
	cmd      *exec.Cmd
	done     chan struct{}
}

var (
	once    sync.Once
	running *Server
	failed  error
	ends    bool // Main will stop the server
	schemas atomic.Int64
)

// Main runs the tests of a binary, and stops the server if one has been started.
func Main(m *testing.M) int {
	ends = true
	defer func() {
		if running != nil {
			running.remove()
		}
	}()
	return m.Run()
}

// Get returns the server of this binary, or skips the test.
func Get(t testing.TB) *Server {
	t.Helper()
	once.Do(func() { running, failed = find() })
	if failed != nil {
		t.Skip("no PostgreSQL server: ", failed)
	}
	return running
}

// URL returns the URL of a new schema on the server, which is dropped at the end of the test. Without a server, it
// skips the test.
func URL(t testing.TB) string {
	t.Helper()
	return Get(t).URL(t)
}

// URL returns the URL of a new schema, which is dropped at the end of the test if the server is not ours.
func (s *Server) URL(t testing.TB) string {
	t.Helper()
	schema := fmt.Sprintf("test_%d_%d", os.Getpid(), schemas.Add(1))
	do := func(sql string) error {
		conn, err := pgx.Connect(context.Background(), s.base)
		if err != nil {
			return err
		}
		defer conn.Close(context.Background())
		_, err = conn.Exec(context.Background(), sql)
		return err
	}
	if err := do("CREATE SCHEMA " + schema); err != nil {
		t.Fatal("creating a schema: ", err)
	}
	t.Cleanup(func() {
		if s.Dir == "" { // ours goes as a whole
			_ = do("DROP SCHEMA " + schema + " CASCADE")
		}
	})
	return With(s.base, "search_path", schema)
}

// With returns a URL with a parameter.
func With(base, name, value string) string {
	u, err := url.Parse(base)
	if err != nil {
		panic(err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

const variable = "TOOLRUN_TEST_POSTGRES"

// Named reports whether the environment has the URL of a database.
func Named() bool { return os.Getenv(variable) != "" }

// Environ is the environment of a process whose tests use this server.
func (s *Server) Environ() []string { return append(os.Environ(), variable+"="+s.base) }

func find() (*Server, error) {
	if base := os.Getenv(variable); base != "" {
		return &Server{base: base}, nil
	}
	if !ends {
		return nil, errors.New(variable + " names none, and nothing would stop another one")
	}
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	return start(bin)
}

// programs returns the directory of the server's programs: of the newest version if there are several.
func programs() (string, error) {
	if !mayStart {
		return "", errors.New("one is started only in builds with the tag systemtest")
	}
	if at, err := exec.LookPath("initdb"); err == nil {
		if at, err = filepath.EvalSymlinks(at); err == nil {
			return filepath.Dir(at), nil
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	more, _ := filepath.Glob("/usr/pgsql-*/bin/initdb")
	brew, _ := filepath.Glob("/opt/homebrew/opt/postgresql@*/bin/initdb")
	all := slices.Concat(found, more, brew)
	if len(all) == 0 {
		return "", errors.New("there is no initdb (Debian's package postgresql has it)")
	}
	slices.SortFunc(all, func(a, b string) int { return versionIn(a) - versionIn(b) })
	return filepath.Dir(all[len(all)-1]), nil
}

func versionIn(name string) int {
	digits := strings.FieldsFunc(name, func(c rune) bool { return c < '0' || c > '9' })
	if len(digits) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(digits[0])
	return n
}

// start starts a server of its own from the programs in a directory, with further settings. Stop and remove it.
func start(bin string, settings ...string) (*Server, error) {
	dir, err := os.MkdirTemp("", "toolrun-postgres-")
	if err != nil {
		return nil, err
	}
	s := &Server{Dir: dir, bin: bin, attr: &syscall.SysProcAttr{}}
	if err := s.make(settings); err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

func (s *Server) make(settings []string) error {
	if os.Getuid() == 0 { // the server refuses that
		if err := s.asOther(); err != nil {
			return err
		}
	}
	data := filepath.Join(s.Dir, "data")
	initdb := exec.Command(filepath.Join(s.bin, "initdb"), "-D", data, "-U", "postgres",
		"-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")
	initdb.SysProcAttr, initdb.Dir = s.attr, s.Dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return s.serve(settings)
}

// serve runs the server on the data that are there, at a port of its own.
func (s *Server) serve(settings []string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.Port = l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		return err
	}
	s.settings = settings
	s.args = []string{"-D", filepath.Join(s.Dir, "data"), "-k", s.Dir, "-h", "127.0.0.1", "-p", strconv.Itoa(s.Port)}
	for _, setting := range append([]string{
		"fsync=off", "max_connections=300", "shared_buffers=64MB", "max_wal_size=256MB", "log_min_messages=fatal",
	}, settings...) {
		s.args = append(s.args, "-c", setting)
	}
	s.base = fmt.Sprintf("postgres://postgres@/postgres?host=%s&port=%d", url.QueryEscape(s.Dir), s.Port)
	return s.Run()
}

// Run starts the server again after Stop, and waits until it answers.
func (s *Server) Run() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	cmd := exec.Command(filepath.Join(s.bin, "postgres"), s.args...)
	attr := *s.attr
	endsWithUs(&attr)
	cmd.SysProcAttr, cmd.Dir = &attr, s.Dir
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	started, done := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // the server ends with the thread that has started it
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(done)
	}()
	if err := <-started; err != nil {
		return err
	}
	s.cmd, s.done = cmd, done
	for range 6000 {
		conn, err := pgx.Connect(context.Background(), s.base)
		if err == nil {
			return conn.Close(context.Background())
		}
		select {
		case <-done:
			return fmt.Errorf("the server has ended: %s", out.String())
		case <-time.After(5 * time.Millisecond):
		}
	}
	return errors.New("the server does not answer")
}

// Stop stops the server: at once, as if the machine had failed, or with SIGINT, which ends all connections first.
func (s *Server) Stop(immediately bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return
	}
	how := syscall.SIGINT
	if immediately {
		how = syscall.SIGQUIT
	}
	_ = s.cmd.Process.Signal(how)
	<-s.done
	s.cmd = nil
}

func (s *Server) remove() {
	s.Stop(true)
	if s.Dir != "" {
		_ = os.RemoveAll(s.Dir)
	}
}

// StartFor starts a server of its own for a test, until its end, or skips the test.
func StartFor(t testing.TB, settings ...string) *Server {
	t.Helper()
	bin, err := programs()
	if err != nil {
		t.Skip("no PostgreSQL server: ", err)
	}
	s, err := start(bin, settings...)
	if err != nil {
		t.Fatal("starting a server: ", err)
	}
	t.Cleanup(s.remove)
	return s
}

// Standby starts another server with a copy of this one's data, which follows its changes, until the end of the test.
func (s *Server) Standby(t testing.TB) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "toolrun-postgres-")
	if err != nil {
		t.Fatal("a directory for the standby: ", err)
	}
	standby := &Server{Dir: dir, bin: s.bin, attr: &syscall.SysProcAttr{}}
	t.Cleanup(standby.remove)
	if os.Getuid() == 0 {
		if err := standby.asOther(); err != nil {
			t.Fatal("the standby: ", err)
		}
	}
	backup := exec.Command(filepath.Join(s.bin, "pg_basebackup"), "-D", filepath.Join(dir, "data"),
		"-R", "-X", "stream",
		"-c", "fast", "--no-sync", "-h", s.Dir, "-p", strconv.Itoa(s.Port), "-U", "postgres")
	backup.SysProcAttr, backup.Dir = standby.attr, dir
	if out, err := backup.CombinedOutput(); err != nil {
		t.Fatalf("pg_basebackup: %s: %s", err, out)
	}
	if err := standby.serve(s.settings); err != nil {
		t.Fatal("starting the standby: ", err)
	}
	return standby
}

// Base returns the URL of the server's database, at a port of 127.0.0.1 if that is not zero.
func (s *Server) Base(port int) string {
	if port == 0 {
		return s.base
	}
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port)
}
