package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// aRelease has small files instead of binaries: formats do not look into them.
func aRelease(t *testing.T) *release {
	t.Helper()
	help := map[string]string{
		"": "Toolrun runs code.\n\nUsage:\n  toolrun [command]\n\n" +
			"Run code:\n  files       Print files\n  help        Help\n\n" +
			"Flags:\n  -h, --help   help for toolrun\n",
		"files": "Print a file.\n.hidden 'and' \\x1b\n\n" +
			"Usage:\n  toolrun files [flags]\n\nFlags:\n  -h, --help   help\n",
	}
	at := time.Date(2026, 11, 28, 4, 5, 6, 0, time.UTC)
	pages, err := manual(func(args ...string) ([]byte, error) {
		return []byte(help[strings.Join(args[1:], " ")]), nil
	}, at, "1.2.3")
	require.NoError(t, err)
	r := &release{version: "1.2.3", commit: strings.Repeat("ab", 20), goVersion: "go1.26.0", time: at,
		python: []byte("python"),
		common: append([]file{
			{name: "lib/toolrun/shell.wasm", content: []byte("shell")},
			{name: "share/doc/toolrun/LICENSE", content: []byte("licence")},
			{name: "share/doc/toolrun/README.md", content: []byte("# toolrun")},
			{name: "share/zsh/site-functions/_toolrun", content: []byte("#compdef toolrun")},
		}, pages...)}
	for _, p := range platforms {
		r.builds = append(r.builds, build{p, []byte("binary of " + p.String()), []byte("{}")})
	}
	return r
}

// written writes a release, and returns where.
func written(t *testing.T, r *release) *dist {
	t.Helper()
	d := &dist{dir: t.TempDir(), sums: map[string]string{}}
	require.NoError(t, r.write(d))
	return d
}

func (d *dist) read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(d.dir, filepath.FromSlash(name)))
	require.NoError(t, err)
	return data
}

func (d *dist) json(t *testing.T, name string) (value map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(d.read(t, name), &value), name)
	return value
}

func untar(t *testing.T, data []byte) map[string]*tar.Header {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	found := map[string]*tar.Header{}
	for r := tar.NewReader(unzipped); ; {
		header, err := r.Next()
		if err == io.EOF {
			return found
		}
		require.NoError(t, err)
		found[header.Name] = header
	}
}

func fileOfTar(t *testing.T, data []byte, name string) []byte {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	r := tar.NewReader(unzipped)
	for {
		header, err := r.Next()
		require.NoError(t, err, name)
		if header.Name == name {
			content, err := io.ReadAll(r)
			require.NoError(t, err)
			return content
		}
	}
}

func TestTheSameBytesTwice(t *testing.T) {
	one, two := written(t, aRelease(t)), written(t, aRelease(t))
	require.Equal(t, one.sums, two.sums)
	require.NotEmpty(t, one.sums)
	require.Equal(t, one.read(t, "SHA256SUMS"), two.read(t, "SHA256SUMS"))
}

// What the list of sums has is what is there, and the statement has all that was there before it.
func TestSumsAndProvenance(t *testing.T) {
	d := written(t, aRelease(t))
	listed := map[string]string{}
	for line := range strings.Lines(string(d.read(t, "SHA256SUMS"))) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		require.True(t, ok, line)
		require.Equal(t, sha256Hex(d.read(t, name)), sum, name)
		listed[name] = sum
	}
	require.Len(t, listed, len(d.sums)-1)

	statement := d.json(t, "toolrun-1.2.3.intoto.json")
	require.Equal(t, "https://in-toto.io/Statement/v1", statement["_type"])
	require.Len(t, statement["subject"], len(listed)-1)
	for _, s := range statement["subject"].([]any) {
		s := s.(map[string]any)
		require.Equal(t, listed[s["name"].(string)], s["digest"].(map[string]any)["sha256"])
	}
}

