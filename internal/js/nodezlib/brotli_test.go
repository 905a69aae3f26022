package nodezlib_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/nodezlib"
)

func brotli(t *testing.T, b nodezlib.BrotliCompression, data []byte) []byte {
	b.Work = free
	out := nodezlib.NewOutput(1 << 30)
	require.NoError(t, b.Compress(data, out))
	return bytes.Join(out.Pieces(), nil)
}

func unbrotli(data []byte, partial bool) ([]byte, int, error) {
	out := nodezlib.NewOutput(1 << 30)
	used, err := nodezlib.BrotliDecompression{Partial: partial, Work: free}.Decompress(data, out)
	return bytes.Join(out.Pieces(), nil), used, err
}

// TestBrotli compresses and decompresses data of many kinds, with flushes and with something behind it.
func TestBrotli(t *testing.T) {
	for i, data := range samples() {
		for quality := i % 4; quality <= 11 && (len(data) < 1000 || quality < 10 || i == 5); quality += 3 {
			flushes := []int{0, len(data) / 3, len(data) / 3, len(data)}[:i%5%4]
			compressed := brotli(t, nodezlib.BrotliCompression{Quality: quality, Window: 16 + i%9, Flushes: flushes},
				data)
			got, used, err := unbrotli(compressed, false)
			require.NoError(t, err)
			require.Equal(t, len(compressed), used)
			require.True(t, bytes.Equal(data, got))
			got, used, err = unbrotli(append(compressed, "garbage"...), false)
			require.NoError(t, err)
			require.Equal(t, len(compressed), used)
			require.True(t, bytes.Equal(data, got))
		}
	}
}

// TestBrotliOpen compresses what is only the beginning of a stream.
func TestBrotliOpen(t *testing.T) {
	data := samples()[9]
	open := brotli(t, nodezlib.BrotliCompression{Quality: 11, Window: 22, Flushes: []int{1000, 2000}, Open: true},
		data[:2000])
	got, _, err := unbrotli(open, true)
	require.NoError(t, err)
	require.True(t, bytes.Equal(data[:2000], got))
	_, _, err = unbrotli(open, false)
	require.EqualError(t, err, "unexpected end of file")
	all := brotli(t, nodezlib.BrotliCompression{Quality: 11, Window: 22, Flushes: []int{1000, 2000}}, data[:5000])
	require.True(t, bytes.HasPrefix(all, open))
}

// TestBrotliDamaged decompresses what is no Brotli: it fails with a code of Node's, and never panics.
func TestBrotliDamaged(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	compressed := brotli(t, nodezlib.BrotliCompression{Quality: 5, Window: 18}, samples()[9][:20_000])
	codes := map[string]bool{}
	for range 400 {
		damaged := bytes.Clone(compressed)
		for range 1 + random.IntN(3) {
			damaged[random.IntN(min(len(damaged), 200))] = byte(random.Uint32())
		}
		out := nodezlib.NewOutput(1 << 20)
		_, err := nodezlib.BrotliDecompression{Work: free}.Decompress(damaged, out)
		if known, ok := errors.AsType[*nodezlib.Error](err); ok {
			codes[known.Code] = true
		} else if err != nil {
			require.ErrorIs(t, err, nodezlib.ErrTooLong)
		}
	}
	require.Greater(t, len(codes), 4, "%v", codes)
}

// TestBrotliBombs stops both directions by their work, and an output by its limit.
func TestBrotliBombs(t *testing.T) {
	bomb := brotli(t, nodezlib.BrotliCompression{Quality: 1, Window: 22}, make([]byte, 10<<20))
	require.Less(t, len(bomb), 20_000)
	small := nodezlib.NewOutput(1 << 20)
	_, err := nodezlib.BrotliDecompression{Work: free}.Decompress(bomb, small)
	require.ErrorIs(t, err, nodezlib.ErrTooLong)

	over := errors.New("over")
	left := 0
	work := func(n int) error {
		if left -= n; left < 0 {
			return over
		}
		return nil
	}
	left = 4 << 20
	all := nodezlib.NewOutput(1 << 30)
	_, err = nodezlib.BrotliDecompression{Work: work}.Decompress(bomb, all)
	require.ErrorIs(t, err, over)
	require.LessOrEqual(t, all.Len(), 1<<20)

	left = 4 << 20
	empty := append([]byte{12}, bytes.Repeat([]byte{6}, 1<<20)...) // blocks of metadata without a byte
	_, err = nodezlib.BrotliDecompression{Work: work}.Decompress(empty, all)
	require.ErrorIs(t, err, over)

	for _, quality := range []int{0, 5, 9, 11} {
		left = 4 << 20
		err := nodezlib.BrotliCompression{Quality: quality, Window: 22, Work: work}.Compress(make([]byte, 1<<20), all)
		require.ErrorIs(t, err, over)

		left = 4 << 20
		b := nodezlib.BrotliCompression{Quality: quality, Window: 22, Flushes: make([]int, 20_000), Work: work}
		require.ErrorIs(t, b.Compress([]byte("x"), all), over)
	}
}
