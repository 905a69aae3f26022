// Package modules is require and node:module.
//
// # Experimental
//
// Only runtime/javascript needs this package.
package modules

import (
	"embed"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

//go:embed internal *.js prelude
var scripts embed.FS

// Feature is what the package gives to scripts.
var Feature = host.Feature{
	Name:    "modules",
	Scripts: scripts,
	Prelude: []string{"modules"},
}
