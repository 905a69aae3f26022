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
	Functions: map[string]host.Function{
		"attachment":    attachment,   // nothing: the bytes that belong to the value that was handed over last
		"promise.hook":  hook,         // a function: from now on, it is the hook of quickjs.VM.SetReactionHook
		"promise.state": promiseState, // value: 0 for a promise that is pending, 1 fulfilled, 2 rejected; -1 for others
		"regexp.match":  lastMatch,    // part: the part of the last match
		"value.class":   class,        // value: the number of its class, 0 if it is no object
		"value.inside":  inside,       // value, part: what it has inside
		"value.plain":   plain,        // value: whether it is an array or an object that has nothing but properties
	},
}
