package mcpclient

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/toolrun/toolrun/registry"
)

// Options are how a [Set] is made.
type Options struct {
	// Base has the tools that are there besides those of servers, and the middleware. Nil means none.
	Base *registry.Registry
	// LookupEnv gives variables of the environment, as os.LookupEnv does: for ${NAME} in the configuration, and PATH, HOME and
	// some others for processes. Nil means that there are none.
	LookupEnv func(name string) (value string, ok bool)
	// Logger gets what happens to servers, what they log, and at debug level their standard error. Nil means that nothing is logged.
	// What a server says too often is lost. That a server says something else of a tool than before is a warning.
	Logger *slog.Logger
	// ConnectTimeout is how long a server may take to start and to greet, and how long to list its tools; over HTTP each answer must
	// come within 30 seconds as well. Zero means [DefaultConnectTimeout].
	ConnectTimeout time.Duration
	// MaxMessage is how many bytes a message of a server may have, and all pages of a list together. One that sends more is
	// disconnected. Zero means [DefaultMaxMessage].
	MaxMessage int
	// MaxTools is how many tools of each server are offered, the first ones. Zero means [DefaultMaxTools].
	MaxTools int
	// Transport makes HTTP requests. Nil means one of Go's for each server, without a proxy.
	Transport http.RoundTripper
	// ClientName and ClientVersion are what servers are told. Empty means "toolrun" and "(devel)".
	ClientName, ClientVersion string
}

// What holds unless options say otherwise.
const (
	DefaultConnectTimeout = time.Minute // a server may have to be downloaded first
	DefaultMaxMessage     = 10 << 20
	DefaultMaxTools       = 512
)

func (o *Options) withDefaults() Options {
	var all Options
	if o != nil {
		all = *o
	}
	if all.Base == nil {
		all.Base = new(registry.Registry)
	}
	if all.ConnectTimeout <= 0 {
		all.ConnectTimeout = DefaultConnectTimeout
	}
	if all.MaxMessage <= 0 {
		all.MaxMessage = DefaultMaxMessage
	}
	if all.MaxTools <= 0 {
		all.MaxTools = DefaultMaxTools
	}
	if all.ClientName == "" {
		all.ClientName = "toolrun"
	}
	if all.ClientVersion == "" {
		all.ClientVersion = "(devel)"
	}
	return all
}
