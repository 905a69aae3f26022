package javascript

// WithEngineModules lets a script import the engine's own modules, qjs:std and so on, to show that they can do nothing.
func WithEngineModules(o RunOptions) RunOptions {
	o.engineModules = true
	return o
}
