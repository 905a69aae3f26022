//go:build race

// Package race tells tests whether the race detector is on. It needs its own memory and makes code several times
// slower.
package race

// Enabled reports whether the race detector is on.
const Enabled = true
