//go:build systemtest && linux

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

const version = "0.1.0"

// here is the platform of this machine.
var here = platform{"linux", runtime.GOARCH, "linux", map[string]string{"amd64": "x64"}[runtime.GOARCH]}

// made is a release of this checkout's last commit, for this platform.
var made = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "toolrun-dist-")
	if err == nil {
		madeIn = dir
		err = run("../../..", dir, version, "", []platform{here})
	}
	return dir, err
})

var madeIn string // which is removed in the end

func TestMain(m *testing.M) {
	if here.nodeArch == "" {
		here.nodeArch = here.arch
	}
	status := m.Run()
	_ = os.RemoveAll(madeIn)
	os.Exit(status)
}

// distribution returns the files of the release.
func distribution(t *testing.T) (dir, name string) {
	t.Helper()
	dir, err := made()
	require.NoError(t, err)
	dir, err = filepath.Abs(dir)
	require.NoError(t, err)
	return dir, filepath.Join(dir, "toolrun-"+version+"-linux-"+here.arch)
}

// needs returns the path of a program, and skips the test if it is missing.
func needs(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skip(program + " is not installed")
	}
	return path
}

// must runs a program and returns what it prints.
func must(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%v\n%s", cmd.Args, out)
	return strings.TrimSpace(string(out))
}

// An inside runs the toolrun that is installed somewhere.
type inside func(args ...string) *exec.Cmd

// use checks an installation: its version, code, the shell without Go, and what it says of itself.
func use(t *testing.T, toolrun inside, how string) {
	t.Helper()
	require.Equal(t, "toolrun v"+version, must(t, toolrun("version")))
	require.Equal(t, "42", must(t, toolrun("js", "-e", "return 6 * 7")))
	require.Contains(t, must(t, toolrun("module", "add", "shell")), "added shell")
	require.Equal(t, "6", must(t, toolrun("sh", "-c", "echo $((1 + 2 + 3))")))
	require.Contains(t, must(t, toolrun("upgrade")), "toolrun v"+version+" was installed "+how)
}

// alone returns a toolrun that has nothing but a root directory and directories of its own for data, as nobody.
func alone(t *testing.T, root, program string) inside {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("another root directory needs the rights of root")
	}
	for _, dir := range []string{"data", "cache", "tmp"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
		require.NoError(t, os.Chown(filepath.Join(root, dir), nobody, nobody))
	}
	return func(args ...string) *exec.Cmd {
		return &exec.Cmd{Path: program, Args: append([]string{program}, args...), Dir: "/",
			Env:         []string{"HOME=/data", "TOOLRUN_DATA=/data", "XDG_CACHE_HOME=/cache"},
			SysProcAttr: &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}}
	}
}

// unpack unpacks a tar.gz over a directory, without the first part of names.
func unpack(t *testing.T, archive, dir string) {
	t.Helper()
	data, err := os.ReadFile(archive)
	require.NoError(t, err)
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	for r := tar.NewReader(unzipped); ; {
		header, err := r.Next()
		if err == io.EOF {
			return
		}
		require.NoError(t, err)
		_, name, _ := strings.Cut(header.Name, "/")
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, content, header.FileInfo().Mode()))
	}
}

// Programs for other systems need nothing but what each copy of the system has, and work under emulators.
func TestOtherSystems(t *testing.T) {
	dir := t.TempDir()
	chosen := slices.DeleteFunc(slices.Clone(platforms), func(p platform) bool {
		return p == here || p.os != "linux" && p.arch != here.arch
	})
	require.NoError(t, run("../../..", dir, version, "", chosen))
	for _, p := range chosen {
		t.Run(p.os, func(t *testing.T) {
			name := filepath.Join(dir, "toolrun-"+version+"-"+p.os+"-"+p.arch)
			root := t.TempDir()
			if p.os == "windows" {
				must(t, exec.Command(needs(t, "unzip"), "-q", name+".zip", "-d", root))
				root = filepath.Join(root, filepath.Base(name))
			} else {
				unpack(t, name+".tar.gz", root)
			}
			program := filepath.Join(root, "bin", p.program())
			require.Subset(t, map[string][]string{
				"windows": {"kernel32.dll"},
				"darwin": {"/usr/lib/libSystem.B.dylib", "/usr/lib/libresolv.9.dylib",
					"/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation",
					"/System/Library/Frameworks/Security.framework/Versions/A/Security"},
			}[p.os], imported(t, p, program))
			emulator := map[string]string{"windows": "wine", "linux": "qemu-aarch64-static"}[p.os]
			if emulator == "" || p.os == "linux" && p.arch != "arm64" {
				return
			}
			emulator = needs(t, emulator)
			var toolrun inside = func(args ...string) *exec.Cmd {
				cmd := exec.Command(emulator, append([]string{program}, args...)...)
				cmd.Env = append(os.Environ(), "HOME="+root, "XDG_RUNTIME_DIR="+root, "WINEDEBUG=-all",
					"TOOLRUN_DATA="+data(t, root))
				return cmd
			}
			if out, err := toolrun("version").CombinedOutput(); bytes.Contains(out, []byte("bcryptprimitives.dll")) {
				t.Skipf("this Wine is older than 9, and cannot run programs of Go: %v", err)
			}
			use(t, toolrun, "from an archive")
		})
	}
}

