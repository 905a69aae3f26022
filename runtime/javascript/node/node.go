// Package node is the modules of Node and the globals that need little of the host: events, assert, util, process...
//
// # Experimental
//
// Only runtime/javascript needs this package.
package node

import (
	"embed"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

//go:embed assert *.js internal prelude readline util
var scripts embed.FS

// Feature is what the package gives to scripts.
var Feature = host.Feature{
	Name:    "node",
	Scripts: scripts,
	Prelude: []string{"events", "abort"},
	Globals: map[string]string{
		"internal/customevent": "CustomEvent",
		"internal/disposable":  "AsyncDisposableStack DisposableStack SuppressedError",
		"internal/messaging":   "BroadcastChannel MessageChannel MessageEvent MessagePort",
		"internal/navigator":   "Navigator navigator",
		"internal/process":     "process",
		"internal/reporterror": "reportError",
	},
	Functions: map[string]host.Function{
		"caller": caller, // nothing: text, or undefined
		"memory": memory, // whether the limit is meant: the bytes of memory that the run has, or may have
	},
}

func caller(c *host.Call) {
	if text := c.Runner.Assertion(); text != "" {
		c.Return(text, nil)
	}
}

func memory(c *host.Call) {
	size := int(c.MemorySize())
	if c.Flag(0) {
		size = c.MemoryLimit()
	}
	c.Return(size, nil)
}
