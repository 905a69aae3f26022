// Package encoding is text and bytes: TextEncoder, TextDecoder, atob and btoa, and Node's Buffer.
//
// # Experimental
//
// Only runtime/javascript needs this package.
package encoding

import (
	"embed"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

//go:embed *.js internal prelude
var scripts embed.FS

// Feature is what the package gives to scripts.
var Feature = host.Feature{
	Name:    "encoding",
	Scripts: scripts,
	Prelude: []string{"base64", "encoding"},
	Globals: map[string]string{
		"buffer": "Buffer",
	},
	Words: map[string]string{
		"buffer": "readFile",
	},
	Functions: map[string]host.Function{
		"encode":     encode,     // text: its bytes in UTF-8
		"encodeInto": encodeInto, // text, buffer, offset, length: {read, written}
		"encoding":   name,       // label: the encoding's name
		// label, flags, buffer, offset, length: the text; with decodeMore, the bytes to put before the next ones are an
		// attachment
		"decode": decode,
		"atob":   decodeBase64, // text: text
		"btoa":   encodeBase64, // text: text

		"buffer.bytes":    bufferBytes,    // encoding, text: bytes
		"buffer.text":     bufferText,     // encoding, buffer, offset, length: text
		"buffer.size":     bufferSize,     // text: its length in UTF-8
		"buffer.compare":  bufferCompare,  // buffer, offset, length, and the same of another: -1, 0 or 1
		"buffer.find":     bufferFind,     // buffer, offset, length, and the same of another: where it begins
		"buffer.findLast": bufferFindLast, // the same: where it begins last
	},
}
