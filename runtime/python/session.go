package python

import (
	"encoding/json"
	"slices"

	"github.com/toolrun/toolrun/guest/python"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// A session is a sandbox in which code runs several times, in the same module __main__. Between two runs the sandbox is
// a [sandbox.State].

// stateData is what the host knows of a sandbox in which nothing is in progress, beside what its memory has. It is
// encoded as JSON.
type stateData struct {
	Functions []string // the names of those that code can have, by the number with which it calls the host
	Name      string   // of the first code
	Scripts   int      // how much code has ended
	Started   int      // how many calls have been started

	Suspended *suspension // code that has not ended; nil between two runs of a session
}

// next runs code in the sandbox of a session.
func (r *run) next() (*instance, error) {
	in, data, err := r.restore()
	if err != nil {
		return nil, err
	}
	if data.Suspended != nil {
		return nil, &sandbox.StateError{Reason: "code waits there for calls: it can be resumed, but no other can run"}
	}
	for _, f := range r.options.Functions {
		if !slices.Contains(r.functions, f.Name) {
			r.functions = append(r.functions, f.Name)
		}
	}
	r.options.Name = sandbox.ScriptName(r.firstName, r.scripts+1)
	return r.step(python.StepNext, func() (*sandbox.Instance, error) { return in.Instance, nil })
}

// restore gives the run the sandbox of its state.
func (r *run) restore() (*instance, *stateData, error) {
	started, err := r.Resume()
	if err != nil {
		return nil, nil, err
	}
	in := started.Driver().(*instance)
	in.begin(r)
	data := &stateData{}
	if json.Unmarshal(r.options.State.Language(), data) != nil || !isFileName(data.Name) ||
		data.Scripts < 0 || data.Started < 0 {
		return nil, nil, errDamaged
	}
	r.functions, r.firstName, r.scripts, r.calls.started = data.Functions, data.Name, data.Scripts, data.Started
	return in, data, nil
}

var errDamaged = &sandbox.StateError{Reason: "it is damaged"}

// state returns the state of the run's sandbox.
func (in *instance) state() (*sandbox.State, error) {
	r := in.run
	data := stateData{Functions: r.functions, Name: r.firstName, Scripts: r.scripts, Started: r.calls.started}
	if r.calls.left {
		data.Suspended = r.suspension()
	} else {
		data.Scripts++
	}
	text, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	in.vm.ClearStack()
	return r.Suspend(text)
}

// OpenState decodes a state, as [sandbox.Program.OpenState] does.
func (i *Interpreter) OpenState(sealed, key []byte, memory int64) (*sandbox.State, error) {
	return i.program.OpenState(sealed, key, memory)
}
