package javascript

import (
	"context"
	"encoding/json"
	"fmt"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
)

// suspension describes what the run waits for.
func (r *run) suspension() (*suspension, error) {
	s := &suspension{Session: r.options.Session, Mark: r.mark, Entry: r.modules.Entry}
	if r.expression != nil {
		s.Expression = r.expression.lines
	}
	if r.returned() {
		s.Returned, s.Text = true, r.outcome.text
		var err error
		if s.Value, err = json.Marshal(r.outcome.value); err != nil {
			return nil, err
		}
	}
	for _, c := range r.calls.Suspended() {
		args, err := r.encode(c.Call.args)
		if err != nil {
			return nil, fmt.Errorf("javascript: the arguments of %s: %w", c.Call.function.Name, err)
		}
		s.Calls = append(s.Calls, savedCall{c.Number, c.Call.number, args.text, args.data})
	}
	return s, nil
}

// Resume goes on with a script that waited for calls: the State of a result with [ErrSuspend]. These calls are made
// again, with the same arguments, of the functions of the same names in options. Then it is as if the script had never
// waited: its console begins with what it had printed, and its limits count what it had used. Of the options,
// Libraries, Language, Expression, Session and State have no effect.
//
// A state can be resumed any number of times. The error is a [*sandbox.StateError] if it cannot, and otherwise as for
// Run.
func (i *Interpreter) Resume(ctx context.Context, state *sandbox.State, options *RunOptions) (*Result, error) {
	o, err := options.withDefaults()
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
	r.effects = &i.effects
	if err := r.Interrupted(); err != nil {
		return &Result{}, err
	}
	in, err := r.goOn()
	if err == nil {
		in.Untrusted()
		err = in.loop()
	}
	return r.end(err)
}

// goOn gives the run the sandbox of a script that waits for calls, and makes these.
func (r *run) goOn() (*instance, error) {
	in, data, err := r.restore()
	if err != nil {
		return nil, err
	}
	s := data.Suspended
	if s == nil {
		return nil, &sandbox.StateError{
			Reason: "no script waits there: it is the state of a session between two of them",
		}
	}
	r.mark, r.modules.Entry, r.options.Session = s.Mark, s.Entry, s.Session
	r.options.Name = r.firstName
	if s.Session {
		r.options.Name = sandbox.ScriptName(r.firstName, r.scripts+1)
	}
	if s.Expression > 0 {
		r.expression = &expression{lines: s.Expression}
	}
	if s.Returned {
		r.outcome = &outcome{text: s.Text}
		if err := json.Unmarshal(s.Value, &r.outcome.value); err != nil {
			return nil, &sandbox.StateError{Reason: "it is damaged"}
		}
		r.Output().Result(s.Text, 0)
	}
	if len(s.Calls) > script.MaxPending {
		return nil, &sandbox.StateError{Reason: "it is damaged"}
	}
	for _, c := range s.Calls {
		f, err := r.function(c.Number)
		if err != nil { // the script hears of it
			gone := err
			f = Function{Name: "a function", Async: true, Call: func(context.Context, []any) (any, error) {
				return nil, &FunctionError{Name: "TypeError", Message: gone.Error()}
			}}
		}
		value, size, err := in.decode(c.Args, c.Data, maxWeight+len(c.Data))
		list, ok := value.([]any)
		if err != nil || !ok || r.calls.Has(c.ID) {
			return nil, &sandbox.StateError{Reason: "it is damaged"}
		}
		r.startCall(r.newInvocation(f, list, c.Number, size), c.ID)
	}
	return in, nil
}
