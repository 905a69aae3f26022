package javascript

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/module"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// Some messages of the engine do not say what is wrong, and some mistakes come from habits of other systems. Where
// such an error is shown, its message says more.

// maxExplained is the longest name and message of an error that can be explained, in bytes.
const maxExplained = 256

const noCompression = "there is no compression here, but a library for it, such as fflate.js, can be put into /lib"

// missingGlobals maps globals of other systems to their replacements here.
var missingGlobals = func() map[string]string {
	const network, dom = "there is no network here", "there is no DOM here"
	const streams = "there are no streams here: use strings, Uint8Array and whole files"
	m := map[string]string{
		"Buffer": "there is no Buffer here: use Uint8Array, TextEncoder, TextDecoder, atob and btoa, or the encodings 'base64' and 'hex' of " +
			"fs.readFile and fs.writeFile",
		"Intl":           "there is no Intl here: format numbers and dates without it",
		"Temporal":       "use Date",
		"WebAssembly":    "there is no WebAssembly here",
		"Worker":         "there are no workers here",
		"path":           "write: const path = require('path')",
		"tools":          "code cannot call other tools here",
		"setImmediate":   "use setTimeout or queueMicrotask",
		"clearImmediate": "use setTimeout and clearTimeout",
		"global":         "use globalThis",
		"print":          "use console.log",
		"Deno":           "this is not Deno: fs has the functions of Node's fs",
		"Bun":            "this is not Bun: fs has the functions of Node's fs",
	}
	for _, name := range []string{"fetch", "Request", "Response", "Headers", "XMLHttpRequest", "WebSocket", "EventSource"} {
		m[name] = network
	}
	for _, name := range []string{"Blob", "File", "FileReader", "ReadableStream", "WritableStream", "TransformStream"} {
		m[name] = streams
	}
	m["CompressionStream"], m["DecompressionStream"] = noCompression, noCompression
	for _, name := range []string{"window", "document", "navigator", "location", "localStorage", "sessionStorage", "DOMParser", "alert", "confirm", "prompt"} {
		m[name] = dom
	}
	return m
}()

// missingModules maps Node's modules to their replacements here.
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
		"zlib":            noCompression,
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

// missingFunctions maps functions of Node's fs, and of libraries used in its place, to their replacements.
var missingFunctions = func() map[string]string {
	m := map[string]string{}
	for names, text := range map[string]string{
		"createReadStream createWriteStream open read write close": "files are read and written as a whole: " +
			"use fs.readFile, fs.writeFile and fs.appendFile",
		"opendir":                     "use fs.readdir",
		"glob":                        "use fs.readdir(path, {recursive: true})",
		"readJson readJSON":           "use JSON.parse(await fs.readFile(path, 'utf8'))",
		"writeJson writeJSON":         "use fs.writeFile(path, JSON.stringify(data))",
		"ensureDir mkdirp mkdtemp":    "use fs.mkdir",
		"remove":                      "use fs.rm(path, {recursive: true})",
		"symlink link readlink":       "there are no links here",
		"chmod chown utimes":          "files have no owners, and nobody but the host sets modes and times",
		"watch watchFile unwatchFile": "files cannot be watched: look at fs.stat",
	} {
		for name := range strings.FieldsSeq(names) {
			m[name], m[name+"Sync"] = text, text
		}
	}
	return m
}()

var (
	functionOfFiles = regexp.MustCompile(`^fs\.(?:promises\.)?(\w+)$`)
	exportOfFiles   = regexp.MustCompile(`^Could not find export '(\w+)' in module 'fs(?:/promises)?'$`)
	methodOfTime    = regexp.MustCompile(`(?:^|\.)mtime\.(?:to|get)\w+$`)
)

var notDefined = regexp.MustCompile(`^'?([\w$]+)'? is not defined$`)

