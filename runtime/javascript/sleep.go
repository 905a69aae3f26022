package javascript

import (
	"context"
	"strconv"
	"time"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// sleep lets the script's only thread wait, at most until the run ends.
func (in *instance) sleep(_ context.Context, args arguments) (quickjs.Value, error) {
	text, _, _ := args.text(firstWeb, maxName)
	milliseconds, err := strconv.ParseFloat(text, 64)
	if err != nil || milliseconds != milliseconds {
		return 0, failf("the time must be a number")
	}
	const longest = 24 * time.Hour // no run lasts that long
	duration := longest
	if milliseconds < float64(longest/time.Millisecond) {
		duration = time.Duration(milliseconds * float64(time.Millisecond))
	}
	in.Waited(duration)
	if in.run.Replays() {
		return quickjs.Undefined, nil
	}
	ctx := in.run.Context()
	_, err = sandbox.Await(in.run.Run, func() (struct{}, error) {
		timer := time.NewTimer(duration)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		return struct{}{}, nil
	})
	return quickjs.Undefined, err
}
