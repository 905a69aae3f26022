package network_test

import (
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/network"
)

func TestRules(t *testing.T) {
	for _, test := range []struct {
		rule     string
		yes, not []string // "METHOD URL"
	}{
		{"https://example.com",
			[]string{"GET https://example.com/", "HEAD https://EXAMPLE.com:443/a/b?c#d",
				"GET https://example.com/%2e%2e%2fx"},
			[]string{"POST https://example.com/", "GET http://example.com/", "GET https://example.com:8443/",
				"GET https://www.example.com/",
				"GET https://example.com./", "GET https://example.org/", "GET https://xexample.com/",
				"GET https://example.com.evil.org/"}},
		{"GET,POST https://*.example.com:8443/a/*/c",
			[]string{"POST https://x.example.com:8443/a/b/c", "GET https://a.b.example.com:8443/a//../b/c?x"},
			[]string{"GET https://example.com:8443/a/b/c", "GET https://x.example.com/a/b/c",
				"GET https://x.example.com:8443/a/b/c/d",
				"GET https://x.example.com:8443/a/b", "PUT https://x.example.com:8443/a/b/c",
				"GET https://x.example.com:8443/a/%2Fb/c",
				"GET https://evilexample.com:8443/a/b/c"}},
		{"GET https://api.example.com/repos/**",
			[]string{"GET https://API.Example.com:443/repos/\u00fc?/../x#/../y",
				"GET https://api.example.com/repos/a%20b|c",
				"GET https://api.example.com/repos/.git/a.%20/%20b/..a/b..",
				"GET https://api.example.com/repos/\u00bd\ufb01",
				"GET https://api.example.com/repos/", "GET https://api.example.com/repos/a/b",
				"GET https://api.example.com/repos/x/../b"},
			[]string{"GET https://api.example.com/repos", "GET https://api.example.com/",
				"GET https://api.example.com/repos/../admin",
				"GET https://api.example.com/repos/%2e%2e/admin", "GET https://api.example.com/repos/..%2fadmin",
				"GET https://api.example.com/repos/a%2F..%2F..%2Fadmin",
				"GET https://api.example.com/repos/..;/admin", "GET https://api.example.com/repos//admin",
				"GET https://api.example.com/repos/%252e%252e/admin",
				`GET https://api.example.com/repos/..\..\admin`, "GET https://api.example.com/reposx/a",
				"GET https://api.example.com/repos/..%3b/admin",
				"GET https://api.example.com/repos/a%3F/admin", "GET https://api.example.com/repos/a%23",
				"GET https://api.example.com/repos/%c0%ae%c0%ae/admin",
				"GET https://api.example.com/repos/a%0d%0ab", "GET https://api.example.com/repos/%zz",
				"GET https://api.example.com/REPOS/a",
				"GET https://api.example.com/repos?/a", "GET https://api.example.com/repos#/a",
				"GET https://api.example.com/?/repos/a",
				"GET https://api.example.com/repos/..%20/admin", "GET https://api.example.com/repos/.%20./admin",
				"GET https://api.example.com/repos/.../admin",
				"GET https://api.example.com/repos/%20/admin", "GET https://api.example.com/repos/\uff0e\uff0e/admin",
				"GET https://api.example.com/repos/..%EF%BC%8Fadmin",
				"GET https://api.example.com/repos/\u2025/admin",
				"GET https://api.example.com/repos/a\ufe68..\ufe68admin",
				"GET https://api.example.com/repos/a\uff1fb",
				"GET https://api.example.com/repos/a\uff1bb", "GET https://api.example.com/repos/..\u2044admin",
				"GET https://api.example.com/repos/..\u2215admin",
				"GET https://api.example.com/repos/\uff05\uff12\uff45", "GET https://api.example.com/repos/a\u2100",
				"GET https://api.example.com/repos/..%E2%88%96admin",
				"GET https://api.example.com/repos/%u002e%u002e/admin",
				"GET https://api.example.com/%72epos/a", "GET https://api.example.com:80/repos/a",
				"GET https://.api.example.com/repos/a"}},
		{"https://example.com/a*b*c", []string{"GET https://example.com/abc", "GET https://example.com/axbxxc"},
			[]string{"GET https://example.com/ab", "GET https://example.com/a/b/c", "GET https://example.com/xabc",
				"GET https://example.com/abcx"}},
		{"* https://*", []string{"DELETE https://anything.example/x"}, []string{"GET http://anything.example/",
			"GET https://1.1.1.1/", "GET https://[2606:4700::1]/"}},
		{"https://BÜCHER.example/ü", []string{"GET https://bücher.example/%C3%BC",
			"GET https://xn--bcher-kva.example/ü"}, []string{"GET https://bucher.example/%C3%BC"}},
		{"http://127.0.0.1:8080", []string{"GET http://0x7f.1:8080/x"}, []string{"GET http://127.0.0.2:8080/",
			"GET http://127.0.0.1/"}},
		{"http://[::1]:80", []string{"GET http://[0:0::1]/"}, []string{"GET http://[::2]/"}},
	} {
		rule, err := network.ParseRule(test.rule)
		require.NoError(t, err, test.rule)
		again, err := network.ParseRule(rule.String())
		require.NoError(t, err)
		require.Equal(t, rule, again)
		p := &network.Policy{Rules: []network.Rule{rule}}
		require.NoError(t, p.Check())
		for want, requests := range map[bool][]string{true: test.yes, false: test.not} {
			for _, request := range requests {
				var method, address string
				method, address = cut(request)
				found, err := p.Allows(method, address)
				require.NoError(t, err, request)
				require.Equal(t, want, found != nil, "%s: %s", test.rule, request)
			}
		}
	}
	none, err := (*network.Policy)(nil).Allows("GET", "https://example.com/")
	require.NoError(t, err)
	require.Nil(t, none)
}

