package codebase

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/filetext"
	"github.com/toolrun/toolrun/internal/filetype"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tools/internal/textfile"
)

type readInput struct {
	Project string   `json:"project,omitempty" jsonschema:"the project; it can be left out if there is only one"`
	Paths   []string `json:"paths" jsonschema:"the files, such as /src/main.go or /src/main.go:10-20"`
}

// maxRead is how many bytes one call shows. What is beyond that fails, with a text that says so.
const maxRead = textfile.MaxSize

func (o Options) read(ctx context.Context, in readInput, env registry.Env) (registry.Result, error) {
	if len(in.Paths) == 0 {
		return registry.Result{}, registry.Errorf("Error: paths array is required and must not be empty.")
	}
	project, err := o.find(ctx, env, in.Project)
	if err != nil {
		return registry.Result{}, err
	}
	var failed, notes, loaded []registry.Part
	size := 0
	for _, given := range in.Paths {
		if err := ctx.Err(); err != nil {
			return registry.Result{}, err
		}
		name, text, note, err := project.readLines(given)
		if err == nil && size+len(text) > maxRead {
			err = registry.Errorf("the files before it are too large together; read it in another call")
		}
		if problem, ok := errors.AsType[*registry.ModelError](err); ok {
			reason := strings.TrimPrefix(problem.Text, "Error: ")
			failed = append(failed, registry.Part{
				Text: fmt.Sprintf("Failed to load '%s' in project '%s': %s", name, project.Name, reason),
			})
			continue
		} else if err != nil {
			return registry.Result{}, err
		}
		size += len(text)
		if note != "" {
			notes = append(notes, registry.Part{Text: fmt.Sprintf("Note on '%s': %s", name, note)})
		}
		key := fmt.Sprintf("file:%s:%s:%x", project.Name, name, sha256.Sum256([]byte(text)))
		loaded = append(loaded, registry.Part{
			Text: text, Resource: &registry.Resource{Kind: "FILE", Name: name, Key: key},
		})
	}
	result := registry.Result{Content: failed, Status: fmt.Sprintf("Successfully loaded %d file(s)", len(loaded))}
	if len(failed) > 0 {
		result.Status = fmt.Sprintf("Loaded %d file(s), failed to load %d file(s)", len(loaded), len(failed))
	}
	if len(loaded) == 0 {
		result.Code = registry.CodeTool
		return result, nil
	}
	result.Content = append(result.Content, notes...)
	result.Content = append(result.Content, registry.Part{Text: "Successfully loaded the following file(s):"})
	result.Content = append(result.Content, loaded...)
	return result, nil
}

// withLines matches a path with a range of lines: 10-20, 10-, -20 or 15.
var withLines = regexp.MustCompile(`^(.+):(\d*)(-?)(\d*)$`)

// readLines reads a file, or some lines of it. The name is the path as the model should see it, and the note says what
// is special about the text, if anything.
func (p Project) readLines(given string) (name, text, note string, err error) {
	tree := p.tree()
	shown := textfile.Cut(strings.ToValidUTF8(given, "\uFFFD"), 500)
	name, err = textfile.Clean(given)
	if err != nil {
		return shown, "", "", err
	}
	lines := ""
	info, err := tree.Stat(name)
	if m := withLines.FindStringSubmatch(name); err == nil && info == nil && m != nil && m[2]+m[4] != "" {
		name, lines = m[1], ":"+m[2]+m[3]+m[4]
		info, err = tree.Stat(name)
	}
	switch {
	case err != nil:
		return name + lines, "", "", err
	case info == nil:
		return name + lines, "", "", registry.Errorf("there is no such file")
	case info.IsDir():
		return name + lines, "", "", registry.Errorf("it is a directory, not a file")
	}
	content, err := tree.Read(name)
	if err != nil {
		return name + lines, "", "", err
	}
	decoded, form, ok := filetext.Decode(content)
	if !ok {
		return name + lines, "", "", registry.Errorf("it is a binary file (%s)", filetype.MIME(content))
	}
	text, note = string(decoded), form.Note()
	if lines != "" {
		var beyond string
		text, beyond, err = selectLines(text, strings.TrimPrefix(lines, ":"))
		note = strings.TrimSpace(beyond + " " + note)
	}
	return name + lines, text, note, err
}

// selectLines returns some lines of a text, and a note if it has fewer.
func selectLines(text, lines string) (selected, note string, err error) {
	all := strings.SplitAfter(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	from, to, isRange := strings.Cut(lines, "-")
	first, last := 1, len(all)
	if n, err := strconv.Atoi(from); err == nil {
		first = n
		if !isRange {
			last = n
		}
	} else if from != "" {
		first = len(all) + 1 // it is too large for a number
	}
	if n, err := strconv.Atoi(to); err == nil {
		last = n
	} else if to != "" {
		last = math.MaxInt
	}
	if first < 1 || last < first || first > len(all) {
		return "", "", registry.Errorf("it has no lines %s; there are lines 1 to %d", lines, len(all))
	}
	if last > len(all) {
		last, note = len(all), fmt.Sprintf("The file ends at line %d.", len(all))
	}
	return strings.TrimSuffix(strings.Join(all[first-1:last], ""), "\n"), note, nil
}
