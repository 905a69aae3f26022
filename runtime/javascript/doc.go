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
// A script is the body of an async function: return gives the result, and await works. It is strict if it says so, and
// if it is a module. Beside the
// language (ES2023) it has console, timers, queueMicrotask, crypto.getRandomValues and randomUUID, performance, fs
// for the run's files, and a small process object, whose standard output and error are the console. It can read the
// time but not set it. There is no network, no other process, no environment and no other file.
//
// A script with import or export is an ES module, and its default export is the result. If it also has a return of
// its own, it is the body of a function, and its imports are done first. [Language] can say that the script is
// TypeScript; otherwise TypeScript is tried if the script is not valid JavaScript. A syntax error has the line and
// column of the original text.
//
// As in a CommonJS module in the root, there are module, exports, __filename, __dirname and require.main. If the
// script returns nothing, its exports are the result.
//
// halt(message) ends a run at once, and nothing can catch it. So does process.exit(status), which is not an error
// if the status is 0.
//
// Errors are explained when they are shown: they name the value that is not a function, and the replacement for
// globals and modules that only other systems have.
//
// A run lasts until the script has returned and no timer and no asynchronous call is pending. If the script throws,
// everything else is dropped. Exceptions in timers and unhandled rejections end the run.
//
// # Files
//
// fs has Node's functions for whole files and directories: readFile, writeFile, appendFile, truncate, exists,
// access, stat, lstat, readdir, mkdir, unlink, rmdir, rm, rename, copyFile and cp. They return promises, call back
// if the last argument is a function, and exist as readFileSync and so on; fs.promises is fs. Each does its work at
// once while the script waits, whichever way it is called. Paths are strings, relative to the root.
//
// They differ from Node's:
//
//   - Creating a file or directory creates its parents.
//   - rename never replaces anything.
//   - readFile returns a Uint8Array whose toString(encoding) gives the text.
//   - readdir lists directories first.
//   - exists returns a promise.
//   - stat returns isFile(), isDirectory(), size in bytes, mtime (a Date) and mtimeMs, readonly, isBinary and
//     mime (from the first 64 KiB of the content; for text, its kind from the name). In JSON, isFile and
//     isDirectory are booleans.
//
// A script that uses isFile or isDirectory without a call, which is always true, gets a warning on the console once,
// if the source shows it.
//
// Errors have code, path and a message with the path as the script gave it, as in "ENOENT: no such file or
// directory, 'a.txt'". The codes are ENOENT, EEXIST, EISDIR, ENOTDIR, ENOTEMPTY, EINVAL, EROFS, ENOSPC, EACCES,
// EBUSY (the root), EFBIG, ENOMEM (more than the memory limit allows to read or list at once), and EIO with the
// file system's own message for all others. These errors have Node's syscall and errno, too, which are not listed.
// Wrong arguments have Node's codes: ERR_INVALID_ARG_TYPE if they are missing or of a wrong type, ERR_INVALID_ARG_VALUE
// and ERR_OUT_OF_RANGE if their value is not allowed.
//
// # Modules
//
// import, import() and require load files of the run: JavaScript, TypeScript and JSON, ES modules and CommonJS.
// Names are paths (/lib/x.js, ./y.mjs; .js and so on can be left out), built-in modules (fs, fs/promises, path,
// with or without node:), or packages in /lib or node_modules with a package.json, found as Node finds them. An ES
// module can import CommonJS, as a whole by default or by name, and require loads ES modules that do not wait at their
// top level. Nothing is loaded from the network. The engine's own modules cannot be imported.
//
// [RunOptions].Libraries are folders of scripts that run first, in global scope, such as npm libraries for
// browsers. The sandbox after loading is kept as an image, so libraries do not run again until one of their files
// changes. That works only if the result depends on nothing but these files, the run's functions and globals, and
// its memory limit: libraries that use randomness, list folders or print while loading run each time. The time
// that they read while loading can be up to a minute old. The modules that a script loads before it does anything else,
// by import declarations or by require, are kept in the same way.
//
// # Sessions
//
// Scripts of a session ([RunOptions].Session) run in the same sandbox, one after the other, as in a notebook. Each is
// evaluated in global scope, so what it declares at its top level is there for the next one, which can declare it anew.
// Import declarations declare variables; a script has no exports there. The second script is named script-2.js, and so
// on. Between two scripts the sandbox is a [sandbox.State], and a script that fails leaves the one before it.
//
// # Scripts that wait
//
// An asynchronous [Function] can return [ErrSuspend]: its answer comes later. When a script waits for nothing else, its
// run ends, and [Interpreter.Resume] goes on from its state, perhaps in another process, and calls the function again.
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
package javascript
