package test262

import (
	"slices"
	"strings"
)

// Skip says why a test is not run, or returns "". What it needs is then neither in the engine nor to be had for
// scripts in a sandbox.
func (t *Test) Skip() string {
	for folder, reason := range skippedFolders {
		if strings.HasPrefix(t.path, folder) {
			return reason
		}
	}
	for _, feature := range missingFeatures {
		if slices.Contains(t.Features, feature) {
			return "the engine does not have " + feature
		}
	}
	for _, host := range missingHost {
		if strings.Contains(t.Source, host.name) || slices.Contains(t.Includes, host.include) {
			return host.reason
		}
	}
	if t.has("CanBlockIsFalse") || t.has("CanBlockIsTrue") {
		return "there is no Atomics, and so nothing that could block"
	}
	return ""
}

var skippedFolders = map[string]string{
	"intl402/": "Intl is that of Node 20, with which it is compared: these tests are of later editions of ECMA-402",
	"built-ins/RegExp/property-escapes/generated/": "the engine's tables of Unicode: " +
		"these take longer than all others together",
}

// missingFeatures are features of the suite that QuickJS-ng 0.10.1 does not have.
var missingFeatures = []string{
	"Temporal", "Atomics.pause", "await-dictionary", "decorators", "error-stack-accessor",
	"explicit-resource-management", "export-defer", "immutable-arraybuffer", "import-bytes",
	"import-defer", "import-text",
	"iterator-chunking", "iterator-includes", "Iterator.prototype.join", "joint-iteration", "json-parse-with-source",
	"legacy-regexp", "nonextensible-applies-to-private", "ShadowRealm",
	"source-phase-imports", "tail-call-optimization",
}

// missingHost lists functions of the host that tests need and that do not exist here.
var missingHost = []struct{ name, include, reason string }{
	{"$262.createRealm", "", "there is one realm"},
	{"$262.detachArrayBuffer", "detachArrayBuffer.js", "scripts cannot detach buffers"},
	{"$DETACHBUFFER", "detachArrayBuffer.js", "scripts cannot detach buffers"},
	{"$262.agent", "atomicsHelper.js", "there is one agent"},
	{"$262.IsHTMLDDA", "", "there is no document.all"},
	{"$262.AbstractModuleSource", "", "there are no module sources"},
}