func cut(request string) (method, address string) {
	for i := range request {
		if request[i] == ' ' {
			return request[:i], request[i+1:]
		}
	}
	return "", request
}

func TestInvalidRules(t *testing.T) {
	for _, text := range []string{
		"", "example.com", "ftp://example.com", "https://", "https:///x", "https://*.com", "https://*.127.0.0.1",
		"https://a*.example.com", "https://*.*.example.com",
		"https://user@example.com", "https://example.com/?q", "https://example.com/#x", "https://example.com:99999",
		"https://example.com/a/../b",
		"https://example.com/**/a", "https://example.com/a**", "https://example.com/%2e", "https://example.com/a//b",
		"CONNECT https://example.com",
		"GET,TRACE https://example.com", "*,GET https://example.com", "GE(T https://example.com",
		"https://exa mple.com",
	} {
		_, err := network.ParseRule(text)
		require.Error(t, err, text)
	}
	for _, rule := range []network.Rule{
		{}, {Scheme: "https"}, {Scheme: "https", Host: "EXAMPLE.com"}, {Scheme: "https", Host: "example.com/x"},
		{Scheme: "https", Host: "example.com:1"},
		{Scheme: "https", Host: "example.com", Path: "x"}, {Scheme: "https", Host: "example.com",
			Methods: []string{"get"}}, {Scheme: "https", Host: "0x7f.1"},
	} {
		require.Error(t, (&network.Policy{Rules: []network.Rule{rule}}).Check(), rule)
	}
}

func TestAddresses(t *testing.T) {
	for _, public := range []string{"1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001::1"} {
		require.True(t, network.IsPublic(netip.MustParseAddr(public)), public)
	}
	p := &network.Policy{Reachable: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"),
		netip.MustParsePrefix("fd00::/8")}}
	for private, reachable := range map[string]bool{
		"127.0.0.1": false, "10.1.2.3": true, "10.2.0.1": false, "::ffff:10.1.2.3": true, "::ffff:10.2.0.1": false,
		"fd00::1": true, "fd00::1%eth0": false,
		"fe80::1": false, "0.0.0.0": false, "255.255.255.255": false, "169.254.169.254": false, "::": false,
		"::1": false, "64:ff9b::a01:203": false, "64:ff9b:1::1": false,
		"2002:a01:203::1": false, "2001:0:a01:203::1": false, "fd00:ec2::254": true, "100.100.100.200": false,
		"198.18.0.1": false, "192.0.0.192": false, "::ffff:0:10.1.2.3": false,
		"200::1": false, "400::1": false, "1::1": false, "4000::1": false, "::a01:203": false, "100::1": false,
		"5f00::1": false, "2001:db8::1": false, "3fff::1": false,
	} {
		require.False(t, network.IsPublic(netip.MustParseAddr(private)), private)
		require.Equal(t, reachable, p.Reaches(netip.MustParseAddr(private)), private)
	}
	require.False(t, network.IsPublic(netip.Addr{}))
}

