package kdf_test

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/kdf"
)

func free(int) error { return nil }

// TestScrypt checks an answer of RFC 7914, and parameters that are refused.
func TestScrypt(t *testing.T) {
	key, err := kdf.Scrypt(nil, nil, 16, 1, 1, 16, 32<<20, free)
	require.NoError(t, err)
	require.Equal(t, "77d6576238657b203b19ca42c18a0497", hex.EncodeToString(key))
	for _, p := range [][3]uint64{{0, 8, 1}, {1, 8, 1}, {3, 8, 1}, {16, 0, 1}, {16, 1, 0}, {1 << 63, 8, 1},
		{16, 1 << 63, 1 << 63},
		{1 << 17, 1, 1}, {16, 1 << 30, 1}, {1 << 20, 1 << 20, 1}, {16, 1, 1 << 29}, {2, 1 << 62, 4}} {
		_, err := kdf.Scrypt(nil, nil, p[0], p[1], p[2], 16, 32<<20, free)
		require.ErrorIs(t, err, kdf.ErrScrypt, "%v", p)
	}
}

// TestPBKDF2 compares with Go's.
func TestPBKDF2(t *testing.T) {
	for _, size := range []int{0, 1, 32, 100} {
		for _, password := range []string{"", "p", strings.Repeat("p", 65)} {
			want, err := pbkdf2.Key(sha256.New, password, []byte("salt"), 3, max(size, 1))
			require.NoError(t, err)
			got, err := kdf.PBKDF2(sha256.New, []byte(password), []byte("salt"), 3, size, free)
			require.NoError(t, err)
			require.Equal(t, hex.EncodeToString(want[:size]), hex.EncodeToString(got))
		}
	}
}

// TestWorkEnds lets work fail after a while, where each function would go on much longer.
func TestWorkEnds(t *testing.T) {
	over := errors.New("over")
	large := make([]byte, 10<<20)
	for name, f := range map[string]func(work kdf.Work) ([]byte, error){
		"pbkdf2":   func(w kdf.Work) ([]byte, error) { return kdf.PBKDF2(sha256.New, nil, nil, 1<<40, 32, w) },
		"salt":     func(w kdf.Work) ([]byte, error) { return kdf.PBKDF2(sha256.New, nil, large, 1, 1<<40, w) },
		"password": func(w kdf.Work) ([]byte, error) { return kdf.PBKDF2(sha256.New, large, nil, 1, 32, w) },
		"scrypt":   func(w kdf.Work) ([]byte, error) { return kdf.Scrypt(nil, nil, 1<<15, 8, 1<<10, 8, 1<<30, w) },
	} {
		left := 1 << 20
		_, err := f(func(n int) error {
			if left -= n; left < 0 {
				return over
			}
			return nil
		})
		require.ErrorIs(t, err, over, name)
	}
}
