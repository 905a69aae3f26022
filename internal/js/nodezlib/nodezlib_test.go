package nodezlib_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/nodezlib"
)

func free(int) error { return nil }

func inflate(f nodezlib.Format, data, dictionary []byte) ([]byte, error) {
	out := nodezlib.NewOutput(1 << 30)
	_, err := nodezlib.Inflation{Format: f, Dictionary: dictionary, Work: free}.Inflate(data, out)
	return bytes.Join(out.Pieces(), nil), err
}

// samples returns data of many kinds and lengths.
func samples() [][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	var all [][]byte
	for _, size := range []int{0, 1, 100, 65536, 80_000} {
		text, noise := make([]byte, size), make([]byte, size)
		for i := range text {
			text[i] = "abcdefgh"[random.IntN(1+i*8/(size+1))]
			noise[i] = byte(random.Uint32())
			if i > 40_000 && i%100 < 50 {
				noise[i] = noise[i-32768]
			}
		}
		all = append(all, text, noise, make([]byte, size))
	}
	return all
}

// TestRoundTrips decompresses what this package and Go's library compress, and has that decompress what this one does.
func TestRoundTrips(t *testing.T) {
	for i, data := range samples() {
		for level := flate.HuffmanOnly; level <= 9; level += 1 + i%3 {
			for _, format := range []nodezlib.Format{nodezlib.Raw, nodezlib.Zlib,
				nodezlib.Gzip}[(i+level+2)%3 : (i+level+2)%3+1] {
				out := nodezlib.NewOutput(1 << 30)
				require.NoError(t, nodezlib.Deflation{Format: format, Level: level, Work: free}.Deflate(data, out))
				compressed := bytes.Join(out.Pieces(), nil)
				require.Equal(t, len(compressed), out.Len())
				var r io.Reader
				var err error
				switch format {
				case nodezlib.Raw:
					r = flate.NewReader(bytes.NewReader(compressed))
				case nodezlib.Zlib:
					r, err = zlib.NewReader(bytes.NewReader(compressed))
				case nodezlib.Gzip:
					r, err = gzip.NewReader(bytes.NewReader(compressed))
				}
				require.NoError(t, err)
				got, err := io.ReadAll(r)
				require.NoError(t, err)
				require.True(t, bytes.Equal(data, got))
				got, err = inflate(format, compressed, nil)
				require.NoError(t, err)
				require.True(t, bytes.Equal(data, got))
			}
		}
	}
}

// TestDictionaries decompresses with a dictionary.
func TestDictionaries(t *testing.T) {
	dictionary := bytes.Repeat([]byte("the words of a dictionary "), 3000)
	for _, format := range []nodezlib.Format{nodezlib.Raw, nodezlib.Zlib} {
		out := nodezlib.NewOutput(1 << 20)
		data := []byte("the words of a dictionary and others")
		require.NoError(t, nodezlib.Deflation{Format: format, Level: 9, Dictionary: dictionary,
			Work: free}.Deflate(data, out))
		require.Less(t, out.Len(), 30)
		got, err := inflate(format, out.Pieces()[0], dictionary)
		require.NoError(t, err)
		require.Equal(t, data, got)
	}
}

// TestDamaged decompresses data with bytes changed and cut off: whatever Go's library takes, this one takes as well,
// and the other way around.
func TestDamaged(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, data := range samples()[3:12] {
		if len(data) > 3000 {
			data = data[:3000]
		}
		for level := -1; level <= 9; level += 5 {
			out := nodezlib.NewOutput(1 << 30)
			require.NoError(t, nodezlib.Deflation{Format: nodezlib.Raw, Level: level, Work: free}.Deflate(data, out))
			compressed := bytes.Join(out.Pieces(), nil)
			for range 60 {
				damaged := bytes.Clone(compressed)
				for range random.IntN(3) {
					damaged[random.IntN(len(damaged))] ^= 1 << random.IntN(8)
				}
				damaged = damaged[:len(damaged)-random.IntN(2)*random.IntN(len(damaged))]
				want, wantErr := io.ReadAll(flate.NewReader(bytes.NewReader(damaged)))
				got, err := inflate(nodezlib.Raw, damaged, nil)
				require.Equal(t, wantErr == nil, err == nil, "%x: %v, %v", damaged, wantErr, err)
				if err == nil {
					require.True(t, bytes.Equal(want, got))
					continue
				}
				zlibError := &nodezlib.Error{}
				require.ErrorAs(t, err, &zlibError)
				if zlibError.Code == "Z_BUF_ERROR" {
					require.ErrorIs(t, wantErr, io.ErrUnexpectedEOF, "%x", damaged)
				}
			}
		}
	}
}

