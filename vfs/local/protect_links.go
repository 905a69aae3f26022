package local

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/vfs"
)

// maxProtectedLinks is how many links are followed.
const maxProtectedLinks = 1000

// hostDir returns the directory that the files of a backend are in, or nil.
func hostDir(b backend) *os.Root {
	switch b := b.(type) {
	case *disk:
		return b.root
	case *apart:
		return b.disk.root
	case *layered:
		return b.below.root
	}
	return nil
}

// linkTargets returns the folded paths that links with protected names lead to, as far as they are inside: links at the
// top of a directory, in its .git and among the hooks there. Links on the way count as well. Markdown does not: that
// is instructions for agents, which are not protected under their own names either.
func (p *protection) linkTargets(root *os.Root) []string {
	if root == nil {
		return nil
	}
	dir, err := filepath.Abs(root.Name())
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil
	}
	var targets []string
	links := 0
	follow := func(name string) {
		if links++; links > maxProtectedLinks {
			return
		}
		places := linkPlaces(filepath.Join(dir, filepath.FromSlash(name)))
		if n := len(places); n > 0 && strings.EqualFold(filepath.Ext(places[n-1]), ".md") {
			return
		}
		for _, at := range places {
			inside, err := filepath.Rel(dir, at)
			if err != nil || !filepath.IsLocal(inside) {
				continue
			}
			target := vfs.Fold(path.Join("/", filepath.ToSlash(inside)))
			if !slices.Contains(targets, target) {
				targets = append(targets, target)
			}
		}
	}
	list := func(dir string) []fs.DirEntry {
		entries, _ := fs.ReadDir(root.FS(), dir)
		return entries
	}
	for _, entry := range list(".") {
		name := entry.Name()
		if !p.protects(name, entry.IsDir()) {
			continue
		}
		if entry.Type()&fs.ModeSymlink != 0 {
			follow(name)
		}
		if !entry.IsDir() || vfs.Fold(name) != ".git" {
			continue
		}
		for _, dir := range []string{name, path.Join(name, "hooks")} {
			for _, inside := range list(dir) {
				if inside.Type()&fs.ModeSymlink != 0 {
					follow(path.Join(dir, inside.Name()))
				}
			}
		}
	}
	return targets
}

// linkPlaces returns where a link leads, and the places in which that is looked for on the way. What a link leads to
// need not be there.
func linkPlaces(link string) []string {
	var places []string
	for range 40 {
		target, err := os.Readlink(link)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(link), target)
		}
		places = append(places, filepath.Clean(target))
		link = realDir(target)
		places = append(places, link)
	}
	return places
}

// realDir returns a path without links, but for the last name, as far as it is there.
func realDir(name string) string {
	rest := filepath.Base(name)
	for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return name
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// guardsTarget returns what a link with a protected name leads to, if a change of a path could change that, or "". A
// directory above must not be replaced by another.
func (c *core) guardsTarget(clean string, dir bool) string {
	p := c.protection
	p.once.Do(func() { p.targets = p.linkTargets(hostDir(c.b)) })
	if len(p.targets) == 0 {
		return ""
	}
	folded := vfs.Fold(clean)
	for _, target := range p.targets {
		switch {
		case vfs.Within(folded, target):
			// Folding can change lengths, but not the number of names.
			return "/" + strings.Join(strings.Split(clean[1:], "/")[:depth(target)], "/")
		case dir && vfs.Within(target, folded):
			return clean
		}
	}
	return ""
}
