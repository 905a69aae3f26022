package servertest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/postgres"
	"github.com/toolrun/toolrun/vfs/postgres/s3"
	"github.com/toolrun/toolrun/vfs/vfstest"
)

// variable can be the address of a bucket, on a server that is then used instead of one of our own, with the
// credentials of the environment. The bucket may be full of other things afterwards.
const variable = "TOOLRUN_TEST_S3"

// replicaVariables are the URL of a database and the address of a bucket, for a process that writes until it is killed.
const replicaDatabase, replicaObjects = "TOOLRUN_TEST_REPLICA", "TOOLRUN_TEST_REPLICA_OBJECTS"

func TestMain(m *testing.M) {
	if url := os.Getenv(replicaDatabase); url != "" {
		if err := replica(url, os.Getenv(replicaObjects)); err != nil {
			fmt.Println("failed", err)
		}
		return
	}
	os.Exit(pgtest.Main(m))
}

// keys are the credentials for a server of our own, which does not check them.
var keys = &s3.Options{Region: "us-east-1", AccessKey: "key", SecretKey: "secret"}

func options() *s3.Options {
	if os.Getenv(variable) != "" {
		return nil
	}
	return keys
}

// address returns that of an empty bucket, or of an empty prefix.
func address(t *testing.T) string {
	if at := os.Getenv(variable); at != "" {
		return fmt.Sprintf("%s/%s-%d", strings.TrimSuffix(at, "/"), strings.ReplaceAll(t.Name(), "/", "-"),
			rand.Uint64())
	}
	at, _ := serve(t)
	return at
}

// serve starts a server, and returns the address of a bucket and what to call with a function that is called after each
// object that is written.
func serve(t *testing.T) (address string, onPut func(put func())) {
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("bucket"))
	var after atomic.Pointer[func()]
	inner := gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(w, r)
		if put := after.Load(); put != nil && r.Method == http.MethodPut {
			(*put)()
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/bucket/some/prefix", func(put func()) { after.Store(&put) }
}

func open(t *testing.T, url, at string) *postgres.Store {
	bucket, err := s3.Open(at, options())
	require.NoError(t, err)
	store, err := postgres.OpenWith(t.Context(), url, nil,
		&postgres.Options{Objects: bucket, KeepObjects: time.Nanosecond})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func names(t *testing.T, at string) (all []string) {
	bucket, err := s3.Open(at, options())
	require.NoError(t, err)
	for object, err := range bucket.List(t.Context()) {
		require.NoError(t, err)
		require.WithinDuration(t, time.Now(), object.Modified, time.Hour)
		if strings.Contains(object.Name, "/") {
			all = append(all, object.Name)
		}
	}
	slices.Sort(all)
	return all
}

func noise(size int) string {
	data := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(size)}).Read(data)
	return string(data)
}

func requireSound(t *testing.T, store *postgres.Store) {
	t.Helper()
	require.NoError(t, store.Check(t.Context(), func(id, problem string) { t.Errorf("%s: %s", id, problem) }))
}

func TestStore(t *testing.T) {
	if testing.Short() {
		t.Skip("TestBucket and TestProject have the most of it")
	}
	vfstest.TestStore(t, func(t *testing.T) vfs.Store { return open(t, pgtest.URL(t), address(t)) })
}

