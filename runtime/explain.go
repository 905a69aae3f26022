package runtime

import (
	"context"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest"
)

// Some messages of the engine do not say what is wrong, and some mistakes come from habits of other systems. Where such an error
// is shown, its message says more.

// maxExplained is the longest name and message of an error that can be explained, in bytes.
const maxExplained = 256

// missingGlobals says what there is instead of the globals of other systems.
var missingGlobals = func() map[string]string {
	const network, dom = "there is no network here", "there is no DOM here"
	m := map[string]string{
		"Buffer": "there is no Buffer here: use Uint8Array, TextEncoder, TextDecoder, atob and btoa, or the encodings 'base64' and 'hex' of " +
			"fs.readFile and fs.writeFile",
		"Intl":           "there is no Intl here: format numbers and dates without it",
		"Temporal":       "use Date",
		"WebAssembly":    "there is no WebAssembly here",
		"Worker":         "there are no workers here",
		"setImmediate":   "use setTimeout or queueMicrotask",
		"clearImmediate": "use setTimeout and clearTimeout",
		"global":         "use globalThis",
		"print":          "use console.log",
		"Deno":           "this is not Deno: fs has the functions of Node's fs",
		"Bun":            "this is not Bun: fs has the functions of Node's fs",
	}
	for _, name := range []string{"fetch", "XMLHttpRequest", "WebSocket", "EventSource"} {
		m[name] = network
	}
	for _, name := range []string{"window", "document", "navigator", "location", "localStorage", "sessionStorage", "DOMParser", "alert", "confirm", "prompt"} {
		m[name] = dom
	}
	return m
}()

// missingModules says what there is instead of modules that scripts for Node import.
var missingModules = func() map[string]string {
	m := map[string]string{
		"assert":          "use console.assert, or throw an Error",
		"buffer":          "Uint8Array, TextEncoder, TextDecoder, atob and btoa are globals",
		"crypto":          "crypto.randomUUID, crypto.getRandomValues and crypto.subtle.digest are globals",
		"events":          "EventTarget is a global",
		"os":              "lines end with \\n and paths have slashes",
		"perf_hooks":      "performance is a global",
		"readline":        "(await fs.readFile(path, 'utf8')).split('\\n') gives the lines of a file",
		"stream":          "fs.readFile and fs.writeFile are for whole files",
		"string_decoder":  "TextDecoder is a global",
		"timers":          "timers are globals",
		"timers/promises": "await new Promise((done) => setTimeout(done, ms)) waits",
		"url":             "URL and URLSearchParams are globals, and paths begin at the root of the project",
		"util":            "console shows objects as a whole, and TextEncoder, TextDecoder and structuredClone are globals",
	}
	for name, text := range map[string]string{
		"axios cross-fetch dns http http2 https net node-fetch superagent tls undici ws": "there is no network",
		"child_process cluster worker_threads":                                           "there are no other processes and no threads",
	} {
		for name := range strings.FieldsSeq(name) {
			m[name] = text
		}
	}
	m["readline/promises"], m["stream/promises"], m["assert/strict"] = m["readline"], m["stream"], m["assert"]
	return m
}()

var notDefined = regexp.MustCompile(`^'?([\w$]+)'? is not defined$`)

// explain serves opExplain.
func (in *instance) explain(ctx context.Context, args arguments) (guest.Value, error) {
	name, cut1, _ := args.text(1, maxExplained)
	message, cut2, _ := args.text(2, maxExplained)
	stack, _, _ := args.text(3, maxStack)
	if cut1+cut2 > 0 {
		return guest.Undefined, nil
	}
	better := ""
	switch name {
	case "TypeError":
		better = in.run.explainCall(message, stack)
	case "ReferenceError":
		if m := notDefined.FindStringSubmatch(message); m != nil && missingGlobals[m[1]] != "" {
			better = message + " (" + missingGlobals[m[1]] + ")"
		}
	case "SyntaxError":
		if strings.HasPrefix(message, "unexpected token: 'object'") && strings.HasPrefix(strings.TrimSpace(stack), "at <input>") {
			better = message + " (this is not JSON but an object as text; is an await missing?)"
		}
	}
	if better == "" {
		return guest.Undefined, nil
	}
	return in.vm.NewString(ctx, better)
}

// explainCall names what is called, or made with new, in the engine's messages that leave it out: the script has it where the
// first frame of the stack is.
func (r *run) explainCall(message, stack string) string {
	if message != "not a function" && message != "not a constructor" {
		return ""
	}
	frame, _, _ := strings.Cut(strings.TrimLeft(stack, "\n"), "\n")
	if isInternal(frame) {
		return "" // called by the engine
	}
	file, line, column := firstPosition(r.mapFrame(frame))
	if file != r.options.Name || column == 0 {
		return ""
	}
	name, made := calleeAt(lineOf(r.script, line), column)
	switch {
	case name == "", made && name == "TypeError": // the error itself, made by the script
		return ""
	case made:
		return name + " is not a constructor"
	}
	return name + " is " + message
}

// maxCallee is how many bytes before and after a position are looked at for what is called there.
const maxCallee = 100

var (
	objectBefore = regexp.MustCompile(`(?:[\pL\pN_$#]+\??\.)+$`)
	nameAfter    = regexp.MustCompile(`^[\pL\pN_$#]+`)
	namesAfter   = regexp.MustCompile(`^[\pL\pN_$#.]+`)
	callAfter    = regexp.MustCompile(`^(?:\?\.)?\s*\(`)
	newBefore    = regexp.MustCompile(`\bnew\s+$`)
)

// calleeAt returns the names joined by dots that are called in a line at the column, which counts UTF-16 code units from 1, and is
// that of the last of them; or of the first, after new, which made says. They are empty if that is not what is there.
func calleeAt(line string, column int) (callee string, made bool) {
	at := 0
	for left := column - 1; left > 0; {
		c, n := utf8.DecodeRuneInString(line[at:])
		if n == 0 {
			return "", false
		}
		at += n
		left -= max(1, utf16.RuneLen(c))
	}
	before, after := line[max(0, at-maxCallee):at], line[at:]
	after = after[:min(len(after), maxCallee)]
	names := nameAfter
	if made = newBefore.MatchString(before); made {
		names = namesAfter
	}
	name := names.FindString(after)
	if name == "" || !callAfter.MatchString(after[len(name):]) {
		return "", false
	}
	return objectBefore.FindString(before) + name, made
}
