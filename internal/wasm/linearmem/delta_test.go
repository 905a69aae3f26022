package linearmem

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// patterned returns a memory with some pages that are not zero.
func patterned(t testing.TB, size uint64) *Memory {
	m, err := Reserve(64 << 20)
	require.NoError(t, err)
	t.Cleanup(m.Free)
	memory := m.Reallocate(size)
	require.NotNil(t, memory)
	for at := 0; at < len(memory); at += 3 * DeltaPage {
		memory[at] = byte(at/DeltaPage + 1)
	}
	return m
}

func TestDelta(t *testing.T) {
	base := patterned(t, 1<<20)
	image, err := base.Capture()
	require.NoError(t, err)
	defer image.Close()
	random := rand.New(rand.NewPCG(1, 2))
	for _, writes := range []int{0, 1, 30, 3000} {
		for _, restored := range []bool{true, false} { // by mapping the image, or with the same content by chance
			m := patterned(t, 1<<20)
			if restored {
				require.NoError(t, m.Restore(image))
			}
			memory := m.Reallocate(2 << 20)
			for range writes {
				memory[random.IntN(len(memory))] = byte(random.Int())
			}
			d, err := m.Delta(image)
			require.NoError(t, err)
			require.NoError(t, d.Check(2<<20))
			require.Error(t, d.Check(1<<20))
			require.LessOrEqual(t, len(d.Pages), writes, "only what has changed")

			other, err := Reserve(4 << 20)
			require.NoError(t, err)
			defer other.Free()
			other.Reallocate(1 << 20)
			require.NoError(t, other.Restore(image))
			require.Error(t, other.Apply(d), "it is too small")
			copied := other.Reallocate(2 << 20)
			require.NoError(t, other.Apply(d))
			require.True(t, bytes.Equal(memory, copied))
		}
	}
	small := patterned(t, PageSize)
	_, err = small.Delta(image)
	require.Error(t, err)
}

func TestDigest(t *testing.T) {
	digest := func(m *Memory) [32]byte {
		image, err := m.Capture()
		require.NoError(t, err)
		defer image.Close()
		d, err := image.Digest()
		require.NoError(t, err)
		return d
	}
	a, b := patterned(t, 1<<20), patterned(t, 1<<20)
	require.Equal(t, digest(a), digest(b))
	before := digest(b)
	b.Reallocate(1 << 20)[12345] ^= 1
	require.NotEqual(t, before, digest(b))
	require.NotEqual(t, before, digest(patterned(t, 1<<20+PageSize)))
	image, err := a.Capture()
	require.NoError(t, err)
	image.Close()
	_, err = image.Digest()
	require.ErrorIs(t, err, errClosed)
	_, err = a.Delta(image)
	require.ErrorIs(t, err, errClosed)
}

func TestBadDeltas(t *testing.T) {
	for name, d := range map[string]Delta{
		"empty":            {},
		"not whole pages":  {Size: PageSize + 1},
		"data without":     {Size: PageSize, Data: make([]byte, DeltaPage)},
		"too little data":  {Size: PageSize, Pages: []uint32{0, 1}, Data: make([]byte, DeltaPage)},
		"a page outside":   {Size: PageSize, Pages: []uint32{PageSize / DeltaPage}, Data: make([]byte, DeltaPage)},
		"a page far away":  {Size: PageSize, Pages: []uint32{1<<32 - 1}, Data: make([]byte, DeltaPage)},
		"twice":            {Size: PageSize, Pages: []uint32{1, 1}, Data: make([]byte, 2*DeltaPage)},
		"in another order": {Size: PageSize, Pages: []uint32{2, 1}, Data: make([]byte, 2*DeltaPage)},
		"too large":        {Size: 1 << 33},
	} {
		require.Error(t, d.Check(1<<32), name)
	}
}
