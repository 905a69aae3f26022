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
	".": {"internal/calls", "internal/egress", "mcp/mcpclient", "network", "provider",
		"registry", "registry/waiting", "runtime", "runtime/script",
		"tool", "tools/code", "tools/filesystem", "tools/javascript", "tools/memory", "tools/module",
		"tools/python", "vfs", "vfs/local"},
	"internal/budget":            {},
	"internal/calls":             {"internal/plaintext", "registry", "tool", "vfs"},
	"internal/cachedir":          {},
	"internal/clientaddr":        {},
	"internal/egress":            {"internal/webapi", "network"},
	"internal/egress/egresstest": {"internal/egress", "network"},
	"internal/responses":         {"network", "runtime"},
	"internal/filetype":          {},
	"internal/filetext":          {"internal/filetype"},
	"internal/filediff":          {"internal/filetext", "vfs"},
	"internal/filesearch":        {"internal/filetext", "internal/plaintext", "internal/progress"},
	"internal/jsontree":          {"internal/plaintext"},
	"internal/jsregexp":          {},
	"internal/schema":            {"internal/jsontree", "internal/plaintext"},
	"internal/leakcheck":         {"internal/procmem", "internal/race"},
	"internal/linearmem":         {},
	"internal/mailtest":          {".", "registry", "tool", "tools/code", "tools/javascript"},
	"internal/memnet":            {},
	"internal/metering":          {},
	"internal/utf8text":          {},
	"internal/wasmasm":           {},
	"internal/webapi":            {"internal/utf8text"},
	"internal/intl":              {},
	"internal/nodecrypto":        {},
	"internal/nodezlib":          {},
	"internal/intl/gen":          {},
	"guest/quickjs":              {"internal/metering", "internal/utf8text", wazero},
	"guest/python":               {"internal/metering", wazero},
	"guest/tool":                 {},
	"guest/tool/toolhttp":        {},
	"network":                    {"internal/webapi"},
	"runtime": {"internal/cachedir", "internal/linearmem", "internal/metering",
		"internal/plaintext", "internal/utf8text", "internal/wasifs", wazero},
	"runtime/javascript": {"guest/quickjs", "internal/jsontree", "internal/jsregexp", "internal/module",
		"internal/responses", "internal/utf8text", "internal/webapi", "network", "runtime", "runtime/javascript/...",
		"runtime/script", wazero},
	// A capability of scripts imports its library, and no other capability.
	"runtime/javascript/host":     {"guest/quickjs", "internal/jsontree", "internal/utf8text", "runtime"},
	"runtime/javascript/console":  {"runtime", "runtime/javascript/host"},
	"runtime/javascript/crypto":   {"internal/nodecrypto", "runtime/javascript/host"},
	"runtime/javascript/encoding": {"internal/utf8text", "internal/webapi", "runtime/javascript/host"},
	"runtime/javascript/fetch":    {"internal/responses", "network", "runtime/javascript/host"},
	"runtime/javascript/fs": {"internal/filetype", "internal/jsontree", "internal/utf8text",
		"runtime/javascript/host"},
	"runtime/javascript/intl":     {"internal/intl", "runtime/javascript/host"},
	"runtime/javascript/language": {"guest/quickjs", "runtime/javascript/host"},
	"runtime/javascript/modules":  {"runtime/javascript/host"},
	"runtime/javascript/node":     {"runtime/javascript/host"},
	"runtime/javascript/runs":     {"runtime/javascript/host"},
	"runtime/javascript/streams":  {"runtime/javascript/host"},
	"runtime/javascript/timers":   {"runtime/javascript/host"},
	"runtime/javascript/url": {"internal/jsontree", "internal/utf8text", "internal/webapi",
		"runtime/javascript/host"},
	"runtime/javascript/zlib": {"internal/nodezlib", "runtime/javascript/host"},
	"runtime/script":          {"internal/metering", "runtime"},
	"systemtest":              {},
	"systemtest/command":      {},
	"runtime/command":         {"internal/metering", "internal/responses", "network", "runtime", wazero},
	"runtime/python": {"guest/python", "internal/plaintext", "internal/responses", "network", "runtime",
		"runtime/script", wazero},
	"internal/countdown":  {},
	"internal/mcptest":    {"mcp/mcpclient", "registry", "tool"},
	"internal/enginetest": {"runtime", "runtime/javascript"},
	"internal/guesttest":  {"runtime"},
	"internal/statetest":  {"runtime"},
	"internal/pythontest": {"internal/enginetest", "runtime", "runtime/python"},
	"internal/selftest": {".", "internal/procmem", "internal/wasmasm", "mcp/mcpclient", "mcp/mcpserver", "provider",
		"provider/xmlcall", "registry", "runtime", "runtime/command", "runtime/javascript", "runtime/python",
		"testdata/hostile", "tool", "vfs", "vfs/archive", "vfs/local", "web"},
	"internal/test262":               {},
	"internal/wasifs":                {},
	"internal/wasifs/wasifstest":     {"vfs", "vfs/local"},
	"vfs":                            {"internal/progress", "vfs/internal/fsys"},
	"vfs/archive":                    {"internal/progress", "vfs", "vfs/internal/fsys"},
	"vfs/internal/fsys":              {},
	"internal/storetest":             {"vfs", "vfs/local"},
	"internal/wrapfs":                {"vfs"},
	"vfs/internal/project":           {"internal/jsontree", "internal/progress", "vfs", "vfs/internal/fsys"},
	"vfs/local":                      {"internal/jsontree", "vfs", "vfs/internal/fsys", "vfs/internal/project"},
	"vfs/admin":                      {"vfs", "vfs/internal/project"},
	"vfs/partition":                  {"internal/jsontree", "vfs", "vfs/internal/fsys"},
	"internal/pgtest":                {},
	"vfs/postgres":                   {"vfs", "vfs/internal/fsys", "vfs/internal/project"},
	"vfs/postgres/s3":                {"vfs/postgres"},
	"vfs/vfstest":                    {"vfs"},
	"internal/media":                 {},
	"internal/module":                {"internal/progress", "internal/utf8text"},
	"internal/progress":              {},
	"internal/progress/progresstest": {},
	"internal/race":                  {},
	"internal/plaintext":             {},
	"internal/procmem":               {},
	"mcp/mcpclient": {"internal/jsontree", "internal/plaintext", "internal/schema", "registry",
		"tool"},
	"tool": {"internal/jsontree", "internal/plaintext", "network"},
	"registry": {"internal/jsontree", "internal/schema", "internal/plaintext", "network",
		"tool", "vfs"},
	"registry/observe": {"internal/plaintext", "network", "registry", "tool"},
	"registry/registrytest": {"internal/jsontree", "internal/plaintext", "internal/schema", "recording", "registry",
		"provider", "tool", "vfs",
		"vfs/local"},
	"registry/waiting": {"registry", "tool", "vfs"},
	"recording":        {"internal/plaintext", "network", "registry", "tool", "vfs"},
	"internal/tsdecl":  {"internal/jsontree", "internal/plaintext", "internal/schema"},
	"provider": {"internal/jsontree", "internal/media", "internal/plaintext", "internal/schema",
		"registry", "tool"},
	"provider/xmlcall": {"internal/jsontree", "internal/plaintext", "internal/schema", "registry", "tool"},
	"tools/javascript": {"internal/module", "internal/tsdecl", "tool", "runtime", "runtime/javascript",
		"runtime/script", "tools/code"},
	"tools/python": {"internal/jsontree", "internal/plaintext", "tool", "runtime", "runtime/python", "runtime/script",
		"tools/code"},
	"tools/internal/changes": {"vfs"},
	"tools/module": {"internal/plaintext", "internal/schema", "network", "tool", "runtime", "runtime/command",
		"tools/internal/changes", "tools/code", "vfs"},
	"tools/code": {"network", "internal/jsontree", "internal/plaintext", "tool", "runtime", "runtime/script",
		"tools/internal/changes", "vfs"},
	"internal/sessions":       {"runtime", "vfs"},
	"tools/memory":            {"internal/filetext", "tool", "tools/internal/...", "vfs"},
	"tools/filesystem":        {"internal/filesearch", "internal/plaintext", "tool", "tools/internal/...", "vfs"},
	"tools/internal/tooltest": {"registry", "tool", "vfs", "vfs/local"},
	"tools/internal/textfile": {"internal/filetext", "internal/filetype", "internal/media", "internal/progress",
		"tool", "vfs"},
	"mcp/mcpserver": {"internal/budget", "internal/filetype", "internal/jsontree", "internal/plaintext",
		"internal/sameorigin", "provider", "registry", "tool", "vfs"},
	"internal/sameorigin": {},
	"web": {".", "internal/budget", "internal/clientaddr", "internal/jsontree", "internal/plaintext",
		"internal/sameorigin", "internal/service", "registry", "tools/module", "vfs"},
	"internal/service": {".", "internal/calls", "internal/filediff", "internal/filesearch", "internal/filetext",
		"internal/filetype", "internal/plaintext",
		"network", "provider", "registry", "registry/waiting", "internal/sessions", "tool", "tools/module",
		"vfs", "vfs/archive"},
	"internal/ptytest":     {},
	"internal/userdirs":    {},
	"internal/toolruntest": {},
	"internal/commandtest": {"internal/enginetest", "internal/race", "internal/toolruntest"},
	"cmd/toolrun":          {"cmd/toolrun/internal/cli"},
	// What concerns projects is an operation of internal/service. What the command has besides:
	"cmd/toolrun/internal/cli": {".", "cmd/toolrun/internal/...", "internal/service", "web", "vfs",
		// which stores there are, where they are kept, and moving and checking them
		"vfs/admin", "vfs/local", "vfs/partition", "vfs/postgres", "vfs/postgres/s3", "internal/userdirs",
		// code without a project's tools, and consoles: toolrun js, py, repl and session show
		"runtime", "runtime/script", "tool", "tools/code", "tools/javascript", "tools/python",
		"internal/sessions",
		// modules, which are the machine's
		"runtime/command", "tools/module",
		// files of the host that go into projects, and come out
		"internal/filediff", "internal/filesearch", "vfs/archive",
		// servers and calls that are recorded, watched, or those of models
		"mcp/mcpclient", "mcp/mcpserver", "network", "provider", "provider/xmlcall", "recording", "registry",
		"registry/observe", "tools/filesystem", "tools/memory",
		"internal/calls", "internal/jsontree", "internal/plaintext", "internal/selftest"},
	"cmd/toolrun/internal/mcphttp": {"internal/clientaddr", "internal/service", "mcp/mcpserver", "network", "registry",
		"tool", "vfs"},
	"cmd/toolrun/internal/terminal": {"internal/plaintext"},
}

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
				require.True(t, allows(allowed, own), "%s imports %s", name, own)
			} else if imported == wazero || strings.HasPrefix(imported, wazero+"/") {
				require.True(t, allows(allowed, wazero), "%s imports %s", name, imported)
			}
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
