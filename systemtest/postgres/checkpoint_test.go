//go:build systemtest

package postgres_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/postgres"
)

// restorerVariable has the URL of the database for a process that restores checkpoints.
const restorerVariable = "TOOLRUN_TEST_RESTORER"

// theState is the state of the one session.
var theState = vfs.StateID{Session: "main", Tool: "javascript"}

// theKinds are the names of two checkpoints, and the content of all that they have.
var theKinds = []string{"a", "b"}

// restorer restores the two checkpoints by turns, until it is killed. It says when it begins.
func restorer(url string, out io.Writer) {
	ctx := context.Background()
	for said := false; ; {
		err := func() error {
			store, err := postgres.Open(ctx, url, nil)
			if err != nil {
				return err
			}
			defer store.Close()
			p, err := store.Open(ctx, "p")
			if err != nil {
				return err
			}
			defer p.Close()
			for i := 0; ; i++ {
				if !said {
					said = true
					_, _ = fmt.Fprintln(out, "begun")
				}
				if _, err := p.RestoreCheckpoint(ctx, theKinds[i%2], nil); err != nil {
					return err
				}
			}
		}()
		if _, ok := errors.AsType[*vfs.UnavailableError](err); !ok {
			_, _ = fmt.Fprintln(out, "failed:", err)
			return
		}
		time.Sleep(10 * time.Millisecond) // until the server is there again
	}
}

// twoKinds makes a project's files and the state of its session of one kind after the other, with a checkpoint of each.
func twoKinds(t *testing.T, store vfs.Store) vfs.Project {
	t.Helper()
	p := storetest.Open(t, store, "p")
	states, ok := vfs.StatesOf(p)
	require.True(t, ok)
	for _, kind := range theKinds {
		require.NoError(t, p.RemoveAll("/only"))
		for i := range 5 {
			storetest.Write(t, p, fmt.Sprint("/both/", i), kind)
			storetest.Write(t, p, fmt.Sprintf("/only/%s/%d", kind, i), kind)
		}
		_, before, err := states.ReadState(t.Context(), theState)
		if kind != theKinds[0] {
			require.NoError(t, err)
		}
		require.NoError(t, states.WriteState(t.Context(), theState, []byte(kind), before))
		_, err = p.CreateCheckpoint(t.Context(), kind, nil)
		require.NoError(t, err)
	}
	return p
}

// kindOf returns the kind of which all files and the state are. It fails if they are of two.
func kindOf(t *testing.T, p vfs.Project) (kind string) {
	t.Helper()
	require.NoError(t, vfs.Exclusively(t.Context(), p, func(files afero.Fs) error {
		states, ok := vfs.StatesOf(files)
		require.True(t, ok)
		data, _, err := states.ReadState(t.Context(), theState)
		require.NoError(t, err)
		kind = string(data)
		require.Contains(t, theKinds, kind)
		want := map[string]string{"/": "directory", "/both": "directory", "/only": "directory",
			"/only/" + kind: "directory"}
		for i := range 5 {
			want[fmt.Sprint("/both/", i)], want[fmt.Sprintf("/only/%s/%d", kind, i)] = kind, kind
		}
		require.Equal(t, want, storetest.Snapshot(t, files), "files and state are of one kind")
		return nil
	}))
	return kind
}

// testKilledRestoring kills processes that restore a checkpoint, and the server under them. Whoever comes next finds
// files and states restored, or none of them, and can undo that.
func testKilledRestoring(t *testing.T, server *pgtest.Server) {
	url := server.URL(t)
	store := openAt(t, url, nil)
	p := twoKinds(t, store)
	rounds := 6
	if *soak {
		rounds = 600
	}
	for round := range rounds {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), restorerVariable+"="+url)
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		lines := bufio.NewReader(out)
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "begun\n", line)
		time.Sleep(rand.N(30 * time.Millisecond))
		if round%2 == 0 {
			server.Stop(true)
		}
		require.NoError(t, child.Process.Kill())
		rest, err := io.ReadAll(lines)
		require.NoError(t, err)
		require.Empty(t, string(rest), "nothing else fails")
		_ = child.Wait() // it was killed
		if round%2 == 0 {
			require.NoError(t, server.Run())
		}
		kind := kindOf(t, p)
		changes, err := p.Changes(t.Context(), "/both/0")
		require.NoError(t, err)
		if last := changes[0]; last.Call != "" { // a child has restored it
			_, err = p.Undo(t.Context(), last.Call)
			require.NoError(t, err)
			require.NotEqual(t, kind, kindOf(t, p), "and all can be undone")
		}
	}
	requireSound(t, store)
}

// TestCutRestoring cuts the connection before and after one message after the other of restoring a checkpoint. Files
// and states are restored, or none of them, and what the caller is told is so.
func TestCutRestoring(t *testing.T) {
	cutter, store, direct := behindProxy(t)
	seen := twoKinds(t, direct)
	p := storetest.Open(t, store, "p")
	for how, name := range map[when]string{before: "before", after: "after"} {
		t.Run(name, func(t *testing.T) {
			for failing, failed := 1, 0; ; failing++ {
				is := kindOf(t, seen)
				other := theKinds[0]
				if is == other {
					other = theKinds[1]
				}
				count := 0
				cutter.cutting(func([]byte) when {
					if count++; count == failing {
						return how
					}
					return never
				})
				_, err := p.RestoreCheckpoint(t.Context(), other, nil)
				cutter.cutting(nil)
				found := kindOf(t, seen)
				u, unavailable := errors.AsType[*vfs.UnavailableError](err)
				switch {
				case err == nil:
					require.Equal(t, other, found, "cut %d", failing)
				case unavailable && !u.Unknown:
					failed++
					require.Equal(t, is, found, "cut %d: %v", failing, err)
				default:
					require.True(t, unavailable, "a typed error, not %v", err)
				}
				if count < failing {
					require.NoError(t, err)
					require.Positive(t, failed)
					return
				}
			}
		})
	}
	requireSound(t, direct)
}

// TestRestoringWithoutRoom: a checkpoint that has no room any more, in the files or in the history, is refused as a
// whole.
func TestRestoringWithoutRoom(t *testing.T) {
	url := pgtest.URL(t)
	first := twoKinds(t, openAt(t, url, nil))
	require.NoError(t, first.RemoveAll("/only")) // so that restoring needs room
	want := storetest.Snapshot(t, first)
	for limit, options := range map[string]*vfs.Options{
		"bytes":   {Quota: vfs.Quota{Bytes: 6}}, // as many as there are
		"files":   {Quota: vfs.Quota{Files: 7}},
		"history": {History: vfs.HistoryOptions{Bytes: 1}},
	} {
		t.Run(limit, func(t *testing.T) {
			store := openAt(t, url, options)
			p := storetest.Open(t, store, "p")
			_, err := p.RestoreCheckpoint(t.Context(), theKinds[0], nil)
			quota, ok := errors.AsType[*vfs.QuotaError](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, limit, quota.Limit)
			require.Equal(t, want, storetest.Snapshot(t, p))
			states, ok := vfs.StatesOf(p)
			require.True(t, ok)
			data, _, err := states.ReadState(t.Context(), theState)
			require.NoError(t, err)
			require.Equal(t, theKinds[1], string(data))
			requireSound(t, store)
		})
	}
}
