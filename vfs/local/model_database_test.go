//go:build systemtest

package local_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/postgres"
)

func init() {
	if !pgtest.Named() {
		return
	}
	inDatabase = func(t *testing.T, options *vfs.Options) *real {
		url := pgtest.URL(t)
		var store *postgres.Store
		r := &real{t: t, secret: url}
		r.reopen = func() vfs.Project {
			if store != nil {
				require.NoError(t, r.project.Close())
				require.NoError(t, store.Close())
			}
			var err error
			store, err = postgres.Open(t.Context(), url, options)
			require.NoError(t, err)
			p, err := store.Open(t.Context(), "p")
			require.NoError(t, err)
			return p
		}
		r.project = r.reopen()
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		return r
	}
}
