// Package egresstest has attacks on the way to the network, for tests of all guests that make requests.
package egresstest

import (
	"context"
	_ "embed"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/net/egress"
	"github.com/toolrun/toolrun/network"
)

//go:embed inward.txt
var inward string

// Inward returns URLs that lead, or could be taken to lead, to the machine itself or to what is near it.
func Inward() []string {
	var all []string
	for line := range strings.Lines(inward) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return all
}

// public is the URL of the only server that can be reached in a trap.
const public = "http://public.example/"

// Trapped returns the requests to make in a trap: public first, which answers, then those of Inward, and redirects to
// each. Some are Public's after all, depending on who reads the URL.
func Trapped() []string {
	all := []string{public}
	for _, address := range Inward() {
		all = append(all, address, public+"?to="+url.QueryEscape(address))
	}
	return all
}

// Trap returns a run that may make any request. All names but public's have a private address. A connection to anything
// but public's server fails the test.
func Trap(t testing.TB) network.Run {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
			return
		}
		fmt.Fprint(w, "public")
	}))
	t.Cleanup(server.Close)
	var policy network.Policy
	policy.Limits = network.Limits{PerRun: network.Unlimited, PerMinute: network.Unlimited}
	for _, text := range []string{"* http://*", "* https://*"} {
		rule, err := network.ParseRule(text)
		require.NoError(t, err)
		policy.Rules = append(policy.Rules, rule)
	}
	const public = "93.184.216.34"
	gate, err := egress.New(egress.Options{
		Policy: &policy,
		Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
			if host == "public.example" {
				return []netip.Addr{netip.MustParseAddr(public)}, nil
			}
			return []netip.Addr{netip.MustParseAddr(public), netip.MustParseAddr("127.0.0.1")}, nil
		},
		Dial: func(ctx context.Context, kind, address string) (net.Conn, error) {
			if address != public+":80" {
				t.Error("a connection to", address)
				return nil, net.ErrClosed
			}
			var d net.Dialer
			return d.DialContext(ctx, kind, server.Listener.Addr().String())
		},
	})
	require.NoError(t, err)
	t.Cleanup(gate.Close)
	return gate.Run("test")
}
