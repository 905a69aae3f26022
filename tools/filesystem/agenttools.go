package filesystem

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/textfile"
)

// agentTools returns the tools for files of agent_toolset_20260401, with their names and inputs. Its bash is not among
// them.
//
// https://platform.claude.com/docs/en/managed-agents/tools
func agentTools() []tool.Tool {
	look := tool.Annotations{ReadOnly: true, Idempotent: true}
	change := tool.Annotations{Destructive: true}
	return []tool.Tool{
		agentTool("read", "Shows a text file", look, "Read a text file of the project, without line numbers. "+
			"Use view_range for a part of a large one.", read),
		agentTool("write", "Makes or replaces a file", change, "Write a file of the project, and make the directories "+
			"that it lies in. A file that is there is replaced.", write),
		agentTool("edit", "Replaces a text in a file", change, "Replace old_string, which must occur exactly once in "+
			"the file, with new_string. Set replace_all to replace every occurrence.", edit),
		agentTool("glob", "Finds files by their names", look, "List the files and directories of the project whose "+
			"paths match a pattern (e.g. **/*.go), the newest first. Hidden ones and node_modules are left out "+
			"unless the pattern or path names them.", glob),
		agentTool("grep", "Finds lines by a regular expression", look, "Search the text files of the project for a "+
			"regular expression (RE2: no lookaround, no backreferences). Matching lines are shown as path:line:text. "+
			"Hidden files and node_modules are left out unless path names them.", grep),
	}
}

// agentTool makes one of them.
func agentTool[In any](name, subtitle string, effects tool.Annotations, description string,
	run func(ctx context.Context, in In, t tree) (tool.Result, error)) tool.Tool {
	whole := filesystem{}.Spec()
	spec := tool.Spec{Name: name, DisplayName: strings.ToUpper(name[:1]) + name[1:], Subtitle: subtitle,
		Description: description + " Paths begin at the root, `/`.", Annotations: effects, Category: whole.Category,
		Icons: whole.Icons, Timeout: whole.Timeout, AtOnce: whole.AtOnce, NeedsProject: true,
		PartOf: whole.Name, Forms: []string{FormAgentToolset}}
	if effects.ReadOnly && strings.HasPrefix(name, "g") {
		spec.Category, spec.Icons = tool.CategorySearch, tool.Icons{Input: "search", Output: "search"}
	}
	if name == "read" {
		spec.ReadsFiles = "the read tool and view_range"
	}
	if !effects.ReadOnly {
		spec.Description += " /memories is read-only here: only the memory tool can change files there."
	}
	return fromToolset{tool.Func(spec, func(ctx context.Context, in In, env tool.Env) (tool.Result, error) {
		return run(ctx, in, treeOf(env))
	})}
}

// fromToolset is a tool that managed agents define themselves.
type fromToolset struct{ tool.Tool }

var _ tool.APIOverrider = fromToolset{}

// APIOverride implements [tool.APIOverrider]: the tool's entry in the configuration of the toolset.
func (t fromToolset) APIOverride(api tool.API, _ tool.Options) json.RawMessage {
	if api != tool.AnthropicAgents {
		return nil
	}
	name := t.Spec().Name
	return json.RawMessage(`{"type":"` + name + `","name":"` + name + `","enabled":true}`)
}

type viewInput struct {
	FilePath  string `json:"file_path" jsonschema:"path of the file to read"`
	ViewRange []int  `json:"view_range,omitempty" jsonschema:"[start_line, end_line] from 1; 0 is the end of the file"`
}

