//go:build race

package selftest_test

const raceDetector = true
