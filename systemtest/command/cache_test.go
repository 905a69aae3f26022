//go:build systemtest && unix

package command_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolrun/toolrun/internal/test/commandtest"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
)

// TestACacheThatOthersCanChange gives the command a cache directory in which somebody else could have put code. It
// goes on without, and says so.
func TestACacheThatOthersCanChange(t *testing.T) {
	t.Parallel()
	run := func(env ...string) (warnings string) {
		cmd := commandtest.Command("js", "-e", "return 6 * 7")
		cmd.Env = append(cmd.Env, env...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		require.NoError(t, err)
		require.Equal(t, "42\n", string(out))
		return stderr.String()
	}
	require.Empty(t, run())

	// The bad one has what the good one has, but with pipes for files: to open one would take forever.
	cache, dir := t.TempDir(), ""
	require.NoError(t, filepath.WalkDir(enginetest.CacheDir(), func(path string, d os.DirEntry, err error) error {
		if !strings.Contains(path+"/", "/toolrun/engine/") {
			return nil
		}
		name, relErr := filepath.Rel(enginetest.CacheDir(), path)
		require.NoError(t, relErr)
		copied := filepath.Join(cache, name)
		switch {
		case err != nil: // another test is at work
			return nil
		case !d.IsDir():
			return syscall.Mkfifo(copied, 0o600)
		case d.Name() == "engine":
			dir = copied
		}
		return os.MkdirAll(copied, 0o700)
	}))
	require.NoError(t, os.Chmod(dir, 0o770))
	warnings := run("XDG_CACHE_HOME="+cache, "HOME="+cache)
	require.Contains(t, warnings, "toolrun: warning: ")
	require.Contains(t, warnings, dir+" can be written by other users")
}
