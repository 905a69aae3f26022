package tool

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// An Approval is the decision on a call, for logs.
type Approval struct {
	// Rule is the rule that asked for an approval. By names the person who decided, and Time is when.
	Rule, By string
	Time     time.Time
	// Approved says that the call was made, and Edited that it was made with another input.
	Approved, Edited bool
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

// Suspended is the result of a tool whose code waits for calls that [Env.DispatchNumbered] has put off. state is what
// [Env.Resumed] will return, and is only kept if there are such calls.
func Suspended(state []byte) Result {
	result := Failure(CodePending, "The code waits for the approval of a person.")
	result.Suspension = State(state)
	return result
}

// State is the Suspension of a result that [Suspended] has made.
type State []byte

// pauseKey is for what stops the clock of code, in the context of calls that it makes.
type pauseKey struct{}

// WithPause returns a context for calls that code makes. When such a call has to wait for a person, pause is called,
// which stops the clock by which the code's own time is limited, until the function that it returns is called.
func WithPause(ctx context.Context, pause func() (resume func())) context.Context {
	return context.WithValue(ctx, pauseKey{}, pause)
}

// PauseOf returns the pause of [WithPause], or nil.
func PauseOf(ctx context.Context) (pause func() (resume func())) {
	pause, _ = ctx.Value(pauseKey{}).(func() func())
	return pause
}
