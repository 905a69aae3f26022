//go:build race

package leakcheck

// raceDetector says that the process has memory that the race detector keeps, as much as there is work.
const raceDetector = true
