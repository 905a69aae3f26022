package cli_test

import (
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/toolruntest"
)

// documentedBalancer returns the flags of the command that docs/scale.md has for servers behind a balancer, with files
// and a port that there are here, and the name that it allows.
func documentedBalancer(t *testing.T) (flags []string, name string) {
	text, err := os.ReadFile("../../../../docs/scale.md")
	require.NoError(t, err)
	found := regexp.MustCompile(
		`(?m)^toolrun mcp (--http :8080 --tokens tokens\.json --allow-host (\S+)) --data '`).FindSubmatch(text)
	require.NotNil(t, found, "the command for a balancer")
	flags = strings.Fields(string(found[1]))
	flags[1], flags[3] = ":0", pageTokenFile(t)
	return flags, string(found[2])
}

// balance begins a proxy that passes requests on to a server: under the name of a balancer, or under the server's own
// address.
func balance(t *testing.T, server, name string) *http.Client {
	u, err := url.Parse(server)
	require.NoError(t, err)
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: u.Host})
		r.SetXForwarded()
		if name != "" {
			r.Out.Host = name
		}
	}})
	t.Cleanup(proxy.Close)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	at, err := url.Parse(proxy.URL)
	require.NoError(t, err)
	return &http.Client{Jar: jar, Transport: through{at.Host}}
}

// through sends requests to an address, whatever theirs is.
type through struct{ address string }

func (p through) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = p.address
	return toolruntest.Bearer{Token: bobToken}.RoundTrip(r)
}

func fetchText(t *testing.T, client *http.Client, address string) (int, string) {
	response, err := client.Get(address)
	require.NoError(t, err)
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(data)
}

// TestMCPBehindABalancer runs what docs/scale.md says, behind a real proxy.
func TestMCPBehindABalancer(t *testing.T) {
	flags, name := documentedBalancer(t)
	s := serve(t, newHost(t), append(flags, "--page")...)
	t.Run("the documented way", func(t *testing.T) {
		client := balance(t, s.URL, name)
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
			Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: "http://" + name + "/mcp",
				HTTPClient: client}, nil)
		require.NoError(t, err)
		defer session.Close()
		text, err := toolruntest.Call(t.Context(), session, "javascript", map[string]any{"code": "return 6 * 7"})
		require.NoError(t, err)
		require.Equal(t, "42", text)
		for _, path := range []string{"/healthz", "/readyz", "/", "/api/about", "/assets/main.js"} {
			status, text := fetchText(t, client, "http://"+name+path)
			require.Equal(t, 200, status, text)
		}
		// The page's stream of events comes at once.
		response, err := client.Get("http://" + name + "/api/events?project=notes")
		require.NoError(t, err)
		begin := make([]byte, len(": toolrun"))
		_, err = io.ReadFull(response.Body, begin)
		require.NoError(t, err)
		require.Equal(t, ": toolrun", string(begin))
		require.NoError(t, response.Body.Close())
	})
	t.Run("under a name that is not allowed", func(t *testing.T) {
		client := balance(t, s.URL, "other.example.com:8443")
		for _, path := range []string{"/mcp", "/metrics", "/", "/api/about", "/api/events?project=notes",
			"/assets/main.js"} {
			status, text := fetchText(t, client, "http://other.example.com"+path)
			require.Equal(t, 403, status, path)
			require.Contains(t, text,
				`"other.example.com:8443"; to allow it, start toolrun with --allow-host other.example.com`, path)
		}
		for _, path := range []string{"/healthz", "/readyz"} {
			status, _ := fetchText(t, client, "http://other.example.com"+path)
			require.Equal(t, 200, status, path)
		}
		require.Regexp(
			t, `"msg":"request refused","status":403,[^\n]*"path":"/mcp",`+
				`[^\n]*"reason":"[^\n]*--allow-host other\.example\.com"`,
			s.Logged(),
		)
	})
	t.Run("under the address of the server", func(t *testing.T) {
		status, text := fetchText(t, balance(t, s.URL, ""), "http://"+name+"/api/about")
		require.Equal(t, 200, status, text)
	})
}

// TestAddressesMeanWhatTheySay: an address without a host is all interfaces, which needs tokens.
func TestAddressesMeanWhatTheySay(t *testing.T) {
	tokens := pageTokenFile(t)
	for name, args := range map[string][]string{
		"mcp": {"mcp", "--http", ":0"}, "mcp with the page": {"mcp", "--http", ":0", "--page"},
		"mcp by sessions": {"mcp", "--http", ":0", "--session-projects"},
		"all of IPv4":     {"mcp", "--http", "0.0.0.0:0"}, "serve": {"serve", ":0"}, "serve on all of IPv6": {"serve",
			"[::]:0"},
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, status := run(t, newHost(t), args...)
			require.Equal(t, 2, status)
			require.Empty(t, out)
			require.Regexp(
				t, `^toolrun: other machines can reach \S*:0: add --tokens FILE, `+
					`or --insecure-no-tokens .*; localhost:0 is for this machine alone\n$`,
				errs,
			)
		})
	}
	address := func(s *started) string {
		found := regexp.MustCompile(`"msg":"serving",[^\n]*"address":"([^"]*)"`).FindStringSubmatch(s.Logged())
		require.NotNil(t, found, s.Logged())
		return found[1]
	}
	for name, test := range map[string]struct {
		args     []string
		all      bool
		warnings []string
	}{
		"all":              {[]string{"--http", ":0", "--tokens", tokens}, true, []string{"--allow-host NAME"}},
		"all, with a name": {[]string{"--http", ":0", "--tokens", tokens, "--allow-host", "a.example"}, true, nil},
		"all, for everybody": {[]string{"--http", "0.0.0.0:0", "--insecure-no-tokens"}, true,
			[]string{"everybody who can reach the address", "--allow-host NAME"}},
		"this machine": {[]string{"--http", "localhost:0"}, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, newHost(t), test.args...)
			host, port, err := net.SplitHostPort(address(s))
			require.NoError(t, err)
			require.Equal(t, test.all, net.ParseIP(host).IsUnspecified(), host)
			require.Equal(t, len(test.warnings), strings.Count(s.Logged(), `"level":"WARN"`), s.Logged())
			for _, warning := range test.warnings {
				require.Contains(t, s.Logged(), warning)
			}
			// Each of its addresses is its own.
			interfaces, err := net.InterfaceAddrs()
			require.NoError(t, err)
			for _, own := range interfaces {
				ip := own.(*net.IPNet).IP
				if !test.all || ip.To4() == nil {
					continue
				}
				status, text := s.Get(t, "http://"+net.JoinHostPort(ip.String(), port)+"/mcp", bobToken)
				require.NotEqual(t, 403, status, "%s: %s", ip, text)
			}
		})
	}
}
