package shell

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/patterns"
)

// glob returns the files that match a pattern, sorted.
func (sh *Shell) glob(pattern string) []string {
	g := globber{sh: sh, fold: sh.shopt["nocaseglob"], dots: sh.shopt["dotglob"], deep: sh.shopt["globstar"]}
	ignore := sh.value("GLOBIGNORE")
	g.dots = g.dots || ignore != ""
	parts := strings.Split(pattern, "/")
	if g.deep {
		parts = slices.CompactFunc(parts, func(a, b string) bool { return a == "**" && b == "**" })
	}
	if strings.HasPrefix(pattern, "/") {
		g.expand("/", parts[1:])
	} else {
		g.expand("", parts)
	}
	if ignore != "" {
		g.found = slices.DeleteFunc(g.found, func(name string) bool {
			return slices.ContainsFunc(ignored(ignore), func(p string) bool {
				// A star does not match a slash.
				return strings.Count(p, "/") == strings.Count(name, "/") && sh.matches(p, name, false)
			}) || strings.HasSuffix(name, "/.") || strings.HasSuffix(name, "/..") || name == "." || name == ".."
		})
	}
	slices.Sort(g.found)
	return g.found
}

// ignored splits the patterns of GLOBIGNORE at colons, but not at those in brackets.
func ignored(s string) []string {
	var list []string
	from := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[':
			if end := patterns.BracketEnd(s[i:]); end > 0 {
				i += end - 1
			}
		case ':':
			list = append(list, s[from:i])
			from = i + 1
		}
	}
	return append(list, s[from:])
}

type globber struct {
	sh               *Shell
	fold, dots, deep bool
	found            []string
}

// expand finds what parts of a path match below a prefix, which is empty or ends with a slash.
func (g *globber) expand(prefix string, parts []string) {
	g.sh.process.check()
	part, rest := parts[0], parts[1:]
	switch {
	case part == "" && len(rest) == 0:
		if info, err := g.sh.files.Stat(orDot(prefix)); err == nil && info.IsDir() {
			g.found = append(g.found, prefix)
		}
		return
	case part == "":
		g.expand(prefix+"/", rest)
		return
	case !patterns.Special(part):
		name := prefix + patterns.Unescape(part)
		if len(rest) == 0 {
			if _, err := g.sh.files.Lstat(name); err == nil {
				g.found = append(g.found, name)
			}
		} else if info, err := g.sh.files.Stat(name); err == nil && info.IsDir() {
			g.expand(name+"/", rest)
		}
		return
	case part == "**" && g.deep:
		g.all(prefix, rest)
		return
	}
	entries, err := g.sh.files.ReadDir(orDot(prefix))
	if err != nil {
		return
	}
	if strings.HasPrefix(part, ".") && !g.sh.shoptOn("globskipdots") {
		entries = append([]fs.DirEntry{dot("."), dot("..")}, entries...)
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") && !g.dots && !strings.HasPrefix(patterns.Unescape(part), ".") {
			continue
		}
		if !g.sh.matches(part, name, g.fold) {
			continue
		}
		if len(rest) == 0 {
			g.found = append(g.found, prefix+name)
		} else if g.directory(prefix+name, entry) {
			g.expand(prefix+name+"/", rest)
		}
	}
}

// all finds what matches in a directory and all below it.
func (g *globber) all(prefix string, rest []string) {
	if len(rest) > 0 {
		g.expand(prefix, rest)
	} else if prefix != "" {
		g.found = append(g.found, prefix)
	}
	entries, err := g.sh.files.ReadDir(orDot(prefix))
	if err != nil {
		return
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") && !g.dots {
			continue
		}
		if entry.IsDir() {
			if len(rest) == 0 {
				g.below(prefix + name)
			} else {
				g.all(prefix+name+"/", rest)
			}
		} else if len(rest) == 0 {
			g.found = append(g.found, prefix+name)
		}
	}
}

// below finds a directory and all that is in it.
func (g *globber) below(dir string) {
	g.sh.process.check()
	g.found = append(g.found, dir)
	entries, err := g.sh.files.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") && !g.dots {
			continue
		}
		if name := dir + "/" + entry.Name(); entry.IsDir() {
			g.below(name)
		} else {
			g.found = append(g.found, name)
		}
	}
}

func (g *globber) directory(name string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return entry.IsDir()
	}
	info, err := g.sh.files.Stat(name)
	return err == nil && info.IsDir()
}

func orDot(prefix string) string {
	if prefix == "" {
		return "."
	}
	return prefix
}

// dot is an entry that directories have and ReadDir leaves out.
type dot string

func (d dot) Name() string             { return string(d) }
func (dot) IsDir() bool                { return true }
func (dot) Type() fs.FileMode          { return fs.ModeDir }
func (dot) Info() (fs.FileInfo, error) { return nil, fs.ErrNotExist }

// matches says whether a whole text matches a pattern.
func (sh *Shell) matches(p, s string, fold bool) bool {
	m := patterns.Matcher{Fold: fold, Check: sh.process.check}
	return m.Match(p, s)
}
