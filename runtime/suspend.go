package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/toolrun/toolrun/internal/wasm/linearmem"
)

// ErrOpenFiles means that the state of a guest cannot be taken because it has files open, or files in /tmp, which are
// the host's.
var ErrOpenFiles = errors.New("files are open, or in /tmp: close or remove them first")

// ErrSuspend is what a function of the host returns that has no answer for the code yet, and will have none soon. The
// language packages say what comes of it.
var ErrSuspend = errors.New("the script waits for a call whose answer comes later")

// ScriptName returns the name of a session's nth script, from 1, if the first one has a name: script-2.js for
// script.js.
func ScriptName(first string, n int) string {
	if n <= 1 {
		return first
	}
	end := path.Ext(first)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(first, end), n, end)
}

// Suspend returns the state of the run's sandbox, in which no call may be in progress. language is what its caller
// wants to have back from [State.Language]. The run can go on, or end. A guest whose driver has a state needs
// [Guest].DecodeState. The error is ErrOpenFiles if the guest has files open, or files in /tmp.
func (r *Run) Suspend(language []byte) (*State, error) {
	in := r.instance
	if in == nil {
		return nil, errors.New("runtime: the run has no sandbox")
	}
	if !in.FilesAsAtStart() {
		return nil, ErrOpenFiles
	}
	program, err := r.program.stateDigest()
	if err != nil {
		return nil, err
	}
	memory, err := in.memory.Delta(r.program.base.memory)
	if err != nil {
		return nil, fmt.Errorf("runtime: %w", err)
	}
	driver, err := json.Marshal(in.driver.State())
	if err != nil {
		return nil, fmt.Errorf("runtime: the guest's state: %w", err)
	}
	s := &State{memory: memory, frames: framesAfter(r.options.State), header: header{
		Guest: r.program.guest.Name, Program: program, Made: time.Now().Round(0),
		Size: memory.Size, Pages: memory.Pages,
		Globals: make([]uint64, len(in.globals)), Driver: driver, Language: language,
		Elapsed: in.elapsed(), Imagined: in.imagined, Work: in.Work(), Remainder: in.remainder,
		Spent: time.Since(r.started),
	}}
	s.Console, s.Truncated = r.output.End()
	s.Console = slices.Clone(s.Console)
	s.Pictures = slices.Clone(r.output.Pictures())
	if in.random != nil {
		if s.Random, err = in.random.MarshalBinary(); err != nil {
			return nil, fmt.Errorf("runtime: %w", err)
		}
	}
	for n, g := range in.globals {
		s.Globals[n] = g.Get()
	}
	return s, nil
}

// Resume gives the run a sandbox that goes on from [RunOptions].State. Its work begins at that of the state, and so
// does the guest's clock. Call it instead of [Run.Start]. The error is a [*LimitError] if the state has more memory
// than the run may have, and a [*StateError] if it is one of another program, or the driver cannot use it.
func (r *Run) Resume() (*Instance, error) {
	s := r.options.State
	if program, err := r.program.stateDigest(); err != nil || program != s.Program {
		return nil, errors.Join(err, &StateError{"it is of another program"})
	}
	limit := r.options.Limits.Memory
	if s.Size > uint64(limit) {
		return nil, &LimitError{Limit: LimitMemory, Value: limit}
	}
	in, err := r.Start(nil)
	if err != nil {
		return nil, err
	}
	if err := in.resume(s); err != nil {
		return nil, err // resetting the instance at the end of the run discards what is half done
	}
	return in, nil
}

// resume puts an instance that is in the state of the base image into another state.
func (in *Instance) resume(s *State) error {
	in.untrusted = true // code has run in the memory that it gets
	var state any
	if decode := in.program.guest.DecodeState; decode != nil {
		var err error
		if state, err = decode(s.Driver); err != nil {
			return &StateError{"it is damaged"}
		}
	}
	if missing := s.Size - in.memory.Size(); missing > 0 {
		if _, ok := in.module.Memory().Grow(uint32(missing / linearmem.PageSize)); !ok {
			return errors.New("runtime: there is no memory for a state")
		}
	}
	if err := in.memory.Apply(s.memory); err != nil {
		return fmt.Errorf("runtime: %w", err)
	}
	for n, g := range in.globals {
		g.Set(s.Globals[n])
	}
	in.fuel.Set(0) // which is one of them
	in.started = time.Now().Add(-s.Elapsed)
	in.imagined = s.Imagined
	in.used, in.remainder = s.Work, s.Remainder
	if s.Random != nil {
		in.random = &mathrand.ChaCha8{}
		if err := in.random.UnmarshalBinary(s.Random); err != nil {
			return &StateError{"it is damaged"}
		}
	}
	if err := in.driver.Resume(state); err != nil {
		return &StateError{"the guest cannot go on from it"}
	}
	return nil
}
