package fsys

import (
	"io/fs"
	"time"
)

// An info describes a file by the name that it goes by in a project, and says nothing about the host.
type info struct {
	name    string
	size    int64
	mode    fs.FileMode
	modTime time.Time
}

// Describe returns a description without anything of the host's: it has the type and the permissions, the size of a
// regular file only, and no Sys.
func Describe(name string, of fs.FileInfo) fs.FileInfo {
	i := info{name: name, mode: of.Mode() & (fs.ModeType | fs.ModePerm), modTime: of.ModTime()}
	if i.mode.IsRegular() { // what a directory takes is the host's business
		i.size = of.Size()
	}
	return i
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.modTime }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }
