package local_test

import "github.com/toolrun/toolrun/vfs/internal/storetest"

var (
	stores       = storetest.Stores
	openProject  = storetest.Open
	forEachStore = storetest.Each
	read         = storetest.Read
	write        = storetest.Write
	snapshot     = storetest.Snapshot
)
