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
		"fs": "atime birthtime constants.O_ createReadStream createWriteStream ctime fs.open fs.promises mkdtemp " +
			"openSync opendir readSync realpath writeSync",
	},
	Functions: functions(),
}
