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
		"AsyncDisposableStack": "internal/disposable",
		"BroadcastChannel":     "internal/messaging",
		"CustomEvent":          "internal/customevent",
		"DisposableStack":      "internal/disposable",
		"MessageChannel":       "internal/messaging",
		"MessageEvent":         "internal/messaging",
		"MessagePort":          "internal/messaging",
		"Navigator":            "internal/navigator",
		"SuppressedError":      "internal/disposable",
		"navigator":            "internal/navigator",
		"process":              "internal/process",
		"reportError":          "internal/reporterror",
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
