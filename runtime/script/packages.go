package script

import (
	"bufio"
	"encoding/binary"
	"io"
	"strings"
)

const (
	// beforePackages is the name of the section, after its length.
	beforePackages = "\x10toolrun.packages"
	maxPackages    = 4 << 10 // bytes of the section
)

// Packages returns what the custom section toolrun.packages says, with which a build of an interpreter can begin: the
// packages that it has beside the standard library, each with its version, as in "numpy 2.3.5". It reads no more of
// the module than that, and returns nil if there is nothing of that kind.
func Packages(module io.Reader) []string {
	r := bufio.NewReaderSize(io.LimitReader(module, 2*maxPackages), maxPackages)
	if header, err := r.Peek(9); err != nil || string(header) != "\x00asm\x01\x00\x00\x00\x00" {
		return nil
	}
	_, _ = r.Discard(9) // the module's header, and the number of custom sections
	size, err := binary.ReadUvarint(r)
	if err != nil || size > maxPackages {
		return nil
	}
	section := make([]byte, size)
	if _, err := io.ReadFull(r, section); err != nil {
		return nil
	}
	text, ok := strings.CutPrefix(string(section), beforePackages)
	if !ok {
		return nil
	}
	var packages []string
	for line := range strings.Lines(text) {
		if name, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok && isWord(name) && isWord(version) {
			packages = append(packages, name+" "+version)
		}
	}
	return packages
}

// isWord reports whether a text is like a name or a version, and no sentence for a model.
func isWord(text string) bool {
	return text != "" && len(text) <= 40 && strings.Trim(text,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-") == ""
}
