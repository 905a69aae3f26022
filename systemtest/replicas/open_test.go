//go:build systemtest

package replicas_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/postgres"
)

// open opens a runner whose engine starts fast.
func open(t testing.TB, options toolrun.Options) *toolrun.Runner {
	t.Helper()
	options.EngineOptions.CacheDir = enginetest.CacheDir()
	options.Stores = []vfs.Opener{postgres.Opener(nil)}
	runner, err := toolrun.Open(t.Context(), &options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, runner.Close()) })
	return runner
}

func openSession(
	t testing.TB, runner *toolrun.Runner, project string, options *toolrun.SessionOptions,
) *toolrun.Session {
	t.Helper()
	session, err := runner.Session(t.Context(), project, options)
	require.NoError(t, err)
	return session
}
