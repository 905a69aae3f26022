//go:build suites

package python_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/net/egress"
	"github.com/toolrun/toolrun/network"
)

// served is a server for the programs in testdata/requests.
func served(t *testing.T) *httptest.Server {
	var unsteady atomic.Int64
	to := func(status int, path string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", path)
			w.WriteHeader(status)
		}
	}
	text := func(kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, body)
		}
	}
	echo := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		latin := make([]rune, len(body))
		for i, b := range body {
			latin[i] = rune(b)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Twice", "a")
		_ = json.NewEncoder(w).Encode(map[string]any{"method": r.Method, "url": r.URL.String(), "body": string(latin),
			"type": strings.Split(r.Header.Get("Content-Type"), ";")[0], "own": r.Header.Get("X-Own"),
			"auth": r.Header.Get("Authorization")})
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/", echo)
	mux.HandleFunc("/redirects", to(301, "/redirect"))
	mux.HandleFunc("/redirect", to(302, "/echo"))
	mux.HandleFunc("/redirect/{status}", func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(r.PathValue("status"))
		to(status, "/echo")(w, r)
	})
	mux.HandleFunc("/loop", to(302, "/loop"))
	mux.HandleFunc("/status/{status}", func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(r.PathValue("status"))
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(status)
		fmt.Fprint(w, "this")
	})
	mux.HandleFunc("/lines", text("text/plain; charset=utf-8", "one\ntwo ü\r\nthree"))
	mux.HandleFunc("/latin", text("text/plain", "\xfcber"))
	mux.HandleFunc("/gzip", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, "compressed")
		_ = z.Close()
	})
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) {
		select { // clients that have gone are not always noticed
		case <-r.Context().Done():
		case <-time.After(5 * time.Second):
		}
	})
	mux.HandleFunc("/unsteady", func(w http.ResponseWriter, _ *http.Request) {
		if unsteady.Add(1)%3 != 0 {
			w.WriteHeader(503)
		}
	})
	mux.HandleFunc("/protected", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", `Basic realm="here"`)
			w.WriteHeader(401)
			return
		}
		echo(w, r)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// TestRequests runs the programs in testdata/requests, which make requests by urllib and requests, by the tool and by
// the Python of this machine with the package itself, which is in TOOLRUN_PYTHON_PACKAGES: they print the same, and
// leave the same files.
func TestRequests(t *testing.T) {
	packages := named(t, "TOOLRUN_PYTHON_PACKAGES")
	server := served(t)
	rule, err := network.ParseRule("* " + server.URL + "/**")
	require.NoError(t, err)
	gate, err := egress.New(egress.Options{Policy: &network.Policy{Rules: []network.Rule{rule},
		Limits: network.Limits{PerMinute: network.Unlimited}}})
	require.NoError(t, err)
	t.Cleanup(gate.Close)
	s := newSandboxed(t, 64)
	s.network = gate
	path, err := filepath.Glob(filepath.Join(packages, "*/usr/lib/python3/dist-packages"))
	require.NoError(t, err)
	programs, err := filepath.Glob("testdata/requests/*.py")
	require.NoError(t, err)
	require.NotEmpty(t, programs)
	for _, file := range programs {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".py"), func(t *testing.T) {
			program, err := os.ReadFile(file)
			require.NoError(t, err)
			code := strings.ReplaceAll(string(program), "http://base", server.URL)
			dir := t.TempDir()
			want := native(t, code, dir, "PYTHONPATH="+strings.Join(path, string(os.PathListSeparator)))
			require.Zero(t, want.status, want.stderr)
			files := newEnv(t).Files
			got := s.run(t, code, nil, files)
			require.Equal(t, want.stdout, got.stdout, got.stderr)
			require.Zero(t, got.status, got.stderr)
			require.Equal(t, contents(t, afero.NewBasePathFs(afero.NewOsFs(), dir)), contents(t, files))
		})
	}
}
