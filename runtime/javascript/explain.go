package javascript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/js/module"
	"github.com/toolrun/toolrun/internal/text/lazyregexp"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// Some messages of the engine do not say what is wrong, and some mistakes come from habits of other systems. Where
// such an error is shown, its message says more.

// maxExplained is the longest name and message of an error that can be explained, in bytes.
const maxExplained = 256

const (
	noNetwork  = "there is no network here"
	howNetwork = "whoever runs this can allow hosts, as in --allow 'GET https://example.com/**'"
)

// missingGlobals maps globals of other systems to their replacements here.
var missingGlobals = host.ByName(map[string]string{
	"use Date":                                            "Temporal",
	"Blob has text() and arrayBuffer()":                   "FileReader",
	"there is no WebAssembly here":                        "WebAssembly",
	"there are no workers here":                           "Worker",
	"write: const path = require('path')":                 "path",
	"code cannot call other tools here":                   "tools",
	"use console.log":                                     "print",
	"this is not Deno: fs has the functions of Node's fs": "Deno",
	"this is not Bun: fs has the functions of Node's fs":  "Bun",
	noNetwork + ": " + howNetwork:                         "fetch",

	noNetwork:              "XMLHttpRequest WebSocket EventSource",
	"there is no DOM here": "window document location localStorage sessionStorage DOMParser alert confirm prompt",
})

// missingFunctions maps functions of Node's fs, and of libraries used in its place, without Sync at the end, to their
// replacements.
var missingFunctions = host.ByName(map[string]string{
	"use fs.readdir(path, {recursive: true})":         "glob",
	"use JSON.parse(await fs.readFile(path, 'utf8'))": "readJson readJSON",
	"use fs.writeFile(path, JSON.stringify(data))":    "writeJson writeJSON",
	"use fs.mkdir":                       "ensureDir mkdirp",
	"use fs.rm(path, {recursive: true})": "remove",
	"there are no links here":            "symlink link readlink",
	"files have no owners, and nobody but the host sets modes and times": "chmod chown utimes",
	"files cannot be watched: look at fs.stat":                           "watch watchFile unwatchFile",
})

func missingFunction(name string) string { return missingFunctions[strings.TrimSuffix(name, "Sync")] }

var (
	functionOfFiles = lazyregexp.New(`^fs\.(?:promises\.)?(\w+)$`)
	exportOfFiles   = lazyregexp.New(`^Could not find export '(\w+)' in module 'fs(?:/promises)?'$`)
)

// explain returns a better message for an error that the engine has thrown, or "". raw is the engine's stack.
func (in *instance) explain(e quickjs.ErrorStack, name, message, raw string) (string, error) {
	if len(message) > maxExplained {
		return "", nil
	}
	r := in.run
	frame, caller := firstFrame(raw)
	if caller == "" && strings.Contains(frame, quickjs.PreludeName) {
		return inV8(name, message, ""), nil
	}
	if caller == "" && name == "TypeError" {
		better := ""
		switch message {
		case "not a function", "not a constructor":
			better = r.explainCall(message, frame)
		case "not an object":
			return "", nil // there are many reasons
		case "value is not iterable", "Cannot convert undefined or null to object",
			"cannot read property 'Symbol.iterator' of undefined", "cannot read property 'Symbol.iterator' of null":
			better = r.explainValue(message, frame)
		}
		if m := matched(readOnly, "'", message); m != nil {
			better = r.explainReadOnly(m[1], frame)
		}
		if better != "" {
			return better, in.Spend(maxBefore + maxAfter)
		}
	}
	better := inV8(name, message, caller)
	if name == "SyntaxError" && caller == "parse" {
		if source, cut, ok := in.argument(e); ok && cut == 0 {
			better = cmp.Or(jsonError(source), better)
		}
	}
	text := cmp.Or(better, message)
	switch name {
	case "ReferenceError":
		if global, ok := strings.CutSuffix(text, " is not defined"); ok && missingGlobals[global] != "" {
			instead := missingGlobals[global]
			if instead == noNetwork && r.options.Network != nil {
				instead = "use fetch"
			}
			return text + " (" + instead + ")", nil
		}
	case "SyntaxError":
		if message == "unexpected token: 'object'" && caller == "parse" {
			return text + " (this is an object as text; is an await missing?)", nil
		}
		if m := matched(exportOfFiles, "Could not find export ", message); m != nil && missingFunction(m[1]) != "" {
			return text + " (" + missingFunction(m[1]) + ")", nil
		}
	}
	return better, nil
}

