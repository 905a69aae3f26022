package javascript

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"io/fs"
	"strings"
	"time"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// libraryKey is a hash of all that is known of libraries without reading them. One image is kept for each key, made of
// the latest files.
type libraryKey [sha256.Size]byte

// loadedLibraries describes the libraries in an image, which is kept so that not every run has to load them.
type loadedLibraries struct {
	evidence *evidence // of the files
	made     time.Time
	timed    bool // the libraries have read the time
}

// maxLibraryAge is how long an image is used whose libraries have read the time. In other systems libraries also stay
// loaded for a while, but not forever.
const maxLibraryAge = time.Minute

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
	if image == nil {
		return nil
	}
	l := image.State().(*imageState).libraries
	if l.timed && r.Started().Sub(l.made) > maxLibraryAge {
		return nil
	}
	if !l.evidence.holds(r.Context(), r.options.Files) {
		return nil
	}
	return image
}

// keepLibraries takes an image of an instance with loaded libraries, if other runs can use it.
func (in *instance) keepLibraries(program *sandbox.Program, e *evidence) {
	r := in.run
	if e.spoiled || r.Fixed() || !in.untouched() {
		return
	}
	if in.MemorySize()+e.size > program.ImageRoom() { // it might not fit
		return
	}
	i, err := in.Capture()
	if err != nil {
		return // the next run loads them again
	}
	state := i.State().(*imageState)
	state.libraries = loadedLibraries{evidence: e, made: r.Started(), timed: in.Timed()}
	program.Keep(r.libraries.key, i, e.size+int64(state.originsSize))
}

// untouched reports whether the instance has nothing in it that belongs to its run alone.
func (in *instance) untouched() bool {
	r := in.run
	return !in.Impure() && len(in.rejections) == 0 && !in.vm.RandomUsed(in.seed) &&
		!r.Output().Used() && r.outcome == nil &&
		!in.Refused() // memory, perhaps by the system
}
