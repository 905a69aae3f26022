package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// crowd asks for places, in a bubble of synctest.
type crowd struct {
	t       *testing.T
	places  *places
	closing context.Context
	runs    []*crowdRun // that wait for a place or hold one, in the order in which they have asked
}

type crowdRun struct {
	owner, client string
	cancel        context.CancelFunc
	ended         chan struct{}
	place         *heldPlace // what take has returned when ended is closed
	err           error
}

func newCrowd(t *testing.T, total int) *crowd {
	return &crowd{t: t, places: &places{total: total, owners: map[string]*owner{}}, closing: context.Background()}
}

// ask asks for a place, and returns when it has been granted or the run waits for it.
func (c *crowd) ask(ctx context.Context, owner, client string) *crowdRun {
	ctx, cancel := context.WithCancel(ctx)
	r := &crowdRun{owner: owner, client: client, cancel: cancel, ended: make(chan struct{})}
	c.runs = append(c.runs, r)
	go func() {
		r.place, r.err = c.places.take(ctx, c.closing, owner, client)
		close(r.ended)
	}()
	synctest.Wait()
	return r
}

func (r *crowdRun) holds() bool {
	select {
	case <-r.ended:
		return r.err == nil
	default:
		return false
	}
}

// end ends a run, or its wait for a place.
func (c *crowd) end(r *crowdRun) {
	if !r.holds() {
		r.cancel()
		<-r.ended
		require.ErrorIs(c.t, r.err, context.Canceled)
	} else {
		r.place.leave()
	}
	r.cancel()
	c.runs = slices.DeleteFunc(c.runs, func(other *crowdRun) bool { return other == r })
	synctest.Wait()
}

// held counts the places of an owner, or of a client of it.
func (c *crowd) held(owner string, client ...string) (n int) {
	for _, r := range c.runs {
		if r.holds() && r.owner == owner && (len(client) == 0 || r.client == client[0]) {
			n++
		}
	}
	return n
}

// leave ends all runs, after which nothing may be left of them.
func (c *crowd) leave() {
	for len(c.runs) > 0 {
		c.end(c.runs[len(c.runs)-1])
	}
	p := c.places
	require.Zero(c.t, p.taken)
	require.Zero(c.t, p.waiting)
	require.Zero(c.t, p.inner.Len())
	require.Empty(c.t, p.owners)
}

func TestPlacesAreKeptForOthers(t *testing.T) {
	for _, test := range []struct{ total, owner, clients, all int }{
		{1, 1, 1, 1}, {2, 1, 2, 2}, {3, 2, 3, 3}, {4, 2, 3, 4}, {8, 4, 6, 8}, {16, 8, 12, 16}, {17, 9, 13, 17},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newCrowd(t, test.total)
			for range 2 * test.total {
				c.ask(t.Context(), "greedy", "")
			}
			require.Equal(t, test.owner, c.held("greedy"), "of %d places, one client", test.total)
			for n := range test.total {
				c.ask(t.Context(), "greedy", fmt.Sprint("client ", n))
			}
			require.Equal(t, test.clients, c.held("greedy"), "of %d places, many clients", test.total)
			for n := range test.all - test.clients {
				require.True(t, c.ask(t.Context(), fmt.Sprint("owner ", n), "").holds())
			}
			require.False(t, c.ask(t.Context(), "last", "").holds())
			c.leave()

			for n := range test.total { // the host itself
				require.True(t, c.ask(t.Context(), "", fmt.Sprint(n%2)).holds())
			}
			require.False(t, c.ask(t.Context(), "", "").holds())
			c.leave()
		})
	}
}

// TestSixteenGreedyOwners has as many owners as places, who want all of them.
func TestSixteenGreedyOwners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const total = 16
		c := newCrowd(t, total)
		name := func(n int) string { return fmt.Sprint("owner ", n) }
		var waiting []string
		for n := range total {
			first := c.ask(t.Context(), name(n), "")
			require.Equal(t, n <= total/2, first.holds(), "owner %d", n)
			if !first.holds() {
				waiting = append(waiting, name(n))
			}
			for range total {
				c.ask(t.Context(), name(n), "")
			}
		}
		require.Equal(t, total/2, c.held(name(0)))
		for _, next := range waiting { // they are served as the first one's runs end, in order
			c.end(c.runs[0])
			require.Equal(t, 1, c.held(next), next)
		}
		for n := range total {
			require.Equal(t, 1, c.held(name(n)))
		}
		c.leave()
	})
}

// TestTurns grants one place again and again, to owners that always want more. How many runs and clients an owner has
// gains it nothing.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, 1)
		served := map[string]int{}
		first := c.ask(t.Context(), "many runs", "")
		for range 300 {
			c.ask(t.Context(), "many runs", "")
		}
		for range 20 {
			for n := range 20 {
				c.ask(t.Context(), "many clients", fmt.Sprint(n))
			}
		}
		c.ask(t.Context(), "one by one", "")
		c.ask(t.Context(), "one by one too", "")
		for now := first; len(served) < 4 || served["many runs"] < 100; {
			served[now.owner]++
			c.end(now)
			if now.owner == "one by one" || now.owner == "one by one too" {
				c.ask(t.Context(), now.owner, "")
			}
			now = c.runs[slices.IndexFunc(c.runs, (*crowdRun).holds)]
			if now.owner == "many clients" {
				served[now.client]++
			}
		}
		require.InDelta(t, 100, served["many clients"], 2)
		require.Greater(t, served["one by one"], 50, "it is not there yet when the next place is granted after its own")
		require.Greater(t, served["one by one too"], 50)
		for n := range 20 {
			require.InDelta(t, 5, served[fmt.Sprint(n)], 1, "client %d", n)
		}
		c.leave()
	})
}

