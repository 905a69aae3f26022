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
	Functions: map[string]host.Function{
		"module.builtin": builtin, // name of a module of Node: a function, or undefined if there is none
		// path: a function, the text of a JSON file, or the promise of an ES module
		"module.load": load,
		// path of an ES module that require has loaded, true for __esModule too: its namespace object
		"module.namespace": namespace,
		// specifier, path of the file that has it, 1 for an import: a path, or the name of a built-in module
		"module.resolve": resolve,
	},
}
