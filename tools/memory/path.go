package memory

import (
	"slices"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/textfile"
	"github.com/toolrun/toolrun/vfs"
)

// treeOf returns the memory of a project. There is nothing else in it, so that no path leads out.
func treeOf(files afero.Fs) textfile.Tree {
	return textfile.Tree{Files: vfs.Sub(files, root), Root: root}
}

// clean returns a path in the memory. "x", "/x", "memories/x" and "/memories/x" mean the same. What has "." or ".." in
// it is refused: whoever writes that means something that is not here.
func clean(given string) (string, error) {
	given = strings.Trim(given, textfile.Space)
	if parts := strings.Split(given, "/"); slices.Contains(parts, ".") || slices.Contains(parts, "..") {
		return "", tool.Errorf(`Error: The path %q cannot be used: "." and ".." are not allowed. `+
			`All paths are inside of %s.`, textfile.Cut(given, 200), root)
	}
	name, err := textfile.Clean(given)
	if err != nil {
		return "", err
	}
	if inside, ok := strings.CutPrefix(name, root); ok && (inside == "" || inside[0] == '/') {
		name = "/" + strings.TrimPrefix(inside, "/")
	}
	return name, nil
}
