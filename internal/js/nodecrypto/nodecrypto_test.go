package nodecrypto_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/nodecrypto"
)

func free(int) error { return nil }

// TestHashes checks known answers, for data that comes in parts.
func TestHashes(t *testing.T) {
	for name, want := range map[string]string{
		"SHA-384":     "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
		"md5":         "900150983cd24fb0d6963f7d28e17f72",
		"RSA-SHA1":    "a9993e364706816aba3e25717850c26c9cd0d89d",
		"SHA-256":     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"sha512/256":  "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23",
		"sha3-256":    "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
		"rmd160":      "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc",
		"shake128":    "5881092dd818bf5cf8a3ddb793fbcba7",
		"sha-512/224": "4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa",
	} {
		h := nodecrypto.HashNamed(name)
		require.NotNil(t, h, name)
		state := h.Begin()
		for _, part := range []string{"a", "", "bc"} {
			require.NoError(t, nodecrypto.Update(state, []byte(part), free))
		}
		sum, err := nodecrypto.Sum(state, h.Size, free)
		require.NoError(t, err)
		require.Equal(t, want, hex.EncodeToString(sum), name)
	}
	require.Nil(t, nodecrypto.HashNamed("sha2-1"))
	require.Len(t, nodecrypto.HashNames(), 15)
}

// TestRIPEMD160 hashes texts of all lengths around a block, whose answers its authors give, in two parts.
func TestRIPEMD160(t *testing.T) {
	for text, want := range map[string]string{
		"": "9c1185a5c5e9fc54612808977ee8f548b2258d31",
		"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq": "12a053384a9c0c88e405a06c27dcf49ada62eb2b",
		strings.Repeat("1234567890", 8):                            "9b752e45573d4b39f4dbd3323cab82bf63326bfb",
	} {
		for _, cut := range []int{len(text) / 3, len(text)} {
			state := nodecrypto.HashNamed("ripemd160").Begin()
			require.NoError(t, nodecrypto.Update(state, []byte(text[:cut]), free))
			require.NoError(t, nodecrypto.Update(state, []byte(text[cut:]), free))
			sum, err := nodecrypto.Sum(state, 0, free)
			require.NoError(t, err)
			require.Equal(t, want, hex.EncodeToString(sum))
		}
	}
}

// TestForgedStates uses states that someone has changed: they may give anything, but do not panic.
func TestForgedStates(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	forge := func(state []byte) []byte {
		forged := bytes.Clone(state)
		for range 1 + random.IntN(4) {
			forged[random.IntN(len(forged))] = byte(random.Uint32())
		}
		return forged[:len(forged)-random.IntN(2)*random.IntN(len(forged))]
	}
	data := make([]byte, 300)
	for _, name := range nodecrypto.HashNames() {
		h := nodecrypto.HashNamed(name)
		for range 300 {
			state := forge(h.Begin())
			if err := nodecrypto.Update(state, data, free); err != nil {
				require.ErrorIs(t, err, nodecrypto.ErrState)
			}
			_, _ = nodecrypto.Sum(state, 10, free)
		}
	}
	for mode, iv := range map[nodecrypto.Mode]int{
		nodecrypto.CBC: 16, nodecrypto.CTR: 16, nodecrypto.GCM: 16, nodecrypto.ECB: 0, nodecrypto.TripleCBC: 8,
		nodecrypto.TripleECB: 0,
	} {
		for range 1000 {
			c, err := nodecrypto.NewCipher(mode, random.IntN(2) == 0, make([]byte, 24), make([]byte, iv), free)
			require.NoError(t, err)
			c = forge(c)
			_ = c.Additional(data, free)
			_, _ = c.Update(data, true, free)
			_, _ = c.Final(random.IntN(2) == 0)
			_, _ = c.Tag()
		}
	}
}

// TestGCM compares parts of all sizes with Go's GCM, which takes all at once, also where the counter overflows.
func TestGCM(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	fill := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return b
	}
	for i := range 300 {
		key, iv, aad, data := fill(16+8*(i%3)), fill(1+random.IntN(40)), fill(random.IntN(50)), fill(random.IntN(200))
		if i%2 == 0 {
			iv = fill(12)
		}
		block, err := aes.NewCipher(key)
		require.NoError(t, err)
		gcm, err := cipher.NewGCMWithNonceSize(block, len(iv))
		require.NoError(t, err)
		want := gcm.Seal(nil, iv, data, aad)
		for _, decrypt := range []bool{false, true} {
			c, err := nodecrypto.NewCipher(nodecrypto.GCM, decrypt, key, iv, free)
			require.NoError(t, err)
			cut := random.IntN(len(aad) + 1)
			require.NoError(t, c.Additional(aad[:cut], free))
			require.NoError(t, c.Additional(aad[cut:], free))
			from, to := data, want[:len(data)]
			if decrypt {
				from, to = to, from
			}
			var out []byte
			for len(from) > 0 {
				n := 1 + random.IntN(len(from))
				part, err := c.Update(from[:n], true, free)
				require.NoError(t, err)
				out, from = append(out, part...), from[n:]
			}
			tag, err := c.Tag()
			require.NoError(t, err)
			require.True(t, bytes.Equal(to, out))
			require.Equal(t, want[len(data):], tag)
		}
	}
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	require.NoError(t, err)
	return b
}

