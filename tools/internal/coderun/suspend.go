package coderun

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/changes"
	"github.com/toolrun/toolrun/vfs"
)

// ErrLater is the error of a call whose answer comes when the code goes on.
var ErrLater = errors.New("the answer comes later")

// Saved is what a tool keeps of a call whose code waits, beside the sealed state of the code.
type Saved struct {
	Calls   []ToolCall       // that have been made
	Numbers map[int]int      // places in Calls of those without an answer, by their numbers
	Refused int              // how many more were refused
	Results int              // bytes of results so far
	Files   *changes.Changes `json:",omitempty"` // that the code has changed
	Session *vfs.StateInfo   `json:",omitempty"` // the state that the code went on with, if it is in a session
	Sealed  []byte           `json:"-"`
}

// encode encodes it for [tool.Suspended].
func (s *Saved) encode() ([]byte, error) {
	head, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	out := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(head)+len(s.Sealed)), uint32(len(head)))
	return append(append(out, head...), s.Sealed...), nil
}

// ReadSaved decodes what [registry.Env.Resumed] returns. It is nil for a call that begins.
func ReadSaved(env tool.Env) (*Saved, error) {
	data := env.Resumed()
	if data == nil {
		return nil, nil
	}
	damaged := errors.New("what was kept of the call is damaged")
	if len(data) < 4 {
		return nil, damaged
	}
	size := binary.BigEndian.Uint32(data)
	if uint64(size) > uint64(len(data)-4) {
		return nil, damaged
	}
	s := &Saved{}
	if err := json.Unmarshal(data[4:4+size], s); err != nil {
		return nil, damaged
	}
	s.Sealed = data[4+size:]
	for _, place := range s.Numbers {
		if place < 0 || place >= len(s.Calls) {
			return nil, damaged
		}
	}
	return s, nil
}

// GoOn makes the calls those of code that goes on.
func (c *ToolCalls) GoOn(s *Saved) {
	c.calls, c.numbers, c.refused, c.results = s.Calls, s.Numbers, s.Refused, s.Results
	c.orders = make([]int, len(c.calls))
}

// save returns what is kept of the calls when the code waits.
func (c *ToolCalls) save() *Saved {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &Saved{Calls: slices.Clone(c.calls), Numbers: c.numbers, Refused: c.refused, Results: c.results}
}

// Suspend makes the result of a call whose code waits for calls of tools.
func Suspend(
	ctx context.Context, code *sandbox.State, calls *ToolCalls, session *Session,
	files *changes.Changes, env tool.Env,
) (tool.Result, error) {
	key, err := env.SealingKey(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	saved := calls.save()
	saved.Files, saved.Session = files, session.saved()
	if saved.Sealed, err = code.Seal(key, 0); err != nil {
		return tool.Result{}, tool.Errorf(
			"The code has been stopped where it waits for the approval of a person, since it cannot be kept: %w", err)
	}
	state, err := saved.encode()
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Suspended(state), nil
}

// Open returns the state of the code that waited. open is that of its interpreter, and memory the limit of the run.
func (s *Saved) Open(ctx context.Context, env tool.Env, memory int64,
	open func(sealed, key []byte, memory int64) (*sandbox.State, error)) (*sandbox.State, error) {
	key, err := env.SealingKey(ctx)
	if err != nil {
		return nil, err
	}
	code, err := open(s.Sealed, key, memory)
	if err != nil {
		return nil, tool.Errorf("The code that waited cannot go on: %w",
			fmt.Errorf("%w. Its calls that were made stay made", err))
	}
	return code, nil
}
