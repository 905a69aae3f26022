package vfs

import (
	"io/fs"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Limits on paths. They hold on every system, so that a project can move from one to another.
const (
	// MaxPath is the most bytes that a normalised path may have.
	MaxPath = 4096
	// MaxName is the most bytes that one name in a path may have.
	MaxName = 255
	// MaxDepth is how many names a path may have.
	MaxDepth = 64
)

// An InvalidPathError says why a path cannot be that of a file. It is [fs.ErrInvalid] and syscall.EINVAL, or
// syscall.ENAMETOOLONG where something is too long or too deep.
type InvalidPathError struct {
	// Path is the path as it was given.
	Path string
	// Reason says what is wrong with it.
	Reason string

	errno syscall.Errno
}

func (e *InvalidPathError) Error() string { return "invalid path: " + e.Reason }

// Unwrap makes errors.Is hold for fs.ErrInvalid and for the error number.
func (e *InvalidPathError) Unwrap() []error { return []error{fs.ErrInvalid, e.errno} }

// Clean returns the normal form of a path: absolute, with single slashes between its names and none at the end, "." left
// out and ".." resolved. Paths are relative to the root; ".." at the root stays there. An empty path is the root.
//
// It refuses paths that are not UTF-8, or contain a backslash or a control character, since those mean different things
// on different systems, and paths beyond [MaxPath], [MaxName] or [MaxDepth]. The limits are on the normal form. The
// error is a [*InvalidPathError].
func Clean(name string) (string, error) {
	if !utf8.ValidString(name) {
		return "", &InvalidPathError{name, "it is not valid UTF-8", syscall.EINVAL}
	}
	for _, c := range name {
		switch {
		case c == '\\':
			return "", &InvalidPathError{name, `it contains a backslash; names are separated by "/"`, syscall.EINVAL}
		case c < ' ', c >= 0x7f && c < 0xa0:
			return "", &InvalidPathError{name, "it contains a control character", syscall.EINVAL}
		}
	}
	names := make([]string, 0, 8)
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "", ".":
		case "..":
			names = names[:max(0, len(names)-1)]
		default:
			names = append(names, part)
		}
	}
	clean := "/" + strings.Join(names, "/")
	switch {
	case len(names) > MaxDepth:
		return "", &InvalidPathError{name, "it is nested too deep", syscall.ENAMETOOLONG}
	case len(clean) > MaxPath:
		return "", &InvalidPathError{name, "it is too long", syscall.ENAMETOOLONG}
	}
	for _, part := range names {
		if len(part) > MaxName {
			return "", &InvalidPathError{name, "a name in it is too long", syscall.ENAMETOOLONG}
		}
	}
	return clean, nil
}
