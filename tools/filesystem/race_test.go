//go:build race

package filesystem_test

const raceDetector = true
