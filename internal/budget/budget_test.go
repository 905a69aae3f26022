package budget_test

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/budget"
)

var sizes = budget.Sizes{Small: 1000, Reading: 1 << 20, Decoding: 8 << 20}

func hold(memories ...*budget.Memory) *budget.Holding {
	return &budget.Holding{Memories: memories, Patience: 3 * time.Second}
}

func TestHoldings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := budget.New(sizes, 1)
		mine, yours := budget.New(sizes, 2), budget.New(sizes, 2)
		first := hold(mine, all)
		require.True(t, first.Decode(400))
		began := time.Now()
		require.False(t, hold(mine, all).Decode(200), "one has half of it")
		require.Equal(t, 3*time.Second, time.Since(began))
		other := hold(yours, all)
		require.True(t, other.Decode(500))
		require.False(t, hold(all).Decode(200), "what was refused by one memory is not taken from another")
		require.True(t, hold(all).Decode(100))
		require.True(t, hold(yours, all).Decode(budget.LargeCost), "the parts do not wait for each other")

		// Somebody who waits goes on as soon as there is room.
		go func() {
			time.Sleep(time.Second)
			first.Keep(100)
		}()
		began = time.Now()
		require.True(t, hold(mine, all).Decode(300))
		require.Equal(t, time.Second, time.Since(began))
		synctest.Wait() // until Keep has returned
		first.Drop()
		first.Drop()

		// Or gives up.
		done := make(chan struct{})
		close(done)
		gone := hold(yours, all)
		gone.Done = done
		began = time.Now()
		require.False(t, gone.Decode(500))
		require.Zero(t, time.Since(began))
	})
}

func TestReadAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := strings.Repeat("0123456789abcdef", 100_000) // more than there is
		large := budget.Sizes{Small: 64 << 10, Reading: 1 << 20, Decoding: 1 << 20}
		for _, announced := range []int64{-1, int64(len(text)), 10} {
			all := budget.New(large, 1)
			h := hold(budget.New(large, 2), all)
			data, more, err := budget.ReadAll(io.LimitReader(strings.NewReader(text), 1<<30), announced,
				int64(len(text)), h)
			require.NoError(t, err)
			require.Nil(t, more)
			require.Equal(t, text, string(data))
			// Others wait for it, unless they are small.
			late := hold(all)
			_, _, err = budget.ReadAll(strings.NewReader(text), announced, 4<<20, late)
			require.ErrorIs(t, err, budget.ErrBusy)
			late.Drop()
			small := hold(all)
			require.True(t, small.Read(100))
			small.Drop()
			h.Drop()
			data, more, err = budget.ReadAll(strings.NewReader(text), int64(len(text)), 100_000, hold(all))
			require.NoError(t, err)
			require.Len(t, data, 100_000)
			rest, err := io.ReadAll(more)
			require.NoError(t, err)
			require.Equal(t, text, string(data)+string(rest))
		}
	})
}
