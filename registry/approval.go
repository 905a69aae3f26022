package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolrun/toolrun/internal/text/schema"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// An Approver decides whether a call may be made. The registry calls it for a call that a rule of Selection.Ask is for,
// after the input has been checked and before the tool gets it, possibly several times at once. Time in which it
// decides does not count as that of the call, nor as that of the calls that make it.
//
// An error, other than that of the context, is one of the host: the call is not made, and the model gets a text as for
// other failures of tools.
type Approver func(ctx context.Context, request ApprovalRequest) (Decision, error)

// An ApprovalRequest is a call that needs approval.
type ApprovalRequest struct {
	// Call is the call. Its input fits the tool's schema.
	Call tool.Call
	// Spec describes the tool. Do not change it.
	Spec *tool.Spec
	// Rule is the rule that wants an approval, or "" for Selection.AskIf.
	Rule string
	// Callers are the calls that make this one, the outermost first. It is empty if the model makes the call itself.
	Callers []tool.Call
	// Project, Chat and Client are those of the Env.
	Project, Chat, Client string
	// Files are the project's files as the callers see them now, or nil. Changes by the callers have their ids in the
	// project's history.
	Files afero.Fs
	// Changed is what others have changed in the files since the code that makes the call was suspended, the latest
	// first.
	Changed []vfs.Change
	// Problem is not empty if the decision before this one had another input, and says what was wrong with it.
	Problem string
}

// A Decision is the answer to an ApprovalRequest. The zero value refuses.
type Decision struct {
	// Approved says that the call may be made.
	Approved bool
	// Later says that it will be decided later: the call is kept, with the code that waits for it, by [Env].Waiting.
	// Without that, it is as if nobody could be asked.
	Later bool
	// Input, if not nil, takes the place of the call's input. The model is told.
	Input json.RawMessage `json:",omitempty"`
	// Always says that later calls of the tool need not be asked for: see [RememberApprovals]. Only the Approver knows
	// for how long.
	Always bool
	// Reason tells the model why the call was refused. It can be empty.
	Reason string
	// By names the person who decided, for the audit log. Time is when; zero means now.
	By   string
	Time time.Time
}

// ApprovalOf returns what logs say of a decision that a rule has asked for. Time is now if the decision has none.
func ApprovalOf(rule string, d Decision) *tool.Approval {
	a := &tool.Approval{Rule: rule, By: d.By, Time: d.Time, Approved: d.Approved}
	if a.Time.IsZero() {
		a.Time = time.Now()
	}
	return a
}

// approve asks whether a call may be made. The result is one of a call that is not made if it has a code, and otherwise
// only the approval.
func (r *Registry) approve(ctx context.Context, e *entry, call *tool.Call, schema *schema.Schema, env Env) tool.Result {
	rule, ok := r.asks(&env.Selection, call, &e.spec)
	if waited, since := env.waited(); since && !ok {
		rule, ok = waited, true
	}
	if !ok {
		return tool.Result{}
	}
	later := func() tool.Result {
		if env.canWait() {
			return putOff(*call, rule)
		}
		return tool.Failure(tool.CodeNeedsApproval, fmt.Sprintf("The call of %s needs the approval of a person, "+
			"and there is nobody here who could give it. Do without it, or ask the user to allow it.", call.Tool))
	}
	if env.Approve != nil || env.canWait() {
		env.course.to(Waiting, nil)
	}
	if env.Approve == nil {
		return later()
	}
	request := env.approvalRequest(&e.spec, rule)
	resume := pauseAll(ctx, env.call)
	defer resume()
	for {
		request.Call = *call
		decision, err := env.Approve(ctx, request)
		switch {
		case ctx.Err() != nil:
			return stopped(ctx)
		case err != nil:
			return failed(ctx, *call, env, fmt.Errorf("asking for approval: %w", err))
		}
		if decision.Later && !decision.Approved {
			return later()
		}
		approval := ApprovalOf(rule, decision)
		if !decision.Approved {
			refused := refusal(call.Tool, decision.Reason)
			refused.Approval = approval
			return refused
		}
		if decision.Input == nil {
			return tool.Result{Approval: approval}
		}
		input, err := e.prepare(ctx, decision.Input, schema, &env)
		if err != nil {
			request.Problem = err.Error()
			continue
		}
		approval.Edited = string(input) != string(call.Input)
		call.Input = input
		return tool.Result{Approval: approval}
	}
}

