//go:build race

package mcpserver_test

// raceDetector says that the process has memory that the race detector keeps.
const raceDetector = true
