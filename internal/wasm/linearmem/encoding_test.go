package linearmem

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEncoding(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, places := range []int{0, 1, 5, 50} {
		m, err := Reserve(20 * PageSize)
		require.NoError(t, err)
		memory := m.Reallocate(20 * PageSize)
		scribble(random, memory, places)
		image, err := m.Capture()
		require.NoError(t, err)
		data, err := image.Append([]byte("before"))
		require.NoError(t, err)
		image.Close()
		_, err = image.Append(nil)
		require.ErrorIs(t, err, errClosed)

		decoded, err := DecodeImage(bytes.NewReader(bytes.TrimPrefix(data, []byte("before"))), nil)
		require.NoError(t, err)
		clear(data)
		other, err := Reserve(20 * PageSize)
		require.NoError(t, err)
		scribble(random, other.Reallocate(decoded.Size()), 5)
		for range 2 {
			require.NoError(t, other.Restore(decoded))
			now := other.Reallocate(other.Size())
			require.True(t, bytes.Equal(memory, now), places)
			scribble(random, now, 5)
		}
		again, err := decoded.Append(nil)
		require.NoError(t, err)
		require.Equal(t, image.Bytes(), decoded.Bytes())
		require.Len(t, again, len(data)-len("before"))
		decoded.Close()
		other.Free()
		m.Free()
	}
}

func TestWhatIsNoImage(t *testing.T) {
	page := uint64(os.Getpagesize())
	const size = 4 * PageSize
	encode := func(content uint64, numbers ...uint64) (data []byte) {
		for _, n := range numbers {
			data = binary.LittleEndian.AppendUint64(data, n)
		}
		data = append(data, make([]byte, int(page)-len(data))...)
		return append(data, make([]byte, content)...)
	}
	good := encode(2*page, page, size, 2, 0, page, size-page, page)
	image, err := DecodeImage(bytes.NewReader(good), nil)
	require.NoError(t, err)
	image.Close()
	many := []uint64{page, 64 * PageSize, maxPieces + 1}
	for i := range uint64(maxPieces + 1) {
		many = append(many, 2*i*page, page)
	}
	for name, data := range map[string][]byte{
		"nothing":                           nil,
		"other pages":                       encode(0, 2*page, size, 0),
		"no memory":                         encode(0, page, 0, 0),
		"half a page":                       encode(0, page, PageSize/2, 0),
		"more than can be":                  encode(0, page, 1<<32+PageSize, 0),
		"cut off":                           good[:len(good)-1],
		"cut off in the pieces":             good[:40],
		"cut off before the pieces":         good[:24],
		"cut off behind the pieces":         good[:page-1],
		"something behind the pieces":       append(append(bytes.Clone(good[:page-1]), 1), good[page:]...),
		"too long":                          append(bytes.Clone(good), 0),
		"more pieces than there is":         encode(0, page, size, math.MaxUint64),
		"more pieces than there are in one": encode((maxPieces+1)*page, many...),
		"pieces that overlap":               encode(3*page, page, size, 2, 0, 2*page, page, page),
		"pieces in another order":           encode(2*page, page, size, 2, page, page, 0, page),
		"a piece behind the end":            encode(page, page, size, 1, size, page),
		"a piece over the end":              encode(2*page, page, size, 1, size-page, 2*page),
		"a piece that wraps around":         encode(page, page, size, 1, math.MaxUint64-page+1, page),
		"a length that wraps":               encode(page, page, size, 1, page, math.MaxUint64-page+1),
		"an empty piece":                    encode(0, page, size, 1, 0, 0),
		"a piece between pages":             encode(page, page, size, 1, 1, page),
		"half of a piece":                   encode(page/2, page, size, 1, 0, page/2),
	} {
		_, err := DecodeImage(bytes.NewReader(data), nil)
		require.Error(t, err, name)
		file := fileOf(t, data)
		_, err = DecodeImage(file, file)
		require.Error(t, err, name)
	}
}

// fileOf returns a file with a content, open at its beginning.
func fileOf(t *testing.T, data []byte) *os.File {
	name := filepath.Join(t.TempDir(), "image")
	require.NoError(t, os.WriteFile(name, data, 0o600))
	file, err := os.Open(name)
	require.NoError(t, err)
	t.Cleanup(func() { file.Close() })
	return file
}

