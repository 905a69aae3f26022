package network

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/toolrun/toolrun/internal/js/webapi"
)

// A Rule allows requests to a host. [ParseRule] reads one from a text.
type Rule struct {
	// Methods are those that are allowed, in capital letters. Nil means GET and HEAD; a single "*" means all.
	Methods []string
	// Scheme is http or https.
	Scheme string
	// Host is the host as browsers have it: a name in lower case, with xn-- for what is not ASCII, or an address, an
	// IPv6 one in brackets. A name can begin with "*.", which stands for one or more labels: *.example.com is for
	// www.example.com and a.b.example.com, and not for example.com. "*" alone is any name, and no address.
	Host string
	// Port is the port. Zero means that of the scheme.
	Port uint16
	// Path is the path, as it is in requests: "/" and what is percent-encoded. "*" stands for any text in one part
	// between slashes, and "**" at the end for anything. Empty means any path.
	Path string
}

// ParseRule reads a rule: optionally methods with commas between them, or "*", and a space, then a URL without query,
// such as
//
//	https://example.com
//	GET,POST https://api.github.com/repos/**
//	* http://127.0.0.1:8080
//
// An address without a path means all paths.
func ParseRule(text string) (Rule, error) {
	methods, address, ok := strings.Cut(strings.TrimSpace(text), " ")
	if !ok {
		methods, address = "", methods
	}
	bad := func(format string, args ...any) (Rule, error) {
		return Rule{}, fmt.Errorf("the network rule %q: %s", text, fmt.Sprintf(format, args...))
	}
	var r Rule
	for method := range strings.SplitSeq(methods, ",") {
		if method = strings.ToUpper(strings.TrimSpace(method)); method != "" {
			r.Methods = append(r.Methods, method)
		}
	}
	address = strings.TrimSpace(address)
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return bad("write it with its scheme, as in https://example.com")
	}
	if strings.ContainsAny(rest, "?#") {
		return bad("a rule has no query and no fragment")
	}
	host, path, _ := strings.Cut(rest, "/")
	if strings.Contains(host, "@") {
		return bad("a rule has no user")
	}
	wild := ""
	if name, port, _ := strings.Cut(host, ":"); name == "*" {
		wild, host = "*", "example.com"
		if port != "" {
			host += ":" + port
		}
	} else if domain, ok := strings.CutPrefix(host, "*."); ok {
		wild, host = "*.", domain
	}
	if strings.Contains(host, "*") {
		return bad("a * in a host stands for whole labels at its beginning, as in *.example.com")
	}
	u, err := webapi.ParseURL(scheme+"://"+host+"/", nil)
	if err != nil {
		return bad("%v", err)
	}
	r.Scheme, r.Host = strings.TrimSuffix(u.Protocol, ":"), wild+u.Hostname
	if wild == "*" {
		r.Host = wild
	}
	if u.Port != "" {
		port, err := strconv.ParseUint(u.Port, 10, 16)
		if err != nil {
			return bad("%v", err)
		}
		r.Port = uint16(port)
	}
	if path != "" && path != "**" {
		r.Path = "/"
		for _, c := range []byte(path) { // as browsers do
			if c < 0x80 {
				r.Path += string(c)
			} else {
				r.Path += fmt.Sprintf("%%%02X", c)
			}
		}
	}
	if err := r.check(); err != nil {
		return bad("%v", err)
	}
	return r, nil
}

// String returns the rule as ParseRule reads it.
func (r Rule) String() string {
	text := ""
	if len(r.Methods) > 0 {
		text = strings.Join(r.Methods, ",") + " "
	}
	return text + r.Address() + r.Path
}

// Address returns the rule's scheme, host and port: what a model may know of it.
func (r Rule) Address() string {
	text := r.Scheme + "://" + r.Host
	if r.Port != 0 {
		text += ":" + strconv.Itoa(int(r.Port))
	}
	return text
}

func (r Rule) check() error {
	if r.Scheme != "http" && r.Scheme != "https" {
		return fmt.Errorf("the scheme must be https or http, not %q", r.Scheme)
	}
	for _, m := range r.Methods {
		if m == "*" && len(r.Methods) == 1 {
			continue
		}
		if m == "*" || !isToken(m) || strings.ToUpper(m) != m || slices.Contains(forbiddenMethods, m) {
			return fmt.Errorf("%q cannot be a method of a rule", m)
		}
	}
	name, wild := strings.CutPrefix(r.Host, "*.")
	if r.Host == "*" {
		name = "example.com"
	}
	u, err := webapi.ParseURL(r.Scheme+"://"+name+"/", nil)
	if err != nil || u.Hostname != name || u.Username != "" || u.Password != "" || u.Port != "" || u.Pathname != "/" {
		return fmt.Errorf("%q cannot be the host of a rule", r.Host)
	}
	if _, isAddress := AddressOf(name); wild && (isAddress || !strings.Contains(name, ".")) {
		return fmt.Errorf("%q is too wide: write a domain with a dot after the *", r.Host)
	}
	if r.Path == "" {
		return nil
	}
	if r.Path[0] != '/' {
		return fmt.Errorf("the path %q does not begin with a slash", r.Path)
	}
	if i := strings.Index(r.Path, "**"); i >= 0 && (i != len(r.Path)-2 || r.Path[i-1] != '/') {
		return fmt.Errorf("in the path %q, ** can only be the last part", r.Path)
	}
	literal := strings.ReplaceAll(r.Path, "*", "x")
	if u, err := webapi.ParseURL("https://h"+literal, nil); err != nil || u.Pathname != literal || ambiguous(literal) {
		return fmt.Errorf("the path %q is not written as it is in requests", r.Path)
	}
	return nil
}

