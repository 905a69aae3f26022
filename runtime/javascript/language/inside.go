package language

import (
	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// inside returns what a promise or a proxy has inside: its value or reason; or, with a number, its target (0) or
// handler (1).
func inside(c *host.Call) {
	vm := c.VM
	_, v := vm.PromiseState(c.Value(0))
	if target, handler, ok := vm.ProxyParts(c.Value(0)); ok {
		v = target
		if c.Flag(1) {
			v = handler
		}
	}
	c.ReturnValue(v, vm.Retain(c.Context(), v))
}

// lastMatch returns a part of the last match of a regular expression: 0 stands for its number, which is 0 if there is
// none; 1 for its string; n > 1 for where that begins (even n) and ends (odd n) as a group, from 2 on, or -1; and -1
// for how many groups it has.
func lastMatch(c *host.Call) {
	match, ok := c.VM.LastMatch()
	part, _ := c.Int(0)
	n := -1
	switch {
	case part == 0 && ok:
		n = int(match.Number)
	case part == 0:
		n = 0
	case part < 0:
		n = match.Groups
	case part == 1 && ok:
		c.ReturnValue(match.Input, c.VM.Retain(c.Context(), match.Input))
		return
	default:
		if start, end, ok := match.Group(part/2 - 1); ok && part%2 == 0 {
			n = start
		} else if ok {
			n = end
		}
	}
	c.ReturnValue(quickjs.Int(int32(n)), nil)
}

func attachment(c *host.Call) {
	data := c.Attachment
	c.Attachment = nil
	c.ReturnValue(c.VM.NewArrayBuffer(c.Context(), data))
}

func class(c *host.Call) { c.ReturnValue(quickjs.Int(int32(c.VM.Class(c.Value(0)))), nil) }

func plain(c *host.Call) { c.ReturnValue(quickjs.Bool(c.VM.IsPlain(c.Value(0))), nil) }

func promiseState(c *host.Call) {
	state, _ := c.VM.PromiseState(c.Value(0))
	c.ReturnValue(quickjs.Int(int32(state)), nil)
}

func hook(c *host.Call) {
	if !c.VM.SetReactionHook(c.Value(0)) {
		c.Fail(host.Errorf("the hook must be a function"))
	}
}
