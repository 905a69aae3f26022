package project

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolrun/toolrun/vfs"
)

// maxProtectedLinks is how many links are followed.
const maxProtectedLinks = 1000

// hosted is a backend whose files are in a directory of the host.
type hosted interface {
	HostDir() *os.Root
}

// hostDir returns the directory that the files of a backend are in, or nil.
func hostDir(b Backend) *os.Root {
	if h, ok := b.(hosted); ok {
		return h.HostDir()
	}
	return nil
}

// protectedLinks are what links with protected names lead to. People make links while a process runs, so with each call
// they are looked for again, if a directory that they were looked for in has changed. Doing that before each change
// would make those at the top a third slower.
type protectedLinks struct {
	mu      sync.Mutex
	targets []string // folded
	// fresh says that they have been looked for since the call began.
	fresh bool
	// changed is when the directories had changed, by name. It is nil if they must be looked at again.
	changed map[string]time.Time
}

// settling is how long after a change another one may not show in the time of a directory.
const settling = 100 * time.Millisecond

// targets returns the folded paths that links with protected names lead to.
func (p *protection) targets(root *os.Root) []string {
	l := &p.links
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fresh || root == nil {
		return l.targets
	}
	l.fresh = true
	if l.changed != nil && !haveChanged(root, l.changed) {
		return l.targets
	}
	targets, dirs := p.linkTargets(root)
	l.targets, l.changed = targets, dirs
	for _, changed := range dirs {
		if time.Since(changed) < settling {
			l.changed = nil
		}
	}
	if len(dirs) == 0 {
		l.changed = nil
	}
	return l.targets
}

// begin is called when a call begins, or a change without a call.
func (p *protection) begin() {
	if p == nil {
		return
	}
	p.links.mu.Lock()
	defer p.links.mu.Unlock()
	p.links.fresh = false
}

// forget has the links looked for again when a call begins, whatever the times of directories are.
func (p *protection) forget() {
	if p == nil {
		return
	}
	p.links.mu.Lock()
	defer p.links.mu.Unlock()
	p.links.changed = nil
}

// haveChanged reports whether directories have changed since, or are no longer there.
func haveChanged(root *os.Root, since map[string]time.Time) bool {
	for dir, changed := range since {
		if info, err := root.Lstat(dir); err != nil || !info.ModTime().Equal(changed) {
			return true
		}
	}
	return false
}

// linkTargets returns the folded paths that links with protected names lead to, as far as they are inside: links at the
// top of a directory, in its .git and among the hooks there. Links on the way count as well. Markdown does not: that
// is instructions for agents, which are not protected under their own names either. It also returns when the
// directories that it has looked at had changed before, by name; nil if that is not known.
func (p *protection) linkTargets(root *os.Root) (targets []string, dirs map[string]time.Time) {
	dir, err := filepath.Abs(root.Name())
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, nil
	}
	dirs = map[string]time.Time{}
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
		if info, err := root.Lstat(dir); err == nil {
			dirs[dir] = info.ModTime()
		}
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
	return targets, dirs
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
func (c *Core) guardsTarget(clean string, dir bool) string {
	targets := c.Protection.targets(hostDir(c.Backend))
	if len(targets) == 0 {
		return ""
	}
	folded := vfs.Fold(clean)
	for _, target := range targets {
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
