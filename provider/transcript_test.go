package provider_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
)

func file(name, key, text string) registry.Part {
	return registry.Part{Text: text, Resource: &registry.Resource{Kind: "FILE", Name: name, Key: key}}
}

func result(parts ...registry.Part) registry.Result {
	return registry.Result{Tool: "t", Content: parts}
}

func reference(name string) registry.Part {
	return registry.Part{Text: ">>>>> FILE: " + name + " (content shown in another tool invocation)\n<<<<< END FILE"}
}

func TestShowOnce(t *testing.T) {
	note := registry.Part{Text: "note"}
	image := registry.Part{Data: []byte{1}, MIME: "image/png", Resource: &registry.Resource{Kind: "FILE",
		Name: "/i.png", Key: "i1"}}
	otherImage := image
	otherImage.Data = []byte{2}
	for _, test := range []struct {
		name          string
		results, want []registry.Result
	}{
		{"nothing stays nothing", []registry.Result{}, []registry.Result{}},
		{"what is shown once stays", []registry.Result{result(note, file("/a", "a1", "A"))},
			[]registry.Result{result(note, file("/a", "a1", "A"))}},
		{"the newest keeps the content", []registry.Result{result(file("/a", "a1", "A")), result(note, note),
			result(file("/a", "a1", "A"))},
			[]registry.Result{result(reference("/a")), result(note, note), result(file("/a", "a1", "A"))}},
		{"all older ones become references", []registry.Result{result(file("/a", "a1", "A")), result(file("/a", "a1",
			"A")), result(file("/a", "a1", "A"))},
			[]registry.Result{result(reference("/a")), result(reference("/a")), result(file("/a", "a1", "A"))}},
		{"what has changed stays", []registry.Result{result(file("/a", "a1", "A"), file("/b", "b1", "B")),
			result(file("/a", "a2", "AA"), file("/b", "b1", "B"))},
			[]registry.Result{result(file("/a", "a1", "A"), reference("/b")), result(file("/a", "a2", "AA"), file("/b",
				"b1", "B"))}},
		{"within one result the first keeps the content", []registry.Result{result(file("/a", "a1", "A"), note,
			file("/a", "a1", "A"))},
			[]registry.Result{result(file("/a", "a1", "A"), note, reference("/a"))}},
		{"references have the name that the model knows", []registry.Result{result(file("a", "a1", "A")),
			result(file("/a", "a1", "A"))},
			[]registry.Result{result(reference("a")), result(file("/a", "a1", "A"))}},
		{"the same content under another key stays", []registry.Result{result(file("/a", "a1", "A")), result(file("/b",
			"b1", "A"))},
			[]registry.Result{result(file("/a", "a1", "A")), result(file("/b", "b1", "A"))}},
		{"other content under the same key stays", []registry.Result{result(file("/a", "a1", "whole")),
			result(file("/a", "a1", "who"))},
			[]registry.Result{result(file("/a", "a1", "whole")), result(file("/a", "a1", "who"))}},
		{"what has no key stays", []registry.Result{result(file("/a", "", "A")), result(file("/a", "", "A"))},
			[]registry.Result{result(file("/a", "", "A")), result(file("/a", "", "A"))}},
		{"text that is no resource stays", []registry.Result{result(note), result(note)},
			[]registry.Result{result(note), result(note)}},
		{"binaries are resources too, and one with other content stays", []registry.Result{result(image),
			result(otherImage), result(image)},
			[]registry.Result{result(reference("/i.png")), result(otherImage), result(image)}},
		{"empty files too", []registry.Result{result(file("/a", "a0", "")), result(file("/a", "a0", ""))},
			[]registry.Result{result(reference("/a")), result(file("/a", "a0", ""))}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := make([]registry.Result, len(test.results))
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
	r := registry.Result{
		CallID: "c", Tool: "t", Content: []registry.Part{file("/a", "a1", "A")}, Data: map[string]any{"a": "A"},
		Status: "Loaded", Code: registry.CodeTool, Err: cause,
	}
	want := r
	want.Content = []registry.Part{reference("/a")}
	require.Equal(t, want, provider.ShowOnce([]registry.Result{r, r})[0])
	require.Equal(t, registry.Result{Tool: "t"}, provider.ShowOnce([]registry.Result{{Tool: "t"}})[0])
}

func TestShownResultsShareNoPartsWithTheGivenOnes(t *testing.T) {
	given := []registry.Result{result(file("/a", "a1", "A"))}
	provider.ShowOnce(given)[0].Content[0].Text = "changed"
	require.Equal(t, "A", given[0].Content[0].Text)
}

func TestShowOnceIsTheSameIfItIsDoneTwice(t *testing.T) {
	given := []registry.Result{result(file("/a", "a1", "A")), result(file("/a", "a1", "A"), file("/b", "b1", "B")),
		result(file("/b", "b1", "B"))}
	once := provider.ShowOnce(given)
	require.Equal(t, once, provider.ShowOnce(once))
}

func TestTranscriptInTheOrderOfTheConversationChangesNothingThatWasSent(t *testing.T) {
	var shown, none *provider.Transcript = new(provider.Transcript), nil
	first, again := result(file("/a", "a1", "A")), result(file("/a", "a1", "A"), file("/b", "b1", "B"))
	changed := result(file("/a", "a2", "AA"), file("/b", "b1", "B"))
	require.Equal(t, []registry.Result{first, result(reference("/a"), file("/b", "b1", "B"))},
		shown.Render([]registry.Result{first, again}))
	require.Equal(t, []registry.Result{result(file("/a", "a2", "AA"), reference("/b"))},
		shown.Render([]registry.Result{changed}))
	require.Equal(t, []registry.Result{first, again}, none.Render([]registry.Result{first, again}))
}
