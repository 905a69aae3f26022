// Package transcript removes repeated content from a conversation.
//
// Tools name the resources whose content they show ([registry.Resource]). A file that was read ten times without a
// change is ten times in the messages to the model. [Render] keeps its newest occurrence, and replaces the others by a
// reference:
//
//	>>>>> FILE: /notes.txt (content shown in another tool invocation)
//	<<<<< END FILE
//
// The built-in tools name no resources: models are trained on the texts of their results, so these are fixed. Render is
// for tools that return parts with a [registry.Resource], and leaves everything else unchanged.
//
// A file that has changed has another key ([registry.Resource].Key). Both versions of its content stay, because the
// model saw each of them when it decided what to do.
//
// # When to render
//
// Render changes old messages, and a provider's prompt cache ends where the prompt differs from the previous one. A
// host that renders before every request pays again for everything after the oldest change, which can cost more than
// the references save. It should keep the original results, and render them only when the cache is useless anyway: when
// a conversation is resumed after the cache has expired, when old messages are dropped or summarized, or when the
// conversation has become too long. Between these times, it should send old results exactly as before.
//
// A host that must not change messages it has sent keeps one [Tracker] and passes it each new result. Then the oldest
// result keeps the content, and later ones refer to it.
package transcript

import (
	"bytes"

	"github.com/toolrun/toolrun/registry"
)

// Render returns the results of a conversation with each resource shown once, in the newest result that shows it. The
// results are in the order of the conversation, the oldest first. Render does not change them, and the returned results
// share no slice of parts with them.
//
// Only Content is rendered. Data stays, because programs read it. Parts without a key stay as well, and so do parts
// whose content differs from that of an earlier part with the same key.
func Render(results []registry.Result) []registry.Result {
	rendered := make([]registry.Result, len(results))
	var t Tracker
	for i := len(results) - 1; i >= 0; i-- {
		rendered[i] = t.Render(results[i])
	}
	return rendered
}

// A Tracker remembers which resources have been shown. Pass it the results of a conversation one by one, with anything
// in between: from the newest to the oldest, so that the newest keeps the content as in [Render], or the other way
// round. The zero value has seen nothing. It keeps the texts that it has seen in memory. It is not safe for concurrent
// use.
type Tracker struct {
	shown map[string]registry.Part
}

// Render returns the result with references in place of resources that were shown before, in an earlier result or in an
// earlier part of this one. It does not change its argument.
func (t *Tracker) Render(result registry.Result) registry.Result {
	content := make([]registry.Part, len(result.Content))
	for i, part := range result.Content {
		content[i] = t.part(part)
	}
	if result.Content != nil {
		result.Content = content
	}
	return result
}

func (t *Tracker) part(part registry.Part) registry.Part {
	if part.Resource == nil || part.Resource.Key == "" {
		return part
	}
	key := part.Resource.Key
	shown, ok := t.shown[key]
	if !ok {
		if t.shown == nil {
			t.shown = map[string]registry.Part{}
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
