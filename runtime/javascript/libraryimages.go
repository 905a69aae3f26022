package javascript

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"io/fs"
	"strings"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
)

// libraryKey is a hash of all that is known of libraries without reading them. One image is kept for each key, made of
// the latest files.
type libraryKey [sha256.Size]byte

// libraryKey returns the key of libraries that are loaded with the run's functions, globals and memory limit.
func (r *run) libraryKey(set *librarySet, entries []fs.FileInfo) libraryKey {
	hash := sha256.New()
	add := func(text string) {
		var length [8]byte
		binary.LittleEndian.PutUint64(length[:], uint64(len(text)))
		hash.Write(length[:])
		io.WriteString(hash, text)
	}
	add(strings.ReplaceAll(r.setup.text, r.mark[1:], "\x00")) // unambiguous, because JSON has no NUL
	add(string(r.setup.data))
	add(strings.Join(r.builtins, " "))
	binary.Write(hash, binary.LittleEndian, r.Limits().Memory) // libraries can notice bounds that follow from it
	for i, e := range entries {
		add(set.files[i])
		binary.Write(hash, binary.LittleEndian, e.Size())
	}
	for _, i := range set.imports {
		add(i.Specifier)
		binary.Write(hash, binary.LittleEndian, i.Required)
	}
	return libraryKey(hash.Sum(nil))
}

// keptLibraries returns the image of the run's libraries, or nil if no image matches the current files. It reads
// files, so call it where it can be abandoned.
func (r *run) keptLibraries(program *sandbox.Program, key libraryKey) *sandbox.Image {
	image := program.Kept(key)
	if image == nil || !image.State().(*imageState).libraries.Hold(r.Run, r.options.Files) {
		return nil
	}
	return image
}

// keepLibraries takes an image of an instance with loaded libraries, if other runs can use it.
func (in libraryLoader) keepLibraries(program *sandbox.Program, e *script.Evidence) {
	if in.run.Fixed() || !in.untouched() {
		return
	}
	e.Keep(program, in.run.libraries.key, in.Instance, func(image *sandbox.Image, made script.Libraries) int64 {
		state := image.State().(*imageState)
		state.libraries = made
		return int64(state.originsSize)
	})
}

// untouched reports whether the instance has nothing in it that belongs to its run alone.
func (in *instance) untouched() bool {
	r := in.run
	return !in.Impure() && len(in.rejections) == 0 && !in.VM.RandomUsed(in.seed) &&
		!r.Output().Used() && r.outcome == nil &&
		!in.Refused() // memory, perhaps by the system
}
