// Package language is what all other JavaScript of the host builds on, and what it mends in the engine.
//
// # Experimental
//
// Only runtime/javascript needs this package.
package language

import (
	"embed"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

//go:embed prelude
var scripts embed.FS

// Feature is what the package gives to scripts.
var Feature = host.Feature{
	Name:    "language",
	Scripts: scripts,
	Prelude: []string{"kernel", "lastmatch", "iterators", "classes", "exceptions", "clone"},
}
