package registry

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// MaxNesting limits how deep calls made by tools can be nested.
const MaxNesting = 4

// innerInline is the longest text in bytes that a call made by a tool returns without moving it to a file. Programs can
// handle more than models.
const innerInline = 1 << 20

const (
	// lockTime is how long a call waits for the calling tool to release the lock on the project.
	lockTime = time.Second
	// innerTime is how long a call that ends waits for the calls that it made. They are stopped, and abandoned after
	// stopTime; only middleware can take longer.
	innerTime = 2 * stopTime
)

// errEnded is the cause for stopping the calls made by a call that has ended, and for refusing new ones.
var errEnded = errors.New("the call that makes this one has ended")

// inner tracks the calls that a call makes.
type inner struct {
	// lasts ends with the call.
	lasts context.Context
	// outer is the Env with which the call was made. parent is the call that made it, or nil.
	outer  Env
	parent *running
	depth  int
	// files are the files of the call.
	files afero.Fs

	mu    sync.Mutex
	made  int
	over  bool
	slots map[*entry]chan struct{}
	group sync.WaitGroup

	waits waits
}

func (in *inner) begin(lasts context.Context, outer Env, files afero.Fs) {
	in.lasts, in.outer, in.parent, in.files = lasts, outer, outer.call, files
	if in.parent != nil {
		in.depth = in.parent.inner.depth + 1
	}
}

// enter counts a new call, unless the outer call has ended, and returns its id.
func (in *inner) enter(key string) (id string, ok bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.over {
		return "", false
	}
	in.made++
	in.group.Add(1)
	return fmt.Sprintf("%s.%d", key, in.made), true
}

// enterAgain is enter for a call that has an id already.
func (in *inner) enterAgain() (ok bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if !in.over {
		in.group.Add(1)
	}
	return !in.over
}

// slot waits for one of the AtOnce places for calls of a tool. The returned function frees the place.
func (in *inner) slot(ctx context.Context, e *entry) (free func()) {
	if e == nil || e.spec.AtOnce == 0 {
		return func() {}
	}
	in.mu.Lock()
	slots := in.slots[e]
	if slots == nil {
		if in.slots == nil {
			in.slots = map[*entry]chan struct{}{}
		}
		slots = make(chan struct{}, e.spec.AtOnce)
		in.slots[e] = slots
	}
	in.mu.Unlock()
	select {
	case slots <- struct{}{}:
		return func() { <-slots }
	case <-ctx.Done(): // the registry will notice
		return func() {}
	}
}

// end prevents further calls and waits for running ones, so that their effects and records precede the end of the outer
// call.
func (in *inner) end() {
	in.mu.Lock()
	in.over = true
	made := in.made
	in.mu.Unlock()
	if made == 0 {
		return
	}
	done := make(chan struct{})
	go func() {
		in.group.Wait()
		close(done)
	}()
	timer := time.NewTimer(innerTime)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// nests returns an error if call c must not call a tool. A nil c means that the host makes the call.
func (c *running) nests(e *entry) error {
	if c == nil {
		return nil
	}
	if c.inner.depth >= MaxNesting {
		return tool.Errorf("Tool %s cannot be called here: calls are nested %d deep, and may not be nested deeper.",
			e.spec.Name, MaxNesting)
	}
	for ; c != nil; c = c.inner.parent {
		if c.entry == e { // both could wait for each other forever, for example for a place to run code
			return tool.Errorf("Tool %s cannot be called by itself.", e.spec.Name)
		}
	}
	return nil
}

// Dispatch implements [tool.Host].
func (c *running) Dispatch(ctx context.Context, call tool.Call) tool.Result {
	return c.dispatch(ctx, call, "", nil)
}

// dispatch is Dispatch for a call with an id, if it was put off, and with the number by which the code knows it, if it
// can be put off.
func (c *running) dispatch(ctx context.Context, call tool.Call, id string, number *int) tool.Result {
	refuse := func(code tool.Code, text string, err error) tool.Result {
		result := withCause(tool.Failure(code, text), err)
		result.CallID, result.Tool = call.ID, call.Tool
		return result
	}
	in := &c.inner
	call.ID, call.Parent = id, c.key
	ok := false
	if id == "" {
		call.ID, ok = in.enter(c.key)
	} else {
		ok = in.enterAgain()
	}
	if !ok {
		return refuse(tool.CodeCanceled, "Tools cannot be called any more: "+errEnded.Error()+".", errEnded)
	}
	defer in.group.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(in.lasts, func() { cancel(context.Cause(in.lasts)) })()

	if held := vfs.Holding(in.files); held != nil {
		timer := time.NewTimer(lockTime)
		defer timer.Stop()
		select {
		case <-held:
		case <-ctx.Done(): // the registry will notice
		case <-timer.C:
			return refuse(tool.CodeNested, "Tools cannot be called while the call "+
				"that does so keeps others from changing the project's files.", nil)
		}
	}
	defer in.slot(ctx, c.registry.byName[call.Tool])()
	env := in.outer
	env.call, env.resumed, env.number = c, nil, number
	env.Limits.Inline = min(max(env.Limits.inline(), innerInline), env.Limits.output())
	env.Limits.data = env.Limits.output()
	return c.registry.Dispatch(ctx, call, env)
}

// Tools implements [tool.Host].
func (c *running) Tools() []*tool.Definition {
	if c.inner.depth >= MaxNesting {
		return nil
	}
	selection := c.inner.outer.Selection
	selection.NoProject = selection.NoProject || c.inner.outer.Files == nil
	return c.registry.others("", selection, func(e *entry) bool { return c.nests(e) == nil })
}
