package filesystem

import (
	"strings"

	"github.com/toolrun/toolrun/tool"
)

// memories is what only the memory tool changes.
const memories = "/memories"

// isMemory reports whether a path is in the memory, so that the model can be told whose that is before anything else.
// What cannot be changed is not decided here: vfs.ReadOnly does that, which knows more spellings.
func isMemory(name string) bool {
	top, _, _ := strings.Cut(name[1:], "/")
	return strings.EqualFold("/"+top, memories)
}

// readOnly is the error of changing the memory. verb is what has been attempted.
func readOnly(verb, name string) error {
	return tool.Errorf("Error: Cannot %s readonly path %s. The /memories directory is managed by the memory tool.",
		verb, name)
}
