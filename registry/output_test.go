package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// says returns a tool with a constant result.
func says(result tool.Result, change ...func(*tool.Spec)) tool.Tool {
	return doing("x", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
		return result, nil
	}, change...)
}

// lines returns a text of numbered lines.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of the result\n", i+1)
	}
	return b.String()
}

var inFile = regexp.MustCompile(`It is in the file (/\.tool-output/[A-Za-z0-9_-]+\.txt);`)

func TestLongResultsAreKeptInFiles(t *testing.T) {
	whole := lines(10_000)
	viewer := named("viewer", func(s *tool.Spec) { s.ReadsFiles = "the viewer" })
	script := named("script", func(s *tool.Spec) { s.ReadsFiles = "readFile in a script" })
	r := newRegistry(t, says(tool.Text(whole)), viewer, script)
	project := newProject(t)
	env := registry.Env{Files: project}
	result := r.Dispatch(t.Context(), call("x", ""), env)
	require.False(t, result.IsError())
	text := result.Text()
	require.Less(t, len(text), registry.DefaultInline)
	require.True(t, strings.HasPrefix(text, "line 1 of the result\n"))
	require.True(t, strings.HasSuffix(text, "line 10000 of the result\n"))
	require.Contains(t, text, fmt.Sprintf("[The result is too long to be shown whole (%d bytes, 10000 lines). It is "+
		"in the file /.tool-output/call-1.txt; ", len(whole)))
	require.Contains(t, text, " Read on with the viewer, or readFile in a script.]\n")
	for line := range strings.Lines(text) {
		require.True(t, strings.HasSuffix(line, " of the result\n") || strings.HasPrefix(line, "["),
			"lines are whole: %q", line)
	}
	require.Equal(t, "/.tool-output/call-1.txt", result.InFile)
	kept, err := afero.ReadFile(project, "/.tool-output/call-1.txt")
	require.NoError(t, err)
	require.Equal(t, whole, string(kept))
	var left int
	_, err = fmt.Sscanf(text[strings.Index(text, "txt; ")+5:], "%d bytes are left out here", &left)
	require.NoError(t, err)
	note := text[strings.Index(text, "\n[")+1 : strings.Index(text, ".]\n")+3]
	require.InDelta(t, len(whole)-left, len(text)-len(note), 2)

	// A repeated id leads to another file.
	require.Contains(t, r.Dispatch(t.Context(), call("x", ""), env).Text(), "/.tool-output/call-1-2.txt;")
	upper := tool.Call{ID: "CALL-1", Tool: "x"}
	require.Contains(t, r.Dispatch(t.Context(), upper, env).Text(), "/.tool-output/CALL-1-3.txt;",
		"names that differ in case only are taken")

	// The advice names only available ways.
	env.Selection = registry.Selection{Enable: map[string]bool{"viewer": false}}
	require.Contains(t, r.Dispatch(t.Context(), call("x", ""), env).Text(),
		"left out here. Read on with readFile in a script.]")
	env.Selection = registry.Selection{}.Only("x")
	require.Contains(t, r.Dispatch(t.Context(), call("x", ""), env).Text(), "left out here.]")

	// The file belongs to the call's changes.
	_, err = project.Undo(t.Context(), "CALL-1")
	require.NoError(t, err)
	_, err = project.Stat("/.tool-output/CALL-1-3.txt")
	require.Error(t, err)
}

func TestOnlyLongResultsAreInFiles(t *testing.T) {
	r := newRegistry(t, says(tool.Result{Content: []tool.Part{{Text: "all of it"}}, InFile: "/data.txt"}))
	require.Empty(t, r.Dispatch(t.Context(), call("x", ""), registry.Env{Files: newProject(t)}).InFile)
	r = newRegistry(t, says(tool.Text(lines(10_000))))
	require.Empty(t, r.Dispatch(t.Context(), call("x", ""), registry.Env{}).InFile, "there is no project to keep it in")
}

func TestWhatIsInAFileIsNotKeptInAnother(t *testing.T) {
	project := newProject(t)
	r := newRegistry(t, says(tool.Result{Content: []tool.Part{{Text: lines(10_000)}}, InFile: "/data.txt"}))
	require.Contains(t, r.Dispatch(t.Context(), call("x", ""), registry.Env{Files: project}).Text(),
		"(238894 bytes, 10000 lines). It is in the file /data.txt; 226642 bytes are left out here. Ask for a part of "+
			"it.]\n")
	_, err := project.Stat(registry.OutputDir)
	require.Error(t, err)
}

