// Package runtime runs untrusted JavaScript in a sandbox with hard limits.
//
//	engine, err := runtime.NewEngine(ctx, nil)
//	...
//	defer engine.Close(ctx)
//	result, err := engine.Run(ctx, `return 6 * 7`, nil)
//	fmt.Println(result.Text) // 42
//
// The engine is QuickJS compiled to WebAssembly, running under wazero: a script lives in a memory of its own, and
// everything that it can do outside of it, it does through one function of this package. Each run gets a fresh instance,
// so that nothing of one script is left for the next.
//
// The name hides Go's own package runtime; where both are needed, import this one as sandbox.
//
// # Scripts
//
// A script is the body of an async function in strict mode: return gives the result, await works. Beside the language
// (ES2023) it has console, timers, queueMicrotask, crypto.getRandomValues and randomUUID, performance, and
// fs.readFile and fs.writeFile on the run's files. There is no network, no process, no environment, no other file and
// no way to set a clock; reading the time is possible.
//
// A run lasts until the script has returned and no timer and no asynchronous call is left. What still runs when the
// script throws is dropped. Exceptions in timers and rejections that nobody handles are printed on the console.
//
// # Limits
//
// [Limits] are enforced from outside of the script, whatever it does: the code of the engine is rewritten when it is
// loaded, so that every loop in it, native ones like those of sort or regular expressions too, asks the host now and then
// whether to go on (see package metering). A stop comes some milliseconds after the limit; where the script copies blocks
// of many megabytes, or the machine is busy, it can be some tens. Memory is limited by the reservation of address space
// that an instance lives in. Recursion ends in a RangeError, which the script can catch, at 4 000 calls or more.
//
// # Errors
//
// [Engine.Run] returns one error for each way to fail, and [IsScriptFailure] tells those that are the script's own fault
// from those of the host. The result is there in both cases: what the script had printed is never lost.
//
// # What is not isolated
//
// A run shares the process with others: its processor time, its address space (in separate memories) and wazero's
// compiler, whose bugs would be bugs of the sandbox. There is no defence against side channels. See SECURITY.md.
package runtime
