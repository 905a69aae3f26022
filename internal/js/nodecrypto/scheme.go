package nodecrypto

import (
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"math/big"
)

// Scheme says how to sign or encrypt.
type Scheme struct {
	Name string `json:"name"` // RSASSA-PKCS1-v1_5, RSA-PSS, RSA-OAEP, ECDSA or Ed25519
	Hash string `json:"hash"` // SHA-1, SHA-256, SHA-384 or SHA-512; not for Ed25519
	Salt int    `json:"salt"` // bytes, of RSA-PSS
}

var schemeHashes = map[string]crypto.Hash{
	"SHA-1": crypto.SHA1, "SHA-256": crypto.SHA256, "SHA-384": crypto.SHA384, "SHA-512": crypto.SHA512,
}

func (s Scheme) digest(data []byte) (crypto.Hash, []byte, error) {
	hash := schemeHashes[s.Hash]
	if hash == 0 {
		return 0, nil, ErrPair
	}
	h := hash.New()
	h.Write(data)
	return hash, h.Sum(nil), nil
}

// Sign signs data.
func (s Scheme) Sign(private, data []byte) ([]byte, error) {
	key, err := parsePair(private, true)
	if err != nil {
		return nil, err
	}
	if key, ok := key.(ed25519.PrivateKey); ok {
		return ed25519.Sign(key, data), nil
	}
	hash, digest, err := s.digest(data)
	if err != nil {
		return nil, err
	}
	var signature []byte
	switch key := key.(type) {
	case *rsa.PrivateKey:
		switch {
		case s.Name == "RSASSA-PKCS1-v1_5":
			signature, err = rsa.SignPKCS1v15(nil, key, hash, digest)
		case s.Salt == 0:
			signature, err = signUnsalted(key, hash, digest)
		default:
			signature, err = rsa.SignPSS(rand.Reader, key, hash, digest, &rsa.PSSOptions{SaltLength: s.Salt})
		}
	case *ecdsa.PrivateKey:
		r, t, signErr := ecdsa.Sign(rand.Reader, key, digest)
		if err = signErr; err == nil {
			size := (key.Params().BitSize + 7) / 8
			signature = make([]byte, 2*size)
			r.FillBytes(signature[:size])
			t.FillBytes(signature[size:])
		}
	default:
		err = ErrPair
	}
	if err != nil {
		return nil, ErrPair
	}
	return signature, nil
}

// Verify reports whether a signature is that of data.
func (s Scheme) Verify(public, signature, data []byte) (bool, error) {
	key, err := parsePair(public, false)
	if err != nil {
		return false, err
	}
	if key, ok := key.(ed25519.PublicKey); ok {
		return len(signature) == ed25519.SignatureSize && ed25519.Verify(key, data, signature), nil
	}
	hash, digest, err := s.digest(data)
	if err != nil {
		return false, err
	}
	switch key := key.(type) {
	case *rsa.PublicKey:
		switch {
		case s.Name == "RSASSA-PKCS1-v1_5":
			return rsa.VerifyPKCS1v15(key, hash, digest, signature) == nil, nil
		case s.Salt == 0:
			return verifyUnsalted(key, hash, digest, signature), nil
		}
		return rsa.VerifyPSS(key, hash, digest, signature, &rsa.PSSOptions{SaltLength: s.Salt}) == nil, nil
	case *ecdsa.PublicKey:
		size := (key.Params().BitSize + 7) / 8
		if len(signature) != 2*size {
			return false, nil
		}
		r, t := new(big.Int).SetBytes(signature[:size]), new(big.Int).SetBytes(signature[size:])
		return ecdsa.Verify(key, digest, r, t), nil
	}
	return false, ErrPair
}

// Encrypt encrypts data by RSA-OAEP.
func (s Scheme) Encrypt(public, label, data []byte) ([]byte, error) {
	key, err := parsePair(public, false)
	if err != nil {
		return nil, err
	}
	hash := schemeHashes[s.Hash]
	rsaKey, ok := key.(*rsa.PublicKey)
	if !ok || hash == 0 {
		return nil, ErrPair
	}
	out, err := rsa.EncryptOAEP(hash.New(), rand.Reader, rsaKey, data, label)
	if err != nil {
		return nil, ErrPair
	}
	return out, nil
}

// Decrypt decrypts what Encrypt has made.
func (s Scheme) Decrypt(private, label, data []byte) ([]byte, error) {
	key, err := parsePair(private, true)
	if err != nil {
		return nil, err
	}
	hash := schemeHashes[s.Hash]
	rsaKey, ok := key.(*rsa.PrivateKey)
	if !ok || hash == 0 {
		return nil, ErrPair
	}
	out, err := rsa.DecryptOAEP(hash.New(), nil, rsaKey, data, label)
	if err != nil {
		return nil, ErrPair
	}
	return out, nil
}

// Agree returns the secret that two pairs share.
func Agree(private, public []byte) ([]byte, error) {
	own, err := parsePair(private, true)
	if err != nil {
		return nil, err
	}
	other, err := parsePair(public, false)
	if err != nil {
		return nil, err
	}
	if key, ok := own.(*ecdsa.PrivateKey); ok {
		if own, err = key.ECDH(); err != nil {
			return nil, ErrPair
		}
	}
	if key, ok := other.(*ecdsa.PublicKey); ok {
		if other, err = key.ECDH(); err != nil {
			return nil, ErrPair
		}
	}
	a, ok1 := own.(*ecdh.PrivateKey)
	b, ok2 := other.(*ecdh.PublicKey)
	if !ok1 || !ok2 || a.Curve() != b.Curve() {
		return nil, ErrPair
	}
	secret, err := a.ECDH(b)
	if err != nil {
		return nil, ErrPair
	}
	return secret, nil
}
