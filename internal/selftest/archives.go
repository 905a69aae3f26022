package selftest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/archive"
	"github.com/toolrun/toolrun/vfs/local"
)

// projectBytes is the quota of projects that archives are imported into. They are in memory, so the process may grow
// by it, too.
const projectBytes = 16 << 20

// archives are attacks by what is imported into a project. All of them must be refused.
func archives() []Attack {
	const entries = 200_000
	deep := strings.Repeat("directory/", 60)
	long := strings.Repeat(strings.Repeat("x", 250)+"/", 15)
	var all []Attack
	add := func(name, attempt string, format archive.Format, open func() (io.Reader, error)) {
		all = append(all, Attack{
			Name: amplification + "-archives-" + name, Attempt: attempt, Endings: []string{refused},
			Grows:   projectBytes + most,
			prepare: importing(format, open),
		})
	}
	add("zip-bomb", "Imports a zip of 1 MiB that says that it has a file of 1 GiB.",
		archive.Zip, func() (io.Reader, error) { return zipBomb(1 << 30) })
	add("zip-lies", "Imports a zip of 1 MiB with a file of 1 GiB that says that it has 1 KiB.",
		archive.Zip, func() (io.Reader, error) { return zipBomb(1 << 10) })
	add("zip-entries", "Imports a zip with 200 000 empty files.",
		archive.Zip, func() (io.Reader, error) { return zipEntries(entries, 10) })
	add("zip-long-names", "Imports a zip with thousands of files that have names of 60 000 bytes.", archive.Zip,
		func() (io.Reader, error) { return zipEntries(500, 60_000) })
	add("tar-entries", "Imports a tar with 200 000 empty files.",
		archive.Tar, func() (io.Reader, error) { return tarEntries(entries, "") })
	add("tar-deep-names", "Imports a tar with files that are each 60 directories deep.",
		archive.Tar, func() (io.Reader, error) { return tarEntries(20_000, deep) })
	add("tar-long-names", "Imports a tar with files whose paths are as long as can be.",
		archive.Tar, func() (io.Reader, error) { return tarEntries(20_000, long) })
	add("tar-records", "Imports a tar with a header of 64 MiB that describes a file.", archive.Tar, tarRecords)
	add("gzip-bomb", "Imports a compressed tar of 1 MiB with a file of 1 GiB.",
		archive.TarGzip, func() (io.Reader, error) { return gzipBomb(1<<30, 1<<30) })
	add("gzip-end", "Imports a compressed tar of 256 KiB whose end is 256 MiB long.",
		archive.TarGzip, func() (io.Reader, error) { return gzipBomb(0, 256<<20) })
	return all
}

// importing imports an archive into a project in memory.
func importing(format archive.Format, open func() (io.Reader, error)) preparation {
	return func(ctx context.Context) (func() (string, error), func(), error) {
		store := local.NewMemoryStore(&vfs.Options{Quota: vfs.Quota{Bytes: projectBytes}})
		project, err := store.Open(ctx, "selftest")
		if err != nil {
			return nil, nil, err
		}
		r, err := open()
		if err != nil {
			return nil, nil, err
		}
		attack := func() (string, error) {
			_, err := archive.Import(ctx, project, r, format)
			if _, ok := errors.AsType[*archive.Error](err); !ok {
				return answered, err
			}
			if names, err := afero.ReadDir(project, "/"); err != nil || len(names) > 0 {
				return refused, fmt.Errorf("something is left of it: %d files, %w", len(names), err)
			}
			return refused, nil
		}
		return attack, func() { _ = store.Close() }, nil
	}
}

const zeros = 1 << 20

