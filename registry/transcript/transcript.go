// Package transcript shows each resource once in a conversation.
//
// Tools name the resources whose content they show ([registry.Resource]). A file that has been read ten times, and has
// not changed, is ten times in the messages that are sent to the model. [Render] leaves it where it was shown
// last, and puts a reference in its place everywhere else:
//
//	>>>>> FILE: /notes.txt (content shown in another tool invocation)
//	<<<<< END FILE
//
// The built-in tools take no part in this: models are trained on the texts of their results, which are fixed for that
// reason, and name no resources. Render is for tools that return parts with a [registry.Resource], and leaves
// everything else as it is.
//
// A file that has changed in between has another key ([registry.Resource].Key), and both of its contents stay, because
// each of them is what the model saw when it decided what to do.
//
// # When to render
//
// Render changes old messages, and a provider's cache of a prompt ends where the prompt differs from the one before. A
// host that renders before every request pays for all that is behind the oldest change, which can cost more than
// the references save. So it should keep the results as they were, and render them where the cache is of no use anyway:
// when a conversation is taken up again after the cache's time, when old messages are dropped or summed up, and
// when the conversation has become too long; between those times it sends old results as it has sent them before.
//
// A host that wants to change nothing it has sent keeps one [Tracker] and gives it each new result as it comes. Then
// the oldest one keeps the content, and later ones refer to it.
package transcript

import (
	"bytes"

	"github.com/toolrun/toolrun/registry"
)

// Render returns the results of a conversation, the oldest first, with each resource shown once, in the newest result
// that shows it. They are in the order in which they were given, which must be that of the conversation. The results
// that it is given are not changed, and share no slice of parts with those that it returns.
//
// Only Content is rendered: Data, which programs get, stays. So does what has no key, and what has the key of a
// resource that is shown, but not its content.
func Render(results []registry.Result) []registry.Result {
	rendered := make([]registry.Result, len(results))
	var t Tracker
	for i := len(results) - 1; i >= 0; i-- {
		rendered[i] = t.Render(results[i])
	}
	return rendered
}

// A Tracker knows what has been shown. The results of a conversation can be given to it one by one, with anything
// between them: from the newest to the oldest, so that the newest keeps the content as in [Render], or the other way
// round. The zero value has seen nothing. It keeps the texts that it has seen in memory, and must not be used by
// several goroutines at once.
type Tracker struct {
	shown map[string]registry.Part
}

// Render returns the result with references in place of the resources that have been shown in results before it, or
// further up in this one. The result that it is given is not changed.
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
	// The same key should mean the same content. Where it does not, since one of them has been cut, for example,
	// nothing must get lost.
	if shown.Text != part.Text || shown.MIME != part.MIME || !bytes.Equal(shown.Data, part.Data) {
		return part
	}
	return part.Resource.Reference()
}
