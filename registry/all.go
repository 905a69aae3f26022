package registry

import (
	"context"
	"sync"

	"github.com/toolrun/toolrun/tool"
)

// maxAtOnce limits the concurrent calls of one turn.
const maxAtOnce = 8

// DispatchAll runs the calls that a model makes in one turn, and returns their results in the same order. Calls of
// tools annotated as read-only run concurrently, up to eight at a time. Every other call runs alone, after the
// calls before it.
func (r *Registry) DispatchAll(ctx context.Context, calls []tool.Call, env Env) []tool.Result {
	results := make([]tool.Result, len(calls))
	var group sync.WaitGroup
	slots := make(chan struct{}, maxAtOnce)
	for i, call := range calls {
		// This result remains only if something outside of the tool, such as middleware, ends the goroutine.
		results[i] = exited()
		results[i].CallID, results[i].Tool, results[i].Item = call.ID, call.Tool, call.Item
		e := r.byName[call.Tool]
		if e == nil || !e.spec.Annotations.ReadOnly {
			group.Wait()
			results[i] = r.Dispatch(ctx, call, env)
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			results[i] = r.Dispatch(ctx, call, env)
		})
	}
	group.Wait()
	return results
}

// exited is the result of a call after [runtime.Goexit].
func exited() tool.Result {
	return tool.Failure(tool.CodeFailed, "Tool execution failed: the call has ended its goroutine")
}
