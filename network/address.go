package network

import (
	"net/netip"
	"slices"
)

// notPublic are the addresses that are not those of public hosts, and those that stand for others.
//
// See https://www.iana.org/assignments/iana-ipv4-special-registry and
// https://www.iana.org/assignments/iana-ipv6-special-registry.
var notPublic = func() (all []netip.Prefix) {
	for _, prefix := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8",
		"169.254.0.0/16", // the metadata services of clouds, too
		"172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
		"192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"168.63.129.16/32", // Azure's services
		"224.0.0.0/4", "240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
	} {
		all = append(all, netip.MustParsePrefix(prefix))
	}
	return all
}()

// public6 are the IPv6 addresses that public hosts can have. The others stand for IPv4 addresses, are those of links,
// groups or private networks, are kept for special purposes, or are free, and some overlay networks use these.
//
// See https://www.iana.org/assignments/ipv6-address-space.
var public6 = netip.MustParsePrefix("2000::/3")

// IsPublic reports whether an address can be that of a public host. Those of this machine, of private networks, links
// and groups, those that stand for an IPv4 address, and reserved ones are not.
func IsPublic(address netip.Addr) bool {
	if !address.IsValid() || address.Zone() != "" || address.Is6() && !public6.Contains(address) {
		return false
	}
	return !slices.ContainsFunc(notPublic, func(prefix netip.Prefix) bool { return prefix.Contains(address) })
}

// Reaches reports whether the policy lets requests reach an address: it is public, or one of Reachable. That a public
// address can be one of this machine is not looked at here.
func (p *Policy) Reaches(address netip.Addr) bool {
	if IsPublic(address) {
		return true
	}
	for _, prefix := range p.Reachable {
		if address.Zone() == "" && (prefix.Contains(address) || prefix.Contains(address.Unmap())) {
			return true
		}
	}
	return false
}
