package mcpserver

import (
	"time"

	"github.com/toolrun/toolrun/internal/budget"
)

// memorySizes are what the messages of a handler, or of a session over streams, may take together.
var memorySizes = budget.Sizes{Small: 12 << 20, Reading: 6 << 20, Decoding: 12 << 20}

// What a message costs in bytes, beside its own: each, each byte of what the SDK gets, each byte of arguments, and
// each value in those.
const (
	costMessage   = 4 << 10
	costSDK       = 12
	costArguments = 2
	costValue     = 100
)

// patience is how long a message waits for room.
const patience = 3 * time.Second

func newMemory(share int64) *budget.Memory { return budget.New(memorySizes, share) }
