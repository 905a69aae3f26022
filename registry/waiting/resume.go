package waiting

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// Resume goes on with a call, as far as there are decisions: those given, by the ids of calls, those of [Store.Decide],
// and those of env.Approve. The first decision on a call counts, and a call that has begun to wait needs one, whatever
// the rules say now. Chat and Client of env are replaced by those of the call, and so are the options that its
// selection sets itself ([Choice]), whose rules for approvals are added to those of env: AskAll, if it had an AskIf and
// env has none. The settings, and what is enabled and granted, are those of env. The result is that of the whole call,
// or one that waits again ([tool.Result].Pending). A call that has ended has the same result each time, as long as
// that is kept.
//
// The error is ErrNone, ErrBusy, an [*UndecidableError], that of the store, or that of the context if that has ended:
// then the call can go on later.
func (k *Keeper) Resume(ctx context.Context, tools *registry.Registry, env registry.Env, token string,
	decisions map[string]registry.Decision) (tool.Result, error) {
	return k.goOn(ctx, tools, env, token, decisions, true)
}

// ResumeFor is Resume by somebody other than the caller. The caller gets the result by making the call again.
func (k *Keeper) ResumeFor(ctx context.Context, tools *registry.Registry, env registry.Env, token string,
	decisions map[string]registry.Decision) (tool.Result, error) {
	return k.goOn(ctx, tools, env, token, decisions, false)
}

func (k *Keeper) goOn(ctx context.Context, tools *registry.Registry, env registry.Env, token string,
	decisions map[string]registry.Decision, delivers bool) (result tool.Result, err error) {
	f, err := k.store.result(ctx, token)
	if err == nil && f.Scope != k.scope {
		return result, ErrNone
	}
	if err == nil {
		return f.decoded, f.decide(decisions)
	}
	if !errors.Is(err, ErrNone) {
		return result, err
	}
	g := &going{keeper: k, owner: rand.Text(), later: map[string]bool{}}
	if err := g.claim(ctx, token, decisions); err != nil {
		return result, err
	}
	defer g.release(ctx)
	if f, err := k.store.result(ctx, token); err == nil { // its process has died before it could say so
		return f.decoded, g.end(ctx, f, delivers)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := g.renew(ctx, cancel)
	defer stop()
	r := g.now()
	env.Chat, env.Client, env.Waiting = r.Chat, r.Client, k
	env.Selection = r.Choice.withOwn(env.Selection)
	result, err = g.run(ctx, tools, env)
	if err != nil || result.Pending != nil {
		return result, err
	}
	ctx = context.WithoutCancel(ctx)
	kept, err := result.Keep()
	if err != nil {
		return result, err
	}
	f = &finished{
		Token: token, Scope: k.scope, Time: time.Now(), Result: kept, Delivered: delivers, Decided: g.now().decided(),
	}
	if err := k.putResult(ctx, f); errors.Is(err, vfs.ErrTooLarge) {
		whole := result
		result.Content = []tool.Part{{Text: "[The result is too large to be kept.]"}}
		result.Data = nil
		f.Decided = nil
		if f.Result, err = result.Keep(); err == nil {
			err = k.putResult(ctx, f)
		}
		if result = whole; err != nil {
			return result, err
		}
	} else if err != nil {
		return result, err
	}
	return result, g.end(ctx, f, delivers)
}

// going is an entry that goes on in this process.
type going struct {
	keeper *Keeper
	owner  string

	mu    sync.Mutex
	rec   *record
	err   error           // why it must not go on
	later map[string]bool // calls on which somebody has been asked in vain
	ended bool
	// interrupted says that the last process has not said how far it got.
	interrupted bool
}

// claim makes the entry this process's, and notes decisions.
func (g *going) claim(ctx context.Context, token string, decisions map[string]registry.Decision) error {
	r, err := g.keeper.store.get(ctx, token)
	if err != nil {
		return err
	}
	if r.Scope != g.keeper.scope {
		return ErrNone
	}
	return g.keeper.store.change(ctx, token, r.Until, func(r *record) error {
		if err := r.decide(decisions); err != nil {
			return err
		}
		now := time.Now()
		if r.Owner != "" && now.Before(r.Lease) {
			return ErrBusy
		}
		r.Owner, r.Lease = g.owner, now.Add(g.keeper.store.o.Lease).Round(0)
		if g.interrupted = r.Dirty; !r.Dirty {
			r.Segment++
			r.Dirty = true
		}
		g.rec = r
		return nil
	})
}

// now returns the entry as it is kept now. Nothing changes what it returns: a change puts another record in its place.
func (g *going) now() *record {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rec
}

// change changes the entry, unless another process has it.
func (g *going) change(ctx context.Context, change func(*record) error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil {
		return g.err
	}
	var changed *record
	err := g.keeper.store.change(ctx, g.rec.Token, g.rec.Until, func(r *record) error {
		if r.Owner != g.owner {
			return errLost
		}
		changed = r
		return change(r)
	})
	if err != nil {
		g.err = err
		return err
	}
	g.rec = changed
	return nil
}

// renew keeps the claim until stop is called, and cancels the context if that fails.
func (g *going) renew(ctx context.Context, cancel context.CancelCauseFunc) (stop func()) {
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		ticker := time.NewTicker(g.keeper.store.o.Lease / 3)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if err := g.change(ctx, func(r *record) error {
				r.Lease = time.Now().Add(g.keeper.store.o.Lease).Round(0)
				return nil
			}); err != nil {
				cancel(err)
				return
			}
		}
	})
	return func() {
		close(done)
		group.Wait()
	}
}

