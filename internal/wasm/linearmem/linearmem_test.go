package linearmem

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestMemory(t *testing.T) {
	t.Run("grows in place up to the limit and not beyond", func(t *testing.T) {
		m, err := Reserve(4*PageSize + 100)
		require.NoError(t, err)
		defer m.Free()

		first := m.Reallocate(PageSize)
		require.Len(t, first, PageSize)
		first[PageSize-1] = 7
		all := m.Reallocate(4 * PageSize)
		require.Len(t, all, 4*PageSize)
		require.Equal(t, unsafe.SliceData(first), unsafe.SliceData(all), "the address must not change")
		require.EqualValues(t, 7, all[PageSize-1])
		require.Zero(t, all[4*PageSize-1])
		require.False(t, m.Refused())

		require.Nil(t, m.Reallocate(5*PageSize))
		require.True(t, m.Refused())
		require.EqualValues(t, 4*PageSize, m.Size())
	})
	t.Run("can be freed twice", func(t *testing.T) {
		m, err := Reserve(PageSize)
		require.NoError(t, err)
		m.Free()
		m.Free()
	})
	t.Run("needs a limit between one page and 4 GiB", func(t *testing.T) {
		for _, limit := range []uint64{0, PageSize - 1, 1<<32 + PageSize} {
			_, err := Reserve(limit)
			require.Error(t, err, limit)
		}
	})
}
