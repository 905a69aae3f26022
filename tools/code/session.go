package code

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// Options of tools that run code. Their values are told to the model.
const (
	OptionSession     = tool.OptionSession
	OptionSessionDays = "sessionDays" // after how many days without a call the variables of a session are dropped
	OptionRollback    = tool.OptionRollback
)

// defaultSessionDays is the default of [OptionSessionDays].
const defaultSessionDays = 30

// maxSessions is how many sessions a project can have.
const maxSessions = 100

// sessionOptions are the options of a tool whose code can be in sessions.
func sessionOptions() []tool.Option {
	least, most := 1.0, 3650.0
	return []tool.Option{{
		ID: OptionSession, Label: "Session",
		Subtitle: "Variables stay from call to call under this name; empty: they do not",
		Type:     tool.OptionText, Default: "",
	}, {
		ID: OptionSessionDays, Label: "Days", Subtitle: "After how many days without a call variables are dropped",
		Type: tool.OptionNumber, Default: defaultSessionDays, Min: &least, Max: &most,
	}, {
		ID: OptionRollback, Label: "Roll back", Subtitle: "Undo what a call has changed that fails",
		Type: tool.OptionBool, Default: false,
	}}
}

// A SessionOutput is what became of the session in which code ran.
type SessionOutput struct {
	Name string `json:"name"`
	// Kept means that the variables are now as the code left them. Otherwise they are as they were before.
	Kept bool `json:"kept"`
	// Notes say what the model was told of the session.
	Notes []string `json:"notes,omitempty"`
}

// A session is a call's hold on the session of the project whose variables its code goes on with. A nil session is
// none: the code begins anew, and nothing is kept. End it with end.
type session struct {
	states vfs.States
	id     vfs.StateID
	key    []byte
	before vfs.StateInfo
	state  *sandbox.State
	unlock func()
	// openFiles says that the code has left files open, with which there is no state.
	openFiles bool
	// notes are for the model.
	notes []string
}

// beginSession waits until no other call has the session that a call's options name, and opens its state. It returns
// nil if they name none, and for calls that code makes, which would wait for it. Errors are for the model.
func beginSession(ctx context.Context, toolName string, call tool.Call, env tool.Env,
	interpreter Interpreter) (*session, error) {
	name := env.Options.Text(OptionSession)
	if name == "" || call.Parent != "" {
		return nil, nil
	}
	if err := vfs.CheckSession(name); err != nil {
		return nil, tool.Errorf("Error: code cannot run: %w", err)
	}
	states, ok := vfs.StatesOf(env.Files)
	if !ok {
		return nil, tool.Errorf("Error: code cannot run in the session %s: "+
			"only a project that can be changed keeps sessions.", name)
	}
	s := &session{states: states, id: vfs.StateID{Session: name, Tool: toolName}}
	var err error
	if s.unlock, err = lockSession(ctx, states, name, env.Timeout); err != nil {
		return nil, err
	}
	if err := s.open(ctx, env, interpreter); err != nil {
		s.unlock()
		return nil, err
	}
	return s, nil
}

// lockSession waits as long as the call may take.
func lockSession(ctx context.Context, states vfs.States, name string, limit time.Duration) (unlock func(), err error) {
	waiting, cancel := ctx, context.CancelFunc(func() {})
	if limit > 0 {
		waiting, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	unlock, err = states.LockSession(waiting, name)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, tool.Errorf("Error: nothing was run: another call has been using the session for %v. "+
			"Wait for it to end, and call again.", limit)
	}
	return unlock, err
}

// open opens the state, if there is one.
func (s *session) open(ctx context.Context, env tool.Env, interpreter Interpreter) error {
	secret, err := sealKey(ctx, env)
	if err != nil {
		return err
	}
	s.key = vfs.StateKey(secret, env.Project, s.id)
	days := env.Options.Number(OptionSessionDays)
	keep := time.Duration(days * float64(24*time.Hour))
	sealed, info, err := s.states.ReadState(ctx, s.id)
	if errors.Is(err, fs.ErrNotExist) {
		return s.makeRoom(ctx, keep)
	}
	if err != nil {
		return err
	}
	s.before = info
	if time.Since(info.Time) > keep {
		s.note("Note: the session's variables were dropped, because no call had used them for %v days. "+
			"The call began without any.", days)
		return nil
	}
	s.state, err = openCached(sealed, s.key, int64(env.Options.Number(OptionMemory)*(1<<20)), interpreter)
	if unfit, ok := errors.AsType[*sandbox.StateError](err); ok {
		s.unfit(unfit)
		return nil
	}
	return err
}

