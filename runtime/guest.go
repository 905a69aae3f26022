package runtime

import (
	"context"
	"crypto/sha256"

	"github.com/tetratelabs/wazero/api"
)

// Guest is a WebAssembly module that an [Engine] can run, and how to drive it. All fields but Imports, Setup and DecodeState
// are required.
type Guest struct {
	// Name is what errors call the guest, such as "JavaScript engine".
	Name string

	// Module returns the module. It has to be metered, as [Meter] does it: no code in it may run for long without
	// calling the host. It is asked only if the cache directory does not have the module.
	Module func() ([]byte, error)

	// Digest is the SHA-256 of what Module returns, or of all that it is made from. Compiled code is kept under it.
	Digest [sha256.Size]byte

	// Setup is a hash of what the first image depends on besides the module and the code of the program.
	Setup [sha256.Size]byte

	// Imports are the host functions that the module imports besides WASI and that of metering.
	Imports []Import

	// New returns a driver for a new instance, in which nothing has run yet.
	New func(in *Instance) (Driver, error)

	// DecodeState decodes what package encoding/json makes of a state of the guest's drivers, so that a cache directory
	// can keep the first image. Nil means that the image is made at each start.
	DecodeState func(data []byte) (any, error)

	// CrashAdvice is what [CrashError] tells the author of the code after the guest itself has failed on it.
	CrashAdvice string
}

// Import is a host function that a guest imports.
type Import struct {
	Module, Name    string
	Params, Results []api.ValueType
	// Call gets the arguments in stack and puts its results there. It ends the run by a panic with a [*Stop].
	Call func(ctx context.Context, in *Instance, stack []uint64)
}

// Driver drives a guest in one instance. It holds what the host knows of the guest besides the instance's memory and
// globals. Its methods are called by one goroutine at a time.
type Driver interface {
	// Start brings a new instance to where every run begins, before an image of it is taken. Nothing of the present may
	// become part of that: the guest's clock stands still.
	Start() error

	// State returns what belongs to an image of the instance as it is now. It never changes and is safe for concurrent
	// use. A guest for which memory and globals are enough returns nil.
	State() any

	// Resume is called after the instance has become what an image is of. It gets the state of that image and forgets
	// everything else. If it fails, the instance is closed.
	Resume(state any) error

	// Idle reports whether nothing is under way in the instance and nothing has gone wrong there, so that it can become
	// what its image is of and serve another run.
	Idle() bool
}

// A Verifier is a [Driver] that can tell whether the guest is the one that it was written for.
type Verifier interface {
	Driver
	// Verify is called once when the guest is loaded, after the first image has been taken, in the sandbox of a run. The
	// instance is put back to the image afterwards.
	Verify() error
}
