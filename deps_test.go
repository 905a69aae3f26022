package toolrun_test

import (
	"go/build"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/toolrun/toolrun/"

// mayImport says which packages of the module, and which of the named outside ones, a package may import. A pattern
// that ends in /... is for a folder and all below it. What is not listed may not be imported.
var mayImport = map[string][]string{
	".": {"internal/calls", "internal/net/egress", "mcp/mcpclient", "network", "provider",
		"registry", "registry/waiting", "runtime", "runtime/script",
		"tool", "tools/code", "tools/filesystem", "tools/javascript", "tools/memory", "tools/module",
		"tools/python", "tools/shell", "vfs", "vfs/local"},
	"internal/budget":                {},
	"internal/calls":                 {"internal/text/plaintext", "registry", "tool", "vfs"},
	"internal/cachedir":              {},
	"internal/net/clientaddr":        {},
	"internal/net/download":          {},
	"internal/net/egress":            {"internal/js/webapi", "network"},
	"internal/net/egress/egresstest": {"internal/net/egress", "network"},
	"internal/net/responses":         {"network", "runtime"},
	"internal/pypi":                  {"internal/net/download"},
	"internal/text/fill":             {},
	"internal/text/filetype":         {},
	"internal/text/filetext":         {"internal/text/filetype"},
	"internal/text/filediff":         {"internal/text/filetext", "vfs"},
	"internal/text/filesearch":       {"internal/text/filetext", "internal/text/plaintext", "internal/progress"},
	"internal/text/jsontree":         {"internal/text/plaintext"},
	"internal/js/jsregexp":           {},
	lazy:                             {},
	"internal/text/schema":           {"internal/text/jsontree", "internal/text/plaintext"},
	"internal/test/leakcheck":        {"internal/procmem", "internal/test/race"},
	"internal/wasm/linearmem":        {},
	"internal/test/mailtest":         {".", "registry", "tool", "tools/code", "tools/javascript"},
	"internal/test/memnet":           {},
	"internal/wasm/metering":         {},
	"internal/text/utf8text":         {},
	"internal/text/v4a":              {},
	"internal/wasm/wasmasm":          {},
	"internal/js/webapi":             {"internal/text/utf8text"},
	"internal/js/intl":               {},
	"internal/js/nodecrypto":         {},
	"internal/kdf":                   {},
	"internal/js/nodezlib":           {},
	"internal/js/intl/gen":           {},
	"guest/quickjs":                  {"internal/wasm/metering", "internal/text/utf8text", wazero},
	"guest/python":                   {"internal/wasm/metering", wazero},
	"guest/tool":                     {},
	"guest/tool/toolhttp":            {},
	"network":                        {"internal/js/webapi"},
	"runtime": {"internal/cachedir", "internal/ownversion", "internal/wasm/linearmem", "internal/wasm/metering",
		"internal/text/plaintext", "internal/text/utf8text", "internal/wasm/scratch", "internal/wasm/wasifs", wazero},
	"runtime/javascript": {"guest/quickjs", "internal/text/jsontree", "internal/js/module",
		"internal/net/responses", "internal/text/utf8text", "internal/js/webapi", "internal/wasm/scratch", "network",
		"runtime", "runtime/javascript/...", "runtime/script", wazero},
	// A capability of scripts imports its library, and no other capability: TestImports checks that, too.
	"runtime/javascript/host":     {"guest/quickjs", "internal/text/jsontree", "internal/text/utf8text", "runtime"},
	"runtime/javascript/console":  {"runtime", "runtime/javascript/host"},
	"runtime/javascript/crypto":   {"internal/js/nodecrypto", "internal/kdf", "runtime/javascript/host"},
	"runtime/javascript/encoding": {"internal/text/utf8text", "internal/js/webapi", "runtime/javascript/host"},
	"runtime/javascript/fetch":    {"runtime/javascript/host"},
	"runtime/javascript/fs": {"internal/text/filetype", "internal/text/jsontree", "internal/text/utf8text",
		"runtime/javascript/host"},
	"runtime/javascript/intl":     {"internal/js/intl", "runtime/javascript/host"},
	"runtime/javascript/language": {"guest/quickjs", "internal/js/jsregexp", "runtime/javascript/host"},
	"runtime/javascript/modules":  {"guest/quickjs", "internal/js/module", "runtime", "runtime/javascript/host"},
	"runtime/javascript/node":     {"runtime/javascript/host"},
	"runtime/javascript/runs":     {"runtime", "runtime/javascript/host"},
	"runtime/javascript/streams":  {"runtime/javascript/host"},
	"runtime/javascript/timers":   {"guest/quickjs", "runtime/javascript/host"},
	"runtime/javascript/url": {"internal/text/jsontree", "internal/text/utf8text", "internal/js/webapi",
		"runtime/javascript/host"},
	"runtime/javascript/zlib": {"internal/js/nodezlib", "runtime/javascript/host"},
	"runtime/script": {"internal/net/responses", "internal/text/media", "internal/wasm/metering", "network",
		"runtime"},
	"systemtest":         {},
	"systemtest/command": {},
	"runtime/command": {"internal/wasm/metering", "internal/net/responses", "network", "runtime", "runtime/script",
		wazero},
	"runtime/python": {"guest/python", "internal/kdf", "internal/text/plaintext", "internal/net/responses", "network",
		"runtime", "runtime/script", wazero},
	"internal/test/countdown":  {},
	"internal/test/mcptest":    {"mcp/mcpclient", "registry", "tool"},
	"internal/test/enginetest": {"runtime", "runtime/javascript"},
	"internal/test/guesttest":  {"runtime"},
	"internal/test/statetest":  {"runtime"},
	"internal/test/pypitest":   {"runtime", "runtime/script", "tool", "tools/code"},
	"internal/test/pythontest": {"internal/test/enginetest", "runtime", "runtime/python", "runtime/script"},
	"internal/selftest": {".", "internal/procmem", "internal/wasm/wasmasm", "mcp/mcpclient", "mcp/mcpserver",
		"provider", "provider/xmlcall", "registry", "runtime", "runtime/command", "runtime/javascript",
		"runtime/python", "runtime/script", "testdata/hostile", "tool", "tools/code", "vfs", "vfs/archive", "vfs/local",
		"web"},
	"internal/test/test262":           {},
	"internal/wasm/scratch":           {},
	"internal/wasm/wasifs":            {"internal/wasm/scratch"},
	"internal/wasm/wasifs/wasifstest": {"vfs", "vfs/local"},
	"vfs":                             {"internal/progress", "vfs/internal/fsys"},
	"vfs/archive":                     {"internal/progress", "vfs", "vfs/internal/fsys"},
	"vfs/internal/fsys":               {},
	"internal/test/storetest":         {"vfs", "vfs/local"},
	"internal/test/wrapfs":            {"vfs"},
	"vfs/internal/project":            {"internal/text/jsontree", "internal/progress", "vfs", "vfs/internal/fsys"},
	"vfs/local":                       {"internal/text/jsontree", "vfs", "vfs/internal/fsys", "vfs/internal/project"},
	"vfs/admin":                       {"vfs", "vfs/internal/project"},
	"vfs/partition":                   {"internal/text/jsontree", "vfs", "vfs/internal/fsys"},
	"internal/test/pgtest":            {},
	"vfs/postgres":                    {"vfs", "vfs/internal/fsys", "vfs/internal/project"},
	"vfs/postgres/s3":                 {"vfs/postgres"},
	"vfs/vfstest":                     {"vfs"},
	"internal/text/media":             {},
	"internal/js/module":              {"internal/progress", "internal/text/utf8text"},
	"internal/ownversion":             {},
	"internal/progress":               {},
	"internal/progress/progresstest":  {},
	"internal/test/race":              {},
	"internal/text/plaintext":         {},
	"internal/procmem":                {},
	"mcp/mcpclient": {"internal/text/jsontree", "internal/text/plaintext", "internal/text/schema", "registry",
		"tool"},
	"tool": {"internal/text/jsontree", "internal/text/plaintext", "network"},
	"registry": {"internal/text/jsontree", "internal/text/schema", "internal/text/plaintext", "network",
		"tool", "vfs"},
	"registry/observe": {"internal/text/plaintext", "network", "registry", "tool"},
	"registry/registrytest": {"internal/text/jsontree", "internal/text/plaintext", "internal/text/schema",
		"recording", "registry", "provider", "tool", "vfs",
		"vfs/local"},
	"registry/waiting":   {"registry", "tool", "vfs"},
	"recording":          {"internal/text/plaintext", "network", "registry", "tool", "vfs"},
	"internal/js/tsdecl": {"internal/text/jsontree", "internal/text/plaintext", "internal/text/schema"},
	"provider": {"internal/text/jsontree", "internal/text/media", "internal/text/plaintext", "internal/text/schema",
		"registry", "tool"},
	"provider/xmlcall": {"internal/text/jsontree", "internal/text/plaintext", "internal/text/schema", "registry",
		"tool"},
	"tools/javascript": {"internal/js/module", "internal/js/tsdecl", "internal/text/fill", "tool", "runtime",
		"runtime/javascript", "runtime/script", "tools/code"},
	"tools/shell": {"internal/text/fill", "internal/text/plaintext", "runtime", "runtime/command", "runtime/script",
		"tool", "tools/code"},
	"tools/python": {"internal/pypi", "internal/text/fill", "internal/text/jsontree", "internal/text/plaintext",
		"tool", "runtime",
		"runtime/python", "runtime/script", "tools/code"},
	"tools/internal/changes": {"vfs"},
	"tools/module": {"internal/ownversion", "internal/text/plaintext", "internal/text/schema", "network", "tool",
		"runtime", "runtime/command", "tools/internal/changes", "tools/code", "vfs"},
	"tools/code": {"network", "internal/text/jsontree", "internal/text/plaintext", "tool", "runtime", "runtime/script",
		"tools/internal/changes", "vfs"},
	"internal/sessions": {"runtime", "vfs"},
	"tools/memory":      {"internal/text/filetext", "tool", "tools/internal/...", "vfs"},
	"tools/filesystem": {"internal/text/filesearch", "internal/text/filetext", "internal/text/plaintext",
		"internal/text/v4a", "tool", "tools/internal/...", "vfs"},
	"tools/internal/tooltest": {"registry", "tool", "vfs", "vfs/local"},
	"tools/internal/textfile": {"internal/text/filetext", "internal/text/filetype", "internal/text/media",
		"internal/progress", "tool", "vfs"},
	"mcp/mcpserver": {"internal/budget", "internal/text/filetype", "internal/text/jsontree", "internal/text/plaintext",
		"internal/net/sameorigin", "provider", "registry", "tool", "vfs"},
	"internal/net/sameorigin": {},
	"web": {".", "internal/budget", "internal/net/clientaddr", "internal/text/fill", "internal/text/jsontree",
		"internal/text/plaintext", "internal/net/sameorigin", "internal/service", "registry", "tools/module", "vfs"},
	"internal/service": {".", "internal/calls", "internal/text/filediff", "internal/text/filesearch",
		"internal/text/filetext", "internal/text/filetype", "internal/text/plaintext", "internal/text/v4a",
		"network", "provider", "registry", "registry/waiting", "runtime", "internal/sessions", "tool", "tools/code",
		"tools/module", "vfs", "vfs/archive"},
	"internal/test/ptytest":     {},
	"internal/userdirs":         {},
	"internal/test/toolruntest": {},
	"internal/test/commandtest": {"internal/test/enginetest", "internal/test/race", "internal/test/toolruntest"},
	"cmd/toolrun":               {"cmd/toolrun/internal/cli", "cmd/toolrun/internal/quickstart"},
	// What concerns projects is an operation of internal/service. What the command has besides:
	"cmd/toolrun/internal/cli": {".", "cmd/toolrun/internal/...", "docs", "internal/docsite", "internal/service",
		"web", "vfs",
		// which stores there are, where they are kept, and moving and checking them
		"vfs/admin", "vfs/local", "vfs/partition", "vfs/postgres", "vfs/postgres/s3", "internal/userdirs",
		// code without a project's tools, and consoles: toolrun js, py, sh and repl
		"runtime", "runtime/script", "tool", "tools/code", "tools/javascript", "tools/python", "tools/shell",
		"internal/sessions",
		// modules, which are the machine's, and packages from PyPI
		"runtime/command", "tools/module", "internal/pypi", "internal/net/download",
		// files of the host that go into projects, and come out
		"internal/text/filediff", "internal/text/filesearch", "vfs/archive",
		// servers and calls that are recorded, watched, or those of models
		"mcp/mcpclient", "mcp/mcpserver", "network", "provider", "provider/xmlcall", "recording", "registry",
		"registry/observe", "tools/filesystem", "tools/memory",
		"internal/calls", "internal/ownversion", "internal/text/jsontree", "internal/text/plaintext",
		"internal/selftest"},
	"cmd/toolrun/internal/mcphttp": {"internal/net/clientaddr", "internal/service", "mcp/mcpserver", "network",
		"registry", "tool", "vfs"},
	"docs":                              {},
	"internal/docsite":                  {"internal/text/fill"},
	"cmd/toolrun/internal/clientconfig": {},
	"cmd/toolrun/internal/quickstart":   {},
	"cmd/toolrun/internal/terminal":     {"internal/text/plaintext"},
}

// lazy stands for package regexp, and any package may import it.
const lazy = "internal/text/lazyregexp"

// wazero stands for its module: only the packages that run WebAssembly may know of it.
const wazero = "github.com/tetratelabs/wazero"

// TestImports keeps the direction of imports. Tests of a package may import more than the package.
func TestImports(t *testing.T) {
	seen := map[string]bool{}
	eachPackage(t, func(name string, pkg *build.Package) {
		allowed, known := mayImport[name]
		require.True(t, known, "%s is not listed: say what it may import", name)
		seen[name] = true
		for _, imported := range pkg.Imports {
			if imported+"/" == module {
				require.True(t, allows(allowed, "."), "%s imports the module's root", name)
			} else if own, ok := strings.CutPrefix(imported, module); ok {
				require.True(t, own == lazy || allows(allowed, own), "%s imports %s", name, own)
				if strings.HasPrefix(name, "runtime/javascript/") && own != "runtime/javascript/host" {
					require.False(t, strings.HasPrefix(own+"/", "runtime/javascript/"), "%s imports %s", name, own)
				}
			} else if imported == wazero || strings.HasPrefix(imported, wazero+"/") {
				require.True(t, allows(allowed, wazero), "%s imports %s", name, imported)
			}
			require.False(t, strings.HasSuffix(imported, "/template"),
				"%s imports %s, which makes the command larger by a tenth: see internal/text/fill", name, imported)
		}
	})
	for name := range mayImport {
		require.True(t, seen[name], "%s is listed, but there is no such package", name)
	}
}

// eachPackage calls f with each package of the module that is more than tests, and its folder.
func eachPackage(t *testing.T, f func(name string, pkg *build.Package)) {
	err := filepath.WalkDir(".", func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if name := entry.Name(); name != "." && (strings.HasPrefix(name, ".") || name == "testdata") {
			return filepath.SkipDir
		}
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && dir != "." { // another module
			return filepath.SkipDir
		}
		pkg, err := build.ImportDir(dir, 0)
		if _, none := err.(*build.NoGoError); none || err == nil && len(pkg.GoFiles) == 0 {
			return nil
		}
		require.NoError(t, err)
		f(filepath.ToSlash(dir), pkg)
		return nil
	})
	require.NoError(t, err)
}

func allows(allowed []string, name string) bool {
	for _, pattern := range allowed {
		if folder, ok := strings.CutSuffix(pattern, "..."); ok && strings.HasPrefix(name, folder) && name != wazero {
			return true
		}
		if ok, err := path.Match(pattern, name); ok && err == nil {
			return true
		}
	}
	return false
}