// release gives the claim up.
func (g *going) release(ctx context.Context) {
	if g.ended {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	g.mu.Lock()
	if g.err != errLost {
		g.err = nil // of a context that has ended, say
	}
	g.mu.Unlock()
	_ = g.change(ctx, func(r *record) error { // otherwise the lease ends
		r.Owner = ""
		return nil
	})
}

// releaseTime is how long giving a claim up, and putting files back before that, may take when the context has ended.
const releaseTime = 5 * time.Second

// end removes an entry whose result is kept. If that is delivered now and does not say so, the list of the scope has
// to.
func (g *going) end(ctx context.Context, f *finished, delivers bool) error {
	s := g.keeper.store
	g.ended = true
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	var dropping sync.WaitGroup
	dropping.Go(func() { s.dropState(ctx, f.Token, g.now().Kept) })
	err := s.entries.Change(ctx, f.Token, 0, func([]byte) ([]byte, error) { return nil, nil })
	if delivers && !f.Delivered {
		err = errors.Join(err, g.keeper.delist(ctx, f.Token))
	}
	dropping.Wait()
	return err
}

// run goes on from state to state.
func (g *going) run(ctx context.Context, tools *registry.Registry, env registry.Env) (tool.Result, error) {
	s := g.keeper.store
	if g.interrupted {
		if err := g.putBack(ctx, env); err != nil {
			if ctx.Err() != nil {
				return tool.Result{}, context.Cause(ctx)
			}
			return stranded(err), nil
		}
		if err := g.change(ctx, func(r *record) error { r.Segment++; return nil }); err != nil {
			return tool.Result{}, err
		}
	}
	r := g.now()
	if c := r.open(0); !r.Code && c != nil && c.Status != registry.Waiting {
		return registry.UnknownOutcome(r.Call.Tool), nil
	}
	ask := env.Approve
	env.Approve = g.approver(ask, env.Files)
	for {
		r := g.now()
		c := &registry.Continuation{
			Suspension: registry.Suspension{Token: r.Token, Call: r.Call, Original: r.Original, Made: r.CallsMade},
			History:    r.history(), Journal: g,
		}
		if itself := r.open(0); !r.Code && itself != nil {
			c.Waiting = []registry.Unanswered{{Call: r.Call, Asked: true, Rule: itself.Rule}}
		}
		var err error
		if r.Code {
			if c.State, err = s.getState(ctx, r.Token, r.Kept); err != nil {
				return tool.Result{}, err
			}
		} else {
			c.History = ""
		}
		if c.Key, err = s.stateKey(ctx, r.Token, r.Scope, r.Call.Tool); err != nil {
			return tool.Result{}, err
		}
		result, suspension, stopped := tools.Resume(ctx, c, env)
		if err := g.Err(); err != nil {
			return tool.Result{}, fmt.Errorf("the run %s: %w", r.Token, err)
		}
		if stopped != nil {
			back, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
			defer cancel()
			if g.putBack(back, env) == nil {
				_ = g.change(back, func(r *record) error { r.Dirty = false; return nil })
			}
			return result, stopped
		}
		if suspension == nil {
			return result, nil
		}
		again, err := g.checkpoint(ctx, suspension, env.Files)
		if errors.Is(err, errNoRoom) {
			return tool.Failure(tool.CodeFailed, "Tool execution failed: "+
				"the code needs the approval of a person again, and what it keeps has become too large to be "+
				"kept until somebody decides. Keep less in variables, or make the calls that need approval first."), nil
		}
		if err != nil {
			return tool.Result{}, err
		}
		if !again {
			r := g.now()
			return r.pending().Result(r.Call), nil
		}
	}
}

// checkpoint keeps the state of the code that waits again, and reports whether it waits for what can be done now.
func (g *going) checkpoint(ctx context.Context, suspension *registry.Suspension,
	files afero.Fs) (again bool, err error) {
	s := g.keeper.store
	now := g.now()
	before, after := now.Kept, now.Kept+1
	room, err := g.keeper.room(ctx, files)
	if err == nil {
		err = g.keeper.resize(ctx, now.Token, roundBytes(keptBytes(suspension)), room)
	}
	if err == nil && suspension.State != nil {
		err = s.putState(ctx, now.Token, after, now.Until, suspension.State)
	}
	if errors.Is(err, vfs.ErrTooLarge) {
		return false, errNoRoom
	}
	if err != nil {
		return false, err
	}
	for _, w := range suspension.Waiting {
		again = again || !w.Asked
	}
	err = g.change(ctx, func(r *record) error {
		if suspension.State != nil && !r.Code {
			r.becomeCode()
		}
		r.wait(suspension.Waiting)
		r.CallsMade = suspension.Made
		if suspension.State != nil {
			r.Kept = after
		}
		if r.Dirty = again; again {
			r.Segment++
		} else {
			r.Since = time.Now().Round(0)
			r.Owner = ""
		}
		return nil
	})
	g.ended = g.ended || err == nil && !again
	if err == nil && suspension.State != nil {
		s.dropState(ctx, now.Token, before)
	}
	return again, err
}
