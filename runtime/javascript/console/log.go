package console

import (
	"github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// log prints an entry.
func log(c *host.Call) {
	out := c.Run().Output()
	n, _ := c.Int(0)
	level := runtime.Level(n)
	if n < int(runtime.LevelLog) || n > int(runtime.LevelDebug) {
		c.Fail(host.Errorf("invalid console level"))
		return
	}
	text, cut, ok := c.Prefix(1, out.Room())
	switch {
	case !ok:
		c.Fail(host.Errorf("the text of a console entry must be a string"))
	case c.Flag(2):
		c.Fail(c.Print(level, []byte(text)))
		out.Cut(cut)
	default:
		out.Log(level, text, cut)
	}
}
