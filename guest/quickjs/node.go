package quickjs

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// The modules of Node that are too large for every sandbox to have them. Each file is a function of the kernel, and of
// a CommonJS module's require, module and exports, which runs when the module is first used.
//
//go:embed node
var nodeFiles embed.FS

// internalModules begins the names of modules that only other built-in modules can require.
const internalModules = "internal/"

// NodeModules returns the names of the built-in modules that are loaded when they are first used, without "node:".
func NodeModules() []string {
	var names []string
	fs.WalkDir(nodeFiles, "node", func(file string, entry fs.DirEntry, err error) error { // embedded files do not fail
		if name := strings.TrimPrefix(strings.TrimSuffix(file, ".js"), "node/"); !entry.IsDir() &&
			!strings.HasPrefix(name, internalModules) {
			names = append(names, name)
		}
		return nil
	})
	return slices.Clip(names)
}

// NodeModule returns the source of a built-in module that is loaded when it is first used, and the name of its file in
// stack traces, which users do not see. It is false if there is none with the name.
func NodeModule(name string) (source, file string, ok bool) {
	if path.Clean(name) != name {
		return "", "", false
	}
	data, err := nodeFiles.ReadFile("node/" + name + ".js")
	return string(data), PreludeName + "node/" + name + ".js", err == nil
}

// nodeGlobals are the globals of these modules. The prelude defines them so that their modules are loaded when they are
// first used.
var nodeGlobals = map[string]string{
	"Blob":                             "internal/blob",
	"BroadcastChannel":                 "internal/messaging",
	"Buffer":                           "buffer",
	"ByteLengthQueuingStrategy":        "stream/web",
	"CompressionStream":                "internal/compression",
	"CountQueuingStrategy":             "stream/web",
	"CryptoKey":                        "internal/crypto/webcrypto",
	"CustomEvent":                      "internal/customevent",
	"AsyncDisposableStack":             "internal/disposable",
	"Atomics":                          "internal/atomics",
	"DisposableStack":                  "internal/disposable",
	"SuppressedError":                  "internal/disposable",
	"DecompressionStream":              "internal/compression",
	"File":                             "internal/blob",
	"FormData":                         "internal/blob",
	"Headers":                          "internal/headers",
	"Intl":                             "internal/intl",
	"process":                          "internal/process",
	"MessageChannel":                   "internal/messaging",
	"MessageEvent":                     "internal/messaging",
	"MessagePort":                      "internal/messaging",
	"Navigator":                        "internal/navigator",
	"Performance":                      "internal/performance",
	"PerformanceEntry":                 "internal/performance",
	"PerformanceMark":                  "internal/performance",
	"PerformanceMeasure":               "internal/performance",
	"PerformanceObserver":              "internal/performance",
	"PerformanceObserverEntryList":     "internal/performance",
	"ReadableByteStreamController":     "stream/web",
	"ReadableStream":                   "stream/web",
	"ReadableStreamBYOBReader":         "stream/web",
	"ReadableStreamBYOBRequest":        "stream/web",
	"ReadableStreamDefaultController":  "stream/web",
	"ReadableStreamDefaultReader":      "stream/web",
	"Request":                          "internal/fetch",
	"Response":                         "internal/fetch",
	"SubtleCrypto":                     "internal/crypto/webcrypto",
	"TextDecoderStream":                "stream/web",
	"TextEncoderStream":                "stream/web",
	"TransformStream":                  "stream/web",
	"TransformStreamDefaultController": "stream/web",
	"URLPattern":                       "internal/urlpattern",
	"WritableStream":                   "stream/web",
	"WritableStreamDefaultController":  "stream/web",
	"WritableStreamDefaultWriter":      "stream/web",
	"reportError":                      "internal/reporterror",
	"navigator":                        "internal/navigator",
	"performance":                      "internal/performance",
}

// nodeWords are words in scripts that mean that a module will be used, though neither it nor a global of it is named.
var nodeWords = map[string]string{
	"readFile":           "buffer", // what it returns without an encoding
	"createCipheriv":     "internal/crypto/cipher",
	"createHash":         "internal/crypto/hash",
	"createHmac":         "internal/crypto/hash",
	"pbkdf2":             "internal/crypto/kdf",
	"scrypt":             "internal/crypto/kdf",
	"subtle":             "internal/crypto/webcrypto",
	"Collator":           "internal/intl/collator",
	"localeCompare":      "internal/intl/collator",
	"DateTimeFormat":     "internal/intl/date",
	"toLocaleDateString": "internal/intl/date",
	"toLocaleTimeString": "internal/intl/date",
	"ListFormat":         "internal/intl/list",
	"Intl.Locale":        "internal/intl/locale",
	"DisplayNames":       "internal/intl/names",
	"NumberFormat":       "internal/intl/number",
	"toLocaleString":     "internal/intl/number",
	"PluralRules":        "internal/intl/plural",
	"RelativeTime":       "internal/intl/relative",
	"Segmenter":          "internal/intl/segmenter",

	// What the module adds to the global fs.
	"atime":             "fs",
	"birthtime":         "fs",
	"constants.O_":      "fs",
	"createReadStream":  "fs",
	"createWriteStream": "fs",
	"ctime":             "fs",
	"fs.open":           "fs",
	"fs.promises":       "fs",
	"mkdtemp":           "fs",
	"openSync":          "fs",
	"opendir":           "fs",
	"readSync":          "fs",
	"realpath":          "fs",
	"writeSync":         "fs",
}
