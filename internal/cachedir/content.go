package cachedir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// sumsName is the name of the file of hashes, in the format of sha256sum.
const sumsName = "SHA256SUMS"

// errDamaged means that an entry is missing or damaged.
var errDamaged = errors.New("is not as it was written")

// content is the content of an entry, except for the file of hashes.
type content struct {
	hashes map[string][sha256.Size]byte // of all files, by their paths
	files  map[string][]byte            // the files at the top, by name
}

// sums returns the expected file of hashes.
func (c *content) sums() []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(c.hashes)) {
		hash := c.hashes[name]
		fmt.Fprintf(&b, "%s  %s\n", hex.EncodeToString(hash[:]), filepath.ToSlash(name))
	}
	return b.Bytes()
}

// verify reads an entry. It checks who can change it, and that its files are exactly those in its file of hashes.
func verify(dir string) (*content, error) {
	c, err := read(dir)
	if err != nil {
		return nil, err
	}
	sums, err := os.ReadFile(filepath.Join(dir, sumsName))
	// An entry that has lost all files has no hashes either.
	if err == nil && len(sums) > 0 && bytes.Equal(sums, c.sums()) {
		return c, nil
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w", dir, errDamaged)
	}
	return nil, err
}

// read reads and hashes the files of an entry. Before it opens a file, it checks that no other user can have put it
// there.
func read(dir string) (*content, error) {
	c := &content{hashes: map[string][sha256.Size]byte{}, files: map[string][]byte{}}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == dir && !d.IsDir() {
			return fmt.Errorf("%s is not a directory: remove it", path)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if err := checkInEntry(path, info); err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || d.IsDir() || name == sumsName {
			return err
		}
		if filepath.Dir(path) != dir {
			c.hashes[name], err = hash(path)
			return err
		}
		data, err := os.ReadFile(path)
		c.files[name], c.hashes[name] = data, sha256.Sum256(data)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) { // there is no entry, or another process is removing it
		err = fmt.Errorf("%s: %w", dir, errDamaged)
	}
	return c, err
}

// checkInEntry checks an entry, or a file in one.
func checkInEntry(path string, info fs.FileInfo) error {
	if !info.IsDir() && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is neither a file nor a directory: remove it", path)
	}
	return checkOwn(path, info)
}

func hash(path string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}
