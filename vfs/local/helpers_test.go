package local_test

import (
	"context"

	"github.com/toolrun/toolrun/vfs/internal/storetest"
)

var (
	stores       = storetest.Stores
	openProject  = storetest.Open
	forEachStore = storetest.Each
	read         = storetest.Read
	write        = storetest.Write
	snapshot     = storetest.Snapshot
)

// ctxOf is the context of operations that nobody stops.
func ctxOf() context.Context { return context.Background() }
