package provider_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/tool"
)

func file(name, key, text string) tool.Part {
	return tool.Part{Text: text, Resource: &tool.Resource{Kind: "FILE", Name: name, Key: key}}
}

func result(parts ...tool.Part) tool.Result {
	return tool.Result{Tool: "t", Content: parts}
}

func reference(name string) tool.Part {
	return tool.Part{Text: ">>>>> FILE: " + name + " (content shown in another tool invocation)\n<<<<< END FILE"}
}

func TestShowOnce(t *testing.T) {
	note := tool.Part{Text: "note"}
	image := tool.Part{Data: []byte{1}, MIME: "image/png", Resource: &tool.Resource{Kind: "FILE",
		Name: "/i.png", Key: "i1"}}
	otherImage := image
	otherImage.Data = []byte{2}
	for _, test := range []struct {
		name          string
		results, want []tool.Result
	}{
		{"nothing stays nothing", []tool.Result{}, []tool.Result{}},
		{"what is shown once stays", []tool.Result{result(note, file("/a", "a1", "A"))},
			[]tool.Result{result(note, file("/a", "a1", "A"))}},
		{"the newest keeps the content", []tool.Result{result(file("/a", "a1", "A")), result(note, note),
			result(file("/a", "a1", "A"))},
			[]tool.Result{result(reference("/a")), result(note, note), result(file("/a", "a1", "A"))}},
		{"all older ones become references", []tool.Result{result(file("/a", "a1", "A")), result(file("/a", "a1",
			"A")), result(file("/a", "a1", "A"))},
			[]tool.Result{result(reference("/a")), result(reference("/a")), result(file("/a", "a1", "A"))}},
		{"what has changed stays", []tool.Result{result(file("/a", "a1", "A"), file("/b", "b1", "B")),
			result(file("/a", "a2", "AA"), file("/b", "b1", "B"))},
			[]tool.Result{result(file("/a", "a1", "A"), reference("/b")), result(file("/a", "a2", "AA"), file("/b",
				"b1", "B"))}},
		{"within one result the first keeps the content", []tool.Result{result(file("/a", "a1", "A"), note,
			file("/a", "a1", "A"))},
			[]tool.Result{result(file("/a", "a1", "A"), note, reference("/a"))}},
		{"references have the name that the model knows", []tool.Result{result(file("a", "a1", "A")),
			result(file("/a", "a1", "A"))},
			[]tool.Result{result(reference("a")), result(file("/a", "a1", "A"))}},
		{"the same content under another key stays", []tool.Result{result(file("/a", "a1", "A")), result(file("/b",
			"b1", "A"))},
			[]tool.Result{result(file("/a", "a1", "A")), result(file("/b", "b1", "A"))}},
		{"other content under the same key stays", []tool.Result{result(file("/a", "a1", "whole")),
			result(file("/a", "a1", "who"))},
			[]tool.Result{result(file("/a", "a1", "whole")), result(file("/a", "a1", "who"))}},
		{"what has no key stays", []tool.Result{result(file("/a", "", "A")), result(file("/a", "", "A"))},
			[]tool.Result{result(file("/a", "", "A")), result(file("/a", "", "A"))}},
		{"text that is no resource stays", []tool.Result{result(note), result(note)},
			[]tool.Result{result(note), result(note)}},
		{"binaries are resources too, and one with other content stays", []tool.Result{result(image),
			result(otherImage), result(image)},
			[]tool.Result{result(reference("/i.png")), result(otherImage), result(image)}},
		{"empty files too", []tool.Result{result(file("/a", "a0", "")), result(file("/a", "a0", ""))},
			[]tool.Result{result(reference("/a")), result(file("/a", "a0", ""))}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := make([]tool.Result, len(test.results))
			for i, r := range test.results {
				before[i] = r
				before[i].Content = slices.Clone(r.Content)
			}
			require.Equal(t, test.want, provider.ShowOnce(test.results))
			require.Equal(t, test.want, provider.ShowOnce(test.results), "again")
			require.Equal(t, before, test.results, "what it was given has changed")
		})
	}
}

func TestShowOnceKeepsEverythingElse(t *testing.T) {
	cause := errors.New("no")
	r := tool.Result{
		CallID: "c", Tool: "t", Content: []tool.Part{file("/a", "a1", "A")}, Data: map[string]any{"a": "A"},
		Status: "Loaded", Code: tool.CodeTool, Err: cause,
	}
	want := r
	want.Content = []tool.Part{reference("/a")}
	require.Equal(t, want, provider.ShowOnce([]tool.Result{r, r})[0])
	require.Equal(t, tool.Result{Tool: "t"}, provider.ShowOnce([]tool.Result{{Tool: "t"}})[0])
}

func TestShownResultsShareNoPartsWithTheGivenOnes(t *testing.T) {
	given := []tool.Result{result(file("/a", "a1", "A"))}
	provider.ShowOnce(given)[0].Content[0].Text = "changed"
	require.Equal(t, "A", given[0].Content[0].Text)
}

func TestShowOnceIsTheSameIfItIsDoneTwice(t *testing.T) {
	given := []tool.Result{result(file("/a", "a1", "A")), result(file("/a", "a1", "A"), file("/b", "b1", "B")),
		result(file("/b", "b1", "B"))}
	once := provider.ShowOnce(given)
	require.Equal(t, once, provider.ShowOnce(once))
}

func TestTranscriptInTheOrderOfTheConversationChangesNothingThatWasSent(t *testing.T) {
	var shown, none *provider.Transcript = new(provider.Transcript), nil
	first, again := result(file("/a", "a1", "A")), result(file("/a", "a1", "A"), file("/b", "b1", "B"))
	changed := result(file("/a", "a2", "AA"), file("/b", "b1", "B"))
	require.Equal(t, []tool.Result{first, result(reference("/a"), file("/b", "b1", "B"))},
		shown.Render([]tool.Result{first, again}))
	require.Equal(t, []tool.Result{result(file("/a", "a2", "AA"), reference("/b"))},
		shown.Render([]tool.Result{changed}))
	require.Equal(t, []tool.Result{first, again}, none.Render([]tool.Result{first, again}))
}
