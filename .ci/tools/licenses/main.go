// Licenses prints the licences of what is in the command and the library as Markdown, and with -texts their texts, which go with a
// binary that is given to others. It fails if a module has no licence, or one that is not allowed.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/toolrun/toolrun/.ci/tools/internal/license"
)

// platforms are those that are built.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	log.SetFlags(0)
	texts := flag.Bool("texts", false, "print the texts")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: licenses [-texts] DIRECTORY")
	}
	modules, err := license.Of(flag.Arg(0), platforms)
	if err != nil {
		log.Fatal(err)
	}
	if !*texts {
		printTable(os.Stdout, modules)
		return
	}
	goRoot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		log.Fatal(err)
	}
	goLicense, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goRoot)), "LICENSE"))
	if err != nil {
		log.Fatal(err)
	}
	printTexts(os.Stdout, modules, goLicense)
}

func printTable(w io.Writer, modules []license.Module) {
	fmt.Fprint(w, `# Licences

toolrun has the licence Apache-2.0. These modules are in the command or in the library, on some platform, and their licences are those
of the packages that are used. Go's own library, which is in each Go program, has BSD-3-Clause.

This file is made by `+"`.ci/licenses`"+`, which fails if a module has no licence, one that is not known, or one that is not
allowed. `+"`.ci/licenses -texts`"+` prints all the texts, to be handed on together with a binary.

| module | version | licence |
|---|---|---|
`)
	for _, m := range modules {
		fmt.Fprintf(w, "| [%s](https://pkg.go.dev/%[1]s@%s?tab=licenses) | %[2]s | %s |\n", m.Path, m.Version, strings.Join(m.Licenses, ", "))
	}
	fmt.Fprint(w, `
## The JavaScript engine

The module `+"`github.com/fastschema/qjs`"+` has a WebAssembly module inside. Its own licence, MIT, is for its wrapper; what the
WebAssembly module is made of has these:

| part | licence | of |
|---|---|---|
`)
	for _, p := range engine {
		fmt.Fprintf(w, "| %s | %s | %s |\n", p.name, p.license, p.holders)
	}
	fmt.Fprint(w, `
They are not found by a program, but noted here, when the engine changes. Its SHA-256 is pinned by a test.

## What is not in it

What checks and measures the project is not handed on and has no part in this: staticcheck, which go.mod names as a tool, and the
modules in `+"`.ci/tools`, `bench` and `provider/sdktest`"+`.
`)
}

// engine says what the WebAssembly module of github.com/fastschema/qjs v0.0.6 is made of.
var engine = []struct{ name, license, holders string }{
	{"[QuickJS-ng](https://github.com/quickjs-ng/quickjs) 0.10.1", "MIT", "Fabrice Bellard, Charlie Gordon, Ben Noordhuis, Saúl Ibarra Corretgé"},
	{"its Unicode tables", "Unicode-3.0", "Unicode, Inc."},
	{"[wasi-libc](https://github.com/WebAssembly/wasi-libc) of wasi-sdk 21", "MIT", "its authors, Rich Felker and others (musl)"},
	{"in wasi-libc: parts of cloudlibc", "BSD-2-Clause", "Nuxi"},
	{"in wasi-libc: dlmalloc", "CC0-1.0", "Doug Lea"},
	{"compiler-rt of LLVM 17", "Apache-2.0 WITH LLVM-exception", "the LLVM project"},
}

func printTexts(w io.Writer, modules []license.Module, goLicense []byte) {
	title := func(name string) { fmt.Fprintf(w, "%s\n%s\n\n", strings.Repeat("=", 80), name) }
	for _, m := range modules {
		for _, file := range m.Files {
			title(fmt.Sprintf("%s %s, %s", m.Path, m.Version, file.Name))
			fmt.Fprintf(w, "%s\n\n", strings.TrimSpace(string(file.Text)))
		}
	}
	title("The Go programming language")
	fmt.Fprintf(w, "%s\n\n", strings.TrimSpace(string(goLicense)))
	title("The JavaScript engine in github.com/fastschema/qjs")
	for _, p := range engine {
		fmt.Fprintf(w, "%s: Copyright (c) %s. SPDX-License-Identifier: %s\n", p.name, p.holders, p.license)
	}
	fmt.Fprintln(w, "\nThe text of MIT is above. The others are at https://spdx.org/licenses/.")
}
