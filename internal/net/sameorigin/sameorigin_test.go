package sameorigin_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/net/sameorigin"
)

// TestRefusalsSayWhatToDo: a name is quoted, and given as a flag if it can be one.
func TestRefusalsSayWhatToDo(t *testing.T) {
	server := &sameorigin.Server{OriginAdvice: "; ask"}
	r := httptest.NewRequest("GET", "/", nil)
	r.Host = "Tools.example.com:8080"
	require.Equal(
		t, `this server is not for the host "Tools.example.com:8080"; `+
			`to allow it, start toolrun with --allow-host tools.example.com`,
		server.Refuse(r),
	)
	r.Host = "a'; rm -rf $HOME\n"
	require.Contains(t, server.Refuse(r), "--allow-host NAME")
	r.Host = "localhost"
	r.Header.Set("Origin", "https://evil.example")
	require.Equal(t, `this server is not for pages from "https://evil.example"; ask`, server.Refuse(r))
}

// TestTheAddressOfAConnection: an address is no name that somebody else could point at this machine.
func TestTheAddressOfAConnection(t *testing.T) {
	at := &net.TCPAddr{IP: net.ParseIP("192.0.2.1"), Port: 8080}
	for host, own := range map[string]bool{"192.0.2.1:8080": true, "192.0.2.1": true, "[::ffff:192.0.2.1]:8080": true,
		"192.0.2.2:8080":         false,
		"192.0.2.1.evil.example": false, "3221225985": false} {
		r := httptest.NewRequest("GET", "/", nil)
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(at)))
		r.Host = host
		require.Equal(t, own, (&sameorigin.Server{}).Refuse(r) == "", host)
	}
}

func TestRequestsFromElsewhereAreRefused(t *testing.T) {
	server := &sameorigin.Server{Hosts: []string{"tools.example.com"}, Origins: []string{"https://app.example.com"}}
	for name, test := range map[string]struct {
		host, origin string
		refused      bool
	}{
		"the loopback by name":          {"localhost:8080", "", false},
		"by its address":                {"127.0.0.1:8080", "http://127.0.0.1:8080", false},
		"by its address of IPv6":        {"[::1]:8080", "http://[::1]:8080", false},
		"a name that is allowed":        {"tools.example.com", "https://tools.example.com", false},
		"an origin that is allowed":     {"localhost", "https://app.example.com", false},
		"a name that points to us":      {"evil.example:8080", "", true},
		"a name that begins like ours":  {"localhost.evil.example", "", true},
		"another port":                  {"localhost:8080", "http://localhost:9090", true},
		"another page":                  {"localhost:8080", "https://evil.example", true},
		"an origin that is opaque":      {"localhost:8080", "null", true},
		"an origin that begins as ours": {"localhost:8080", "http://localhost:8080.evil.example", true},
		"user information":              {"localhost:8080", "http://localhost:8080@evil.example", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/", nil)
			r.Host = test.host
			if test.origin != "" {
				r.Header.Set("Origin", test.origin)
			}
			require.Equal(t, test.refused, server.Refuse(r) != "", server.Refuse(r))
		})
	}
}
