// Package crypto is the global crypto and node:crypto.
//
// # Experimental
//
// Only runtime/javascript needs this package.
package crypto

import (
	"embed"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

//go:embed *.js internal prelude
var scripts embed.FS

// Feature is what the package gives to scripts.
var Feature = host.Feature{
	Name:    "crypto",
	Scripts: scripts,
	Prelude: []string{"random"},
	Globals: map[string]string{
		"internal/crypto/webcrypto": "CryptoKey SubtleCrypto",
	},
	Words: map[string]string{
		"internal/crypto/cipher":    "createCipheriv",
		"internal/crypto/hash":      "createHash createHmac",
		"internal/crypto/kdf":       "pbkdf2 scrypt",
		"internal/crypto/webcrypto": "subtle",
	},
	Functions: map[string]host.Function{
		"crypto.hashes": hashes, // nothing: {list} of names
		"crypto.begin":  begin,  // name of a hash: its state, with its sizes in front
		"crypto.update": update, // state, buffer, offset, length: nothing; the state changes
		"crypto.sum":    sum,    // state, size: bytes
		"crypto.pbkdf2": pbkdf2, // hash, password, salt, iterations, size: bytes
		"crypto.scrypt": scrypt, // password, salt, [N, r, p, maxmem] as text, size: bytes
		"crypto.cipher": cipher, // mode, 1 to decrypt, key, initialization vector: a state
		"crypto.add":    add,    // state, buffer, offset, length: nothing; the state changes
		// state, buffer, offset, length, 1 with padding: bytes; the state changes
		"crypto.convert": convert,
		"crypto.final":   final, // state, 1 with padding: bytes
		"crypto.tag":     tag,   // state: bytes

		"crypto.wrap": wrap, // 1 to decrypt, key, initial value of 8 bytes or 4, data: bytes

		"pair.generate": generate, // kind, bits of RSA's modulus: a private key
		// pkcs8, spki or the kind of a point, buffer: {kind, bits, exponent}; the key is an attachment
		"pair.read":    read,
		"pair.fromJWK": fromJWK, // JSON: as pair.read
		"pair.toJWK":   toJWK,   // private or public, key: the members
		// what to do, {name, hash, salt} as JSON, buffers: bytes (see pairOperations)
		"pair.do": do,
	},
	Effects: map[string]host.Function{
		"crypto.random": random, // how many: that many random bytes
	},
}
