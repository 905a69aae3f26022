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
		"stream/web": "ByteLengthQueuingStrategy CountQueuingStrategy ReadableByteStreamController " +
			"ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest ReadableStreamDefaultController " +
			"ReadableStreamDefaultReader TextDecoderStream TextEncoderStream TransformStream " +
			"TransformStreamDefaultController WritableStream WritableStreamDefaultController " +
			"WritableStreamDefaultWriter",
	},
}
