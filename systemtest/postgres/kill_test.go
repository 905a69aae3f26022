//go:build systemtest

package postgres_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/postgres"
)

var soak = flag.Bool("soak", false, "run the long versions of tests")

// replicaVariable has the URL of the database for a process that is a replica.
const replicaVariable = "TOOLRUN_TEST_REPLICA"

// pauseVariable has the time that a client waits after each call.
const pauseVariable = "TOOLRUN_TEST_PAUSE"

// How many clients a replica has, and on how many projects they work.
const (
	clients  = 8
	projects = 5
)

// replica serves clients that write, until it is killed. It says what each has been told: "done" or "unknown", the
// project and a path, which is also the call's id and the content.
func replica(url string, out io.Writer) {
	var store *postgres.Store
	for err := error(io.EOF); err != nil; { // until the server is there
		store, err = postgres.Open(context.Background(), url, &vfs.Options{
			Quota: vfs.Quota{Bytes: vfs.Unlimited, Files: vfs.Unlimited},
		})
	}
	pause, _ := time.ParseDuration(os.Getenv(pauseVariable))
	var mu sync.Mutex
	say := func(what, project, name string) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = fmt.Fprintln(out, what, project, name)
	}
	for client := range clients {
		go func() {
			for i := 0; ; i++ {
				time.Sleep(pause)
				project := fmt.Sprint("p", rand.IntN(projects))
				name := fmt.Sprintf("/d%d/%d-%d-%d", i%3, os.Getpid(), client, i)
				err := serve(store, project, name)
				u, unavailable := errors.AsType[*vfs.UnavailableError](err)
				switch {
				case err == nil:
					say("done", project, name)
				case unavailable && u.Unknown:
					say("unknown", project, name)
				case unavailable:
					time.Sleep(10 * time.Millisecond)
				default:
					say("failed", project, strings.ReplaceAll(name+" "+err.Error(), "\n", " "))
				}
			}
		}()
	}
	select {}
}

// serve does one call: it writes a file, large or small, and a second one in the same exclusive section.
func serve(store vfs.Store, id, name string) error {
	project, err := store.Open(context.Background(), id)
	if err != nil {
		return err
	}
	defer project.Close()
	call := project.WithCall(name)
	defer call.EndCall()
	return vfs.Exclusively(context.Background(), call, func(files afero.Fs) error {
		if err := vfs.WriteFile(context.Background(), files, name, []byte(contentOf(name))); err != nil {
			return err
		}
		return vfs.WriteFile(context.Background(), files, name+".twin", []byte(name))
	})
}

// contentOf is a content that depends on a name, sometimes of several parts.
func contentOf(name string) string {
	if strings.HasSuffix(name, "17") {
		return strings.Repeat(name+"\n", 100_000)
	}
	return name
}

// testKills kills replicas, and in the long version also stops the server without warning. What a client was told is
// there, whole, nothing is there by half, quotas are right to the byte, calls can be undone, and no lock outlives its
// holder.
func testKills(t *testing.T, server *pgtest.Server) {
	base := server.URL(t)
	ends, pause := time.Now(), "0s"
	if *soak {
		ends, pause = time.Now().Add(5*time.Minute), "100ms"
	}
	// so often a replica is killed, in the middle of what they do
	const least = 5
	done, unknown := map[string]string{}, map[string]string{} // the project, by name
	var mu sync.Mutex
	var group sync.WaitGroup
	start := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), replicaVariable+"="+base, pauseVariable+"="+pause)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		group.Go(func() {
			lines := bufio.NewScanner(out)
			for lines.Scan() {
				what, rest, _ := strings.Cut(lines.Text(), " ")
				project, name, ok := strings.Cut(rest, " ")
				mu.Lock()
				switch {
				case what == "done" && ok:
					done[name] = project
				case what == "unknown" && ok:
					unknown[name] = project
				case what == "failed":
					t.Errorf("a client got an error: %s", lines.Text())
				}
				mu.Unlock()
			}
			_ = cmd.Wait()
		})
		return cmd
	}
	replicas := []*exec.Cmd{start(), start(), start()}
	busy := func(more int) func() bool {
		mu.Lock()
		defer mu.Unlock()
		before := len(done)
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(done) >= before+more
		}
	}
	for n := 1; n <= least || time.Now().Before(ends); n++ {
		if *soak {
			time.Sleep(time.Duration(100+rand.IntN(200)) * time.Millisecond)
		} else {
			require.Eventually(t, busy(10+rand.IntN(30)), time.Minute, time.Millisecond)
		}
		if *soak && n%10 == 0 {
			server.Stop(true)
			require.NoError(t, server.Run())
			continue
		}
		one := rand.IntN(len(replicas))
		require.NoError(t, replicas[one].Process.Kill())
		replicas[one] = start()
	}
	for _, one := range replicas {
		require.NoError(t, one.Process.Kill())
	}
	group.Wait()
	store := openAt(t, base, &vfs.Options{Quota: vfs.Quota{Bytes: vfs.Unlimited, Files: vfs.Unlimited}})
	there := map[string]string{}
	for i := range projects {
		id := fmt.Sprint("p", i)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		project, err := store.Open(ctx, id)
		require.NoError(t, err)
		require.NoError(t, vfs.Exclusively(ctx, project, func(afero.Fs) error { return nil }),
			"no lock outlives its holder")
		cancel()
		for name, content := range storetest.Snapshot(t, project) {
			if content != "directory" {
				there[id+" "+name] = content
			}
		}
		require.NoError(t, project.Close())
	}
	for name, id := range done {
		require.True(t, there[id+" "+name] == contentOf(name), "%s was told to be in %s", name, id)
		require.Equal(t, name, there[id+" "+name+".twin"])
	}
	for at, content := range there {
		id, name, _ := strings.Cut(at, " ")
		if twin, is := strings.CutSuffix(name, ".twin"); is {
			require.Equal(t, twin, content)
			_, whole := there[id+" "+twin]
			require.True(t, whole, "both or none: %s", twin)
		} else {
			require.True(t, content == contentOf(name), name)
			_, whole := there[at+".twin"]
			require.True(t, whole, "both or none: %s", name)
		}
	}
	t.Logf("%d calls were done, of %d nobody knew", len(done), len(unknown))
	require.NotEmpty(t, done)
	requireSound(t, store)
	undone := 0
	for name, id := range done {
		if undone++; undone > 20 {
			break
		}
		project := storetest.Open(t, store, id)
		_, err := project.Undo(t.Context(), name)
		if errors.Is(err, vfs.ErrNotKept) { // the large ones fill the history
			continue
		}
		require.NoError(t, err)
		_, err = project.Stat(name)
		require.ErrorIs(t, err, afero.ErrFileNotFound)
	}
	requireSound(t, store)
}