func read(_ context.Context, in viewInput, t tree) (tool.Result, error) {
	name, err := textfile.Clean(in.FilePath)
	if err != nil {
		return tool.Result{}, err
	}
	lines := ""
	switch {
	case len(in.ViewRange) == 2 && in.ViewRange[1] > 0:
		lines = fmt.Sprintf("%d-%d", max(in.ViewRange[0], 1), in.ViewRange[1])
	case len(in.ViewRange) == 2:
		lines = fmt.Sprintf("%d-", max(in.ViewRange[0], 1))
	case in.ViewRange != nil:
		return tool.Result{}, tool.Errorf("Error: view_range must be [start_line, end_line]")
	}
	info, err := t.Stat(name)
	switch {
	case err != nil:
		return tool.Result{}, err
	case info == nil || info.IsDir():
		return tool.Result{}, tool.Errorf("%s", notFile(name))
	}
	text, note, err := t.Text(name, lines)
	if problem, ok := errors.AsType[*tool.ModelError](err); ok {
		err = tool.Errorf("Error: Cannot read %s: %s", name, strings.TrimPrefix(problem.Text, "Error: "))
	}
	result := tool.Text(text)
	if note != "" {
		result.Content = append(result.Content, tool.Part{Text: "[" + note + "]"})
	}
	result.InFile, result.Status = name, "Viewed "+name
	return result, err
}

type writeInput struct {
	FilePath string `json:"file_path" jsonschema:"path of the file to write"`
	Content  string `json:"content" jsonschema:"full file contents to write"`
}

func write(ctx context.Context, in writeInput, t tree) (tool.Result, error) {
	return t.execute(ctx, textfile.Input{Command: "create", Path: in.FilePath, FileText: &in.Content, Overwrite: true})
}

type editInput struct {
	FilePath   string `json:"file_path" jsonschema:"path of the file to edit"`
	OldString  string `json:"old_string" jsonschema:"text to find and replace, exactly as it is in the file"`
	NewString  string `json:"new_string" jsonschema:"replacement text"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"replace every occurrence"`
}

func edit(ctx context.Context, in editInput, t tree) (tool.Result, error) {
	if in.OldString == "" {
		return tool.Result{}, tool.Errorf("Error: old_string is required; to make a file, use write")
	}
	name, err := textfile.Clean(in.FilePath)
	if err != nil {
		return tool.Result{}, err
	}
	return t.replace(ctx, name, textfile.Replacement{
		Old: in.OldString, New: in.NewString, All: in.ReplaceAll, Name: "old_string",
	})
}

type globInput struct {
	Pattern string `json:"pattern" jsonschema:"glob pattern, e.g. **/*.go (** matches any depth)"`
	Path    string `json:"path,omitempty" jsonschema:"directory to search in; the root if it is left out"`
}

// Limits of glob.
const (
	maxFound    = 200 // paths that are shown
	maxPatterns = 100 // that braces stand for
	maxPattern  = 500 // bytes of one of them, and of the whole pattern ten times as many
)

