package network

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// A Policy says which requests may be made. The zero value, and nil, allow none. Do not change a policy that is in use.
type Policy struct {
	// Rules allow requests. A request needs one that matches it, and so does each address that it is redirected to.
	Rules []Rule
	// Secrets can be used in requests, without being seen.
	Secrets []Secret
	// Reachable are the addresses that may be reached although they are not public, or are those of this machine. An
	// address that is the host of a rule, such as http://127.0.0.1:8080, needs not be here.
	Reachable []netip.Prefix
	// Limits bound requests. The zero value has safe defaults.
	Limits Limits
}

// Unlimited as a limit's value means no limit. Zero means the default.
const Unlimited = -1

// Limits bound requests. Zero means the default, [Unlimited] no limit.
type Limits struct {
	// Time is how long a request may take, with its redirects and until its response has been read: 30 seconds by
	// default.
	Time time.Duration
	// RequestSize is the largest body of a request, and ResponseSize that of a response, after decompression, in bytes:
	// 10 and 32 MiB by default.
	RequestSize, ResponseSize int64
	// HeaderSize is how large the headers of a request, and those of a response, can be together, in bytes: 64 KiB by
	// default. It cannot be unlimited.
	HeaderSize int64
	// Redirects is how many redirects are followed for one request: 10 by default.
	Redirects int
	// PerRun is how many requests one run can make, redirects counted, and PerMinute how many all runs of a project
	// can: 100 and 600 by default.
	PerRun, PerMinute int
	// AtOnce is how many requests of one run can be in progress, 8 by default; others wait.
	AtOnce int
}

// WithDefaults returns the limits with defaults in the place of zeros.
func (l Limits) WithDefaults() (Limits, error) {
	l.Time = cmp.Or(l.Time, 30*time.Second)
	l.RequestSize = cmp.Or(l.RequestSize, 10<<20)
	l.ResponseSize = cmp.Or(l.ResponseSize, 32<<20)
	l.HeaderSize = cmp.Or(l.HeaderSize, 64<<10)
	l.Redirects = cmp.Or(l.Redirects, 10)
	l.PerRun = cmp.Or(l.PerRun, 100)
	l.PerMinute = cmp.Or(l.PerMinute, 600)
	l.AtOnce = cmp.Or(l.AtOnce, 8)
	if l.HeaderSize < 0 {
		return l, errors.New("network: Limits.HeaderSize is negative")
	}
	for name, n := range map[string]int64{
		"Time":         int64(l.Time),
		"RequestSize":  l.RequestSize,
		"ResponseSize": l.ResponseSize,
		"Redirects":    int64(l.Redirects),
		"PerRun":       int64(l.PerRun),
		"PerMinute":    int64(l.PerMinute),
		"AtOnce":       int64(l.AtOnce),
	} {
		if n < Unlimited {
			return l, fmt.Errorf("network: Limits.%s is %d", name, n)
		}
	}
	return l, nil
}

// Check returns what is wrong with a policy, or nil.
func (p *Policy) Check() error {
	if p == nil {
		return nil
	}
	for _, r := range p.Rules {
		if err := r.check(); err != nil {
			return err
		}
	}
	names := map[string]bool{}
	for _, s := range p.Secrets {
		if err := s.check(); err != nil {
			return err
		}
		if names[s.Name] {
			return fmt.Errorf("network: there are two secrets called %s", s.Name)
		}
		names[s.Name] = true
	}
	for _, r := range p.Reachable {
		if !r.IsValid() {
			return errors.New("network: one of Policy.Reachable is not valid")
		}
	}
	_, err := p.Limits.WithDefaults()
	return err
}

// On reports whether the policy allows any request.
func (p *Policy) On() bool { return p != nil && len(p.Rules) > 0 }
