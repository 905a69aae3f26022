package egress_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/toolrun/toolrun/internal/net/egress"
	"github.com/toolrun/toolrun/network"
)

// An internet is names, addresses and servers that exist only in a test: a DNS server on the loopback answers for the
// names, and connections to the addresses reach servers on the loopback.
type internet struct {
	t   *testing.T
	dns net.PacketConn
	ca  tls.Certificate
	// Roots has the authority of all servers.
	roots *x509.CertPool

	mu      sync.Mutex
	names   map[string][][]string // the answers for a name, one after the other; the last one stays
	servers map[string]string     // where servers listen, by "address:port"
	dialed  []string
	records []network.Record
}

func newInternet(t *testing.T) *internet {
	i := &internet{t: t, names: map[string][][]string{}, servers: map[string]string{}, roots: x509.NewCertPool()}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	leaf, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	i.ca = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
	i.roots.AddCert(leaf)

	i.dns, err = net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	var group sync.WaitGroup
	group.Go(i.answer)
	t.Cleanup(func() {
		require.NoError(t, i.dns.Close())
		group.Wait()
	})
	return i
}

// name makes a name known: the first question gets the first answer, and so on.
func (i *internet) name(name string, answers ...string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.names[name] = nil
	for _, answer := range answers {
		i.names[name] = append(i.names[name], strings.Fields(answer))
	}
}

// answer serves DNS.
func (i *internet) answer() {
	buffer := make([]byte, 1500)
	for {
		n, from, err := i.dns.ReadFrom(buffer)
		if err != nil {
			return
		}
		var question dnsmessage.Message
		if question.Unpack(buffer[:n]) != nil || len(question.Questions) != 1 {
			continue
		}
		q := question.Questions[0]
		reply := dnsmessage.Message{Header: dnsmessage.Header{ID: question.ID, Response: true, Authoritative: true},
			Questions: question.Questions}
		i.mu.Lock()
		answers, known := i.names[strings.TrimSuffix(q.Name.String(), ".")]
		if !known {
			reply.RCode = dnsmessage.RCodeNameError
		} else if q.Type == dnsmessage.TypeA && len(answers) > 1 {
			i.names[strings.TrimSuffix(q.Name.String(), ".")] = answers[1:]
		}
		i.mu.Unlock()
		if known && len(answers) > 0 {
			for _, text := range answers[0] {
				address := netip.MustParseAddr(text)
				head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
				if address.Is4() && q.Type == dnsmessage.TypeA {
					reply.Answers = append(reply.Answers, dnsmessage.Resource{Header: head,
						Body: &dnsmessage.AResource{A: address.As4()}})
				} else if !address.Is4() && q.Type == dnsmessage.TypeAAAA {
					reply.Answers = append(reply.Answers, dnsmessage.Resource{Header: head,
						Body: &dnsmessage.AAAAResource{AAAA: address.As16()}})
				}
			}
		}
		if data, err := reply.Pack(); err == nil {
			_, _ = i.dns.WriteTo(data, from)
		}
	}
}

// resolve asks the DNS server.
func (i *internet) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	r := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", i.dns.LocalAddr().String())
	}}
	return r.LookupNetIP(ctx, "ip", host+".")
}

// serve has a handler answer at an address and a port, by TLS at 443.
func (i *internet) serve(addressPort string, handler http.HandlerFunc) {
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.EnableHTTP2 = true
	if strings.HasSuffix(addressPort, ":443") {
		server.TLS = &tls.Config{GetCertificate: i.certificate, NextProtos: []string{"h2", "http/1.1"}}
		server.StartTLS()
	} else {
		server.Start()
	}
	i.t.Cleanup(server.Close)
	i.listen(addressPort, server.Listener.Addr().String())
}

// listen has connections to an address reach a listener of the test.
func (i *internet) listen(addressPort, at string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.servers[addressPort] = at
}

// raw answers each connection with a text, however it asks.
func (i *internet) raw(addressPort, text string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(i.t, err)
	i.t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = conn.Read(make([]byte, 64<<10))
				_, _ = io.WriteString(conn, text)
			}()
		}
	}()
	i.listen(addressPort, listener.Addr().String())
}

func (i *internet) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{hello.ServerName}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	switch hello.ServerName {
	case "expired.example":
		template.NotAfter = time.Now().Add(-time.Minute)
	case "other.example":
		template.DNSNames = []string{"one.example"}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, i.ca.Leaf, key.Public(), i.ca.PrivateKey)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// dial connects to a server of the test.
func (i *internet) dial(ctx context.Context, kind, address string) (net.Conn, error) {
	i.mu.Lock()
	i.dialed = append(i.dialed, address)
	at, ok := i.servers[address]
	i.mu.Unlock()
	if !ok {
		return nil, &net.OpError{Op: "dial", Net: kind, Err: syscall.ECONNREFUSED}
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", at)
}

func (i *internet) audit(r network.Record) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.records = append(i.records, r)
}

// gate returns a gate to the internet.
func (i *internet) gate(policy network.Policy) *egress.Gate {
	g, err := egress.New(egress.Options{Policy: &policy, Audit: i.audit, Resolve: i.resolve, Dial: i.dial,
		Roots: i.roots})
	require.NoError(i.t, err)
	i.t.Cleanup(g.Close)
	return g
}

// connections returns where connections have been made to.
func (i *internet) connections() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]string(nil), i.dialed...)
}

func rules(t *testing.T, texts ...string) (rules []network.Rule) {
	t.Helper()
	for _, text := range texts {
		rule, err := network.ParseRule(text)
		require.NoError(t, err)
		rules = append(rules, rule)
	}
	return rules
}

// get makes a GET request in a run of its own, and returns the response's body.
func get(t *testing.T, g *egress.Gate, url string, header ...network.Field) (*network.Response, string, error) {
	t.Helper()
	return do(t, g.Run("test"), &network.Request{URL: url, Header: header})
}

func do(t *testing.T, run network.Run, request *network.Request) (*network.Response, string, error) {
	t.Helper()
	response, err := run.Do(t.Context(), request)
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(response.Body)
	require.NoError(t, response.Body.Close())
	return response, string(body), err
}

func requireKind(t *testing.T, err error, kind network.Kind) {
	t.Helper()
	e, ok := errors.AsType[*network.Error](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, kind, e.Kind, e.Message)
}
