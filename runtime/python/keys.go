package python

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"hash"
	"math"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/blake2s"

	"github.com/toolrun/toolrun/guest/python"
	"github.com/toolrun/toolrun/internal/kdf"
)

// keyHashes are the hashes of PBKDF2, by Python's names.
var keyHashes = map[string]func() hash.Hash{
	"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224, "sha256": sha256.New, "sha384": sha512.New384,
	"sha512":   sha512.New,
	"sha3_224": func() hash.Hash { return sha3.New224() }, "sha3_256": func() hash.Hash { return sha3.New256() },
	"sha3_384": func() hash.Hash { return sha3.New384() }, "sha3_512": func() hash.Hash { return sha3.New512() },
	"blake2b": withoutKey(blake2b.New512), "blake2s": withoutKey(blake2s.New256),
}

func withoutKey(blake2 func(key []byte) (hash.Hash, error)) func() hash.Hash {
	return func() hash.Hash {
		h, _ := blake2(nil) // only keys can be wrong
		return h
	}
}

// key derives a key, as [python.ParseKey] says. It uses memory of the host beside that of the guest, as much as the
// guest may have at most.
func (in *instance) key(payload []byte) []byte {
	request, ok := python.ParseKey(payload)
	if !ok {
		return nil
	}
	limit := uint64(in.run.Limits().Memory)
	if request.Size > limit {
		return []byte{python.KeyNoMemory}
	}
	var key []byte
	var err error
	if request.Hash == "" {
		need, ok := kdf.ScryptMemory(request.N, request.R, request.P, request.Memory)
		switch {
		case !ok:
			return nil
		case need > limit:
			return []byte{python.KeyNoMemory}
		}
		key, err = kdf.Scrypt(request.Password, request.Salt, request.N, request.R, request.P, int(request.Size),
			request.Memory, in.Spend)
	} else {
		sums := keyHashes[request.Hash]
		if sums == nil || request.N < 1 || request.N > math.MaxInt32 {
			return nil
		}
		key, err = kdf.PBKDF2(sums, request.Password, request.Salt, int(request.N), int(request.Size), in.Spend)
	}
	if err != nil {
		panic(err)
	}
	return append([]byte{python.KeyFollows}, key...)
}