func TestArchives(t *testing.T) {
	d := written(t, aRelease(t))
	files := untar(t, d.read(t, "toolrun-1.2.3-linux-arm64.tar.gz"))
	require.EqualValues(t, 0o755, files["toolrun-1.2.3-linux-arm64/bin/toolrun"].Mode)
	require.EqualValues(t, 0o644, files["toolrun-1.2.3-linux-arm64/lib/toolrun/shell.wasm"].Mode)
	require.Contains(t, files, "toolrun-1.2.3-linux-arm64/share/man/man1/toolrun-files.1")

	data := d.read(t, "toolrun-1.2.3-windows-amd64.zip")
	zipped, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	program, err := zipped.Open("toolrun-1.2.3-windows-amd64/bin/toolrun.exe")
	require.NoError(t, err)
	content, err := io.ReadAll(program)
	require.NoError(t, err)
	require.Equal(t, "binary of windows/amd64", string(content))
	require.Equal(t, "python", string(d.read(t, "toolrun-python-1.2.3.wasm")))
}

// Only what was asked for is there, and what needs an archive for another system is left out.
func TestChosenPlatforms(t *testing.T) {
	chosen, err := choose("windows/arm64")
	require.NoError(t, err)
	r := aRelease(t)
	r.python, r.builds = nil, []build{{chosen[0], []byte("binary"), []byte("{}")}}
	d := written(t, r)
	for name := range d.sums {
		require.NotRegexp(t, `linux|darwin|amd64|x64|python|homebrew`, name)
	}
	require.Contains(t, d.sums, "toolrun-1.2.3-windows-arm64.zip")

	_, err = choose("linux/amd64,plan9/amd64")
	require.EqualError(t, err, "plan9/amd64 is no platform of a release: they are "+fmt.Sprint(platforms))
}

func TestManual(t *testing.T) {
	d := written(t, aRelease(t))
	page := string(fileOfTar(t, d.read(t, "toolrun-1.2.3-linux-amd64.tar.gz"),
		"toolrun-1.2.3-linux-amd64/share/man/man1/toolrun-files.1"))
	require.Equal(t, `.TH TOOLRUN\-FILES 1 "2026-11-28" "toolrun 1.2.3" "User Commands"
.SH NAME
toolrun\-files \- Print files
.SH SYNOPSIS
.nf
  toolrun files [flags]
.fi
.SH DESCRIPTION
.nf
Print a file.
\&.hidden \(aqand\(aq \ex1b
.fi
.SH FLAGS
.nf
  \-h, \-\-help   help
.fi
`, page)
}

// A .deb is an ar of three members; a .rpm begins with its magic number. The test of installations uses both.
func TestLinuxPackages(t *testing.T) {
	d := written(t, aRelease(t))
	require.True(t, bytes.HasPrefix(d.read(t, "toolrun-1.2.3-linux-amd64.deb"), []byte("!<arch>\ndebian-binary")))
	require.True(t, bytes.HasPrefix(d.read(t, "toolrun-1.2.3-linux-amd64.rpm"), []byte{0xed, 0xab, 0xee, 0xdb}))
}

