package sdktest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A server plays a provider with prepared answers.
type server struct {
	*httptest.Server
	answers []answer
	bodies  []json.RawMessage // of the requests so far
}

type answer struct {
	path        string // of the request that it answers
	contentType string
	body        []byte
}

// serve starts a server that gives the answers in order.
func serve(t *testing.T, answers ...answer) *server {
	t.Helper()
	s := &server{answers: answers}
	// SDKs make one request after another, and tests read the bodies after they return.
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if !assert.NoError(t, err) || !assert.Less(t, len(s.bodies), len(s.answers), "a request too many: %s", body) {
			w.WriteHeader(http.StatusBadRequest) // SDKs do not retry this status
			return
		}
		a := s.answers[len(s.bodies)]
		s.bodies = append(s.bodies, body)
		assert.Equal(t, http.MethodPost, r.Method)
		assert.Equal(t, a.path, r.URL.Path)
		w.Header().Set("Content-Type", a.contentType)
		_, err = w.Write(a.body)
		assert.NoError(t, err)
	}))
	t.Cleanup(s.Close)
	return s
}

// testdata returns the content of a file.
func testdata(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return data
}
