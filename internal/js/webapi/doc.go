// Package webapi implements the computing parts of the web platform, independent of any engine: URLs, text
// encodings, base64 and digests, as the standards of the WHATWG and the W3C define them.
//
// All functions are safe for concurrent use and for any input. Results are at most a small multiple of the input's
// size; callers bound the input.
package webapi
