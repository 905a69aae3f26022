// Sbom prints what a built command is made of as a software bill of materials, in CycloneDX's JSON. All of it comes
// from the binary itself but the licences, which are those of the modules in the directory, and what is known of the
// engine. The same binary gives the same bill.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"github.com/toolrun/toolrun/.ci/tools/internal/license"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: sbom DIRECTORY BINARY")
	}
	bom, err := bill(os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	encoder := cdx.NewBOMEncoder(os.Stdout, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false)
	if err := encoder.EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		log.Fatal(err)
	}
}

func bill(dir, binary string) (*cdx.BOM, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	modules, err := license.Of(dir, []string{settings["GOOS"] + "/" + settings["GOARCH"]})
	if err != nil {
		return nil, err
	}
	licenses := map[string][]string{} // by path@version
	for _, m := range modules {
		licenses[m.Path+"@"+m.Version] = m.Licenses
	}

	bom := cdx.NewBOM()
	bom.SerialNumber = serial(sum)
	command := component(info.Main, []string{"Apache-2.0"})
	command.Type = cdx.ComponentTypeApplication
	command.Name = filepath.Base(info.Path)
	command.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}}
	command.Properties = properties(info.Settings)
	bom.Metadata = &cdx.Metadata{Component: &command}

	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	components := []cdx.Component{component(debug.Module{Path: "std", Version: goVersion}, []string{"BSD-3-Clause"})}
	refs := []string{components[0].BOMRef}
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			dep = dep.Replace
		}
		c := component(*dep, licenses[dep.Path+"@"+dep.Version])
		if dep.Path == engineModule {
			c.Components = &[]cdx.Component{engine}
		}
		components = append(components, c)
		refs = append(refs, c.BOMRef)
	}
	bom.Components = &components
	// The binary does not say which module needs which.
	bom.Dependencies = &[]cdx.Dependency{{Ref: command.BOMRef, Dependencies: &refs}}
	return bom, nil
}

// component is a module. Its hash is the one that go.sum has, which is of the content and not of an archive.
func component(m debug.Module, licenses []string) cdx.Component {
	purl := "pkg:golang/" + m.Path
	if m.Version != "(devel)" { // as Go calls what it does not know
		purl += "@" + strings.ReplaceAll(m.Version, "+", "%2B")
	}
	c := cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: purl, PackageURL: purl,
		Name: m.Path, Version: m.Version, Licenses: choices(licenses)}
	if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && m.Sum != "" {
		c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
	}
	return c
}

func choices(ids []string) *cdx.Licenses {
	if len(ids) == 0 {
		return nil
	}
	choices := cdx.Licenses{}
	for _, id := range ids {
		choices = append(choices, cdx.LicenseChoice{License: &cdx.License{ID: id}})
	}
	return &choices
}

// properties say how the binary was built.
func properties(settings []debug.BuildSetting) *[]cdx.Property {
	properties := []cdx.Property{}
	for _, s := range settings {
		properties = append(properties, cdx.Property{Name: "toolrun:build:" + s.Key, Value: s.Value})
	}
	return &properties
}

// serial makes a UUID (version 8) of what the binary is.
func serial(sum [sha256.Size]byte) string {
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

const engineModule = "github.com/fastschema/qjs"

// engine is in the WebAssembly module of the engine's module.
var engine = cdx.Component{
	Type: cdx.ComponentTypeLibrary, BOMRef: "pkg:github/quickjs-ng/quickjs@v0.10.1",
	PackageURL: "pkg:github/quickjs-ng/quickjs@v0.10.1",
	Name:       "quickjs-ng", Version: "0.10.1", Licenses: choices([]string{"MIT"}),
}