// TestBombs stops an output that grows, by its limit and by its work.
func TestBombs(t *testing.T) {
	out := nodezlib.NewOutput(1 << 30)
	require.NoError(t, nodezlib.Deflation{Format: nodezlib.Gzip, Level: 6, Work: free}.Deflate(make([]byte,
		10<<20), out))
	bomb := bytes.Join(out.Pieces(), nil)
	require.Less(t, len(bomb), 20_000)
	small := nodezlib.NewOutput(1 << 20)
	_, err := nodezlib.Inflation{Format: nodezlib.Any, Work: free}.Inflate(bomb, small)
	require.ErrorIs(t, err, nodezlib.ErrTooLong)
	require.LessOrEqual(t, small.Len(), 1<<20)

	over := errors.New("over")
	left := 1 << 20
	work := func(n int) error {
		if left -= n; left < 0 {
			return over
		}
		return nil
	}
	all := nodezlib.NewOutput(1 << 30)
	_, err = nodezlib.Inflation{Format: nodezlib.Gzip, Work: work}.Inflate(bomb, all)
	require.ErrorIs(t, err, over)
	require.Less(t, all.Len(), 1<<20)

	left = 1 << 20
	empty := make([]byte, 1<<20) // blocks of nothing: 00 00 00 ff ff
	for i := range empty {
		empty[i] = []byte{0, 0, 0, 255, 255}[i%5]
	}
	_, err = nodezlib.Inflation{Format: nodezlib.Raw, Work: work}.Inflate(empty, all)
	require.ErrorIs(t, err, over)

	left = 1 << 20
	require.ErrorIs(t, nodezlib.Deflation{Format: nodezlib.Raw, Level: 1, Work: work}.Deflate(make([]byte, 10<<20),
		all), over)
	left = 1 << 20
	_, err = nodezlib.CRC32(0, make([]byte, 10<<20), work)
	require.ErrorIs(t, err, over)
}

// parts cuts data into parts of random lengths.
func parts(data []byte, random *rand.Rand, longest int) [][]byte {
	var all [][]byte
	for len(data) > 0 {
		n := min(1+random.IntN(longest), len(data))
		all = append(all, data[:n])
		data = data[n:]
	}
	return all
}

