package project

import (
	"path"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
	"github.com/toolrun/toolrun/vfs"
)

// A protection knows which names cannot be changed. Nil protects nothing.
type protection struct {
	own            nameSet // protected in any case
	usual, without nameSet // protected, but for some
	short          nameSet // what short names of these look like

	links protectedLinks
}

// A nameSet is names and patterns of names, regardless of case and Unicode form.
type nameSet struct {
	names    map[string]bool
	patterns []pattern
}

// A pattern is one of [path.Match], with what all names begin and end with that match it.
type pattern struct{ whole, prefix, suffix string }

const wild = `*?[`

func newNameSet(list []string) nameSet {
	s := nameSet{names: map[string]bool{}}
	for _, name := range list {
		if name = vfs.Fold(name); strings.ContainsAny(name, wild) {
			p := pattern{whole: name, prefix: name[:strings.IndexAny(name, wild)]}
			if !strings.ContainsAny(name, `[\`) {
				p.suffix = name[strings.LastIndexAny(name, wild)+1:]
			}
			s.patterns = append(s.patterns, p)
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
	for _, p := range s.patterns {
		if !strings.HasPrefix(folded, p.prefix) || !strings.HasSuffix(folded, p.suffix) {
			continue
		}
		if ok, _ := path.Match(p.whole, folded); ok {
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
	names := options.Protect
	if usual {
		p.usual, p.without = usualNames, newNameSet(options.Unprotect)
		for _, name := range vfs.ProtectedNames() {
			if !p.without.has(vfs.Fold(name)) {
				names = append(slices.Clip(names), name)
			}
		}
	}
	p.short = newNameSet(shortForms(names))
	return p
}

// bareHead is the folded name of the file that makes a directory a repository without a working tree.
const bareHead = "head"

// onlyFiles are folded names of which directories are not protected.
var onlyFiles = map[string]bool{bareHead: true, "activate": true, "bazel": true}

// shortName is what names look like that Windows gives to files beside their own: "GIT~1" may be ".git". A disk of
// Windows has these names on other systems, too.
var shortName = lazyregexp.New(`^([^.~]{1,6})~[0-9]{1,6}(?:\.([^.]{0,3}))?$`)

// shortForms returns what short names of names are without their numbers: up to six characters, a dot, and up to three
// of the extension. After four of the same, Windows takes two characters and a number of four digits.
// See https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file#short-vs-long-names
func shortForms(names []string) (forms []string) {
	for _, name := range names {
		name = vfs.Fold(strings.TrimLeft(name, "."))
		base, extension := name, ""
		if at := strings.LastIndexByte(name, '.'); at >= 0 {
			base, extension = name[:at], name[at+1:]
		}
		if strings.HasSuffix(name, "*") { // which may be an extension
			extension = "*"
		}
		base = strings.ReplaceAll(base, ".", "")
		if at := strings.IndexAny(base, wild); at >= 0 && at < 6 {
			base = base[:at] + "*"
		}
		if at := strings.IndexAny(extension, wild); at >= 0 && at < 3 {
			extension = extension[:at] + "*"
		}
		first := func(s string, n int) string { return string([]rune(s)[:min(n, len([]rune(s)))]) }
		extension = "." + first(extension, 3)
		forms = append(forms, first(base, 6)+extension)
		if len(base) > 2 && !strings.ContainsAny(first(base, 2), wild) {
			forms = append(forms, first(base, 2)+strings.Repeat("[0-9a-f]", 4)+extension)
		}
	}
	return forms
}

// protects reports whether nobody may change what has a name. Some systems take a name for another one: without dots
// and spaces at its end, without what follows a colon, which is a stream of a file, or for a file with a longer name.
func (p *protection) protects(name string, dir bool) bool {
	folded := vfs.Fold(name)
	if p.names(folded, dir) {
		return true
	}
	stem, _, _ := strings.Cut(folded, ":")
	stem = strings.TrimRight(stem, ". ")
	if stem != folded && p.names(stem, dir) {
		return true
	}
	if !strings.Contains(stem, "~") {
		return false
	}
	short := shortName().FindStringSubmatch(stem)
	return short != nil && (runtime.GOOS == "windows" || p.short.has(short[1]+"."+short[2]))
}

// names reports whether a folded name is protected.
func (p *protection) names(folded string, dir bool) bool {
	return p.own.has(folded) || p.usual.has(folded) && !p.without.has(folded) && !(dir && onlyFiles[folded])
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

// repositoryParts are what a Git repository has beside [bareHead], or some of that. Without HEAD, a directory with any
// of these is none: Git wants one first of all, also where a file commondir says that objects and refs are elsewhere,
// as for a linked working tree. Code cannot add it, because its name is protected.
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

// IsReadOnly implements [vfs.Project].
func (p *Project) IsReadOnly(string) bool { return p.Core.options.ReadOnly }

// IsMount implements [vfs.Project]. Nothing is mounted: see [vfs.OpenMounts].
func (p *Project) IsMount(string) bool { return false }

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