// imported returns the libraries that a program needs.
func imported(t *testing.T, p platform, program string) []string {
	t.Helper()
	var list []string
	switch p.os {
	case "windows":
		file, err := pe.Open(program)
		require.NoError(t, err)
		defer file.Close()
		symbols, err := file.ImportedSymbols()
		require.NoError(t, err)
		require.NotEmpty(t, symbols)
		for _, symbol := range symbols {
			_, library, _ := strings.Cut(symbol, ":")
			list = append(list, library)
		}
	case "darwin":
		file, err := macho.Open(program)
		require.NoError(t, err)
		defer file.Close()
		list, err = file.ImportedLibraries()
		require.NoError(t, err)
		require.NotEmpty(t, list)
	default:
		file, err := elf.Open(program)
		require.NoError(t, err)
		defer file.Close()
		list, err = file.ImportedLibraries()
		require.NoError(t, err)
	}
	return list
}

// Two releases of one commit have the same bytes, also those that compilers made.
func TestReleaseIsReproducible(t *testing.T) {
	one, _ := distribution(t)
	two := t.TempDir()
	require.NoError(t, run("../../..", two, version, "", []platform{here}))
	sums, err := os.ReadFile(filepath.Join(one, "SHA256SUMS"))
	require.NoError(t, err)
	again, err := os.ReadFile(filepath.Join(two, "SHA256SUMS"))
	require.NoError(t, err)
	require.Equal(t, string(sums), string(again))
}

func TestArchiveInAnEmptyRoot(t *testing.T) {
	_, name := distribution(t)
	root := t.TempDir()
	unpack(t, name+".tar.gz", filepath.Join(root, "usr", "local"))
	use(t, alone(t, root, "/usr/local/bin/toolrun"), "from an archive")
	if man, err := exec.LookPath("man"); err == nil {
		page := must(t, exec.Command(man, "--warnings", "-l",
			filepath.Join(root, "usr/local/share/man/man1/toolrun-files-cat.1")))
		require.Contains(t, page, "toolrun files cat PATH...")
		require.NotContains(t, page, "warning")
	}
}

func TestDebInAnEmptyRoot(t *testing.T) {
	dpkg := needs(t, "dpkg")
	_, name := distribution(t)
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg/updates"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg/info"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644))
	must(t, exec.Command(dpkg, "--root="+root, "--force-script-chrootless", "--install", name+".deb"))
	use(t, alone(t, root, "/usr/bin/toolrun"), "from a .deb package")
	require.FileExists(t, filepath.Join(root, "usr/share/man/man1/toolrun.1.gz"))
	must(t, exec.Command(dpkg, "--root="+root, "--force-script-chrootless", "--purge", "toolrun"))
	require.NoFileExists(t, filepath.Join(root, "usr/bin/toolrun"))
}

func TestRPMInAnEmptyRoot(t *testing.T) {
	rpm := needs(t, "rpm")
	_, name := distribution(t)
	root := t.TempDir()
	must(t, exec.Command(rpm, "--root", root, "--install", "--nodeps", "--ignorearch", name+".rpm"))
	use(t, alone(t, root, "/usr/bin/toolrun"), "from an .rpm package")
}

// The image runs without a network, as nobody, on files that cannot be written to.
func TestImageUnpacked(t *testing.T) {
	umoci, bwrap := needs(t, "umoci"), needs(t, "bwrap")
	dir, _ := distribution(t)
	work := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(work, "oci"), 0o755))
	layout := filepath.Join(dir, "toolrun-"+version+"-oci.tar")
	must(t, exec.Command("tar", "-xf", layout, "-C", filepath.Join(work, "oci")))
	must(t, exec.Command(umoci, "unpack", "--rootless", "--image", filepath.Join(work, "oci")+":"+version+"-"+here.arch,
		filepath.Join(work, "bundle")))
	var toolrun inside = func(args ...string) *exec.Cmd {
		return exec.Command(bwrap, append([]string{"--unshare-all", "--uid", "65532", "--gid", "65532",
			"--ro-bind", filepath.Join(work, "bundle", "rootfs"), "/", "--dev", "/dev", "--proc", "/proc",
			"--tmpfs", "/tmp", "--bind", data(t, work), "/data", "--tmpfs", "/cache", "--clearenv",
			"--setenv", "HOME", "/data", "--setenv", "TOOLRUN_DATA", "/data", "--setenv", "XDG_CACHE_HOME", "/cache",
			"/usr/bin/toolrun"}, args...)...)
	}
	use(t, toolrun, "in a container image")
}

// data is a directory that stays between runs.
func data(t *testing.T, work string) string {
	dir := filepath.Join(work, "data")
	require.NoError(t, os.MkdirAll(dir, 0o777))
	return dir
}

