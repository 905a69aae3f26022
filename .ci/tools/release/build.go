package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

func sha256Hex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// command returns what a program prints that runs in a directory, with more variables in its environment.
func command(dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// compile builds the last commit of a checkout in the directory work. A tag of a clone says its version: Go writes that
// into the binaries, and the commit.
func compile(source, work, version string, chosen []platform) (*release, error) {
	clone := filepath.Join(work, "source")
	if _, err := command(source, nil, "git", "clone", "--quiet", "--no-hardlinks", ".", clone); err != nil {
		return nil, err
	}
	git := func(args ...string) (string, error) {
		out, err := command(clone, nil, "git", args...)
		return strings.TrimSpace(string(out)), err
	}
	head, err := git("rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	if tagged, err := git("rev-parse", "--verify", "--quiet", "v"+version+"^{commit}"); err != nil {
		if _, err := git("tag", "v"+version); err != nil {
			return nil, err
		}
	} else if tagged != head {
		return nil, fmt.Errorf("the tag v%s is the commit %s, and not the last one, %s", version, tagged, head)
	}
	seconds, err := git("show", "--no-patch", "--format=%ct", "HEAD")
	if err != nil {
		return nil, err
	}
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, err
	}
	r := &release{version: version, commit: head, goVersion: runtime.Version(), time: time.Unix(at, 0).UTC()}

	for _, p := range chosen {
		b, err := r.build(clone, work, p)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", p, err)
		}
		r.builds = append(r.builds, b)
	}
	r.common, err = r.commonFiles(clone, work)
	return r, err
}

// maxBinary is how large a binary may be.
const maxBinary = 45_000_000

// build builds the command, and lists what it is made of.
func (r *release) build(clone, work string, p platform) (b build, err error) {
	log.Printf("%v is built", p)
	b.platform = p
	path := filepath.Join(work, r.name(p))
	if err = compileProgram(clone, path, p); err != nil {
		return b, err
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return b, err
	}
	if info.Main.Version != "v"+r.version {
		return b, fmt.Errorf("it says that it is %s: is there another tag?", info.Main.Version)
	}
	if b.binary, err = os.ReadFile(path); err != nil {
		return b, err
	}
	if len(b.binary) > maxBinary {
		return b, fmt.Errorf("it has %d bytes, more than %d: RATIONALE.md says what was left out to keep it small",
			len(b.binary), maxBinary)
	}
	if _, err = command(clone, nil, filepath.Join(clone, ".ci/sbom"), path, path+".json"); err != nil {
		return b, err
	}
	b.bom, err = os.ReadFile(path + ".json")
	return b, err
}

// compileProgram builds as docs/hardening.md and .ci/reproducible do. What is not inlined is in RATIONALE.md.
func compileProgram(clone, path string, p platform) error {
	_, err := command(clone, []string{"GOOS=" + p.os, "GOARCH=" + p.arch, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off"},
		"go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-gcflags=github.com/jackc/...=-l",
		"-gcflags=github.com/toolrun/toolrun/cmd/...=-l", "-o", path, "./cmd/toolrun")
	return err
}

// commonFiles makes the files that do not depend on the platform. Some are what the command of this machine prints.
func (r *release) commonFiles(clone, work string) ([]file, error) {
	program := filepath.Join(work, "toolrun")
	if err := compileProgram(clone, program, platform{os: runtime.GOOS, arch: runtime.GOARCH}); err != nil {
		return nil, err
	}
	toolrun := func(args ...string) ([]byte, error) { return command(work, nil, program, args...) }

	// As toolrun module add shell builds it.
	shell := filepath.Join(work, "shell.wasm")
	if _, err := command(filepath.Join(clone, "guest", "shell"),
		[]string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off"}, "go", "build",
		"-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", shell, "."); err != nil {
		return nil, err
	}
	source := func(name string) func() ([]byte, error) {
		return func() ([]byte, error) { return os.ReadFile(filepath.Join(clone, name)) }
	}
	completion := func(shell string) func() ([]byte, error) {
		return func() ([]byte, error) { return toolrun("completion", shell) }
	}
	files := []file{}
	for _, f := range []struct {
		name string
		make func() ([]byte, error)
	}{
		{"lib/toolrun/shell.wasm", func() ([]byte, error) { return os.ReadFile(shell) }},
		{"share/doc/toolrun/LICENSE", source("LICENSE")},
		{"share/doc/toolrun/README.md", source("README.md")},
		{"share/doc/toolrun/CHANGELOG.md", source("CHANGELOG.md")},
		{"share/doc/toolrun/licenses.txt", func() ([]byte, error) {
			return command(clone, nil, filepath.Join(clone, ".ci/licenses"), "-texts")
		}},
		{"share/bash-completion/completions/toolrun", completion("bash")},
		{"share/zsh/site-functions/_toolrun", completion("zsh")},
		{"share/fish/vendor_completions.d/toolrun.fish", completion("fish")},
		{"share/powershell/toolrun.ps1", completion("powershell")},
	} {
		content, err := f.make()
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: f.name, content: content})
	}
	pages, err := manual(toolrun, r.time, r.version)
	return append(files, pages...), err
}
