package filesystem

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/internal/text/filesearch"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/textfile"
)

type searchInput struct {
	inProject
	Regex string `json:"regex" jsonschema:"the regular expression; (?i) at its beginning ignores case"`
	Path  string `json:"path,omitempty" jsonschema:"the file or directory to search in; everything if it is left out"`
}

// Limits of a search.
const (
	maxMatches = 200 // lines that are shown
	maxLine    = 300 // bytes of one of them, around the match
)

func searchFiles(ctx context.Context, in searchInput, env tool.Env) (tool.Result, error) {
	tree, _, err := in.tree(env)
	if err != nil {
		return tool.Result{}, err
	}
	found, err := find(ctx, tree, in.Path, in.Regex)
	if err != nil {
		return tool.Result{}, err
	}
	status := fmt.Sprintf("Found %d line(s) in %d file(s)", len(found.Matches), found.Files)
	var text strings.Builder
	if len(found.Matches) == 0 {
		text.WriteString("Found nothing.")
	} else {
		text.WriteString(status + ":")
	}
	for _, m := range found.Matches {
		fmt.Fprintf(&text, "\n%s:%d: %s", m.Path, m.Line, m.Text)
	}
	text.WriteString(notes(found))
	result := tool.Text(text.String())
	result.Status = status
	return result, nil
}

// find looks for lines in a file or directory; an empty path is the root.
func find(ctx context.Context, tree textfile.Tree, given, regex string) (filesearch.Result, error) {
	root, err := textfile.Clean(given)
	if err != nil {
		return filesearch.Result{}, err
	}
	found, err := filesearch.Search(ctx, tree.Files, []string{root}, filesearch.Options{Pattern: regex,
		Visible: true, Matches: maxMatches, Line: maxLine})
	if problem, ok := errors.AsType[*filesearch.PatternError](err); ok {
		return found, tool.Errorf("Error: The regular expression cannot be used: %s",
			plaintext.Clean(problem.Error(), 300))
	}
	return found, tree.Explain(root, err)
}

// notes are what a model is told of a search beside the lines.
func notes(found filesearch.Result) string {
	text := ""
	if found.More {
		text = fmt.Sprintf("\n[There may be more: these are the first %d lines. "+
			"Use a narrower expression or path.]", maxMatches)
	}
	if found.NotSearched != "" {
		text += "\n[Not searched: " + found.NotSearched + ".]"
	}
	return text
}
