//go:build systemtest

package postgres_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/admin"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/vfs/postgres"
)

// Variables with the directory and the database of a process that copies from one to the other until it is killed.
const (
	fromVariable = "TOOLRUN_TEST_MIGRATE_FROM"
	toVariable   = "TOOLRUN_TEST_MIGRATE_TO"
)

// copyAll copies one store to another, and says what it has copied.
func copyAll(from, to string) {
	source, err := local.OpenStore(from, &vfs.Options{NoSync: true})
	if err != nil {
		panic(err)
	}
	target, err := postgres.Open(context.Background(), to, nil)
	if err != nil {
		panic(err)
	}
	err = admin.Migrate(context.Background(), source, target, func(r admin.Result) { fmt.Println(r, r.Copied, r.Err) })
	fmt.Println("end", err)
}

// TestKilledMigration kills processes that copy a store, again and again, and lets the last one come to its end.
func TestKilledMigration(t *testing.T) {
	dir, url := t.TempDir(), pgtest.URL(t)
	from, err := local.OpenStore(dir, &vfs.Options{NoSync: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, from.Close()) })
	data := make([]byte, 3<<20)
	for i := range 4 {
		_, _ = rand.NewChaCha8([32]byte{byte(i)}).Read(data)
		p, err := from.Open(t.Context(), fmt.Sprint("p", i))
		require.NoError(t, err)
		require.NoError(t, vfs.WriteFile(t.Context(), p.WithCall("first"), "/large", data))
		storetest.Write(t, p.WithCall("second"), "/large", "small")
		require.NoError(t, p.Close())
	}
	require.NoError(t, from.Discard(t.Context(), "p3"))
	for kill := 1; ; kill++ {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fromVariable+"="+dir, toVariable+"="+url)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines, ended := bufio.NewScanner(out), ""
		for n := 0; lines.Scan(); {
			if ended = lines.Text(); ended == "end <nil>" {
				break
			}
			require.Contains(t, ended, "<nil>")
			if n++; n == kill { // while the next one is being copied
				time.AfterFunc(time.Duration(kill)*5*time.Millisecond, func() { _ = cmd.Process.Kill() })
			}
		}
		_ = cmd.Wait()
		if ended == "end <nil>" {
			break
		}
	}
	to := openAt(t, url, nil)
	requireSound(t, to)
	require.NoError(t, admin.Migrate(t.Context(), from, to, func(r admin.Result) {
		require.NoError(t, r.Err)
		require.False(t, r.Copied, "%s is there", r.ID)
	}))
	discarded, err := to.Discarded(t.Context())
	require.NoError(t, err)
	require.Len(t, discarded, 1)
	ids, err := to.List(t.Context(), "", 0)
	require.NoError(t, err)
	require.Equal(t, []string{"p0", "p1", "p2"}, ids)
	for info, err := range to.AllRecords(t.Context()) {
		require.NoError(t, err)
		require.Fail(t, "a mark is left", "%v", info)
	}
}
