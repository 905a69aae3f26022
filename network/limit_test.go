package network_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/network"
)

func TestSettingLimits(t *testing.T) {
	var l network.Limits
	for _, text := range []string{"time=1m30s", "request=5", "response=10MB", "headers=8KiB", "redirects=unlimited",
		"run=7", "minute=unlimited", "together=1"} {
		require.NoError(t, l.Set(text))
	}
	require.Equal(t, network.Limits{Time: 90 * time.Second, RequestSize: 5, ResponseSize: 10e6, HeaderSize: 8 << 10,
		Redirects: network.Unlimited, PerRun: 7,
		PerMinute: network.Unlimited, AtOnce: 1}, l)
	for _, text := range []string{"", "run", "run=", "run=0", "run=-1", "run=1.5", "run=99999999999", "time=5",
		"time=-5s", "time=0s", "response=1GBit", "response=MB",
		"response=9223372036854775807MB", "headers=unlimited", "Run=1", "other=1", "run=UNLIMITED"} {
		before := l
		require.ErrorContains(t, l.Set(text), "the network limit", text)
		require.Equal(t, before, l)
	}
}

func TestReachable(t *testing.T) {
	for text, want := range map[string]string{"10.0.0.5": "10.0.0.5/32", "10.0.0.0/8": "10.0.0.0/8",
		"fd00::1": "fd00::1/128", "fd00::/8": "fd00::/8"} {
		got, err := network.ParseReachable(text)
		require.NoError(t, err)
		require.Equal(t, netip.MustParsePrefix(want), got)
	}
	for _, text := range []string{"", "10.0.0.5/8", "10.0.0", "db.internal", "fe80::1%eth0", "10.0.0.0/33",
		"http://10.0.0.5"} {
		_, err := network.ParseReachable(text)
		require.Error(t, err, text)
	}
}
