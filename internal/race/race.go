//go:build race

// Package race tells tests whether the race detector runs, which needs memory of its own and makes code several times slower.
package race

// Enabled says that the race detector runs.
const Enabled = true
