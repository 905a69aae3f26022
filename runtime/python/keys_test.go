package python_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKeys derives the keys of RFC 6070 and RFC 7914, and some that native CPython gives.
func TestKeys(t *testing.T) {
	for code, want := range map[string]string{
		"scrypt(b'', salt=b'', n=16, r=1, p=1, dklen=8)":                                     "77d6576238657b20",
		"scrypt(b'password', salt=b'NaCl', n=1024, r=8, p=16, dklen=8)":                      "fdbabe1c9d347200",
		"scrypt(bytearray(b'pleaseletmein'), salt=b'SodiumChloride', n=16384, r=8, p=1)[:8]": "7023bdcb3afd7348",
		"pbkdf2_hmac('sha1', b'password', b'salt', 4096)[:8]":                                "4b007901b765489a",
		"pbkdf2_hmac('SHA256', b'password' * 40, memoryview(b'salt'), 600_000, 40)[32:]":     "e60f3f730817d2a4",
		"pbkdf2_hmac('blake2s', b'password', b'salt', 3)[:8]":                                "9f84af2eacd0690a",
	} {
		require.Equal(t, "'"+want+"'", run(t, "import hashlib\nhashlib."+code+".hex()").Text, code)
	}
	for code, want := range map[string]string{
		"scrypt(b'', salt=b'', n=3, r=1, p=1)":       "ValueError: n must be a power of 2.",
		"scrypt(b'', salt=b'', n=4, r=0, p=1)":       "ValueError: Invalid parameter combination",
		"scrypt(b'', salt=b'', n=1 << 17, r=1, p=1)": "ValueError: Invalid parameter combination",
		"scrypt(b'', salt=b'', n=1 << 20, r=8, p=1)": "ValueError: memory limit exceeded: these " +
			"parameters need maxmem=1073744896",
		"scrypt(b'', salt=b'', n=1 << 20, r=8, p=1, maxmem=2**31 - 1)": "MemoryError",
		"scrypt(b'', n=4, r=1, p=1)":                                   "TypeError: salt is required",
		"scrypt('', salt=b'', n=4, r=1, p=1)":                          "TypeError: memoryview: a bytes-like object",
		"pbkdf2_hmac('shake_128', b'', b'', 1, 8)":                     "ValueError: unsupported hash type shake_128",
		"pbkdf2_hmac('nope', b'', b'', 1)":                             "ValueError: unsupported hash type nope",
		"pbkdf2_hmac('sha256', b'', b'', 0)":                           "ValueError: iteration value",
		"pbkdf2_hmac('sha256', b'', b'', 1, 2**31 - 1)":                "MemoryError",
	} {
		_, err := tryRun(t, "import hashlib\nhashlib."+code)
		require.ErrorContains(t, err, want, code)
	}
}
