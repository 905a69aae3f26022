// Package runs is how a script starts and ends, and what the caller of a run gives to it.
//
// # Experimental
//
// Only runtime/javascript needs this package.
package runs

import (
	"embed"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

//go:embed prelude
var scripts embed.FS

// Feature is what the package gives to scripts.
var Feature = host.Feature{
	Name:    "runs",
	Scripts: scripts,
	Prelude: []string{"functions", "run"},
	Effects: map[string]host.Function{
		// how many bytes at most: some of standard input; none at its end, undefined if there is none
		"run.input": input,
	},
}
