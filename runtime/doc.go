// Package runtime runs untrusted WebAssembly in sandboxes with hard limits. An [Engine] holds compiled guests, and
// the places, memory and sandboxes that their runs share. It knows no language; package runtime/javascript provides
// JavaScript as a guest of an engine:
//
//	engine, err := sandbox.New(nil)
//	...
//	defer engine.Close(ctx)
//	scripts, err := javascript.New(ctx, engine)
//	...
//	result, err := scripts.Run(ctx, `return 6 * 7`, nil)
//	fmt.Println(result.Text) // 42
//
// The name hides Go's own package runtime, so import it as
//
//	sandbox "github.com/toolrun/toolrun/runtime"
//
// # Guests
//
// A [Guest] is a WebAssembly module with its host functions, and a [Driver] that knows how to start it. wazero runs
// it in its own memory. [Engine.Load] compiles it, starts it once and takes an image of its memory. Each [Run]
// starts from that image, or from a later one ([Program.Keep]), so nothing of one run remains for the next. An
// instance whose run ended well is reset to its image and used again, which takes some tens of microseconds. All
// others are thrown away.
//
// A language is a package that makes a Guest, calls [Program.Begin] and [Run.Start], calls the exports of
// [Instance.Module], and uses [Instance.Reason] to turn errors of these calls into errors of the run. The guest can
// reach the outside only through the Guest's host functions and WASI.
//
// # Files and streams
//
// Guests are linked against WASI preview 1. They have the arguments, the environment, the input and the files that
// [RunOptions] name, and no others; there are no sockets and no threads. Standard output and error are the console,
// and not terminals. With [Guest].Files, descriptor 3 is the directory / of [RunOptions].Files, and programs in C,
// Rust, Go or TinyGo find it as their root. It works as a directory of a POSIX system does, with these differences:
//
//   - There are no links, no owners, and no permissions. Rights of descriptors say how a file is opened, and are not
//     enforced beyond that. Times of access are those of modification.
//   - A file opened with O_TRUNC is replaced as a whole, when the guest closes or syncs it, exits, or looks at it
//     again. If the run is stopped before, it keeps its old content.
//   - Paths that lead out of the directory that they are relative to are EPERM, and so are absolute ones, which C
//     libraries make relative.
//   - A run has at most [MaxDescriptors] files open.
//   - /tmp is a directory of the run's own, in memory, and /dev/null is there, unless [RunOptions].Files have a /tmp or
//     a /dev. "/" does not list them.
//
// Files that the guest leaves open are closed at the end of the run, or by [Instance.CloseFiles].
//
// # Limits
//
// [Limits] are enforced from outside the code, whatever it does: guests are rewritten before they are compiled, so
// that every loop in them regularly asks the host whether to go on (see [Meter]). A stop comes some milliseconds
// after the limit; if the code copies blocks of many megabytes, or the machine is busy, it can be some tens. The
// address space reserved for an instance limits its memory. The work of host functions counts too: they call
// [Instance.Spend], and [Await] for operations that may hang.
//
// # States
//
// A [State] is a guest between two calls into it: its memory as far as that differs from the image from which all runs
// start, its clock, and the run's work, time and output so far. [Run.Suspend] takes one. A run with [RunOptions].State
// continues from it, in this process or in another one, any number of times. [State.Seal] encodes it and
// [Program.OpenState] decodes it, with the same version of the guest and of this package. It has no open files.
//
// While a run waits only for a person, its clocks stand still: see [Hold].
//
// # Errors
//
// Each way for a run to fail has its error: [*LimitError], [*ExitError], [*CrashError], [*StoppedError], [ErrClosed],
// or one of its language. [IsGuestFailure] tells errors of the code from those of the host. Guests have bugs; code that
// makes one crash gets a [*CrashError], and other runs are not affected.
//
// # What is not isolated
//
// Runs share the process: processor time, address space (in separate memories) and wazero's compiler, whose bugs
// would be bugs of the sandbox. Side channels are not closed. See SECURITY.md.
//
// # Experimental
//
// Programs that embed toolrun share an [Engine] and set [EngineOptions]; the rest is for drivers of languages. All of
// it may change with any version.
package runtime
