package nodecrypto_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/nodecrypto"
)

// FuzzHashState goes on with states that lie in a guest's memory, where anyone can change them.
func FuzzHashState(f *testing.F) {
	for _, name := range nodecrypto.HashNames() {
		state := nodecrypto.HashNamed(name).Begin()
		f.Add(state, []byte("abc"))
		damaged := bytes.Clone(state)
		for i := range damaged[1:] {
			damaged[1+i] ^= 0xff
		}
		f.Add(damaged, []byte("abc"))
		for _, i := range []int{len(state) - 1, len(state) - 2, len(state) - 9, len(state) - 10} {
			damaged := bytes.Clone(state)
			damaged[i] = 0xff
			f.Add(damaged, make([]byte, 300))
		}
		damaged = bytes.Clone(state)
		damaged[len(state)-1] = 1 // a hash of SHA-3 that has been read
		f.Add(damaged, make([]byte, 300))
	}
	f.Fuzz(func(t *testing.T, state, data []byte) {
		before := bytes.Clone(state)
		if err := nodecrypto.Update(state, data, free); err != nil {
			require.ErrorIs(t, err, nodecrypto.ErrState)
			require.Equal(t, before, state)
		}
		sum, err := nodecrypto.Sum(state, 1000, free)
		if err != nil {
			require.ErrorIs(t, err, nodecrypto.ErrState)
		}
		require.LessOrEqual(t, len(sum), 1000)
	})
}

// FuzzCipherState goes on with states of ciphers.
func FuzzCipherState(f *testing.F) {
	for mode := nodecrypto.CBC; mode <= nodecrypto.TripleECB; mode++ {
		for _, decrypt := range []bool{false, true} {
			for _, iv := range []int{0, 8, 16} {
				c, err := nodecrypto.NewCipher(mode, decrypt, make([]byte, 24), make([]byte, iv), free)
				if err != nil {
					continue
				}
				f.Add([]byte(c), []byte("some data, more than one block of it"), true)
				for _, i := range []int{3, 4, 51, 52, 59, 60, 67, 99} {
					damaged := bytes.Clone(c)
					damaged[i] = 0xff
					f.Add(damaged, []byte("some data, more than one block of it"), i%2 == 0)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, state, data []byte, padded bool) {
		c := nodecrypto.Cipher(state)
		_ = c.Additional(data, free)
		out, err := c.Update(data, padded, free)
		if err == nil {
			require.LessOrEqual(t, len(out), len(data)+16)
		}
		_, _ = c.Tag()
		_, _ = c.Final(padded)
		_, _ = c.Update(data, !padded, free)
	})
}

// FuzzPairs reads keys, in both forms and as members of JSON, and uses what it could read.
func FuzzPairs(f *testing.F) {
	for _, kind := range []string{"RSA", "P-256", "P-521", "Ed25519", "X25519"} {
		private, err := nodecrypto.GeneratePair(kind, 1024)
		require.NoError(f, err)
		public, err := nodecrypto.PublicOf(private)
		require.NoError(f, err)
		jwk, err := nodecrypto.ToJWK(private, true)
		require.NoError(f, err)
		text, err := json.Marshal(jwk)
		require.NoError(f, err)
		for _, data := range [][]byte{private, public, text} {
			f.Add(data, kind)
			f.Add(data[:len(data)-1], kind)
			for _, i := range []int{len(data) / 3, len(data) / 2, len(data) - 5} {
				damaged := bytes.Clone(data)
				damaged[i] ^= 1
				f.Add(damaged, kind)
			}
		}
	}
	f.Add([]byte(`{"kty":"RSA","n":"AQAB","e":"AQAB","d":"AA","p":"AA","q":"AA"}`), "RSA")
	f.Add([]byte(`{"kty":"RSA","n":"`+string(bytes.Repeat([]byte("_"), 1000))+`","e":"Ag"}`), "")
	f.Add([]byte{2, 0, 0}, "P-256")
	f.Fuzz(func(t *testing.T, data []byte, kind string) {
		use := func(der []byte, private bool) {
			for _, scheme := range []nodecrypto.Scheme{{Name: "RSA-PSS", Hash: "SHA-256"},
				{Name: "RSA-PSS", Hash: "SHA-512", Salt: 70}, {Name: "RSASSA-PKCS1-v1_5", Hash: "SHA-1"}} {
				if !private {
					_, _ = scheme.Verify(der, data, data)
					_, _ = scheme.Encrypt(der, nil, []byte("x"))
					continue
				}
				_, _ = scheme.Sign(der, data)
				_, _ = scheme.Decrypt(der, nil, data)
			}
			_, _ = nodecrypto.ToJWK(der, private)
			_, _ = nodecrypto.Agree(der, der)
			if private {
				_, _ = nodecrypto.PublicOf(der)
			} else {
				_, _ = nodecrypto.PointOf(der)
			}
		}
		for _, private := range []bool{false, true} {
			if info, der, err := nodecrypto.ReadPair(data, private); err == nil {
				require.LessOrEqual(t, info.Bits, nodecrypto.MaxModulus)
				use(der, private)
			}
		}
		if _, der, err := nodecrypto.RawPair(kind, data); err == nil {
			use(der, false)
		}
		var jwk nodecrypto.JWK
		if json.Unmarshal(data, &jwk) == nil {
			if info, der, err := nodecrypto.FromJWK(jwk); err == nil {
				require.LessOrEqual(t, info.Bits, nodecrypto.MaxModulus)
				use(der, jwk.D != "")
			}
		}
	})
}
