package sameorigin_test

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/sameorigin"
)

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
