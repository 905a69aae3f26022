package runtime

import (
	"fmt"
	"time"
)

// Unlimited as a limit's value means no limit. Zero means the default.
const Unlimited = -1

// Defaults of [Limits] and [EngineOptions].
const (
	DefaultTime        = 60 * time.Second
	DefaultMemory      = 64 << 20 // bytes
	DefaultOutput      = 1 << 20  // bytes
	DefaultMaxRuns     = 16
	DefaultMaxIdle     = 16
	DefaultImageMemory = 256 << 20 // bytes
)

// The least and the most that a memory limit can be, in bytes.
const (
	MinMemory = 4 << 20
	MaxMemory = 1 << 30
)

// Limits are the limits of one run. The zero value has safe defaults.
type Limits struct {
	// Time is the wall-clock time that the run may take, from its start to its end, waiting included. Zero means
	// DefaultTime; with Unlimited only the context ends the run.
	Time time.Duration

	// Memory is the most memory that the guest may have, in bytes, in whole pages of 64 KiB. The guest's own memory
	// is part of it: the JavaScript engine has 4 MiB from the start, half of it for scripts. Zero means
	// DefaultMemory. It cannot be unlimited: the range is MinMemory to MaxMemory. The host may hold a few times as
	// much while it works for the run.
	Memory int64

	// Output is the most that the console and the result may have together, in bytes of UTF-8 and 48 more for each
	// console entry. A quarter of it is reserved for the result. Output beyond it is cut off and counted. Zero
	// means DefaultOutput, Unlimited as much as Memory.
	Output int

	// Work is the most work that the run may do, including the host's work for it, in units of [Usage].Work. Zero
	// and Unlimited both mean no limit. Work does not depend on the machine, so code that stays below the limit
	// does so everywhere.
	Work int64
}

func (l Limits) withDefaults() (Limits, error) {
	if l.Time == 0 {
		l.Time = DefaultTime
	}
	if l.Memory == 0 {
		l.Memory = DefaultMemory
	}
	if l.Output == 0 {
		l.Output = DefaultOutput
	}
	if l.Work == 0 {
		l.Work = Unlimited
	}
	switch {
	case l.Time < 0 && l.Time != Unlimited:
		return l, fmt.Errorf("runtime: Limits.Time is %v", l.Time)
	case l.Memory < MinMemory || l.Memory > MaxMemory:
		return l, fmt.Errorf("runtime: Limits.Memory is %d, which is not between %d and %d bytes",
			l.Memory, MinMemory, MaxMemory)
	case l.Output < 0 && l.Output != Unlimited:
		return l, fmt.Errorf("runtime: Limits.Output is %d", l.Output)
	case l.Work < 0 && l.Work != Unlimited:
		return l, fmt.Errorf("runtime: Limits.Work is %d", l.Work)
	}
	if l.Output == Unlimited {
		l.Output = int(l.Memory)
	}
	return l, nil
}
