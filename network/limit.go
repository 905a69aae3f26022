package network

import (
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// limitNames are the limits that [Limits.Set] knows.
const limitNames = "time, request, response, headers, redirects, run, minute and together"

// Set sets one limit from a text such as "response=10MB": time is [Limits].Time, request and response are the sizes of
// bodies, headers that of headers, redirects is Redirects, run is PerRun, minute is PerMinute, and together is AtOnce.
// A size is a number of bytes, or of KB, MB, KiB or MiB; a time is as [time.ParseDuration] reads it. "unlimited" means
// no limit.
func (l *Limits) Set(text string) error {
	name, value, _ := strings.Cut(text, "=")
	bad := func(format string, args ...any) error {
		return fmt.Errorf("the network limit %q: %s", text, fmt.Sprintf(format, args...))
	}
	numbers := map[string]*int{
		"redirects": &l.Redirects, "run": &l.PerRun, "minute": &l.PerMinute, "together": &l.AtOnce,
	}
	sizes := map[string]*int64{"request": &l.RequestSize, "response": &l.ResponseSize, "headers": &l.HeaderSize}
	unlimited := value == "unlimited"
	switch {
	case name == "time":
		d, err := time.ParseDuration(value)
		if unlimited {
			d = Unlimited
		} else if err != nil || d <= 0 {
			return bad("write a time, as in time=10s, or unlimited")
		}
		l.Time = d
	case numbers[name] != nil:
		n, err := strconv.ParseInt(value, 10, 32)
		if unlimited {
			n = Unlimited
		} else if err != nil || n <= 0 {
			return bad("write a number from 1 on, or unlimited")
		}
		*numbers[name] = int(n)
	case sizes[name] != nil:
		n, ok := parseSize(value)
		if unlimited && name != "headers" {
			n = Unlimited
		} else if !ok {
			return bad("write a size, as in %s=10MB", name)
		}
		*sizes[name] = n
	default:
		return bad("there are %s", limitNames)
	}
	return nil
}

func parseSize(text string) (int64, bool) {
	unit := int64(1)
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"KB", 1e3}, {"MB", 1e6}, {"KiB", 1 << 10}, {"MiB", 1 << 20}} {
		if number, ok := strings.CutSuffix(text, u.name); ok {
			text, unit = number, u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit {
		return 0, false
	}
	return n * unit, true
}

// ParseReachable reads what can be in [Policy].Reachable: an address such as 10.0.0.5, or a network such as 10.0.0.0/8.
func ParseReachable(text string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(text); err == nil && address.Zone() == "" {
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil || prefix != prefix.Masked() {
		return netip.Prefix{}, fmt.Errorf(
			"%q is neither an address nor a network, such as 10.0.0.5 or 10.0.0.0/8", text)
	}
	return prefix, nil
}
