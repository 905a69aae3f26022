// Package zlib is node:zlib, CompressionStream and DecompressionStream.
//
// # Experimental
//
// Only runtime/javascript needs this package.
package zlib

import (
	"embed"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

//go:embed internal *.js
var scripts embed.FS

// Feature is what the package gives to scripts.
var Feature = host.Feature{
	Name:    "zlib",
	Scripts: scripts,
	Globals: map[string]string{
		"internal/compression": "CompressionStream DecompressionStream",
	},
	Functions: map[string]host.Function{
		// format, buffer, offset, length, level, dictionary or undefined: bytes
		"zlib.deflate": deflate,
		// format, buffer, offset, length, limit, dictionary or undefined: bytes
		"zlib.inflate": inflate,
		"zlib.crc32":   crc32, // buffer, offset, length, sum: sum, as signed numbers
		"zlib.begin":   begin, // format, or undefined to compress: the state of a stream
		// state, buffer, offset, length, `format level flush`, dictionary or undefined: bytes; the state changes
		"zlib.deflatePart": deflatePart,
		// state, buffer, offset, length, when to pause (negative at the end), dictionary or undefined: bytes; the state
		// changes
		"zlib.inflatePart": inflatePart,
		// buffer, offset, length, numbers as text (quality, window, 1 to leave it open, flushes): bytes
		"zlib.brotli": brotli,
		// buffer, offset, length, limit, 1 to take a part, 4 bytes for how many were used: bytes
		"zlib.unbrotli": unbrotli,
	},
}
