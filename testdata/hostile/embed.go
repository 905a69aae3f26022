// Package hostile contains scripts that do what a sandbox must stop. Package internal/selftest describes their
// format and runs them. They are a Go package so that the command can embed them.
package hostile

import "embed"

// Scripts are the files *.js of this folder.
//
//go:embed *.js
var Scripts embed.FS

// Shell are the files shell/*.sh.
//
//go:embed shell/*.sh
var Shell embed.FS

// Python are the files python/*.py.
//
//go:embed python/*.py
var Python embed.FS
