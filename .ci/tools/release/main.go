// Release makes the files of a release of toolrun from the last commit of a checkout. The same commit, version and Go
// give the same bytes.
//
// Everything is made of one tree of files for each platform, as it is installed below /usr: see [release.tree].
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A platform is one that binaries are built for. Node's names for it are also those of npm, of bundles and of winget.
type platform struct {
	os, arch         string // Go's
	nodeOS, nodeArch string
}

var platforms = []platform{
	{"linux", "amd64", "linux", "x64"},
	{"linux", "arm64", "linux", "arm64"},
	{"darwin", "amd64", "darwin", "x64"},
	{"darwin", "arm64", "darwin", "arm64"},
	{"windows", "amd64", "win32", "x64"},
	{"windows", "arm64", "win32", "arm64"},
}

func (p platform) String() string { return p.os + "/" + p.arch }

// program is the name of the binary.
func (p platform) program() string {
	if p.os == "windows" {
		return "toolrun.exe"
	}
	return "toolrun"
}

// Names and places, which their owners must have before they upload.
const (
	repository  = "https://github.com/toolrun/toolrun"
	description = "Runs the tools your AI model calls: code in a sandbox, files with undo" // at most 100 bytes
	npmScope    = "@toolrun"
	serverName  = "io.github.toolrun/toolrun" // in the registry of MCP
	image       = "ghcr.io/toolrun/toolrun"
	vendor      = "The toolrun authors"
	maintainer  = vendor + " <toolrun@users.noreply.github.com>"
)

// A release is what the files of dist are made of.
type release struct {
	version   string // without v
	commit    string
	goVersion string
	time      time.Time // of the commit
	common    []file    // which all platforms have
	builds    []build
	python    []byte // nil without one
}

// A build is the binary of a platform, with what it is made of.
type build struct {
	platform
	binary, bom []byte
}

// name is what a file for a platform is called, without its ending.
func (r *release) name(p platform) string {
	return fmt.Sprintf("toolrun-%s-%s-%s", r.version, p.os, p.arch)
}

// url is where a file of dist is downloaded.
func (r *release) url(name string) string {
	return repository + "/releases/download/v" + r.version + "/" + name
}

// tree returns the files of a build as they are below /usr. How says what they are packed as: toolrun upgrade reads it.
func (r *release) tree(b build, how string) []file {
	return append([]file{
		{name: "bin/" + b.program(), content: b.binary, mode: 0o755},
		{name: "lib/toolrun/package", content: []byte(how + "\n")},
	}, r.common...)
}

// A dist is the directory that a release is written to. It keeps the SHA-256 of its files, by name.
type dist struct {
	dir  string
	sums map[string]string
}

func (d *dist) add(name string, content []byte) error {
	path := filepath.Join(d.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	d.sums[name] = sha256Hex(content)
	return os.WriteFile(path, content, 0o644)
}

// write writes all files. Each format may use the sums of those before it.
func (r *release) write(d *dist) error {
	for _, format := range []func(*release, *dist) error{
		archives, linuxPackages, ociImage, npmPackages, bundles, // files with the tree
		homebrew, scoop, winget, mcpRegistry, clients, // files that say where those are
		bills, pythonModule, provenance, checksums,
	} {
		if err := format(r, d); err != nil {
			return err
		}
	}
	return nil
}

var semver = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)

func main() {
	log.SetFlags(0)
	source := flag.String("source", ".", "the checkout is `DIR`")
	out := flag.String("o", "dist", "write to `DIR`, which must not have anything yet")
	python := flag.String("python", "", "add the Python module `FILE`")
	only := flag.String("platforms", "", "build for these platforms only, a `LIST` such as linux/amd64,windows/arm64")
	flag.Parse()
	version := strings.TrimPrefix(flag.Arg(0), "v")
	if flag.NArg() != 1 || !semver.MatchString(version) {
		log.Fatal("usage: .ci/release [-platforms LIST] [-python FILE] [-o DIR] VERSION, as in 0.1.0")
	}
	chosen, err := choose(*only)
	if err == nil {
		err = run(*source, *out, version, *python, chosen)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func choose(list string) ([]platform, error) {
	if list == "" {
		return platforms, nil
	}
	var chosen []platform
	for name := range strings.SplitSeq(list, ",") {
		at := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == name })
		if at < 0 {
			return nil, fmt.Errorf("%s is no platform of a release: they are %v", name, platforms)
		}
		chosen = append(chosen, platforms[at])
	}
	return chosen, nil
}

func run(source, out, version, python string, chosen []platform) error {
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty: a release needs a directory of its own", out)
	}
	work, err := os.MkdirTemp("", "toolrun-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r, err := compile(source, work, version, chosen)
	if err != nil {
		return err
	}
	if python != "" {
		if r.python, err = readPython(filepath.Join(work, "source"), python); err != nil {
			return err
		}
	} else {
		log.Print("Python is left out, which toolrun module add python of this release downloads: " +
			"-python FILE adds its module")
	}
	d := &dist{dir: out, sums: map[string]string{}}
	if err := r.write(d); err != nil {
		return err
	}
	log.Printf("%d files in %s", len(d.sums), out)
	return nil
}
