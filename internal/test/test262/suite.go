package test262

import (
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// Suite is a checkout of the suite, or a folder of the same form. It is safe for concurrent use.
type Suite struct {
	dir string

	mu      sync.Mutex
	harness map[string]string
}

// Open returns the suite in a directory, which has the folders test and harness.
func Open(dir string) (*Suite, error) {
	for _, name := range []string{"test", "harness"} {
		if _, err := os.ReadDir(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	return &Suite{dir: dir, harness: map[string]string{}}, nil
}

// Commit returns the commit of a checkout, or "" if it cannot be told.
func (s *Suite) Commit() string {
	if _, err := os.Stat(filepath.Join(s.dir, ".git")); err != nil {
		return "" // git would answer for a repository around it
	}
	out, err := exec.Command("git", "-C", s.dir, "rev-parse", "HEAD").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// Paths returns the paths of all tests, sorted.
func (s *Suite) Paths() ([]string, error) {
	var paths []string
	root := filepath.Join(s.dir, "test")
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".js" || strings.Contains(entry.Name(), "_FIXTURE") {
			return err
		}
		below, err := filepath.Rel(root, name)
		paths = append(paths, filepath.ToSlash(below))
		return err
	})
	return paths, err
}

// Load reads a test.
func (s *Suite) Load(name string) (*Test, error) {
	source, err := os.ReadFile(filepath.Join(s.dir, "test", filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	return Parse(name, string(source))
}

// Folder returns the directory of a test on this machine, in which the modules are that it can import.
func (s *Suite) Folder(t *Test) string {
	return filepath.Join(s.dir, "test", filepath.FromSlash(path.Dir(t.path)))
}

// sources returns the files of the harness that a test needs.
func (s *Suite) sources(t *Test) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sources := []string{}
	for _, name := range t.Harness() {
		source, ok := s.harness[name]
		if !ok {
			data, err := os.ReadFile(filepath.Join(s.dir, "harness", filepath.FromSlash(name)))
			if err != nil {
				return nil, err
			}
			source = string(data)
			s.harness[name] = source
		}
		sources = append(sources, source)
	}
	return sources, nil
}
