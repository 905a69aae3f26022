// Package sameorigin tells requests that are meant for a server from those that a web page of somebody else makes in the
// name of a person who uses it: by another name of its address (DNS rebinding), or from another origin.
package sameorigin

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A Server is what a server answers to. The zero value answers to the names of the loopback interface, and to pages of
// its own origin.
type Server struct {
	// Hosts are more names of the server, with or without a port. "*" stands for all.
	Hosts []string
	// Origins are origins of pages that may use it, such as https://example.com.
	Origins []string
}

// Refuse says why a request is refused, or returns "".
func (s *Server) Refuse(r *http.Request) string {
	if !s.ownHost(r.Host) {
		return fmt.Sprintf("this server is not for the host %q", r.Host)
	}
	if origin := r.Header.Get("Origin"); origin != "" && !s.ownOrigin(r, origin) {
		return fmt.Sprintf("this server is not for pages from %q", origin)
	}
	return ""
}

func (s *Server) ownHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if ip := net.ParseIP(name); name == "localhost" || ip != nil && ip.IsLoopback() {
		return true
	}
	return slices.ContainsFunc(s.Hosts, func(own string) bool {
		return own == "*" || strings.EqualFold(own, name) || strings.EqualFold(own, host)
	})
}

func (s *Server) ownOrigin(r *http.Request, origin string) bool {
	if slices.Contains(s.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}
