//go:build race

package registry_test

// raceDetector says that the process has memory that the race detector keeps.
const raceDetector = true
