package linearmem

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// scribble writes to random places.
func scribble(random *rand.Rand, memory []byte, places int) {
	for range places {
		at, n := random.IntN(len(memory)), 1+random.IntN(2000)
		for i := at; i < min(at+n, len(memory)); i++ {
			memory[i] = byte(random.Uint32())
		}
	}
}

func TestImage(t *testing.T) {
	t.Run("nothing is left of what was written since", func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		for round := range 8 {
			m, err := Reserve(64 * PageSize)
			require.NoError(t, err)
			memory := m.Reallocate(uint64(1+random.IntN(20)) * PageSize)
			scribble(random, memory, random.IntN(20))
			want := bytes.Clone(memory)
			image, err := m.Capture()
			require.NoError(t, err)
			require.EqualValues(t, len(memory), image.Size())
			require.LessOrEqual(t, image.Bytes(), int64(len(memory)))

			other, err := Reserve(48 * PageSize)
			require.NoError(t, err)
			scribble(random, other.Reallocate(m.Size()), 5)
			for range 8 {
				for _, m := range []*Memory{m, other} {
					require.NoError(t, m.Restore(image))
					now := m.Reallocate(m.Size())
					require.True(t, bytes.Equal(want, now), "round %d", round)
					switch random.IntN(4) {
					case 0:
					case 1: // more than is reverted page by page
						clear(now)
					case 2:
						scribble(random, now, 1000)
					default:
						scribble(random, now, random.IntN(30))
					}
				}
			}
			// Writing to a memory restored from an image does not change the image.
			fresh, err := Reserve(48 * PageSize)
			require.NoError(t, err)
			fresh.Reallocate(m.Size())
			require.NoError(t, fresh.Restore(image))
			require.True(t, bytes.Equal(want, fresh.Reallocate(m.Size())))
			image.Close()
			for _, m := range []*Memory{m, other, fresh} {
				m.Free()
			}
		}
	})
	t.Run("pages that lie apart are few mappings", func(t *testing.T) {
		for _, distance := range []int{2, 3, 9} {
			m, err := Reserve(1000 * PageSize)
			require.NoError(t, err)
			memory := m.Reallocate(m.Reserved())
			for at := 0; at < len(memory); at += distance * PageSize {
				memory[at] = 1
			}
			want := bytes.Clone(memory)
			image, err := m.Capture()
			require.NoError(t, err)
			require.LessOrEqual(t, len(image.pieces), maxPieces)
			require.LessOrEqual(t, image.Bytes(), int64(len(memory)))
			for range 2 {
				scribble(rand.New(rand.NewPCG(1, 2)), memory, 50)
				require.NoError(t, m.Restore(image))
				require.True(t, bytes.Equal(want, memory))
			}
			image.Close()
			m.Free()
		}
	})
	t.Run("another image takes the place of the first", func(t *testing.T) {
		m, err := Reserve(4 * PageSize)
		require.NoError(t, err)
		defer m.Free()
		memory := m.Reallocate(2 * PageSize)
		memory[5] = 1
		first, err := m.Capture()
		require.NoError(t, err)
		defer first.Close()
		memory[5], memory[PageSize] = 0, 2
		second, err := m.Capture()
		require.NoError(t, err)
		defer second.Close()
		for range 3 {
			require.NoError(t, m.Restore(first))
			require.Equal(t, []byte{1, 0}, []byte{memory[5], memory[PageSize]})
			require.NoError(t, m.Restore(second))
			require.Equal(t, []byte{0, 2}, []byte{memory[5], memory[PageSize]})
		}
	})
	t.Run("of another size", func(t *testing.T) {
		m, err := Reserve(4 * PageSize)
		require.NoError(t, err)
		defer m.Free()
		m.Reallocate(PageSize)
		image, err := m.Capture()
		require.NoError(t, err)
		defer image.Close()
		require.Zero(t, image.Bytes())
		require.NoError(t, m.Restore(image))
		m.Reallocate(2 * PageSize)
		require.ErrorContains(t, m.Restore(image), "cannot be restored")
	})
	t.Run("closed", func(t *testing.T) {
		m, err := Reserve(PageSize)
		require.NoError(t, err)
		defer m.Free()
		memory := m.Reallocate(PageSize)
		memory[0] = 7
		image, err := m.Capture()
		require.NoError(t, err)
		require.NoError(t, m.Restore(image))
		image.Close()
		image.Close()
		require.EqualValues(t, 7, memory[0])
		require.ErrorIs(t, m.Restore(image), errClosed)
	})
	t.Run("how much had been touched", func(t *testing.T) {
		m, err := Reserve(16 * PageSize)
		require.NoError(t, err)
		defer m.Free()
		memory := m.Reallocate(16 * PageSize)
		memory[0] = 7
		image, err := m.Capture()
		require.NoError(t, err)
		defer image.Close()
		require.NoError(t, m.Restore(image))
		require.EqualValues(t, PageSize, m.Touched(0, PageSize), "not known yet")
		memory[3*PageSize] = 1
		require.NoError(t, m.Restore(image))
		require.GreaterOrEqual(t, m.Touched(3*PageSize, PageSize), min(PageSize, uint64(os.Getpagesize())))
		for i := range memory {
			memory[i]++
		}
		require.NoError(t, m.Restore(image))
		require.EqualValues(t, 5*PageSize, m.Touched(PageSize, 5*PageSize))
	})
}

