package provider_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// Three files are read, one of them is changed, and they are read again, the changed one once more in part. Tokens are
// estimated at 4 bytes each.
func ExampleShowOnce() {
	ctx := context.Background()
	project, err := local.NewMemoryStore(nil).Open(context.Background(), "site")
	if err != nil {
		log.Fatal(err)
	}
	defer project.Close()
	for name, content := range map[string]string{
		"/todo.txt":  "buy milk\nwater the plants\n",
		"/style.css": strings.Repeat("p { margin: 0 }\n", 200),
		"/index.md":  strings.Repeat("Welcome to a page that is long.\n", 250),
	} {
		if err := vfs.WriteFile(ctx, project, name, []byte(content)); err != nil {
			log.Fatal(err)
		}
	}
	tools, err := registry.New(readFiles, replaceText)
	if err != nil {
		log.Fatal(err)
	}
	env := registry.Env{Project: "site", Files: project}

	var results []tool.Result
	for _, call := range []tool.Call{
		{Tool: "read_files", Input: json.RawMessage(`{"paths": ["/todo.txt", "/style.css", "/index.md"]}`)},
		{Tool: "replace_text", Input: json.RawMessage(`{"path": "/todo.txt", "old": "milk", "new": "oat milk"}`)},
		{Tool: "read_files", Input: json.RawMessage(`{"paths": ["/todo.txt", "/style.css", "/index.md"]}`)},
		{Tool: "read_files", Input: json.RawMessage(`{"paths": ["/todo.txt:2-2", "/done.txt"]}`)},
	} {
		result := tools.Dispatch(ctx, call, env)
		fmt.Println(result.Status)
		results = append(results, result)
	}

	rendered := provider.ShowOnce(results)
	before, after := size(results), size(rendered)
	fmt.Printf("%d bytes before, %d after: about %d tokens saved\n\n", before, after, (before-after)/4)
	fmt.Printf("%s\n\n%s\n", rendered[0].Text(), rendered[3].Text())
	// Output:
	// Successfully loaded 3 file(s)
	// Replaced
	// Successfully loaded 3 file(s)
	// Loaded 1 file(s), failed to load 1 file(s)
	// 22977 bytes before, 11861 after: about 2779 tokens saved
	//
	// Successfully loaded the following file(s):
	// >>>>> FILE: /todo.txt
	// buy milk
	// water the plants
	//
	// <<<<< END FILE
	// >>>>> FILE: /style.css (content shown in another tool invocation)
	// <<<<< END FILE
	// >>>>> FILE: /index.md (content shown in another tool invocation)
	// <<<<< END FILE
	//
	// Failed to load '/done.txt' in project 'site': no such file or directory
	// Successfully loaded the following file(s):
	// >>>>> FILE: /todo.txt:2-2
	// water the plants
	// <<<<< END FILE
}

// size returns the size of the model's text of results, in bytes.
func size(results []tool.Result) (bytes int) {
	for _, r := range results {
		bytes += len(r.Text())
	}
	return bytes
}

type readFilesInput struct {
	Paths []string `json:"paths" jsonschema:"the files; /a.txt:10-20 is for lines 10 to 20 of one"`
}

// readFiles shows files as resources. Failures come first, because they are easily overlooked.
var readFiles = tool.Func(
	tool.Spec{
		Name: "read_files", Description: "Shows files.", NeedsProject: true,
		Annotations: tool.Annotations{ReadOnly: true},
	},
	func(_ context.Context, in readFilesInput, env tool.Env) (tool.Result, error) {
		var failed, loaded []tool.Part
		for _, name := range in.Paths {
			text, err := readLines(env.Files, name)
			if err != nil {
				failed = append(failed, tool.Part{
					Text: fmt.Sprintf("Failed to load '%s' in project '%s': %v", name, env.Project, err),
				})
				continue
			}
			key := fmt.Sprintf("file:%s:%s:%x", env.Project, name, sha256.Sum256([]byte(text)))
			loaded = append(loaded, tool.Part{
				Text: text, Resource: &tool.Resource{Kind: "FILE", Name: name, Key: key},
			})
		}
		result := tool.Result{Content: failed, Status: fmt.Sprintf("Successfully loaded %d file(s)", len(loaded))}
		if len(failed) > 0 {
			result.Status = fmt.Sprintf("Loaded %d file(s), failed to load %d file(s)", len(loaded), len(failed))
		}
		if len(loaded) > 0 {
			result.Content = append(result.Content, tool.Part{Text: "Successfully loaded the following file(s):"})
			result.Content = append(result.Content, loaded...)
		} else {
			result.Code = tool.CodeTool
		}
		return result, nil
	})

var lineRange = regexp.MustCompile(`^(.+):(\d+)-(\d+)$`)

// readLines reads a file, or some of its lines.
func readLines(files afero.Fs, name string) (string, error) {
	first, last := 1, -1
	if m := lineRange.FindStringSubmatch(name); m != nil {
		name = m[1]
		first, _ = strconv.Atoi(m[2])
		last, _ = strconv.Atoi(m[3])
	}
	data, err := afero.ReadFile(files, name)
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err // the path is shown already
		}
		return "", err
	}
	if last == -1 {
		return string(data), nil
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if first < 1 || first > last || last > len(lines) {
		return "", fmt.Errorf("there are lines 1 to %d", len(lines))
	}
	return strings.Join(lines[first-1:last], "\n"), nil
}

type replaceTextInput struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// replaceText replaces the first occurrence of a text.
var replaceText = tool.Func(
	tool.Spec{Name: "replace_text", Description: "Replaces text in a file.", NeedsProject: true},
	func(ctx context.Context, in replaceTextInput, env tool.Env) (tool.Result, error) {
		err := vfs.Edit(ctx, env.Files, in.Path, func(content []byte) ([]byte, error) {
			return bytes.Replace(content, []byte(in.Old), []byte(in.New), 1), nil
		})
		if err != nil {
			return tool.Result{}, err
		}
		result := tool.Text("The file " + in.Path + " has been edited.")
		result.Status = "Replaced"
		return result, nil
	})
