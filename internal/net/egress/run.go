package egress

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolrun/toolrun/network"
)

// A run makes the requests of one run of code, and counts them. It is safe for concurrent use.
type run struct {
	gate   *Gate
	name   string
	places chan struct{} // one for each request in progress; nil if there can be any number

	requests       atomic.Int64
	refused        atomic.Int64 // requests that were not sent
	sent, received atomic.Int64
}

// Usage returns what the run has used so far.
func (r *run) Usage() network.Usage {
	return network.Usage{Requests: r.requests.Load(), Sent: r.sent.Load(), Received: r.received.Load()}
}

// Do makes a request and follows its redirects. The error is an [*network.Error], or that of the context. The context
// is also that of the response's body.
func (r *run) Do(ctx context.Context, request *network.Request) (response *network.Response, err error) {
	g := r.gate
	if request.Method == "" {
		request.Method = http.MethodGet
	}
	h, err := r.prepare(request)
	if err != nil {
		return nil, err
	}
	if err := r.place(ctx); err != nil {
		return nil, err
	}
	caller := ctx
	cancel := context.CancelFunc(func() {})
	if g.limits.Time != network.Unlimited {
		ctx, cancel = context.WithTimeout(ctx, g.limits.Time)
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	end := sync.OnceFunc(func() {
		cancel()
		if r.places != nil {
			<-r.places
		}
	})
	defer func() {
		if err != nil {
			if caller.Err() != nil {
				err = caller.Err()
			} else if ctx.Err() != nil {
				err = failure(network.KindLimit, "%s: there was no whole response after %v", h.url.Host, g.limits.Time)
			}
			end()
		}
	}()
	for redirects := 0; ; redirects++ {
		got, record, err := r.once(ctx, h)
		if err != nil {
			return nil, err
		}
		striker := g.strikerFor(h.url.Hostname)
		// A redirect without a Location is a response, as in the standard. One with an empty Location leads to its own
		// URL. See https://fetch.spec.whatwg.org/#concept-response-location-url
		locations := got.Header.Values("Location")
		if slices.Contains([]int{301, 302, 303, 307, 308}, got.StatusCode) &&
			(request.Redirect == "error" || request.Redirect != "manual" && len(locations) > 0) {
			record(0, nil)
			_ = got.Body.Close()
			if request.Redirect == "error" {
				return nil, failure(network.KindRedirect,
					"%s redirects, and the request does not want to be redirected", h.url.Host)
			}
			if most := g.limits.Redirects; most != network.Unlimited && redirects >= most {
				return nil, failure(network.KindLimit, "%s: there were more than %d redirects", h.url.Host, most)
			}
			if err := h.follow(got.StatusCode, striker.text(locations[0])); err != nil {
				return nil, err
			}
			continue
		}
		body := &body{run: r, from: got.Body, host: h.url.Host, caller: caller, ctx: ctx,
			end: end, record: record, left: g.limits.ResponseSize}
		compressed := io.Reader(got.Body)
		if most := g.limits.ResponseSize; most != network.Unlimited {
			// Nothing may come out of it, without end. What cannot be compressed becomes a little larger.
			compressed = &boundedReader{from: got.Body, left: most + most/1024 + 64<<10, err: body.tooLarge()}
		}
		body.decoded = decompress(got.Header, compressed)
		body.struck = striker.reader(ctx, (*countingReader)(body))
		return &network.Response{
			Status: got.StatusCode, StatusText: striker.text(
				strings.TrimPrefix(strings.TrimPrefix(got.Status, strconv.Itoa(got.StatusCode)), " ")),
			URL: h.url.Href, Redirected: redirects > 0, Header: fields(got.Header, striker), Body: body,
		}, nil
	}
}

// place waits until a request can begin.
func (r *run) place(ctx context.Context) error {
	if r.places == nil {
		return nil
	}
	select {
	case r.places <- struct{}{}:
		return nil
	default:
	}
	var late <-chan time.Time
	if most := r.gate.limits.Time; most != network.Unlimited {
		timer := time.NewTimer(most)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case r.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-late:
		return failure(network.KindLimit,
			"%d requests are in progress, as many as there can be: read or cancel their responses first", cap(r.places))
	}
}

// once makes one request, without following redirects. record is called when the response has ended.
func (r *run) once(ctx context.Context, h *hop) (got *http.Response, record func(received int64, err error),
	err error) {
	g := r.gate
	entry := network.Record{Project: g.options.Project, Run: r.name, Time: time.Now(),
		Method: h.method, Host: h.url.Protocol + "//" + h.url.Host, Path: h.url.Pathname,
		Sent: int64(len(h.body)), Approval: h.approval}
	note := func(received int64, err error) {
		if g.options.Audit == nil {
			return
		}
		entry.Received, entry.Err, entry.Duration = received, err, time.Since(entry.Time)
		g.options.Audit(entry)
	}
	defer func() {
		if err == nil {
			return
		}
		// Code can ask without end for what it does not get. The log has as many of these as of others.
		if n := r.refused.Add(1); g.limits.PerRun == network.Unlimited || n <= int64(g.limits.PerRun) {
			note(0, err)
		}
	}()
	if h.approval != nil && h.approval.Refusal != "" {
		return nil, nil, failure(network.KindDenied, "%s", h.approval.Refusal)
	}
	rule, err := h.allowed(g.options.Policy)
	if err != nil {
		return nil, nil, err
	}
	entry.Rule = rule.String()
	sent := false
	defer func() {
		if !sent {
			r.requests.Add(-1)
		}
	}()
	if n := r.requests.Add(1); g.limits.PerRun != network.Unlimited && n > int64(g.limits.PerRun) {
		return nil, nil, failure(network.KindLimit, "one run can make %d requests", g.limits.PerRun)
	}
	if !g.rate.Allow() {
		return nil, nil, failure(network.KindLimit, "there were %d requests in a minute: wait before you make more",
			g.limits.PerMinute)
	}
	request, secrets, err := g.request(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	entry.Secrets = secrets
	sent = true
	r.sent.Add(int64(len(h.body)))
	got, err = g.transport.RoundTrip(request)
	if err != nil {
		failed := networkError(h.url.Host, err)
		failed.Message = g.striker.text(failed.Message)
		return nil, nil, failed
	}
	entry.Status = got.StatusCode
	if got.StatusCode < 200 { // another protocol begins, or so it says
		_ = got.Body.Close()
		return nil, nil, failure(network.KindNetwork, "%s: its answer is not HTTP", h.url.Host)
	}
	return got, note, nil
}

// allowed returns the rule that allows the request.
func (h *hop) allowed(policy *network.Policy) (rule *network.Rule, err error) {
	address := h.url.Protocol + "//" + h.url.Host + h.url.Pathname
	for _, method := range network.Methods(h.method, h.url.Href, h.header) {
		found, err := policy.Allows(method, h.url.Href)
		if err != nil {
			return nil, failure(network.KindInvalid, "%v", err)
		}
		if found == nil {
			return nil, denied(policy, method, address)
		}
		if h.rules != nil {
			if own, err := (&network.Policy{Rules: h.rules}).Allows(method, h.url.Href); own == nil || err != nil {
				return nil, failure(network.KindDenied, "%s %s is not among the requests that this code may make",
					method, address)
			}
		}
		rule = cmp.Or(rule, found)
	}
	return rule, nil
}

// fields returns the headers of a response in the form that code gets: names in lower case, sorted, and each value by
// itself. Cookies are not for code: there is no store of cookies, and they are often secrets.
func fields(header http.Header, striker *striker) []network.Field {
	var fields []network.Field
	for name, values := range header {
		name = strings.ToLower(name)
		if name == "set-cookie" || name == "set-cookie2" || name == "content-length" && len(striker.forms) > 0 {
			continue // or the length is that with secrets
		}
		if striker.inName(name) {
			continue
		}
		for _, value := range values {
			fields = append(fields, network.Field{Name: name, Value: striker.text(value)})
		}
	}
	slices.SortStableFunc(fields, func(a, b network.Field) int { return cmp.Compare(a.Name, b.Name) })
	return fields
}

// body is the body of a response.
type body struct {
	run     *run
	from    io.ReadCloser
	decoded io.Reader // without compression
	struck  io.Reader // and without secrets
	host    string
	caller  context.Context
	ctx     context.Context
	end     func()
	record  func(received int64, err error)

	left     int64
	received atomic.Int64
	once     sync.Once
	err      error
}

// countingReader is a body that counts what it has after decompression.
type countingReader body

func (c *countingReader) Read(p []byte) (int, error) {
	limit := c.run.gate.limits.ResponseSize
	if limit != network.Unlimited {
		p = p[:min(int64(len(p)), c.left+1)]
	}
	n, err := c.decoded.Read(p)
	if limit != network.Unlimited {
		if c.left -= int64(n); c.left < 0 {
			return 0, (*body)(c).tooLarge()
		}
	}
	c.received.Add(int64(n))
	c.run.received.Add(int64(n))
	return n, err
}

func (b *body) tooLarge() *network.Error {
	return failure(network.KindLimit, "%s: the response has more than %d bytes", b.host, b.run.gate.limits.ResponseSize)
}

func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.struck.Read(p)
	switch {
	case err == nil:
		return n, nil
	case err == io.EOF:
		b.finish(nil)
	case b.caller.Err() != nil:
		err = b.caller.Err()
		b.finish(err)
	case b.ctx.Err() != nil:
		err = failure(network.KindLimit, "%s: there was no whole response after %v", b.host, b.run.gate.limits.Time)
		b.finish(err)
	default:
		if _, ok := errors.AsType[*network.Error](err); !ok {
			err = &network.Error{
				Kind: network.KindNetwork, Message: b.host + ": the response ended too early, or is damaged", Err: err,
			}
		}
		b.finish(err)
	}
	b.err = err
	return n, err
}

// finish ends the request.
func (b *body) finish(err error) {
	b.once.Do(func() {
		b.record(b.received.Load(), err)
		b.end() // before the body is closed, which may be read at the moment
		_ = b.from.Close()
	})
}

// Close ends the request, if it has not ended.
func (b *body) Close() error {
	b.finish(nil)
	return nil
}

// reader returns a body for a request.
func reader(data []byte) io.ReadCloser {
	if data == nil {
		return nil
	}
	return io.NopCloser(bytes.NewReader(data))
}
