// Package url is URL, URLSearchParams and URLPattern, node:url, node:querystring and node:punycode.
//
// # Experimental
//
// Only runtime/javascript needs this package.
package url

import (
	"embed"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

//go:embed internal prelude *.js
var scripts embed.FS

// Feature is what the package gives to scripts.
var Feature = host.Feature{
	Name:    "url",
	Scripts: scripts,
	Prelude: []string{"searchparams", "url"},
	Globals: map[string]string{
		"internal/urlpattern": "URLPattern",
	},
	Functions: map[string]host.Function{
		"url.parse":    parse,       // text, base or undefined: the URL's parts
		"url.set":      set,         // text, part, value: the URL's parts
		"query.parse":  parseQuery,  // text: {list}, names and values by turns
		"query.format": formatQuery, // names and values in one text, their lengths: text
	},
}
