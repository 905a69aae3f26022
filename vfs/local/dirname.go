package local

import (
	"encoding/base32"

	"github.com/toolrun/toolrun/vfs"
)

// encodedPrefix begins the names of directories whose projects' ids are encoded. No id that is a name itself has it.
const encodedPrefix = '~'

// inName encodes ids in letters that no system takes for others, and that stay the same in another case.
var inName = base32.HexEncoding.WithPadding(base32.NoPadding)

// dirName returns the name of a project's directory: its id, or what stands for it if that cannot be a name.
func dirName(id string) string {
	if vfs.IsPlainID(id) {
		return id
	}
	return string(encodedPrefix) + inName.EncodeToString([]byte(id))
}

// idOf returns the id of a project by the name of its directory. ok is false if that is no project's.
func idOf(name string) (id string, ok bool) {
	if vfs.IsPlainID(name) {
		return name, vfs.CheckID(name) == nil
	}
	if name == "" || name[0] != encodedPrefix {
		return "", false
	}
	decoded, err := inName.DecodeString(name[1:])
	id = string(decoded)
	return id, err == nil && vfs.CheckID(id) == nil && dirName(id) == name // and no other way of writing it
}
