// Package clientaddr tells clients apart by their addresses.
package clientaddr

import "net/netip"

// Network is what clients are counted by: an IPv4 address, or the IPv6 network that one customer usually has. The
// address is as in [net/http.Request.RemoteAddr], with a port. Clients without an address count as one network.
func Network(address string) netip.Prefix {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return netip.Prefix{}
	}
	ip, bits := at.Addr().Unmap(), 32
	if ip.Is6() {
		bits = 64
	}
	prefix, _ := ip.WithZone("").Prefix(bits)
	return prefix
}
