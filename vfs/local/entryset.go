package local

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path"

	"github.com/toolrun/toolrun/vfs/internal/project"
)

// An entrySet tells which files and directories there were, by short sums of their paths and, of files, their
// fingerprints.
type entrySet map[entrySum]bool

type entrySum [8]byte

func entrySumOf(name string, info fs.FileInfo) entrySum {
	state := project.DirectoryPrint
	if !info.IsDir() {
		state = project.FilePrint(info)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %s", name, state))
	return entrySum(sum[:])
}

// entriesOf returns the sums of a directory and all that is in it, one after another.
func entriesOf(b project.Backend, dir string) ([]byte, error) {
	info, err := b.Lstat(dir)
	if err != nil {
		return nil, err
	}
	var sums []byte
	var add func(name string, info fs.FileInfo) error
	add = func(name string, info fs.FileInfo) error {
		sum := entrySumOf(name, info)
		sums = append(sums, sum[:]...)
		if !info.IsDir() {
			return nil
		}
		infos, err := b.ReadDir(name)
		if err != nil {
			return err
		}
		for _, inside := range infos {
			if err := add(path.Join(name, inside.Name()), inside); err != nil {
				return err
			}
		}
		return nil
	}
	return sums, add(dir, info)
}

func newEntrySet(sums []byte) entrySet {
	s := entrySet{}
	for ; len(sums) >= len(entrySum{}); sums = sums[len(entrySum{}):] {
		s[entrySum(sums)] = true
	}
	return s
}

// has reports whether something was there as it is described.
func (s entrySet) has(name string, info fs.FileInfo) bool { return s[entrySumOf(name, info)] }
