// Package runtime runs untrusted WebAssembly in sandboxes with hard limits: an [Engine] holds compiled guests and the places,
// memory and sandboxes that their runs share. It knows no language. Package runtime/javascript has JavaScript, as a guest
// of an engine:
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
// A [Guest] is a WebAssembly module, run by wazero in a memory of its own, with what its host functions do and with a
// [Driver] that knows how to start it. [Engine.Load] compiles it, starts it once and takes an image of its memory. Each
// [Run] begins from that image, or from a later one ([Program.Keep]), so that nothing of one run is left for the next.
// Instances that have ended well are put back to their image and used again, which takes some tens of microseconds; all
// others are thrown away.
//
// A language is a package that makes a Guest, calls [Program.Begin] and [Run.Start], calls the exports of [Instance.Module],
// and turns errors of these calls into the run's by [Instance.Reason]. Everything that the guest can do outside of its
// memory, it does through the Guest's host functions and WASI.
//
// # Limits
//
// [Limits] are enforced from outside of the code, whatever it does: guests are rewritten before they are compiled, so that
// every loop in them asks the host now and then whether to go on (see [Meter]). A stop comes some milliseconds after the
// limit; where the code copies blocks of many megabytes, or the machine is busy, it can be some tens. Memory is limited by
// the reservation of address space that an instance lives in. The work of host functions counts as well: they call
// [Instance.Spend], and do what may hang by [Await].
//
// # Errors
//
// A run ends with one error for each way to fail: [*LimitError], [*ExitError], [*CrashError], [*StoppedError], [ErrClosed], or
// one of its language. [IsGuestFailure] tells those that are about the code from those of the host. Guests are programs
// that have bugs; code that makes one crash gets a [*CrashError], and other runs go on.
//
// # What is not isolated
//
// A run shares the process with others: its processor time, its address space (in separate memories) and wazero's
// compiler, whose bugs would be bugs of the sandbox. There is no defence against side channels. See SECURITY.md.
package runtime
