package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/toolrun/toolrun/network"
)

func failure(kind network.Kind, format string, args ...any) *network.Error {
	return &network.Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// denied is the error of a request that no rule allows.
func denied(policy *network.Policy, method, address string) *network.Error {
	if !policy.On() {
		return failure(network.KindDenied,
			"there is no network here: whoever runs this can allow the request with --allow '%s %s'", method, address)
	}
	return failure(network.KindDenied, "no rule allows %s %s: whoever runs this can add one with --allow '%s %s'",
		method, address, method, address)
}

// networkError turns an error of net or net/http into one for the author of the code.
func networkError(host string, err error) *network.Error {
	if e, ok := errors.AsType[*network.Error](err); ok {
		return e
	}
	text := "the connection failed"
	dns, isDNS := errors.AsType[*net.DNSError](err)
	timeout, isTimeout := errors.AsType[net.Error](err)
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	_, isUnknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, isOther := errors.AsType[x509.HostnameError](err)
	_, isTLS := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case isDNS && dns.IsNotFound:
		text = "there is no host of this name"
	case isDNS:
		text = "its name cannot be resolved at the moment"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		isTimeout && timeout.Timeout():
		text = "it does not answer in time"
	case errors.Is(err, syscall.ECONNREFUSED):
		text = "the connection was refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		text = "the connection was lost"
	case isInvalid && invalid.Reason == x509.Expired:
		text = "its certificate has expired"
	case isUnknown:
		text = "its certificate is not one that is trusted"
	case isOther:
		text = "its certificate is for another host"
	case isInvalid:
		text = "its certificate is not valid"
	case isTLS:
		text = "it does not speak TLS"
	case strings.Contains(err.Error(), "server response headers exceeded"),
		strings.Contains(err.Error(), "header list larger than"):
		return &network.Error{
			Kind:    network.KindLimit,
			Message: fmt.Sprintf("%s: the headers of the response are too large", host),
			Err:     err,
		}
	case strings.Contains(err.Error(), "malformed HTTP"):
		text = "its answer is not HTTP"
	case strings.Contains(err.Error(), "EOF"):
		text = "the connection was closed before there was an answer"
	}
	return &network.Error{Kind: network.KindNetwork, Message: fmt.Sprintf("%s: %s", host, text), Err: err}
}