// TestBucket does what the interface promises.
func TestBucket(t *testing.T) {
	at := address(t)
	bucket, err := s3.Open(at, options())
	require.NoError(t, err)
	ctx := t.Context()
	_, err = bucket.Get(ctx, "1/none")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, bucket.Remove(ctx, "1/none"))
	data := []byte(noise(postgres.MaxObject))
	require.NoError(t, bucket.Put(ctx, "1/large", data))
	require.NoError(t, bucket.Put(ctx, "2/small", []byte("old")))
	require.NoError(t, bucket.Put(ctx, "2/small", []byte("new")))
	require.Equal(t, []string{"1/large", "2/small"}, names(t, at))
	got, err := bucket.Get(ctx, "1/large")
	require.NoError(t, err)
	require.True(t, bytes.Equal(data, got))
	got, err = bucket.Get(ctx, "2/small")
	require.NoError(t, err)
	require.Equal(t, "new", string(got))
	for _, name := range names(t, at) {
		require.NoError(t, bucket.Remove(ctx, name))
	}
	require.Empty(t, names(t, at))

	wrong, err := s3.Open(strings.Replace(at, "/bucket/", "/other/", 1), options())
	require.NoError(t, err)
	if os.Getenv(variable) == "" {
		require.ErrorContains(t, wrong.Put(ctx, "x", []byte("x")), "no such bucket")
		_, err = wrong.Get(ctx, "x")
		require.NotErrorIs(t, err, fs.ErrNotExist, "it is the bucket that is missing")
	}
}

// TestProject has a large file in a project, from its beginning to its end.
func TestProject(t *testing.T) {
	at := address(t)
	store := open(t, pgtest.URL(t), at)
	p := storetest.Open(t, store, "p")
	content := noise(10<<20 + 3)
	storetest.Write(t, p, "/large", "small")
	storetest.Write(t, p.WithCall("call"), "/large", content)
	require.Len(t, names(t, at), 10)
	require.Equal(t, content, storetest.Read(t, p, "/large"))
	requireSound(t, store)
	_, err := p.Undo(t.Context(), "call")
	require.NoError(t, err)
	require.Equal(t, "small", storetest.Read(t, p, "/large"))
	require.NoError(t, store.Delete(t.Context(), "p"))
	require.NoError(t, store.Sweep(t.Context(), 0))
	require.Empty(t, names(t, at))
}

// replica writes large files until it is killed, and says of each when it is there.
func replica(url, at string) error {
	bucket, err := s3.Open(at, options())
	if err != nil {
		return err
	}
	store, err := postgres.OpenWith(context.Background(), url, nil, &postgres.Options{Objects: bucket})
	if err != nil {
		return err
	}
	p, err := store.Open(context.Background(), "p")
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		name := fmt.Sprintf("/%d-%d", os.Getpid(), i)
		content := noise(3<<20 + i%20)
		if err := vfs.WriteFile(context.Background(), p, name, []byte(content)); err != nil {
			return err
		}
		fmt.Println("done", name, i)
	}
}

// TestKills kills processes that write large files, when some of the objects of a file have been written, or all, but
// before it is there. What they have said is there, and whatever they have left is collected.
func TestKills(t *testing.T) {
	url := pgtest.URL(t)
	at, onPut := serve(t)
	store := open(t, url, at) // which makes the tables
	p := storetest.Open(t, store, "p")
	const parts = 3
	for round := range parts {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), replicaDatabase+"="+url, replicaObjects+"="+at)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		var puts atomic.Int64
		onPut(func() {
			if puts.Add(1) == int64(5*parts+round+1) {
				_ = cmd.Process.Kill()
			}
		})
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		var last string
		for lines.Scan() {
			require.True(t, strings.HasPrefix(lines.Text(), "done "), lines.Text())
			last = lines.Text()
		}
		_ = cmd.Wait()
		onPut(func() {})
		var name string
		var number int
		_, err = fmt.Sscanf(last, "done %s %d", &name, &number)
		require.NoError(t, err)
		require.Equal(t, noise(parts<<20+number%20), storetest.Read(t, p, name))
		requireSound(t, store)
	}
	before := len(names(t, at))
	require.NoError(t, store.Sweep(t.Context(), 0))
	require.NoError(t, store.Sweep(t.Context(), 0))
	_, err := store.FindLostObjects(t.Context(), false)
	require.NoError(t, err)
	require.NoError(t, store.Sweep(t.Context(), 0))
	require.Less(t, len(names(t, at)), before, "what they have left is gone")
	requireSound(t, store)
	require.NoError(t, store.Delete(t.Context(), "p"))
	require.NoError(t, store.Sweep(t.Context(), 0))
	require.Empty(t, names(t, at))
}
