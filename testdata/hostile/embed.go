// Package hostile has scripts that do what a sandbox must stop. Package internal/selftest says how they are written, and runs them.
// They are a package so that the command can take them with it.
package hostile

import "embed"

// Scripts are the files *.js of this folder.
//
//go:embed *.js
var Scripts embed.FS
