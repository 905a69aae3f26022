package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/bench/protocol"
)

// cacheDir is the folder in the user's cache directory that keeps what takes long to make.
func cacheDir() (string, error) {
	parent, err := os.UserCacheDir()
	return filepath.Join(parent, "toolrun-bench"), err
}

// engines are those that run in a process of this program.
var engines = map[string]func() (protocol.Engine, error){
	"toolrun": ours, "toolrun-registry": oursRegistry, "goja": gojaEngine, "modernc": moderncEngine,
	"native": nativeEngine, "http": oursHTTP, "http-sdk": sdkHTTP,
	pythonID: oursPython, shellID: oursShell, "dash": nativeShell("dash"), "bash": nativeShell("bash"),
}

// contestant is one way to run code.
type contestant struct {
	id, name string
	about    string
	tables   string // the ids of those that it is in
	command  []string
	peer     *peer
	version  string
	node     bool // runs on the one thread of Node
}

// in says whether the contestant is in a table.
func (c *contestant) in(t *table) bool { return slices.Contains(strings.Fields(c.tables), t.id) }

// ids of what others are compared with.
const (
	oursID         = "toolrun"
	oursRegistryID = "toolrun-registry"
)

// field are those who take part.
type field struct {
	settings
	contestants []*contestant
	log         io.Writer
	cacheDir    string // keeps what takes long to make
	nodeDir     string // where the packages from npm are, or empty
	suiteDir    string // where the V8 benchmark suite is
	revision    string // what of this project is measured
	notes       []string
}

func newField(s settings, log io.Writer) (_ *field, err error) {
	f := &field{settings: s, log: log, revision: revision()}
	if text := load(); text != "" {
		f.notes = append(f.notes, text)
	}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	if f.cacheDir, err = cacheDir(); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	qjs := filepath.Join(f.cacheDir, "qjs.exe")
	if err := f.command("go", "-C", "qjs", "build", "-o", qjs, "."); err != nil {
		return nil, err
	}
	if f.suiteDir, err = suiteDir(); err != nil {
		return nil, err
	}
	if f.node {
		if f.nodeDir, err = f.installNode(); err != nil {
			return nil, err
		}
	} else {
		f.notes = append(f.notes, "Rows that need Node are left out.")
	}
	f.contestants = []*contestant{
		{
			id: oursID, name: "toolrun", about: "this project: `Interpreter.Run` of `runtime/javascript`. " +
				"QuickJS-ng in WebAssembly under wazero, with console, timers, files and limits",
			tables: "start callers late memory programs v8", command: []string{self, "-serve", "toolrun"},
		},
		{
			id:      oursRegistryID,
			name:    "toolrun, javascript tool",
			about:   "this project: a call of the tool through a registry, for a project with files",
			tables:  "start library callers late",
			command: []string{self, "-serve", "toolrun-registry"},
		},
		{id: "qjs", name: "fastschema/qjs", about: "`qjs.New` for each call. " +
			"QuickJS-ng in WebAssembly under an older wazero, without working limits, and with the process's directory",
			tables: "start library callers late memory programs v8", command: []string{qjs}},
		{
			id: "goja", name: "goja", about: "`goja.New` for each call. " +
				"An interpreter in Go, in the memory of the process, without console and timers",
			tables: "start library callers late memory programs v8", command: []string{self, "-serve", "goja"},
		},
		{
			id: "modernc", name: "modernc.org/quickjs", about: "`quickjs.NewVM` for each call. " +
				"QuickJS translated to Go, in the memory of the process, without console and timers",
			tables: "start library callers late memory programs v8", command: []string{self, "-serve", "modernc"},
		},
	}
	f.contestants = append(f.contestants,
		&contestant{
			id: "http", name: "toolrun, MCP over HTTP",
			about: "this project: the same tool, by clients without a session in the same process, over connections " +
				"that stay",
			tables: "start callers late", command: []string{self, "-serve", "http"},
		},
		&contestant{
			id: "http-sdk", name: "MCP's Go SDK, no code",
			about: "a tool of the official SDK that answers 1 and runs nothing, by the same clients: what HTTP " +
				"itself costs there",
			tables: "start callers late", command: []string{self, "-serve", "http-sdk"},
		})
	if f.node {
		f.addNode()
	}
	if _, err := exec.LookPath("qjs"); err == nil {
		f.contestants = append(f.contestants, &contestant{
			id:      "native",
			name:    "qjs, native",
			about:   "the `qjs` on the `PATH`: QuickJS compiled for the machine. No sandbox",
			tables:  "programs v8",
			command: []string{self, "-serve", "native"},
		})
	} else {
		f.notes = append(f.notes, "No `qjs` is on the `PATH`, so native QuickJS is left out.")
	}
	if err := errors.Join(f.addPython(self), f.addShells(self)); err != nil {
		return nil, err
	}
	for _, c := range f.contestants {
		c.peer = &peer{command: c.command, patience: patience, log: log}
		response, err := c.peer.ask(protocol.Request{Op: protocol.OpVersion})
		if err != nil {
			return nil, fmt.Errorf("starting %s: %w", c.name, err)
		}
		c.version = response.Version
	}
	return f, nil
}

func (f *field) close() {
	for _, c := range f.contestants {
		if c.peer != nil {
			c.peer.close()
		}
	}
}

// command runs a command whose output nobody needs if it succeeds.
func (f *field) command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// suiteDir is where a module has the files of the V8 benchmark suite.
func suiteDir() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", moderncModule).Output()
	if err != nil {
		return "", fmt.Errorf("looking for %s: %w", moderncModule, err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "internal", "arewefastyet", "v8-v7")
	if _, err := os.Stat(filepath.Join(dir, "base.js")); err != nil {
		return "", errors.New(moderncModule + " has no V8 benchmark suite any more")
	}
	return dir, nil
}

// version is the version of a module in this program, with a prefix, or empty if it is not known.
func version(module, prefix string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, dep := range info.Deps {
		if dep.Path == module {
			return prefix + dep.Version
		}
	}
	return ""
}
