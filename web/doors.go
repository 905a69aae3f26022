package web

import (
	"crypto/rand"
	"crypto/sha256"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/toolrun/toolrun/internal/net/clientaddr"
)

// linkTime is how long a link of [Server.Link] can be used.
const linkTime = 10 * time.Minute

const (
	maxLinks   = 100
	maxCookies = 1000           // of all addresses together
	maxVisits  = 100            // of one token, of links, or of one address if everybody is admitted
	cookieTime = 12 * time.Hour // since it was used last
)

// A secret is the hash of a key, so that memory that leaks has none.
type secret [sha256.Size]byte

func hash(key string) secret { return sha256.Sum256([]byte(key)) }

// A visit is somebody's use of the page, from the moment in which they got in. It can be that of several windows.
type visit struct {
	csrf  string
	token string // the Authorization that is looked up each time, so that a token that is gone ends it; or ""
	used  time.Time
	// of is whose visit it is: the holder of a token, the address of somebody who has shown nothing, or nil for those
	// who came by a link.
	of any
}

// doors are the links and cookies by which people get in.
type doors struct {
	now func() time.Time

	mu     sync.Mutex
	links  map[secret]time.Time // until when
	visits map[secret]*visit
}

func newDoors(now func() time.Time) *doors {
	return &doors{now: now, links: map[secret]time.Time{}, visits: map[secret]*visit{}}
}

// newLink makes a key that is good for one visit.
func (d *doors) newLink() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	oldest, first := secret{}, time.Time{}
	for s, until := range d.links {
		if until.Before(d.now()) {
			delete(d.links, s)
		} else if first.IsZero() || until.Before(first) {
			oldest, first = s, until
		}
	}
	if len(d.links) >= maxLinks {
		delete(d.links, oldest)
	}
	key := rand.Text()
	d.links[hash(key)] = d.now().Add(linkTime)
	return key
}

// useLink reports whether a key is good, which it is once.
func (d *doors) useLink(key string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	until, ok := d.links[hash(key)]
	delete(d.links, hash(key))
	return ok && d.now().Before(until)
}

// admit begins a visit, and returns the value of its cookie. If the same somebody has too many, the one ends that has
// not been used for the longest time, and so it is with addresses if all together have too many. Nobody else ends the
// visits of those who have a token or a link.
func (d *doors) admit(token string, of any) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	_, stranger := of.(netip.Prefix)
	var oldest, oldestOwn secret
	first, firstOwn, strangers, own := now, now, 0, 0
	for s, v := range d.visits {
		if now.Sub(v.used) > cookieTime {
			delete(d.visits, s)
			continue
		}
		if _, ok := v.of.(netip.Prefix); ok {
			if strangers++; !v.used.After(first) {
				oldest, first = s, v.used
			}
		}
		if v.of != of {
			continue
		}
		if own++; !v.used.After(firstOwn) {
			oldestOwn, firstOwn = s, v.used
		}
	}
	if own >= maxVisits {
		delete(d.visits, oldestOwn)
	} else if stranger && strangers >= maxCookies {
		delete(d.visits, oldest)
	}
	key := rand.Text() + rand.Text()
	d.visits[hash(key)] = &visit{csrf: rand.Text(), token: token, used: now, of: of}
	return key
}

// visit returns the visit of a cookie, or nil.
func (d *doors) visit(cookie string) *visit {
	d.mu.Lock()
	defer d.mu.Unlock()
	v := d.visits[hash(cookie)]
	if v == nil || d.now().Sub(v.used) > cookieTime {
		return nil
	}
	v.used = d.now()
	copied := *v
	return &copied
}

// leave ends the visit of a cookie.
func (d *doors) leave(cookie string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.visits, hash(cookie))
}

// cookieName is the cookie's name. Cookies of one host are sent to all its ports, so each server has a name of its own.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "default"
	}
	return "toolrun-" + port
}

func (s *Server) setCookie(w http.ResponseWriter, r *http.Request, value string) {
	c := &http.Cookie{Name: cookieName(r), Value: value, Path: "/", HttpOnly: true, Secure: r.TLS != nil,
		SameSite: http.SameSiteStrictMode}
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// A person is who makes a request.
type person struct {
	access *Access
	visit  *visit // nil for programs, which send a token each time
	cookie string
}

// admits returns who makes a request, or nil.
func (s *Server) admits(r *http.Request) *person {
	p := s.identify(r)
	if p != nil && s.options.Admitted != nil {
		s.options.Admitted(r)
	}
	return p
}

func (s *Server) identify(r *http.Request) *person {
	if r.Header.Get("Authorization") != "" {
		if access := s.byToken(r); access != nil {
			return &person{access: access}
		}
		return nil
	}
	if cookie, err := r.Cookie(cookieName(r)); err == nil {
		if v := s.doors.visit(cookie.Value); v != nil {
			access := s.owner
			if v.token != "" {
				with := &http.Request{Header: http.Header{"Authorization": {v.token}}}
				access = s.byToken(with.WithContext(r.Context()))
			}
			if access != nil {
				return &person{access, v, cookie.Value}
			}
		}
	}
	return nil
}

func (s *Server) byToken(r *http.Request) *Access {
	if s.options.Token == nil {
		return nil
	}
	return s.options.Token(r)
}

// maySend reports whether a person's request that changes something comes from the page: a foreign page can neither
// read nor set the header.
func (p *person) maySend(r *http.Request) bool {
	return p.visit == nil || equal(r.Header.Get("X-Toolrun-CSRF"), p.visit.csrf)
}

// equal compares without telling by its time how much is equal.
func equal(a, b string) bool { return hash(a) == hash(b) }

// login begins a visit with a token.
func (s *Server) login(w http.ResponseWriter, r *http.Request, token string) bool {
	authorization := "Bearer " + strings.TrimSpace(token)
	with := &http.Request{Header: http.Header{"Authorization": {authorization}}}
	if !s.tries.allow(clientaddr.Network(r.RemoteAddr), s.options.Now()) {
		return false
	}
	access := s.byToken(with.WithContext(r.Context()))
	if access == nil {
		return false
	}
	s.setCookie(w, r, s.doors.admit(authorization, access.Holder()))
	return true
}
