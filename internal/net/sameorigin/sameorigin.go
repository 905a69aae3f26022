// Package sameorigin tells requests that are meant for a server from those that a web page of somebody else makes in
// the name of a person who uses it: by another name of its address (DNS rebinding), or from another origin.
package sameorigin

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// A Server is what a server answers to. The zero value answers to the names of the loopback interface, to the address
// at which a connection has come in, which no name of somebody else can stand for, and to pages of its own origin.
type Server struct {
	// Hosts are more names of the server, with or without a port. "*" stands for all.
	Hosts []string
	// Origins are origins of pages that may use it, such as https://example.com.
	Origins []string
	// OriginAdvice ends the refusal of a page of another origin.
	OriginAdvice string
}

// Refuse says why a request is refused, or returns "".
func (s *Server) Refuse(r *http.Request) string {
	if name := nameOf(r.Host); !s.ownHost(r, name) {
		if !isName().MatchString(name) {
			name = "NAME"
		}
		return fmt.Sprintf("this server is not for the host %q; to allow it, "+
			"start toolrun with --allow-host %s", r.Host, name)
	}
	if origin := r.Header.Get("Origin"); origin != "" && !s.ownOrigin(r, origin) {
		return fmt.Sprintf("this server is not for pages from %q", origin) + s.OriginAdvice
	}
	return ""
}

// isName is a name that can be shown as it is.
var isName = lazyregexp.New(`^[a-z0-9._:-]{1,253}$`)

// nameOf returns a host without its port.
func nameOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

func (s *Server) ownHost(r *http.Request, name string) bool {
	host := r.Host
	if ip := net.ParseIP(name); name == "localhost" || ip != nil && (ip.IsLoopback() || ip.Equal(cameTo(r))) {
		return true
	}
	return slices.ContainsFunc(s.Hosts, func(own string) bool {
		return own == "*" || strings.EqualFold(own, name) || strings.EqualFold(own, host)
	})
}

// cameTo is the address of this machine that a request's connection has come to, or nil.
func cameTo(r *http.Request) net.IP {
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		return at.IP
	}
	return nil
}

func (s *Server) ownOrigin(r *http.Request, origin string) bool {
	if slices.Contains(s.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}
