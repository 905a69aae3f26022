package main

import (
	"bytes"
	"text/template"
)

// A download is the archive of a platform, for package managers that install it from there.
type download struct {
	platform
	URL, SHA256, Dir string
}

func (d download) Arch() string { return d.nodeArch }

func (r *release) downloads(d *dist, os string) (found []download) {
	for _, b := range r.builds {
		if b.os == os {
			name := r.archive(b.platform)
			found = append(found, download{b.platform, r.url(name), d.sums[name], r.name(b.platform)})
		}
	}
	return found
}

// addText writes a template that is filled in.
func (r *release) addText(d *dist, name, text string, downloads any) error {
	var out bytes.Buffer
	err := template.Must(template.New(name).Parse(text)).Execute(&out, map[string]any{"Version": r.version,
		"Description": description, "Home": repository, "Vendor": vendor, "Date": r.time.Format("2006-01-02"),
		"Downloads": downloads})
	if err != nil {
		return err
	}
	return d.add(name, out.Bytes())
}

// homebrew writes a formula, which installs the archives as they are.
func homebrew(r *release, d *dist) error {
	systems := []map[string]any{}
	for _, s := range []struct{ os, block string }{{"darwin", "on_macos"}, {"linux", "on_linux"}} {
		if found := r.downloads(d, s.os); len(found) > 0 {
			systems = append(systems, map[string]any{"Block": s.block, "Archives": found})
		}
	}
	if len(systems) == 0 {
		return nil
	}
	return r.addText(d, "homebrew/toolrun.rb", `class Toolrun < Formula
  desc "{{.Description}}"
  homepage "{{.Home}}"
  version "{{.Version}}"
  license "Apache-2.0"
{{range .Downloads}}
  {{.Block}} do
{{- range .Archives}}
    {{if eq .Arch "x64"}}on_intel{{else}}on_arm{{end}} do
      url "{{.URL}}"
      sha256 "{{.SHA256}}"
    end
{{- end}}
  end
{{end}}
  def install
    prefix.install "bin", "lib", "share"
  end

  test do
    assert_equal "42", shell_output("#{bin}/toolrun js -e 'return 6 * 7'").strip
  end
end
`, systems)
}

// scoop writes a manifest for Windows, which finds later versions by itself.
func scoop(r *release, d *dist) error {
	now, later := object{}, object{}
	for _, a := range r.downloads(d, "windows") {
		name := map[string]string{"x64": "64bit", "arm64": "arm64"}[a.nodeArch]
		now[name] = object{"url": a.URL, "hash": a.SHA256, "extract_dir": a.Dir}
		next := &release{version: "$version"}
		later[name] = object{"url": next.url(next.archive(a.platform)), "extract_dir": next.name(a.platform)}
	}
	if len(now) == 0 {
		return nil
	}
	return d.addJSON("scoop/toolrun.json", object{
		"version": r.version, "description": description, "homepage": repository, "license": "Apache-2.0",
		"architecture": now, "bin": `bin\toolrun.exe`, "checkver": "github",
		"autoupdate": object{"architecture": later, "hash": object{"url": "$baseurl/SHA256SUMS"}},
	})
}

// winget writes the three files of a version.
func winget(r *release, d *dist) error {
	found := r.downloads(d, "windows")
	if len(found) == 0 {
		return nil
	}
	const head = `PackageIdentifier: Toolrun.Toolrun
PackageVersion: {{.Version}}
`
	dir := "winget/manifests/t/Toolrun/Toolrun/" + r.version + "/Toolrun.Toolrun"
	for _, f := range []struct{ ending, kind, text string }{
		{"", "version", `DefaultLocale: en-US
`},
		{".installer", "installer", `InstallerType: zip
NestedInstallerType: portable
Commands:
- toolrun
ReleaseDate: {{.Date}}
Installers:
{{- range .Downloads}}
- Architecture: {{.Arch}}
  InstallerUrl: {{.URL}}
  InstallerSha256: {{.SHA256}}
  NestedInstallerFiles:
  - RelativeFilePath: {{.Dir}}\bin\toolrun.exe
    PortableCommandAlias: toolrun
{{- end}}
`},
		{".locale.en-US", "defaultLocale", `PackageLocale: en-US
Publisher: {{.Vendor}}
PublisherUrl: {{.Home}}
PublisherSupportUrl: {{.Home}}/issues
PackageName: toolrun
PackageUrl: {{.Home}}
License: Apache-2.0
LicenseUrl: {{.Home}}/blob/v{{.Version}}/LICENSE
ShortDescription: '{{.Description}}'
Moniker: toolrun
Tags:
- agents
- mcp
- sandbox
ReleaseNotesUrl: {{.Home}}/blob/v{{.Version}}/CHANGELOG.md
`},
	} {
		text := "# yaml-language-server: $schema=https://aka.ms/winget-manifest." + f.kind + ".1.12.0.schema.json\n" +
			head + f.text + "ManifestType: " + f.kind + "\nManifestVersion: 1.12.0\n"
		if err := r.addText(d, dir+f.ending+".yaml", text, found); err != nil {
			return err
		}
	}
	return nil
}