func TestNamesOfKeptResults(t *testing.T) {
	r := newRegistry(t, says(tool.Text(lines(10_000))))
	project := newProject(t)
	for _, id := range []string{
		"", "toolu_01A-b", "../../etc/passwd", "/", ".", "a/b", "a\\b", "a\x00b", ".toolrun", "con", "é", "\xff",
		strings.Repeat("x", 1000), "a.txt",
		"CON", "aux", "lpt1", "a b", "chatcmpl-tool-0123456789abcdef0123456789abcdef",
	} {
		result := r.Dispatch(t.Context(), tool.Call{ID: id, Tool: "x"}, registry.Env{Files: project})
		name := inFile.FindStringSubmatch(result.Text())
		require.NotNil(t, name, "%q: %s", id, result.Text()[:200])
		_, err := project.Stat(name[1])
		require.NoError(t, err)
	}
	infos, err := afero.ReadDir(project, "/")
	require.NoError(t, err)
	require.Len(t, infos, 1, "everything is in one directory")
}

func TestKeptResultsAreBounded(t *testing.T) {
	project := newProject(t)
	small := newRegistry(t, says(tool.Text(lines(2000))))
	for i := range 70 {
		small.Dispatch(t.Context(), tool.Call{ID: fmt.Sprint("small-", i), Tool: "x"}, registry.Env{Files: project})
		name := fmt.Sprintf("/.tool-output/small-%d.txt", i)
		when := time.Now().Add(time.Duration(i-1000) * time.Minute)
		require.NoError(t, project.Chtimes(name, when, when))
	}
	require.NoError(t, afero.WriteFile(project, "/.tool-output/mine.md", nil, 0o600))
	infos, err := afero.ReadDir(project, registry.OutputDir)
	require.NoError(t, err)
	require.Len(t, infos, 65)
	_, err = project.Stat("/.tool-output/small-5.txt")
	require.Error(t, err, "the oldest goes first")
	_, err = project.Stat("/.tool-output/small-6.txt")
	require.NoError(t, err)

	large := newRegistry(t, says(tool.Text(strings.Repeat("x", 12<<20))))
	for i := range 5 {
		large.Dispatch(t.Context(), tool.Call{ID: fmt.Sprint("large-", i), Tool: "x"}, registry.Env{Files: project})
	}
	infos, err = afero.ReadDir(project, registry.OutputDir)
	require.NoError(t, err)
	var total int64
	for _, info := range infos {
		total += info.Size()
	}
	require.Less(t, total, int64(32<<20)+1)
}

func TestLongResultsThatCannotBeKept(t *testing.T) {
	tight, err := local.NewMemoryStore(&vfs.Options{Quota: vfs.Quota{Bytes: 100_000}}).Open(t.Context(), "tight")
	require.NoError(t, err)
	blocked := newProject(t)
	require.NoError(t, afero.WriteFile(blocked, registry.OutputDir, nil, 0o600))
	similar := newProject(t)
	require.NoError(t, similar.Mkdir(strings.ToUpper(registry.OutputDir), 0o700))
	for why, files := range map[string]afero.Fs{
		"a directory of a similar name": similar, "no files": nil, "a quota": tight,
		"files that cannot be changed": vfs.ReadOnly(newProject(t), "/"), "something in the way": blocked,
	} {
		t.Run(why, func(t *testing.T) {
			r := newRegistry(t, says(tool.Text(lines(10_000))))
			text := r.Dispatch(t.Context(), call("x", ""), registry.Env{Files: files}).Text()
			require.Less(t, len(text), registry.DefaultInline)
			require.Contains(t, text, "[The result is too long (238894 bytes, 10000 lines), and ")
			require.Contains(t, text, "bytes have been dropped here. Ask for less at a time.]\n")
			require.True(t, strings.HasPrefix(text, "line 1 of"))
			require.True(t, strings.HasSuffix(text, "line 10000 of the result\n"))
		})
	}
}

