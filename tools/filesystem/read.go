package filesystem

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/textfile"
)

type readInput struct {
	inProject
	Paths []string `json:"paths" jsonschema:"the files, such as /src/main.go or /src/main.go:10-20"`
}

// maxRead is how many bytes one call shows. What is beyond that fails, with a text that says so.
const maxRead = textfile.MaxSize

func readFiles(ctx context.Context, in readInput, env tool.Env) (tool.Result, error) {
	if len(in.Paths) == 0 {
		return tool.Result{}, tool.Errorf("Error: paths array is required and must not be empty.")
	}
	tree, place, err := in.tree(env)
	if err != nil {
		return tool.Result{}, err
	}
	var result tool.Result
	var failed, notes, loaded []tool.Part
	size := 0
	for _, given := range in.Paths {
		if err := ctx.Err(); err != nil {
			return tool.Result{}, err
		}
		r, err := readLines(tree, given)
		name := r.file + r.lines
		if err == nil && size+len(r.text) > maxRead {
			err = tool.Errorf("the files before it are too large together; read it in another call")
		}
		if problem, ok := errors.AsType[*tool.ModelError](err); ok {
			reason := strings.TrimPrefix(problem.Text, "Error: ")
			failed = append(failed, tool.Part{
				Text: fmt.Sprintf("Failed to load '%s' in project '%s': %s", name, place.project, reason),
			})
			continue
		} else if err != nil {
			return tool.Result{}, err
		}
		size += len(r.text)
		if r.note != "" {
			notes = append(notes, tool.Part{Text: fmt.Sprintf("Note on '%s': %s", name, r.note)})
		}
		key := fmt.Sprintf("file:%s:%s:%x", place.project, name, sha256.Sum256([]byte(r.text)))
		loaded = append(loaded, tool.Part{
			Text: r.text, Resource: &tool.Resource{Kind: "FILE", Name: name, Key: key},
		})
		if len(in.Paths) == 1 { // if it is long, it need not be kept in another file
			result.InFile = path.Join(place.path, r.file)
		}
	}
	result.Content, result.Status = failed, fmt.Sprintf("Successfully loaded %d file(s)", len(loaded))
	if len(failed) > 0 {
		result.Status = fmt.Sprintf("Loaded %d file(s), failed to load %d file(s)", len(loaded), len(failed))
	}
	if len(loaded) == 0 {
		result.Code = tool.CodeTool
		return result, nil
	}
	result.Content = append(result.Content, notes...)
	result.Content = append(result.Content, tool.Part{Text: "Successfully loaded the following file(s):"})
	result.Content = append(result.Content, loaded...)
	return result, nil
}

// withLines matches a path with a range of lines: 10-20, 10-, -20 or 15.
var withLines = lazyregexp.New(`^(.+):(\d*)(-?)(\d*)$`)

// A reading is some lines of a file, such as ":10-20", or all of it. Its note says what is special about the text.
type reading struct{ file, lines, text, note string }

// readLines reads a file, or some lines of it. If there is an error, the reading says of what.
func readLines(tree textfile.Tree, given string) (r reading, err error) {
	name, err := textfile.Clean(given)
	if err != nil {
		return reading{file: textfile.Cut(strings.ToValidUTF8(given, "\uFFFD"), 500)}, err
	}
	r.file = name
	info, err := tree.Stat(name)
	if m := withLines().FindStringSubmatch(name); err == nil && info == nil && m != nil && m[2]+m[4] != "" {
		r.file, r.lines = m[1], ":"+m[2]+m[3]+m[4]
		info, err = tree.Stat(r.file)
	}
	switch {
	case err != nil:
	case info == nil:
		err = tool.Errorf("there is no such file")
	case info.IsDir():
		err = tool.Errorf("it is a directory, not a file")
	default:
		r.text, r.note, err = tree.Text(r.file, strings.TrimPrefix(r.lines, ":"))
	}
	return r, err
}
