// Package docs has the documentation as files that a program can read.
//
// # Experimental
//
// It is for toolrun docs. The names of the files change with what is in them.
package docs

import "embed"

// Files are all pages and their pictures. README.md lists them.
//
//go:embed *.md *.png *.svg
var Files embed.FS