func TestLimitsOfResults(t *testing.T) {
	image := tool.Part{Data: []byte(strings.Repeat("i", 5000)), MIME: "image/png", Text: "data:image/png;base64," +
		strings.Repeat("i", 5000)}
	small := registry.Limits{Inline: 1000, Output: 20_000}
	dispatch := func(t *testing.T, result tool.Result) tool.Result {
		return newRegistry(t, says(result)).Dispatch(t.Context(), call("x", ""), registry.Env{Limits: small,
			Files: newProject(t)})
	}
	t.Run("what fits stays as it is", func(t *testing.T) {
		in := tool.Result{Content: []tool.Part{{Text: strings.Repeat("x", 900)},
			{Text: strings.Repeat("y", 100)}}}
		require.Equal(t, in.Content, dispatch(t, in).Content)
	})
	t.Run("binaries stay beside a text that is shortened", func(t *testing.T) {
		result := dispatch(t, tool.Result{Content: []tool.Part{{Text: strings.Repeat("x", 2000)}, image}})
		require.Len(t, result.Content, 2)
		require.Less(t, len(result.Content[0].Text), 1000)
		require.Equal(t, image.Data, result.Content[1].Data)
		require.Equal(t, "[image/png, 5000 bytes]", result.Content[1].Text)
	})
	t.Run("a binary is not sent again as the text that replaces it", func(t *testing.T) {
		result := dispatch(t, tool.Result{Content: []tool.Part{{Text: "x"}, image, image}})
		require.Len(t, result.Content, 3)
		require.Empty(t, result.InFile)
		require.Equal(t, image.Data, result.Content[2].Data)
		require.Equal(t, "[image/png, 5000 bytes]", result.Content[2].Text)
		view := image
		view.Text = "Binary file /p.png (image/png):\n" + image.Text
		result = dispatch(t, tool.Result{Content: []tool.Part{view}})
		require.Equal(t, []tool.Part{{Data: image.Data, MIME: "image/png", Text: "Binary file /p.png " +
			"(image/png):\n[image/png, 5000 bytes]"}}, result.Content)
		view.Text = view.Text[:900]
		require.Equal(t, []tool.Part{view}, dispatch(t, tool.Result{Content: []tool.Part{view}}).Content)
	})
	t.Run("what is larger than the limit is dropped, and the model told", func(t *testing.T) {
		result := dispatch(t, tool.Text(strings.Repeat("é", 20_000)))
		require.Contains(t, result.Text(),
			"[20000 bytes of the result have been dropped: it was larger than 20000 bytes. Ask for less at a time.]")
		require.True(t, utf8.ValidString(result.Text()))
		require.Contains(t, result.Text(), "(20000 bytes, 1 lines)")
	})
	t.Run("names count, too", func(t *testing.T) {
		var parts []tool.Part
		for range 100 {
			parts = append(parts, tool.Part{Resource: &tool.Resource{Kind: "FILE", Name: strings.Repeat("n",
				100_000)}})
		}
		result := dispatch(t, tool.Result{Content: parts, Status: strings.Repeat("s\n", 1000)})
		require.Less(t, len(result.Text()), 1200)
		require.Less(t, len(result.Status), 210)
		require.NotContains(t, result.Status, "\n")
	})
	t.Run("long data goes where its text goes", func(t *testing.T) {
		result := dispatch(t, tool.Result{Data: strings.Repeat("d", 5000)})
		require.Nil(t, result.Data)
		require.Contains(t, result.Text(), "It is in the file")
	})
	t.Run("nothing in several parts is nothing", func(t *testing.T) {
		require.Contains(t, dispatch(t, tool.Result{Content: []tool.Part{{}, {Data: []byte{}}}}).Text(),
			"returned no result")
	})
	t.Run("data counts, too", func(t *testing.T) {
		result := dispatch(t, tool.Result{Content: []tool.Part{{Text: strings.Repeat("x", 19_500)}},
			Data: strings.Repeat("d", 900)})
		require.NotNil(t, result.Data)
		require.Contains(t, result.Text(), "402 bytes of the result have been dropped")
		result = dispatch(t, tool.Result{Content: []tool.Part{{Text: strings.Repeat("x", 1000)}},
			Data: strings.Repeat("d", 998)})
		require.NotNil(t, result.Data)
		require.Equal(t, strings.Repeat("x", 1000), result.Text())
		result = dispatch(t, tool.Result{Content: []tool.Part{{Text: "x"}}, Data: strings.Repeat("d", 999)})
		require.Nil(t, result.Data, "there is one bound for text and data")
		require.Equal(t, "x\n[The text is whole. The structured data is left out: it has 1001 bytes, more than 1000.]",
			result.Text())
		result = dispatch(t, tool.Result{Content: []tool.Part{{Text: "x"}}, Data: strings.Repeat("d", 30_000)})
		require.Nil(t, result.Data)
		require.Contains(t, result.Text(), "30002 bytes of the result have been dropped")
	})
	t.Run("a tool's own slices are not touched", func(t *testing.T) {
		content := []tool.Part{{Text: "a\xff"}, {Text: strings.Repeat("x", 30_000)}}
		dispatch(t, tool.Result{Content: content})
		require.Equal(t, "a\xff", content[0].Text)
		require.Len(t, content[1].Text, 30_000)
	})
	t.Run("errors are shortened like others", func(t *testing.T) {
		result := dispatch(t, tool.Failure(tool.CodeTool, strings.Repeat("x", 2000)))
		require.Equal(t, tool.CodeTool, result.Code)
		require.Less(t, len(result.Text()), 1000)
	})
}

