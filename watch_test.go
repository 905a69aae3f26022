package toolrun_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// A tellingStore tells of the changes that a test names.
type tellingStore struct {
	vfs.Store
	news chan string
}

func (s tellingStore) WatchProjects(ctx context.Context, changed func(id string)) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case id := <-s.news:
			changed(id)
		}
	}
}

// TestSessionWatches: a session is told of changes of its project and of those that it mounts, and of no others.
func TestSessionWatches(t *testing.T) {
	store := tellingStore{local.NewMemoryStore(nil), make(chan string)}
	defer store.Close()
	runner, err := toolrun.Open(t.Context(), &toolrun.Options{Store: store})
	require.NoError(t, err)
	defer runner.Close()
	team, err := runner.Session(t.Context(), "team", nil)
	require.NoError(t, err)
	defer team.Close()
	session, err := runner.Session(t.Context(), "p", nil)
	require.NoError(t, err)
	require.NoError(t, session.Project().EditSettings(t.Context(), func([]byte) ([]byte, error) {
		return []byte(`{"mounts":[{"path":"/team","project":"team"}]}`), nil
	}))
	_, err = session.Files(t.Context())
	require.NoError(t, err)

	told := make(chan bool, 10)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- session.Watch(ctx, func() { told <- true }) }()
	for _, id := range []string{"p", "other", "team", "P", ""} {
		store.news <- id
	}
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.Len(t, told, 3)

	project, err := store.Open(t.Context(), "q")
	require.NoError(t, err)
	session, err = runner.ProjectSession("q", project, nil)
	require.NoError(t, err)
	require.ErrorIs(t, session.Watch(t.Context(), func() {}), errors.ErrUnsupported)
}
