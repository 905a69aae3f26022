package filesystem

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/textfile"
	"github.com/toolrun/toolrun/vfs"
)

// Codebase returns the tools with which a model reads much at once: list_projects, read_files and search_files. They
// change nothing, and are off unless they are chosen. They see the project of the call, and the projects that are
// mounted in it, whoever makes the call.
//
// The files that read_files shows are resources ([tool.Resource]): see [provider.Transcript].
//
// [provider.Transcript]: https://pkg.go.dev/github.com/toolrun/toolrun/provider#Transcript
func Codebase() []tool.Tool {
	spec := tool.Spec{
		Category:     tool.CategoryFile,
		Annotations:  tool.Annotations{ReadOnly: true, Idempotent: true},
		NeedsProject: true,
		OffByDefault: true,
		AtOnce:       1,
	}
	list, read, search := spec, spec, spec
	list.Name, list.DisplayName, list.Subtitle = "list_projects", "List projects", "Names the projects that can be read"
	list.Icons = tool.Icons{Input: "folders", Output: "folders"}
	list.Description = "Lists the projects whose files can be read and searched."
	read.Name, read.DisplayName, read.Subtitle = "read_files", "Read files", "Shows several files, or parts of them"
	read.Icons = tool.Icons{Input: "files", Output: "file-text"}
	read.ReadsFiles = "the read_files tool and a range of lines"
	read.Description = "Shows one or more text files of a project. For some lines of a file, add them to its path: " +
		"`/a.go:10-20` for lines 10 to 20, `/a.go:10-` from line 10, `/a.go:-20` up to line 20, " +
		"`/a.go:15` for one line."
	search.Name, search.DisplayName, search.Subtitle = "search_files", "Search files",
		"Finds lines by a regular expression"
	search.Icons = tool.Icons{Input: "search", Output: "search"}
	search.Category = tool.CategorySearch
	search.Description = "Finds the lines of text files of a project that match a regular expression (RE2: " +
		"no lookaround, no backreferences). Hidden files and node_modules are left out; " +
		"files that cannot be searched, such as binary ones, are named."
	return []tool.Tool{
		tool.Func(list, listProjects), tool.Func(read, readFiles), tool.Func(search, searchFiles),
	}
}

// inProject is the input that says which project is meant.
type inProject struct {
	Project string `json:"project,omitempty" jsonschema:"the project; the default is the one that is worked on"`
}

// A place is a project that a call can read: its own, at the root, or one that is mounted there.
type place struct{ project, path string }

// places returns what a call can read. What the settings say counts only if the call's files have it.
func places(env tool.Env) ([]place, error) {
	var mounts []vfs.Mount
	if raw := env.Setting(vfs.MountsField); raw != nil {
		if err := json.Unmarshal(raw, &mounts); err != nil {
			return nil, err
		}
	}
	all := []place{{env.Project, "/"}}
	for _, m := range mounts {
		if vfs.IsMount(env.Files, m.Path) {
			all = append(all, place{m.Project, m.Path})
		}
	}
	return all, nil
}

// tree returns the files of a project that a call can read, and where they are. An empty name is that of the call.
func (in inProject) tree(env tool.Env) (textfile.Tree, place, error) {
	all, err := places(env)
	if err != nil {
		return textfile.Tree{}, place{}, err
	}
	i := slices.IndexFunc(all, func(p place) bool { return in.Project == "" || p.project == in.Project })
	if i < 0 {
		return textfile.Tree{}, place{}, tool.Errorf(
			"Error: There is no project '%s'; list_projects names the projects.", plaintext.Clean(in.Project, 200))
	}
	return textfile.Tree{Files: vfs.Sub(env.Files, all[i].path)}, all[i], nil
}

func listProjects(_ context.Context, _ struct{}, env tool.Env) (string, error) {
	all, err := places(env)
	var b strings.Builder
	b.WriteString("Projects:")
	for _, p := range all {
		b.WriteString("\n- " + p.project)
		if p.path != "/" {
			b.WriteString(": also at " + p.path)
		}
	}
	return b.String(), err
}
