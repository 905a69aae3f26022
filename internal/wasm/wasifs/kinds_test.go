package wasifs_test

import "github.com/toolrun/toolrun/internal/wasm/wasifs"

// Short names for tables.
type (
	FS    = *wasifs.FS
	File  = wasifs.File
	Errno = wasifs.Errno
)
