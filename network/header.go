package network

import (
	"net/url"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/js/webapi"
	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// folded returns the name of a field or of a parameter as those servers read it that tell the fewest names apart: in
// lower case, with "-" in the place of all but letters and digits. Behind CGI, WSGI and PHP, X_Original_URL is
// X-Original-URL, and so is X.Original.URL behind some.
func folded(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			return c
		case 'A' <= c && c <= 'Z':
			return c | 0x20
		}
		return '-'
	}, name)
}

// By these names servers, and proxies before them, go instead of what the rules have seen. They are of words that all
// proxies and frameworks put together in their own ways, which are compared without anything between them.
var (
	ofMethod = lazyregexp.New(`^x?` + overriding + `*(method|verb)` + overriding + `*$`)
	ofPlace  = lazyregexp.New(`^x?(` + overriding + `+` + place + overriding + `*|` + place + overriding + `+|` +
		`host|ur[il]|scriptname)$`)
)

const (
	overriding = `(https?|override|overridden|original|orig|forward|forwarded|rewrite|rewritten|rewrote|real|raw|` +
		`rest|request|requested|proxy|proxied|envoy|base|replaced|unencoded|waws|ms|destination)`
	place = `(ur[il]|host|hostname|path|pathname|pathinfo|server|servername|prefix|authority)`
)

func squeezed(name string) string { return strings.ReplaceAll(folded(name), "-", "") }

// overrides returns the methods, in capital letters, that a field of a header makes some servers take its request to
// have. A request needs rules for these, too.
func (f Field) overrides() (methods []string) {
	if !ofMethod().MatchString(squeezed(f.Name)) {
		return nil
	}
	for method := range strings.SplitSeq(f.Value, ",") {
		if method = strings.ToUpper(strings.TrimSpace(method)); isToken(method) {
			methods = append(methods, method)
		}
	}
	return methods
}

// knownMethods are those that a parameter of a query is looked at for: method=search is none.
var knownMethods = []string{"ACL", "BIND", "CHECKIN", "CHECKOUT", "COPY", "DELETE",
	"GET", "HEAD", "LABEL", "LINK", "LOCK",
	"MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE",
	"MOVE", "OPTIONS", "ORDERPATCH", "PATCH",
	"POST", "PROPFIND", "PROPPATCH", "PURGE", "PUT", "QUERY", "REBIND", "REPORT", "SEARCH", "SUBSCRIBE", "UNBIND",
	"UNCHECKOUT", "UNLINK", "UNLOCK", "UNSUBSCRIBE", "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL"}

// Methods returns the methods that servers can take a request to have: its own, and, in capital letters, those that
// fields of its header and parameters of its query, such as _method=DELETE, name. A request needs
// rules for all of them. What its body says is not looked at.
func Methods(method, address string, header []Field) []string {
	methods := []string{method}
	add := func(method string) {
		if !slices.Contains(methods, method) {
			methods = append(methods, method)
		}
	}
	for _, f := range header {
		for _, method := range f.overrides() {
			add(method)
		}
	}
	u, err := webapi.ParseURL(address, nil)
	if err != nil { // no rule allows it
		return methods
	}
	separates := func(c rune) bool { return c == '&' || c == ';' }
	for _, parameter := range strings.FieldsFunc(strings.TrimPrefix(u.Search, "?"), separates) {
		name, value, _ := strings.Cut(parameter, "=")
		if !ofMethod().MatchString(squeezed(decoded(name))) {
			continue
		}
		if method := strings.ToUpper(strings.TrimSpace(decoded(value))); slices.Contains(knownMethods, method) {
			add(method)
		}
	}
	return methods
}

// decoded is a part of a query without its percent encoding, or the part itself if that is malformed.
func decoded(part string) string {
	if text, err := url.QueryUnescape(part); err == nil {
		return text
	}
	return part
}

// ownHeaders are those that the connection needs, which no code can set.
// See https://fetch.spec.whatwg.org/#forbidden-request-header
var ownHeaders = []string{"accept-charset", "accept-encoding", "alt-used", "connection", "content-length", "cookie",
	"cookie2", "date", "dnt", "expect", "host", "http2-settings", "keep-alive", "proxy", "set-cookie", "te", "trailer",
	"transfer-encoding", "upgrade", "via"}

// Forbidden reports whether code must not set a field: the connection needs it, or, as proxies use it, some servers
// prefer it to the host and the path of a request, which the rules have checked. Gates leave it out, as browsers do.
func (f Field) Forbidden() bool {
	name := folded(f.Name)
	if ofMethod().MatchString(squeezed(name)) {
		return slices.ContainsFunc(f.overrides(), func(method string) bool { return !IsMethod(method) })
	}
	for _, prefix := range []string{"proxy-", "sec-", "forwarded", "x-forwarded", "x-forward-"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return slices.Contains(ownHeaders, name) || ofPlace().MatchString(squeezed(name))
}
