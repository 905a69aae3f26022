package code

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// saved is what a tool keeps of a call whose code waits, beside the sealed state of the code.
type saved struct {
	Calls   []ToolCall     // that have been made
	Numbers map[int]int    // places in Calls of those without an answer, by their numbers
	Refused int            // how many more were refused
	Results int            // bytes of results so far
	Files   *Changes       `json:",omitempty"` // that the code has changed
	Session *vfs.StateInfo `json:",omitempty"` // the state that the code went on with, if it is in a session
	Sealed  []byte         `json:"-"`
}

// encode encodes it for [tool.Suspended].
func (s *saved) encode() ([]byte, error) {
	head, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	out := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(head)+len(s.Sealed)), uint32(len(head)))
	return append(append(out, head...), s.Sealed...), nil
}

// readSaved decodes what [tool.Env.Resumed] returns. It is nil for a call that begins.
func readSaved(env tool.Env) (*saved, error) {
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
	s := &saved{}
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

// goOn makes the calls those of code that goes on.
func (c *ToolCalls) goOn(s *saved) {
	c.calls, c.numbers, c.refused, c.results = s.Calls, s.Numbers, s.Refused, s.Results
	c.orders = make([]int, len(c.calls))
}

// save returns what is kept of the calls when the code waits.
func (c *ToolCalls) save() *saved {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &saved{Calls: slices.Clone(c.calls), Numbers: c.numbers, Refused: c.refused, Results: c.results}
}

// suspend makes the result of a call whose code waits for calls of tools.
func suspend(ctx context.Context, code *sandbox.State, calls *ToolCalls, session *session, files *Changes,
	env tool.Env) (tool.Result, error) {
	key, err := env.SealingKey(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	kept := calls.save()
	kept.Files, kept.Session = files, session.saved()
	if kept.Sealed, err = code.Seal(key, 0); err != nil {
		return tool.Result{}, tool.Errorf(
			"The code has been stopped where it waits for the approval of a person, since it cannot be kept: %w", err)
	}
	state, err := kept.encode()
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Suspended(state), nil
}

// open returns the state of the code that waited. memory is the limit of the run.
func (s *saved) open(ctx context.Context, env tool.Env, memory int64, interpreter Interpreter) (*sandbox.State, error) {
	key, err := env.SealingKey(ctx)
	if err != nil {
		return nil, err
	}
	code, err := interpreter.OpenState(s.Sealed, key, memory)
	if err != nil {
		return nil, tool.Errorf("The code that waited cannot go on: %w",
			fmt.Errorf("%w. Its calls that were made stay made", err))
	}
	return code, nil
}
