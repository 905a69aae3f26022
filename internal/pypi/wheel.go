package pypi

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// Bounds of what is unpacked.
const (
	maxFiles    = 20_000    // of a wheel
	maxUnpacked = 256 << 20 // bytes, of all of them
)

// A wheel is an unpacked package.
type wheel struct {
	info     string            // the folder with what is known of it, such as rich-13.0.dist-info
	files    map[string][]byte // by their paths in the folder of packages
	requires []requirement
}

// openWheel unpacks a wheel, which has no native code that it needs. Whoever has made it may be hostile: a path cannot
// lead out of the folder, and nothing is run, now or later, unless code imports it.
//
// See https://packaging.python.org/en/latest/specifications/binary-distribution-format.
//
// left is how many bytes it may have, from which they are taken.
func openWheel(data []byte, name, version string, left *int64) (*wheel, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	w := &wheel{files: map[string][]byte{}}
	seen := map[string]bool{}
	if len(archive.File) > maxFiles {
		return nil, fmt.Errorf("it has more than %d files", maxFiles)
	}
	for _, f := range archive.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		if !fs.ValidPath(f.Name) || !f.Mode().IsRegular() || strings.ContainsFunc(f.Name, isUnusual) ||
			len(f.Name) > maxText {
			return nil, fmt.Errorf("it has a file %.100q, whose name or kind no package needs", f.Name)
		}
		content, err := read(f, *left)
		if err != nil {
			return nil, err
		}
		*left -= int64(len(content))
		at := f.Name
		if first, rest, _ := strings.Cut(at, "/"); strings.HasSuffix(first, ".data") {
			kind, inside, _ := strings.Cut(rest, "/")
			if kind != "purelib" && kind != "platlib" || inside == "" {
				continue // programs, and files for other folders
			}
			at = inside
		}
		if key := strings.ToLower(at); seen[key] {
			return nil, fmt.Errorf("it has the file %.100q twice", at)
		} else {
			seen[key] = true
		}
		switch strings.ToLower(path.Ext(at)) {
		case ".so", ".pyd", ".dll", ".dylib":
			if optional[name] {
				continue
			}
			return nil, fmt.Errorf("it has native code in %.100q, which cannot run in the sandbox", at)
		case ".pth": // code for the start of Python, which nobody wants there
			continue
		}
		w.files[at] = content
		if folder, inside, _ := strings.Cut(at, "/"); strings.HasSuffix(folder, ".dist-info") && inside == "METADATA" {
			if w.info != "" {
				return nil, errors.New("it has the metadata of two packages")
			}
			w.info = folder
			if w.requires, err = parseMetadata(content, name, version); err != nil {
				return nil, err
			}
		}
	}
	if w.info == "" {
		return nil, errors.New("it has no metadata")
	}
	delete(w.files, w.info+"/RECORD")
	return w, nil
}

func isUnusual(c rune) bool { return c < ' ' || c == 0x7f || strings.ContainsRune(`\:*?"<>|`, c) }

// read returns the content of a file of at most so many bytes, whatever the archive says of its size.
func read(f *zip.File, most int64) ([]byte, error) {
	tooLarge := fmt.Errorf("with it, there are more than %d MiB to unpack", maxUnpacked>>20)
	if f.UncompressedSize64 > uint64(most) {
		return nil, tooLarge
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	content, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(content)) > most {
		err = tooLarge
	}
	return content, err
}

// parseMetadata checks of which package a METADATA is, and returns what that requires.
func parseMetadata(data []byte, name, version string) (requires []requirement, err error) {
	fields := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan() && lines.Text() != ""; {
		key, value, ok := strings.Cut(lines.Text(), ":")
		if value = strings.TrimSpace(value); !ok {
			continue
		}
		if key = strings.ToLower(key); key != "requires-dist" {
			fields[key] = value
			continue
		}
		r, err := parseRequirement(value)
		if err != nil {
			return nil, err
		}
		requires = append(requires, r)
	}
	is, ok := parseVersion(fields["version"])
	want, _ := parseVersion(version)
	if normalize(fields["name"]) != name || !ok || is.compare(want) != 0 {
		return nil, fmt.Errorf("it says that it is %.50s %.50s", fields["name"], fields["version"])
	}
	return requires, nil
}
