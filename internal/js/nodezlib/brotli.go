package nodezlib

import (
	"errors"
	"io"
	"math/bits"
	"strings"

	"github.com/andybalholm/brotli"
)

// BrotliDecompression decompresses RFC 7932, without large windows.
type BrotliDecompression struct {
	// Partial takes data that ends too early for all there is.
	Partial bool

	// Work is called before each piece of the data and after each part of the output.
	Work Work
}

const (
	// brotliPiece is how much of the input the decoder gets at once, in bytes.
	brotliPiece = 1 << 10

	// brotliCost is the work of a byte of the input: the tables that it can describe are that much larger.
	brotliCost = 64
)

// Decompress writes what data decompresses to, and returns how many bytes of it were used: data behind the end is
// ignored. The error is an *Error, that of Work, or that of the output.
func (b BrotliDecompression) Decompress(data []byte, out *Output) (used int, err error) {
	defer recoverAs(&err, decodingFailed("UNREACHABLE"))
	source := &brotliSource{data: data, fine: len(data), work: b.Work}
	more, err := b.decompress(source, out)
	if !more || err != nil {
		return source.at, err
	}
	// The end is in the last piece, but the library does not say where. Given single bytes, it stops at the end or at
	// the byte behind it.
	nothing := NewOutput(-1)
	source = &brotliSource{data: data, fine: max(source.at-brotliPiece, 0), work: b.Work}
	if _, err := b.decompress(source, nothing); err != nil {
		return source.at, err
	}
	used = max(source.at-1, 0)
	b.Partial = false
	if _, err := b.decompress(&brotliSource{data: data[:used], fine: used, work: b.Work},
		nothing); err == error(errEnd) {
		used++
	} else if err != nil {
		return used, err
	}
	return used, nil
}

// decompress is true if more data follows the end. An output with a negative limit takes nothing.
func (b BrotliDecompression) decompress(source *brotliSource, out *Output) (more bool, err error) {
	if err := b.Work(blockWork + brotliWindow(source.data)/32); err != nil {
		return false, err
	}
	r := brotli.NewReader(source)
	buffer := make([]byte, outputPiece)
	for {
		n, err := r.Read(buffer)
		if worked := b.Work(4 * n); worked != nil {
			return false, worked
		}
		if out.limit >= 0 {
			if _, err := out.Write(buffer[:n]); err != nil {
				return false, err
			}
		}
		switch {
		case source.stopped != nil:
			return false, source.stopped
		case err == nil:
			continue
		case err == io.EOF:
			return false, nil
		case err.Error() == "brotli: excessive input":
			return true, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			if b.Partial {
				return false, nil
			}
			return false, errEnd
		}
		return false, decodingFailed(strings.TrimPrefix(err.Error(), "brotli: "))
	}
}

// decodingFailed is the error for a reason of the library, whose names for them nearly are those of Node.
func decodingFailed(reason string) error {
	group := "FORMAT_"
	switch reason {
	case "UNREACHABLE", "INVALID", "DICTIONARY_NOT_SET", "INVALID_ARGUMENTS":
		group = ""
	}
	return &Error{"ERR__ERROR_" + group + reason, "Decompression failed"}
}

// recoverAs makes a panic of the library an error: it has had some for certain data.
func recoverAs(err *error, failure error) {
	if recover() != nil {
		*err = failure
	}
}

// brotliWindow returns the size of the window that the data begins with, which the decoder allocates.
func brotliWindow(data []byte) int {
	if len(data) == 0 {
		return 0
	}
	head := data[0]
	n := 16
	switch {
	case head&1 == 0:
	case head>>1&7 != 0:
		n = 17 + int(head>>1&7)
	case head>>4&7 == 0:
		n = 17
	default:
		n = 8 + int(head>>4&7)
	}
	return 1 << n
}

// brotliSource hands out data in pieces, and from a place on in single bytes.
type brotliSource struct {
	data    []byte
	at      int
	fine    int
	work    Work
	stopped error
}

func (s *brotliSource) Read(buffer []byte) (int, error) {
	size := brotliPiece - s.at%brotliPiece
	if s.at >= s.fine {
		size = 1
	}
	n := copy(buffer[:min(len(buffer), size)], s.data[s.at:])
	if n == 0 {
		return 0, io.EOF
	}
	s.at += n
	if s.stopped = s.work(brotliCost * n); s.stopped != nil {
		return 0, s.stopped
	}
	return n, nil
}

// BrotliCompression compresses to RFC 7932.
type BrotliCompression struct {
	Quality int // from 0 to 11
	Window  int // the binary logarithm of its size, from 10 to 24; 10 and 11 of Quality use 22 at most

	// Flushes are lengths, in order, after which what has been compressed can be decompressed.
	Flushes []int

	// Open leaves the end of the stream open. What it becomes for the same data and more of it begins with the same.
	Open bool

	Work Work
}

const (
	slowQuality  = 10       // it takes microseconds a byte
	slowPiece    = 64 << 10 // how much of the data the encoder compresses at once then, in bytes
	slowWindow   = 22       // its largest window: it has tables of 8 times the size
	brotliTables = 1 << 20  // what the encoder allocates otherwise, about
)

// cost is the work of a byte.
func (b BrotliCompression) cost() int {
	switch {
	case b.Quality >= slowQuality:
		return 512
	case b.Quality == 9:
		return 128
	case b.Quality >= 4:
		return 64
	}
	return 16
}

// flushCost is the work of a flush: with a slow quality, the encoder sets up its tables again.
func (b BrotliCompression) flushCost() int {
	if b.Quality >= slowQuality {
		return 32 << 10
	}
	return 512
}

// Compress writes data compressed. The error is that of Work or of the output, or an *Error.
func (b BrotliCompression) Compress(data []byte, out *Output) (err error) {
	defer recoverAs(&err, &Error{"ERR_BROTLI_COMPRESSION_FAILED", "Compression failed"})
	window := min(max(b.Window, 10), 24)
	tables := brotliTables
	if !b.Open && len(b.Flushes) == 0 && len(data) > slowPiece { // for less, the encoder sees to it
		window = min(window, bits.Len(uint(len(data))))
	}
	if b.Quality >= slowQuality {
		window = min(window, slowWindow)
		if b.Open || len(data) > slowPiece {
			tables = 8 << window
		}
	}
	if err := b.Work(tables / 8); err != nil {
		return err
	}
	w := brotli.NewWriterOptions(out, brotli.WriterOptions{Quality: min(max(b.Quality, 0), 11), LGWin: window})
	flushes := b.Flushes
	for at := 0; ; {
		for len(flushes) > 0 && flushes[0] <= at {
			flushes = flushes[1:]
			if err := b.Work(b.flushCost()); err != nil {
				return err
			}
			if err := w.Flush(); err != nil {
				return err
			}
		}
		if at == len(data) {
			break
		}
		end := min(at+deflatePiece, len(data))
		if len(flushes) > 0 {
			end = min(end, flushes[0])
		}
		if b.Quality >= slowQuality {
			end = min(end, at-at%slowPiece+slowPiece)
		}
		if err := b.Work(b.cost() * (end - at)); err != nil {
			return err
		}
		if _, err := w.Write(data[at:end]); err != nil {
			return err
		}
		if at = end; b.Quality >= slowQuality && at%slowPiece == 0 && at < len(data) {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
	if b.Open {
		return nil
	}
	return w.Close()
}
