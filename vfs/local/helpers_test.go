package local_test

import (
	"context"
	"flag"

	"github.com/toolrun/toolrun/internal/test/storetest"
)

var (
	stores       = storetest.Stores
	openProject  = storetest.Open
	forEachStore = storetest.Each
	read         = storetest.Read
	write        = storetest.Write
	snapshot     = storetest.Snapshot
	openIn       = storetest.OpenIn

	filesOfTheHost    = storetest.FilesOfTheHost
	requireExactUsage = storetest.RequireExactUsage
)

// soak makes tests that look for rare failures run for minutes instead of seconds.
var soak = flag.Bool("soak", false, "run the long versions of tests")

// ctxOf is the context of operations that nobody stops.
func ctxOf() context.Context { return context.Background() }
