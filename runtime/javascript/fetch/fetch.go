// Package fetch is fetch with what belongs to it (Request, Response, Headers, Blob, FormData), and node:http.
//
// # Experimental
//
// Only runtime/javascript needs this package.
package fetch

import (
	"embed"
	"strings"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

//go:embed *.js internal
var scripts embed.FS

// Module is the built-in module that has fetch, for scripts that have a network.
const Module = "internal/fetching"

// UsedIn reports whether a script seems to use fetch.
func UsedIn(script string) bool { return strings.Contains(script, "fetch") }

// Feature is what the package gives to scripts.
var Feature = host.Feature{
	Name:    "fetch",
	Scripts: scripts,
	Globals: map[string]string{
		"internal/blob":    "Blob File FormData",
		"internal/fetch":   "Request Response",
		"internal/headers": "Headers",
	},
}