// TestStreams compresses and decompresses in parts, whatever the parts are.
func TestStreams(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for i, data := range append(samples()[3:], make([]byte, 300_000)) {
		for _, format := range []nodezlib.Format{nodezlib.Raw, nodezlib.Zlib, nodezlib.Gzip} {
			f := nodezlib.Deflation{Format: format, Level: []int{-1, 0, 1, 9, -2}[i%5],
				Dictionary: []byte("abcabcdefgh"), Work: free}
			state := f.Begin()
			out := nodezlib.NewOutput(1 << 30)
			require.NoError(t, f.Continue(state, nil, nodezlib.NoFlush, out))
			for _, part := range parts(data, random, 40_000) {
				require.NoError(t, f.Continue(state, part, nodezlib.SyncFlush+nodezlib.Flush(random.IntN(2)), out))
			}
			require.NoError(t, f.Continue(state, nil, nodezlib.Finish, out))
			compressed := bytes.Join(out.Pieces(), nil)
			got, err := inflate(format, compressed, f.Dictionary)
			require.NoError(t, err)
			require.True(t, bytes.Equal(data, got))

			longest := 1 + len(compressed)/60
			back := nodezlib.Inflation{Format: format, Dictionary: f.Dictionary, Work: free}
			if i%2 == 0 && format != nodezlib.Raw {
				back.Format = nodezlib.Any
			}
			state = back.Begin()
			out = nodezlib.NewOutput(1 << 30)
			var rest []byte
			for _, part := range parts(append(compressed, 0, 0), random, longest) {
				for rest = append(rest, part...); ; {
					before := out.Len()
					require.NoError(t, back.Continue(state, rest, false, 20_000, out))
					require.LessOrEqual(t, out.Len()-before, 20_000+2*(32<<10)+512)
					rest = rest[binary.LittleEndian.Uint32(state):]
					if binary.LittleEndian.Uint32(state[4:])&2 == 0 {
						break
					}
				}
			}
			require.Equal(t, uint32(1), binary.LittleEndian.Uint32(state[4:]))
			require.Equal(t, 2, len(rest))
			require.True(t, bytes.Equal(data, bytes.Join(out.Pieces(), nil)))
		}
	}
}

// TestForgedStates goes on with states that no stream has: whatever comes of it, it ends without a panic.
func TestForgedStates(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	out := nodezlib.NewOutput(1 << 30)
	data := samples()[9]
	require.NoError(t, nodezlib.Deflation{Format: nodezlib.Zlib, Level: 6, Work: free}.Deflate(data, out))
	compressed := bytes.Join(out.Pieces(), nil)
	back := nodezlib.Inflation{Format: nodezlib.Zlib, Work: free}
	good := back.Begin()
	require.NoError(t, back.Continue(good, compressed[:len(compressed)/2], false, 1<<30, nodezlib.NewOutput(1<<30)))
	f := nodezlib.Deflation{Format: nodezlib.Zlib, Level: 1, Work: free}
	goodDeflate := f.Begin()
	require.NoError(t, f.Continue(goodDeflate, data, nodezlib.SyncFlush, nodezlib.NewOutput(1<<30)))
	refused := 0
	for range 1200 {
		state := bytes.Clone(good)
		for range 1 + random.IntN(3) {
			state[random.IntN(400)] = byte(random.IntN(256) >> random.IntN(8))
		}
		err := back.Continue(state, compressed[len(compressed)/2:], random.IntN(2) == 0, 1000,
			nodezlib.NewOutput(1<<20))
		if errors.Is(err, nodezlib.ErrState) {
			refused++
		}
		state = bytes.Clone(goodDeflate)
		state[random.IntN(24)] = byte(random.IntN(256))
		if random.IntN(10) == 0 {
			err = f.Continue(state, nil, nodezlib.Flush(random.IntN(6)-1), nodezlib.NewOutput(1<<20))
			require.True(t, err == nil || errors.Is(err, nodezlib.ErrState), "%v", err)
		}
	}
	require.Greater(t, refused, 100)
	require.ErrorIs(t, back.Continue(good[:100], nil, true, 1, out), nodezlib.ErrState)
	require.ErrorIs(t, f.Continue(nil, nil, nodezlib.Finish, out), nodezlib.ErrState)
}

func FuzzInflate(f *testing.F) {
	f.Add([]byte{0x78, 0x9c, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 7, 0, 6, 0x2c, 2, 0x15})
	f.Add([]byte{5, 0xe0, 0x81, 8, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		want, wantErr := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data)), 1<<20))
		out := nodezlib.NewOutput(1 << 20)
		_, err := nodezlib.Inflation{Format: nodezlib.Raw, Work: free}.Inflate(data, out)
		if errors.Is(err, nodezlib.ErrTooLong) {
			return
		}
		require.Equal(t, wantErr == nil, err == nil, "%v, %v", wantErr, err)
		if err == nil {
			require.True(t, bytes.Equal(want, bytes.Join(out.Pieces(), nil)))
		}
	})
}
