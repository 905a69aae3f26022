//go:build race

package procmem_test

// raceDetector says that the process has memory that the race detector keeps.
const raceDetector = true
