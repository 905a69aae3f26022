package nodecrypto

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"slices"
)

// compressedPoint reads a SubjectPublicKeyInfo of a curve with only one coordinate of the point, which Go does not.
func compressedPoint(der []byte) (any, error) {
	for name, curve := range curves {
		size := 1 + (curve.Params().BitSize+7)/8
		if len(der) < size {
			continue
		}
		info, err := readRawPoint(name, der[len(der)-size:])
		if err != nil {
			continue
		}
		full, err := encodePair(info)
		if err != nil {
			continue
		}
		// What is in front of the point differs only in lengths.
		oid := bytes.Index(full, []byte{0x06, 0x07, 0x2a}) // the algorithm's identifier and the curve's
		head := len(full) - (2*size - 1) - 3
		if oid > 0 && bytes.Contains(der[:len(der)-size], full[oid:head]) {
			return info, nil
		}
	}
	return nil, ErrPair
}

// readRawPoint reads a public key of a kind from the bytes of its point.
func readRawPoint(kind string, raw []byte) (any, error) {
	switch kind {
	case "Ed25519":
		if len(raw) == ed25519.PublicKeySize {
			return ed25519.PublicKey(slices.Clone(raw)), nil
		}
	case "X25519":
		if key, err := ecdh.X25519().NewPublicKey(raw); err == nil {
			return key, nil
		}
	default:
		curve := curves[kind]
		if curve == nil || len(raw) == 0 {
			return nil, ErrPair
		}
		if raw[0] == 4 {
			if key, err := ecdsa.ParseUncompressedPublicKey(curve, raw); err == nil {
				return key, nil
			}
			return nil, ErrPair
		}
		if x, y := elliptic.UnmarshalCompressed(curve, raw); x != nil {
			size := len(raw) - 1
			full := append([]byte{4}, make([]byte, 2*size)...)
			x.FillBytes(full[1 : 1+size])
			y.FillBytes(full[1+size:])
			return ecdsa.ParseUncompressedPublicKey(curve, full)
		}
	}
	return nil, ErrPair
}

// RawPair reads the bytes of a public key's point.
func RawPair(kind string, raw []byte) (PairInfo, []byte, error) {
	key, err := readRawPoint(kind, raw)
	if err != nil {
		return PairInfo{}, nil, err
	}
	return described(key)
}

// PointOf returns the bytes of a public key's point.
func PointOf(public []byte) ([]byte, error) {
	key, err := parsePair(public, false)
	if err != nil {
		return nil, err
	}
	switch key := key.(type) {
	case *ecdsa.PublicKey:
		return key.Bytes()
	case ed25519.PublicKey:
		return key, nil
	case *ecdh.PublicKey:
		return key.Bytes(), nil
	}
	return nil, ErrPair
}
