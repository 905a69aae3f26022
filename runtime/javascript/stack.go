package javascript

import (
	"context"
	"net/url"
	"strings"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// The property stack of errors is as in V8: the name and the message of the error, and a line for each frame, with the
// author's lines and columns. Libraries read it.

// maxTitle is how many bytes of an error's message its stack has.
const maxTitle = 16 << 10

// errorStack serves the engine when it makes the stack of an error. An error that the engine itself has thrown gets a
// message that says more.
func (in *instance) errorStack(ctx context.Context, e quickjs.ErrorStack) quickjs.Value {
	if in.Prelude == nil || in.VM.Leaf() || !e.Wanted() {
		return e.Raw
	}
	if err := in.run.Interrupted(); err != nil {
		panic(&sandbox.Stop{Err: err})
	}
	raw, _, _ := in.VM.String(e.Raw, maxStack)
	if e.Captured {
		in.caller, _, _ = strings.Cut(raw, "\n")
		in.caller = strings.Clone(in.caller[:min(len(in.caller), maxCaller)])
	}
	name, message := e.Title(maxTitle)
	if e.Thrown {
		better, err := in.explain(e, name, message, raw)
		if err != nil {
			panic(&sandbox.Stop{Err: in.Reason(err)})
		}
		if better != "" && in.setMessage(ctx, e, better) {
			message = better
		}
	}
	var b strings.Builder
	b.WriteString(name)
	if message != "" && name != "" {
		b.WriteString(": ")
	}
	b.WriteString(message)
	shown := b.Len() // up to the last frame that is not native
	for frame := range strings.SplitSeq(raw, "\n") {
		if frame == "" {
			continue
		}
		if err := in.Spend(frameCost + len(frame)); err != nil {
			panic(&sandbox.Stop{Err: in.Reason(err)})
		}
		if strings.Contains(frame, quickjs.PreludeName) { // and what it has called
			text := b.String()[:shown]
			b.Reset()
			b.WriteString(text)
			continue
		}
		b.WriteByte('\n')
		b.WriteString(in.run.nodeFrame(frame))
		if !strings.HasSuffix(frame, "(native)") {
			shown = b.Len()
		}
	}
	v, err := in.VM.NewString(ctx, b.String())
	if err == nil {
		err = in.VM.Free(ctx, e.Raw)
	}
	if err != nil {
		if in.VM.Broken() {
			panic(&sandbox.Stop{Err: in.Reason(err)})
		}
		return e.Raw // there is no memory
	}
	return v
}

// setMessage gives an error another message, if there is memory for it.
func (in *instance) setMessage(ctx context.Context, e quickjs.ErrorStack, message string) bool {
	v, err := in.VM.NewString(ctx, message)
	if err != nil {
		return false
	}
	old, ok := e.SetMessage(v)
	if !ok {
		old = v
	}
	return in.VM.Free(ctx, old) == nil && ok
}

// Loops make errors at the same places again and again. That many frames are kept as they have been shown, if they are
// no longer than that.
const (
	maxFrames      = 256
	maxFrameLength = 512 // bytes
)

// nodeFrame returns one of the engine's stack frames as Node shows it.
func (r *run) nodeFrame(frame string) string {
	if shown, ok := r.frames[frame]; ok {
		return shown
	}
	shown := r.showFrame(frame)
	if len(frame) > maxFrameLength {
		return shown
	}
	if r.frames == nil || len(r.frames) == maxFrames {
		r.frames = map[string]string{}
	}
	r.frames[strings.Clone(frame)] = shown
	return shown
}

func (r *run) showFrame(frame string) string {
	if head, ok := strings.CutSuffix(frame, "(native)"); ok {
		return head + "(<anonymous>)"
	}
	file, line, column := framePosition(frame)
	if file == "" {
		return frame
	}
	o, ok := r.origins[file]
	if ok {
		line, column = o.place(line, column)
	}
	if top, is := strings.CutPrefix(frame, "    at <eval> ("); is && ok && r.options.Session &&
		!strings.HasPrefix(file, "/") {
		frame = "    at <anonymous> (" + top // as without a session, where a script is the body of a function
	}
	return replacePosition(frame, file, r.nodePath(file, o.module), line, column)
}

// nodePath returns the name of a file in stacks: its path, or for an ES module its URL.
func (r *run) nodePath(file string, isModule bool) string {
	if file == r.options.Name {
		file = "/" + file
	}
	if isModule && strings.HasPrefix(file, "/") {
		return (&url.URL{Scheme: "file", Path: file}).String()
	}
	return file
}

// shownFrame returns a frame of nodeFrame as people and models read it, with the name of the script for its path.
func (r *run) shownFrame(frame string) string {
	file, line, column := framePosition(frame)
	path := file
	if u, err := url.Parse(file); err == nil && u.Scheme == "file" {
		path = u.Path
	}
	if path == "/"+r.options.Name {
		path = r.options.Name
	}
	if path == file {
		return frame
	}
	return replacePosition(frame, file, path, line, column)
}