// explain serves opExplain.
func (in *instance) explain(ctx context.Context, args arguments) (quickjs.Value, error) {
	name, cut1, _ := args.text(1, maxExplained)
	message, cut2, _ := args.text(2, maxExplained)
	stack, _, _ := args.text(3, maxStack)
	if cut1+cut2 > 0 {
		return quickjs.Undefined, nil
	}
	better := ""
	switch name {
	case "TypeError":
		if err := in.Spend(len(in.run.script)); err != nil { // where the line is looked for
			return 0, err
		}
		better = in.run.explainCall(message, stack)
	case "ReferenceError":
		if m := notDefined.FindStringSubmatch(message); m != nil && missingGlobals[m[1]] != "" {
			better = message + " (" + missingGlobals[m[1]] + ")"
		}
	case "SyntaxError":
		if strings.HasPrefix(message, "unexpected token: 'object'") && strings.HasPrefix(strings.TrimSpace(stack), "at <input>") {
			better = message + " (this is not JSON but an object as text; is an await missing?)"
		}
		if m := exportOfFiles.FindStringSubmatch(message); m != nil && missingFunctions[m[1]] != "" {
			better = message + " (" + missingFunctions[m[1]] + ")"
		}
	}
	if better == "" {
		return quickjs.Undefined, nil
	}
	return in.vm.NewString(ctx, better)
}

// explainCall adds the name of the called or constructed value to engine messages that leave it out. The script has
// it at the position of the first stack frame.
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
	if instead := r.instead(name); instead != "" {
		message += " (" + instead + ")"
	}
	return name + " is " + message
}

// instead returns what to call instead of a value that is not a function.
func (r *run) instead(name string) string {
	if m := functionOfFiles.FindStringSubmatch(name); m != nil {
		return missingFunctions[m[1]]
	}
	if methodOfTime.MatchString(name) {
		return "mtime is a number of milliseconds: use new Date(mtime)"
	}
	return r.functionsLike(name)
}

// maxLike is how many functions are suggested in place of a missing one.
const maxLike = 5

// statsMethods are the methods of the results of fs.stat that are booleans in some other systems.
var statsMethods = []string{"isFile", "isDirectory"}

// findUncalled looks for a place in a source that uses one of statsMethods as a value, and keeps the first one.
func (r *run) findUncalled(file, source string, m *module.Map) {
	if r.uncalled != "" || !strings.Contains(source, ".isFile") && !strings.Contains(source, ".isDirectory") {
		return
	}
	name, line, column, ok := module.FindUncalled(source, statsMethods...)
	if ok && m != nil {
		line, column, ok = m.Original(line, column)
	}
	if ok {
		r.uncalled = fmt.Sprintf("%s:%d:%d: %s is a method, as in Node, so without a call it is always true. Write %[4]s().",
			file, line, column, name)
	}
}

// explainUncalled serves opUncalled. It prints an explanation if a source shows that the script takes methods for
// booleans.
func (in *instance) explainUncalled() error {
	r := in.run
	if err := in.Spend(len(r.script)); err != nil {
		return err
	}
	if r.findUncalled(r.options.Name, r.script, nil); r.uncalled != "" {
		r.Output().Print(sandbox.LevelWarn, r.uncalled)
	}
	return nil
}

// functionsLike suggests the Go functions in the same object whose names are most like a missing one's.
func (r *run) functionsLike(name string) string {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return ""
	}
	type candidate struct {
		name string
		same int // letters and digits at the beginning, whatever is between them
	}
	var found []candidate
	wanted := lettersOf(name[dot+1:])
	for _, f := range r.options.Functions {
		if own, ok := strings.CutPrefix(f.Name, name[:dot+1]); ok {
			letters, same := lettersOf(own), 0
			for same < min(len(letters), len(wanted)) && letters[same] == wanted[same] {
				same++
			}
			if strings.Contains(own, "-") {
				own = name[:dot] + "['" + own + "']"
			} else {
				own = name[:dot+1] + own
			}
			found = append(found, candidate{own, same})
		}
	}
	if len(found) == 0 {
		return ""
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return b.same - a.same })
	names := make([]string, 0, maxLike+1)
	for _, c := range found[:min(len(found), maxLike)] {
		names = append(names, c.name)
	}
	if len(found) > maxLike {
		names = append(names, fmt.Sprintf("and %d others", len(found)-maxLike))
	}
	return "there are " + strings.Join(names, ", ")
}

// lettersOf reduces a name to its letters and digits in lower case, so that spellings of the same name are equal.
func lettersOf(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, name)
}
