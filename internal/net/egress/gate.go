package egress

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"time"

	"golang.org/x/time/rate"

	"github.com/toolrun/toolrun/network"
)

// Options configure a gate. Only Policy is required.
type Options struct {
	// Project identifies the project in records.
	Project string
	// Policy is what is allowed.
	Policy *network.Policy
	// Audit, if not nil, gets a record of each request, also of those that are refused and of each redirect, when it
	// has ended. It is called by the goroutines of requests, several at once.
	Audit func(network.Record)
	// Resolve returns the addresses of a host. Nil means the resolver of the system.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial connects to an address that has been checked. Nil means a [net.Dialer].
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Own reports whether a public address is one of this machine, which names lead to only if it is one of
	// [network.Policy].Reachable. Nil means [IsOwn].
	Own func(netip.Addr) bool
	// Roots are the authorities whose certificates are trusted. Nil means those of the system.
	Roots *x509.CertPool
}

// A Gate makes the requests of one project by one policy. Its connections are its own: no other project can tell from
// them what this one does. It is safe for concurrent use.
type Gate struct {
	options   Options
	limits    network.Limits
	transport *http.Transport
	forms     [][]form // of each secret
	striker   *striker // of all secrets, for errors
	rate      *rate.Limiter
}

// Times of connections.
const (
	dialTime      = 10 * time.Second
	handshakeTime = 10 * time.Second
	idleTime      = 30 * time.Second
)

// New returns a gate. The error says what is wrong with the policy.
func New(options Options) (*Gate, error) {
	if options.Policy == nil {
		options.Policy = &network.Policy{}
	}
	if err := options.Policy.Check(); err != nil {
		return nil, err
	}
	g := &Gate{options: options, striker: &striker{}}
	for i := range options.Policy.Secrets {
		forms := formsOf(&options.Policy.Secrets[i])
		g.forms = append(g.forms, forms)
		for _, f := range forms {
			g.striker.add(f)
		}
	}
	var err error
	if g.limits, err = options.Policy.Limits.WithDefaults(); err != nil {
		return nil, err
	}
	g.limits.ResponseSize = min(g.limits.ResponseSize, 1<<60) // sums with it do not overflow
	g.rate = rate.NewLimiter(rate.Inf, 0)
	if n := g.limits.PerMinute; n != network.Unlimited {
		g.rate = rate.NewLimiter(rate.Every(time.Minute/time.Duration(n)), n)
	}
	if g.options.Resolve == nil {
		g.options.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if g.options.Dial == nil {
		g.options.Dial = (&net.Dialer{}).DialContext
	}
	if g.options.Own == nil {
		g.options.Own = IsOwn
	}
	g.transport = &http.Transport{
		DialContext:            g.dial,
		TLSClientConfig:        &tls.Config{RootCAs: options.Roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    handshakeTime,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // it is done here, within limits
		MaxResponseHeaderBytes: g.limits.HeaderSize,
		MaxIdleConns:           16,
		MaxConnsPerHost:        cmp.Or(max(g.limits.AtOnce, 0), 64),
		IdleConnTimeout:        idleTime,
		// What nobody has read yet is in the memory of the host.
		HTTP2: &http.HTTP2Config{MaxReceiveBufferPerStream: 256 << 10, MaxReceiveBufferPerConnection: 1 << 20},
	}
	return g, nil
}

// Close closes connections that are not in use.
func (g *Gate) Close() { g.transport.CloseIdleConnections() }

// Policy returns the gate's policy.
func (g *Gate) Policy() *network.Policy { return g.options.Policy }

// Run returns what makes the requests of one run of code. name identifies it in the audit log.
func (g *Gate) Run(name string) network.Run {
	r := &run{gate: g, name: name}
	if n := g.limits.AtOnce; n != network.Unlimited {
		r.places = make(chan struct{}, n)
	}
	return r
}
