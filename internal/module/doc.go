// Package module finds and prepares the modules that scripts import from their project's files: ES modules, CommonJS
// modules, JSON and TypeScript. There is no engine in it.
//
//	loader := &module.Loader{Files: files, Builtins: []string{"fs", "path"}}
//	path, err := loader.Resolve("./parse.ts", "/src/main.js") // /src/parse.ts
//	source, err := loader.Load(ctx, path)                     // source.Kind, source.Code, source.Map
//
// A script that is itself the body of a function cannot have import declarations: [SplitImports] turns them into calls,
// and [StripTypes] does that too for TypeScript, with [StripOptions].Body.
//
// # Hostile input
//
// All of this works on what an untrusted script has written. Files are read up to a size, and only regular ones. The
// package's own lexer takes time linear in the source. The TypeScript parser is a recursive one that cannot be
// interrupted, so a source reaches it only if a scan has found that it does not nest too deeply, and that the parser will
// not have to try too many readings of it; otherwise there is a [ComplexityError].
//
// # Deviations
//
// Unlike in Node, a name without a path is looked for in /lib too, and files that the exports of a package do not list can
// be imported. Conditions in exports are those of import before those of require, whatever their order.
package module
