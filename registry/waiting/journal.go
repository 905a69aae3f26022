package waiting

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// maxAnswer is the largest answer in bytes that is kept. If the process dies before the code's next state is kept, the
// code is told that the outcome of a call with a larger one is unknown.
const maxAnswer = 8 << 20

// answerTime is how long keeping an answer may take, even if the call has been stopped. Without it, nobody will know
// what the call has done.
const answerTime = 20 * time.Second

// Look implements [registry.Journal].
func (g *going) Look(number int) (known registry.Known) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.rec.open(number)
	if c == nil || !g.rec.Code { // until code is kept with its state, the only call is that of the code itself
		return known
	}
	known.Waiting = registry.Unanswered{Number: number, Call: tool.Call{ID: c.ID, Tool: c.Tool, Input: c.Input},
		Asked: c.Status == registry.Waiting, Rule: c.Rule}
	switch c.Status {
	case registry.Waiting, Next:
	case Answered:
		answer, err := tool.ReadResult(c.Answer)
		if known.Begun = err != nil; err == nil {
			known.Answer = &answer
		}
	default: // Running, or what another version says
		known.Begun = true
	}
	return known
}

// Begin implements [registry.Journal].
func (g *going) Begin(ctx context.Context, number int, call tool.Call, approval *tool.Approval) error {
	return g.change(ctx, func(r *record) error {
		c := r.open(number)
		if c == nil || c.Status != registry.Waiting && c.Status != Next {
			return fmt.Errorf("the call %s is not one that can be made", call.ID)
		}
		if c.Status == registry.Waiting && (approval == nil || !approval.Approved) {
			return fmt.Errorf("the call %s waits for an approval", call.ID)
		}
		c.Status, c.Input, c.Approval = registry.Running, call.Input, approval
		return nil
	})
}

