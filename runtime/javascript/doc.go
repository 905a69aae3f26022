// Package javascript runs untrusted JavaScript in the sandboxes of package runtime.
//
//	engine, err := sandbox.New(nil)
//	...
//	defer engine.Close(ctx)
//	scripts, err := javascript.New(ctx, engine)
//	...
//	result, err := scripts.Run(ctx, `return 6 * 7`, nil)
//	fmt.Println(result.Text) // 42
//
// The engine is QuickJS compiled to WebAssembly (package guest/quickjs). A script has its own memory, and can reach
// the outside only through one function of this package.
//
// # Scripts
//
// A script is the body of an async function: return gives the result, and await works. It is strict only if it says so,
// or if it is a module. Beside the language it has console, timers, fs for the run's files, Node's modules and the
// web's functions; docs/javascript.md lists them. process is Node's, and its standard output and error are the console.
// Unless [RunOptions].Network is set, there is no network; there are no other processes, and no files but those of the
// run.
//
// A script with import or export is an ES module, and its default export is the result. If it also returns, it is the
// body of a function, and its imports are done first. [Language] can say that the script is TypeScript; otherwise
// TypeScript is tried if the script is not valid JavaScript. A syntax error has the line and column of the original
// text.
//
// As in a CommonJS module in the root directory, there are module, exports, __filename, __dirname and require.main. If
// the script returns nothing, its exports are the result.
//
// halt(message) ends a run at once, and nothing can catch it. So does process.exit(status), which is not an error
// if the status is 0.
//
// Messages of errors are V8's, and explain more: they name the replacement for globals and modules that only other
// systems have.
//
// A run lasts until the script has returned and no timer and no asynchronous call is pending. If the script throws, the
// run ends at once; so do exceptions in timers, and unhandled rejections.
//
// # Files
//
// fs has Node's functions for files and directories. They return promises, call back if the last argument is a
// function, and exist as readFileSync and so on; fs.promises is fs. Each does its work at once while the script waits,
// whichever way it is called. Paths are relative to the root.
//
// /tmp is a directory of the run's own, in memory, for as many bytes as Limits.Memory, and /dev/null is there, unless
// the run's files have a /tmp or a /dev.
//
// They differ from Node's:
//
//   - Creating a file or directory creates its parents.
//   - rename never replaces anything.
//   - readFile without an encoding returns a Buffer, whose toString(encoding) gives the text.
//   - readdir lists directories first.
//   - exists returns a promise.
//   - stat returns isFile(), isDirectory(), size in bytes, mtime (a Date) and mtimeMs, readonly, isBinary and
//     mime (from the first 64 KiB of the content; for text, its kind from the name). In JSON, isFile and
//     isDirectory are booleans.
//
// A script that uses isFile or isDirectory without a call, which is always true, gets a warning on the console once,
// if the source shows it.
//
// Errors have code, path and a message with the path as the script gave it, as in "ENOENT: no such file or directory,
// 'a.txt'". The codes are ENOENT, EEXIST, EISDIR, ENOTDIR, ENOTEMPTY, EINVAL, EROFS, ENOSPC, EACCES, EBUSY (the root),
// EFBIG, ENOMEM (more than the memory limit allows to read or list at once), and EIO with the file system's own message
// for all others. They also have Node's syscall and errno, which are not enumerable. Wrong arguments have Node's codes:
// ERR_INVALID_ARG_TYPE if they are missing or of a wrong type, ERR_INVALID_ARG_VALUE and ERR_OUT_OF_RANGE if their
// value is not allowed.
//
// # Modules
//
// import, import() and require load files of the run: JavaScript, TypeScript and JSON, ES modules and CommonJS. Names
// are paths (/lib/x.js, ./y.mjs; .js and so on can be left out), built-in modules (with or without node:), or packages
// in /lib or node_modules with a package.json, found as Node finds them. An ES module can import CommonJS, as a whole
// by default or by name. require loads ES modules that do not await at their top level. Nothing is loaded from the
// network. The engine's own modules cannot be imported.
//
// [RunOptions].Libraries are folders of scripts that run first, in global scope, such as npm libraries for browsers.
// The sandbox after loading is kept as an image, so libraries do not run again until one of their files changes. That
// works only if the result depends on these files, the run's functions and globals, and its memory limit alone:
// libraries that use randomness, list folders or print while loading run each time. The time that they read while
// loading can be up to a minute old. Modules that a script loads before it does anything else, by import declarations
// or by require, are kept in the same way.
//
// # Sessions
//
// Scripts of a session ([RunOptions].Session) run in the same sandbox, one after the other, as in a notebook. Each is
// evaluated in global scope, so the next one has the variables that it declares at its top level, and can declare them
// anew. Import declarations declare variables; there are no exports. The second script is named script-2.js, and so on.
// Between two scripts the sandbox is a [sandbox.State]; a script that fails leaves the state before it.
//
// # Scripts that wait
//
// An asynchronous [Function] can return [ErrSuspend]: its answer comes later. When a script waits for nothing else, its
// run ends. [Interpreter.Resume] continues from its state, perhaps in another process, and calls the function again.
//
// # Limits
//
// [sandbox.Limits] apply to everything that a script does, including native code such as sort and regular
// expressions. Recursion ends in a RangeError, which the script can catch, at 4,000 calls or more.
//
// # Errors
//
// [Interpreter.Run] returns a different error for each way to fail. [IsScriptFailure] tells errors of the script
// from errors of the host. There is a result in both cases, so printed output is never lost. The engine is a C
// program with bugs; a script that makes it crash gets a [*sandbox.CrashError], and other runs go on.
//
// # Experimental
//
// For programs that run JavaScript without tools and projects. Options and errors may change with any version.
package javascript
