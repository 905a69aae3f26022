// Package media decides which images can be sent to language models.
package media

import (
	"bytes"
	"encoding/binary"
	"image"
	_ "image/gif"  // to be known to package image
	_ "image/jpeg" // to be known to package image
	_ "image/png"  // to be known to package image
)

// Limits on images that all providers accept.
const (
	// maxBytes is the largest size of an image in bytes: 5 MB in base64.
	maxBytes = 5_000_000 / 4 * 3
	// maxPixels is the largest width and height of an image.
	maxPixels = 8000
)

// IsCarried reports whether all providers accept content as an image: PNG, JPEG, GIF or WebP, with at most maxBytes
// bytes and maxPixels pixels in each direction. The MIME type is in lower case and without parameters.
//
// A provider that cannot read an image refuses the whole request, and every later request of the conversation. So
// IsCarried parses the image's header instead of trusting its first bytes. It does not read the rest.
func IsCarried(content []byte, mime string) bool {
	_, ok := Size(content, mime)
	return ok
}

// Size returns the pixels of an image that [IsCarried]: none if it is a WebP, of which they are not read.
func Size(content []byte, mime string) (size image.Point, isCarried bool) {
	if len(content) > maxBytes {
		return size, false
	}
	switch mime {
	case "image/png", "image/jpeg", "image/gif":
		config, format, err := image.DecodeConfig(bytes.NewReader(content))
		size = image.Pt(config.Width, config.Height)
		return size, err == nil && "image/"+format == mime && goodPixels(size.X) && goodPixels(size.Y)
	case "image/webp":
		return size, isWebP(content)
	}
	return size, false
}

func goodPixels(n int) bool { return n > 0 && n <= maxPixels }

// isWebP reports whether content is a WebP file that is as long as it says.
func isWebP(content []byte) bool {
	const header = 20 // "RIFF", the length of what follows, "WEBP", and the head of the first chunk
	if len(content) <= header || string(content[:4]) != "RIFF" || string(content[8:12]) != "WEBP" {
		return false
	}
	switch string(content[12:16]) {
	case "VP8 ", "VP8L", "VP8X":
	default:
		return false
	}
	return int64(binary.LittleEndian.Uint32(content[4:8]))+8 <= int64(len(content))
}
