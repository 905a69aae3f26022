package nodecrypto

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/base64"
	"math/big"
	"slices"
)

// JWK has the members of a JSON Web Key that make up a key.
type JWK struct {
	Kty string `json:"kty,omitempty"`
	Crv string `json:"crv,omitempty"`
	X   string `json:"x,omitempty"`
	Y   string `json:"y,omitempty"`
	N   string `json:"n,omitempty"`
	E   string `json:"e,omitempty"`
	D   string `json:"d,omitempty"`
	P   string `json:"p,omitempty"`
	Q   string `json:"q,omitempty"`
	DP  string `json:"dp,omitempty"`
	DQ  string `json:"dq,omitempty"`
	QI  string `json:"qi,omitempty"`
}

var base64URL = base64.RawURLEncoding.Strict()

func integerText(n *big.Int) string { return base64URL.EncodeToString(n.Bytes()) }

// ToJWK returns the members of a key.
func ToJWK(der []byte, private bool) (JWK, error) {
	key, err := parsePair(der, private)
	if err != nil {
		return JWK{}, err
	}
	switch key := key.(type) {
	case *rsa.PrivateKey:
		if len(key.Primes) != 2 {
			return JWK{}, ErrPair
		}
		key.Precompute()
		pre := key.Precomputed
		return JWK{
			Kty: "RSA", N: integerText(key.N), E: integerText(big.NewInt(int64(key.E))), D: integerText(key.D),
			P: integerText(key.Primes[0]), Q: integerText(key.Primes[1]), DP: integerText(pre.Dp),
			DQ: integerText(pre.Dq), QI: integerText(pre.Qinv),
		}, nil
	case *rsa.PublicKey:
		return JWK{Kty: "RSA", N: integerText(key.N), E: integerText(big.NewInt(int64(key.E)))}, nil
	case *ecdsa.PrivateKey:
		jwk, err := pointJWK(&key.PublicKey)
		if err != nil {
			return JWK{}, err
		}
		d, err := key.Bytes()
		jwk.D = base64URL.EncodeToString(d)
		return jwk, err
	case *ecdsa.PublicKey:
		return pointJWK(key)
	case ed25519.PrivateKey:
		return JWK{Kty: "OKP", Crv: "Ed25519", X: base64URL.EncodeToString(key[32:]),
			D: base64URL.EncodeToString(key.Seed())}, nil
	case ed25519.PublicKey:
		return JWK{Kty: "OKP", Crv: "Ed25519", X: base64URL.EncodeToString(key)}, nil
	case *ecdh.PrivateKey:
		return JWK{Kty: "OKP", Crv: "X25519", X: base64URL.EncodeToString(key.PublicKey().Bytes()),
			D: base64URL.EncodeToString(key.Bytes())}, nil
	case *ecdh.PublicKey:
		return JWK{Kty: "OKP", Crv: "X25519", X: base64URL.EncodeToString(key.Bytes())}, nil
	}
	return JWK{}, ErrPair
}

func pointJWK(key *ecdsa.PublicKey) (JWK, error) {
	point, err := key.Bytes()
	if err != nil {
		return JWK{}, ErrPair
	}
	half := len(point) / 2
	return JWK{
		Kty: "EC", Crv: key.Curve.Params().Name, X: base64URL.EncodeToString(point[1 : 1+half]),
		Y: base64URL.EncodeToString(point[1+half:]),
	}, nil
}

// FromJWK makes a key of its members. It is private if d is there.
func FromJWK(jwk JWK) (PairInfo, []byte, error) {
	decode := func(text string) []byte {
		data, err := base64URL.DecodeString(text)
		if err != nil || len(text) > maxKeyData {
			return nil
		}
		return data
	}
	var key any
	switch {
	case jwk.Kty == "RSA":
		integer := func(text string) *big.Int { return new(big.Int).SetBytes(decode(text)) }
		n, e := integer(jwk.N), integer(jwk.E)
		if n.BitLen() < 256 || n.BitLen() > MaxModulus || e.BitLen() > 31 || e.Sign() == 0 {
			return PairInfo{}, nil, ErrPair
		}
		public := rsa.PublicKey{N: n, E: int(e.Int64())}
		if jwk.D == "" {
			key = &public
			break
		}
		private := &rsa.PrivateKey{
			PublicKey: public, D: integer(jwk.D), Primes: []*big.Int{integer(jwk.P), integer(jwk.Q)},
		}
		if private.Primes[0].Sign() == 0 || private.Primes[1].Sign() == 0 || private.Validate() != nil {
			return PairInfo{}, nil, ErrPair
		}
		private.Precompute()
		pre := private.Precomputed
		if pre.Dp.Cmp(integer(jwk.DP)) != 0 || pre.Dq.Cmp(integer(jwk.DQ)) != 0 || pre.Qinv.Cmp(integer(jwk.QI)) != 0 {
			return PairInfo{}, nil, ErrPair
		}
		key = private
	case jwk.Kty == "EC" && curves[jwk.Crv] != nil:
		size := (curves[jwk.Crv].Params().BitSize + 7) / 8
		x, y := decode(jwk.X), decode(jwk.Y)
		if len(x) != size || len(y) != size {
			return PairInfo{}, nil, ErrPair
		}
		public, err := readRawPoint(jwk.Crv, slices.Concat([]byte{4}, x, y))
		if err != nil {
			return PairInfo{}, nil, err
		}
		key = public
		if jwk.D != "" {
			private, err := ecdsa.ParseRawPrivateKey(curves[jwk.Crv], decode(jwk.D))
			if err != nil || !private.PublicKey.Equal(public) {
				return PairInfo{}, nil, ErrPair
			}
			key = private
		}
	case jwk.Kty == "OKP":
		public, err := readRawPoint(jwk.Crv, decode(jwk.X))
		if err != nil || jwk.Crv != "Ed25519" && jwk.Crv != "X25519" {
			return PairInfo{}, nil, ErrPair
		}
		key = public
		if d := decode(jwk.D); jwk.D != "" {
			if len(d) != ed25519.SeedSize {
				return PairInfo{}, nil, ErrPair
			}
			if jwk.Crv == "Ed25519" {
				private := ed25519.NewKeyFromSeed(d)
				if !private.Public().(ed25519.PublicKey).Equal(public.(ed25519.PublicKey)) {
					return PairInfo{}, nil, ErrPair
				}
				key = private
			} else {
				private, err := ecdh.X25519().NewPrivateKey(d)
				if err != nil || !private.PublicKey().Equal(public.(*ecdh.PublicKey)) {
					return PairInfo{}, nil, ErrPair
				}
				key = private
			}
		}
	default:
		return PairInfo{}, nil, ErrPair
	}
	return described(key)
}
