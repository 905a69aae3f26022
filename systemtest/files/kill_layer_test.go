//go:build systemtest

package files_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// changeRound makes changes of each kind. After it, the files are the same whatever they were before.
func changeRound(t *testing.T, p vfs.Project, round uint64) {
	t.Helper()
	random := rand.New(rand.NewPCG(round, 0))
	require.NoError(t, p.RemoveAll("/dir"))
	for i := range 8 {
		storetest.Write(t, p, fmt.Sprintf("/dir/%d/%d", i%3, random.IntN(4)), string(record(random, random.IntN(5000))))
	}
	require.NoError(t, p.RemoveAll("/tree"))
	if round%2 == 0 {
		for i := range 4 {
			storetest.Write(t, p, fmt.Sprintf("/tree/a/%d", i), string(record(random, 100)))
		}
	}
	require.NoError(t, p.RemoveAll("/either"))
	if round%3 == 0 {
		storetest.Write(t, p, "/either/file", string(record(random, 100)))
	} else {
		storetest.Write(t, p, "/either", string(record(random, 100)))
	}
	for i := range 4 {
		storetest.Write(t, p, fmt.Sprintf("/file%d", i), string(record(random, random.IntN(100<<10))))
	}
}

// applyForever changes and applies a layer until it is killed. It says what it begins and has ended.
func applyForever(t *testing.T, work task, project vfs.Project, say func(...any)) {
	endWithInput()
	for round := work.Seed; ; round++ {
		changeRound(t, project, round)
		say("applying", round)
		_, err := project.(vfs.Layer).Apply(t.Context())
		require.NoError(t, err)
		say("applied", round)
	}
}

// Whenever a process is killed that applies a layer, nothing of the layer is lost, and whoever comes next can finish
// it.
func TestAKilledProcessLosesNothingOfALayer(t *testing.T) {
	times := 5
	if *soak {
		times = 200
	}
	work := task{Role: "apply", Dir: t.TempDir(), Own: t.TempDir(), Layer: true, Options: vfs.Options{NoSync: true}}
	model := storetest.Open(t, local.NewMemoryStore(nil), "p")
	for _, name := range []string{"/a.txt", "/dir/b.txt", "/dir/sub/c.txt", "/other/e.txt"} {
		storetest.Write(t, model, name, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(work.Dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(work.Dir, name), []byte(name), 0o644))
	}
	after := func(round uint64) map[string]string {
		changeRound(t, model, round)
		return storetest.Snapshot(t, model)
	}
	interrupted := 0
	for range times {
		child := start(t, work)
		child.expect(fmt.Sprint("applying ", work.Seed))
		time.Sleep(rand.N(15 * time.Millisecond))
		said := strings.Fields(fmt.Sprintf("applying %d\n%s", work.Seed, child.kill()))
		var round uint64
		_, err := fmt.Sscan(said[len(said)-1], &round)
		require.NoError(t, err)

		p := work.open(t).(vfs.Layer)
		entries, _ := os.ReadDir(filepath.Join(work.Dir, vfs.Reserved))
		require.Empty(t, entries)
		want := after(round)
		switch said[len(said)-2] {
		case "applying":
			interrupted++
			require.Equal(t, want, storetest.Snapshot(t, p))
			for _, d := range differences(t, p) {
				require.False(t, d.Conflict, d.Path)
			}
		case "applied": // the next changes have begun
			require.Equal(t, want, filesBelow(t, work.Dir))
			round++
			want = after(round)
			changeRound(t, p, round)
		}
		_, err = p.Apply(t.Context())
		require.NoError(t, err)
		require.Empty(t, differences(t, p))
		require.Equal(t, want, filesBelow(t, work.Dir))
		storetest.RequireExactUsage(t, p)
		requireNoLeftovers(t, work.temporaries())
		require.NoError(t, p.Close())
		work.Seed = round + 1
	}
	t.Logf("%d of %d were interrupted while they were applying", interrupted, times)
}

func differences(t *testing.T, p vfs.Layer) []vfs.Difference {
	t.Helper()
	found, err := p.Differences(t.Context())
	require.NoError(t, err)
	return found
}

// filesBelow returns what a directory has.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	p, err := local.OpenDir(dir, &vfs.Options{ReadOnly: true})
	require.NoError(t, err)
	defer p.Close()
	return storetest.Snapshot(t, p)
}
