package nodecrypto_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/nodecrypto"
)

// TestPairs signs, encrypts and agrees with keys of all kinds, which are read again in all forms.
func TestPairs(t *testing.T) {
	data := []byte("what is signed")
	for _, test := range []struct {
		kind    string
		bits    int
		schemes []nodecrypto.Scheme
	}{
		{"RSA", 1024, []nodecrypto.Scheme{
			{Name: "RSASSA-PKCS1-v1_5", Hash: "SHA-256"}, {Name: "RSA-PSS", Hash: "SHA-1", Salt: 20},
			{Name: "RSA-PSS", Hash: "SHA-384"},
		}},
		{"P-256", 0, []nodecrypto.Scheme{{Name: "ECDSA", Hash: "SHA-512"}}},
		{"P-384", 0, []nodecrypto.Scheme{{Name: "ECDSA", Hash: "SHA-1"}}},
		{"P-521", 0, []nodecrypto.Scheme{{Name: "ECDSA", Hash: "SHA-256"}}},
		{"Ed25519", 0, []nodecrypto.Scheme{{Name: "Ed25519"}}},
		{"X25519", 0, nil},
	} {
		t.Run(test.kind, func(t *testing.T) {
			private, err := nodecrypto.GeneratePair(test.kind, test.bits)
			require.NoError(t, err)
			public, err := nodecrypto.PublicOf(private)
			require.NoError(t, err)
			info, again, err := nodecrypto.ReadPair(private, true)
			require.NoError(t, err)
			require.Equal(t, test.kind, info.Kind)
			require.Equal(t, test.bits, info.Bits)
			require.Equal(t, private, again)
			for _, key := range [][]byte{private, public} {
				jwk, err := nodecrypto.ToJWK(key, &key[0] == &private[0])
				require.NoError(t, err)
				_, again, err := nodecrypto.FromJWK(jwk)
				require.NoError(t, err)
				require.Equal(t, key, again)
			}
			if test.kind != "RSA" {
				point, err := nodecrypto.PointOf(public)
				require.NoError(t, err)
				_, again, err := nodecrypto.RawPair(test.kind, point)
				require.NoError(t, err)
				require.Equal(t, public, again)
			}
			for _, scheme := range test.schemes {
				signature, err := scheme.Sign(private, data)
				require.NoError(t, err)
				ok, err := scheme.Verify(public, signature, data)
				require.NoError(t, err)
				require.True(t, ok)
				for _, bad := range [][2][]byte{{signature, data[1:]}, {signature[1:], data},
					{append([]byte{signature[0] ^ 1}, signature[1:]...), data}, {nil, nil}} {
					ok, err = scheme.Verify(public, bad[0], bad[1])
					require.NoError(t, err)
					require.False(t, ok)
				}
			}
			if test.kind == "RSA" {
				scheme := nodecrypto.Scheme{Name: "RSA-OAEP", Hash: "SHA-256"}
				sealed, err := scheme.Encrypt(public, []byte("label"), data)
				require.NoError(t, err)
				opened, err := scheme.Decrypt(private, []byte("label"), sealed)
				require.NoError(t, err)
				require.Equal(t, data, opened)
				_, err = scheme.Decrypt(private, nil, sealed)
				require.ErrorIs(t, err, nodecrypto.ErrPair)
				_, err = scheme.Encrypt(public, nil, make([]byte, 100))
				require.ErrorIs(t, err, nodecrypto.ErrPair)
			} else if test.kind != "Ed25519" {
				other, err := nodecrypto.GeneratePair(test.kind, 0)
				require.NoError(t, err)
				otherPublic, err := nodecrypto.PublicOf(other)
				require.NoError(t, err)
				one, err := nodecrypto.Agree(private, otherPublic)
				require.NoError(t, err)
				two, err := nodecrypto.Agree(other, public)
				require.NoError(t, err)
				require.Equal(t, one, two)
			}
		})
	}
}

