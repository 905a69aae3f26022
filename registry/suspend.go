package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolrun/toolrun/internal/plaintext"
)

// A Keeper keeps calls that wait for people's decisions, so that they can go on later and elsewhere. Package
// registry/waiting has one. It is safe for concurrent use.
type Keeper interface {
	// Prepare chooses the token of a call that has to wait, and a key for what its tool will be given back
	// ([Suspension].State).
	Prepare(ctx context.Context, call Call, env Env) (token string, key []byte, err error)
	// Keep keeps a call. A [*ModelError] tells the model why it cannot be kept.
	Keep(ctx context.Context, s *Suspension, env Env) (*Pending, error)
	// Again gets a call that a model makes, before anybody is asked for it. If the same one waits already, Again goes
	// on with that if it can, returns its result, and true.
	Again(ctx context.Context, tools *Registry, call Call, env Env) (Result, bool)
}

// A Suspension is what is kept of a call that waits for people's decisions.
type Suspension struct {
	// Token identifies it.
	Token string
	// Call is the call, with the input that its tool gets.
	Call Call
	// Original is the input that the model gave, if the call was approved with another one, which Call has.
	Original json.RawMessage
	// State is what the tool needs to go on with the code that it runs. It is nil if the call itself waits.
	State []byte
	// Made is how many calls the call has made.
	Made int
	// Waiting are the calls that have no answer: those that the code has made or, without a State, the call itself.
	Waiting []Waiting
}

// A Waiting is a call without an answer.
type Waiting struct {
	// Number is by which the code knows it; see [Env.DispatchNumbered].
	Number int
	// Call is the call, with its id and the input that its tool would get, if that has been checked.
	Call Call
	// Asked says that it has been checked and needs an approval, by Rule. Otherwise it has not been looked at yet.
	Asked bool
	Rule  string
}

// Pending describes a call that waits for people's decisions.
type Pending struct {
	// Token identifies the call. It is no secret: it decides nothing.
	Token string `json:"token"`
	// Until is how long the call is kept.
	Until time.Time `json:"until"`
	// Tools are the tools whose calls need a decision.
	Tools []string `json:"tools"`
	// Code says that code has made these calls, and waits for them.
	Code bool `json:"code,omitempty"`
}

// Result returns the result of a call that waits.
func (p *Pending) Result(call Call) Result {
	until := p.Until.UTC().Format("2006-01-02 15:04 UTC")
	text := fmt.Sprintf("The call has not been made yet: it waits for the approval of a person (%s, until %s).",
		p.Token, until)
	if p.Code {
		text = fmt.Sprintf("The code has not ended yet: its calls of %s wait for the approval of a person (%s, "+
			"until %s). What it has done before stays done.", strings.Join(p.Tools, ", "), p.Token, until)
	}
	result := Failure(CodePending,
		text+" Tell the user. Once they say that it is decided, make exactly the same call again: "+
			"it goes on where it is, and you get its result. Nothing is done twice.")
	result.CallID, result.Tool, result.Pending = call.ID, call.Tool, p
	result.Status = "Waits for approval: " + p.Token
	return result
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
}

// A Journal keeps what becomes of calls, so that none is made twice. The number is that of [Waiting]. An error of Begin
// or End means that the call that goes on must not do so; no call is made then, and no answer delivered.
// It is safe for concurrent use.
type Journal interface {
	// Look returns what is known of a call before it goes on.
	Look(number int) (known Known)
	// Begin is called right before a call is made, with the input that it has been approved with.
	Begin(ctx context.Context, number int, call Call, approval *Approval) error
	// End is called with the answer of a call before the code gets it.
	End(ctx context.Context, number int, result Result) error
}

// Known is what a [Journal] knows of a call.
type Known struct {
	// Waiting is the call; its ID is "" if it is not known. If it was Asked, it needs a decision whatever the rules say
	// now.
	Waiting Waiting
	// Answer is its answer, or nil.
	Answer *Result
	// Begun says that it has been made, and that nobody knows how it has ended.
	Begun bool
}