// TestPlacesAtRandom compares what happens to a crowd with what is promised.
func TestPlacesAtRandom(t *testing.T) {
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			total := 1 + random.IntN(16)
			c := newCrowd(t, total)
			for range 150 {
				if len(c.runs) > 0 && random.IntN(3) == 0 {
					c.end(c.runs[random.IntN(len(c.runs))])
				} else {
					owner, client := fmt.Sprint(random.IntN(10)), fmt.Sprint(random.IntN(3))
					owners, clients := c.others(owner, client)
					none, noneOfClient := c.held(owner) == 0, c.held(owner, client) == 0
					got := c.ask(t.Context(), owner, client).holds()
					require.True(t, got || !none || owners > total/4, "%d places, %d other owners", total, owners)
					require.True(t, got || !noneOfClient || clients > total/4, "%d places, %d other clients", total,
						clients)
				}
				c.check(total)
			}
			c.leave()
		})
	}
}

// others counts the other owners, and the other clients, that hold places.
func (c *crowd) others(owner, client string) (owners, clients int) {
	holders := map[string]bool{}
	for _, r := range c.runs {
		if r.holds() {
			holders[r.owner] = true
			holders[r.owner+"/"+r.client] = true
		}
	}
	delete(holders, owner)
	delete(holders, owner+"/"+client)
	for name := range holders {
		if len(name) == 1 {
			owners++
		} else {
			clients++
		}
	}
	return owners, clients
}

// check requires that no run waits that could have a place, and that runs of one client have theirs in order.
func (c *crowd) check(total int) {
	taken := 0
	for _, r := range c.runs {
		if r.holds() {
			taken++
		}
	}
	require.LessOrEqual(c.t, taken, total)
	waits := map[string]bool{}
	for _, r := range c.runs {
		key := r.owner + "/" + r.client
		if r.holds() {
			require.False(c.t, waits[key], "one that came later has been served before")
			continue
		}
		waits[key] = true
		kept := total / 2
		switch {
		case c.held(r.owner) == 0:
			kept = 0
		case c.held(r.owner, r.client) == 0:
			kept = total / 4
		}
		require.LessOrEqual(c.t, total-taken, kept, "a run of %s waits with %d of %d places taken", key, taken, total)
	}
}

// TestRunsWithinRunsGetPlaces has all places of an owner wait for others of the same one.
func TestRunsWithinRunsGetPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, 16)
		var outer []*crowdRun
		for range 8 {
			outer = append(outer, c.ask(t.Context(), "a", ""))
		}
		require.False(t, c.ask(t.Context(), "a", "").holds())
		var inner []*crowdRun
		for n := range 8 {
			r := c.ask(context.WithValue(t.Context(), placeKey{}, outer[n].place), "a", "")
			require.True(t, r.holds())
			inner = append(inner, r)
		}
		innermost := c.ask(context.WithValue(t.Context(), placeKey{}, inner[0].place), "a", "")
		other := c.ask(t.Context(), "b", "")
		require.False(t, innermost.holds() || other.holds())
		c.end(inner[1])
		require.True(t, innermost.holds(), "first, since others cannot end without it")
		require.False(t, other.holds())
		c.end(inner[2])
		require.True(t, other.holds())
		left := outer[3].place
		c.end(outer[3])
		require.False(t, c.ask(context.WithValue(t.Context(), placeKey{}, left), "a", "").holds(),
			"nobody waits for it")
		c.leave()
	})
}

// TestWaitingEnds ends waiting in all ways, at the moment at which places are given back.
func TestWaitingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, 4)
		closing, closeAll := context.WithCancel(t.Context())
		c.closing = closing
		for range 1000 {
			var runs []*crowdRun
			for n := range 6 {
				runs = append(runs, c.ask(t.Context(), fmt.Sprint(n), ""))
			}
			require.False(t, runs[4].holds() || runs[5].holds())
			runs[0].place.leave()
			runs[4].cancel() // at the same time
			runs[5].cancel()
			synctest.Wait()
			for _, r := range runs[1:] {
				<-r.ended
				if r.err == nil {
					r.place.leave()
				} else {
					var limit *LimitError
					require.ErrorAs(t, r.err, &limit)
					require.Equal(t, LimitError{Limit: LimitRuns, Value: 4, cause: context.Canceled}, *limit)
				}
				r.cancel()
			}
			c.runs = nil
			c.leave()
		}
		for n := range 10 {
			c.ask(t.Context(), fmt.Sprint(n%3), "")
		}
		closeAll()
		synctest.Wait()
		holding := slices.DeleteFunc(slices.Clone(c.runs), func(r *crowdRun) bool {
			return errors.Is(r.err, ErrClosed)
		})
		require.Len(t, holding, 3)
		c.runs = holding
		c.leave()
	})
}

// BenchmarkPlaces takes a place and gives it back.
func BenchmarkPlaces(b *testing.B) {
	p := &places{total: 16, owners: map[string]*owner{}}
	for b.Loop() {
		place, err := p.take(b.Context(), b.Context(), "owner", "client")
		if err != nil {
			b.Fatal(err)
		}
		place.leave()
	}
}
