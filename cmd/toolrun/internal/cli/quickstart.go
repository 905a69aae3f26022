package cli

import (
	"os"
	"runtime/debug"
	"sync"
	"time"
)

// startTime is longer than a command takes to start.
const startTime = time.Second

// startQuickly lets the heap grow to 16 MiB before garbage is collected for the first time. What a start allocates
// stays in use, so collecting there takes a twentieth of its processor time to no effect.
var startQuickly = sync.OnceFunc(func() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(400)
	time.AfterFunc(startTime, func() { debug.SetGCPercent(usual) })
})
