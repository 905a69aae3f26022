package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A file is one of an archive. A name that ends in a slash is a directory.
type file struct {
	name    string
	content []byte
	mode    fs.FileMode // 0 means 0644, or 0755 for a directory
	owner   int         // in images
}

func (f file) permissions() fs.FileMode {
	switch {
	case f.mode != 0:
		return f.mode
	case strings.HasSuffix(f.name, "/"):
		return 0o755
	}
	return 0o644
}

// below returns files with other names: those in a directory.
func below(dir string, files []file) (moved []file) {
	for _, f := range files {
		f.name = dir + f.name
		moved = append(moved, f)
	}
	return moved
}

func tarOf(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: int64(f.permissions()), Size: int64(len(f.content)), ModTime: at,
			Uid: f.owner, Gid: f.owner, Format: tar.FormatPAX, Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

func gzipped(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out) // without a name and a time
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err := w.Close()
	return out.Bytes(), err
}

func tarGzip(files []file, at time.Time) ([]byte, error) {
	data, err := tarOf(files, at)
	if err != nil {
		return nil, err
	}
	return gzipped(data)
}

func zipOf(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(f.permissions())
		in, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := in.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// archive is the name of a platform's archive.
func (r *release) archive(p platform) string {
	if p.os == "windows" {
		return r.name(p) + ".zip"
	}
	return r.name(p) + ".tar.gz"
}

// archives writes one archive for each platform, all in a directory. Without that it is unpacked over /usr/local.
func archives(r *release, d *dist) error {
	for _, b := range r.builds {
		pack := tarGzip
		if b.os == "windows" {
			pack = zipOf
		}
		data, err := pack(below(r.name(b.platform)+"/", r.tree(b, "archive")), r.time)
		if err != nil {
			return err
		}
		if err := d.add(r.archive(b.platform), data); err != nil {
			return err
		}
	}
	return nil
}

// bills writes what each binary is made of.
func bills(r *release, d *dist) error {
	for _, b := range r.builds {
		if err := d.add(r.name(b.platform)+".cdx.json", b.bom); err != nil {
			return err
		}
	}
	return nil
}

// readPython reads the module of Python, which must be the one that programs built from the source download.
func readPython(source, file string) ([]byte, error) {
	module, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	known, err := os.ReadFile(filepath.Join(source, "tools", "python", "release.sha256"))
	if err != nil {
		return nil, err
	}
	if is, want := sha256Hex(module), strings.TrimSpace(string(known)); is != want {
		return nil, fmt.Errorf("%s is not the module that this version downloads: its SHA-256 is %s, and "+
			"tools/python/release.sha256 has %s", file, is, want)
	}
	return module, nil
}

// pythonModule writes the module that toolrun module add python of this release downloads.
func pythonModule(r *release, d *dist) error {
	if r.python == nil {
		return nil
	}
	return d.add("toolrun-python-"+r.version+".wasm", r.python)
}