// End implements [registry.Journal].
func (g *going) End(ctx context.Context, number int, result tool.Result) error {
	if ctx.Err() != nil && result.IsError() && result.Code != tool.CodeRefused {
		return context.Cause(ctx) // nobody knows what it has done
	}
	answer, err := result.Keep()
	if err != nil {
		return err
	}
	if len(answer) > maxAnswer {
		answer = nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	return g.change(ctx, func(r *record) error {
		c := r.open(number)
		if c == nil {
			return errors.New("the call is not there")
		}
		c.Status, c.Answer, c.Code = Answered, answer, result.Code
		if result.Approval != nil {
			c.Approval = result.Approval
		}
		return nil
	})
}

// Err implements [registry.Journal].
func (g *going) Err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// approver decides by what has been decided, and otherwise asks.
func (g *going) approver(ask registry.Approver, files afero.Fs) registry.Approver {
	return func(ctx context.Context, request registry.ApprovalRequest) (registry.Decision, error) {
		g.mu.Lock()
		id := request.Call.ID
		var decision *registry.Decision
		c := g.rec.find(id)
		waits := shows(c, request.Call) && c.Status == registry.Waiting
		if waits {
			decision = c.Decision
		}
		by, always := g.rec.Always[request.Call.Tool]
		asked := g.later[id]
		g.mu.Unlock()
		switch {
		case decision != nil && request.Problem == "":
			if decision.Approved && decision.Always {
				if err := g.always(ctx, request.Call.Tool, decision.By); err != nil {
					return registry.Decision{}, err
				}
			}
			return *decision, nil
		case decision != nil:
			if err := g.unusable(ctx, id, request.Problem); err != nil {
				return registry.Decision{}, err
			}
		case always && waits:
			return g.settle(ctx, request.Call, registry.Decision{Approved: true, By: by})
		case always:
			return registry.Decision{Approved: true, By: by}, nil
		}
		if ask == nil || asked {
			return registry.Decision{Later: true}, nil
		}
		request.Changed = g.now().Entry.ChangedSince(ctx, files)
		answer, err := ask(ctx, request)
		if err == nil && ctx.Err() == nil && waits && (answer.Approved || !answer.Later) {
			answer, err = g.settle(ctx, request.Call, answer)
		}
		switch {
		case err != nil:
		case answer.Later && !answer.Approved && id != "": // requests over the network have none, and differ
			g.mu.Lock()
			g.later[id] = true
			g.mu.Unlock()
		case answer.Approved && answer.Always:
			err = g.always(ctx, request.Call.Tool, answer.By)
		}
		return answer, err
	}
}

// shows reports whether a call that is kept is what a person has been shown of one that is made: this input, and no
// other.
func shows(kept *Call, made tool.Call) bool {
	return kept != nil && kept.Tool == made.Tool && bytes.Equal(canonical(kept.Input), canonical(made.Input))
}

// settle notes what somebody who was asked has decided on a call that waits, and returns what counts: what somebody
// else has decided meanwhile, if so.
func (g *going) settle(ctx context.Context, call tool.Call, decision registry.Decision) (registry.Decision, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	counts := decision
	err := g.change(ctx, func(r *record) error {
		counts = decision
		c := r.find(call.ID)
		if !shows(c, call) || c.Status != registry.Waiting {
			return nil
		}
		if c.Decision == nil {
			c.decide(decision)
		}
		counts = *c.Decision
		return nil
	})
	return counts, err
}

// always notes that calls of a tool by this code need not be asked for any more.
func (g *going) always(ctx context.Context, tool, by string) error {
	return g.change(ctx, func(r *record) error {
		if r.Always == nil {
			r.Always = map[string]string{}
		}
		r.Always[tool] = by
		return nil
	})
}

// unusable takes a decision back that had a wrong input.
func (g *going) unusable(ctx context.Context, id, problem string) error {
	return g.change(ctx, func(r *record) error {
		if c := r.find(id); c != nil {
			c.Decision, c.Problem = nil, problem
		}
		return nil
	})
}

// putBack undoes what the code has changed in files since its last state.
func (g *going) putBack(ctx context.Context, env registry.Env) error {
	r := g.now()
	if !r.Code || env.Files == nil {
		return nil
	}
	project, ok := env.Files.(vfs.Project)
	if !ok {
		return errors.New("its files have no history")
	}
	id := r.history()
	changes, err := project.Changes(ctx, "/")
	if err != nil {
		return err
	}
	made := slices.ContainsFunc(changes, func(c vfs.Change) bool { return c.Call == id && c.Undoes == "" })
	undone := slices.ContainsFunc(changes, func(c vfs.Change) bool { return c.Op == vfs.OpUndone && c.Undoes == id })
	if !made || undone {
		return nil
	}
	put, err := project.Undo(ctx, id)
	if left := vfs.NotBroughtBack(put); len(left) > 0 {
		return fmt.Errorf("what was at %s has been purged from the history", strings.Join(left, ", "))
	}
	if errors.Is(err, vfs.ErrNotKept) {
		// A change that a killed process had only announced is in the list until somebody takes the project's lock, as
		// Undo has done: it has not happened.
		return nil
	}
	return err
}

// stranded is the result of an entry that cannot go on.
func stranded(err error) tool.Result {
	result := tool.Failure(tool.CodeUnknownOutcome, "The code was interrupted, and cannot go on: "+
		"what it had changed in files since it last waited cannot be put back ("+
		err.Error()+"). Look at the files before you do anything again.")
	result.Err = err
	return result
}

// maxChanged is how many changes are shown.
const maxChanged = 100

// ChangedSince returns what others have changed in a project's files since the call began to wait, the latest first, by
// the clocks of the processes that changed them. Nil files, or files without a history, have no changes.
func (r *Entry) ChangedSince(ctx context.Context, files afero.Fs) (changed []vfs.Change) {
	project, ok := files.(vfs.Project)
	if !ok {
		return nil
	}
	changes, err := project.Changes(ctx, "/")
	if err != nil {
		return nil
	}
	for _, c := range changes {
		if c.Time.Before(r.Since) || len(changed) == maxChanged {
			break
		}
		if !r.Owns(c.Call) {
			changed = append(changed, c)
		}
	}
	return changed
}
