package service_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/service"
)

// A hasty follower changes something as soon as it is told that it may look.
type hasty struct {
	change func()
	events []string
}

func (f *hasty) Send(name, _ string, _ any) error {
	f.events = append(f.events, name)
	if name == "ready" {
		f.change()
	}
	return nil
}

func (f *hasty) Wait(time.Duration, <-chan struct{}, <-chan struct{}) bool { return false }

// TestWhatComesAfterReadyIsTold: whoever follows a project looks at it when it is ready. What changes after that is
// news, however soon it comes.
func TestWhatComesAfterReadyIsTold(t *testing.T) {
	runner, err := toolrun.Open(t.Context(), nil)
	require.NoError(t, err)
	defer runner.Close()
	desk, err := service.New(runner, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, desk.Shutdown(context.Background())) }()
	s := desk.Open(&service.Access{Name: "ada", Role: service.Operator})
	_, err = s.MakeProject(t.Context(), service.InProject{Project: "p"})
	require.NoError(t, err)
	f := &hasty{change: func() {
		_, err := s.Upload(t.Context(), service.UploadRequest{Project: "p", Path: "/a.txt"}, strings.NewReader("a"))
		require.NoError(t, err)
	}}
	require.NoError(t, s.FollowProject(t.Context(), service.InProject{Project: "p"},
		func() (service.Follower, error) { return f, nil }))
	require.Equal(t, []string{"ready", "changed"}, f.events)
}
