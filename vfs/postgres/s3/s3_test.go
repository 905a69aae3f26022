package s3_test

import (
	"context"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs/postgres"
	"github.com/toolrun/toolrun/vfs/postgres/s3"
)

func TestAddresses(t *testing.T) {
	for address, text := range map[string]string{
		"s3://bucket":                       "",
		"s3://bucket/":                      "",
		"s3://bucket/some/prefix/":          "",
		"https://host.example.com/bucket":   "",
		"http://localhost:9000/bucket/p":    "",
		"s3://":                             "names no bucket",
		"https://host.example.com":          "names no bucket",
		"https:///bucket":                   "names no bucket",
		"ftp://host/bucket":                 "not ftp://",
		"/bucket":                           "not ://",
		"s3://bucket?x=y":                   "more than a host",
		"https://me:secret@host/bucket":     "has credentials",
		"https://me:secret@host/bucket/%zz": "is no URL",
	} {
		t.Run(address, func(t *testing.T) {
			bucket, err := s3.Open(address, nil)
			if text == "" {
				require.NoError(t, err)
				require.NotNil(t, bucket)
				return
			}
			require.ErrorContains(t, err, text)
			require.NotContains(t, err.Error(), "secret")
		})
	}
}

// TestHostileServer has a server that answers something else than it should. See the module servertest for one that
// does what it should.
func TestHostileServer(t *testing.T) {
	const secret = "the-secret-key-that-nobody-may-see"
	for name, test := range map[string]struct {
		status int
		header http.Header
		body   string
		text   string
	}{
		"an error that repeats the request": {403, http.Header{"Content-Type": {"application/xml"}},
			"<Error><Code>Access\x1b[31mDenied</Code><Message>" + strings.Repeat("Authorization: x ", 1000) +
				"</Message></Error>", "the server answers 403"},
		"too much": {200, nil, strings.Repeat("x", postgres.MaxObject+2), "too large"},
		"less":     {200, http.Header{"Content-Length": {"100"}}, "x", "EOF"},
		"no such key": {404, http.Header{"Content-Type": {"application/xml"}}, "<Error><Code>NoSuchKey</Code></Error>",
			"not exist"},
		"no such page": {404, nil, "<html>", "not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for name, values := range test.header {
					w.Header()[name] = values
				}
				w.Header().Set("ETag", `"d41d8cd98f00b204e9800998ecf8427e"`)
				w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			}))
			defer server.Close()
			bucket, err := s3.Open(server.URL+"/bucket/prefix", &s3.Options{Region: "us-east-1", AccessKey: "key",
				SecretKey: secret, SessionToken: secret})
			require.NoError(t, err)
			_, err = bucket.Get(t.Context(), "name")
			require.ErrorContains(t, err, test.text)
			require.NotContains(t, err.Error(), secret)
			require.NotContains(t, err.Error(), "Authorization")
			require.NotContains(t, err.Error(), "\x1b")
		})
	}
	// Nobody is there.
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	bucket, err := s3.Open(server.URL+"/bucket", &s3.Options{Region: "us-east-1", AccessKey: "key", SecretKey: secret})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = bucket.Put(ctx, "name", []byte("x"))
	require.Error(t, err)
	require.NotContains(t, err.Error(), secret)
	require.NotErrorIs(t, err, fs.ErrNotExist)
}
