//go:build !race

package procmem_test

const raceDetector = false
