package runtime

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/tetratelabs/wazero/api"
)

// A Guest is a WebAssembly module that an [Engine] can run, and how to drive it. Name, Module, Digest, New and
// CrashAdvice are required.
type Guest struct {
	// Name is the guest's name in errors, such as "JavaScript engine".
	Name string

	// Module returns the module. It must be metered by [Meter]: no code in it may run for long without calling the
	// host, and its memory and its exported globals are all that changes. Module is called only if the cache directory
	// does not have the module.
	Module func() ([]byte, error)

	// Digest is the SHA-256 of the result of Module, or of everything that it is made from. It is the key of
	// compiled code in the cache.
	Digest [sha256.Size]byte

	// Setup is a hash of what the first image depends on beside the other fields and the code of the program.
	Setup [sha256.Size]byte

	// Imports are the host functions that the module imports, beside WASI and metering.
	Imports []Import

	// Args and Env are the guest's WASI arguments and environment while the first image is made. Runs have those of
	// their [RunOptions].
	Args, Env []string

	// Files gives the guest a directory: its descriptor 3, "/" to programs, is the root of [RunOptions].Files. While
	// the first image is made, that directory is empty and read-only. False means that no path leads anywhere.
	Files bool

	// NoClock withholds the time: each run begins at the same moment, and time moves on only by what the guest waits
	// and a microsecond whenever it is read. NoRandom withholds randomness: each run gets the same numbers.
	NoClock, NoRandom bool

	// SameImage gives the guest the same time and the same randomness, which anybody knows, each time that the first
	// image is made. Then the image is the same in all processes, and a [State] can go from one to another. Runs have
	// true ones, unless NoClock and NoRandom are set, but the driver must see to what the guest keeps of the others in
	// the image, such as a generator's seed.
	SameImage bool

	// Foreign says that the module itself may be hostile. It is compiled by one goroutine then, so that a panic of the
	// compiler is an error.
	Foreign bool

	// New returns a driver for a new instance, in which nothing has run yet.
	New func(in *Instance) (Driver, error)

	// DecodeState decodes the JSON of a driver's state, so that a cache directory can keep the first image. Nil
	// means that the image is made at each start.
	DecodeState func(data []byte) (any, error)

	// Call lets a module that has no imports of its own call its driver, if not nil. It is called when the module
	// asks for the resolution of a clock with a number from FirstCall on, which no WASI clock has, and gets this
	// number, such as an address in memory. The module sees the result as the resolution in nanoseconds. To end the
	// run, Call panics with a [*Stop].
	Call func(in *Instance, number uint32) uint64

	// CrashAdvice is the text of a [CrashError] that tells the author of the code what to do.
	CrashAdvice string
}

// FirstCall is the first clock number that is a call for [Guest].Call.
const FirstCall = 1 << 12

// Import is a host function that a guest imports.
type Import struct {
	Module, Name    string
	Params, Results []api.ValueType
	// Call gets the arguments in stack and puts its results there. To end the run it panics with a [*Stop].
	Call func(ctx context.Context, in *Instance, stack []uint64)
}

// A Driver drives a guest in one instance. It holds what the host knows of the guest beside the instance's memory
// and globals. Its methods are called by one goroutine at a time.
type Driver interface {
	// Start brings a new instance to the point from which every run starts; an image of it is taken then. The image
	// must not depend on the time: the guest's clock stands still.
	Start() error

	// State returns the state that belongs to an image of the instance at this moment. It must be immutable and
	// safe for concurrent use. A guest that needs only memory and globals returns nil.
	State() any

	// Resume is called after the instance has been reset to an image. It gets the state of that image and discards
	// everything else. If it fails, the instance is closed.
	Resume(state any) error

	// Idle reports whether nothing is in progress in the instance and nothing has gone wrong there, so that it can
	// be reset and serve another run.
	Idle() bool
}

// A Verifier is a [Driver] that can check that the guest is the one that it was written for.
type Verifier interface {
	Driver
	// Verify is called once when the guest is loaded, after the first image was taken, in the sandbox of a run. The
	// instance is reset afterwards.
	Verify() error
}

// setup hashes everything, beside the module and the code of the program, that the first image depends on.
func (g *Guest) setup() [sha256.Size]byte {
	h := sha256.New()
	h.Write(g.Setup[:])
	for _, list := range [][]string{g.Args, g.Env} {
		fmt.Fprintf(h, "%q", list)
	}
	fmt.Fprint(h, g.Files, g.NoClock, g.NoRandom, g.SameImage)
	return [sha256.Size]byte(h.Sum(nil))
}
