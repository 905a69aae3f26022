// Package fs is the global fs, node:fs and node:path.
//
// # Experimental
//
// Only runtime/javascript needs this package.
package fs

import (
	"embed"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

//go:embed fs *.js internal path prelude
var scripts embed.FS

// Feature is what the package gives to scripts.
var Feature = host.Feature{
	Name:    "fs",
	Scripts: scripts,
	Prelude: []string{"path", "files"},
	Words: map[string]string{
		"atime":             "fs",
		"birthtime":         "fs",
		"constants.O_":      "fs",
		"createReadStream":  "fs",
		"createWriteStream": "fs",
		"ctime":             "fs",
		"fs.open":           "fs",
		"fs.promises":       "fs",
		"mkdtemp":           "fs",
		"openSync":          "fs",
		"opendir":           "fs",
		"readSync":          "fs",
		"realpath":          "fs",
		"writeSync":         "fs",
	},
	Functions: functions(),
}
