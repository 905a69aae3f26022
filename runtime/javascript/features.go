package javascript

import (
	"github.com/toolrun/toolrun/runtime/javascript/console"
	"github.com/toolrun/toolrun/runtime/javascript/crypto"
	"github.com/toolrun/toolrun/runtime/javascript/encoding"
	"github.com/toolrun/toolrun/runtime/javascript/fetch"
	"github.com/toolrun/toolrun/runtime/javascript/fs"
	"github.com/toolrun/toolrun/runtime/javascript/host"
	"github.com/toolrun/toolrun/runtime/javascript/intl"
	"github.com/toolrun/toolrun/runtime/javascript/language"
	"github.com/toolrun/toolrun/runtime/javascript/modules"
	"github.com/toolrun/toolrun/runtime/javascript/node"
	"github.com/toolrun/toolrun/runtime/javascript/runs"
	"github.com/toolrun/toolrun/runtime/javascript/streams"
	"github.com/toolrun/toolrun/runtime/javascript/timers"
	"github.com/toolrun/toolrun/runtime/javascript/url"
	"github.com/toolrun/toolrun/runtime/javascript/zlib"
)

// features are the capabilities of scripts, in the order in which their preludes run.
var features = host.NewSet(
	language.Feature, console.Feature, timers.Feature, fs.Feature, encoding.Feature, crypto.Feature, url.Feature,
	node.Feature, modules.Feature, intl.Feature, streams.Feature, zlib.Feature, fetch.Feature, runs.Feature, driver,
)

// builtins are the built-in modules, without "node:". The prelude defines the first ones.
var builtins = append([]string{"path", "path/posix"}, features.ModuleNames()...)
