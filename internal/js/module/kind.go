package module

// A Kind says how the engine runs a file.
type Kind uint8

const (
	// Script is a plain script without imports and exports: it runs in the global scope.
	Script Kind = iota
	// ES is an ECMAScript module.
	ES
	// CommonJS is the body of a function with the parameters exports, require and module.
	CommonJS
	// JSON is a JSON text.
	JSON
)
