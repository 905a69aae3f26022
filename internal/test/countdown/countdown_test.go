package countdown_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/countdown"
)

func TestAfter(t *testing.T) {
	require.True(t, countdown.After(0).Ended())
	for n := 1; n < 5; n++ {
		ctx := countdown.After(n)
		for range n - 1 {
			require.NoError(t, ctx.Err())
		}
		require.False(t, ctx.Ended())
		<-ctx.Done()
		require.True(t, ctx.Ended())
		require.ErrorIs(t, ctx.Err(), context.Canceled)
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		<-inner.Done()
		require.ErrorIs(t, context.Cause(inner), context.Canceled)
	}
}
