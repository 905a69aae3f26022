package egress

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/toolrun/toolrun/internal/js/webapi"
	"github.com/toolrun/toolrun/network"
)

// A hop is one of the requests that a request and its redirects are. Its URL and its headers have placeholders in the
// place of secrets.
type hop struct {
	method string
	url    *webapi.URL
	header []network.Field
	body   []byte
	// These are as in [network.Request].
	rules    []network.Rule
	approval *network.Approval
}

// prepare checks a request of code, and makes the first hop of it.
func (r *run) prepare(request *network.Request) (*hop, error) {
	if !network.IsMethod(request.Method) {
		return nil, failure(network.KindInvalid, "%.40q cannot be the method of a request", request.Method)
	}
	h := &hop{method: request.Method, body: request.Body, rules: request.Rules, approval: request.Approval}
	// See https://fetch.spec.whatwg.org/#concept-method-normalize
	if upper := strings.ToUpper(h.method); slices.Contains(
		[]string{"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"}, upper) {
		h.method = upper
	}
	if h.body != nil && (h.method == http.MethodGet || h.method == http.MethodHead) {
		return nil, failure(network.KindInvalid, "a request with the method %s has no body", h.method)
	}
	if err := h.aim(request.URL, nil); err != nil {
		return nil, err
	}
	limits := r.gate.limits
	if limits.RequestSize != network.Unlimited && int64(len(h.body)) > limits.RequestSize {
		return nil, failure(network.KindLimit, "the body of a request can have %d bytes", limits.RequestSize)
	}
	size := int64(len(h.url.Href))
	for _, f := range request.Header {
		name := strings.ToLower(f.Name)
		if !httpguts.ValidHeaderFieldName(name) {
			return nil, failure(network.KindInvalid, "%.40q cannot be the name of a header", f.Name)
		}
		value := strings.Trim(f.Value, " \t\r\n")
		if !httpguts.ValidHeaderFieldValue(value) {
			return nil, failure(network.KindInvalid,
				"the header %s has a line break or another control character", name)
		}
		if f.Forbidden() {
			continue
		}
		size += int64(len(name)+len(value)) + 4
		h.header = append(h.header, network.Field{Name: name, Value: value})
	}
	if size > limits.HeaderSize {
		return nil, failure(network.KindLimit, "the URL and the headers of a request can have %d bytes",
			limits.HeaderSize)
	}
	return h, nil
}

// aim points the hop at a URL, relative to another one unless that is nil.
func (h *hop) aim(address string, base *string) error {
	u, err := webapi.ParseURL(address, base)
	switch {
	case err != nil:
		return failure(network.KindInvalid, "%.200q: %v", address, err)
	case u.Protocol != "http:" && u.Protocol != "https:":
		return failure(network.KindInvalid, "requests go to https: and http: only, not to %s", u.Protocol)
	case u.Username != "" || u.Password != "":
		return failure(network.KindInvalid, "the URL has a user or a password: put them into the header Authorization")
	case u.Hostname == "":
		return failure(network.KindInvalid, "the URL has no host")
	}
	u.Href = strings.TrimSuffix(u.Href, u.Hash)
	u.Hash = ""
	h.url = u
	return nil
}

// follow makes the hop the one that a redirect asks for.
// See https://fetch.spec.whatwg.org/#http-redirect-fetch
func (h *hop) follow(status int, location string) error {
	from := h.url
	if err := h.aim(location, &from.Href); err != nil {
		return &network.Error{
			Kind:    network.KindRedirect,
			Message: fmt.Sprintf("%s redirects to where no request can go: %v", from.Host, err),
		}
	}
	if from.Protocol == "https:" && h.url.Protocol == "http:" {
		return failure(network.KindRedirect, "%s redirects from https to http, to %s", from.Host, h.url.Host)
	}
	if (status == 301 || status == 302) && h.method == http.MethodPost ||
		status == 303 && h.method != http.MethodGet && h.method != http.MethodHead {
		h.method, h.body = http.MethodGet, nil
		h.drop("content-encoding", "content-language", "content-location", "content-type")
	}
	if from.Origin != h.url.Origin {
		h.drop("authorization")
	}
	return nil
}

// drop removes headers.
func (h *hop) drop(names ...string) {
	h.header = slices.DeleteFunc(slices.Clone(h.header), func(f network.Field) bool {
		return slices.Contains(names, f.Name)
	})
}