func TestResultsAsText(t *testing.T) {
	file := &tool.Resource{Kind: "FILE", Name: "/a.txt", Key: "file:p:/a.txt:1"}
	result := tool.Result{CallID: "1", Tool: "read", Status: "Loaded", Err: errors.New("secret"),
		Content: []tool.Part{
			{Text: "Loaded:"}, {Text: "a <b>", Resource: file}, {Data: []byte("png"), MIME: "image/png"},
		}, Data: map[string]int{"n": 1}}
	require.Equal(t, "Loaded:\n>>>>> FILE: /a.txt\na <b>\n<<<<< END FILE", result.Text())
	require.Equal(t, ">>>>> FILE: /a.txt (content shown in another tool invocation)\n<<<<< END FILE",
		file.Reference().Text)
	encoded, err := json.Marshal(result)
	require.NoError(t, err)
	require.JSONEq(
		t, `{"callId":"1","tool":"read","isError":false,"status":"Loaded","content":[{"type":"text","text":"Loaded:"},
		{"type":"resource","text":"a <b>","resource":"/a.txt"},{"type":"data","mimeType":"image/png","data":"cG5n"}],
			"data":{"n":1}}`,
		string(encoded))
	encoded, err = json.Marshal(tool.Failure(tool.CodeTool, "no"))
	require.NoError(t, err)
	require.JSONEq(t, `{"tool":"","isError":true,"code":"tool_error","content":[{"type":"text","text":"no"}]}`,
		string(encoded))
}

type shown struct{ tool.Tool }

func (shown) RenderInput(input json.RawMessage) string { return "in " + string(input[:1]) }
func (shown) RenderOutput(r tool.Result) string        { return "out " + r.Text() }

func TestShowingToPeople(t *testing.T) {
	r := newRegistry(t, shown{named("shown")}, named("plain"))
	require.Equal(t, "in {", r.RenderInput(call("shown", "{")))
	require.Equal(t, "", r.RenderInput(call("shown", "")), "it panics")
	require.Equal(t, "{", r.RenderInput(call("plain", "{")))
	require.Equal(t, "{", r.RenderInput(call("unknown", "{")))
	require.Equal(t, "out done", r.RenderOutput(r.Dispatch(t.Context(), call("shown", ""), registry.Env{})))
	require.Equal(t, "done", r.RenderOutput(r.Dispatch(t.Context(), call("plain", ""), registry.Env{})))
}

// TestKeptResultsOfAnotherTime has kept results from a time when the clock was ahead.
func TestKeptResultsOfAnotherTime(t *testing.T) {
	project := newProject(t)
	ahead := time.Now().AddDate(10, 0, 0)
	for i := range 64 {
		name := fmt.Sprintf("%s/ahead-%d.txt", registry.OutputDir, i)
		require.NoError(t, vfs.WriteFile(t.Context(), project, name, []byte("x")))
		require.NoError(t, project.Chtimes(name, ahead, ahead))
	}
	r := newRegistry(t, says(tool.Text(lines(10_000))))
	for i := range 10 {
		require.Contains(t, r.Dispatch(t.Context(), tool.Call{ID: fmt.Sprint("now-", i), Tool: "x"},
			registry.Env{Files: project}).Text(), fmt.Sprintf("now-%d.txt", i))
	}
	infos, err := afero.ReadDir(project, registry.OutputDir)
	require.NoError(t, err)
	require.Len(t, infos, 64)
	for i := range 10 {
		_, err := project.Stat(fmt.Sprintf("%s/now-%d.txt", registry.OutputDir, i))
		require.NoError(t, err)
	}
}
