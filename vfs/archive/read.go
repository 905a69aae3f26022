package archive

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/toolrun/toolrun/internal/progress"
	"github.com/toolrun/toolrun/vfs"
)

// Archives are longer than the files in them. This is more than exporting makes of any project: zips have each name
// twice.
const (
	overhead      = 64 << 20
	entryOverhead = 2*vfs.MaxPath + 2<<10
)

// limitOf is the most bytes that an archive may have, before and after decompressing it as a whole.
func limitOf(q vfs.Quota) int64 {
	return saturate(q.Bytes, max(overhead, saturate(0, q.Files, entryOverhead)), 1)
}

// saturate returns a + b*c, or less if that is too large. No argument is negative.
func saturate(a, b, c int64) int64 {
	if b > math.MaxInt64/c || a > math.MaxInt64-b*c {
		return math.MaxInt64
	}
	return a + b*c
}

// A reader gives an import what is in an archive.
type reader struct {
	to *importing
	// stopped says why reading is to stop, if it is.
	stopped func() error
	// limit is the most bytes that the archive may have.
	limit int64
}

// tooLarge returns the error for an archive beyond the limit.
func (r *reader) tooLarge() error {
	return &sourceError{unfit("", &vfs.QuotaError{Limit: "bytes", Max: r.to.quota.Bytes, Want: r.limit})}
}

// A limitedReader reads as much as the limit allows, until it is stopped.
type limitedReader struct {
	*reader
	from io.Reader
	left int64
}

// limited returns a reader of all of an archive, or of what that has been decompressed to.
func (r *reader) limited(from io.Reader) io.Reader { return &limitedReader{r, from, r.limit} }

func (l *limitedReader) Read(b []byte) (int, error) {
	if err := l.stopped(); err != nil {
		return 0, &sourceError{err}
	}
	n, err := l.from.Read(b)
	if int64(n) > l.left {
		return int(l.left), l.tooLarge()
	}
	l.left -= int64(n)
	return n, err
}

// An outsideReader is one that the caller gave.
type outsideReader struct{ io.Reader }

// outside guards against a reader of the caller's.
func outside(from io.Reader) io.Reader { return outsideReader{progress.Reader(from)} }

func (o outsideReader) Read(b []byte) (int, error) {
	n, err := o.Reader.Read(b)
	return n, sourceFailed(err)
}

// A tarStream is the bytes of a tar.
type tarStream struct {
	*bufio.Reader
	// ended means that the reader has been asked for data after the last byte.
	ended bool
}

func (s *tarStream) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	s.ended = s.ended || n == 0 && err == io.EOF
	return n, err
}

// bufferSize is how much is read and written at once.
const bufferSize = 64 << 10

// tar reads a tar, as it comes.
func (r *reader) tar(ctx context.Context, from io.Reader, zipped bool) error {
	stream := bufio.NewReaderSize(r.limited(outside(from)), bufferSize)
	if zipped {
		unzipped, err := gzip.NewReader(stream)
		if err != nil {
			return damaged("", err)
		}
		stream = bufio.NewReaderSize(r.limited(unzipped), bufferSize)
	}
	whole := &tarStream{Reader: stream}
	entries := tar.NewReader(whole)
	for {
		h, err := entries.Next()
		if err == io.EOF {
			return whole.finish()
		}
		if err != nil && err != tar.ErrInsecurePath { // which is judged below
			return damaged("", err)
		}
		if err := r.tarEntry(ctx, h, entries); err != nil {
			return err
		}
	}
}

// finish checks the end of a tar: two blocks of zeros, already found unless the stream ended before them, and
// nothing but zeros after them. Some readers would take anything else for more entries.
func (s *tarStream) finish() error {
	if s.ended {
		return damaged("", io.ErrUnexpectedEOF)
	}
	rest := make([]byte, bufferSize)
	for {
		n, err := s.Reader.Read(rest)
		switch {
		case len(bytes.TrimLeft(rest[:n], "\x00")) > 0:
			return forbidden("", "there is something behind its end")
		case err == io.EOF:
			return nil
		case err != nil:
			return damaged("", err)
		}
	}
}

func (r *reader) tarEntry(ctx context.Context, h *tar.Header, content io.Reader) error {
	e := entryInfo{h.Name, h.Typeflag == tar.TypeDir, h.Size, fs.FileMode(h.Mode) & fs.ModePerm, h.ModTime}
	switch h.Typeflag {
	case tar.TypeReg, tar.TypeDir:
	case tar.TypeXGlobalHeader: // Git writes one with the commit
		for key := range h.PAXRecords {
			if key != "comment" {
				return forbidden(h.Name, "it is a global header, which would change other entries")
			}
		}
		return nil
	case tar.TypeSymlink:
		return forbidden(h.Name, "it is a symbolic link")
	case tar.TypeLink:
		return forbidden(h.Name, "it is a hard link")
	case tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
		return forbidden(h.Name, "it is a device or a pipe")
	default:
		return forbidden(h.Name, fmt.Sprintf("it is neither a file nor a directory, but of kind %q", h.Typeflag))
	}
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return forbidden(h.Name, "it is a sparse file")
		}
	}
	b, err := r.to.add(e)
	if err != nil || e.dir {
		return err
	}
	return r.to.stage(ctx, b, content)
}

// A zipSource is the bytes of a zip. A zip.Reader has all of the directory in memory, of however many entries that is,
// so there is a limit on what it reads until it is open.
type zipSource struct {
	*reader
	from io.ReaderAt
	// opening says that the directory is being read. bytes and headers are how many there may be in it yet, roughly.
	opening        bool
	bytes, headers int64
}

