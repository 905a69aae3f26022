package nodecrypto

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
)

// A key of a pair is a *rsa.PrivateKey, *ecdsa.PrivateKey, ed25519.PrivateKey or *ecdh.PrivateKey (for X25519), or the
// public one of these. Scripts hold keys as PKCS #8 or SubjectPublicKeyInfo.

// ErrPair means that a key of a pair is not valid, or that an operation with it has failed.
var ErrPair = errors.New("not a valid key, or not one for this")

// Limits of keys, so that an operation takes at most a second.
const (
	MaxModulus          = 8192 // bits of an RSA key
	MaxGeneratedModulus = 4096
	maxKeyData          = 16 << 10 // bytes
)

// curves are those of ECDSA and ECDH by their names.
var curves = map[string]elliptic.Curve{"P-256": elliptic.P256(), "P-384": elliptic.P384(), "P-521": elliptic.P521()}

// PairInfo describes a key.
type PairInfo struct {
	Kind     string `json:"kind"` // RSA, P-256, P-384, P-521, Ed25519 or X25519
	Bits     int    `json:"bits"` // of RSA's modulus
	Exponent int    `json:"exponent"`
}

// PairWork returns how much work an operation with a private key is, in bytes; to generate one takes generating times
// as much.
func PairWork(bits int) int {
	bits = max(bits, 1024)
	return 4 << 20 * (bits / 1024) * (bits / 1024) * (bits / 1024) / 8
}

// GenerateWork returns how much work it is to generate a key.
func GenerateWork(bits int) int { return PairWork(bits) * max(1, bits/16) }

// GeneratePair returns a new private key.
func GeneratePair(kind string, bits int) ([]byte, error) {
	var key any
	var err error
	switch kind {
	case "RSA":
		if bits < 1024 || bits > MaxGeneratedModulus {
			return nil, ErrPair
		}
		key, err = rsa.GenerateKey(rand.Reader, bits)
	case "Ed25519":
		_, key, err = ed25519.GenerateKey(rand.Reader)
	case "X25519":
		key, err = ecdh.X25519().GenerateKey(rand.Reader)
	default:
		curve := curves[kind]
		if curve == nil {
			return nil, ErrPair
		}
		key, err = ecdsa.GenerateKey(curve, rand.Reader)
	}
	if err != nil {
		return nil, ErrPair
	}
	return encodePair(key)
}

// isPrivate reports whether a key is private.
func isPrivate(key any) bool {
	switch key.(type) {
	case *rsa.PrivateKey, *ecdsa.PrivateKey, ed25519.PrivateKey, *ecdh.PrivateKey:
		return true
	}
	return false
}

// encodePair returns a key as PKCS #8 or SubjectPublicKeyInfo.
func encodePair(key any) (der []byte, err error) {
	if isPrivate(key) {
		der, err = x509.MarshalPKCS8PrivateKey(key)
	} else {
		der, err = x509.MarshalPKIXPublicKey(key)
	}
	if err != nil {
		return nil, ErrPair
	}
	return der, nil
}

// parsePair reads a key from PKCS #8 or SubjectPublicKeyInfo.
func parsePair(der []byte, private bool) (key any, err error) {
	if len(der) > maxKeyData {
		return nil, ErrPair
	}
	if private {
		key, err = x509.ParsePKCS8PrivateKey(der)
	} else {
		key, err = x509.ParsePKIXPublicKey(der)
	}
	if err != nil {
		return nil, ErrPair
	}
	if _, err := infoOf(key); err != nil {
		return nil, err
	}
	return key, nil
}

func infoOf(key any) (PairInfo, error) {
	switch key := key.(type) {
	case *rsa.PrivateKey:
		return infoOf(&key.PublicKey)
	case *rsa.PublicKey:
		if key.N.BitLen() > MaxModulus {
			return PairInfo{}, ErrPair
		}
		return PairInfo{Kind: "RSA", Bits: key.N.BitLen(), Exponent: key.E}, nil
	case *ecdsa.PrivateKey:
		return infoOf(&key.PublicKey)
	case *ecdsa.PublicKey:
		name := key.Curve.Params().Name
		if curves[name] == nil {
			return PairInfo{}, ErrPair
		}
		return PairInfo{Kind: name}, nil
	case ed25519.PrivateKey, ed25519.PublicKey:
		return PairInfo{Kind: "Ed25519"}, nil
	case *ecdh.PrivateKey, *ecdh.PublicKey:
		return PairInfo{Kind: "X25519"}, nil
	}
	return PairInfo{}, ErrPair
}

// ReadPair reads a key as PKCS #8 or SubjectPublicKeyInfo and returns it as this package writes it.
func ReadPair(der []byte, private bool) (PairInfo, []byte, error) {
	key, err := parsePair(der, private)
	if err != nil && !private {
		key, err = compressedPoint(der)
	}
	if err != nil {
		return PairInfo{}, nil, err
	}
	return described(key)
}

func described(key any) (PairInfo, []byte, error) {
	info, err := infoOf(key)
	if err != nil {
		return PairInfo{}, nil, err
	}
	der, err := encodePair(key)
	return info, der, err
}

// publicOf returns the public key of a pair.
func publicOf(key any) any {
	switch key := key.(type) {
	case *rsa.PrivateKey:
		return &key.PublicKey
	case *ecdsa.PrivateKey:
		return &key.PublicKey
	case ed25519.PrivateKey:
		return key.Public()
	case *ecdh.PrivateKey:
		return key.PublicKey()
	}
	return key
}

// PublicOf returns the public key of a private one.
func PublicOf(private []byte) ([]byte, error) {
	key, err := parsePair(private, true)
	if err != nil {
		return nil, err
	}
	return encodePair(publicOf(key))
}
