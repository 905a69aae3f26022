package codebase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/filetext"
	"github.com/toolrun/toolrun/internal/plaintext"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tools/internal/textfile"
)

type searchInput struct {
	Project string `json:"project,omitempty" jsonschema:"the project; it can be left out if there is only one"`
	Regex   string `json:"regex" jsonschema:"the regular expression; (?i) at its beginning ignores case"`
	Path    string `json:"path,omitempty" jsonschema:"the file or directory to search in; everything if it is left out"`
}

// Limits of a search.
const (
	maxMatches  = 200      // lines that are shown
	maxLine     = 300      // bytes of one of them, around the match
	maxSearched = 4 << 20  // bytes of a file
	maxPattern  = 10 << 10 // bytes of an expression
	maxSkipped  = 20       // files that are named although they have not been searched
)

// A search looks through files for lines.
type search struct {
	files   afero.Fs
	pattern *regexp.Regexp
	text    strings.Builder
	matches int
	found   int // files with matches
	// skipped are files that have not been looked at, and why; at most maxSkipped. more is how many others there are.
	skipped []string
	more    int
}

// skip notes that a file is not looked at.
func (s *search) skip(name, why string) {
	if len(s.skipped) == maxSkipped {
		s.more++
		return
	}
	s.skipped = append(s.skipped, name+" ("+why+")")
}

// errEnough ends a search that has found enough.
var errEnough = errors.New("enough has been found")

func (o Options) search(ctx context.Context, in searchInput, env registry.Env) (registry.Result, error) {
	project, err := o.find(ctx, env, in.Project)
	if err != nil {
		return registry.Result{}, err
	}
	if in.Regex == "" || len(in.Regex) > maxPattern {
		return registry.Result{}, registry.Errorf("Error: regex is required, with at most %d bytes.", maxPattern)
	}
	pattern, err := regexp.Compile(in.Regex)
	if err != nil {
		return registry.Result{},
			registry.Errorf("Error: The regular expression cannot be used: %s", plaintext.Clean(err.Error(), 300))
	}
	root := "/"
	if strings.TrimSpace(in.Path) != "" {
		if root, err = textfile.Clean(in.Path); err != nil {
			return registry.Result{}, err
		}
	}
	info, err := project.tree().Stat(root)
	if err != nil {
		return registry.Result{}, err
	}
	if info == nil {
		return registry.Result{}, registry.Errorf("Error: The path %s does not exist", root)
	}
	s := search{files: project.Files, pattern: pattern}
	if err = s.look(ctx, root, info); err != nil && err != errEnough {
		return registry.Result{}, err
	}
	status := fmt.Sprintf("Found %d line(s) in %d file(s)", s.matches, s.found)
	text := status + ":" + s.text.String()
	if s.matches == 0 {
		text = "Found nothing."
	}
	if err == errEnough {
		text += fmt.Sprintf("\n[There may be more: these are the first %d lines. "+
			"Use a narrower expression or path.]", maxMatches)
	}
	if len(s.skipped) > 0 {
		text += "\n[Not searched: " + strings.Join(s.skipped, ", ")
		if s.more > 0 {
			text += fmt.Sprintf(" and %d more", s.more)
		}
		text += ".]"
	}
	result := registry.Text(text)
	result.Status = status
	return result, nil
}

func (s *search) look(ctx context.Context, name string, info fs.FileInfo) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case info.Mode().IsRegular():
		return s.lookInFile(name, info)
	case !info.IsDir():
		return nil
	}
	infos, err := afero.ReadDir(s.files, name)
	if isGone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, inside := range infos {
		if strings.HasPrefix(inside.Name(), ".") || inside.Name() == "node_modules" {
			continue
		}
		if err := s.look(ctx, path.Join(name, inside.Name()), inside); err != nil {
			return err
		}
	}
	return nil
}

// isGone reports whether something was removed meanwhile, or cannot be read.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR)
}

func (s *search) lookInFile(name string, info fs.FileInfo) error {
	if info.Size() > maxSearched {
		s.skip(name, fmt.Sprintf("larger than %d MiB", maxSearched>>20))
		return nil
	}
	content, err := afero.ReadFile(s.files, name)
	if isGone(err) {
		s.skip(name, "it cannot be read")
		return nil
	}
	if err != nil {
		return err
	}
	text, _, ok := filetext.Decode(content)
	if !ok {
		s.skip(name, "binary")
		return nil
	}
	number, before := 0, s.matches
	for line := range bytes.Lines(text) {
		number++
		line = bytes.TrimRight(line, "\r\n")
		at := s.pattern.FindIndex(line)
		if at == nil {
			continue
		}
		if s.matches == maxMatches {
			return errEnough
		}
		s.matches++
		if s.matches == before+1 {
			s.found++
		}
		fmt.Fprintf(&s.text, "\n%s:%d: %s", name, number, plaintext.Around(string(line), at[0], maxLine))
	}
	return nil
}
