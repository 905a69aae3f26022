package network

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/js/webapi"
)

// A Secret is a text, such as the token of an API, that code can use without seeing it. Code has a placeholder in the
// place of the secret, in the environment under the secret's name; where a request to one of its hosts has the
// placeholder in a header or in a value of its query, the request gets the secret.
type Secret struct {
	// Name is that of a variable of the environment, such as GITHUB_TOKEN.
	Name string
	// Value is the secret itself: at least 8 bytes of printable ASCII.
	Value string
	// Hosts are the hosts that may get it, as [Rule].Host has them. At least one is needed.
	Hosts []string
	// Plain also allows it to be sent by http, which everybody on the way can read.
	Plain bool
}

// minSecret is the length of the shortest secret. What is shorter could be struck from texts that have it by chance.
const minSecret = 8

func (s *Secret) check() error {
	letters := func(c rune) bool {
		return c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9')
	}
	switch {
	case s.Name == "" || strings.ContainsFunc(s.Name, letters) || s.Name[0] <= '9':
		return fmt.Errorf("network: %q cannot be the name of a secret", s.Name)
	case len(s.Value) < minSecret:
		return fmt.Errorf("network: the secret %s has less than %d bytes", s.Name, minSecret)
	case strings.ContainsFunc(s.Value, func(c rune) bool { return c < ' ' || c > '~' }):
		return fmt.Errorf("network: the secret %s has characters that are not printable ASCII", s.Name)
	case len(s.Hosts) == 0:
		return fmt.Errorf("network: the secret %s has no hosts", s.Name)
	}
	for _, host := range s.Hosts {
		if err := (Rule{Scheme: "https", Host: host}).check(); err != nil {
			return fmt.Errorf("network: the secret %s: %w", s.Name, err)
		}
	}
	return nil
}

// Placeholder is what code has in the place of the secret.
func (s *Secret) Placeholder() string { return "secret-" + s.Name + "-is-put-in-outside" }

// ParseSecret reads a secret: its name, "=", where it comes from, "@", and its hosts with commas between them, such as
//
//	GITHUB_TOKEN=env:GITHUB_TOKEN@api.github.com
//	KEY=file:/etc/toolrun/key@*.example.com,example.com
//
// It comes from a variable of the environment or from a file, whose last newline is not part of it. lookupEnv and
// readFile are [os.LookupEnv] and [os.ReadFile], or what stands in for them.
func ParseSecret(text string, lookupEnv func(name string) (string, bool), readFile func(name string) ([]byte,
	error)) (Secret, error) {
	bad := func(format string, args ...any) (Secret, error) { // not the text: it could be a secret by mistake
		return Secret{}, fmt.Errorf("a secret is written as NAME=env:VARIABLE@HOST or NAME=file:PATH@HOST: %s",
			fmt.Sprintf(format, args...))
	}
	name, rest, ok := strings.Cut(text, "=")
	if !ok {
		return bad("there is no =")
	}
	at := strings.LastIndex(rest, "@")
	if at < 0 {
		return bad("%s has no host", name)
	}
	s := Secret{Name: name}
	switch kind, from, _ := strings.Cut(rest[:at], ":"); kind {
	case "env":
		if s.Value, _ = lookupEnv(from); s.Value == "" {
			return bad("the variable %s is not set", from)
		}
	case "file":
		data, err := readFile(from)
		if err != nil {
			return bad("%v", err)
		}
		s.Value = strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	default:
		return bad("%s does not come from env: or file:", name)
	}
	for host := range strings.SplitSeq(rest[at+1:], ",") {
		rule, err := ParseRule("https://" + strings.TrimSpace(host))
		if err != nil || rule.Port != 0 || rule.Path != "" {
			return bad("%q is not a host", host)
		}
		s.Hosts = append(s.Hosts, rule.Host)
	}
	return s, s.check()
}

// MayGo reports whether the secret may be sent with a request to a URL.
func (s *Secret) MayGo(address string) bool {
	u, err := webapi.ParseURL(address, nil)
	if err != nil || u.Protocol != "https:" && !(s.Plain && u.Protocol == "http:") {
		return false
	}
	return s.IsFor(u.Hostname)
}

// IsFor reports whether a host, as URLs have it, is one of those of the secret.
func (s *Secret) IsFor(host string) bool {
	return slices.ContainsFunc(s.Hosts, func(pattern string) bool { return hostMatches(pattern, host) })
}
