// Package codebase provides tools with which a model reads many files at once: read_files, search_files and
// list_projects. They change nothing. A runner has them if its options say so:
//
//	runner, err := toolrun.Open(ctx, &toolrun.Options{Tools: codebase.New(nil)})
//
// The files that read_files shows are resources ([registry.Resource]), so that registry/transcript shows the same
// content only once in a conversation.
package codebase

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/plaintext"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tools/internal/textfile"
)

// Options configure the tools. The zero value is fine.
type Options struct {
	// Projects returns the projects that a call may read. Nil means the project of the call alone.
	Projects func(ctx context.Context, env registry.Env) ([]Project, error)
}

// A Project is some files that a call may read.
type Project struct {
	// Name is what the model calls it, and Description what the model is told about it, which can be empty.
	Name, Description string
	// Files are the files. The tools change nothing in them.
	Files afero.Fs
}

// New returns the tools.
func New(options *Options) []registry.Tool {
	var o Options
	if options != nil {
		o = *options
	}
	spec := registry.Spec{
		Category:     registry.CategoryFile,
		Annotations:  registry.Annotations{ReadOnly: true, Idempotent: true},
		NeedsProject: o.Projects == nil,
		AtOnce:       1,
	}
	if o.Projects == nil {
		o.Projects = func(_ context.Context, env registry.Env) ([]Project, error) {
			return []Project{{Name: env.Project, Files: env.Files}}, nil
		}
	}
	list, read, search := spec, spec, spec
	list.Name, list.DisplayName, list.Subtitle = "list_projects", "List projects", "Names the projects that can be read"
	list.Icons = registry.Icons{Input: "folders", Output: "folders"}
	list.Description = "Lists the projects whose files can be read and searched."
	read.Name, read.DisplayName, read.Subtitle = "read_files", "Read files", "Shows several files, or parts of them"
	read.Icons = registry.Icons{Input: "files", Output: "file-text"}
	read.Description = "Shows one or more text files of a project. For some lines of a file, add them to its path: " +
		"`/a.go:10-20` for lines 10 to 20, `/a.go:10-` from line 10, `/a.go:-20` up to line 20, " +
		"`/a.go:15` for one line."
	search.Name, search.DisplayName, search.Subtitle = "search_files", "Search files",
		"Finds lines by a regular expression"
	search.Icons = registry.Icons{Input: "search", Output: "search"}
	search.Category = registry.CategorySearch
	search.Description = "Finds the lines of text files of a project that match a regular expression (RE2: " +
		"no lookaround, no backreferences). Hidden files and node_modules are left out; " +
		"files that cannot be searched, such as binary ones, are named."
	return []registry.Tool{
		registry.Func(list, o.list), registry.Func(read, o.read), registry.Func(search, o.search),
	}
}

func (o Options) list(ctx context.Context, _ struct{}, env registry.Env) (registry.Result, error) {
	projects, err := o.Projects(ctx, env)
	if err != nil {
		return registry.Result{}, err
	}
	if len(projects) == 0 {
		return registry.Text("There are no projects."), nil
	}
	var b strings.Builder
	b.WriteString("Projects:")
	for _, p := range projects {
		b.WriteString("\n- " + p.Name)
		if p.Description != "" {
			b.WriteString(": " + p.Description)
		}
	}
	return registry.Text(b.String()), nil
}

// find returns the project of a name. An empty one is that of the call, or the only one.
func (o Options) find(ctx context.Context, env registry.Env, name string) (Project, error) {
	projects, err := o.Projects(ctx, env)
	if err != nil {
		return Project{}, err
	}
	if name == "" {
		if name = env.Project; len(projects) == 1 {
			name = projects[0].Name
		}
	}
	i := slices.IndexFunc(projects, func(p Project) bool { return p.Name == name })
	switch {
	case i >= 0:
		return projects[i], nil
	case name == "":
		return Project{}, registry.Errorf("Error: project is required; list_projects names the projects.")
	}
	return Project{}, registry.Errorf("Error: There is no project '%s'; list_projects names the projects.",
		plaintext.Clean(name, 200))
}

// tree returns the files of the project.
func (p Project) tree() textfile.Tree { return textfile.Tree{Files: p.Files} }