// suspended is what a result carries of a call that cannot end yet.
type suspended struct {
	state   []byte
	waiting []Waiting
	made    int
}

// Suspended is the result of a tool whose code waits for calls that [Env.DispatchNumbered] has put off. state is what
// [Env.Resumed] will return, and is only kept if there are such calls.
func Suspended(state []byte) Result {
	result := Failure(CodePending, "The code waits for the approval of a person.")
	result.suspended = &suspended{state: state}
	return result
}

// UnknownOutcome is the answer of a call that was under way when its process ended.
func UnknownOutcome(tool string) Result {
	return Failure(CodeUnknownOutcome, "The call of "+tool+" was interrupted: the process that made it has ended, "+
		"and nobody knows whether the call was made, in part or as a whole. Look before you repeat it.")
}

// CanWait reports whether calls that the tool makes with DispatchNumbered can be put off.
func (e Env) CanWait() bool {
	return e.call != nil && e.call.inner.parent == nil && e.call.inner.outer.Waiting != nil
}

// DispatchNumbered is Dispatch for code that can be suspended. number, not negative, is by which the code knows the
// call when it goes on. If later is true, the answer comes later: the tool ends with [Suspended] as soon as the code
// has nothing else to do, and makes the call again, with the same number, when the code goes on.
func (e Env) DispatchNumbered(ctx context.Context, call Call, number int) (result Result, later bool) {
	if !e.CanWait() {
		return e.Dispatch(ctx, call), false
	}
	c := e.call
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
				return failed(ctx, call, e, err), true
			}
			return result, false
		case known.Waiting.Call.ID == "": // it is made when the code is kept in a state without its answer
			if id, ok := c.inner.enter(c.key); ok {
				call.ID, call.Parent = id, c.key
				c.inner.wait(Waiting{Number: number, Call: call})
				c.inner.group.Done()
				return Result{}, true
			}
		}
		id = known.Waiting.Call.ID
	}
	result = e.dispatch(ctx, call, id, &number)
	if result.Code == CodePending && result.suspended != nil {
		for _, w := range result.suspended.waiting {
			w.Number = number
			c.inner.wait(w)
		}
		return Result{}, true
	}
	if errors.Is(result.Err, errJournal) {
		return result, true // the code must not go on
	}
	if goesOn != nil {
		if err := goesOn.Journal.End(ctx, number, result); err != nil {
			return failed(ctx, call, e, err), true
		}
	}
	return result, false
}

var errJournal = errors.New("what becomes of the call cannot be kept")

// Resumed returns what [Suspended] was given if the call goes on, and nil if it begins.
func (e Env) Resumed() []byte {
	if e.call == nil || e.call.inner.outer.resumed == nil || e.call.inner.parent != nil {
		return nil
	}
	return e.call.inner.outer.resumed.State
}

// SealingKey returns a key with which the tool can seal its state for [Suspended], so that the state is of use for
// nothing but the same call.
func (e Env) SealingKey(ctx context.Context) ([]byte, error) {
	if !e.CanWait() {
		return nil, errors.New("registry: the call cannot wait")
	}
	c := e.call
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
	list []Waiting
}

func (in *inner) wait(w Waiting) {
	in.waits.mu.Lock()
	defer in.waits.mu.Unlock()
	in.waits.list = append(in.waits.list, w)
}

// suspend finishes the result of a tool that cannot go on, before it leaves run.
func (c *running) suspend(ctx context.Context, result Result, env Env) Result {
	s := result.suspended
	c.inner.waits.mu.Lock()
	s.waiting = slices.SortedFunc(slices.Values(c.inner.waits.list), func(a, b Waiting) int {
		return cmp.Compare(a.Number, b.Number)
	})
	c.inner.waits.mu.Unlock()
	if !env.CanWait() || len(s.waiting) == 0 || s.state == nil {
		return unexpected(ctx, c.call, env, errors.New("the tool waits for calls, and there are none"))
	}
	c.inner.mu.Lock()
	s.made = c.inner.made
	c.inner.mu.Unlock()
	return result
}