// approvalRequest returns the request for the approval of a call that is made with the Env, without the call.
func (e Env) approvalRequest(spec *tool.Spec, rule string) ApprovalRequest {
	request := ApprovalRequest{Spec: spec, Rule: rule, Callers: e.call.callers(),
		Project: e.Project, Chat: e.Chat, Client: e.Client, Files: e.Files}
	if e.call != nil {
		request.Files = e.call.inner.files
	}
	return request
}

// maxReason is how much of a reason the model gets, in bytes.
const maxReason = 2000

func refusal(name, reason string) tool.Result {
	text := because("A person has refused the call of "+name, reason)
	return tool.Failure(tool.CodeRefused, text+". Do not repeat it as it was.")
}

// because adds a person's reason to a text, if there is one.
func because(text, reason string) string {
	if reason = strings.TrimSpace(plaintext.Cut(reason, maxReason)); reason != "" {
		text += ": " + strings.TrimRight(reason, ".")
	}
	return text
}

// edited tells the model that a call was made with another input.
func edited(input json.RawMessage) tool.Part {
	return tool.Part{
		Text: "[A person has approved the call with other arguments: " + plaintext.Cut(string(input), maxReason) + "]",
	}
}

// callers returns the calls that make a call with this one as the innermost, the outermost first.
func (c *running) callers() (calls []tool.Call) {
	for ; c != nil; c = c.inner.parent {
		calls = append(calls, c.call)
	}
	slices.Reverse(calls)
	return calls
}

// RememberApprovals returns an Approver that asks another one, and then approves calls of those tools for which that
// has said Always, for the same project, chat and client, until it is dropped.
func RememberApprovals(ask Approver) Approver {
	type who struct{ project, chat, client, tool string }
	var mu sync.Mutex
	always := map[who]string{}
	return func(ctx context.Context, request ApprovalRequest) (Decision, error) {
		key := who{request.Project, request.Chat, request.Client, request.Spec.Name}
		mu.Lock()
		by, ok := always[key]
		mu.Unlock()
		if ok {
			return Decision{Approved: true, By: by}, nil
		}
		decision, err := ask(ctx, request)
		if err == nil && decision.Approved && decision.Always {
			mu.Lock()
			defer mu.Unlock()
			always[key] = decision.By
		}
		return decision, err
	}
}

// pauseAll stops the clocks of a call, and of the calls that make it.
func pauseAll(ctx context.Context, c *running) (resume func()) {
	var resumes []func()
	if pause := tool.PauseOf(ctx); pause != nil {
		resumes = append(resumes, pause())
	}
	for ; c != nil; c = c.inner.parent {
		resumes = append(resumes, c.patience.pause())
	}
	return func() {
		for _, resume := range slices.Backward(resumes) {
			resume()
		}
	}
}

// patience is the time that a call has left. A nil patience never ends.
type patience struct {
	over chan struct{} // closed when it has ended

	mu     sync.Mutex
	left   time.Duration // when it was paused
	until  time.Time
	paused int
	timer  *time.Timer
}

func newPatience(d time.Duration) *patience {
	p := &patience{over: make(chan struct{}), until: time.Now().Add(d)}
	p.timer = time.AfterFunc(d, p.end)
	return p
}

func (p *patience) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused == 0 && !time.Now().Before(p.until) {
		select {
		case <-p.over:
		default:
			close(p.over)
		}
	}
}

// ended returns a channel that is closed at the end.
func (p *patience) ended() <-chan struct{} {
	if p == nil {
		return nil
	}
	return p.over
}

func (p *patience) stop() {
	if p != nil {
		p.timer.Stop()
	}
}

// pause stops the time until resume is called.
func (p *patience) pause() (resume func()) {
	if p == nil {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused++; p.paused == 1 {
		p.timer.Stop()
		p.left = max(0, time.Until(p.until))
	}
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.paused--; p.paused == 0 {
			p.until = time.Now().Add(p.left)
			p.timer.Reset(p.left)
		}
	})
}
