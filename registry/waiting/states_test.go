package waiting_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/waiting"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs/local"
)

// follows are the states that may follow one.
var follows = map[registry.State][]registry.State{
	"":               {registry.Begun},
	registry.Begun:   {registry.Waiting, registry.Running, registry.Ended},
	registry.Waiting: {registry.Running, registry.Ended},
	registry.Running: {registry.Waiting, registry.Ended},
}

// A driver makes calls at random.
type driver struct {
	t       *testing.T
	mu      sync.Mutex
	random  *rand.Rand
	courses map[string][]registry.State // of each call
	seen    map[[2]registry.State]bool  // changes
	tools   *registry.Registry
	keeper  *waiting.Keeper
}

func (d *driver) pick(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.random.IntN(n)
}

// watch notes the states of calls, and requires that each follows the one before.
func (d *driver) watch(next registry.Handler) registry.Handler {
	return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
		first := true
		env.Watch(func(state registry.State, result *tool.Result) {
			d.mu.Lock()
			defer d.mu.Unlock()
			course, last := d.courses[call.ID], registry.State("")
			if len(course) > 0 {
				last = course[len(course)-1]
			}
			// A call that waits is put off, or goes on.
			stays := last == registry.Waiting && state == registry.Waiting && (first || result != nil)
			if !stays && !slices.Contains(follows[last], state) {
				d.t.Errorf("%s: %v, and then %s", call.ID, course, state)
			}
			if state == registry.Ended && result == nil {
				d.t.Errorf("%s: it has ended without a result", call.ID)
			}
			first = false
			d.courses[call.ID] = append(course, state)
			d.seen[[2]registry.State{last, state}] = true
		})
		return next(ctx, call, env)
	}
}

// faults is middleware that fails, with calls that are no code.
func (d *driver) faults(next registry.Handler) registry.Handler {
	return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
		if call.Tool != "act" && call.Tool != "look" {
			return next(ctx, call, env)
		}
		switch d.pick(30) {
		case 0:
			panic("a fault")
		case 1:
			return tool.Failure(tool.CodeTool, "not made")
		}
		return next(ctx, call, env)
	}
}

// repeats is middleware that makes some calls twice.
func (d *driver) repeats(next registry.Handler) registry.Handler {
	return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
		if call.Tool == "look" && d.pick(5) == 0 {
			_ = next(ctx, call, env)
		}
		return next(ctx, call, env)
	}
}

// simple is a tool that ends in one of many ways.
func (d *driver) simple(name string) tool.Tool {
	return tool.Func(tool.Spec{Name: name, Description: "Does it.", Timeout: time.Minute, Retries: 1},
		func(ctx context.Context, _ note, _ tool.Env) (string, error) {
			switch d.pick(10) {
			case 0:
				panic("a bug")
			case 1:
				runtime.Goexit()
			case 2:
				return "", tool.Retryable(errors.New("try again"))
			case 3:
				time.Sleep(2 * time.Minute) // whatever it is told
			case 4:
				<-ctx.Done()
				return "", ctx.Err()
			case 5:
				time.Sleep(time.Second)
			}
			return "done", nil
		})
}

// code is a tool that makes calls, some at once, with what its state says that it has been told.
func (d *driver) code(name string, inner ...string) tool.Tool {
	return tool.JSONFunc(tool.Spec{Name: name, Description: "Calls.", Timeout: 10 * time.Minute,
		Schema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
			told := [4]bool{}
			if state := env.Resumed(); state != nil {
				if err := json.Unmarshal(state, &told); err != nil {
					return tool.Result{}, err
				}
			}
			var mu sync.Mutex
			var group sync.WaitGroup
			waits := false
			for n := range told {
				if told[n] {
					continue
				}
				group.Go(func() {
					_, later := env.DispatchNumbered(ctx, tool.Call{Tool: inner[n%len(inner)],
						Input: json.RawMessage(`{"text":"x"}`)}, n)
					mu.Lock()
					defer mu.Unlock()
					waits = waits || later
					told[n] = !later
				})
				if n%2 == 1 {
					group.Wait()
				}
			}
			group.Wait()
			switch {
			case waits && d.pick(5) > 0:
				state, err := json.Marshal(told)
				return tool.Suspended(state), err
			case d.pick(5) == 0: // although calls wait, perhaps
				panic("a bug")
			}
			return tool.Text("done"), nil
		})
}