// putOffTime is how long keeping a call may take that waits, even if nobody waits for its result any more. What its
// code has done would be lost otherwise.
const putOffTime = 20 * time.Second

// keep keeps a call whose result says that it waits, unless it goes on already, and returns what the model gets.
func (r *Registry) keep(ctx context.Context, call Call, original json.RawMessage,
	result Result, env Env, token string) Result {
	if env.resumed != nil {
		return result
	}
	s := &Suspension{Token: token, Call: call, Original: original, State: result.suspended.state,
		Made:    result.suspended.made,
		Waiting: result.suspended.waiting}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), putOffTime)
	defer cancel()
	if s.Token == "" {
		var err error
		if s.Token, _, err = env.Waiting.Prepare(ctx, call, env); err != nil {
			return failed(ctx, call, env, err)
		}
	}
	pending, err := env.Waiting.Keep(ctx, s, env)
	if _, forModel := errors.AsType[*ModelError](err); forModel {
		return resultOf(err, CodeNeedsApproval)
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
// Otherwise the result is that of the whole call.
func (r *Registry) Resume(ctx context.Context, c *Continuation, env Env) (Result, *Suspension) {
	env.resumed = c
	result := r.Dispatch(ctx, c.Call, env)
	w := result.suspended
	if result.Code != CodePending || w == nil {
		return result, nil
	}
	result.suspended = nil
	return result, &Suspension{Token: c.Token, Call: c.Call, Original: c.Original,
		State: w.state, Made: max(w.made, c.Made),
		Waiting: w.waiting}
}

// begins tells the journal that a call that was put off is about to be made.
func (env *Env) begins(ctx context.Context, call Call, approval *Approval) error {
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
func putOff(call Call, rule string) Result {
	result := Failure(CodePending, "The call of "+call.Tool+" waits for the approval of a person.")
	result.suspended = &suspended{waiting: []Waiting{{Call: call, Asked: true, Rule: rule}}}
	return result
}

// PatientFor returns an Approver that asks another one, and decides [Decision].Later if there is no decision in time.
func PatientFor(d time.Duration, ask Approver) Approver {
	return func(ctx context.Context, request ApprovalRequest) (Decision, error) {
		inTime, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		decision, err := ask(inTime, request)
		if inTime.Err() != nil && ctx.Err() == nil && !decision.Approved {
			return Decision{Later: true}, nil
		}
		return decision, err
	}
}

// ReadResult decodes what [Result.Keep] has encoded.
func ReadResult(data []byte) (Result, error) {
	var k keptResult
	if err := json.Unmarshal(data, &k); err != nil {
		return Result{}, err
	}
	r := Result{CallID: k.CallID, Tool: k.Tool, InFile: k.InFile, Status: k.Status,
		Code: k.Code, Content: k.Content, Approval: k.Approval}
	if k.Data != nil {
		r.Data = k.Data
	}
	if k.Err != "" {
		r.Err = errors.New(k.Err)
	}
	return r, nil
}

// keptResult is a result as it is kept.
type keptResult struct {
	CallID, Tool, InFile, Status string
	Code                         Code
	Content                      []Part
	Data                         json.RawMessage `json:",omitempty"`
	Approval                     *Approval
	Err                          string
}

// Keep encodes a result of [Registry.Dispatch] as a whole, for [ReadResult]. Of Err only the text is kept.
func (r Result) Keep() ([]byte, error) {
	k := keptResult{r.CallID, r.Tool, r.InFile, r.Status, r.Code, r.Content, nil, r.Approval, ""}
	k.Data, _ = r.Data.(json.RawMessage)
	if r.Err != nil {
		k.Err = plaintext.Cut(r.Err.Error(), maxReason)
	}
	return json.Marshal(k)
}
