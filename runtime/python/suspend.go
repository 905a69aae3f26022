package python

import (
	"context"

	"github.com/toolrun/toolrun/guest/python"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// suspension is a run that waits for calls.
type suspension struct {
	Session bool
	Calls   []savedCall
}

// savedCall is a call without an answer.
type savedCall struct {
	Number  int
	Payload []byte // see [python.ParseCall]
}

// suspension describes what the run waits for.
func (r *run) suspension() *suspension {
	s := &suspension{Session: r.options.Session}
	for _, c := range r.calls.Suspended() {
		s.Calls = append(s.Calls, savedCall{c.Number, c.Call.payload})
	}
	return s
}

// Resume goes on with code that waited for calls: the State of a result with [ErrSuspend]. These calls are made again,
// with the same arguments, of the functions of the same names in options. Then it is as if the code had never waited:
// its console begins with what it had printed, and its limits count what it had used. Of the options, Name, Args,
// Libraries, Expression, Session and State have no effect.
//
// A state can be resumed any number of times. The error is a [*sandbox.StateError] if it cannot, and otherwise as for
// Run.
func (i *Interpreter) Resume(ctx context.Context, state *sandbox.State, options *RunOptions) (*Result, error) {
	o, err := options.withDefaults(i.program)
	if err != nil {
		return &Result{}, err
	}
	o.State = state
	begun, err := i.program.Begin(ctx, o.runOptions())
	if err != nil {
		return &Result{}, err
	}
	defer begun.End()
	r := newRun(begun, o)
	if err := r.Interrupted(); err != nil {
		return &Result{}, err
	}
	return r.end(r.goOn())
}

// goOn goes on with code that waits for calls, and makes these.
func (r *run) goOn() (*instance, error) {
	in, data, err := r.restore()
	if err != nil {
		return nil, err
	}
	s := data.Suspended
	if s == nil {
		return nil, &sandbox.StateError{Reason: "no code waits there: it is the state of a session between two runs"}
	}
	r.options.Session, r.options.Name = s.Session, r.firstName
	if s.Session {
		r.options.Name = sandbox.ScriptName(r.firstName, r.scripts+1)
	}
	for _, c := range s.Calls {
		call, err := python.ParseCall(c.Payload)
		if err != nil || call.Function < 0 || call.Function >= len(r.functions) ||
			c.Number < 1 || c.Number > data.Started || r.calls.Has(c.Number) ||
			len(c.Payload) > r.calls.Room() {
			return nil, errDamaged
		}
		in.startAs(c.Number, true, c.Payload)
	}
	return r.step(python.StepResume, func() (*sandbox.Instance, error) { return in.Instance, nil })
}
