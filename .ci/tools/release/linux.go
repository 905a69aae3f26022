package main

import (
	"bytes"
	"encoding/pem"
	"io"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	nfpmfiles "github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// linuxPackages writes a .deb and a .rpm for each build for Linux.
func linuxPackages(r *release, d *dist) error {
	for _, b := range r.builds {
		if b.os != "linux" {
			continue
		}
		for _, format := range []string{"deb", "rpm"} {
			data, err := r.linuxPackage(b, format)
			if err != nil {
				return err
			}
			if err := d.add(r.name(b.platform)+"."+format, data); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *release) linuxPackage(b build, format string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "toolrun-package-") // nfpm takes files of a disk
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var contents nfpmfiles.Contents
	for _, f := range r.tree(b, format) {
		switch {
		case strings.HasPrefix(f.name, "share/man/"):
			f.name += ".gz"
			if f.content, err = gzipped(f.content); err != nil {
				return nil, err
			}
		case format == "deb" && f.name == "share/doc/toolrun/LICENSE":
			f.name = "share/doc/toolrun/copyright" // where Debian's policy wants it
		case format == "deb":
			f.name = strings.Replace(f.name, "share/zsh/site-functions/", "share/zsh/vendor-completions/", 1)
		}
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, f.content, 0o600); err != nil {
			return nil, err
		}
		contents = append(contents, &nfpmfiles.Content{Source: path, Destination: "/usr/" + f.name,
			FileInfo: &nfpmfiles.ContentFileInfo{Mode: f.permissions(), MTime: r.time, Owner: "root", Group: "root"}})
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return nil, err
	}
	info := nfpm.WithDefaults(&nfpm.Info{Name: "toolrun", Arch: b.arch, Platform: "linux", Version: r.version,
		Section: "devel", Priority: "optional", Maintainer: maintainer, Vendor: vendor, Description: description,
		Homepage: repository, License: "Apache-2.0", MTime: r.time, DisableGlobbing: true})
	info.Contents, info.RPM.BuildHost = contents, "toolrun"
	var out bytes.Buffer
	err = packager.Package(info, &out)
	return out.Bytes(), err
}

// nobody is the user of an image: one without a name that owns nothing but the directories of its data.
const nobody = 65532

// ociImage writes an image for all builds for Linux as a layout of the Open Container Initiative, in one tar. Nothing
// in it is written to but its two volumes and /tmp.
func ociImage(r *release, d *dist) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	found := false
	for _, b := range r.builds {
		if b.os != "linux" {
			continue
		}
		img, err := r.image(b)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{
			Platform:    &v1.Platform{OS: b.os, Architecture: b.arch},
			Annotations: map[string]string{"org.opencontainers.image.ref.name": r.version + "-" + b.arch},
		}})
		found = true
	}
	if !found {
		return nil
	}
	dir, err := os.MkdirTemp("", "toolrun-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := layout.Write(dir, index); err != nil {
		return err
	}
	var files []file
	err = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name := filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator)))
		files = append(files, file{name: name, content: content})
		return err
	})
	if err != nil {
		return err
	}
	data, err := tarOf(files, r.time)
	if err != nil {
		return err
	}
	return d.add("toolrun-"+r.version+"-oci.tar", data)
}

// image is one layer on nothing.
func (r *release) image(b build) (v1.Image, error) {
	files := below("usr/", r.tree(b, "image"))
	files = append(files, file{name: "etc/ssl/certs/ca-certificates.crt", content: roots()},
		file{name: "dev/"}, file{name: "proc/"}, // to mount on
		file{name: "tmp/", mode: 0o1777}, file{name: "data/", owner: nobody}, file{name: "cache/", owner: nobody})
	data, err := tarGzip(files, r.time)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err := mutate.ConfigFile(base, &v1.ConfigFile{OS: b.os, Architecture: b.arch, Author: vendor,
		Created: v1.Time{Time: r.time}, RootFS: v1.RootFS{Type: "layers"}, Config: v1.Config{
			User:       "65532:65532",
			Entrypoint: []string{"/usr/bin/toolrun"},
			Cmd:        []string{"mcp"},
			Env:        []string{"PATH=/usr/bin", "HOME=/data", "TOOLRUN_DATA=/data", "XDG_CACHE_HOME=/cache"},
			WorkingDir: "/data",
			Volumes:    map[string]struct{}{"/data": {}, "/cache": {}},
			Labels: map[string]string{
				"org.opencontainers.image.source":     repository,
				"org.opencontainers.image.version":    r.version,
				"org.opencontainers.image.revision":   r.commit,
				"org.opencontainers.image.licenses":   "Apache-2.0",
				"io.modelcontextprotocol.server.name": serverName, // by which the registry knows whose it is
			}}})
	if err != nil {
		return nil, err
	}
	return mutate.Append(img, mutate.Addendum{Layer: layer, MediaType: types.OCILayer,
		History: v1.History{Created: v1.Time{Time: r.time}, CreatedBy: ".ci/release"}})
}

// roots are the certificates by which requests of code check servers. Those with constraints that a file cannot have
// are left out.
func roots() []byte {
	out := bytes.NewBufferString("# Mozilla's roots (MPL-2.0), as golang.org/x/crypto/x509roots has them.\n")
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})
		}
	}
	return out.Bytes()
}
