package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/toolrun/toolrun/tool"
)

// A Keeper keeps calls that wait for people's decisions, so that they can go on later and elsewhere. Package
// registry/waiting has one. It is safe for concurrent use.
type Keeper interface {
	// Prepare chooses the token of a call that has to wait, and a key for what its tool will be given back
	// ([Suspension].State).
	Prepare(ctx context.Context, call tool.Call, env Env) (token string, key []byte, err error)
	// Keep keeps a call. A [*tool.ModelError] tells the model why it cannot be kept.
	Keep(ctx context.Context, s *Suspension, env Env) (*tool.Pending, error)
	// Again gets a call that a model makes, before anybody is asked for it. If the same one waits already, Again goes
	// on with that if it can, returns its result, and true.
	Again(ctx context.Context, tools *Registry, call tool.Call, env Env) (tool.Result, bool)
}

// A Suspension is what is kept of a call that waits for people's decisions.
type Suspension struct {
	// Token identifies it.
	Token string
	// Call is the call, with the input that its tool gets.
	Call tool.Call
	// Original is the input that the model gave, if the call was approved with another one, which Call has.
	Original json.RawMessage
	// State is what the tool needs to go on with the code that it runs. It is nil if the call itself waits.
	State []byte
	// Made is how many calls the call has made.
	Made int
	// Waiting are the calls that have no answer: those that the code has made or, without a State, the call itself.
	Waiting []Unanswered
}

// An Unanswered is a call without an answer.
type Unanswered struct {
	// Number is by which the code knows it; see [Env.DispatchNumbered].
	Number int
	// Call is the call, with its id and the input that its tool would get, if that has been checked.
	Call tool.Call
	// Asked says that it has been checked and needs an approval, by Rule. Otherwise it has not been looked at yet.
	Asked bool
	Rule  string
}

// A Continuation is a suspended call that goes on: see [Registry.Resume].
type Continuation struct {
	// Suspension is what was kept, and Key is that of [Keeper].Prepare. Without a State, the call itself waits, and
	// needs a decision whatever the rules say now; Waiting has the rule that wanted one.
	Suspension
	Key []byte
	// History is the id of what the call changes from now on, in the project's history; "" is the call's own.
	History string
	// Journal keeps what becomes of the calls.
	Journal Journal

	stopped error // why it does not go on now
}

// A Journal keeps what becomes of calls, so that none is made twice. The number is that of [Unanswered]. An error of
// Begin or End means that the call that goes on must not do so; no call is made then, and no answer delivered.
// It is safe for concurrent use.
type Journal interface {
	// Look returns what is known of a call before it goes on.
	Look(number int) (known Known)
	// Begin is called right before a call is made, with the input that it has been approved with.
	Begin(ctx context.Context, number int, call tool.Call, approval *tool.Approval) error
	// End is called with the answer of a call before the code gets it.
	End(ctx context.Context, number int, result tool.Result) error
	// Err says why nothing can be kept any more, such as that another process goes on with the call, or is nil.
	Err() error
}

// Known is what a [Journal] knows of a call.
type Known struct {
	// Waiting is the call; its ID is "" if it is not known. If it was Asked, it needs a decision whatever the rules say
	// now.
	Waiting Unanswered
	// Answer is its answer, or nil.
	Answer *tool.Result
	// Begun says that it has been made, and that nobody knows how it has ended.
	Begun bool
}

// suspended is the Suspension of the result of a call that cannot end yet.
type suspended struct {
	state   []byte
	waiting []Unanswered
	made    int
}

// UnknownOutcome is the answer of a call that was under way when its process ended.
func UnknownOutcome(name string) tool.Result {
	return tool.Failure(tool.CodeUnknownOutcome, "The call of "+name+" was interrupted: the process that made it has "+
		"ended, and nobody knows whether the call was made, in part or as a whole. Look before you repeat it.")
}

// canWait reports whether calls that the tool makes with DispatchNumbered can be put off.
func (c *running) canWait() bool { return c.inner.parent == nil && c.inner.outer.Waiting != nil }

// DispatchNumbered implements [tool.Host].
func (c *running) DispatchNumbered(ctx context.Context, call tool.Call, number int) (result tool.Result, later bool) {
	if !c.canWait() {
		return c.Dispatch(ctx, call), false
	}
	goesOn := c.inner.outer.resumed
	id := ""
	if goesOn != nil {
		known := goesOn.Journal.Look(number)
		switch {
		case known.Answer != nil:
			return *known.Answer, false
		case known.Begun:
			result = UnknownOutcome(call.Tool)
			if err := goesOn.Journal.End(ctx, number, result); err != nil {
				return failed(ctx, call, c.env, err), true
			}
			return result, false
		case known.Waiting.Call.ID == "": // it is made when the code is kept in a state without its answer
			if id, ok := c.inner.enter(c.key); ok {
				call.ID, call.Parent = id, c.key
				c.inner.wait(Unanswered{Number: number, Call: call})
				c.inner.group.Done()
				return tool.Result{}, true
			}
		}
		id = known.Waiting.Call.ID
	}
	result = c.dispatch(ctx, call, id, &number)
	if s, ok := result.Suspension.(*suspended); ok && result.Code == tool.CodePending {
		for _, w := range s.waiting {
			w.Number = number
			c.inner.wait(w)
		}
		return tool.Result{}, true
	}
	if errors.Is(result.Err, errJournal) {
		return result, true // the code must not go on
	}
	if goesOn != nil {
		if err := goesOn.Journal.End(ctx, number, result); err != nil {
			return failed(ctx, call, c.env, err), true
		}
	}
	return result, false
}

var errJournal = errors.New("what becomes of the call cannot be kept")

