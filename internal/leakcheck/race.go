//go:build race

package leakcheck

// raceDetector is set when the race detector is on. Its own memory grows with the work done.
const raceDetector = true
