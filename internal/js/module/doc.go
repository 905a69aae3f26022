// Package module finds and prepares the modules that scripts import from their project's files: ES modules, CommonJS
// modules, JSON and TypeScript. It contains no engine.
//
//	loader := &module.Loader{Files: files, Builtins: []string{"fs", "path"}}
//	path, err := loader.Resolve("./parse.ts", "/src/main.js") // /src/parse.ts
//	source, err := loader.Load(ctx, path)                     // source.Kind, source.Code, source.Map
//
// A script that is the body of a function cannot have import declarations: [SplitImports] turns them into calls, and so
// does [StripBody] for TypeScript.
//
// # Hostile input
//
// All input may come from an untrusted script. Only regular files are read, up to a size limit. The package's own lexer
// takes time linear in the source. The TypeScript parser is recursive and cannot be interrupted, so a scan first
// refuses sources that nest too deeply or are too ambiguous, with a [ComplexityError].
//
// # Deviations
//
// Unlike in Node, a name without a path is also looked up in /lib, files that a package's exports do not list can be
// imported, and imports need no extensions. Packages that Node could not load, because they have a form for browsers or
// bundlers only, can be imported as well.
package module