func TestShrink(t *testing.T) {
	m, err := Reserve(40 * PageSize)
	require.NoError(t, err)
	defer m.Free()
	for _, size := range []uint64{2, 3, 20, 40} {
		memory := m.Reallocate(size * PageSize)
		require.True(t, isZero(memory[len(memory)-PageSize:]))
		for i := range memory {
			memory[i] = 1
		}
		grown := false
		require.NoError(t, m.Shrink(PageSize, func() {
			grown = true
			require.Len(t, m.Reallocate((size+1)*PageSize), PageSize)
		}))
		require.True(t, grown)
		require.EqualValues(t, PageSize, m.Size())
		require.EqualValues(t, 1, m.Reallocate(PageSize)[PageSize-1], "what is left stays")
	}
	require.Error(t, m.Shrink(2*PageSize, func() {}), "that is larger")
	require.Error(t, m.Shrink(5, func() {}))
}

func TestLimit(t *testing.T) {
	m, err := Reserve(4 * PageSize)
	require.NoError(t, err)
	defer m.Free()
	require.EqualValues(t, 4*PageSize, m.Reserved())
	m.SetLimit(2*PageSize + 5)
	require.NotNil(t, m.Reallocate(2*PageSize))
	require.Nil(t, m.Reallocate(3*PageSize))
	require.True(t, m.Refused())
	m.SetLimit(100 * PageSize)
	require.False(t, m.Refused())
	require.NotNil(t, m.Reallocate(4*PageSize))
	require.Nil(t, m.Reallocate(5*PageSize), "no more than is reserved")
}

// BenchmarkRestore restores a memory of 4 MiB that contains 700 KiB, after writes to some pages.
func BenchmarkRestore(b *testing.B) {
	for _, bench := range []struct {
		name  string
		pages int
	}{{"25 pages written", 25}, {"400 pages written", 400}} {
		b.Run(bench.name, func(b *testing.B) {
			m, err := Reserve(64 * PageSize)
			require.NoError(b, err)
			defer m.Free()
			memory := m.Reallocate(64 * PageSize)
			for i := range 700 << 10 {
				memory[i] = 1
			}
			image, err := m.Capture()
			require.NoError(b, err)
			defer image.Close()
			require.NoError(b, m.Restore(image))
			for b.Loop() {
				for i := range bench.pages {
					memory[i*8<<10] = 2
				}
				require.NoError(b, m.Restore(image))
			}
		})
	}
}
