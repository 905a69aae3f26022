package registrytest

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"unicode/utf8"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// on returns a request on a new project, and the project. ok is false if the project could not be prepared.
func (s *subject) on(input json.RawMessage, f *findings) (r request, project vfs.Project, ok bool) {
	project = s.project(f)
	if project == nil {
		return request{}, nil, false
	}
	r = request{input: input, env: s.env()}
	r.env.Files = project
	return r, project, true
}

// noSamples records that a check had no input to work with.
func (f *findings) noSamples() {
	f.advise("There is no input for the tool: no Options.Inputs are set, and none could be made from the schema.")
}

func checkInputs(s *subject, f *findings) {
	samples, known := s.samples()
	if !known {
		f.advise("Set Options.Inputs to inputs that succeed. Without them nothing shows that the tool works.")
	}
	schema, _ := s.schema()
	for _, input := range samples {
		about := "Input " + short(string(input))
		r, _, ok := s.on(input, f)
		if !ok {
			return
		}
		response := s.do(r)
		s.sound(about, response, f)
		if !known {
			continue // the made input may be refused
		}
		switch {
		case response.Code == tool.CodeInvalidInput && schema != nil:
			f.fault("%s does not fit the schema, or the tool refuses it: %s", about, short(response.Text()))
			continue
		case response.IsError():
			f.fault("%s should succeed, but is an error (%s): %s", about, response.Code, short(response.Text()))
			continue
		}
		if isEmpty(response.raw) {
			f.fault("%s succeeds, but the result is empty. Say what has been done, or that nothing was found: "+
				"a model cannot tell nothing from a fault.", about)
		}
		s.checkOutput(about, response.raw, f)
	}
}

func isEmpty(r tool.Result) bool {
	for _, part := range r.Content {
		if part.Text != "" || len(part.Data) > 0 {
			return false
		}
	}
	return r.Data == nil
}

// checkOutput checks the data of a result against the tool's output schema.
func (s *subject) checkOutput(about string, r tool.Result, f *findings) {
	if s.spec.OutputSchema == nil {
		return
	}
	if r.Data == nil {
		f.fault("%s: Result.Data is nil, although there is an OutputSchema, which MCP clients rely on. "+
			"Set Data, or drop the schema.", about)
		return
	}
	d, err := s.definition(nil, plainAPI)
	if err != nil || d.Output == nil {
		return // another check reports it
	}
	data, err := encodeData(r.Data)
	if err != nil {
		return // another check reports it
	}
	value, err := jsontree.DecodeLoose(data)
	if err == nil {
		err = fits(d.Output, value)
	}
	if err != nil {
		f.fault("%s: Result.Data do not fit the OutputSchema: %v", about, err)
	}
}

// fits returns what of a value does not fit a schema.
func fits(raw json.RawMessage, value any) error {
	compiled, err := schema.CompileObject(raw)
	if err != nil {
		return err
	}
	return compiled.Validate(context.Background(), value)
}

func encodeData(data any) (encoded []byte, err error) {
	err = catch(func() (err error) {
		encoded, err = json.Marshal(data)
		return err
	})
	return encoded, err
}

// sound checks the rules that hold for every call, whatever its input.
func (s *subject) sound(about string, r response, f *findings) {
	if s.broken(about, r, f) {
		return
	}
	if r.abandoned() {
		f.fault("%s: the tool did not stop when it should. %s", about, howToStop)
		return
	}
	if r.Code == "" || r.ran {
		s.soundResult(about, r.raw, f)
	}
}

// broken reports whether the tool itself has failed, and records it.
func (s *subject) broken(about string, r response, f *findings) bool {
	if p, ok := r.panicked(); ok {
		f.fault("%s: the tool panicked: %v\n%s", about, p.Value, frames(p.Stack))
		return true
	}
	if r.Code == tool.CodeFailed {
		f.fault("%s: the tool failed, which says that it is broken: %s\nFor what a model can do something about, "+
			"return tool.Errorf(...) or a Result with a code.", about, short(r.Text()))
		return true
	}
	return false
}