// unfitAfter reports whether the error of a run is that its state cannot be used after all. Nothing has run then, and
// code can begin without variables.
func (s *session) unfitAfter(err error) bool {
	unfit, ok := errors.AsType[*sandbox.StateError](err)
	if s == nil || s.state == nil || !ok {
		return false
	}
	s.unfit(unfit)
	return true
}

func (s *session) unfit(err *sandbox.StateError) {
	s.state = nil
	s.note("Note: the variables of earlier calls could not be used: %s. The call began without any. "+
		"Declare again what you need.", err.Reason)
}

// withoutState returns the error of a run that has a result, although its state could not be taken.
func (s *session) withoutState(err error) error {
	if s != nil && errors.Is(err, sandbox.ErrOpenFiles) {
		s.openFiles = true // finish says so
		return nil
	}
	return err
}

// makeRoom drops sessions that nobody has used for so long, and refuses another one if there are too many.
func (s *session) makeRoom(ctx context.Context, keep time.Duration) error {
	all, err := s.states.ListStates(ctx)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, other := range all {
		if time.Since(other.Time) <= keep {
			known[other.Session] = true
		} else if err := s.states.RemoveState(ctx, other.StateID); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if len(known) >= maxSessions && !known[s.id.Session] {
		return tool.Errorf("Error: code cannot run in the session %s: the project has %d sessions, and can have "+
			"no more. "+
			"Tell the user to delete some with `toolrun session delete`.", s.id.Session, maxSessions)
	}
	return nil
}

func (s *session) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

// restart makes the code begin without the variables that the session has.
func (s *session) restart() {
	if s != nil {
		s.state, s.notes = nil, nil
	}
}

// goesOnFrom returns where the code goes on. It is nil if the session has no variables yet.
func (s *session) goesOnFrom() *sandbox.State {
	if s == nil {
		return nil
	}
	return s.state
}

// saved returns what is kept of the session when code waits. It is nil without one.
func (s *session) saved() *vfs.StateInfo {
	if s == nil {
		return nil
	}
	return &s.before
}

// goOn makes the session the one in which code was that goes on, unless saved is nil. Its variables are kept if no
// other call has changed the session meanwhile.
func (s *session) goOn(saved *saved) {
	if s == nil || saved == nil {
		return
	}
	s.notes = nil
	if saved.Session != nil {
		s.before = *saved.Session
	}
}

// finish keeps the state in which code has left the session, if it has ended well, and adds to its result what the
// model must know of that. state is nil if there is none although the code has not failed.
func (s *session) finish(ctx context.Context, result *tool.Result, state *sandbox.State) {
	if s == nil {
		return
	}
	kept, failed := false, ""
	switch {
	case result.IsError():
		failed = "Note: the call failed, so the session's variables are as they were before it."
	case s.openFiles:
		s.note("Note: the code left files open, so the session's variables are as they were before the call. " +
			"Close files.")
	case state == nil:
		s.note("Note: the code ended early, or with calls still under way, " +
			"so the session's variables are as they were before the call.")
	default:
		if err := s.keep(ctx, state); err != nil {
			result.Code, result.Err = tool.CodeTool, err
			result.Status = "Failed: variables not kept"
			s.note("Error: the code ran, but its variables could not be kept: "+
				"%s. The session's variables are as they were before the call.", reason(err))
		} else {
			kept = true
		}
	}
	if out, ok := result.Data.(Output); ok {
		out.Session = &SessionOutput{s.id.Session, kept, s.notes}
		result.Data = out
	}
	if failed != "" { // which people see
		s.notes = append(s.notes, failed)
	}
	for _, note := range s.notes {
		result.Content = append(result.Content, tool.Part{Text: note})
	}
}

// reason is an error for the model.
func reason(err error) string {
	if unfit, ok := errors.AsType[*sandbox.StateError](err); ok {
		return unfit.Reason
	}
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err.Error()
	}
	return err.Error()
}

func (s *session) keep(ctx context.Context, state *sandbox.State) error {
	state = state.Renewed()
	sealed, err := state.Seal(s.key, 0)
	if err != nil {
		return err
	}
	if err := s.states.WriteState(ctx, s.id, sealed, s.before); err != nil {
		return err
	}
	opened.add(sealed, s.key, state)
	return nil
}

// end lets other calls have the session.
func (s *session) end() {
	if s != nil {
		s.unlock()
	}
}

// processKey is the key of a process whose host gives none.
var processKey = sync.OnceValue(func() []byte {
	key := make([]byte, vfs.SealKeySize)
	_, _ = rand.Read(key) // which never fails
	return key
})

func sealKey(ctx context.Context, env tool.Env) ([]byte, error) {
	if env.SealKey == nil {
		return processKey(), nil
	}
	return env.SealKey(ctx)
}
