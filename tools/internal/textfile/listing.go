package textfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/afero"
)

// A Listing configures how a directory is shown.
type Listing struct {
	// Self shows the directory itself first.
	Self bool
	// DirectoriesFirst shows directories before files. Otherwise everything is sorted by name.
	DirectoriesFirst bool
	// NoModules leaves out node_modules.
	NoModules bool
}

// An Entry is a file or a directory in a listing.
type Entry struct {
	Name string
	// Depth is 1 for entries of the listed directory, and 2 for those one level deeper.
	Depth int
	info  fs.FileInfo
}

// list shows a directory.
func (t Tree) list(ctx context.Context, name string, how Listing) (string, error) {
	entries, err := t.Entries(ctx, name, how)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("Here're the files and directories up to 2 levels deep in " + t.Shown(name) +
		", excluding hidden items")
	if how.NoModules {
		b.WriteString(" and node_modules")
	}
	b.WriteByte(':')
	if how.Self {
		b.WriteString("\n" + sizeOfDirectory + "\t" + t.Shown(name))
	}
	for _, e := range entries {
		size := sizeOfDirectory
		if !e.info.IsDir() {
			size = formatSize(e.info.Size())
		}
		b.WriteString("\n" + size + "\t" + t.Shown(e.Name))
	}
	if len(entries) == 0 && !how.Self {
		b.WriteString("\n(empty)")
	}
	return b.String(), nil
}

// Entries lists a directory, two levels deep, without hidden entries. Each directory is followed by its content.
func (t Tree) Entries(ctx context.Context, name string, how Listing) ([]Entry, error) {
	return t.entries(ctx, nil, name, 1, how)
}

const levels = 2

func (t Tree) entries(ctx context.Context, to []Entry, dir string, depth int, how Listing) ([]Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	infos, err := afero.ReadDir(t.Files, dir)
	if err != nil {
		if depth > 1 && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) ||
			errors.Is(err, syscall.ENOTDIR)) {
			return to, nil // somebody has removed it meanwhile, or it cannot be read
		}
		return nil, t.Explain(dir, err)
	}
	if how.DirectoriesFirst {
		slices.SortStableFunc(infos, func(a, b fs.FileInfo) int {
			switch {
			case a.IsDir() == b.IsDir():
				return 0
			case a.IsDir():
				return -1
			}
			return 1
		})
	}
	for _, info := range infos {
		if strings.HasPrefix(info.Name(), ".") || how.NoModules && info.Name() == "node_modules" {
			continue
		}
		name := path.Join(dir, info.Name())
		to = append(to, Entry{name, depth, info})
		if info.IsDir() && depth < levels {
			if to, err = t.entries(ctx, to, name, depth+1, how); err != nil {
				return nil, err
			}
		}
	}
	return to, nil
}

// sizeOfDirectory is what directories are shown with: what most hosts say of them. What they contain would take a walk
// through all of it.
const sizeOfDirectory = "4.0K"

// formatSize is how sizes are shown.
func formatSize(n int64) string {
	if n < 1024 {
		return fmt.Sprint(n)
	}
	size := float64(n)
	for _, unit := range []string{"K", "M", "G"} {
		size /= 1024
		if size < 1023.95 { // what would be shown as 1024.0 is 1.0 of the next
			return fmt.Sprintf("%.1f%s", size, unit)
		}
	}
	return fmt.Sprintf("%.1fT", size/1024)
}
