package cli

import (
	"runtime/debug"
	"time"
)

// startTime is longer than a command takes to start.
const startTime = time.Second

// startQuickly lets the heap grow to 16 MiB before garbage is collected for the first time. What a start allocates
// stays in use, so collecting there takes a twentieth of its processor time to no effect.
func (h *Host) startQuickly() {
	if h.collects() {
		usual := debug.SetGCPercent(400)
		time.AfterFunc(startTime, func() { debug.SetGCPercent(usual) })
	}
}

// collects reports whether the command chooses how garbage is collected: in a process of its own, unless the user does.
func (h *Host) collects() bool { return h.Alone && h.getenv("GOGC") == "" }
