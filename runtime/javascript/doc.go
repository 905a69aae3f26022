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
// The engine is QuickJS compiled to WebAssembly (package guest/quickjs): a script lives in a memory of its own, and everything
// that it can do outside of it, it does through one function of this package.
//
// # Scripts
//
// A script is the body of an async function in strict mode: return gives the result, await works. Beside the language
// (ES2023) it has console, timers, queueMicrotask, crypto.getRandomValues and randomUUID, performance, fs for the run's
// files, and a process that has standard output and error, which are the console, and little else. There is no network,
// no other process, no environment, no other file and no way to set a clock; reading the time is possible.
//
// A script with import or export is an ES module, and its default export the result, unless it has a return of its own: then
// it is the body of a function all the same, and its imports are done before. [Language] says that types are to be taken out
// first, which is also tried with what is no JavaScript. A syntax error has the line and column of what was written.
//
// A script finds module, exports, __filename, __dirname and require.main as a CommonJS module does that lies in the root. If it
// returns nothing, what it exports is the result.
//
// halt(message) ends a run at once; nothing can catch it. So does process.exit(status), which is no error if the status is 0.
//
// Where errors are shown, they name what is no function, and say what there is instead of globals and modules of other systems.
//
// A run lasts until the script has returned and no timer and no asynchronous call is left. What still runs when the
// script throws is dropped. Exceptions in timers and rejections that nobody handles are printed on the console.
//
// # Files
//
// fs has the functions of Node's for whole files and directories: readFile, writeFile, appendFile, truncate, exists,
// access, stat, lstat, readdir, mkdir, unlink, rmdir, rm, rename, copyFile and cp. They return promises, call back if the
// last argument is a function, and are there as readFileSync and so on; fs.promises is fs. They do their work at once and
// while the script waits, whichever way they are called. Paths are strings, relative to the root.
//
// They differ from Node's in this: what makes a file or directory makes those that it lies in; rename never replaces
// anything; readFile gives a Uint8Array, whose toString(encoding) gives the text; readdir lists directories first; exists gives a promise. stat gives
// isFile(), isDirectory(), size in bytes, mtime in milliseconds since 1970, readonly, isBinary and mime (by the first 64 KiB of
// the content, and which kind of text it is by the name). JSON has isFile and isDirectory as booleans.
//
// Errors have code, path and a message with the path as the script gave it, as in "ENOENT: no such file or directory,
// 'a.txt'". The codes are ENOENT, EEXIST, EISDIR, ENOTDIR, ENOTEMPTY, EINVAL, EROFS, ENOSPC, EACCES, EBUSY (the root), EFBIG and
// ENOMEM (more than the memory limit allows to read or list at once), and EIO with the file system's own message for all
// others.
//
// # Modules
//
// import, import() and require load files of the run: JavaScript, TypeScript and JSON, ES modules and CommonJS. Names are paths
// (/lib/x.js, ./y.mjs; .js and so on can be left out), built-in modules (fs, fs/promises, path, with or without node:), or packages
// in /lib or /lib/node_modules with a package.json. An ES module can import CommonJS, all of it as the default or by name;
// require cannot load ES modules. There is no network to load from. The engine's own modules are out of reach.
//
// [RunOptions].Libraries is a folder of scripts that run before, in global scope: libraries as npm has them for browsers. What they
// have made of the sandbox is kept in an image of its own, so that they are run once and not before every script, until one of their
// files changes; only what depends on nothing but these files, the run's functions and globals and its memory limit
// is kept: not what libraries have done that ask for randomness or for other files, or print something, as they are loaded. The time that they have seen as they were loaded can
// then be up to a minute ago.
//
// # Limits
//
// [sandbox.Limits] hold for all that a script does, native code like that of sort or regular expressions included. Recursion
// ends in a RangeError, which the script can catch, at 4 000 calls or more.
//
// # Errors
//
// [Interpreter.Run] returns one error for each way to fail, and [IsScriptFailure] tells those that are the script's own fault
// from those of the host. The result is there in both cases: what the script had printed is never lost. The engine is a C
// program that has bugs; a script that makes it crash gets a [*sandbox.CrashError], and other runs go on.
package javascript
