package linearmem

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOwnPages compares the two ways to find the pages of a process.
func TestOwnPages(t *testing.T) {
	file, err := os.Open("/proc/self/pagemap")
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	find := map[string]pageFinder{"scan": scanPagemap, "read": readPagemap}
	page := uint64(os.Getpagesize())
	for name, find := range find {
		t.Run(name, func(t *testing.T) {
			if !find.truthful(file) {
				t.Skip("the system does not have it")
			}
			m, err := Reserve(256 * PageSize)
			require.NoError(t, err)
			defer m.Free()
			memory := m.Reallocate(m.Reserved())
			pages := uint64(len(memory)) / page
			random := rand.New(rand.NewPCG(1, 2))
			for i := range pages / 2 {
				memory[i*page] = 1
			}
			image, err := m.Capture()
			require.NoError(t, err)
			defer image.Close()
			require.NoError(t, clearPages(memory))
			require.NoError(t, image.placeShared(memory))
			list, ok := find(file, memory, nil, 0)
			require.True(t, ok)
			require.Empty(t, list)
			const most = 4 * mostRegions // so that the system finds them in several goes
			want := map[uint64]bool{}
			for range most {
				at := random.Uint64N(pages) * page
				memory[at]++
				want[at] = true
				_ = memory[random.Uint64N(pages/2)*page] // reading the image is not writing
			}
			list, ok = find(file, memory, []uint64{7}, most)
			require.True(t, ok)
			require.EqualValues(t, 7, list[0])
			require.Len(t, list, 1+len(want))
			require.IsIncreasing(t, list)
			for _, at := range list[1:] {
				require.True(t, want[at], at)
			}
			_, ok = find(file, memory, nil, len(want))
			require.True(t, ok, "as many as may be")
			_, ok = find(file, memory, nil, len(want)-1)
			require.False(t, ok, "too many")
		})
	}
}

// BenchmarkOwnPages looks at a memory of 24 MiB, of which 80 pages have been written.
func BenchmarkOwnPages(b *testing.B) {
	file, err := os.Open("/proc/self/pagemap")
	if err != nil {
		b.Skip(err)
	}
	defer file.Close()
	m, err := Reserve(384 * PageSize)
	require.NoError(b, err)
	defer m.Free()
	memory := m.Reallocate(m.Reserved())
	page := os.Getpagesize()
	for i := range len(memory) / page {
		memory[i*page] = 1
	}
	image, err := m.Capture()
	require.NoError(b, err)
	defer image.Close()
	require.NoError(b, clearPages(memory))
	require.NoError(b, image.placeShared(memory))
	for i := range len(memory) / page {
		if i%3 == 0 {
			_ = memory[i*page]
		}
		if i%80 == 0 {
			memory[i*page] = 2
		}
	}
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			scanPagemap(file, memory, nil, 400)
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			readPagemap(file, memory, nil, 400)
		}
	})
}
