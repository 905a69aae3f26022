package registry

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
)

// OutputDir is the directory of a project that keeps results that are too long for a model, each in a file named
// after its call. Tools can read and change it like any other directory. Only the newest 64 text files stay.
const OutputDir = "/.tool-output"

// Limits of OutputDir. The oldest files are removed first.
const (
	keptFiles = 64
	keptBytes = 32 << 20
)

// keptAhead is how far in the future the time of a kept file may lie, because clocks differ.
const keptAhead = time.Hour

// keepTime is how long keep waits for others who are changing the project.
const keepTime = 5 * time.Second

var errNoFiles = errors.New("there are no files")

// keep writes text to a new file in OutputDir, and returns its name.
func (c *running) keep(ctx context.Context, files afero.Fs, text string) (name string, err error) {
	if files == nil {
		return "", errNoFiles
	}
	files, end, err := vfs.BeginCall(files, c.key)
	if err != nil {
		return "", err
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, keepTime)
	defer cancel()
	err = vfs.Exclusively(ctx, files, func(files afero.Fs) error {
		if err := makeRoom(files, int64(len(text))); err != nil {
			return err
		}
		base := path.Join(OutputDir, fileName(c.key))
		name = base + ".txt"
		for n := 2; ; n++ {
			if _, err := files.Stat(name); errors.Is(err, fs.ErrNotExist) {
				err := vfs.WriteFile(ctx, files, name, []byte(text))
				// If the directory's name is the conflict, another file name does not help.
				if _, conflict := errors.AsType[*vfs.NameConflictError](err); !conflict || n > keptFiles+2 {
					return err
				}
			} else if err != nil {
				return err
			}
			if name = fmt.Sprintf("%s-%d.txt", base, n); n > keptFiles+1 {
				name = base + "-" + strings.ToLower(rand.Text()) + ".txt"
			}
		}
	})
	return name, err
}

// makeRoom removes the oldest kept results until another one of this size fits.
func makeRoom(files afero.Fs, size int64) error {
	infos, err := afero.ReadDir(files, OutputDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	infos = slices.DeleteFunc(infos, func(info fs.FileInfo) bool {
		return !info.Mode().IsRegular() || path.Ext(info.Name()) != ".txt"
	})
	now := time.Now()
	age := func(info fs.FileInfo) time.Duration {
		since := now.Sub(info.ModTime())
		if since < -keptAhead { // a clock was set back
			return math.MaxInt64
		}
		return since
	}
	slices.SortStableFunc(infos, func(a, b fs.FileInfo) int { return cmp.Compare(age(b), age(a)) })
	total := size
	for _, info := range infos {
		total += info.Size()
	}
	for i, info := range infos {
		if len(infos)-i < keptFiles && total <= keptBytes {
			return nil
		}
		if err := files.Remove(path.Join(OutputDir, info.Name())); err != nil {
			return err
		}
		total -= info.Size()
	}
	return nil
}

// fileName makes a file name from a call's id, which can be any text. Ids get different names unless they differ only
// in case.
func fileName(id string) string {
	const most = 64
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, id)
	if name == id && len(id) <= most {
		if !vfs.IsPlainID(name) { // a device on Windows
			name = "call-" + name
		}
		return name
	}
	hash := sha256.Sum256([]byte(id))
	return fmt.Sprintf("%s-%x", name[:min(len(name), most)], hash[:8])
}
