package metering_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// partSize is the size of the parts of a large copy or fill.
const partSize = 512 << 10

const largePages = 72

func largeMemory() []byte {
	var m builder
	m.memory(limits(largePages))
	m.exportFunction("copy", "iii:", "", localGet(0), localGet(1), localGet(2), memoryCopy())
	m.exportFunction("fill", "iii:", "", localGet(0), localGet(1), localGet(2), memoryFill())
	return m.bytes()
}

// TestLargeCopiesAndFills compares the results with those of Go's copy, for all kinds of overlaps.
func TestLargeCopiesAndFills(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	rewritten, err := metering.Rewrite(largeMemory(), metering.Options{})
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	start := make([]byte, largePages<<16)
	for i := range start {
		start[i] = byte(random.Uint32())
	}
	sizes := []uint32{0, 1, partSize - 1, partSize, partSize + 1, 2*partSize - 1, 2 * partSize, 2*partSize + 1,
		3*partSize + 77}
	distances := []int{0, 1, 7, partSize - 1, partSize, partSize + 1, 2 * partSize, 3*partSize + 76, 3*partSize + 77,
		3*partSize + 78, 4 * partSize}
	forEachEngine(t, func(t *testing.T, e engine) {
		i, err := instantiate(t, e, rewritten, endless())
		require.NoError(t, err)
		memory, _ := i.Memory().Read(0, uint32(len(start)))
		want := make([]byte, len(start))
		for _, size := range sizes {
			for _, distance := range distances {
				for _, forward := range []bool{true, false} {
					from, to := uint32(1000), uint32(1000+distance)
					if !forward {
						from, to = to, from
					}
					copy(want, start)
					copy(want[to:to+size], slices.Clone(want[from:from+size]))
					copy(memory, start)
					_, err := i.call("copy", uint64(to), uint64(from), uint64(size))
					require.NoError(t, err)
					require.True(t, bytes.Equal(want, memory), "%d bytes from %d to %d", size, from, to)
				}
			}
			copy(want, start)
			for j := range size {
				want[5+j] = 'x'
			}
			copy(memory, start)
			_, err := i.call("fill", 5, 'x', uint64(size))
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, memory), "%d bytes filled", size)
		}
		copy(memory, start)
		_, err = i.call("fill", 0, 'y', largePages<<16)
		require.NoError(t, err, "all of the memory")
		require.Equal(t, bytes.Repeat([]byte{'y'}, 10), memory[len(memory)-10:])
	})
}

func TestLargeCopiesAndFillsThatDoNotFitDoNothing(t *testing.T) {
	rewritten, err := metering.Rewrite(largeMemory(), metering.Options{})
	require.NoError(t, err)
	const all = largePages << 16
	forEachEngine(t, func(t *testing.T, e engine) {
		for _, c := range []struct {
			function    string
			to, from, n uint32
		}{
			{"fill", 1, 'x', all},
			{"fill", 0, 'x', all + 1},
			{"fill", all, 'x', partSize + 1},
			{"fill", 0, 'x', 1<<32 - 1},
			{"fill", 1<<32 - 1, 'x', 1<<32 - 1},
			{"copy", 1, 0, all},
			{"copy", 0, 1, all},
			{"copy", all - partSize, 0, partSize + 1},
			{"copy", 0, all - partSize, partSize + 1},
			{"copy", 1<<32 - partSize, 0, 2 * partSize},
			{"copy", 0, 1<<32 - partSize, 2 * partSize},
		} {
			i, err := instantiate(t, e, rewritten, endless())
			require.NoError(t, err)
			memory, _ := i.Memory().Read(0, all)
			for j := range memory {
				memory[j] = byte(j >> 8)
			}
			before := bytes.Clone(memory)
			_, err = i.call(c.function, uint64(c.to), uint64(c.from), uint64(c.n))
			require.ErrorContains(t, err, "out of bounds memory access", "%v", c)
			require.True(t, bytes.Equal(before, memory), "%v", c)
		}
	})
}

// TestLargeCopiesAndFillsAreStopped checks that the fuel is checked between the parts, and that running out of it stops
// the operation in the middle.
func TestLargeCopiesAndFillsAreStopped(t *testing.T) {
	rewritten, err := metering.Rewrite(largeMemory(), metering.Options{})
	require.NoError(t, err)
	const size, price = 4*partSize + 640, partSize / 64
	forEachEngine(t, func(t *testing.T, e engine) {
		for _, function := range []string{"fill", "copy"} {
			host := &meter{portion: 1, refills: 100}
			i, err := instantiate(t, e, rewritten, host)
			require.NoError(t, err)
			_, err = i.call(function, 2*partSize, 0, size)
			require.NoError(t, err)
			require.Equal(t, []int32{-price, 1 - price, 1 - price, 1 - price, 1 - 10}, host.asked)
			require.EqualValues(t, size/64, host.used(i.fuel()))

			host = &meter{portion: 1, refills: 2}
			i, err = instantiate(t, e, rewritten, host)
			require.NoError(t, err)
			memory, _ := i.Memory().Read(0, largePages<<16)
			_, err = i.call("fill", 0, 'x', size)
			require.ErrorIs(t, err, errStopped)
			require.Equal(t, byte('x'), memory[2*partSize-1])
			require.Zero(t, memory[2*partSize])
		}
	})
}
