package service_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/vfs"
)

// TestCheckUndoOfAnUnknownCall says in words why nothing can be undone.
func TestCheckUndoOfAnUnknownCall(t *testing.T) {
	runner, err := toolrun.Open(t.Context(), nil)
	require.NoError(t, err)
	defer runner.Close()
	desk, err := service.New(runner, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, desk.Shutdown(context.Background())) }()
	s := desk.Open(&service.Access{Name: "ada", Role: service.Person, Project: "p"})
	answer, err := s.CheckUndo(t.Context(), service.UndoRequest{Project: "p", Call: "none"})
	require.NoError(t, err)
	require.Equal(t, service.CanUndoAnswer{Reasons: []string{"it changed nothing that the history still has"}}, answer)
}

// TestPurgeFile purges a file, as the one who may do so asks for it, and looks for what was known before.
func TestPurgeFile(t *testing.T) {
	runner, err := toolrun.Open(t.Context(), nil)
	require.NoError(t, err)
	defer runner.Close()
	p, err := runner.Store().Open(t.Context(), "p")
	require.NoError(t, err)
	defer p.Close()
	write := func(name, text string) { require.NoError(t, vfs.WriteFile(t.Context(), p, name, []byte(text))) }
	write("/f", "secret")
	write("/f", "clean")
	desk, err := service.New(runner, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, desk.Shutdown(context.Background())) }()
	list := func(s *service.Service) []service.ChangeInfo {
		all, err := s.ListHistory(t.Context(), service.HistoryRequest{Project: "p"})
		require.NoError(t, err)
		return all.Changes
	}
	person := desk.Open(&service.Access{Name: "ada", Role: service.Person, Project: "p"})
	before := list(person)
	require.True(t, before[0].Kept)
	_, err = person.PurgeFile(t.Context(), service.PurgeRequest{Project: "p", Path: "/f"})
	require.Equal(t, "forbidden", service.Explain(err).Code)
	require.Equal(t, before, list(person))

	operator := desk.Open(&service.Access{Name: "grace", Role: service.Operator})
	for path, code := range map[string]string{"": "invalid", "/": "invalid", "/..": "invalid", "/f/..": "invalid",
		"/none": "not_found", "/F": "name", "/\x00": "invalid"} {
		_, err := operator.PurgeFile(t.Context(), service.PurgeRequest{Project: "p", Path: path, Delete: true})
		require.Equal(t, code, service.Explain(err).Code, "%s: %v", path, err)
	}
	_, err = p.CreateCheckpoint(t.Context(), "now", nil)
	require.NoError(t, err)
	_, err = operator.PurgeFile(t.Context(), service.PurgeRequest{Project: "p", Path: "/f", Delete: true})
	require.Equal(t, "exists", service.Explain(err).Code)
	require.ErrorContains(t, err, `the checkpoint "now" has a version of /f`)
	done, err := operator.PurgeFile(t.Context(), service.PurgeRequest{Project: "p", Path: "f"})
	require.NoError(t, err)
	require.Equal(t, 1, done.Versions)
	require.Nil(t, done.Gone)
	require.Contains(t, done.NotCovered, "what is there now")

	// Who has looked at the history before sees that as well.
	after := list(person)
	require.Equal(t, "purged", after[0].Op)
	require.Equal(t, "grace", after[0].By)
	require.False(t, after[1].Kept)
	require.Equal(t, after[0].ID, after[1].Purged)
	diff, err := person.Diff(t.Context(), service.ChangeRequest{Project: "p", Change: after[1].ID})
	require.NoError(t, err)
	require.Equal(t, "what it was has been purged from the history", diff.Note)
	_, err = person.RevertChange(t.Context(), service.RevertRequest{Project: "p", Change: after[1].ID})
	require.Equal(t, service.Error{Code: "not_kept", Message: "this version has been purged from the history"},
		*service.Explain(err))
	can, err := person.CheckUndo(t.Context(), service.UndoRequest{Project: "p", Call: after[0].Call})
	require.NoError(t, err)
	require.False(t, can.Possible)
}