// soundResult checks a result as the tool returned it.
func (s *subject) soundResult(about string, r tool.Result, f *findings) {
	if r.IsError() && r.Text() == "" {
		f.fault("%s: the result is an error without a text, so that a model cannot know what was wrong.", about)
	}
	size := 0
	for i, part := range r.Content {
		size += len(part.Text) + len(part.Data)
		if !utf8.ValidString(part.Text) {
			f.fault("%s: the text of the result (part %d) is not UTF-8. "+
				"Make binaries Part.Data, with their MIME type.", about, i+1)
		}
		if part.Data != nil && part.MIME == "" {
			f.fault("%s: the result (part %d) has data without a MIME type.", about, i+1)
		}
		if part.Resource != nil && (part.Resource.Key == "" || part.Resource.Name == "") {
			f.fault("%s: the result (part %d) names a resource without a key or a name, "+
				"so that it cannot be told from others.", about, i+1)
		}
	}
	if r.Data != nil {
		data, err := encodeData(r.Data)
		if err != nil {
			f.fault("%s: Result.Data cannot be encoded as JSON: %v", about, err)
		}
		size += len(data)
	}
	if size > registry.DefaultOutput {
		f.fault("%s: the result has %d bytes, more than the %d that a registry passes on. "+
			"Limit what one call returns, and say how to get the rest.", about, size, registry.DefaultOutput)
	}
}

func checkNoProject(s *subject, f *findings) {
	if s.spec.NeedsProject {
		return // the registry enforces it
	}
	samples, _ := s.samples()
	if len(samples) == 0 {
		f.noSamples()
	}
	for _, input := range samples {
		own := new(findings)
		if s.broken("Input "+short(string(input)), s.do(request{input: input, env: s.env()}), own) {
			f.fault("Without a project, where Env.Files is nil: %s\n"+
				"Set Spec.NeedsProject if the tool can do nothing without files.", own.faults[0])
		}
	}
}

// checkRendering calls the methods that render inputs and outputs for people.
func checkRendering(s *subject, f *findings) {
	if renderer, ok := s.tool.(tool.InputRenderer); ok {
		for bad := range s.badInputs() {
			err := catch(func() error { renderer.RenderInput(bad.input); return nil })
			if err != nil {
				f.fault("RenderInput panics with %s: %v. It gets what the model has sent, before that is checked.",
					bad.name, err)
			}
		}
	}
	renderer, ok := s.tool.(tool.OutputRenderer)
	if !ok {
		return
	}
	results := map[string]tool.Result{
		"an empty result":  {},
		"an error":         tool.Failure(tool.CodeTimeout, "Tool execution timed out after 10000ms."),
		"data of no shape": {Content: []tool.Part{{Text: "x"}, {Data: []byte{0xff}, MIME: "image/png"}}, Data: "x"},
	}
	samples, _ := s.samples()
	for _, input := range samples {
		if r, _, ok := s.on(input, f); ok {
			results["the result of "+short(string(input))] = s.do(r).Result
		}
	}
	for name, result := range results {
		if err := catch(func() error { renderer.RenderOutput(result); return nil }); err != nil {
			f.fault("RenderOutput panics with %s: %v. It gets every result, those of a registry too.", name, err)
		}
	}
}

// changes counts the changes in a project's history. -1 means that it failed.
func changes(project vfs.Project) int {
	all, err := project.Changes(context.Background(), "/")
	if err != nil {
		return -1
	}
	return len(all)
}

// tree maps the names of files to their contents. The value for directories is "/".
func tree(files afero.Fs) map[string]string {
	found := map[string]string{}
	_ = afero.Walk(files, "/", func(name string, info fs.FileInfo, err error) error {
		switch name = path.Clean("/" + name); {
		case err != nil:
			found[name] = fmt.Sprint("error: ", err)
		case info.IsDir():
			found[name] = "/"
		default:
			content, err := afero.ReadFile(files, name)
			found[name] = string(content)
			if err != nil {
				found[name] = fmt.Sprint("error: ", err)
			}
		}
		return nil
	})
	return found
}
