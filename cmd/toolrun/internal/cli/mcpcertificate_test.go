package cli_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// writeCertificate writes a certificate that is told apart by its serial number.
func writeCertificate(t *testing.T, certFile, keyFile string, serial int64) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), DNSNames: []string{"localhost"},
		NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}), 0o600))
}

// TestMCPCertificateChanges: after SIGHUP new connections get the new certificate, unless it cannot be read.
func TestMCPCertificateChanges(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writeCertificate(t, certFile, keyFile, 1)
	s := serve(t, newHost(t), "--http", "localhost:0", "--tls-cert", certFile, "--tls-key", keyFile)
	serial := func() int64 {
		address := strings.TrimSuffix(strings.TrimPrefix(s.URL, "https://"), "/mcp")
		conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
		require.NoError(t, err)
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	require.EqualValues(t, 1, serial())
	writeCertificate(t, certFile, keyFile, 2)
	require.True(t, s.signals.send(syscall.SIGHUP))
	s.Await(t, "the certificate has been read again")
	require.EqualValues(t, 2, serial())
	require.NoError(t, os.WriteFile(keyFile, nil, 0o600))
	require.True(t, s.signals.send(syscall.SIGHUP))
	s.Await(t, "the certificate cannot be read")
	require.EqualValues(t, 2, serial())
}
