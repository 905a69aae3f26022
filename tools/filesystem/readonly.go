package filesystem

import (
	"strings"

	"github.com/toolrun/toolrun/tools/internal/textfile"
)

// memories is what only the memory tool changes.
const memories = "/memories"

// isMemory reports whether a path is that of the memory. It decides only which error comes first: what cannot be
// changed is the business of vfs.ReadOnly, which knows more spellings.
func isMemory(name string) bool {
	top, _, _ := strings.Cut(name[1:], "/")
	return strings.EqualFold("/"+top, memories)
}

// refused is the error of changing what cannot be changed. verb is what has been attempted.
func refused(verb, name string, cause error) error {
	text := "Error: Cannot " + verb + " readonly path " + name + "."
	// Everything can be read-only, if the host wants that.
	if isMemory(name) || !plain(name) {
		text += " The /memories directory is managed by the memory tool."
	}
	return &textfile.Error{Text: text, Err: cause}
}

// plain reports whether a path is in ASCII, so that isMemory knows all its spellings.
func plain(name string) bool {
	return !strings.ContainsFunc(name, func(c rune) bool { return c >= 0x80 })
}