// TestBlocks compares with what OpenSSL makes of the bytes 0, 1, 2, and so on, and goes back.
func TestBlocks(t *testing.T) {
	for _, test := range []struct {
		mode      nodecrypto.Mode
		size      int // of the data
		padded    bool
		encrypted string
	}{
		{nodecrypto.ECB, 17, true, "0060bffe46834bb8da5cf9a61ff220aeff3c793327cd274e63c9dcbdc8e67f2c"},
		{nodecrypto.ECB, 16, false, "0060bffe46834bb8da5cf9a61ff220ae"},
		{nodecrypto.TripleECB, 8, true, "58ed248f77f6b19ea3cf6ec88bd97d73"},
		{nodecrypto.TripleCBC, 21, true, "894bc3085426a441f27f73ae26abbf74ed66188099d93e20"},
		{nodecrypto.TripleCBC, 16, false, "894bc3085426a441f27f73ae26abbf74"},
		{nodecrypto.CBC, 20, true, "916251821c73a522c396d62738019607c9a72ca65515f54d37187e2fa1d4b1e1"},
	} {
		count := func(n int) []byte {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(i)
			}
			return b
		}
		iv := count(map[nodecrypto.Mode]int{nodecrypto.CBC: 16, nodecrypto.TripleCBC: 8}[test.mode])
		do := func(data []byte, decrypt bool) []byte {
			c, err := nodecrypto.NewCipher(test.mode, decrypt, count(24), iv, free)
			require.NoError(t, err)
			var out []byte
			for len(data) > 0 {
				n := min(5, len(data))
				part, err := c.Update(data[:n], test.padded, free)
				require.NoError(t, err)
				out, data = append(out, part...), data[n:]
			}
			rest, err := c.Final(test.padded)
			require.NoError(t, err)
			return append(out, rest...)
		}
		got := do(count(test.size), false)
		require.Equal(t, test.encrypted, hex.EncodeToString(got))
		require.Equal(t, count(test.size), do(got, true))
	}
	_, err := nodecrypto.NewCipher(nodecrypto.TripleECB, false, make([]byte, 16), nil, free)
	require.ErrorIs(t, err, nodecrypto.ErrKey)
	_, err = nodecrypto.NewCipher(nodecrypto.ECB, false, make([]byte, 16), make([]byte, 16), free)
	require.ErrorIs(t, err, nodecrypto.ErrIV)
	_, err = nodecrypto.NewCipher(nodecrypto.TripleCBC, false, make([]byte, 24), make([]byte, 16), free)
	require.ErrorIs(t, err, nodecrypto.ErrIV)
}

// TestCounters compares CTR in parts with Go's.
func TestCounters(t *testing.T) {
	key, data := make([]byte, 32), make([]byte, 1000)
	for _, iv := range [][]byte{make([]byte, 16), bytes.Repeat([]byte{255}, 16), append(make([]byte, 8), 255, 255, 255,
		255, 255, 255, 255, 254)} {
		block, err := aes.NewCipher(key)
		require.NoError(t, err)
		want := make([]byte, len(data))
		cipher.NewCTR(block, iv).XORKeyStream(want, data)
		c, err := nodecrypto.NewCipher(nodecrypto.CTR, false, key, iv, free)
		require.NoError(t, err)
		var got []byte
		for from := 0; from < len(data); from += 37 {
			part, err := c.Update(data[from:min(from+37, len(data))], true, free)
			require.NoError(t, err)
			got = append(got, part...)
		}
		require.Equal(t, want, got)
	}
}

// TestWorkEnds lets work fail after a while, where each function would go on much longer.
func TestWorkEnds(t *testing.T) {
	over := errors.New("over")
	limited := func(limit int) nodecrypto.Work {
		return func(n int) error {
			if limit -= n; limit < 0 {
				return over
			}
			return nil
		}
	}
	large := make([]byte, 10<<20)
	begin := func() nodecrypto.Cipher {
		c, err := nodecrypto.NewCipher(nodecrypto.GCM, false, make([]byte, 16), make([]byte, 12), free)
		require.NoError(t, err)
		return c
	}
	h := nodecrypto.HashNamed("sha256")
	for name, f := range map[string]func(work nodecrypto.Work) error{
		"update": func(w nodecrypto.Work) error { return nodecrypto.Update(h.Begin(), large, w) },
		"shake": func(w nodecrypto.Work) error {
			_, err := nodecrypto.Sum(nodecrypto.HashNamed("shake256").Begin(), 10<<20, w)
			return err
		},
		"cipher":     func(w nodecrypto.Work) error { _, err := begin().Update(large, true, w); return err },
		"additional": func(w nodecrypto.Work) error { return begin().Additional(large, w) },
		"a long vector": func(w nodecrypto.Work) error {
			_, err := nodecrypto.NewCipher(nodecrypto.GCM, false, make([]byte, 16), large, w)
			return err
		},
	} {
		require.ErrorIs(t, f(limited(1<<20)), over, name)
	}
}
