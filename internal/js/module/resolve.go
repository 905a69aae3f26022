package module

import (
	"cmp"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
)

const (
	// maxPath limits specifiers and paths, in bytes.
	maxPath = 4096
	// libDir is the directory of libraries.
	libDir = "/lib"
	// maxLevels limits how many parent directories are searched for node_modules or a package.json.
	maxLevels = 64
)

// extensions are tried in this order if a specifier has none. For require, Node tries the first two, and then takes a
// directory of the name.
var (
	nodeExtensions  = []string{".js", ".json"}
	otherExtensions = []string{".mjs", ".cjs", ".ts", ".mts", ".cts"}
	extensions      = []string{".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json"}
)

// typeScript maps the extension of compiled JavaScript to that of its TypeScript source.
var typeScript = map[string]string{".js": ".ts", ".mjs": ".mts", ".cjs": ".cts"}

// Resolve returns the module that a specifier means in the module at the path base, or in the main script if base
// is "": the absolute path of a file, a name from Builtins, or one from Absent behind [absentPrefix]. The errors are a
// *NotFoundError or a *SpecifierError.
//
//   - A specifier that begins with / or a dot, or is a file: URL, is a path. In the main script, paths are relative
//     to the root. A path means the file of that name; or else that name with one of the extensions .js, .mjs,
//     .cjs, .ts, .mts, .cts and .json; or else the directory of that name, with the file that its package.json
//     names, or its index file. x.js can also mean x.ts.
//   - A specifier that begins with # is looked up in the imports of the package around the importing module.
//   - Any other specifier is a built-in module (with or without node:, but test only with it), unless it ends with a
//     slash, or a path below the nearest node_modules directory around the importing module, or below /lib,
//     /lib/node_modules or /node_modules. A package can also import itself by its name. Packages are searched with
//     Node's conditions, and those without a form for Node with the conditions of browsers.
func (l *Loader) Resolve(specifier, base string) (string, error) {
	invalid := func(format string, args ...any) error {
		return &SpecifierError{specifier, fmt.Sprintf(format, args...)}
	}
	if reason := checkPath(specifier); reason != "" {
		return "", invalid("%s", reason)
	}
	if base != "" && (checkPath(base) != "" || !path.IsAbs(base)) {
		return "", invalid("the importing module has no valid path")
	}
	if scheme, rest, ok := strings.Cut(specifier, ":"); ok && isScheme(scheme) {
		switch strings.ToLower(scheme) {
		case "node":
			if slices.Contains(l.Builtins, rest) {
				return rest, nil
			}
			if checkPath(rest) == "" && !isPath(rest) {
				if found, err := l.resolveBare(rest, base, directoryOf(base)); err == nil {
					return found, nil
				}
			}
			return "", &NotFoundError{specifier, base, l.noBuiltin(rest)}
		case "file":
			u, err := url.Parse(specifier)
			if err != nil || u.Host != "" && u.Host != "localhost" || !path.IsAbs(u.Path) || checkPath(u.Path) != "" {
				return "", invalid("a file URL must be like file:///lib/x.js")
			}
			specifier = u.Path
		default:
			return "", invalid("there is no network here. Only the project's own files can be imported, "+
				"such as '/lib/x.js'; "+
				"put what you need into %s", libDir)
		}
	}
	dir := directoryOf(base)
	if isPath(specifier) {
		name := specifier
		if !path.IsAbs(name) {
			name = path.Join(dir, name)
		}
		directory := strings.HasSuffix(specifier, "/") || strings.HasSuffix(specifier, "/.") ||
			strings.HasSuffix(specifier, "/..") || specifier == "." || specifier == ".."
		name = path.Clean(name)
		if len(name) > maxPath {
			return "", invalid("the path is longer than %d bytes", maxPath)
		}
		if found := l.at(name, directory); found != "" {
			return found, nil
		}
		return "", &NotFoundError{specifier, base, l.missing(name)}
	}
	if specifier != onlyWithScheme && slices.Contains(l.Builtins, specifier) {
		return specifier, nil
	}
	if strings.HasPrefix(specifier, "#") {
		if found := l.imported(specifier, dir); found != "" {
			return found, nil
		}
		return "", &NotFoundError{specifier, base,
			"no package.json around the importing file has a file for that name in its imports."}
	}
	return l.resolveBare(specifier, base, dir)
}

// onlyWithScheme is a built-in module that needs node: before its name, as in Node. There is a package of that name.
const onlyWithScheme = "test"

