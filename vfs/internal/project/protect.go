package project

import (
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/toolrun/toolrun/vfs"
)

// A protection knows which names cannot be changed. Nil protects nothing.
type protection struct {
	own            nameSet // protected in any case
	usual, without nameSet // protected, but for some

	links protectedLinks
}

// A nameSet is names and patterns of names, regardless of case and Unicode form.
type nameSet struct {
	names    map[string]bool
	patterns []string
}

func newNameSet(list []string) nameSet {
	s := nameSet{names: map[string]bool{}}
	for _, name := range list {
		if name = vfs.Fold(name); strings.ContainsAny(name, `*?[`) {
			s.patterns = append(s.patterns, name)
		} else {
			s.names[name] = true
		}
	}
	return s
}

func (s *nameSet) has(folded string) bool {
	if s.names[folded] {
		return true
	}
	for _, pattern := range s.patterns {
		if ok, _ := path.Match(pattern, folded); ok {
			return true
		}
	}
	return false
}

// usualNames are those of [vfs.ProtectedNames].
var usualNames = newNameSet(vfs.ProtectedNames())

// ProtectionOf returns what options ask for. If usual is set, that is the usual names, too.
func ProtectionOf(options vfs.Options, usual bool) *protection {
	usual = usual && !slices.Contains(options.Unprotect, "*")
	if !usual && len(options.Protect) == 0 {
		return nil
	}
	p := &protection{own: newNameSet(options.Protect)}
	if usual {
		p.usual, p.without = usualNames, newNameSet(options.Unprotect)
	}
	return p
}

// bareHead is the folded name of the file that makes a directory a repository without a working tree. A directory of
// this name does not.
const bareHead = "head"

// shortName is what names look like that Windows gives to files beside their own: "GIT~1" may be ".git".
var shortName = regexp.MustCompile(`^[^.~]{1,6}~[0-9]{1,6}(\.[^.]{0,3})?$`)

// protects reports whether nobody may change what has a name.
func (p *protection) protects(name string, dir bool) bool {
	folded := vfs.Fold(name)
	if folded == bareHead && dir {
		return false
	}
	return p.own.has(folded) || p.usual.has(folded) && !p.without.has(folded) ||
		runtime.GOOS == "windows" && shortName.MatchString(folded)
}

// Guard refuses a change of a path that is protected, or below what is. dir says that the path is that of a directory.
func (c *Core) Guard(clean string, dir bool) error {
	if c.options.ReadOnly {
		return syscall.EROFS
	}
	if c.Protection == nil || clean == "/" || isState(clean) {
		return nil
	}
	for end := 1; end <= len(clean); end++ {
		if end < len(clean) && clean[end] != '/' {
			continue
		}
		if c.Protection.protects(path.Base(clean[:end]), dir || end < len(clean)) {
			return &vfs.ProtectedError{Path: clean[:end]}
		}
	}
	if target := c.guardsTarget(clean, dir); target != "" {
		return &vfs.ProtectedError{Path: target}
	}
	if !c.Protection.protects(bareHead, false) {
		return nil
	}
	for at := clean; at != "/"; {
		base := path.Base(at)
		at = path.Dir(at)
		if c.isRepository(at, base) {
			return &vfs.ProtectedError{Path: at}
		}
	}
	return nil
}

// repositoryParts are what a Git repository has beside [bareHead], or some of that. Without HEAD, a directory with any of
// these is none: Git wants one first of all, also where a file commondir says that objects and refs are elsewhere, as for
// a linked working tree. Code cannot add it, because its name is protected.
var repositoryParts = []string{"objects", "commondir", "refs", "config"}

// isRepository reports whether a directory is a Git repository, whatever its name, or could become one if something in
// it had the name base. Code cannot make a file HEAD, but somebody may have made one.
func (c *Core) isRepository(dir, base string) bool {
	head, err := c.Backend.Lstat(path.Join(dir, "HEAD"))
	if err != nil || head.IsDir() {
		return false
	}
	if slices.Contains(repositoryParts, vfs.Fold(base)) {
		return true
	}
	return slices.ContainsFunc(repositoryParts, func(name string) bool {
		_, err := c.Backend.Lstat(path.Join(dir, name))
		return err == nil
	})
}

// IsReadOnly is what [vfs.IsReadOnly] asks.
func (p *Project) IsReadOnly(string) bool { return p.Core.options.ReadOnly }

// guardTree refuses a change of a path, or of a tree of this size that contains something protected.
func (c *Core) guardTree(clean string, size treeSize) error {
	if err := c.Guard(clean, size.dir); err != nil {
		return err
	}
	if size.protected != "" {
		return &vfs.ProtectedError{Path: size.protected}
	}
	return nil
}
