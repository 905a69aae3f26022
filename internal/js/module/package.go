package module

import (
	"cmp"
	"encoding/json"
	"path"
	"strings"
)

// maxPackage limits the size of a package.json in bytes.
const maxPackage = 1 << 20

// manifest holds the members of a package.json that concern modules.
type manifest struct {
	Name, Type, Browser, Module, Main lenient
	Exports, Imports                  json.RawMessage
}

// lenient is a string; any other JSON value decodes as an empty one.
type lenient string

func (s *lenient) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*s = lenient(text)
	}
	return nil
}

// manifest reads the package.json of a directory. It returns nil on any error.
func (l *Loader) manifest(dir string) *manifest {
	name := path.Join(dir, "package.json")
	if !l.isFile(name) {
		return nil
	}
	data, err := l.read(name, maxPackage, "a package.json")
	if err != nil {
		return nil
	}
	var m manifest
	if json.Unmarshal([]byte(toText(data)), &m) != nil {
		return nil
	}
	return &m
}

// scope returns the nearest package around a directory: its directory, and its manifest, or nil if there is none.
func (l *Loader) scope(dir string) (string, *manifest) {
	for range maxLevels {
		if m := l.manifest(dir); m != nil {
			return dir, m
		}
		if dir == "/" || path.Base(dir) == "node_modules" {
			break
		}
		dir = path.Dir(dir)
	}
	return "", nil
}

// packageType returns the type of the nearest package around a directory, or "".
func (l *Loader) packageType(dir string) string {
	if _, m := l.scope(dir); m != nil {
		return string(m.Type)
	}
	return ""
}

// splitPackage splits a bare name such as pkg/sub or @scope/pkg/sub into the package's name and what follows it.
func splitPackage(name string) (pkg, rest string) {
	scope := ""
	if strings.HasPrefix(name, "@") {
		before, after, _ := strings.Cut(name, "/")
		scope, name = before+"/", after
	}
	pkg, rest, _ = strings.Cut(name, "/")
	return scope + pkg, rest
}

// self returns the file that a bare name refers to if it is that of the package around dir, which has exports, or "".
func (l *Loader) self(name, dir string) string {
	pkg, rest := splitPackage(name)
	root, m := l.scope(dir)
	if m == nil || string(m.Name) != pkg || len(m.Exports) == 0 {
		return ""
	}
	subpath := "."
	if rest != "" {
		subpath = "./" + rest
	}
	return l.exportedFile(root, m, subpath)
}

// imported returns the file or built-in module that a name that begins with # means in the package around dir, or "".
func (l *Loader) imported(name, dir string) string {
	root, m := l.scope(dir)
	if m == nil {
		return ""
	}
	list := members(m.Imports)
	for _, conditions := range l.conditions() {
		switch target := listed(list, name, conditions); {
		case target == "":
		case strings.HasPrefix(target, "./"):
			if found := l.inside(root, target, l.isRegular); found != "" {
				return found
			}
		case !isPath(target) && !strings.HasPrefix(target, "#") && checkPath(target) == "":
			if found, err := l.Resolve(target, path.Join(root, "package.json")); err == nil {
				return found
			}
		}
	}
	return ""
}

// inPackage returns the file that a bare name such as pkg/sub refers to in its package below root, or "".
func (l *Loader) inPackage(root, name string) string {
	pkg, rest := splitPackage(name)
	if rest == "" {
		return "" // the whole package, which directory finds
	}
	dir := path.Join(root, pkg)
	if m := l.manifest(dir); m != nil {
		return l.exportedFile(dir, m, "./"+rest)
	}
	return ""
}

// exportedFile returns the file that a package's exports name for a subpath, or "".
func (l *Loader) exportedFile(dir string, m *manifest, subpath string) string {
	if len(m.Exports) == 0 {
		return ""
	}
	for _, conditions := range l.conditions() {
		if found := l.inside(dir, exported(m.Exports, subpath, conditions), l.isRegular); found != "" {
			return found
		}
	}
	return ""
}

// packageEntry returns the file that a directory's package.json names for the whole package, or "".
func (l *Loader) packageEntry(dir string) string {
	m := l.manifest(dir)
	if m == nil {
		return ""
	}
	if found := l.exportedFile(dir, m, "."); found != "" {
		return found
	}
	if found := l.inside(dir, string(m.Main), l.fileOrIndex); found != "" {
		return found
	}
	if found := l.index(dir); found != "" {
		return found
	}
	for _, target := range []lenient{m.Module, m.Browser} { // forms that Node does not know
		if found := l.inside(dir, string(target), l.fileOrIndex); found != "" {
			return found
		}
	}
	return ""
}

// inside returns find's result for a target within a package, or "" if the target is outside of it.
func (l *Loader) inside(dir, target string, find func(string) string) string {
	if target == "" || checkPath(target) != "" {
		return ""
	}
	name := path.Join(dir, target)
	if len(name) > maxPath || name != dir && !strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/") {
		return ""
	}
	return find(name)
}

func (l *Loader) isRegular(name string) string {
	if l.isFile(name) {
		return name
	}
	return ""
}

func (l *Loader) fileOrIndex(name string) string {
	return cmp.Or(l.file(name, extensions), l.index(name))
}
