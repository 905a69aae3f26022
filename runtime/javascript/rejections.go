package javascript

import (
	"context"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// The engine tells the host of every rejected promise. Most are handled a moment later. One that is still unhandled
// when all jobs have run ends the run, as in Node, so that errors in functions that nobody awaits are not lost.

// maxRejections is how many rejected promises are kept at a time. Further ones are not reported.
const maxRejections = 1000

// rejected records a promise that is being rejected.
func (in *instance) rejected(ctx context.Context, promise quickjs.Value) {
	if in.VM == nil || in.VM.Leaf() {
		return
	}
	if len(in.rejections) >= maxRejections {
		if err := in.Spend(sandbox.HostBytes * len(in.rejections)); err != nil {
			panic(err)
		}
		kept := in.rejections[:0]
		for _, p := range in.rejections {
			if _, unhandled := in.VM.UnhandledRejection(p); unhandled {
				kept = append(kept, p)
			} else if err := in.VM.Free(ctx, p); err != nil {
				panic(&sandbox.Stop{Err: in.Reason(err)})
			}
		}
		if in.rejections = kept; len(kept) >= maxRejections {
			return
		}
	}
	if err := in.VM.Retain(ctx, promise); err != nil {
		panic(&sandbox.Stop{Err: in.Reason(err)})
	}
	in.rejections = append(in.rejections, promise)
}

// reportRejections ends the run if there is an unhandled rejection. Call it when all jobs have run.
func (in *instance) reportRejections() error {
	ctx := in.Context()
	for len(in.rejections) > 0 {
		promise := in.rejections[0]
		in.rejections = in.rejections[1:]
		if reason, unhandled := in.VM.UnhandledRejection(promise); unhandled {
			if _, err := in.Checked(in.VM.Call(ctx, in.Prelude.Rejected, reason, promise)); err != nil {
				return err
			}
		}
		if err := in.VM.Free(ctx, promise); err != nil {
			return in.Reason(err)
		}
	}
	return nil
}
