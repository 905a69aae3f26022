package shell

import (
	"fmt"
	"path"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// notThere is what commands say of an absolute path that is not there.
const notThere = "No such file or directory"

var absolutePath = lazyregexp.New(`['"‘ ](/[^'"‘’:]+)['"’]?: ` + notThere)

// computerDirs are directories of computers in which people have their files, and that agents often work in.
var computerDirs = map[string]bool{
	"home": true, "Users": true, "root": true, "mnt": true, "workspace": true, "workspaces": true, "repo": true,
	"app": true, "testbed": true,
}

// A script can print what looks like such errors, and no limit of its run holds for what the host does about them. So
// longer paths are left alone, and so many files are looked for.
const maxPath, maxLooks = 1000, 50

// hint tells a model that takes a path of a computer for one of the project where that begins, and which file may be
// meant. It looks at the first such error.
func hint(console []sandbox.Entry, files afero.Fs) string {
	looks := 0
	isThere := func(name string) bool {
		looks++
		_, err := files.Stat(name)
		return err == nil
	}
	for _, entry := range console {
		if !strings.Contains(entry.Text, notThere) || files == nil {
			continue
		}
		found := absolutePath().FindStringSubmatch(entry.Text)
		if found == nil || len(found[1]) > maxPath {
			continue
		}
		if looks >= maxLooks {
			break
		}
		name := path.Clean(found[1])
		first, rest, _ := strings.Cut(name[1:], "/")
		if isThere("/" + first) {
			continue // the project's own
		}
		for rest != "" && rest != "." && looks < maxLooks {
			if isThere("/" + rest) {
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
