// Package quickstart lets the command start without collecting garbage, since what it allocates then stays in use.
// Without it, the first collection begins among the initialisations of packages, and takes a tenth of a start. Import
// it for this effect alone, in package main.
package quickstart

import (
	"os"
	"runtime/debug"
	"time"
)

// startTime is longer than a command takes to start.
const startTime = time.Second

// This comes early among the initialisations, since nothing is imported that takes long. In main it would be too late:
// changing the percentage waits for a collection that has begun.
func init() {
	if os.Getenv("GOGC") == "" {
		usual := debug.SetGCPercent(400) // of 4 MiB at first
		time.AfterFunc(startTime, func() { debug.SetGCPercent(usual) })
	}
}