// ReadAt implements [io.ReaderAt].
func (z *zipSource) ReadAt(b []byte, offset int64) (int, error) {
	if err := z.stopped(); err != nil {
		return 0, &sourceError{err}
	}
	if z.opening && (z.bytes < 0 || z.headers < 0) {
		limit := z.to.quota.Files
		return 0, &sourceError{unfit("", &vfs.QuotaError{Limit: "files", Max: limit, Want: saturate(limit, 1, 1)})}
	}
	n, err := z.from.ReadAt(b, offset)
	if z.opening {
		z.bytes -= int64(n)
		z.headers -= int64(bytes.Count(b[:n], []byte("PK\x01\x02")) + 1) // and one that reads divide
	}
	return n, sourceFailed(err)
}

// zip reads a zip of so many bytes.
func (r *reader) zip(ctx context.Context, from io.ReaderAt, size int64) error {
	if size > r.limit {
		return damaged("", r.tooLarge())
	}
	const others = 1 << 20 // for names that are not that long, and for finding the directory
	files := r.to.quota.Files
	z := &zipSource{reader: r, from: io.NewSectionReader(from, 0, size), opening: true}
	z.bytes, z.headers = saturate(others, files, vfs.MaxPath+1<<10), saturate(others/64, files, 4)
	archive, err := zip.NewReader(z, size)
	if err != nil && err != zip.ErrInsecurePath { // which is judged below
		return damaged("", err)
	}
	z.opening = false
	if err := z.checkEnd(size, archive.Comment); err != nil {
		return err
	}
	found := make([]*branch, len(archive.File))
	for i, f := range archive.File {
		e, err := zipEntry(f)
		if err != nil {
			return err
		}
		if found[i], err = r.to.add(e); err != nil {
			return err
		}
	}
	if err := checkOverlap(archive.File, size); err != nil {
		return err
	}
	for i, f := range archive.File {
		if found[i].dir {
			continue
		}
		if err := r.zipContent(ctx, found[i], f); err != nil {
			return err
		}
	}
	return nil
}

// checkEnd checks that nothing follows the zip's end record and comment.
func (z *zipSource) checkEnd(size int64, comment string) error {
	const end, length = "PK\x05\x06", 22
	var found [len(end)]byte
	if _, err := z.ReadAt(found[:], size-int64(len(comment))-length); err != nil {
		return damaged("", err)
	}
	if string(found[:]) != end {
		return forbidden("", "there is something behind its end")
	}
	return nil
}

// zipEntry describes an entry of a zip, as the directory at its end does.
func zipEntry(f *zip.File) (entryInfo, error) {
	const encrypted, hasUnixMode = 1 | 1<<6 | 1<<13, "\x03\x13"
	kind := f.Mode().Type()
	e := entryInfo{name: f.Name, dir: kind.IsDir(), time: f.Modified}
	switch {
	case kind&fs.ModeSymlink != 0:
		return e, forbidden(f.Name, "it is a symbolic link")
	case kind&^fs.ModeDir != 0:
		return e, forbidden(f.Name, "it is a device or a pipe")
	case e.dir != strings.HasSuffix(f.Name, "/"):
		return e, forbidden(f.Name, "it is a directory by its mode, but not by its name")
	case f.Flags&encrypted != 0:
		return e, forbidden(f.Name, "it is encrypted")
	case !e.dir && f.Method != zip.Store && f.Method != zip.Deflate:
		return e, damaged(f.Name, zip.ErrAlgorithm)
	}
	e.size = int64(min(f.UncompressedSize64, math.MaxInt64))
	if strings.IndexByte(hasUnixMode, byte(f.CreatorVersion>>8)) >= 0 {
		e.perm = f.Mode().Perm()
	}
	// MS-DOS has no time before 1980, so this one means that the time is missing.
	if f.Modified.Equal(time.Date(1980, 0, 0, 0, 0, 0, 0, time.UTC)) {
		e.time = time.Time{}
	}
	return e, nil
}

// checkOverlap refuses entries that share their content. It may be nothing when it is decompressed, and yet take long
// every time.
func checkOverlap(files []*zip.File, size int64) error {
	const headerSize = 30 // of an entry, in front of its name and content
	type span struct {
		start, end int64
		name       string
	}
	spans := make([]span, len(files))
	for i, f := range files {
		start, err := f.DataOffset()
		if err != nil {
			return damaged(f.Name, err)
		}
		if f.CompressedSize64 > uint64(max(0, size-start)) {
			return damaged(f.Name, io.ErrUnexpectedEOF)
		}
		spans[i] = span{start, start + int64(f.CompressedSize64), f.Name}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(spans); i++ {
		if spans[i].start < spans[i-1].end+headerSize {
			return forbidden(spans[i].name, "it overlaps another entry")
		}
	}
	return nil
}

// zipContent stages a file. The checksum is computed here, since archive/zip takes 0 for one that is not known.
func (r *reader) zipContent(ctx context.Context, b *branch, f *zip.File) error {
	content, err := f.Open()
	if err != nil {
		return damaged(f.Name, err)
	}
	sum := crc32.NewIEEE()
	defer content.Close()
	if err := r.to.stage(ctx, b, io.TeeReader(content, sum)); err != nil {
		return err
	}
	if sum.Sum32() != f.CRC32 {
		return damaged(f.Name, zip.ErrChecksum)
	}
	return nil
}
