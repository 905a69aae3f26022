package mcpclient

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"

	"github.com/toolrun/toolrun/registry"
)

// Options configure a [Set].
type Options struct {
	// Base provides the tools of other origins and the middleware. Nil means none.
	Base *registry.Registry
	// LookupEnv looks up variables of the environment, as os.LookupEnv does: for ${NAME} in the configuration, and
	// PATH, HOME and some others for processes. Nil means an empty environment.
	LookupEnv func(name string) (value string, ok bool)
	// Dir is the working directory of processes, unless the configuration says another, which is relative to it. Empty
	// means that of the program.
	Dir string
	// Silent, if not nil, is called once for each server that [Open] waits for and that has sent nothing for five
	// seconds. Several goroutines can call it at once.
	Silent func(server string)
	// Logger gets events of servers, their log records, and at debug level their standard error. Repeated records
	// may be dropped. A changed description of a tool is a warning. Nil logs nothing.
	Logger *slog.Logger
	// ConnectTimeout limits the time to start and greet a server, and again to list its tools. Over HTTP each answer
	// must also come within 30 seconds. Zero means a minute: a server may have to be downloaded first.
	ConnectTimeout time.Duration
	// MaxMessage limits a message of a server, and all pages of a list together, in bytes. A server that sends more is
	// disconnected. Zero means [DefaultMaxMessage].
	MaxMessage int
	// MaxTools limits how many tools of each server are offered; further ones are left out. Zero means
	// [DefaultMaxTools].
	MaxTools int
	// Transport makes HTTP requests. Nil means a transport for each server from net/http, without a proxy.
	Transport http.RoundTripper
	// ClientName and ClientVersion identify this client to servers. Empty means "toolrun" and "(devel)".
	ClientName, ClientVersion string
}

// Defaults of [Options].
const (
	DefaultMaxMessage = 10 << 20
	DefaultMaxTools   = 512
)

func (o *Options) withDefaults() Options {
	var all Options
	if o != nil {
		all = *o
	}
	all.Base = cmp.Or(all.Base, new(registry.Registry))
	all.ConnectTimeout = cmp.Or(max(all.ConnectTimeout, 0), time.Minute)
	all.MaxMessage = cmp.Or(max(all.MaxMessage, 0), DefaultMaxMessage)
	all.MaxTools = cmp.Or(max(all.MaxTools, 0), DefaultMaxTools)
	all.ClientName = cmp.Or(all.ClientName, "toolrun")
	all.ClientVersion = cmp.Or(all.ClientVersion, "(devel)")
	return all
}
