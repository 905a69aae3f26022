//go:build suites

package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/guesttest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// sqliteTransactions commits transactions without end, and prints the number of each one when it is committed.
const sqliteTransactions = `
import sqlite3, sys
c = sqlite3.connect('/db')
c.execute('pragma journal_mode=' + sys.argv[1])
c.execute('create table if not exists t (n integer primary key, s text)')
c.commit()
n = c.execute('select count(*) from t').fetchone()[0]
while True:
    n += 1
    c.execute('insert into t values (?, ?)', (n, 'x' * 3000))
    c.execute('update t set s = s || ? where n % 5 = ?', ('y' * 100, n % 5))
    c.commit()
    print(n, flush=True)
`

const sqliteCheck = `
import sqlite3
c = sqlite3.connect('/db')
print(c.execute('pragma integrity_check').fetchone()[0])
print(c.execute('select count(*), max(n) from t').fetchone())
`

// TestSQLiteLosesNothing stops runs in the middle of transactions of SQLite in CPython, of which TOOLRUN_PYTHON names
// the module. What was committed is there, and the rest is not.
func TestSQLiteLosesNothing(t *testing.T) {
	file := os.Getenv("TOOLRUN_PYTHON")
	if file == "" {
		t.Skip("TOOLRUN_PYTHON does not name a python.wasm")
	}
	module, err := os.ReadFile(file)
	require.NoError(t, err)
	engine, err := sandbox.New(&sandbox.EngineOptions{CacheDir: enginetest.CacheDir()})
	require.NoError(t, err)
	defer func() { require.NoError(t, engine.Close(context.Background())) }()
	guest := guesttest.Guest("python", module)
	guest.Files = true
	program, err := engine.Load(t.Context(), guest)
	require.NoError(t, err)
	directory, err := local.OpenDir(t.TempDir(), &vfs.Options{NoSync: true})
	require.NoError(t, err)
	defer directory.Close()
	python := func(files afero.Fs, work int64, code string, args ...string) ([]string, guesttest.Ran, error) {
		out, err := guesttest.Run(t.Context(), program, sandbox.RunOptions{
			Args: append([]string{"python", "-c", code}, args...), Files: files,
			Limits: sandbox.Limits{Work: work, Time: time.Minute, Memory: 256 << 20}, // for a build with NumPy
		})
		var lines []string
		for _, entry := range out.Console {
			lines = append(lines, entry.Text)
		}
		return lines, out, err
	}
	_, start, err := python(directory, 0, "import sqlite3")
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	// attempt stops a run at some moment and says what is wrong with the database then, or nothing.
	attempt := func(project vfs.Project, mode string, committed *int) (wrong string) {
		lines, _, err := python(project, start.Usage.Work+random.Int64N(6_000_000), sqliteTransactions, mode)
		limit, ok := errors.AsType[*sandbox.LimitError](err)
		require.True(t, ok, "%v %v", err, lines)
		require.Equal(t, sandbox.LimitWork, limit.Limit)
		if len(lines) > 0 {
			*committed, err = strconv.Atoi(lines[len(lines)-1])
			require.NoError(t, err, lines)
		}
		lines, _, err = python(project, 0, sqliteCheck)
		// It may have been stopped between committing and printing.
		for _, n := range []int{*committed, *committed + 1} {
			if err == nil && slices.Equal(lines, []string{"ok", fmt.Sprintf("(%d, %[1]d)", n)}) {
				return ""
			}
		}
		return fmt.Sprint(*committed, " ", lines, " ", err)
	}
	for name, project := range map[string]vfs.Project{"in a directory": directory, "in memory": newProject(t, nil)} {
		for _, mode := range []string{"delete", "truncate", "persist"} {
			t.Run(mode+" "+name, func(t *testing.T) {
				committed := 0
				for range 12 {
					require.Empty(t, attempt(project, mode, &committed))
				}
				require.Greater(t, committed, 30)
				require.NoError(t, project.RemoveAll("/db"))
			})
		}
	}
	t.Run("off loses something", func(t *testing.T) {
		project := newProject(t, nil)
		committed, wrong := 0, ""
		for attempts := 0; wrong == ""; attempts++ {
			require.Less(t, attempts, 50, "this test finds nothing")
			wrong = attempt(project, "off", &committed)
		}
		t.Log(wrong)
	})
}