// directoryOf returns the directory of the importing module, which is the root for the main script.
func directoryOf(base string) string {
	if base == "" {
		return "/"
	}
	return path.Dir(base)
}

// checkPath describes the fault of a specifier or path, or returns "".
func checkPath(s string) string {
	switch {
	case s == "":
		return "the name is empty"
	case len(s) > maxPath:
		return fmt.Sprintf("the name is longer than %d bytes", maxPath)
	case strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f || c == '\\' }):
		return "the name has a control character or a backslash in it"
	}
	return ""
}

// isScheme reports whether the text before a colon is the scheme of a URL.
func isScheme(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '+' && c != '-' && c != '.'
	}) && s[0] != '.'
}

func isPath(specifier string) bool {
	return specifier == "." || specifier == ".." ||
		strings.HasPrefix(specifier, "/") || strings.HasPrefix(specifier, "./") || strings.HasPrefix(specifier, "../")
}

// resolveBare finds a module by a bare name, such as lodash, lodash/fp or @scope/pkg/x.
func (l *Loader) resolveBare(specifier, base, dir string) (string, error) {
	clean := path.Clean(specifier)
	if clean != strings.TrimSuffix(specifier, "/") || isPath(clean) {
		return "", &SpecifierError{specifier, "a name of a module has no empty parts and no dots between slashes"}
	}
	if found := l.self(clean, dir); found != "" {
		return found, nil
	}
	roots := []string{}
	for level := 0; level < maxLevels && dir != "/"; level++ {
		if path.Base(dir) != "node_modules" && dir != libDir {
			roots = append(roots, path.Join(dir, "node_modules"))
		}
		dir = path.Dir(dir)
	}
	roots = append(roots, libDir, libDir+"/node_modules", "/node_modules")
	for _, root := range roots {
		if !l.isDir(root) {
			continue
		}
		if found := l.inPackage(root, clean); found != "" {
			return found, nil
		}
		if found := l.at(path.Join(root, clean), false); found != "" {
			return found, nil
		}
	}
	// x/ asks for a package, not for the built-in module
	if clean != onlyWithScheme && slices.Contains(l.Builtins, clean) {
		return clean, nil
	}
	if strings.Contains(base, "/node_modules/") && slices.Contains(l.Absent, clean) {
		return absentPrefix + clean, nil
	}
	if l.Instead[clean] != "" {
		return "", &NotFoundError{specifier, base, l.noBuiltin(clean)}
	}
	reason := fmt.Sprintf("it is no built-in module, and there is no %s.js and no package %s in %s, "+
		"where libraries lie. %s", clean, clean, libDir, l.builtins())
	if similar := l.similar(libDir, path.Base(clean)); similar != "" {
		reason += " " + similar
	}
	return "", &NotFoundError{specifier, base, reason}
}

// at returns the file that a path refers to, or "".
func (l *Loader) at(name string, directory bool) string {
	switch {
	case directory:
		return l.directory(name)
	case !l.Require:
		return cmp.Or(l.file(name, extensions), l.directory(name))
	}
	return cmp.Or(l.file(name, nodeExtensions), l.directory(name), l.file(name, otherExtensions))
}

// file returns the file that a path refers to, perhaps with one of the extensions, or "". It does not look into
// directories.
func (l *Loader) file(name string, extensions []string) string {
	if l.isFile(name) {
		return name
	}
	for _, extension := range extensions {
		if l.isFile(name + extension) {
			return name + extension
		}
	}
	extension := path.Ext(name)
	if typed := typeScript[extension]; typed != "" {
		if typed = strings.TrimSuffix(name, extension) + typed; l.isFile(typed) {
			return typed
		}
	}
	return ""
}

// directory returns the file that a directory refers to, or "".
func (l *Loader) directory(name string) string {
	if !l.isDir(name) {
		return ""
	}
	return cmp.Or(l.packageEntry(name), l.index(name))
}

func (l *Loader) index(name string) string {
	for _, extension := range extensions {
		if index := path.Join(name, "index"+extension); l.isFile(index) {
			return index
		}
	}
	return ""
}

func (l *Loader) isFile(name string) bool { return l.is(name, fs.FileMode.IsRegular) }
func (l *Loader) isDir(name string) bool  { return l.is(name, fs.FileMode.IsDir) }

func (l *Loader) is(name string, kind func(fs.FileMode) bool) bool {
	if l.Files == nil {
		return false
	}
	info, err := l.Files.Stat(name)
	return err == nil && kind(info.Mode())
}
