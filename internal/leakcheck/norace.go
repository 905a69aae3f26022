//go:build !race

package leakcheck

const raceDetector = false