func glob(ctx context.Context, in globInput, t tree) (tool.Result, error) {
	root, err := textfile.Clean(in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	g := globbing{ctx: ctx, tree: t}
	var states []globState
	patterns := []string{""} // which cannot be used
	if len(in.Pattern) <= 10*maxPattern {
		patterns = alternatives(in.Pattern, nil)
	}
	for i, pattern := range patterns {
		parts := strings.FieldsFunc(pattern, func(c rune) bool { return c == '/' })
		if _, err := path.Match(pattern, ""); err != nil || len(parts) == 0 || len(pattern) > maxPattern ||
			i == maxPatterns || slices.Contains(parts, "..") || slices.Contains(parts, ".") {
			return tool.Result{}, tool.Errorf("Error: The pattern %q cannot be used: it is a path in which * and ? "+
				`match within a name, ** any directories, and {a,b} either. It has no "." and "..".`,
				textfile.Cut(in.Pattern, 200))
		}
		states = globState{parts}.add(states)
	}
	if err := g.look(root, states); err != nil {
		return tool.Result{}, t.Explain(root, err)
	}
	g.keepNewest()
	var text strings.Builder
	for _, f := range g.found {
		text.WriteString(f.path + "\n")
	}
	if more := g.count - maxFound; more > 0 {
		fmt.Fprintf(&text, "[%d older ones are left out. Use a narrower pattern or path.]\n", more)
	}
	result := tool.Text(cmp.Or(strings.TrimSuffix(text.String(), "\n"), "no matches"))
	result.Status = fmt.Sprintf("Found %d path(s)", g.count)
	return result, nil
}

// A globbing looks for paths.
type globbing struct {
	ctx   context.Context
	tree  tree
	found []foundPath // the newest, and some others
	count int         // of all
}

type foundPath struct {
	path string
	info fs.FileInfo
}

// keepNewest keeps what is shown, in order.
func (g *globbing) keepNewest() {
	slices.SortFunc(g.found, func(a, b foundPath) int {
		return cmp.Or(b.info.ModTime().Compare(a.info.ModTime()), strings.Compare(a.path, b.path))
	})
	g.found = g.found[:min(len(g.found), maxFound)]
}

// look looks in a directory. What cannot be read below the first one is left out.
func (g *globbing) look(dir string, states []globState) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	infos, err := afero.ReadDir(g.tree.Files, dir)
	if err != nil {
		return err
	}
	for _, info := range infos {
		var next []globState
		for _, state := range states {
			next = state.step(info.Name(), next)
		}
		name := path.Join(dir, info.Name())
		if slices.ContainsFunc(next, func(state globState) bool { return len(state.rest) == 0 }) {
			g.found = append(g.found, foundPath{name, info})
			if g.count++; len(g.found) == 10*maxFound {
				g.keepNewest()
			}
		}
		if len(next) == 0 || !info.IsDir() {
			continue
		}
		if err := g.look(name, next); g.ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// A globState is what of a pattern must match the rest of a path.
type globState struct{ rest []string }

// add appends the state, and those that ** leads to as it can match nothing.
func (s globState) add(to []globState) []globState {
	if !slices.ContainsFunc(to, func(o globState) bool { return slices.Equal(o.rest, s.rest) }) {
		to = append(to, s)
		if len(s.rest) > 0 && s.rest[0] == "**" {
			to = globState{s.rest[1:]}.add(to)
		}
	}
	return to
}

// step appends the states behind a name. Only a pattern that begins with a dot matches hidden names, and only
// node_modules itself that name.
func (s globState) step(name string, to []globState) []globState {
	if len(s.rest) == 0 {
		return to
	}
	first := s.rest[0]
	if (name[0] == '.' && first[0] != '.' || name == "node_modules") && name != first {
		return to
	}
	if first == "**" {
		return s.add(to)
	}
	if ok, _ := path.Match(first, name); ok {
		return globState{s.rest[1:]}.add(to)
	}
	return to
}

// alternatives appends the patterns that one with braces stands for, or a few more than maxPatterns of them.
func alternatives(pattern string, to []string) []string {
	open := strings.IndexByte(pattern, '{')
	length := strings.IndexByte(pattern[open+1:], '}')
	if open < 0 || length < 0 || len(to) > maxPatterns {
		return append(to, pattern)
	}
	for one := range strings.SplitSeq(pattern[open+1:][:length], ",") {
		if len(to) > maxPatterns {
			break
		}
		to = alternatives(pattern[:open]+one+pattern[open+1+length+1:], to)
	}
	return to
}

type grepInput struct {
	Pattern string `json:"pattern" jsonschema:"regular expression to search for; (?i) at its beginning ignores case"`
	Path    string `json:"path,omitempty" jsonschema:"file or directory to search in; the root if it is left out"`
}

func grep(ctx context.Context, in grepInput, t tree) (tool.Result, error) {
	found, err := find(ctx, t.Tree, in.Path, in.Pattern)
	if err != nil {
		return tool.Result{}, err
	}
	var text strings.Builder
	for _, m := range found.Matches {
		fmt.Fprintf(&text, "%s:%d:%s\n", m.Path, m.Line, m.Text)
	}
	result := tool.Text(cmp.Or(strings.TrimSuffix(text.String(), "\n"), "no matches") + notes(found))
	result.Status = fmt.Sprintf("Found %d line(s) in %d file(s)", len(found.Matches), found.Files)
	return result, nil
}
