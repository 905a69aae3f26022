package responses_test

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/net/responses"
	"github.com/toolrun/toolrun/network"
)

// pipes is a run whose responses come from pipes.
type pipes struct {
	network.Run
	from chan *io.PipeReader
}

func (p *pipes) Do(context.Context, *network.Request) (*network.Response, error) {
	return &network.Response{Status: 200, Body: <-p.from}, nil
}

// TestReadWithin waits as long as it is told, and not longer.
func TestReadWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := &pipes{from: make(chan *io.PipeReader, 1)}
		from, to := io.Pipe()
		run.from <- from
		table := responses.New(run)
		_, err := table.Open(1).Begin(t.Context(), &network.Request{}, 0)
		require.NoError(t, err)
		for _, text := range []string{"some", "more"} {
			began := time.Now()
			data, done, err := table.ReadWithin(1, 100, 5*time.Millisecond)
			require.NoError(t, err)
			require.Empty(t, data)
			require.False(t, done)
			require.Equal(t, 5*time.Millisecond, time.Since(began))
			go func() { _, _ = io.WriteString(to, text) }()
			data, done, err = table.ReadWithin(1, 100, time.Hour)
			require.NoError(t, err)
			require.Equal(t, text, string(data))
			require.False(t, done)
		}
		require.NoError(t, to.Close())
		_, done, err := table.ReadWithin(1, 100, time.Hour)
		require.NoError(t, err)
		require.True(t, done)
		_, _, err = table.ReadWithin(1, 100, time.Hour)
		require.ErrorContains(t, err, "not there any more")
	})
}

// TestWaitingReaders do not wake each other: the bubble could not end if they did.
func TestWaitingReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := &pipes{from: make(chan *io.PipeReader, 2)}
		table := responses.New(run)
		for id := range int64(2) {
			from, to := io.Pipe()
			defer to.Close()
			run.from <- from
			_, err := table.Open(id).Begin(t.Context(), &network.Request{}, 0)
			require.NoError(t, err)
			go func() { _, _, _ = table.Read(t.Context(), id, 100) }()
		}
		synctest.Wait()
		table.End(0)
		table.End(1)
	})
}

// silent never answers.
type silent struct{ network.Run }

func (silent) Do(ctx context.Context, _ *network.Request) (*network.Response, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestEndBeforeBegin does not make a request that was given up before, and leaves its number to others.
func TestEndBeforeBegin(t *testing.T) {
	table := responses.New(nil) // which would fail
	given := table.Open(1)
	table.End(1)
	other := table.Open(1)
	_, err := given.Begin(t.Context(), &network.Request{}, 0)
	require.ErrorIs(t, err, context.Canceled)
	given.End()
	_, err = table.Open(1).Begin(t.Context(), &network.Request{}, 0)
	require.ErrorContains(t, err, "with this number already")
	other.End()
}

// TestBeginWithin ends a request that is not answered in time, however short that is.
func TestBeginWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := responses.New(silent{})
		for _, within := range []time.Duration{1, time.Millisecond, time.Hour} {
			began := time.Now()
			_, err := table.Open(1).Begin(t.Context(), &network.Request{}, within)
			require.ErrorIs(t, err, context.Canceled)
			require.NoError(t, t.Context().Err())
			require.Equal(t, within, time.Since(began))
		}
	})
}