func TestImage(t *testing.T) {
	d := written(t, aRelease(t))
	dir := t.TempDir()
	for r := tar.NewReader(bytes.NewReader(d.read(t, "toolrun-1.2.3-oci.tar"))); ; {
		header, err := r.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		path := filepath.Join(dir, filepath.FromSlash(header.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
	index, err := layout.ImageIndexFromPath(dir)
	require.NoError(t, err)
	require.NoError(t, validate.Index(index))
	manifest, err := index.IndexManifest()
	require.NoError(t, err)
	require.Len(t, manifest.Manifests, 2)
	img, err := index.Image(manifest.Manifests[1].Digest)
	require.NoError(t, err)
	config, err := img.ConfigFile()
	require.NoError(t, err)
	require.Equal(t, "arm64", config.Architecture)
	require.Equal(t, "65532:65532", config.Config.User)
	require.Equal(t, []string{"/usr/bin/toolrun"}, config.Config.Entrypoint)

	layers, err := img.Layers()
	require.NoError(t, err)
	require.Len(t, layers, 1)
	compressed, err := layers[0].Compressed()
	require.NoError(t, err)
	data, err := io.ReadAll(compressed)
	require.NoError(t, err)
	files := untar(t, data)
	require.Contains(t, files, "usr/lib/toolrun/shell.wasm")
	require.Equal(t, nobody, files["data/"].Uid)
	for name, header := range files {
		if name != "data/" && name != "cache/" {
			require.Zero(t, header.Uid, name)
		}
		if name != "tmp/" {
			require.Zero(t, header.Mode&0o022, name)
		}
	}
	roots := fileOfTar(t, data, "etc/ssl/certs/ca-certificates.crt")
	require.Greater(t, bytes.Count(roots, []byte("BEGIN CERTIFICATE")), 50)
}

func TestNPMPackages(t *testing.T) {
	d := written(t, aRelease(t))
	var manifest struct {
		Name, Version, MCPName string
		Bin                    map[string]string
		OptionalDependencies   map[string]string
		OS, CPU                []string
	}
	data := d.read(t, "npm/toolrun-1.2.3.tgz")
	require.NoError(t, json.Unmarshal(fileOfTar(t, data, "package/package.json"), &manifest))
	require.Equal(t, "io.github.toolrun/toolrun", manifest.MCPName)
	require.EqualValues(t, 0o755, untar(t, data)["package/"+manifest.Bin["toolrun"]].Mode)
	require.Len(t, manifest.OptionalDependencies, len(platforms))
	for name, version := range manifest.OptionalDependencies {
		require.Equal(t, "1.2.3", version)
		data := d.read(t, "npm/"+strings.NewReplacer("@", "", "/", "-").Replace(name)+"-1.2.3.tgz")
		require.NoError(t, json.Unmarshal(fileOfTar(t, data, "package/package.json"), &manifest))
		require.Equal(t, name, manifest.Name)
		require.Equal(t, name, "@toolrun/"+manifest.OS[0]+"-"+manifest.CPU[0])
		program := "package/bin/toolrun"
		if manifest.OS[0] == "win32" {
			program += ".exe"
		}
		require.EqualValues(t, 0o755, untar(t, data)[program].Mode)
	}
}

// The bundle's own tool checks its manifest in the test of installations.
func TestBundles(t *testing.T) {
	d := written(t, aRelease(t))
	for _, p := range platforms {
		data := d.read(t, "toolrun-1.2.3-"+p.os+"-"+p.arch+".mcpb")
		zipped, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		require.NoError(t, err)
		opened, err := zipped.Open("manifest.json")
		require.NoError(t, err)
		var manifest struct {
			Server struct {
				EntryPoint string `json:"entry_point"`
				Config     struct {
					Command string
					Args    []string
				} `json:"mcp_config"`
			}
			UserConfig map[string]any `json:"user_config"`
		}
		require.NoError(t, json.NewDecoder(opened).Decode(&manifest))
		require.Equal(t, "${__dirname}/"+manifest.Server.EntryPoint, manifest.Server.Config.Command)
		info, err := zipped.Open(manifest.Server.EntryPoint)
		require.NoError(t, err)
		stat, err := info.Stat()
		require.NoError(t, err)
		require.EqualValues(t, 0o755, stat.Mode().Perm())
		for _, arg := range manifest.Server.Config.Args {
			if name := regexp.MustCompile(`\$\{user_config\.(\w+)\}`).FindStringSubmatch(arg); name != nil {
				require.Contains(t, manifest.UserConfig, name[1])
			}
		}
	}
}

func TestPackageManagers(t *testing.T) {
	d := written(t, aRelease(t))
	sum := d.sums["toolrun-1.2.3-windows-arm64.zip"]

	formula := string(d.read(t, "homebrew/toolrun.rb"))
	for _, p := range platforms[:4] {
		name := "toolrun-1.2.3-" + p.os + "-" + p.arch + ".tar.gz"
		require.Contains(t, formula,
			"      url \"https://github.com/toolrun/toolrun/releases/download/v1.2.3/"+name+"\"\n"+
				"      sha256 \""+d.sums[name]+"\"\n")
	}

	architectures := d.json(t, "scoop/toolrun.json")["architecture"].(map[string]any)
	require.Equal(t, map[string]any{"hash": sum, "extract_dir": "toolrun-1.2.3-windows-arm64",
		"url": "https://github.com/toolrun/toolrun/releases/download/v1.2.3/toolrun-1.2.3-windows-arm64.zip"},
		architectures["arm64"])
	require.Contains(t, architectures, "64bit")

	kinds := map[string]string{"": "version", ".installer": "installer", ".locale.en-US": "defaultLocale"}
	for ending, kind := range kinds {
		var manifest map[string]any
		name := "winget/manifests/t/Toolrun/Toolrun/1.2.3/Toolrun.Toolrun" + ending + ".yaml"
		require.NoError(t, yaml.Unmarshal(d.read(t, name), &manifest))
		require.Equal(t, kind, manifest["ManifestType"])
		require.Equal(t, "1.2.3", manifest["PackageVersion"])
		if kind == "installer" {
			installer := manifest["Installers"].([]any)[1].(map[string]any)
			require.Equal(t, "arm64", installer["Architecture"])
			require.Equal(t, sum, installer["InstallerSha256"])
			require.Equal(t, []any{map[string]any{"PortableCommandAlias": "toolrun",
				"RelativeFilePath": `toolrun-1.2.3-windows-arm64\bin\toolrun.exe`}}, installer["NestedInstallerFiles"])
		}
	}
}

func TestRegistryAndClients(t *testing.T) {
	d := written(t, aRelease(t))
	server := d.json(t, "server.json")
	require.LessOrEqual(t, len(server["description"].(string)), 100)
	require.Regexp(t, `^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`, server["name"])
	packages := server["packages"].([]any)
	require.Len(t, packages, 1+len(platforms)+1)
	for _, p := range packages[1 : len(packages)-1] {
		p := p.(map[string]any)
		_, name, _ := strings.Cut(p["identifier"].(string), "/v1.2.3/")
		require.Equal(t, d.sums[name], p["fileSha256"])
	}

	plugin := d.json(t, "clients/claude-code/plugin/.mcp.json")
	require.Equal(t, []any{"-y", "toolrun@1.2.3", "mcp", "--root", "${CLAUDE_PROJECT_DIR}", "--ask", "destructive"},
		plugin["mcpServers"].(map[string]any)["toolrun"].(map[string]any)["args"])
	require.Equal(t, "[mcp_servers.toolrun]\ncommand = \"npx\"\n"+
		`args = ["-y","toolrun@1.2.3","mcp","--project","codex","--ask","destructive"]`+"\n",
		string(d.read(t, "clients/codex/config.toml")))
}

// The module of Python is the one that the programs of the release download.
func TestReadPython(t *testing.T) {
	source := t.TempDir()
	file := filepath.Join(source, "python.wasm")
	require.NoError(t, os.WriteFile(file, []byte("python"), 0o600))
	known := filepath.Join(source, "tools", "python", "release.sha256")
	require.NoError(t, os.MkdirAll(filepath.Dir(known), 0o700))
	require.NoError(t, os.WriteFile(known, []byte(sha256Hex([]byte("python"))+"\n"), 0o600))
	module, err := readPython(source, file)
	require.NoError(t, err)
	require.Equal(t, "python", string(module))
	require.NoError(t, os.WriteFile(file, []byte("another"), 0o600))
	_, err = readPython(source, file)
	require.ErrorContains(t, err, "is not the module that this version downloads")
}
