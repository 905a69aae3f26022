package service_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/service"
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
