package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"

	"github.com/toolrun/toolrun/network"
)

// maxAddresses is how many addresses of a host are tried.
const maxAddresses = 4

// dial connects to a host by one of its addresses, all of which have been checked.
func (g *Gate) dial(ctx context.Context, protocol, hostPort string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, failure(network.KindInvalid, "%q is not a host with a port", hostPort)
	}
	// The transport goes on with a connection when its request has ended.
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	addresses, err := g.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, address := range addresses[:min(len(addresses), maxAddresses)] {
		conn, err := g.options.Dial(ctx, protocol, net.JoinHostPort(address.String(), port))
		if err == nil {
			return conn, nil
		}
		if errs = append(errs, err); ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(errs...)
}

// addresses returns the addresses of a host. If there is one among them that may not be reached, none is.
func (g *Gate) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	policy := g.options.Policy
	if address, ok := network.AddressOf(host); ok {
		// An address that is the host of a rule has been allowed by whoever wrote it.
		named := slices.ContainsFunc(policy.Rules, func(r network.Rule) bool {
			named, ok := network.AddressOf(r.Host)
			return ok && named == address
		})
		if !named && !g.reaches(address) {
			return nil, notReachable(host)
		}
		return []netip.Addr{address}, nil
	}
	found, err := g.options.Resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	addresses := make([]netip.Addr, len(found))
	for i, address := range found {
		if !g.reaches(address) {
			return nil, notReachable(host)
		}
		addresses[i] = address.Unmap()
	}
	return addresses, nil
}

// reaches reports whether an address may be reached.
func (g *Gate) reaches(address netip.Addr) bool {
	policy := g.options.Policy
	if !network.IsPublic(address) {
		return policy.Reaches(address)
	}
	allowed := slices.ContainsFunc(policy.Reachable, func(p netip.Prefix) bool { return p.Contains(address) })
	return allowed || !g.options.Own(address)
}

// IsOwn reports whether an address is one of this machine.
func IsOwn(address netip.Addr) bool {
	addresses, err := net.InterfaceAddrs()
	if err == nil {
		return slices.ContainsFunc(addresses, func(a net.Addr) bool {
			prefix, err := netip.ParsePrefix(a.String())
			return err == nil && prefix.Addr().Unmap() == address
		})
	}
	// Some filters of system calls keep them secret. What is sent to an own address comes from it. This sends nothing.
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(address, 9)))
	if err != nil {
		return false
	}
	defer conn.Close()
	from, ok := conn.LocalAddr().(*net.UDPAddr)
	return ok && from.AddrPort().Addr().Unmap() == address
}

func notReachable(host string) *network.Error {
	return failure(network.KindAddress, "%s is not a public host: only public addresses can be reached, "+
		"and those that whoever runs this allows with --reach", host)
}
