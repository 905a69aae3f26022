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

// libraryKey is a hash of what is known of libraries without reading them. There is one image for each, of the files
// that were there last.
type libraryKey [sha256.Size]byte

// loadedLibraries is what is known of the libraries in an image of a sandbox in which they have been loaded, so that
// this need not be done in every run.
type loadedLibraries struct {
	evidence *evidence // of the files that it was made of
	made     time.Time
	timed    bool // it depends on when it was made
}

// maxLibraryAge is for how long an image may be used that depends on when it was made. Libraries ask for the time for
// no good reason, and wherever else they are loaded they stay for as long as the process, but not forever.
const maxLibraryAge = time.Minute

// libraryKey returns the key of libraries that are loaded with the run's functions, globals and memory limit.
func (r *run) libraryKey(entries []fs.FileInfo) libraryKey {
	hash := sha256.New()
	add := func(text string) {
		var length [8]byte
		binary.LittleEndian.PutUint64(length[:], uint64(len(text)))
		hash.Write(length[:])
		io.WriteString(hash, text)
	}
	add(r.options.Libraries)
	add(strings.ReplaceAll(r.setup.text, r.mark[1:], "\x00")) // which nothing else can be taken for, as JSON has no NUL
	add(string(r.setup.data))
	binary.Write(hash, binary.LittleEndian, r.Limits().Memory) // several bounds follow from it, which libraries can find out
	for _, e := range entries {
		add(e.Name())
		binary.Write(hash, binary.LittleEndian, e.Size())
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

// keepLibraries takes an image of an instance in which libraries have been loaded, if that is of use for others.
func (in *instance) keepLibraries(program *sandbox.Program, e *evidence) {
	r := in.run
	if in.Impure() || e.spoiled || len(in.rejections) > 0 || in.vm.RandomUsed(in.seed) || r.Output().Used() || r.outcome != nil {
		return
	}
	if in.Refused() { // it may have been the system
		return
	}
	if in.MemorySize()+e.size > program.ImageRoom() { // it may be more than there is room for
		return
	}
	i, err := in.Capture()
	if err != nil {
		return // it is only that the next run has to load them again
	}
	state := i.State().(*imageState)
	state.libraries = loadedLibraries{evidence: e, made: r.Started(), timed: in.Timed()}
	program.Keep(r.libraries.key, i, e.size+int64(state.originsSize))
}
