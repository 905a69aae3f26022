package clientaddr_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/net/clientaddr"
)

func TestNetwork(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1:80": "192.0.2.1/32", "[::ffff:192.0.2.1]:80": "192.0.2.1/32", "[2001:db8::1]:1": "2001:db8::/64",
		"[fe80::1%eth0]:1": "fe80::/64", "@": "invalid Prefix", "": "invalid Prefix",
	} {
		require.Equal(t, want, clientaddr.Network(address).String(), address)
	}
}
