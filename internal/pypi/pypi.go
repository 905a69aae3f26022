// Package pypi puts packages of pure Python from an index such as PyPI into a folder, from which the sandbox imports
// them, and keeps a lock file of what it has put there. No code of a package is run. Whatever comes from the index,
// from the lock file and from the folder may be hostile: wheels must have the SHA-256 that the index, or the lock,
// names; no path leads out of the folder; nothing is replaced that belongs to no package; and only the index is asked.
package pypi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Python is what packages are for.
type Python struct {
	// Version is such as 3.11.2.
	Version string
	// Packages are those that it has itself, by the names of their modules, such as "numpy 2.3.5".
	Packages []string
	// Instead says what there is instead of packages with native code, in a sentence without its end, or nothing.
	Instead string
}

// distributions are names in the index, by those of modules that are other ones.
var distributions = map[string]string{"pil": "pillow", "dateutil": "python-dateutil"}

// own returns the version of a package that Python has itself, or nothing.
func (p *Python) own(name string) string {
	for _, one := range p.Packages {
		module, version, _ := strings.Cut(one, " ")
		module = normalize(module)
		if cmp.Or(distributions[module], module) == name {
			return version
		}
	}
	return ""
}

// maxPackages bounds how many packages there can be.
const maxPackages = 200

// A resolver finds versions that fit together.
type resolver struct {
	index  *Index
	python *Python
	locked map[string]Package // which are kept if they fit

	files  map[string][]file
	wheels map[string]*wheel // by SHA-256
	left   int64             // how many bytes may still be unpacked
	// wants are conditions of packages that have been looked at, with who has them. They only grow, so that looking
	// ends: a version that did not fit is not tried again.
	wants map[string][]want
}

type want struct {
	by string
	requirement
}

// chosen is a version of a package.
type chosen struct {
	candidate
	*wheel
	extras []string
	needs  []string
}

// errAgain means that a condition was found that what had been chosen does not meet.
var errAgain = errors.New("pypi: again")

// resolve returns versions of all packages that are required, by their names.
func (r *resolver) resolve(ctx context.Context, requires []string) (map[string]*chosen, error) {
	var roots []want
	for _, text := range requires {
		one, err := parseRequirement(text)
		if err != nil {
			return nil, err
		}
		roots = append(roots, want{"the project", one})
	}
	for range 20 {
		all, err := r.attempt(ctx, roots)
		if err != errAgain {
			return all, err
		}
	}
	return nil, errors.New("no versions were found that fit together: name them, as in NAME==VERSION")
}

// attempt takes the newest version of each package that all known conditions allow.
func (r *resolver) attempt(ctx context.Context, roots []want) (map[string]*chosen, error) {
	all := map[string]*chosen{}
	env := environment(r.python.Version)
	for queue := slices.Clone(roots); len(queue) > 0; queue = queue[1:] {
		w := queue[0]
		if holds, err := w.wanted(env, nil); err != nil || !holds {
			if err != nil {
				return nil, fmt.Errorf("%s wants %s: %w", w.by, w.text, err)
			}
			continue
		}
		if version := r.python.own(w.name); version != "" {
			if v, ok := parseVersion(version); ok && !allowAll(w.conditions, v, version) {
				return nil, fmt.Errorf("%s wants %s, and Python has %s %s itself, which cannot be replaced", w.by,
					w.text, w.name, version)
			}
			continue
		}
		if !slices.ContainsFunc(r.wants[w.name], func(o want) bool { return o.by == w.by && o.text == w.text }) {
			r.wants[w.name] = append(r.wants[w.name], w)
		}
		found := all[w.name]
		if found == nil {
			if len(all) == maxPackages {
				return nil, fmt.Errorf("that needs more than %d packages", maxPackages)
			}
			var err error
			if found, err = r.choose(ctx, w.name); err != nil {
				return nil, err
			}
			all[w.name] = found
		} else if !allowAll(w.conditions, found.version, found.text) {
			return nil, errAgain
		} else if !slices.ContainsFunc(w.extras, func(e string) bool { return !slices.Contains(found.extras, e) }) {
			continue
		}
		found.extras = append(found.extras, w.extras...)
		found.needs = nil
		for _, next := range found.requires {
			holds, err := next.wanted(env, found.extras)
			if err != nil {
				return nil, fmt.Errorf("%s %s wants %s: %w", w.name, found.text, next.text, err)
			}
			if holds {
				next.marker = ""
				queue = append(queue, want{w.name + " " + found.text, next})
				if r.python.own(next.name) == "" && !slices.Contains(found.needs, next.name) {
					found.needs = append(found.needs, next.name)
				}
			}
		}
		slices.Sort(found.needs)
	}
	return all, nil
}

// choose returns the newest version of a package that all conditions allow, or the locked one.
func (r *resolver) choose(ctx context.Context, name string) (*chosen, error) {
	files, ok := r.files[name]
	if !ok {
		var err error
		if files, err = r.index.files(ctx, name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r.files[name] = files
	}
	python, _ := parseVersion(r.python.Version)
	found, others := candidates(name, files, python)
	var conditions []specifier
	var wishes []string
	for _, w := range r.wants[name] {
		conditions = append(conditions, w.conditions...)
		wishes = append(wishes, fmt.Sprintf("%s wants %s", w.by, w.text))
	}
	// Pre-releases are for those who name one, or if there is nothing else.
	pre := slices.ContainsFunc(conditions, func(s specifier) bool { return s.isPre() }) ||
		!slices.ContainsFunc(found, func(c candidate) bool { return !c.isPre() })
	found = slices.DeleteFunc(found, func(c candidate) bool {
		return !allowAll(conditions, c.version, c.text) || c.isPre() && !pre
	})
	if len(found) == 0 {
		if others == nativeOnly && r.python.Instead != "" {
			others += ". " + r.python.Instead
		}
		return nil, fmt.Errorf("%s cannot be had (%s): %s", name, strings.Join(wishes, ", "), others)
	}
	best := found[0]
	sum := best.Hashes["sha256"]
	if locked, ok := r.locked[name]; ok {
		if i := slices.IndexFunc(found, func(c candidate) bool { return c.Filename == locked.File }); i >= 0 {
			best, sum = found[i], locked.SHA256 // what the lock says, whatever the index says now
		}
	}
	w, ok := r.wheels[sum]
	if !ok {
		data, err := r.index.wheel(ctx, best.file, sum)
		if err != nil {
			return nil, err
		}
		if w, err = openWheel(data, name, best.text, &r.left); err != nil {
			return nil, fmt.Errorf("%s: %w", best.Filename, err)
		}
		r.wheels[sum] = w
	}
	best.Hashes = map[string]string{"sha256": strings.ToLower(sum)}
	return &chosen{candidate: best, wheel: w}, nil
}
