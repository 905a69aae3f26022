package network

import "net/netip"

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
		"::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", // IPv4 in other clothes
		"64:ff9b::/96", "64:ff9b:1::/48", // IPv4 behind a translator
		"100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20", "5f00::/16",
		"fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
	} {
		all = append(all, netip.MustParsePrefix(prefix))
	}
	return all
}()

// IsPublic reports whether an address is one that public hosts have: none of this machine, of private networks, of a
// link or a group, and none that stands for an IPv4 address or is kept for special purposes.
func IsPublic(address netip.Addr) bool {
	if !address.IsValid() || address.Zone() != "" {
		return false
	}
	for _, prefix := range notPublic {
		if prefix.Contains(address) || address.Is4In6() && prefix.Contains(address.Unmap()) {
			return false
		}
	}
	return address.IsGlobalUnicast() && !address.Is4In6()
}

// Reaches reports whether the policy lets requests reach an address: it is public, or one of Reachable.
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
