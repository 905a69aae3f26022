// Package console is the global console and node:console, and how values are shown.
//
// # Experimental
//
// Only runtime/javascript needs this package.
package console

import (
	"embed"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

//go:embed *.js internal prelude
var scripts embed.FS

// Feature is what the package gives to scripts.
var Feature = host.Feature{
	Name:    "console",
	Scripts: scripts,
	Prelude: []string{"format", "console", "table"},
	Effects: map[string]host.Function{
		"console.log": log, // level, text; and 1 if it is a piece of a line
	},
}
