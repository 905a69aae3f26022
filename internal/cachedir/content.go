package cachedir

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// listName is the name of the file that lists the files of an entry: a line for each, with the CRC-32C in hexadecimal,
// the size, and the quoted path, and a last line with the CRC-32C of those lines.
const listName = "CHECKSUMS"

// ErrDamaged means that an entry is damaged, or that another process is removing it.
var ErrDamaged = errors.New("is not as it was written")

// castagnoli is the polynomial for which processors have an instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// content says what the files of an entry are, by their paths with slashes, except for the list itself.
type content map[string]file

type file struct {
	size int64
	sum  uint32
}

// list returns the content of the list.
func (c content) list() []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintf(&b, "%08x %d %q\n", c[name].sum, c[name].size, name)
	}
	fmt.Fprintf(&b, "%08x\n", crc32.Checksum(b.Bytes(), castagnoli))
	return b.Bytes()
}

// parseList is the inverse of list.
func parseList(data []byte) (content, bool) {
	c := content{}
	lines := strings.Split(string(data), "\n")
	for _, line := range lines[:max(0, len(lines)-2)] {
		var f file
		var name string
		if n, err := fmt.Sscanf(line, "%x %d %q", &f.sum, &f.size, &name); n != 3 || err != nil {
			return nil, false
		}
		c[name] = f
	}
	return c, len(c) > 0 && bytes.Equal(c.list(), data) // an entry that has lost all files has no list either
}

// find returns what the files of an entry should be. It checks who can change it, and that its files are exactly those
// in its list, by their names and sizes. The error is an fs.ErrNotExist if there is no entry.
func find(dir string) (content, error) {
	sizes, err := walk(dir)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(dir, listName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	c, ok := parseList(data)
	ok = ok && maps.EqualFunc(c, sizes, func(f file, size int64) bool { return f.size == size })
	if err != nil || !ok {
		return nil, fmt.Errorf("%s: %w", dir, ErrDamaged)
	}
	return c, nil
}

// walk returns the sizes of the files of an entry. It checks that no other user can have put any of them there.
func walk(dir string) (map[string]int64, error) {
	sizes := map[string]int64{}
	exists := false
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == dir && !d.IsDir() {
			return fmt.Errorf("%s is not a directory: remove it", path)
		}
		exists = true
		info, err := d.Info()
		if err != nil {
			return err
		}
		if err := checkInEntry(path, info); err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil && !d.IsDir() && name != listName {
			sizes[filepath.ToSlash(name)] = info.Size()
		}
		return err
	})
	if exists && errors.Is(err, fs.ErrNotExist) { // another process is removing it
		err = fmt.Errorf("%s: %w", dir, ErrDamaged)
	}
	return sizes, err
}

// checkInEntry checks an entry, or a file in one.
func checkInEntry(path string, info fs.FileInfo) error {
	if !info.IsDir() && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is neither a file nor a directory: remove it", path)
	}
	return checkOwn(path, info)
}

// read returns what the files of an entry are.
func read(dir string) (content, error) {
	sizes, err := walk(dir)
	if err != nil {
		return nil, err
	}
	c := content{}
	for name := range sizes {
		f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		c[name], err = checksum(f)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// pieceSize is how much of a file is read at once: the processor's cache has room for it.
const pieceSize = 256 << 10

// checksum reads to the end.
func checksum(from io.Reader) (file, error) {
	sum := crc32.New(castagnoli)
	n, err := copyAll(sum, from)
	return file{n, sum.Sum32()}, err
}

// copyAll copies to the end, in pieces.
func copyAll(to io.Writer, from io.Reader) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, make([]byte, pieceSize))
}
