// Package webapi is the part of the web platform's globals that is plain computing, apart from any engine: URLs, text
// encodings, base64 and digests, as the standards of the WHATWG and the W3C have them.
//
// All functions are safe for concurrent use and for any input. What they return is at most a small multiple of what they
// are given; callers bound that.
package webapi
