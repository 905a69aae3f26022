package network

import (
	"context"
	"errors"
	"io"
	"time"
)

// A Gate is the way of one project's code to the network. It is safe for concurrent use.
type Gate interface {
	// Policy returns what the gate allows. It is nil or has no rules if that is nothing. Do not change it.
	Policy() *Policy
	// Run returns what makes the requests of one run of code. name identifies the run in records.
	Run(name string) Run
}

// A Run makes the requests of one run of code, and counts them. It is safe for concurrent use.
type Run interface {
	// Do makes a request and follows its redirects. The error is an [*Error], or that of the context. The context is
	// also that of the response's body.
	Do(ctx context.Context, request *Request) (*Response, error)
	// Usage returns what the run has used so far.
	Usage() Usage
}

// Usage is what a run has used of the network: requests with their redirects, and bytes of bodies.
type Usage struct{ Requests, Sent, Received int64 }

// A Request is a request as code makes it.
type Request struct {
	// Method is in any case; empty means GET.
	Method string
	// URL is absolute.
	URL string
	// Header has names in any case, and values, in order.
	Header []Field
	// Body is nil if there is none.
	Body []byte
	// Redirect says what to do with redirects: "follow" (or empty), "error", or "manual", which returns them.
	Redirect string
	// Rules, if not nil, bound the request and its redirects further: one of these must allow each, too.
	Rules []Rule
	// Approval is how a person has decided on the request, or nil if nobody was asked. One that was refused is not
	// made.
	Approval *Approval
}

// An Approval is how a person has decided on a request, for the audit log.
type Approval struct {
	// Rule is the rule that asked for an approval. By names the person who decided, and Time is when.
	Rule, By string
	Time     time.Time
	// Refusal is what code is told if the request was refused, and empty otherwise.
	Refusal string
}

// A Field is a field of a header.
type Field struct{ Name, Value string }

// A Response is the response to a request.
type Response struct {
	Status     int
	StatusText string
	// URL is the address of the response, after redirects, with placeholders of secrets.
	URL        string
	Redirected bool
	Header     []Field
	// Body ends with an [*Error] if it is larger than allowed, or if its time is up. Close it.
	Body io.ReadCloser
}

// A Record is what the audit log has of a request. It has neither secrets nor bodies.
type Record struct {
	// Project and Run are what the gate and [Gate].Run were given.
	Project, Run string
	Time         time.Time
	// Method, Host and Path are of the request. Host has the scheme and the port. The path has no query.
	Method, Host, Path string
	// Rule is the rule that allowed it, or "".
	Rule string
	// Approval is that of the request.
	Approval *Approval
	// Secrets are the names of those that were put in.
	Secrets []string
	// Status is that of the response, or zero if there is none.
	Status int
	// Sent and Received are the sizes of the bodies in bytes, Received after decompression.
	Sent, Received int64
	Duration       time.Duration
	// Err is why there is no response, or why it ended early. It is nil otherwise.
	Err error
}

// Outcome is "ok", or the [Kind] of the error, or "failed".
func (r *Record) Outcome() string {
	if r.Err == nil {
		return "ok"
	}
	if e, ok := errors.AsType[*Error](r.Err); ok {
		return string(e.Kind)
	}
	return "failed"
}

// A Kind is why there is no response.
type Kind string

const (
	// KindDenied: no rule allows the request, or one that it was redirected to, or a person has refused it.
	KindDenied Kind = "denied"
	// KindAddress: the host has an address that may not be reached.
	KindAddress Kind = "address"
	// KindSecret: a secret may not be sent there.
	KindSecret Kind = "secret"
	// KindLimit: a limit of the policy is exceeded.
	KindLimit Kind = "limit"
	// KindInvalid: it is not a request that can be made.
	KindInvalid Kind = "invalid"
	// KindRedirect: the response is a redirect that may not be, or cannot be, followed.
	KindRedirect Kind = "redirect"
	// KindNetwork: there is no host of the name, or it does not answer, or not as HTTP or TLS want it.
	KindNetwork Kind = "network"
)

// An Error says why there is no response, or why a response ends. Its text is for the author of the code, and has
// neither secrets nor addresses of hosts.
type Error struct {
	Kind    Kind
	Message string
	// Err is the cause, if there is one. It is for the host.
	Err error
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