// The packed files are installed in an empty directory, without a network, and used by npx and by a client of MCP.
func TestNPMInAnEmptyDirectory(t *testing.T) {
	npm, node := needs(t, "npm"), needs(t, "node")
	dir, _ := distribution(t)
	work := t.TempDir()
	env := append(os.Environ(), "HOME="+work, "TOOLRUN_DATA="+data(t, work),
		"npm_config_cache="+filepath.Join(work, "npm"))
	in := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = work, env
		return cmd
	}
	must(t, in(npm, "init", "--yes"))
	must(t, in(npm, "install", "--offline", "--no-audit", "--no-fund",
		filepath.Join(dir, "npm", "toolrun-linux-"+here.nodeArch+"-"+version+".tgz"),
		filepath.Join(dir, "npm", "toolrun-"+version+".tgz")))
	use(t, func(args ...string) *exec.Cmd { return in("npx", append([]string{"--offline", "toolrun"}, args...)...) },
		"by npm, in a directory")

	// The status of the program is that of npx, and a client's end of its input ends it.
	failed := in("npx", "--offline", "toolrun", "js", "-e", "process.exit(7)").Run()
	require.Equal(t, 7, failed.(*exec.ExitError).ExitCode())

	get := in(npm, "install", "--no-audit", "--no-fund", "@modelcontextprotocol/sdk@1")
	if out, err := get.CombinedOutput(); err != nil {
		t.Logf("the official client cannot be had: %s", out)
		return
	}
	require.NoError(t, os.WriteFile(filepath.Join(work, "client.mjs"), []byte(`
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
const client = new Client({ name: "test", version: "1" })
await client.connect(new StdioClientTransport({
  command: "npx", args: ["--offline", "toolrun", "mcp", "--project", "try"], env: process.env }))
const result = await client.callTool({ name: "javascript", arguments: { code: "return 6 * 7" } })
console.log(result.content[0].text)
await client.close()
`), 0o644))
	require.Equal(t, "42", must(t, in(node, "client.mjs")))
}

// The bundle's own tool checks its manifest.
func TestBundleIsValid(t *testing.T) {
	npm := needs(t, "npm")
	unzip, name := needs(t, "unzip"), ""
	_, name = distribution(t)
	work := t.TempDir()
	must(t, exec.Command(unzip, "-q", name+".mcpb", "-d", filepath.Join(work, "bundle")))
	get := exec.Command(npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", work,
		"@anthropic-ai/mcpb@2")
	if out, err := get.CombinedOutput(); err != nil {
		t.Skipf("the tool for bundles cannot be had: %s", out)
	}
	must(t, exec.Command(filepath.Join(work, "node_modules/.bin/mcpb"), "validate",
		filepath.Join(work, "bundle", "manifest.json")))
	program := filepath.Join(work, "bundle", "bin", "toolrun")
	cmd := exec.Command(program, "upgrade")
	require.Contains(t, must(t, cmd), "by an MCP client, from a bundle")
}

func TestFormulaIsRuby(t *testing.T) {
	ruby := needs(t, "ruby")
	dir, _ := distribution(t)
	require.Equal(t, "Syntax OK", must(t, exec.Command(ruby, "-wc", filepath.Join(dir, "homebrew", "toolrun.rb"))))
}

// Go installs the tag from a proxy, as from the public one.
func TestGoInstall(t *testing.T) {
	work := t.TempDir()
	clone := filepath.Join(work, "source")
	must(t, exec.Command("git", "clone", "--quiet", "../../..", clone))
	m := module.Version{Path: "github.com/toolrun/toolrun", Version: "v" + version}
	proxy := filepath.Join(work, "proxy", m.Path, "@v")
	require.NoError(t, os.MkdirAll(proxy, 0o755))
	packed, err := os.Create(filepath.Join(proxy, m.Version+".zip"))
	require.NoError(t, err)
	require.NoError(t, modzip.CreateFromVCS(packed, m, clone, "HEAD", ""))
	require.NoError(t, packed.Close())
	mod := must(t, exec.Command("git", "-C", clone, "show", "HEAD:go.mod")) + "\n"
	for ending, text := range map[string]string{".mod": mod, ".info": `{"Version": "` + m.Version + `"}`} {
		require.NoError(t, os.WriteFile(filepath.Join(proxy, m.Version+ending), []byte(text), 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(proxy, "list"), []byte(m.Version+"\n"), 0o644))
	cache := must(t, exec.Command("go", "env", "GOMODCACHE"))
	install := exec.Command("go", "install", m.Path+"/cmd/toolrun@"+m.Version)
	install.Dir = work
	install.Env = append(os.Environ(),
		"GOPROXY=file://"+filepath.Join(work, "proxy")+",file://"+cache+"/cache/download",
		"GOFLAGS=-modcacherw -trimpath", "GOBIN="+filepath.Join(work, "bin"), "CGO_ENABLED=0", "GOWORK=off",
		"GOMODCACHE="+filepath.Join(work, "modules"), "GOSUMDB=off")
	must(t, install)
	program := filepath.Join(work, "bin", "toolrun")
	require.Equal(t, "toolrun v"+version, must(t, exec.Command(program, "version")))
	require.Contains(t, must(t, exec.Command(program, "upgrade")), "was installed by Go")
}
