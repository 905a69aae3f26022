//go:build suites

package javascript_test

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// packagesWithoutRequests are popular packages that cannot make requests here, with what they say.
var packagesWithoutRequests = map[string]string{
	"got":    "tls.TLSSocket is not available", // which it makes while it loads
	"undici": "net.connect is not available",   // it has its own connections
}

// TestOutsideRequests runs the scripts of testdata/npm/requests, which make requests with packages as npm installs
// them, and compares what they return with what Node says, each with a server of its own.
func TestOutsideRequests(t *testing.T) {
	dir, scripts := outside(t, "requests")
	require.GreaterOrEqual(t, len(scripts), 15)
	packages := afero.NewReadOnlyFs(afero.NewBasePathFs(afero.NewOsFs(), dir))
	for _, script := range scripts {
		name := strings.TrimSuffix(filepath.Base(script), ".js")
		t.Run(name, func(t *testing.T) {
			code, err := os.ReadFile(script)
			require.NoError(t, err)
			server := newRequestServer(t)
			result, err := engine.Run(t.Context(), string(code), &javascript.RunOptions{
				Files: afero.NewCopyOnWriteFs(packages, afero.NewMemMapFs()), Network: networkTo(t, server,
					network.Limits{}),
				Globals: map[string]any{"base": server.URL},
			})
			if text := packagesWithoutRequests[name]; text != "" {
				require.ErrorContains(t, err, text)
				return
			}
			require.NoError(t, err)
			ofNode := newRequestServer(t)
			want := nodeAnswers(t, dir, []string{script}, "TOOLRUN_BASE="+ofNode.URL)[name].Text
			require.NotEmpty(t, want)
			require.Equal(t, partsOf(t, want, ofNode), partsOf(t, result.Text, server))
		})
	}
}

// partsOf indents the JSON that a script returns, for differences that people can read, without the server's address.
func partsOf(t *testing.T, text string, server *httptest.Server) string {
	var value any
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(text, server.URL, "BASE")), &value))
	out, err := json.MarshalIndent(value, "", " ")
	require.NoError(t, err)
	return string(out)
}

var boundary = regexp.MustCompile(`boundary="?([^";]+)`)

// newRequestServer starts a server that answers by the path, and remembers how often it has failed.
func newRequestServer(t *testing.T) *httptest.Server {
	var failures atomic.Int32
	stop := make(chan struct{})
	answer := func(w http.ResponseWriter, status int, value any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(value)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var asked struct {
			Model     string
			Stream    bool
			Variables struct{ ID string }
		}
		json.Unmarshal(body, &asked) // if it is JSON
		switch path := r.URL.Path; path {
		case "/echo":
			kind, text := r.Header.Get("Content-Type"), string(body)
			if m := boundary.FindStringSubmatch(kind); m != nil {
				kind, text = strings.ReplaceAll(kind, m[1], "B"), strings.ReplaceAll(text, m[1], "B")
			}
			// which fetch adds
			answer(w, 200, map[string]string{"method": r.Method, "url": r.URL.String(), "body": text, "type": kind,
				"accept": cmp.Or(r.Header.Get("Accept"), "*/*"),
				"own":    r.Header.Get("X-Own"), "authorization": r.Header.Get("Authorization")})
		case "/json":
			w.Header()["X-Twice"] = []string{"a", "b"}
			answer(w, 200, map[string]int{"a": 1})
		case "/gzip":
			w.Header().Set("Content-Type", "application/json")
			if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				w.Header().Set("Content-Encoding", "gzip")
				z := gzip.NewWriter(w)
				defer z.Close()
				fmt.Fprint(z, `{"zipped":"maybe"}`)
				return
			}
			fmt.Fprint(w, `{"zipped":"maybe"}`)
		case "/redirect":
			http.Redirect(w, r, "/echo?from=redirect", http.StatusFound)
		case "/redirect307":
			http.Redirect(w, r, "/echo", http.StatusTemporaryRedirect)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/flaky":
			if failures.Add(1) <= 2 {
				http.Error(w, "not yet", http.StatusServiceUnavailable)
				return
			}
			fmt.Fprint(w, "at last")
		case "/never", "/v1/models/never":
			select {
			case <-r.Context().Done():
			case <-stop:
			}
		case "/hang", "/short":
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "half")
			w.(http.Flusher).Flush()
			if path == "/hang" {
				select {
				case <-r.Context().Done():
				case <-stop:
				}
			}
		case "/lines":
			for _, line := range []string{"one\n", "zwei ü\n", "three"} {
				fmt.Fprint(w, line)
				w.(http.Flusher).Flush()
			}
		case "/large":
			w.Header().Set("Content-Type", "text/plain")
			w.Write([]byte(strings.Repeat("0123456789", 100_000)))
		case "/graphql":
			if asked.Variables.ID == "bad" {
				answer(w, 200, map[string]any{"data": nil,
					"errors": []any{map[string]string{"message": "no such item"}}})
				return
			}
			answer(w, 200, map[string]any{"data": map[string]any{"item": map[string]string{"name": asked.Variables.ID +
				r.Header.Get("Authorization")}}})
		case "/v1/chat/completions", "/v1/messages":
			serveModel(w, answer, path == "/v1/messages", asked.Model, asked.Stream)
		default:
			if code, err := strconv.Atoi(strings.TrimPrefix(path, "/status/")); err == nil {
				w.Header().Set("Content-Type", "text/plain")
				w.WriteHeader(code)
				if code != http.StatusNoContent {
					fmt.Fprintf(w, "this is %d", code)
				}
				return
			}
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(func() { close(stop); server.Close() })
	return server
}

// serveModel answers as the APIs of two model providers do.
func serveModel(w http.ResponseWriter, answer func(http.ResponseWriter, int, any), messages bool, model string,
	stream bool) {
	if model == "missing" {
		answer(w, 404, map[string]any{"type": "error", "error": map[string]string{"type": "not_found_error",
			"message": "no such model"}})
		return
	}
	events := []string{`{"choices":[{"index":0,"delta":{"content":"hel"}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"lo"}}]}`, `[DONE]`}
	whole := `{"choices":[{"index":0,"message":{"role":"assistant","content":"hello"}}]}`
	if messages {
		const head = `"id":"m","type":"message","role":"assistant",` +
			`"model":"m","stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}`
		whole = `{` + head + `,"content":[{"type":"text","text":"hello"}]}`
		events = []string{`{"type":"message_start","message":{` + head + `,"content":[]}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hel"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`,
			`{"type":"message_stop"}`}
	}
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, whole)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range events {
		if kind := regexp.MustCompile(`^{"type":"(\w+)"`).FindStringSubmatch(event); kind != nil {
			fmt.Fprintf(w, "event: %s\n", kind[1])
		}
		fmt.Fprintf(w, "data: %s\n\n", event)
		w.(http.Flusher).Flush()
	}
}