// Resumed implements [tool.Host].
func (c *running) Resumed() []byte {
	if c.inner.outer.resumed == nil || c.inner.parent != nil {
		return nil
	}
	return c.inner.outer.resumed.State
}

// SealingKey implements [tool.Host].
func (c *running) SealingKey(ctx context.Context) ([]byte, error) {
	if !c.canWait() {
		return nil, errors.New("registry: the call cannot wait")
	}
	if goesOn := c.inner.outer.resumed; goesOn != nil {
		return goesOn.Key, nil
	}
	c.preparing.Lock()
	defer c.preparing.Unlock()
	if c.token == "" {
		var err error
		if c.token, c.sealingKey, err = c.inner.outer.Waiting.Prepare(ctx, c.call, c.inner.outer); err != nil {
			return nil, err
		}
	}
	return c.sealingKey, nil
}

// waits are the calls that have been put off.
type waits struct {
	mu   sync.Mutex
	list []Unanswered
}

func (in *inner) wait(w Unanswered) {
	in.waits.mu.Lock()
	defer in.waits.mu.Unlock()
	in.waits.list = append(in.waits.list, w)
}

// suspend finishes the result of a tool that cannot go on, before it leaves run.
func (c *running) suspend(ctx context.Context, result tool.Result, state []byte, env Env) tool.Result {
	s := &suspended{state: state}
	c.inner.waits.mu.Lock()
	s.waiting = slices.SortedFunc(slices.Values(c.inner.waits.list), func(a, b Unanswered) int {
		return cmp.Compare(a.Number, b.Number)
	})
	c.inner.waits.mu.Unlock()
	if !c.canWait() || len(s.waiting) == 0 || s.state == nil {
		return unexpected(ctx, c.call, env, errors.New("the tool waits for calls, and there are none"))
	}
	c.inner.mu.Lock()
	s.made = c.inner.made
	c.inner.mu.Unlock()
	result.Suspension = s
	return result
}

// putOffTime is how long keeping a call may take that waits, even if nobody waits for its result any more. What its
// code has done would be lost otherwise.
const putOffTime = 20 * time.Second

// keep keeps a call whose result says that it waits, unless it goes on already, and returns what the model gets.
func (r *Registry) keep(ctx context.Context, call tool.Call, original json.RawMessage,
	result tool.Result, env Env, token string) tool.Result {
	if env.resumed != nil {
		return result
	}
	waits, _ := result.Suspension.(*suspended)
	s := &Suspension{Token: token, Call: call, Original: original, State: waits.state, Made: waits.made,
		Waiting: waits.waiting}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), putOffTime)
	defer cancel()
	if s.Token == "" {
		var err error
		if s.Token, _, err = env.Waiting.Prepare(ctx, call, env); err != nil {
			return failed(ctx, call, env, err)
		}
	}
	pending, err := env.Waiting.Keep(ctx, s, env)
	if _, forModel := errors.AsType[*tool.ModelError](err); forModel {
		return resultOf(err, tool.CodeNeedsApproval)
	}
	if err != nil {
		return failed(ctx, call, env, fmt.Errorf("keeping what waits for approval: %w", err))
	}
	out := pending.Result(call)
	out.Approval = result.Approval
	return out
}

// Resume goes on with a call, as Dispatch begins one: it must still be enabled and permitted, and middleware sees it.
// Nobody is asked for the call itself again if its tool has begun. If it has to wait again, the Suspension is not nil.
// Otherwise the result is that of the whole call; or the error, that of the journal or the context, says that the call
// has been stopped, and can go on later as it is kept.
func (r *Registry) Resume(ctx context.Context, c *Continuation, env Env) (tool.Result, *Suspension, error) {
	env.resumed = c
	result := r.Dispatch(ctx, c.Call, env)
	if c.stopped != nil {
		return result, nil, c.stopped
	}
	w, _ := result.Suspension.(*suspended)
	if result.Code != tool.CodePending || w == nil {
		return result, nil, nil
	}
	result.Suspension = nil
	return result, &Suspension{Token: c.Token, Call: c.Call, Original: c.Original,
		State: w.state, Made: max(w.made, c.Made), Waiting: w.waiting}, nil
}

// begins tells the journal that a call that was put off is about to be made.
func (env *Env) begins(ctx context.Context, call tool.Call, approval *tool.Approval) error {
	goesOn, number := env.resumed, 0
	if env.call != nil {
		if env.number == nil {
			return nil
		}
		goesOn, number = env.call.inner.outer.resumed, *env.number
	}
	if goesOn == nil || env.call == nil && goesOn.State != nil {
		return nil
	}
	if err := goesOn.Journal.Begin(ctx, number, call, approval); err != nil {
		return errors.Join(errJournal, err)
	}
	return nil
}

// waited returns the rule for which a call that goes on has begun to wait, if it has.
func (env *Env) waited() (rule string, ok bool) {
	if env.call == nil {
		if env.resumed == nil || env.resumed.State != nil {
			return "", false
		}
		for _, w := range env.resumed.Waiting {
			rule = w.Rule
		}
		return rule, true
	}
	goesOn := env.call.inner.outer.resumed
	if goesOn == nil || env.number == nil {
		return "", false
	}
	w := goesOn.Journal.Look(*env.number).Waiting
	return w.Rule, w.Asked
}

// canWait reports whether a call that needs an approval can be put off.
func (env *Env) canWait() bool {
	return env.Waiting != nil && (env.call == nil || env.number != nil)
}

// putOff is the result of a call that needs an approval and gets none now.
func putOff(call tool.Call, rule string) tool.Result {
	result := tool.Failure(tool.CodePending, "The call of "+call.Tool+" waits for the approval of a person.")
	result.Suspension = &suspended{waiting: []Unanswered{{Call: call, Asked: true, Rule: rule}}}
	return result
}