// zipBomb is a zip with a file of 1 GiB that says that it has another size. The compressed blocks of it are all the
// same.
func zipBomb(says uint64) (io.Reader, error) {
	var block bytes.Buffer
	w, err := flate.NewWriter(&block, flate.BestCompression)
	if err == nil {
		_, err = w.Write(make([]byte, zeros))
	}
	if err == nil {
		err = w.Flush() // which ends with a whole byte
	}
	if err != nil {
		return nil, err
	}
	blocks := append(bytes.Repeat(block.Bytes(), (1<<30)/zeros), 1, 0, 0, 0xff, 0xff) // the last one is empty
	var archive bytes.Buffer
	writer := zip.NewWriter(&archive)
	file, err := writer.CreateRaw(&zip.FileHeader{
		Name: "zeros", Method: zip.Deflate, CompressedSize64: uint64(len(blocks)), UncompressedSize64: says,
	})
	if err == nil {
		_, err = file.Write(blocks)
	}
	if err == nil {
		err = writer.Close()
	}
	return bytes.NewReader(archive.Bytes()), err
}

// zipEntries is a zip whose directory has many entries, with names of a length. They have one and the same place.
func zipEntries(n, length int) (io.Reader, error) {
	name := func(i int) string { return fmt.Sprintf("%0*d", length, i) }
	little := binary.LittleEndian
	// Local header: signature, version, flags, method, time, date, checksum, two sizes, length of the name and of the
	// rest.
	archive := make([]byte, 30, 30+length+n*(46+length)+22)
	little.PutUint32(archive, 0x04034b50)
	little.PutUint16(archive[26:], uint16(length))
	archive = append(archive, name(0)...)
	start := len(archive)
	for i := range n {
		// The same in the directory, where more follows: lengths, a disk, attributes, and where the local header is.
		entry := make([]byte, 46)
		little.PutUint32(entry, 0x02014b50)
		little.PutUint16(entry[28:], uint16(length))
		archive = append(append(archive, entry...), name(i)...)
	}
	end := make([]byte, 22)
	little.PutUint32(end, 0x06054b50)
	little.PutUint16(end[8:], uint16(n)) // readers know that it is cut off
	little.PutUint16(end[10:], uint16(n))
	little.PutUint32(end[12:], uint32(len(archive)-start))
	little.PutUint32(end[16:], uint32(start))
	return bytes.NewReader(append(archive, end...)), nil
}

// tarEntries is a tar with many empty files, which is made while it is read.
func tarEntries(n int, directory string) (io.Reader, error) {
	r, w := io.Pipe()
	go func() {
		archive := tar.NewWriter(w)
		for i := range n {
			header := &tar.Header{Name: fmt.Sprintf("%d/%s%d", i, directory, i), Typeflag: tar.TypeReg, Mode: 0o644}
			if err := archive.WriteHeader(header); err != nil { // nobody reads any more
				_ = w.CloseWithError(err)
				return
			}
		}
		_ = w.CloseWithError(archive.Close())
	}()
	return r, nil
}

// tarHeader is a header with a size, whatever follows.
func tarHeader(header *tar.Header) ([]byte, error) {
	var b bytes.Buffer
	err := tar.NewWriter(&b).WriteHeader(header)
	return b.Bytes(), err
}

// tarRecords is a tar with extended records that are very long.
func tarRecords() (io.Reader, error) {
	const size = 64 << 20
	header, err := tarHeader(&tar.Header{
		Name: "records", Typeflag: tar.TypeReg, Size: size, Mode: 0o644, Format: tar.FormatUSTAR,
	})
	if err != nil {
		return nil, err
	}
	header[156] = tar.TypeXHeader
	sum := 0 // of the header, with blanks in the place of the sum
	copy(header[148:156], "        ")
	for _, b := range header[:512] {
		sum += int(b)
	}
	copy(header[148:], fmt.Sprintf("%06o\x00 ", sum))
	record := "16 comment=xxxx\n"
	return text{head: string(header), unit: record, n: size / len(record)}.reader(), nil
}

// gzipBomb is a compressed tar with a file that says that it has some bytes, and with some zeros: members of a
// compressed file follow each other, and all but the first are the same.
func gzipBomb(says, has int64) (io.Reader, error) {
	header, err := tarHeader(&tar.Header{Name: "zeros", Typeflag: tar.TypeReg, Size: says, Mode: 0o644})
	if err != nil {
		return nil, err
	}
	first, err := compressed(header)
	if err != nil {
		return nil, err
	}
	member, err := compressed(make([]byte, zeros))
	return text{head: string(first), unit: string(member), n: int(has) / zeros}.reader(), err
}

func compressed(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(data)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}
