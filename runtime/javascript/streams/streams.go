// Package streams is the streams of the web platform, and node:stream.
//
// # Experimental
//
// Only runtime/javascript needs this package.
package streams

import (
	"embed"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

//go:embed internal stream *.js
var scripts embed.FS

// Feature is what the package gives to scripts.
var Feature = host.Feature{
	Name:    "streams",
	Scripts: scripts,
	Globals: map[string]string{
		"ByteLengthQueuingStrategy":        "stream/web",
		"CountQueuingStrategy":             "stream/web",
		"ReadableByteStreamController":     "stream/web",
		"ReadableStream":                   "stream/web",
		"ReadableStreamBYOBReader":         "stream/web",
		"ReadableStreamBYOBRequest":        "stream/web",
		"ReadableStreamDefaultController":  "stream/web",
		"ReadableStreamDefaultReader":      "stream/web",
		"TextDecoderStream":                "stream/web",
		"TextEncoderStream":                "stream/web",
		"TransformStream":                  "stream/web",
		"TransformStreamDefaultController": "stream/web",
		"WritableStream":                   "stream/web",
		"WritableStreamDefaultController":  "stream/web",
		"WritableStreamDefaultWriter":      "stream/web",
	},
}
