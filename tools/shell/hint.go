package shell

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/spf13/afero"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// notThere is what commands say of an absolute path that is not there.
const notThere = "No such file or directory"

var absolutePath = regexp.MustCompile(`['"‘ ](/[^'"‘’:]+)['"’]?: ` + notThere)

// computerDirs are directories of computers in which people have their files, and that agents often work in.
var computerDirs = map[string]bool{
	"home": true, "Users": true, "root": true, "mnt": true, "workspace": true, "workspaces": true, "repo": true,
	"app": true, "testbed": true,
}

// hint tells a model that takes a path of a computer for one of the project where that begins, and which file may be
// meant. It looks at the first such error.
func hint(console []sandbox.Entry, files afero.Fs) string {
	for _, entry := range console {
		if !strings.Contains(entry.Text, notThere) || files == nil {
			continue
		}
		found := absolutePath.FindStringSubmatch(entry.Text)
		if found == nil {
			continue
		}
		name := path.Clean(found[1])
		first, rest, _ := strings.Cut(name[1:], "/")
		if _, err := files.Stat("/" + first); err == nil {
			continue // the project's own
		}
		for rest != "" && rest != "." {
			if _, err := files.Stat("/" + rest); err == nil {
				return fmt.Sprintf("Note: the project's files begin at /: use /%s instead of %s.", rest, name)
			}
			_, rest, _ = strings.Cut(rest, "/")
		}
		if computerDirs[first] {
			return fmt.Sprintf("Note: there is no /%s here: the project's files begin at /, which is also $HOME. "+
				"List them with ls /.", first)
		}
	}
	return ""
}