// argument returns the text that JSON.parse got, of which more than maxJSONSource bytes are cut off.
func (in *instance) argument(e quickjs.ErrorStack) (text string, cut int, ok bool) {
	v, ok := e.Argument()
	if !ok || !v.IsString() {
		return "", 0, false
	}
	if text, cut, ok = in.VM.String(v, maxJSONSource); !ok {
		return "", 0, false
	}
	return text, cut, in.Spend(len(text)) == nil
}

// firstFrame returns the first frame of the engine's stack that has a position, and the name of the native function
// above it that has thrown, or "".
func firstFrame(raw string) (frame, native string) {
	for line := range strings.SplitSeq(raw, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "at <input>:") { // the text of JSON.parse
			continue
		}
		name, ok := strings.CutSuffix(line, " (native)")
		if !ok {
			return line, native
		}
		if native == "" {
			native = strings.TrimPrefix(strings.TrimSpace(name), "at ")
		}
	}
	return "", native
}

// explainCall names what was called or constructed, which engine messages leave out. The code has it at the position of
// the first stack frame.
func (r *run) explainCall(message, frame string) string {
	file, line, column := framePosition(frame)
	o := r.origins[file]
	at := o.at(line, column)
	if at < 0 {
		return ""
	}
	c := calleeAt(o.code.text, at)
	switch {
	case c.name == "":
		return ""
	case c.made:
		return c.name + " is not a constructor"
	}
	if instead := r.instead(c.name); instead != "" {
		message += " (" + instead + ")"
	}
	return c.name + " is " + message
}

// instead returns what to call instead of a value that is not a function.
func (r *run) instead(name string) string {
	if m := functionOfFiles().FindStringSubmatch(name); m != nil {
		return missingFunction(m[1])
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
		r.uncalled = fmt.Sprintf("%s:%d:%d: %s is a method, as in Node, so without a call it is always true. "+
			"Write %[4]s().", file, line, column, name)
	}
}

// explainUncalled prints an explanation if a source shows that the script takes methods for
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

var (
	iteratedAfter = lazyregexp.New(
		`(?:\bof\s+|\.\.\.|\]\s*=\s*)((?:[\pL\pN_$#]+\.)*[\pL\pN_$#]+)\s*(?:[;,)\]}\n]|$)`)
	patternAfter = lazyregexp.New(
		`^(?:(?:const|let|var)\s*|\(?\s*)?\{\s*([\pL\pN_$]+)?[^{}=]*(?:=[^{}=]*)*\}` +
			`\s*=\s*((?:[\pL\pN_$#]+\.)*[\pL\pN_$#]+)\s*(?:[;,)}\n]|$)`)
	parameterAfter = lazyregexp.New(`^[^{};]*\(\s*\{\s*([\pL\pN_$]+)`)
)

// statementAt returns the beginning of the statement at the position of a stack frame, if its code is known.
func (r *run) statementAt(frame string) string {
	file, line, column := framePosition(frame)
	o := r.origins[file]
	at := o.at(line, column)
	if at < 0 {
		return ""
	}
	text := o.code.text[at:min(len(o.code.text), at+maxAfter)]
	if end := strings.IndexByte(text, ';'); end >= 0 {
		text = text[:end+1]
	}
	return text
}

// explainValue names the variable that cannot be iterated or taken apart, if the statement has only one.
func (r *run) explainValue(message, frame string) string {
	statement := r.statementAt(frame)
	if strings.HasSuffix(message, "to object") {
		if m := patternAfter().FindStringSubmatch(statement); m != nil {
			return destructured(m[1], m[2])
		}
		if m := parameterAfter().FindStringSubmatch(statement); m != nil {
			return destructured(m[1], "an argument")
		}
		return ""
	}
	line, _, _ := strings.Cut(statement, "\n")
	if m := iteratedAfter().FindAllStringSubmatch(line, 2); len(m) == 1 {
		return m[0][1] + " is not iterable"
	}
	return ""
}

// explainReadOnly tells variables from properties.
func (r *run) explainReadOnly(name, frame string) string {
	text := r.statementAt(frame)
	for at := strings.Index(text, name); at >= 0 && name != ""; { // which is in every text, and never behind itself
		if before := lastName(text[:at]); before == "" && (at == 0 || text[at-1] != '.' && text[at-1] != '[') &&
			!isNameLetter(rune(text[min(len(text)-1, at+len(name))])) {
			return "Assignment to constant variable."
		}
		next := strings.Index(text[at+len(name):], name)
		if next < 0 {
			break
		}
		at += len(name) + next
	}
	return "Cannot assign to read only property '" + name + "' of object '#<Object>'"
}

func destructured(property, value string) string {
	state := "undefined or null"
	if value == "null" || value == "undefined" {
		state = value
	}
	if property == "" {
		return "Cannot destructure '" + value + "' as it is " + state + "."
	}
	return "Cannot destructure property '" + property + "' of '" + value + "' as it is " + state + "."
}