// forbiddenMethods are those that no request may have.
// See https://fetch.spec.whatwg.org/#forbidden-method
var forbiddenMethods = []string{"CONNECT", "TRACE", "TRACK"}

// isToken reports whether a text is a token of HTTP. See https://www.rfc-editor.org/rfc/rfc9110#name-tokens
func isToken(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// IsMethod reports whether a text can be the method of a request, in capital letters or not.
func IsMethod(method string) bool {
	return isToken(method) && !slices.Contains(forbiddenMethods, strings.ToUpper(method))
}

// AddressOf parses the host of a URL if it is an IP address, an IPv6 one with or without brackets.
func AddressOf(host string) (netip.Addr, bool) {
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	return address, err == nil
}

// ambiguous reports whether servers could take a path for another one: they may decode slashes, dots and what ends a
// path before they look what it is, and some do so with what is not UTF-8 or only looks like one of these. Some leave
// out spaces and dots at the end of a name, and have ".." then.
func ambiguous(path string) bool {
	lower := strings.ToLower(path)
	for _, encoded := range []string{
		"%2f", "%5c", "%2e", "%25", "%3b", "%3f", "%23", "%0", "%1", "%7f", `\`, "//", ";",
	} {
		if strings.Contains(lower, encoded) {
			return true
		}
	}
	decoded, err := url.PathUnescape(path)
	if err != nil || !utf8.ValidString(decoded) || strings.ContainsAny(decoded, "\u2044\u2215\u2216") { // more slashes
		return true
	}
	folded := norm.NFKC.String(decoded)
	for _, c := range []string{"/", `\`, ".", ";", "?", "#", "%"} {
		if strings.Count(folded, c) != strings.Count(decoded, c) {
			return true
		}
	}
	for part := range strings.SplitSeq(decoded, "/") {
		if part != "" && strings.Trim(part, ". ") == "" {
			return true
		}
	}
	return false
}

// allows reports whether the rule allows a request.
func (r *Rule) allows(method string, u *webapi.URL) bool {
	switch {
	case len(r.Methods) == 0:
		if method != "GET" && method != "HEAD" {
			return false
		}
	case r.Methods[0] != "*" && !slices.Contains(r.Methods, method):
		return false
	}
	return r.reaches(u) && r.hasPath(u.Pathname)
}

// reaches reports whether the rule is for the scheme, host and port of a URL.
func (r *Rule) reaches(u *webapi.URL) bool {
	port := ""
	if r.Port != 0 && !(r.Scheme == "https" && r.Port == 443) && !(r.Scheme == "http" && r.Port == 80) {
		port = strconv.Itoa(int(r.Port))
	}
	return u.Protocol == r.Scheme+":" && u.Port == port && hostMatches(r.Host, u.Hostname)
}

// hostMatches reports whether a host is the one of a pattern, which can begin with "*.".
func hostMatches(pattern, host string) bool {
	if domain, wild := strings.CutPrefix(pattern, "*"); wild {
		_, isAddress := AddressOf(host)
		return !isAddress && len(host) > len(domain) && strings.HasSuffix(host, domain)
	}
	return host == pattern
}

func (r *Rule) hasPath(path string) bool {
	if r.Path == "" || r.Path == "/**" {
		return true
	}
	if ambiguous(path) {
		return false
	}
	pattern, anything := strings.CutSuffix(r.Path, "**")
	wanted, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if anything {
		if wanted = wanted[:len(wanted)-1]; len(have) <= len(wanted) {
			return false
		}
		have = have[:len(wanted)]
	}
	return slices.EqualFunc(wanted, have, partMatches)
}

// partMatches reports whether a part of a path is as its pattern says, in which * stands for any text.
func partMatches(pattern, part string) bool {
	pieces := strings.Split(pattern, "*")
	if len(pieces) == 1 {
		return pattern == part
	}
	last := len(pieces) - 1
	if !strings.HasPrefix(part, pieces[0]) || len(part) < len(pieces[0])+len(pieces[last]) ||
		!strings.HasSuffix(part, pieces[last]) {
		return false
	}
	part = part[len(pieces[0]) : len(part)-len(pieces[last])]
	for _, piece := range pieces[1:last] {
		at := strings.Index(part, piece)
		if at < 0 {
			return false
		}
		part = part[at+len(piece):]
	}
	return true
}

// Allows returns the rule that allows a request, or nil. The URL is an absolute one, and the method in capital
// letters.
func (p *Policy) Allows(method, address string) (*Rule, error) {
	u, err := webapi.ParseURL(address, nil)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, nil
	}
	for i := range p.Rules {
		if p.Rules[i].allows(method, u) {
			return &p.Rules[i], nil
		}
	}
	return nil, nil
}
