// Package python is the code that runs inside the sandbox of Python, in CPython before an image of it is taken, and
// what the host knows of CPython's memory.
//
// A build of CPython for WASI preview 1 has one export, _start, and imports nothing but WASI. So the host starts it
// with code that imports common modules and then calls the host. The host never returns from that call, but takes an
// image of the memory. In a copy of it, it calls a function of that code, through the function's vectorcall slot, as
// CPython itself calls it. This needs no frame of the guest, and nothing is initialised or torn down.
//
// # Builds
//
// Every build of CPython 3.11 or 3.12 for wasm32-wasi that is linked with wasi-libc works, with or without the standard
// library inside. Nothing is guessed: the first code checks the version and the sizes of objects, the host checks what
// it reads, and [Verify] runs code before any other code is run.
//
// # Trust
//
// Hostile code may have written everything in an instance's memory. A [VM] therefore checks all pointers and lengths
// that it reads there. A wrong one gives a wrong answer to the code that faked it, but never a panic or an access
// outside the instance.
//
// # Experimental
//
// Only runtime/python needs this package. All of it changes with the builds of CPython.
package python

import (
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed boot/*.py
var bootFiles embed.FS

// packageFiles are what Python has beside the standard library, as packages of Python.
//
//go:embed all:packages
var packageFiles embed.FS

// bootOrder is the order in which the files of the boot code run, in one namespace.
var bootOrder = []string{
	"call", "archive", "modules", "mends", "events", "sockets", "threads", "zones", "databases", "keys",
	"explain", "console", "errors", "imports", "code", "awaiting",
	"results", "network", "functions", "run", "ready",
}

// own is the file name of the boot code in tracebacks.
const own = "<toolrun>"

// spareMemory is how many bytes of memory every sandbox has for code beside what the image needs. An instance whose
// memory has grown cannot be used again, since memory does not shrink.
const spareMemory = 4 << 20

// StackSize is the size of the C stack in bytes. CPython ends recursion in C code after some hundred calls, in a
// RecursionError. Builds without optimisation need some kilobytes for each.
const StackSize = 4 << 20

// streamMark is what the boot code writes to each of its output streams, for the host to find.
const streamMark = "Python starts"

// check is what runs first: nothing else may run in another interpreter, or in a version whose objects are not known.
const check = `
import sys
if sys.implementation.name != 'cpython' or sys.version_info[:2] not in ((3, 11), (3, 12)):
    sys.exit(f'{sys.implementation.name} {sys.version}: only CPython 3.11 and 3.12 can be used')
if sys.maxsize != 2**31 - 1 or sys.platform != 'wasi' or bytes.__basicsize__ != 17:
    sys.exit(f'this is not a build of CPython for wasm32-wasi: {sys.platform}, {sys.maxsize}, {bytes.__basicsize__}')
`

// boot returns the boot code, as one program.
func boot() (string, error) {
	var b strings.Builder
	b.WriteString(check)
	fmt.Fprintf(&b, "own = dict(BYTES_DATA=%d, STREAM_MARK=b'%s', STACK_SIZE=%d, SPARE_MEMORY=%d, "+
		"__name__='toolrun', __builtins__=dict(vars(__builtins__)))\n",
		bytesData, streamMark, StackSize, spareMemory)
	sources, err := packageSources()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "own['SOURCES'] = %s\n", sources)
	for _, name := range bootOrder {
		source, err := bootFiles.ReadFile("boot/" + name + ".py")
		if err != nil {
			return "", err
		}
		literal, err := json.Marshal(string(source)) // a string literal of Python too
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "exec(compile(%s, '%s', 'exec'), own)\n", literal, own)
	}
	return b.String(), nil
}

// packageSources returns packageFiles as a dictionary of Python, by the names of the modules.
func packageSources() (string, error) {
	var b strings.Builder
	err := fs.WalkDir(packageFiles, "packages", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		source, err := packageFiles.ReadFile(file)
		if err != nil {
			return err
		}
		literal, err := json.Marshal(string(source))
		if err != nil {
			return err
		}
		name, isPackage := strings.CutSuffix(
			strings.TrimSuffix(strings.TrimPrefix(file, "packages/"), ".py"), "/__init__")
		kind := "False"
		if isPackage {
			kind = "True"
		}
		fmt.Fprintf(&b, "%q: {'package': %s, 'source': %s}, ", strings.ReplaceAll(name, "/", "."), kind, literal)
		return nil
	})
	return "{" + b.String() + "}", err
}

// Arguments returns the arguments with which CPython is started.
//
// The hash seed is that of the image: hashes of strings are the same in all runs. That makes runs repeatable, and
// costs nothing: who can choose the keys of a dictionary in a sandbox also runs the code there.
func Arguments() ([]string, error) {
	boot, err := boot()
	if err != nil {
		return nil, err
	}
	return []string{"python", "-s", "-S", "-P", "-B", "-X", "utf8", "-c", boot}, nil
}

// Environment returns the environment with which CPython is started.
func Environment() []string { return []string{"PYTHONHASHSEED=0"} }

// SHA256 hashes what the image depends on beside the module.
func SHA256() ([sha256.Size]byte, error) {
	arguments, err := Arguments()
	return sha256.Sum256([]byte(strings.Join(append(arguments, Environment()...), "\x00"))), err
}
