package provider

import (
	"bytes"
	"slices"

	"github.com/toolrun/toolrun/tool"
)

// ShowOnce returns the results of a conversation with each resource ([tool.Resource]) shown once, in the newest
// result that shows it; the others name it:
//
//	>>>>> FILE: /notes.txt (content shown in another tool invocation)
//	<<<<< END FILE
//
// The results are in the order of the conversation, the oldest first. ShowOnce does not change them, and the returned
// results share no slice of parts with them.
//
// Only Content is rendered. Data stays, because programs read it. Parts without a key stay as well, and so do parts
// whose content differs from that of an earlier part with the same key. A file that has changed has another key: both
// versions of its content stay, because the model saw each of them when it decided what to do.
//
// ShowOnce changes old messages, and a provider's prompt cache ends where the prompt differs from the previous one. A
// host that renders before every request pays again for everything after the oldest change, which can cost more than
// the references save. It should keep the original results, and render them only when the cache is useless anyway: when
// a conversation is resumed after the cache has expired, when old messages are dropped or summarized, or when the
// conversation has become too long. Between these times, it should send old results exactly as before, or use a
// [Transcript].
func ShowOnce(results []tool.Result) []tool.Result {
	rendered := make([]tool.Result, len(results))
	var t Transcript
	for i := len(results) - 1; i >= 0; i-- {
		rendered[i] = t.render(results[i])
	}
	return rendered
}

// A Transcript remembers which resources a conversation has shown. A host that must not change messages that it has
// sent renders each new result with it: the oldest one keeps the content, and later ones refer to it.
//
// Use a new one when messages are dropped from the conversation: the model can no longer see what they have shown. The
// zero value has seen nothing, and nil changes nothing. A Transcript keeps the texts that it has seen in memory. It is
// not safe for concurrent use.
type Transcript struct {
	shown map[string]tool.Part
}

// Render returns results with references in place of resources that were shown before, in an earlier result or in an
// earlier part of the same one. It does not change its argument.
func (t *Transcript) Render(results []tool.Result) []tool.Result {
	if t == nil {
		return results
	}
	rendered := make([]tool.Result, len(results))
	for i, result := range results {
		rendered[i] = t.render(result)
	}
	return rendered
}

func (t *Transcript) render(result tool.Result) tool.Result {
	result.Content = slices.Clone(result.Content)
	for i, part := range result.Content {
		result.Content[i] = t.part(part)
	}
	return result
}

func (t *Transcript) part(part tool.Part) tool.Part {
	if part.Resource == nil || part.Resource.Key == "" {
		return part
	}
	key := part.Resource.Key
	shown, ok := t.shown[key]
	if !ok {
		if t.shown == nil {
			t.shown = map[string]tool.Part{}
		}
		t.shown[key] = part
		return part
	}
	// The same key should mean the same content. If it does not, for example because one of them was cut, nothing must
	// get lost.
	if shown.Text != part.Text || shown.MIME != part.MIME || !bytes.Equal(shown.Data, part.Data) {
		return part
	}
	return part.Resource.Reference()
}