// request makes what is sent of a hop, with secrets, and returns their names.
func (g *Gate) request(ctx context.Context, h *hop) (*http.Request, []string, error) {
	p := &putter{gate: g, hop: h}
	target, err := url.Parse(h.url.Href)
	if err != nil {
		return nil, nil, failure(network.KindInvalid, "%.200q is not a URL: %v", h.url.Href, err)
	}
	if path := h.url.Pathname; !strings.HasPrefix(path, "//") { // as the rules have seen it, and not encoded anew
		target.Opaque = path
	}
	target.RawQuery = p.into(target.RawQuery, url.QueryEscape)
	request := &http.Request{
		Method: h.method, URL: target, Host: target.Host, Header: http.Header{},
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: reader(h.body), ContentLength: int64(len(h.body)),
		GetBody: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(h.body)), nil },
	}
	for _, f := range h.header {
		value := f.Value
		if f.Name == "destination" {
			if value = h.destination(g.options.Policy, value); value == "" {
				continue
			}
		}
		if user, ok := strings.CutPrefix(value, "Basic "); ok && f.Name == "authorization" {
			if plain, err := base64.StdEncoding.DecodeString(user); err == nil {
				value = "Basic " + base64.StdEncoding.EncodeToString([]byte(p.into(string(plain), verbatim)))
			}
		}
		request.Header.Add(f.Name, p.into(value, verbatim))
	}
	if p.err != nil {
		return nil, nil, p.err
	}
	request.Header.Set("Accept-Encoding", "gzip, deflate")
	if len(request.Header.Values("Range")) > 0 { // a part of what is compressed cannot be decompressed
		request.Header.Set("Accept-Encoding", "identity")
	}
	for name, value := range map[string]string{"Accept": "*/*", "User-Agent": "toolrun"} {
		if request.Header.Get(name) == "" {
			request.Header.Set(name, value)
		}
	}
	return request.WithContext(ctx), p.names, nil
}

// destination returns the address that a header Destination names, as COPY and MOVE have it, or "" if the request could
// not be made to that itself.
func (h *hop) destination(policy *network.Policy, address string) string {
	there := *h
	if there.aim(address, &h.url.Href) != nil {
		return ""
	}
	if _, err := there.allowed(policy); err != nil {
		return ""
	}
	return there.url.Href
}

func verbatim(text string) string { return text }

// A putter puts secrets in the place of their placeholders.
type putter struct {
	gate  *Gate
	hop   *hop
	names []string
	err   error
}

func (p *putter) into(text string, escape func(string) string) string {
	for i := range p.gate.options.Policy.Secrets {
		secret := &p.gate.options.Policy.Secrets[i]
		if !strings.Contains(text, secret.Placeholder()) {
			continue
		}
		if !secret.MayGo(p.hop.url.Href) {
			p.err = failure(network.KindSecret, "the secret %s is not for %s//%s",
				secret.Name, p.hop.url.Protocol, p.hop.url.Host)
			return text
		}
		if !slices.Contains(p.names, secret.Name) {
			p.names = append(p.names, secret.Name)
		}
		text = strings.ReplaceAll(text, secret.Placeholder(), escape(secret.Value))
	}
	return text
}

// decompress returns the body of a response as it was before compression, and removes what says that it is compressed.
// compressed is the body as it comes.
func decompress(header http.Header, compressed io.Reader) io.Reader {
	var open func() (io.Reader, error)
	switch strings.ToLower(strings.TrimSpace(header.Get("Content-Encoding"))) {
	case "gzip", "x-gzip":
		open = func() (io.Reader, error) { return gzip.NewReader(compressed) }
	case "deflate":
		open = func() (io.Reader, error) { return inflate(compressed) }
	default:
		return compressed
	}
	header.Del("Content-Encoding")
	header.Del("Content-Length")
	return &lazyReader{open: open}
}

// A boundedReader fails after some bytes.
type boundedReader struct {
	from io.Reader
	left int64
	err  error // with which it fails
}

func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, b.err
	}
	return n, err
}

// inflate reads what servers call deflate, which is zlib, or without its header by mistake.
func inflate(r io.Reader) (io.Reader, error) {
	var start [2]byte
	n, err := io.ReadFull(r, start[:])
	if n == 0 {
		return nil, err
	}
	all := io.MultiReader(bytes.NewReader(start[:n]), r)
	if n == 2 && start[0]&0x0f == 8 && (uint(start[0])<<8|uint(start[1]))%31 == 0 {
		return zlib.NewReader(all)
	}
	return flate.NewReader(all), nil
}

// A lazyReader opens another reader when it is read, since that reads itself. An empty body is no error.
type lazyReader struct {
	open func() (io.Reader, error)
	from io.Reader
}

func (l *lazyReader) Read(p []byte) (int, error) {
	if l.from == nil {
		var err error
		if l.from, err = l.open(); err != nil {
			return 0, err
		}
	}
	return l.from.Read(p)
}
