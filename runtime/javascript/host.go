package javascript

import (
	"fmt"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// driver has the functions that only what drives the engine can answer: they end the run or are about its code.
var driver = host.Feature{
	Name: "driver",
	Effects: map[string]host.Function{
		// stack of an error: its frames of scripts, with the lines and columns that were written; or a frame of the
		// engine and 1
		"error.stack": func(c *host.Call) { c.ReturnValue(instanceOf(c).mapStack(c)) },
		// number of the function, JSON of the arguments, their bytes: an answer
		"run.call": func(c *host.Call) { c.ReturnValue(functionCaller{instanceOf(c)}.callFunction(c)) },
		// the same, id of the call: nothing yet
		"run.callAsync": func(c *host.Call) { c.Fail(functionCaller{instanceOf(c)}.startFunction(c)) },
		"run.exit":      exit, // status, an error: does not return, except in a library, which is to throw the error
		// 0, text, JSON of the value or true if the text is that, its bytes: false if JSON is needed; or 1, text, the
		// parts of a thrownValue; or the same with 2, which does not return
		"run.finish": func(c *host.Call) { c.ReturnValue(instanceOf(c).finish(c)) },
		"run.halt":   halt, // message, an error: as run.exit
		// nothing: nothing, when a method of Stats has been read and not called
		"run.uncalled": func(c *host.Call) { c.Fail(instanceOf(c).explainUncalled()) },
	},
}

func instanceOf(c *host.Call) *instance { return c.Runner.(*instance) }

// Bounds on a JSON text from a guest, since the host decodes it into its own memory. Bytes do not count: they cross
// beside the JSON.
const (
	maxJSON   = 4 << 20  // bytes of text
	maxWeight = 64 << 20 // bytes of memory that the value takes, about
)

// Effect implements [host.Runner].
func (in *instance) Effect() error {
	if in.run.loadingFirst {
		return &sandbox.Stop{Err: errEffect}
	}
	in.SetImpure()
	return nil
}

func halt(c *host.Call) {
	in := instanceOf(c)
	message, cut, _ := c.Prefix(0, in.run.Output().Room())
	if in.leaveLibrary(c, message, "halt") {
		return
	}
	in.run.Output().Log(sandbox.LevelError, message, cut)
	c.End(ErrHalted)
}

func exit(c *host.Call) {
	in := instanceOf(c)
	status, _ := c.Int(0)
	if !in.leaveLibrary(c, fmt.Sprintf("exit %d", status), "process.exit") {
		c.End(in.run.exit(status))
	}
}

// finish records the script's end. Only the first call counts.
func (in *instance) finish(c *host.Call) (quickjs.Value, error) {
	status, _ := c.Int(0)
	if status == 2 {
		return quickjs.Undefined, in.uncaught(c)
	}
	if in.run.outcome != nil {
		return quickjs.Undefined, nil
	}
	if status != 0 {
		in.run.outcome = &outcome{err: in.thrown(c)}
		return quickjs.Undefined, nil
	}
	limit := in.run.Output().Left()
	text, cut, ok := c.Prefix(1, limit)
	if !ok {
		return 0, host.Errorf("the result must be a string")
	}
	var value any
	if c.Value(2) == quickjs.True {
		if cut > 0 {
			return quickjs.Bool(false), nil
		}
		value = in.value(in.compactJSON(text), nil, limit)
	} else if json, cut, ok := c.Prefix(2, min(limit, maxJSON)); ok && cut == 0 {
		data, _ := in.VM.ArrayBuffer(c.Value(3))
		value = in.value(json, data, limit)
	}
	if in.Ended() != nil {
		return 0, &sandbox.Stop{Err: in.Ended()}
	}
	in.run.outcome = &outcome{text: text, value: value}
	in.run.Output().Result(text, cut)
	return quickjs.Undefined, nil
}

// value decodes the result's JSON and bytes, if they are within the limits.
func (in *instance) value(text string, data []byte, limit int) any {
	if text == "" || len(text) > maxJSON || len(text)+len(data) > limit {
		return nil
	}
	value, _, err := in.decode(text, data, maxWeight+len(data))
	if err != nil {
		return nil
	}
	return value
}
