package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/tool"
)

// limit finishes a result: it must not be empty, its text and JSON must be valid, it must stay within the limits, and a
// text that is too long for a model goes into a file.
func (c *running) limit(ctx context.Context, r tool.Result, env Env, files afero.Fs) tool.Result {
	var lost, text int
	r.Data, lost = fitData(r.Data, env)
	room, inline := env.Limits.output(), env.Limits.inline()
	instead := inline // what is left for texts that replace binaries
	data, _ := r.Data.(json.RawMessage)
	most := env.Limits.most() // some models get the data instead of the text
	if c.entry.output != nil && !c.entry.spec.TextOutput {
		most = env.Limits.output() // clients rely on the data of a tool with an output schema
	}
	large := len(data) > most
	if large {
		r.Data = nil
	} else {
		room -= len(data)
	}
	r.Status = statusLine(r.Status)
	for i, part := range r.Content {
		if part.Data != nil && len(part.Text) > instead {
			part = brief(part)
		}
		part, dropped := fit(part, room)
		size := len(part.String())
		room -= size + len(part.Data)
		if part.Data == nil {
			text += size
		} else { // models get one or the other
			instead -= size
		}
		lost += dropped
		if dropped > 0 || part.Text != r.Content[i].Text {
			// Copy the slice, because it may still belong to the tool.
			r.Content = append(append(make([]tool.Part, 0, len(r.Content)), r.Content[:i]...), r.Content[i:]...)
			r.Content[i] = part
		}
	}
	if isEmpty(r.Content) {
		instead := tool.EmptyResult
		if data != nil {
			instead, large = string(data), false
		} else if r.IsError() {
			instead = "Tool execution failed."
		}
		r.Content, text = []tool.Part{{Text: instead}}, len(instead)
	}
	var notes []string
	if lost > 0 {
		notes = append(notes, fmt.Sprintf("[%d bytes of the result have been dropped: "+
			"it was larger than %d bytes. Ask for less at a time.]", lost, env.Limits.output()))
	}
	if text <= inline {
		r.InFile = "" // the result contains everything
		if large && lost == 0 {
			notes = append(notes, fmt.Sprintf("[The text is whole. The structured data is left out: "+
				"it has %d bytes, more than %d.]", len(data), most))
		}
	} else {
		r = c.shorten(ctx, r, env, files)
		if len(data) > max(inline, most) {
			r.Data = nil
		}
	}
	for _, note := range notes {
		r.Content = append(r.Content[:len(r.Content):len(r.Content)], tool.Part{Text: note})
	}
	return r
}

// brief shortens the text that replaces a binary, which may repeat all of it. Its first line says what it is.
func brief(p tool.Part) tool.Part {
	line, _, _ := strings.Cut(p.Text, "\n")
	p.Text = fmt.Sprintf("[%s, %d bytes]", p.MIME, len(p.Data))
	if len(line) <= 300 {
		p.Text = line + "\n" + p.Text
	}
	return p
}

func isEmpty(content []tool.Part) bool {
	for _, p := range content {
		if p.Text != "" || len(p.Data) > 0 || p.Resource != nil {
			return false
		}
	}
	return true
}

// statusLine returns a status as one short line.
func statusLine(status string) string {
	const most = 200
	return strings.TrimSpace(plaintext.Cut(printable(status), most))
}

// encode encodes the data of a result. It runs within the tool's time limit, because encoding can call the tool's
// methods. Data that cannot be encoded is dropped and logged.
func (c *running) encode(ctx context.Context, data any, env Env) any {
	if data == nil {
		return nil
	}
	if raw, ok := data.(json.RawMessage); ok && len(raw) > env.Limits.output() {
		return raw // too large, so it will be dropped
	}
	raw, err := jsontree.Marshal(data)
	if err != nil {
		env.log(ctx, slog.LevelError, "the data of a result is not JSON", "tool", c.tool, "call", c.id, "error", err)
		return nil
	}
	return json.RawMessage(raw)
}

// fitData drops encoded data that is too large, and returns the number of bytes dropped.
func fitData(data any, env Env) (_ any, lost int) {
	if raw, ok := data.(json.RawMessage); ok && len(raw) > env.Limits.output() {
		return nil, len(raw)
	}
	return data, 0
}

// fit shortens a part to room bytes, and returns the number of bytes dropped.
func fit(part tool.Part, room int) (_ tool.Part, dropped int) {
	if !utf8.ValidString(part.Text) {
		part.Text = strings.ToValidUTF8(part.Text, "\uFFFD")
	}
	if len(part.Data) > room {
		dropped, part.Data = len(part.Data), nil
	}
	room = max(0, room-len(part.Data))
	if part.Resource != nil {
		part.Resource = shortened(part.Resource)
		room = max(0, room-len(part.Resource.Kind)*2-len(part.Resource.Name)-32)
	}
	if len(part.Text) > room {
		kept := part.Text[:plaintext.Boundary(part.Text, room)]
		dropped += len(part.Text) - len(kept)
		part.Text, part.Resource = kept, nil // the text is no longer the resource's content
	}
	return part, dropped
}

// shorten moves a long text to a file, and keeps its beginning and its end.
func (c *running) shorten(ctx context.Context, r tool.Result, env Env, files afero.Fs) tool.Result {
	isData := func(p tool.Part) bool { return p.Data != nil }
	texts := tool.Result{Content: slices.DeleteFunc(slices.Clone(r.Content), isData)}
	whole := texts.Text()
	inline := env.Limits.inline()
	size := fmt.Sprintf("%d bytes, %d lines", len(whole), strings.Count(strings.TrimSuffix(whole, "\n"), "\n")+1)
	var text string
	name, err := r.InFile, error(nil)
	how := c.registry.howToRead(&env.Selection)
	if name == "" {
		name, err = c.keep(ctx, files, whole)
	} else if how == "" {
		how = " Ask for a part of it."
	}
	if err == nil {
		head, tail := ends(whole, inline/4, inline/8)
		text = fmt.Sprintf("%s\n[The result is too long to be shown whole (%s). "+
			"It is in the file %s; %d bytes are left out here.%s]\n%s",
			head, size, name, len(whole)-len(head)-len(tail), how, tail)
	} else {
		if files != nil {
			env.log(ctx, slog.LevelWarn, "a long result could not be kept in a file",
				"tool", c.tool, "call", c.id, "error", err)
		}
		name = ""
		head, tail := ends(whole, inline/2, inline/4)
		text = fmt.Sprintf("%s\n[The result is too long (%s), and %d bytes have been dropped here. Ask for less at a "+
			"time.]\n%s",
			head, size, len(whole)-len(head)-len(tail), tail)
	}
	content := []tool.Part{{Text: text}}
	for _, part := range r.Content { // keep binaries
		if part.Data != nil {
			if len(part.Text) > inline/8 {
				part = brief(part)
			}
			content = append(content, part)
		}
	}
	r.Content, r.InFile = content, name
	return r
}

// ends returns the beginning and the end of text, cut at line ends unless the lines are too long.
func ends(text string, head, tail int) (string, string) {
	first := text[:plaintext.Boundary(text, head)]
	if i := strings.LastIndexByte(first, '\n'); i > head/2 {
		first = first[:i]
	}
	start := plaintext.Boundary(text, len(text)-tail)
	last := text[start:]
	if i := strings.IndexByte(last, '\n'); i >= 0 && i < tail/2 {
		last = last[i+1:]
	}
	return first, last
}
