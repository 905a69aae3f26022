package javascript

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/js/module"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// A session is a sandbox in which several scripts run, one after the other. Each is evaluated in global scope, so that
// what it declares stays. Between two scripts the sandbox is a [sandbox.State].

// stateData is what the host knows of a sandbox between two turns, beside what its memory has. It is encoded as JSON.
type stateData struct {
	Functions []sessionFunction // those that scripts can have, by the number with which they call the host
	Name      string            // of the first script
	Scripts   int               // how many have ended
	Origins   []sessionOrigin   // of files, and of the last maxSessionScripts scripts
	Wrapped   []string          // the files, not ES modules, that modules wrap

	Suspended *suspension // a script that has not ended; nil between two scripts of a session
}

// suspension is a run that waits for calls.
type suspension struct {
	Session     bool
	Mark, Entry string // see run
	Expression  int    // how many lines the script has if it is an expression
	Returned    bool
	Text        string // what it has returned
	Value       json.RawMessage
	Calls       []savedCall
}

// savedCall is a call without an answer.
type savedCall struct {
	ID, Number int // of the call and of the function
	Args       string
	Data       []byte // the bytes in the arguments
}

// sessionFunction is a function that the host has given to a script. Another run may have none of that name.
type sessionFunction struct {
	Name  string
	Async bool
}

// sessionOrigin is the origin of a file that has run.
type sessionOrigin struct {
	File, Code string
	Prefix     int
	Source     *module.Map
	Module     bool
	Inserted   insertion
}

const (
	// maxSessionOrigins is how many bytes the origins of a session's files may take. Positions in further files are the
	// engine's.
	maxSessionOrigins = 1 << 20
	// maxSessionScripts is how many scripts have an origin. It makes a difference only for those that were changed
	// before they ran.
	maxSessionScripts = 32
)

// resumed returns the instance of a sandbox that goes on from the state of a session.
func (r *run) resumed() (*instance, error) {
	in, data, err := r.restore()
	if err != nil {
		return nil, err
	}
	if data.Suspended != nil {
		return nil, &sandbox.StateError{
			Reason: "a script waits there for calls: it can be resumed, but no other can run",
		}
	}
	in.reseed()
	r.scripts = data.Scripts
	r.options.Name = sandbox.ScriptName(r.firstName, r.scripts+1)
	if err := r.encodeSetup(); err != nil { // with the functions that are new
		return nil, err
	}
	return in, in.install()
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
	if err := json.Unmarshal(r.options.State.Language(), data); err != nil {
		return nil, nil, &sandbox.StateError{Reason: "it is damaged"}
	}
	r.functions, r.firstName, r.scripts = data.Functions, data.Name, data.Scripts
	if r.functions == nil {
		r.functions = []sessionFunction{}
	}
	r.restored = len(r.functions)
	for _, o := range data.Origins {
		r.note(o.File, o.Code, origin{prefix: o.Prefix, source: o.Source, module: o.Module, inserted: o.Inserted})
	}
	for _, file := range data.Wrapped {
		if r.modules.Wrapped == nil {
			r.modules.Wrapped = map[string]bool{}
		}
		r.modules.Wrapped[file] = true
	}
	return in, data, nil
}

// state returns the state of the run's sandbox, between two turns.
func (r *run) state() (*sandbox.State, error) {
	functions := r.functions
	if functions == nil {
		for _, f := range r.options.Functions {
			functions = append(functions, sessionFunction{f.Name, f.Async})
		}
	}
	data := stateData{
		Functions: functions, Name: r.firstName, Scripts: r.scripts,
		Wrapped: slices.Sorted(maps.Keys(r.modules.Wrapped)),
	}
	if len(r.calls.Suspended()) == 0 {
		data.Scripts++
	} else {
		var err error
		if data.Suspended, err = r.suspension(); err != nil {
			return nil, err
		}
	}
	delete(r.origins, sandbox.ScriptName(r.firstName, data.Scripts-maxSessionScripts))
	left := maxSessionOrigins
	for _, file := range slices.Sorted(maps.Keys(r.origins)) {
		o := r.origins[file]
		s := sessionOrigin{File: file, Prefix: o.prefix, Module: o.module, Inserted: o.inserted}
		if size := o.size(); size <= left && o.code != nil {
			left -= size
			s.Code, s.Source = o.code.text, o.source
		}
		data.Origins = append(data.Origins, s)
	}
	text, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	return r.Suspend(text)
}

// number returns the number by which scripts call the nth of the run's functions, and whether no script has it yet.
func (r *run) number(n int) (number int, isNew bool) {
	if r.functions == nil { // the numbers are those of the options
		return n, true
	}
	f := sessionFunction{r.options.Functions[n].Name, r.options.Functions[n].Async}
	if number := slices.Index(r.functions[:r.restored], f); number >= 0 {
		return number, false
	}
	r.functions = append(r.functions, f)
	return len(r.functions) - 1, true
}

// function returns the function with a number, or a failure.
func (r *run) function(number int) (Function, error) {
	known := len(r.functions)
	if r.functions == nil {
		known = len(r.options.Functions)
	}
	if number < 0 || number >= known {
		return Function{}, host.Errorf("there is no such function")
	}
	if r.functions == nil {
		return r.options.Functions[number], nil
	}
	f := r.functions[number]
	i := slices.IndexFunc(r.options.Functions, func(g Function) bool { return g.is(f) })
	if i < 0 && strings.HasPrefix(f.Name, hiddenName) {
		return Function{}, host.Errorf("%s any more", noNetwork)
	}
	if i < 0 {
		return Function{}, host.Errorf("%s is not there any more", f.Name)
	}
	return r.options.Functions[i], nil
}

func (f Function) is(s sessionFunction) bool { return f.Name == s.Name && f.Async == s.Async }

// OpenState decodes a state, as [sandbox.Program.OpenState] does.
func (i *Interpreter) OpenState(sealed, key []byte, memory int64) (*sandbox.State, error) {
	return i.program.OpenState(sealed, key, memory)
}
