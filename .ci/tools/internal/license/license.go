// Package license finds the licences of the modules that packages are built of.
package license

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// A Module is a module of which packages are used.
type Module struct {
	Path, Version string
	Licenses      []string // SPDX identifiers, sorted
	Files         []File   // licences, notices and grants of patents, sorted by name
}

// A File is a file of a module.
type File struct {
	Name string // relative to the module
	Text []byte
}

// allowed are the licences that dependencies may have.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}

var (
	licenses = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)([.-].*)?$`)
	notices  = regexp.MustCompile(`(?i)^(notice|patents|copyright|authors)([.-].*)?$`)
)

// documentation is the licence of some modules' documentation, which is in no binary. It is not enough for a module.
const documentation = "CC-BY-4.0"

// minCoverage is the percentage of a file that has to be known text, as on pkg.go.dev.
const minCoverage = 75

// Of returns the modules, other than the one in the directory dir, that its packages are built of on any of the
// platforms (os/arch), without their tests, sorted by path. The licences are those at the root of a module and those
// in the directories of the packages that are used, and between them. It is an error if a module has none, or one that
// is not allowed or not known.
func Of(dir string, platforms []string) ([]Module, error) {
	modules := map[string]*Module{}
	read := map[string]bool{} // directories
	for _, platform := range platforms {
		packages, err := list(dir, platform)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			if p.Module == nil || p.Module.Main {
				continue
			}
			m := modules[p.Module.Path]
			if m == nil {
				m = &Module{Path: p.Module.Path, Version: p.Module.Version}
				modules[m.Path] = m
			}
			for at := p.Dir; !read[at]; at = filepath.Dir(at) {
				read[at] = true
				if err := m.read(p.Module.Dir, at); err != nil {
					return nil, fmt.Errorf("%s %s: %w", m.Path, m.Version, err)
				}
				if at == p.Module.Dir {
					break
				}
			}
		}
	}
	sorted := make([]Module, 0, len(modules))
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		m := modules[path]
		if !slices.ContainsFunc(m.Files, func(f File) bool {
			return !strings.Contains(f.Name, "/") && licenses.MatchString(f.Name)
		}) {
			return nil, fmt.Errorf("%s %s has no licence", m.Path, m.Version)
		}
		slices.SortFunc(m.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
		slices.Sort(m.Licenses)
		m.Licenses = slices.Compact(m.Licenses)
		sorted = append(sorted, *m)
	}
	return sorted, nil
}

type goPackage struct {
	Dir    string
	Module *struct {
		Path, Version, Dir string
		Main               bool
	}
}

func list(dir, platform string) ([]goPackage, error) {
	goos, goarch, _ := strings.Cut(platform, "/")
	cmd := exec.Command("go", "list", "-deps", "-json=Dir,Module", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s: %w", platform, err)
	}
	var packages []goPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := decoder.Decode(&p); err == io.EOF {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

// read adds the files of one directory of a module.
func (m *Module) read(root, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		isLicense := licenses.MatchString(entry.Name())
		if entry.IsDir() || filepath.Ext(entry.Name()) == ".go" || !isLicense && !notices.MatchString(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, filepath.Join(dir, entry.Name()))
		if err != nil {
			return err
		}
		m.Files = append(m.Files, File{filepath.ToSlash(name), text})
		if !isLicense {
			continue
		}
		coverage := licensecheck.Scan(text)
		if coverage.Percent < minCoverage {
			return fmt.Errorf("%s is not a licence that is known (%.0f %% of it is)", name, coverage.Percent)
		}
		for _, match := range coverage.Match {
			if match.ID == documentation {
				continue
			}
			if !slices.Contains(allowed, match.ID) {
				return fmt.Errorf("%s: %s is not among the licences that are allowed: %s",
					name, match.ID, strings.Join(allowed, ", "))
			}
			m.Licenses = append(m.Licenses, match.ID)
		}
	}
	return nil
}