func TestPairsThatAreNone(t *testing.T) {
	private, err := nodecrypto.GeneratePair("P-256", 0)
	require.NoError(t, err)
	for i := range private { // changed somewhere, it is another key or none
		changed := append([]byte(nil), private...)
		changed[i] ^= 0x55
		_, _, _ = nodecrypto.ReadPair(changed, true)
		_, _, _ = nodecrypto.ReadPair(changed[:i], false)
	}
	for _, jwk := range []nodecrypto.JWK{
		{}, {Kty: "RSA"}, {Kty: "RSA", N: "AQAB", E: "AQAB"}, {Kty: "EC", Crv: "P-256", X: "AA", Y: "AA"},
		{Kty: "OKP", Crv: "Ed448", X: "AA"},
		{Kty: "OKP", Crv: "P-256", X: "AA"}, {Kty: "EC", Crv: "secp256k1"}, {Kty: "oct"},
	} {
		_, _, err := nodecrypto.FromJWK(jwk)
		require.ErrorIs(t, err, nodecrypto.ErrPair)
	}
	for _, kind := range []string{"", "RSA", "P-224", "X448"} {
		_, err := nodecrypto.GeneratePair(kind, 512)
		require.ErrorIs(t, err, nodecrypto.ErrPair)
		_, _, err = nodecrypto.RawPair(kind, []byte{4, 5})
		require.ErrorIs(t, err, nodecrypto.ErrPair)
	}
	_, err = nodecrypto.Agree(private, private)
	require.ErrorIs(t, err, nodecrypto.ErrPair)
	_, err = nodecrypto.Scheme{Name: "ECDSA", Hash: "MD5"}.Sign(private, nil)
	require.ErrorIs(t, err, nodecrypto.ErrPair)
}

// TestWrap compares with examples of RFC 3394 and RFC 5649.
func TestWrap(t *testing.T) {
	for _, test := range []struct{ key, iv, data, wrapped string }{
		{
			"000102030405060708090a0b0c0d0e0f", "a6a6a6a6a6a6a6a6", "00112233445566778899aabbccddeeff",
			"1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5",
		},
		{
			"5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8", "a65959a6", "c37b7e6492584340bed12207808941155068f738",
			"138bdeaa9b8fa7fc61f97742e72248ee5ae6ae5360d1ae6a5f54f373fa543b6a",
		},
		{
			"5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8", "a65959a6", "466f7250617369",
			"afbeb0f07dfbf5419200f2ccb50bb24f",
		},
	} {
		key, iv, data, want := unhex(t, test.key), unhex(t, test.iv), unhex(t, test.data), unhex(t, test.wrapped)
		wrapped, err := nodecrypto.WrapKey(key, iv, data, free)
		require.NoError(t, err)
		require.Equal(t, want, wrapped)
		back, err := nodecrypto.UnwrapKey(key, iv, wrapped, free)
		require.NoError(t, err)
		require.Equal(t, data, back)
		wrapped[3] ^= 1
		_, err = nodecrypto.UnwrapKey(key, iv, wrapped, free)
		require.ErrorIs(t, err, nodecrypto.ErrKey)
		_, err = nodecrypto.WrapKey(key, iv[1:], data, free)
		require.ErrorIs(t, err, nodecrypto.ErrIV)
		_, err = nodecrypto.UnwrapKey(key, nil, wrapped, free)
		require.ErrorIs(t, err, nodecrypto.ErrIV)
		_, err = nodecrypto.WrapKey(key, iv, nil, free)
		require.ErrorIs(t, err, nodecrypto.ErrKey)
		_, err = nodecrypto.UnwrapKey(key, iv, wrapped[:8], free)
		require.ErrorIs(t, err, nodecrypto.ErrKey)
		_, err = nodecrypto.UnwrapKey(key[1:], iv, wrapped, free)
		require.ErrorIs(t, err, nodecrypto.ErrKey)
	}
	_, err := nodecrypto.WrapKey(make([]byte, 16), nodecrypto.WrapIV[:], make([]byte, 9), free)
	require.ErrorIs(t, err, nodecrypto.ErrKey)

	stop := errors.New("stop")
	_, err = nodecrypto.WrapKey(make([]byte, 16), nodecrypto.WrapIV[:], make([]byte, 16), func(int) error {
		return stop
	})
	require.ErrorIs(t, err, stop)
}
