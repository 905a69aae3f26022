package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// installNode installs the packages from npm, if they are not, and returns where. They are kept in the user's cache
// directory.
func (f *field) installNode() (string, error) {
	lock, err := os.ReadFile(filepath.Join("node", "package-lock.json"))
	if err != nil {
		return "", err
	}
	dir := filepath.Join(f.cacheDir, fmt.Sprintf("node-%x", sha256.Sum256(lock))[:20])
	installed := filepath.Join(dir, "installed")
	if _, err := os.Stat(installed); err == nil {
		return dir, f.copyNode(dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if err := f.copyNode(dir); err != nil {
		return "", err
	}
	if err := f.command("npm", "--prefix", dir, "ci", "--ignore-scripts", "--no-audit",
		"--no-fund", "--loglevel=error"); err != nil {
		return "", err
	}
	return dir, os.WriteFile(installed, nil, 0o600)
}

// copyNode copies the files of the folder node to where the packages are, since that is where programs look for them.
func (f *field) copyNode(dir string) error {
	entries, err := os.ReadDir("node")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join("node", entry.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, entry.Name()), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// nodeCommand runs an engine in Node.
func (f *field) nodeCommand(engine string) []string {
	return []string{"node", "--expose-gc", "--no-warnings", filepath.Join(f.nodeDir, "serve.mjs"), engine}
}

// addNode adds what runs JavaScript in Node.
func (f *field) addNode() {
	for _, c := range []contestant{
		{
			id:   "emscripten",
			name: "quickjs-emscripten",
			about: "`newContext` for each call, with console and timers. QuickJS-ng in WebAssembly in Node; " +
				"all contexts share one instance's memory",
			tables: "start library callers memory programs v8",
		},
		{id: "wasi", name: "quickjs-wasi", about: "`QuickJS.create` for each call, with console and timers. " +
			"QuickJS-ng in WebAssembly in Node, an instance each", tables: "start library callers memory programs v8"},
		{
			id:     "wasi-snapshot",
			name:   "quickjs-wasi, snapshot",
			about:  "`QuickJS.restore` for each call, of a snapshot of the same",
			tables: "start library callers memory",
		},
		{
			id:     "vm",
			name:   "V8, node:vm",
			about:  "a fresh context. No sandbox, and a compiler of machine code: for orientation",
			tables: "programs v8",
		},
		{id: "v8", name: "V8", about: "Node itself. No sandbox, and a compiler of machine code: for orientation",
			tables: "programs v8"},
	} {
		c.node = true
		c.command = f.nodeCommand(c.id)
		f.contestants = append(f.contestants, &c)
	}
}

// hasNode says whether there are Node and npm.
func hasNode() bool {
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			return false
		}
	}
	return true
}
