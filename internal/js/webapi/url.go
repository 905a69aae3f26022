package webapi

import (
	"errors"
	"strings"

	"github.com/nlnwa/whatwg-url/url"
)

// URL is a URL in the parts of the JavaScript class URL.
//
// See https://url.spec.whatwg.org/#url-class
type URL struct {
	Href     string `json:"href"`
	Origin   string `json:"origin"`
	Protocol string `json:"protocol"`
	Username string `json:"username"`
	Password string `json:"password"`
	Host     string `json:"host"`
	Hostname string `json:"hostname"`
	Port     string `json:"port"`
	Pathname string `json:"pathname"`
	Search   string `json:"search"`
	Hash     string `json:"hash"`
}

var (
	// ErrInvalidURL means that a text is not a URL.
	ErrInvalidURL = errors.New("not a valid URL")
	// ErrLongURL means that a URL is too long to be parsed.
	ErrLongURL = errors.New("the URL is too long")
)

// Limits on the length of a URL, in bytes of UTF-8. The parser takes time in proportion to the square of the part
// before the query (except for data URLs, whose path it does not split), and to the rest.
const (
	MaxURL     = 1 << 20
	MaxURLHead = 8 << 10
)

// ParseURL parses a URL, relative to base unless that is nil.
func ParseURL(input string, base *string) (*URL, error) {
	if tooLong(input) || base != nil && tooLong(*base) {
		return nil, ErrLongURL
	}
	return guarded(func() (*url.Url, error) {
		if base == nil {
			return parse(input)
		}
		from, err := parse(*base)
		if err != nil {
			return nil, err
		}
		return settled(from.Parse(input))
	})
}

// SetURL changes one part of the URL href. The part has its name in JSON. As in JavaScript, an invalid value
// changes nothing, except for href itself.
func SetURL(href, part, value string) (*URL, error) {
	if part == "href" {
		return ParseURL(value, nil)
	}
	if tooLong(href) || len(value) > MaxURLHead && part != "search" && part != "hash" || len(value) > MaxURL {
		return nil, ErrLongURL
	}
	return guarded(func() (*url.Url, error) {
		u, err := parse(href)
		if err != nil {
			return nil, err
		}
		set, ok := setters[part]
		if !ok {
			return nil, ErrInvalidURL
		}
		set(u, value)
		return u, nil
	})
}

var setters = map[string]func(u *url.Url, value string){
	"protocol": (*url.Url).SetProtocol,
	"username": (*url.Url).SetUsername,
	"password": (*url.Url).SetPassword,
	"host":     (*url.Url).SetHost,
	"hostname": (*url.Url).SetHostname,
	"port":     (*url.Url).SetPort,
	"pathname": (*url.Url).SetPathname,
	"search":   (*url.Url).SetSearch,
	"hash":     (*url.Url).SetHash,
}

// parser also encodes ^ in paths, a rule of the standard that is newer than the parser.
var parser = url.NewParser(url.WithPathPercentEncodeSet(url.PathPercentEncodeSet.Set('^')))

func parse(input string) (*url.Url, error) { return settled(parser.Parse(input)) }

// settled encodes the last space at the end of an opaque path, as the standard prescribes since 2025: otherwise the
// spaces would be lost when the query or fragment after them is removed.
func settled(u *url.Url, err error) (*url.Url, error) {
	if err != nil || !u.OpaquePath() || !strings.HasSuffix(u.Pathname(), " ") {
		return u, err
	}
	front := u.Protocol() + u.Pathname()
	rest := strings.TrimPrefix(u.Href(false), front)
	return parser.Parse(strings.TrimSuffix(front, " ") + "%20" + rest)
}

func tooLong(s string) bool {
	if len(s) > MaxURL {
		return true
	}
	if len(s) > MaxURLHead && !isDataURL(s) {
		head := strings.IndexAny(s, "?#")
		return head < 0 || head > MaxURLHead
	}
	return false
}

// isDataURL reports whether s is certainly a data URL with an opaque path.
func isDataURL(s string) bool {
	const scheme = "data:"
	return len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) && s[len(scheme)] != '/'
}

// guarded calls f, which uses the URL parser, and splits the result into parts.
func guarded(f func() (*url.Url, error)) (u *URL, err error) {
	defer func() {
		if recover() != nil { // a mistake of the parser, with a text that is most likely no URL
			u, err = nil, ErrInvalidURL
		}
	}()
	parsed, err := f()
	if err != nil {
		return nil, ErrInvalidURL
	}
	href := parsed.Href(false)
	if tooLong(href) { // encoded it is longer
		return nil, ErrLongURL
	}
	return &URL{
		Href:     href,
		Origin:   origin(parsed),
		Protocol: parsed.Protocol(),
		Username: parsed.Username(),
		Password: parsed.Password(),
		Host:     parsed.Host(),
		Hostname: parsed.Hostname(),
		Port:     parsed.Port(),
		Pathname: parsed.Pathname(),
		Search:   parsed.Search(),
		Hash:     parsed.Hash(),
	}, nil
}

// origin is the serialized origin of a URL. See https://url.spec.whatwg.org/#origin
func origin(u *url.Url) string {
	switch u.Scheme() {
	case "http", "https", "ws", "wss", "ftp":
		return u.Protocol() + "//" + u.Host()
	case "blob":
		inner, err := parser.Parse(u.Pathname())
		if err == nil && (inner.Scheme() == "http" || inner.Scheme() == "https") {
			return inner.Protocol() + "//" + inner.Host()
		}
	}
	return "null"
}