// TestImagesInFiles maps images from files. What is written to a memory stays out of the file and of other memories,
// and the image stays when the file has been closed and removed.
func TestImagesInFiles(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	m, err := Reserve(20 * PageSize)
	require.NoError(t, err)
	defer m.Free()
	memory := m.Reallocate(20 * PageSize)
	scribble(random, memory, 50)
	captured, err := m.Capture()
	require.NoError(t, err)
	defer captured.Close()
	data, err := captured.Append(nil)
	require.NoError(t, err)

	file := fileOf(t, data)
	image, err := DecodeImage(file, file)
	require.NoError(t, err)
	defer image.Close()
	require.NoError(t, file.Close())
	if runtime.GOOS == "linux" {
		require.Zero(t, image.Bytes(), "it is the file's")
	}
	var others [2]*Memory
	for i := range others {
		others[i], err = Reserve(20 * PageSize)
		require.NoError(t, err)
		defer others[i].Free()
		scribble(random, others[i].Reallocate(image.Size()), 5)
		require.NoError(t, others[i].Restore(image))
	}
	for range 3 {
		for _, other := range others {
			require.True(t, bytes.Equal(memory, other.Reallocate(image.Size())))
		}
		scribble(random, others[0].Reallocate(image.Size()), 20)
		require.True(t, bytes.Equal(memory, others[1].Reallocate(image.Size())))
		delta, err := others[0].Delta(image)
		require.NoError(t, err)
		require.NotEmpty(t, delta.Pages)
		require.NoError(t, others[0].Restore(image))
		kept, err := os.ReadFile(file.Name())
		if !os.IsNotExist(err) {
			require.NoError(t, err)
			require.True(t, bytes.Equal(data, kept))
			require.NoError(t, os.Remove(file.Name()))
		}
	}
	first, err := captured.Digest()
	require.NoError(t, err)
	second, err := image.Digest()
	require.NoError(t, err)
	require.Equal(t, first, second)
}

// FuzzImage decodes arbitrary data. An accepted image can be restored, contains exactly what was encoded, and is
// encoded the same way again. The last byte is the number of pages that follow the numbers, because a fuzzer could not
// guess that much content.
func FuzzImage(f *testing.F) {
	page := uint64(os.Getpagesize())
	add := func(pages byte, numbers ...uint64) {
		var data []byte
		for _, n := range numbers {
			data = binary.LittleEndian.AppendUint64(data, n)
		}
		f.Add(data, pages)
	}
	const size = 4 * PageSize
	add(0, page, size, 0)
	add(1, page, size, 1, size-page, page)
	add(2, page, size, 2, 0, page, size-page, page)
	add(3, page, size, 2, 0, page, page, 2*page)
	add(2, page, 1<<32, 1, 1<<32-2*page, 2*page)
	add(1, page, size, 1, math.MaxUint64-page+1, page)
	add(1, page, size, math.MaxUint64, 0, page)
	f.Fuzz(func(t *testing.T, data []byte, pages byte) {
		data = append(data, make([]byte, max(0, int(page)-len(data)))...)
		for i := range uint64(pages%8) * page {
			data = append(data, byte(1+i/page))
		}
		image, err := DecodeImage(bytes.NewReader(data), nil)
		if err != nil {
			return
		}
		defer image.Close()
		again, err := image.Append(nil)
		require.NoError(t, err)
		require.True(t, bytes.Equal(data, again))
		if image.Size() > 64*PageSize {
			return
		}
		m, err := Reserve(64 * PageSize)
		require.NoError(t, err)
		defer m.Free()
		scribble(rand.New(rand.NewPCG(5, 6)), m.Reallocate(image.Size()), 3)
		require.NoError(t, m.Restore(image))
		memory, rest := m.Reallocate(image.Size()), int64(0)
		for _, p := range image.pieces {
			require.True(t, bytes.Equal(memory[p.at:p.at+p.length], image.data[p.offset:p.offset+p.length]))
			clear(memory[p.at : p.at+p.length])
			rest += int64(p.length)
		}
		require.Equal(t, image.Bytes(), rest)
		for at := 0; at < len(memory); at += len(zeros) {
			require.True(t, isZero(memory[at:at+len(zeros)]))
		}
	})
}