// decision is one of a person, or none.
func (d *driver) decision() registry.Decision {
	switch d.pick(6) {
	case 0:
		return registry.Decision{Later: true}
	case 1:
		return registry.Decision{Reason: "no"}
	case 2:
		return registry.Decision{Approved: true, Input: json.RawMessage(`{"text":"y"}`)}
	case 3:
		return registry.Decision{Approved: true, Always: true}
	}
	return registry.Decision{Approved: true}
}

func (d *driver) env() registry.Env {
	e := env(d.keeper)
	e.Selection.Ask = []string{"act", "asked"}
	switch d.pick(3) {
	case 0:
		e.Approve = func(ctx context.Context, r registry.ApprovalRequest) (registry.Decision, error) {
			select {
			case <-time.After(time.Duration(d.pick(20)) * time.Second):
			case <-ctx.Done():
				return registry.Decision{}, ctx.Err()
			}
			if d.pick(20) == 0 {
				return registry.Decision{}, errors.New("nobody can be reached")
			}
			return d.decision(), nil
		}
	case 1:
		e.Waiting = nil
		if d.pick(4) > 0 {
			e.Waiting = d.keeper
		}
	}
	return e
}

// within returns a context that may end early.
func (d *driver) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if d.pick(3) > 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(d.pick(15))*time.Second)
}

// goOn decides on calls that wait, and goes on with them.
func (d *driver) goOn(ctx context.Context, token string) {
	entry, err := d.keeper.Get(ctx, token)
	if err != nil {
		return
	}
	decisions := map[string]registry.Decision{}
	for _, c := range entry.Waiting() {
		if d.pick(3) > 0 {
			decisions[c.ID] = d.decision()
		}
	}
	ctx, cancel := d.within(ctx)
	defer cancel()
	e := d.env()
	_, err = d.keeper.ResumeFor(ctx, d.tools, e, token, decisions)
	_, decided := errors.AsType[*waiting.UndecidableError](err)
	if err != nil && !decided && ctx.Err() == nil && !errors.Is(err, waiting.ErrNone) &&
		!errors.Is(err, waiting.ErrBusy) {
		d.t.Error(err)
	}
}

// TestStatesOfCalls makes calls at random: of tools that need approval, that fail, panic, hang and call each other,
// which are put off, go on, and are stopped. Each takes a course that State describes, and ends once.
func TestStatesOfCalls(t *testing.T) {
	seen := map[[2]registry.State]bool{}
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			store := newRuns(t, local.NewMemoryStore(nil), &waiting.Options{Most: 5})
			d := &driver{t: t, random: rand.New(rand.NewPCG(seed, 35)), courses: map[string][]registry.State{},
				seen: seen, keeper: store.In("p")}
			var err error
			d.tools, err = registry.New(d.simple("act"), d.simple("look"), d.simple("asked"),
				d.code("code", "act", "look", "asked", "nested"), d.code("nested", "look", "act"))
			require.NoError(t, err)
			d.tools = d.tools.Using(d.watch, d.faults, d.repeats)
			var group sync.WaitGroup
			for n := range 8 {
				group.Go(func() {
					ctx, cancel := d.within(t.Context())
					defer cancel()
					name := []string{"code", "act", "asked", "look", "none"}[d.pick(5)]
					call := tool.Call{ID: fmt.Sprintf("c%d", n), Tool: name,
						Input: json.RawMessage(fmt.Sprintf(`{"text":"%d"}`, n%6))}
					result := d.tools.Dispatch(ctx, call, d.env())
					for range d.pick(4) {
						if result.Pending != nil {
							d.goOn(t.Context(), result.Pending.Token)
						}
					}
				})
			}
			group.Wait()
			for range 200 { // until all have ended
				for entry, err := range d.keeper.All(t.Context()) {
					require.NoError(t, err)
					d.goOn(t.Context(), entry.Token)
				}
			}
			time.Sleep(time.Hour) // also those that were left behind
			for entry := range d.keeper.All(t.Context()) {
				t.Errorf("seed %d: %s waits", seed, entry.Call.ID)
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			for id, course := range d.courses {
				if slices.Index(course, registry.Ended) != len(course)-1 {
					t.Errorf("seed %d: %s: %v", seed, id, course)
				}
			}
		})
		require.False(t, t.Failed(), "seed %d", seed)
	}
	for state, next := range follows {
		for _, after := range next {
			require.True(t, seen[[2]registry.State{state, after}], "no call went from %q to %s", state, after)
		}
	}
}