func TestSecrets(t *testing.T) {
	t.Setenv("NETWORK_TEST_TOKEN", "from-the-environment")
	file := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(file, []byte("from-a-file\r\n"), 0o600))
	s, err := network.ParseSecret("TOKEN=env:NETWORK_TEST_TOKEN@api.example.com, *.example.org", os.LookupEnv,
		os.ReadFile)
	require.NoError(t, err)
	require.Equal(t, network.Secret{Name: "TOKEN", Value: "from-the-environment", Hosts: []string{"api.example.com",
		"*.example.org"}}, s)
	require.True(t, s.MayGo("https://api.example.com:8443/x"))
	require.True(t, s.MayGo("https://a.example.org/"))
	for _, address := range []string{"http://api.example.com/", "https://example.org/", "https://evil.com/",
		"https://api.example.com.evil.com/", "nonsense"} {
		require.False(t, s.MayGo(address), address)
	}
	s.Plain = true
	require.True(t, s.MayGo("http://api.example.com/"))
	s, err = network.ParseSecret("KEY=file:"+file+"@example.com", os.LookupEnv, os.ReadFile)
	require.NoError(t, err)
	require.Equal(t, "from-a-file", s.Value)
	for _, text := range []string{"", "TOKEN", "TOKEN=env:NETWORK_TEST_TOKEN", "TOKEN=NETWORK_TEST_TOKEN@example.com",
		"TOKEN=env:NO_SUCH_VARIABLE@example.com",
		"1=env:NETWORK_TEST_TOKEN@example.com", "A-B=env:NETWORK_TEST_TOKEN@example.com",
		"TOKEN=env:NETWORK_TEST_TOKEN@", "TOKEN=env:NETWORK_TEST_TOKEN@*.com",
		"TOKEN=env:NETWORK_TEST_TOKEN@example.com/x", "TOKEN=file:/no/such/file@example.com", "s3cr3t-by-mistake"} {
		_, err := network.ParseSecret(text, os.LookupEnv, os.ReadFile)
		require.Error(t, err, text)
		require.NotContains(t, err.Error(), "from-the-environment")
		require.NotContains(t, err.Error(), "by-mistake")
	}
	require.Error(t, (&network.Policy{Secrets: []network.Secret{{Name: "A", Value: "short",
		Hosts: []string{"example.com"}}}}).Check())
	require.Error(t, (&network.Policy{Secrets: []network.Secret{s, s}}).Check())
}

func TestLimits(t *testing.T) {
	l, err := network.Limits{PerRun: network.Unlimited, Time: time.Second}.WithDefaults()
	require.NoError(t, err)
	require.Equal(t, network.Limits{Time: time.Second, RequestSize: 10 << 20, ResponseSize: 32 << 20,
		HeaderSize: 64 << 10, Redirects: 10, PerRun: network.Unlimited, PerMinute: 600, AtOnce: 8}, l)
	for _, l := range []network.Limits{{Time: -2}, {HeaderSize: -1}, {PerRun: -2}, {ResponseSize: -5}} {
		_, err := l.WithDefaults()
		require.Error(t, err)
	}
}

func FuzzParseRule(f *testing.F) {
	for _, text := range []string{"https://example.com", "GET,POST https://*.example.com:8443/a/*/c", "* http://*",
		"http://[::1]:80/x/**", "GET  https://ü.example/ä"} {
		f.Add(text, "https://example.com/a")
	}
	f.Fuzz(func(t *testing.T, text, address string) {
		rule, err := network.ParseRule(text)
		if err != nil {
			return
		}
		again, err := network.ParseRule(rule.String())
		require.NoError(t, err)
		require.Equal(t, rule, again)
		_, _ = (&network.Policy{Rules: []network.Rule{rule}}).Allows("GET", address)
	})
}
