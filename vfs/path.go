package vfs

import (
	"io/fs"
	"path"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// Limits on paths. They are the same on every system, so projects can move between systems.
const (
	// MaxPath is the longest normalised path in bytes.
	MaxPath = 4096
	// MaxName is the longest name in a path, in bytes.
	MaxName = 255
	// MaxDepth is the largest number of names in a path.
	MaxDepth = 64
)

// Reserved is a name that no path may contain and no listing shows. A store in directories keeps its own files in a
// directory of this name: temporary files, history, the lock.
const Reserved = ".toolrun"

// An InvalidPathError means that a path cannot be that of a file. It is [fs.ErrInvalid] and syscall.EINVAL, or
// syscall.ENAMETOOLONG if the path is too long or too deep.
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

// Clean returns the normal form of a path: absolute, with single slashes between names and none at the end, without
// "." and "..", in Unicode's normalization form C. Paths are relative to the root; ".." at the root stays there. An
// empty path is the root.
//
// These are refused, with an [*InvalidPathError]:
//
//   - paths that are not UTF-8, or contain a backslash or a control character: they mean different things on
//     different systems
//   - paths that contain ".toolrun", where a project keeps its own files, or what Windows takes for it: ".toolrun.",
//     "toolru~1"
//   - paths beyond [MaxPath], [MaxName] or [MaxDepth] in their normal form, or 16 times as long before
func Clean(name string) (string, error) {
	if tidy(name) {
		return name, nil
	}
	if len(name) > 16*MaxPath { // before it is made shorter
		return "", &InvalidPathError{name[:MaxPath] + "...", "it is too long", syscall.ENAMETOOLONG}
	}
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
	// Composing letters makes or removes neither dots nor slashes. It does not change its own result.
	clean := path.Clean("/" + norm.NFC.String(name))
	if clean == "/" {
		return clean, nil
	}
	if len(clean) > MaxPath {
		return "", &InvalidPathError{name, "it is too long", syscall.ENAMETOOLONG}
	}
	if strings.Count(clean, "/") > MaxDepth {
		return "", &InvalidPathError{name, "it is nested too deep", syscall.ENAMETOOLONG}
	}
	for part := range strings.SplitSeq(clean[1:], "/") {
		if len(part) > MaxName {
			return "", &InvalidPathError{name, "a name in it is too long", syscall.ENAMETOOLONG}
		}
		if reserved(part) {
			return "", &InvalidPathError{name, Reserved + " is reserved", syscall.EINVAL}
		}
		if reason := fsys.HostRefuses(part); reason != "" {
			return "", &InvalidPathError{name, reason, syscall.EINVAL}
		}
	}
	return clean, nil
}

// reserved reports whether a name means Reserved, on some system at least: Windows leaves out dots and spaces at its
// end and takes what follows a colon for a stream of the file, also on disks that other systems use, and has short
// names.
func reserved(name string) bool {
	if len(name) < len(Reserved) || name[0] != '.' && name[0]|0x20 != 't' {
		return false
	}
	stem, _, _ := strings.Cut(Fold(name), ":")
	stem = strings.TrimRight(stem, ". ")
	return stem == Reserved || shortReserved().MatchString(stem)
}

var shortReserved = lazyregexp.New(`^to(olru|[0-9a-f]{4})~[0-9]+$`)

// CleanName returns the normal form of a name in a directory, and whether it can be used in a path.
func CleanName(name string) (clean string, ok bool) {
	if plain(name) {
		return name, true
	}
	clean, err := Clean(name)
	if err != nil || clean == "/" || strings.Contains(clean[1:], "/") {
		return "", false
	}
	return clean[1:], true
}

// tidy reports whether a path is in its normal form, without looking closer.
func tidy(name string) bool {
	if len(name) < 2 || name[0] != '/' || len(name) > MaxPath {
		return false
	}
	parts := 0
	for rest := name[1:]; ; {
		part, below, more := strings.Cut(rest, "/")
		if !plain(part) {
			return false
		}
		if parts++; !more {
			return parts <= MaxDepth
		}
		rest = below
	}
}

// plain reports whether a name is one that can be used as it is, without looking closer.
func plain(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_',
			c == '-', c == ' ' && i > 0, c == '.' && i > 0:
		default:
			return false
		}
	}
	return name != "" && len(name) <= MaxName && fsys.HostRefuses(name) == ""
}

// Fold maps names that differ only in case or Unicode form to the same string. It unites at least all names that
// some file system unites.
func Fold(name string) string {
	ascii := true
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		return strings.ToLower(name)
	}
	name = strings.Map(func(c rune) rune {
		switch { // HFS+ ignores these
		case c >= 0x200c && c <= 0x200f, c >= 0x202a && c <= 0x202e, c >= 0x206a && c <= 0x206f, c == 0xfeff:
			return -1
		}
		return c
	}, name)
	// Folding can give letters that compose, and composing letters that fold: İ is i and a dot.
	name = norm.NFC.String(cases.Fold().String(norm.NFD.String(name)))
	return strings.Map(func(c rune) rune { // package cases swaps the cases of Cherokee
		switch {
		case c >= 0xab70 && c <= 0xabbf:
			return c - 0xab70 + 0x13a0
		case c >= 0x13f8 && c <= 0x13fd:
			return c - 8
		}
		return c
	}, name)
}

// Within reports whether a clean path is dir or below it.
func Within(name, dir string) bool {
	return name == dir || dir == "/" || strings.HasPrefix(name, dir) && name[len(dir)] == '/'
}

// onPath does something with a clean path, and puts the path as it was given into the error.
func onPath(op, name string, do func(clean string) error) error {
	clean, err := Clean(name)
	if err == nil {
		err = do(clean)
	}
	return fsys.PathError(op, name, err)
}
