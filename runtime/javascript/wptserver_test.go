//go:build suites

package javascript_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/net/egress"
	"github.com/toolrun/toolrun/network"
)

// A wptServer answers requests as the web platform tests expect it: with the suite's files, and with what the programs
// beside them say, which are written in Python there.
type wptServer struct {
	dir   string
	first *httptest.Server
	other *httptest.Server // another origin

	mu    sync.Mutex
	stash map[string]any // values by path and token, which are taken once
}

func newWPTServer(t *testing.T, dir string) *wptServer {
	s := &wptServer{dir: dir, stash: map[string]any{}}
	s.first, s.other = httptest.NewServer(s), httptest.NewServer(s)
	t.Cleanup(s.first.Close)
	t.Cleanup(s.other.Close)
	return s
}

// gate returns a gate that lets all requests to the server pass.
func (s *wptServer) gate(t *testing.T) *egress.Gate {
	// as many redirects as browsers
	policy := &network.Policy{Limits: network.Limits{Time: wptTime, PerRun: 1e5, PerMinute: 1e6, AtOnce: 1000,
		Redirects: 20}}
	for _, server := range []*httptest.Server{s.first, s.other} {
		rule, err := network.ParseRule("* " + server.URL)
		require.NoError(t, err)
		policy.Rules = append(policy.Rules, rule)
	}
	gate, err := egress.New(egress.Options{Policy: policy})
	require.NoError(t, err)
	return gate
}

var wptSubstitution = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// read returns a file, with the addresses of the server in it if its name says so.
func (s *wptServer) read(name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(path.Join("/", name))))
	if err != nil || !strings.Contains(path.Base(name), ".sub.") {
		return data, err
	}
	port := func(server *httptest.Server) string { return server.URL[strings.LastIndex(server.URL, ":")+1:] }
	return wptSubstitution.ReplaceAllFunc(data, func(what []byte) []byte {
		switch what := string(what[2 : len(what)-2]); {
		case what == "ports[http][0]" || what == "location[port]":
			return []byte(port(s.first))
		case what == "ports[http][1]":
			return []byte(port(s.other))
		case strings.HasPrefix(what, "ports["):
			return []byte("1") // nothing listens
		case what == "location[server]":
			return []byte(s.first.URL)
		case what == "host" || strings.HasPrefix(what, "host") || strings.HasPrefix(what, "domains["):
			return []byte("127.0.0.1")
		}
		return what
	}), nil
}

func (s *wptServer) put(folder, key string, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stash[folder+" "+key] = value
}

func (s *wptServer) take(folder, key string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer delete(s.stash, folder+" "+key)
	return s.stash[folder+" "+key]
}

func (s *wptServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if handler, ok := wptHandlers[path.Base(r.URL.Path)]; ok {
		handler(s, w, r)
		return
	}
	data, err := s.read(r.URL.Path)
	if err != nil || strings.HasSuffix(r.URL.Path, ".py") {
		http.NotFound(w, r)
		return
	}
	if strings.HasSuffix(r.URL.Path, ".asis") {
		if connection, _, err := http.NewResponseController(w).Hijack(); err == nil {
			connection.Write(data)
			connection.Close()
		}
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(r.URL.Path)))
	if lines, err := s.read(r.URL.Path + ".headers"); err == nil {
		for line := range strings.Lines(string(lines)) {
			if name, value, ok := strings.Cut(line, ":"); ok {
				w.Header().Set(name, strings.TrimSpace(value))
			}
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.Write(data)
}

// wptRaw writes an answer that net/http would not.
func wptRaw(w http.ResponseWriter, r *http.Request, status, header, body string) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer connection.Close()
	if r.Method == http.MethodHead {
		body = ""
	}
	fmt.Fprintf(connection, "HTTP/1.1 %s\r\nConnection: close\r\n%s\r\n%s", status, header, body)
}

// wptValue is a parameter of a request's query, whose bytes are characters.
func wptValue(r *http.Request, name, otherwise string) string {
	if query := r.URL.Query(); query.Has(name) {
		return query.Get(name)
	}
	return otherwise
}

func wptNumber(r *http.Request, name string, otherwise int) int {
	n, err := strconv.Atoi(wptValue(r, name, ""))
	if err != nil {
		return otherwise
	}
	return n
}

// wptPause waits as long as a test wants, or until nobody waits for the answer.
func wptPause(r *http.Request, milliseconds int) bool {
	select {
	case <-r.Context().Done():
		return false
	case <-time.After(time.Duration(milliseconds) * time.Millisecond):
		return true
	}
}

// wptFields returns the fields of a request's header as they have been sent, also those that net/http keeps elsewhere.
func wptFields(r *http.Request) http.Header {
	fields := r.Header.Clone()
	fields.Set("Host", r.Host)
	if r.ContentLength > 0 || r.ContentLength == 0 && (r.Method == "POST" || r.Method == "PUT") {
		fields.Set("Content-Length", strconv.FormatInt(r.ContentLength, 10))
	}
	return fields
}

func wptAccess(w http.ResponseWriter, r *http.Request) {
	if origin := r.Header.Get("Origin"); origin != "" {
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Allow-Credentials", "true")
	} else {
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}
}

// wptHandlers answer instead of programs, by the names of their files.
var wptHandlers = map[string]func(s *wptServer, w http.ResponseWriter, r *http.Request){
	"bad-chunk-encoding.py": func(_ *wptServer, w http.ResponseWriter, r *http.Request) {
		for range wptNumber(r, "count", 50) {
			io.WriteString(w, "TEST_CHUNK")
			http.NewResponseController(w).Flush()
			wptPause(r, wptNumber(r, "ms", 1000))
		}
		if connection, _, err := http.NewResponseController(w).Hijack(); err == nil {
			io.WriteString(connection, "garbage")
			connection.Close()
		}
	},
	"bad-br-body.py":   wptNotCompressed("br"),
	"bad-gzip-body.py": wptNotCompressed("gzip"),
	"bad-zstd-body.py": wptNotCompressed("zstd"),
	"cache.py": func(_ *wptServer, w http.ResponseWriter, r *http.Request) {
		const tag = `"123abc"`
		if r.Header.Get("If-None-Match") == tag {
			w.Header().Set("X-HTTP-STATUS", "304")
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", tag)
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "lorem ipsum dolor sit amet")
	},
	"clean-stash.py": func(s *wptServer, w http.ResponseWriter, r *http.Request) {
		found := s.take("", wptValue(r, "token", "")) != nil
		io.WriteString(w, map[bool]string{true: "1", false: "0"}[found])
	},
	"echo-content.py": func(_ *wptServer, w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fields := wptFields(r)
		field := func(name string) string {
			if values := fields[name]; len(values) > 0 {
				return values[0]
			}
			return "NO"
		}
		w.Header().Set("X-Request-Method", r.Method)
		w.Header().Set("X-Request-Content-Length", field("Content-Length"))
		w.Header().Set("X-Request-Content-Type", field("Content-Type"))
		w.Header().Set("Content-Type", "text/plain")
		w.Write(body)
	},
	"echo-headers.py": func(_ *wptServer, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		wptFields(r).Write(w)
	},
	"infinite-slow-response.py": func(s *wptServer, w http.ResponseWriter, r *http.Request) {
		folder, state := path.Dir(r.URL.Path), wptValue(r, "stateKey", "")
		if state != "" {
			s.put(folder, state, "open")
		}
		w.Header().Set("Content-Type", "text/plain")
		next := strings.Repeat(".", 2048)
		for {
			io.WriteString(w, next)
			if http.NewResponseController(w).Flush() != nil {
				break
			}
			if key := wptValue(r, "abortKey", ""); key != "" && s.take(folder, key) != nil || !wptPause(r, 10) {
				break
			}
			next = "."
		}
		if state != "" {
			s.put(folder, state, "closed")
		}
	},
	"inspect-headers.py": func(_ *wptServer, w http.ResponseWriter, r *http.Request) {
		fields := wptFields(r)
		for name := range strings.SplitSeq(wptValue(r, "headers", ""), "|") {
			if values := fields.Values(name); len(values) > 0 {
				w.Header().Set("X-Request-"+name, strings.Join(values, ", "))
			}
		}
		if r.URL.Query().Has("cors") {
			wptAccess(w, r)
			w.Header().Set("Access-Control-Allow-Methods", "GET, POST, HEAD")
			w.Header().Set("Access-Control-Allow-Headers", wptValue(r, "allow_headers",
				strings.Join(slices.Sorted(maps.Keys(fields)), ", ")))
		}
		w.Header().Set("Content-Type", "text/plain")
	},
	"long-wav.py": func(s *wptServer, w http.ResponseWriter, r *http.Request) {
		span := r.Header.Get("Range")
		if key := wptValue(r, "range-received-key", ""); key != "" && span != "" {
			s.put(path.Dir(r.URL.Path), key, "range-header-received")
		}
		if key := wptValue(r, "accept-encoding-key", ""); key != "" {
			s.put(path.Dir(r.URL.Path), key, r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Type", "audio/wav")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(make([]byte, 100000)))
	},
	"method.py": func(_ *wptServer, w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Query().Has("cors") {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			w.Header().Set("Access-Control-Allow-Methods", "GET, POST, PUT, FOO")
			w.Header().Set("Access-Control-Allow-Headers", "x-test, x-foo")
			w.Header().Set("Access-Control-Expose-Headers", "x-request-method")
		}
		fields := wptFields(r)
		w.Header().Set("X-Request-Method", r.Method)
		for _, name := range []string{"Content-Length", "Content-Type", "Content-Encoding", "Content-Language",
			"Content-Location"} {
			value := "NO"
			if values := fields[name]; len(values) > 0 {
				value = values[0]
			}
			w.Header().Set("X-Request-"+name, value)
		}
		w.Header().Set("Content-Type", "text/plain")
		w.Write(body)
	},
	"network-partition-key.py": func(s *wptServer, w http.ResponseWriter, r *http.Request) {
		key := wptValue(r, "uuid", "")
		known, _ := s.take("", key).([]string)
		known = append(known, r.RemoteAddr)
		s.put("", key, known)
		w.WriteHeader(wptNumber(r, "status", http.StatusOK))
		connections := len(slices.Compact(slices.Sorted(slices.Values(known))))
		fmt.Fprintf(w, "ok. Request was sent %d times. %d connections were created.", len(known), connections)
	},
	"parse-headers.py": func(_ *wptServer, w http.ResponseWriter, r *http.Request) {
		wptRaw(w, r, "200 OK", "My-Custom-Header: "+wptValue(r, "my-custom-header", "")+"\r\n", "")
	},
	"partial-text.py": func(_ *wptServer, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", wptValue(r, "type", "text/plain"))
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(strings.Repeat("0", wptNumber(r, "length", 100))))
	},
	"redirect-empty-location.py": func(_ *wptServer, w http.ResponseWriter, r *http.Request) {
		wptRaw(w, r, "302 Found", "Location: \r\nContent-Length: 0\r\n", "")
	},
	"redirect.py": func(s *wptServer, w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		wptAccess(w, r)
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Cache-Control", "no-cache")
		token, count := wptValue(r, "token", ""), 0
		if token != "" {
			count, _ = s.take("", token).(int)
		}
		if r.Method == http.MethodOptions && !query.Has("redirect_preflight") {
			w.Header().Set("Access-Control-Allow-Headers", query.Get("allow_headers"))
			if token != "" {
				s.put("", token, count)
			}
			return
		}
		count++
		if query.Has("location") {
			target := query.Get("location")
			scheme := ""
			if parsed, err := url.Parse(target); err == nil {
				scheme = parsed.Scheme
			}
			// the next one gets the parameters
			if !query.Has("simple") && slices.Contains([]string{"", "http", "https"}, scheme) {
				separator := "?"
				if strings.Contains(target, "?") {
					separator = "&"
				}
				target += fmt.Sprintf("%s%s&count=%d", separator, query.Encode(), count)
			}
			w.Header().Set("Location", target)
		}
		if query.Has("redirect_referrerpolicy") {
			w.Header().Set("Referrer-Policy", query.Get("redirect_referrerpolicy"))
		}
		wptPause(r, wptNumber(r, "delay", 0))
		if token != "" {
			s.put("", token, count)
			if query.Has("max_count") && count > wptNumber(r, "max_count", 0) {
				fmt.Fprint(w, count-1) // the last is not a redirect
				return
			}
		}
		w.WriteHeader(wptNumber(r, "redirect_status", http.StatusFound))
	},
	"stash-put.py": func(s *wptServer, w http.ResponseWriter, r *http.Request) {
		s.put(path.Dir(r.URL.Path), wptValue(r, "key", ""), wptValue(r, "value", ""))
		io.WriteString(w, "done")
	},
	"stash-take.py": func(s *wptServer, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(s.take(path.Dir(r.URL.Path), wptValue(r, "key", "")))
	},
	"status.py": func(_ *wptServer, w http.ResponseWriter, r *http.Request) {
		header := fmt.Sprintf("Content-Type: %s\r\nX-Request-Method: %s\r\n", wptValue(r, "type", ""), r.Method)
		wptRaw(w, r, wptValue(r, "code", "200")+" "+wptValue(r, "text", "OMG"), header, wptValue(r, "content", ""))
	},
	"trickle.py": func(_ *wptServer, w http.ResponseWriter, r *http.Request) {
		pause := wptNumber(r, "ms", 500)
		wptPause(r, pause)
		if r.URL.Query().Has("notype") {
			w.Header()["Content-Type"] = nil
		} else {
			w.Header().Set("Content-Type", "text/plain")
		}
		for range wptNumber(r, "count", 50) {
			http.NewResponseController(w).Flush()
			if !wptPause(r, pause) {
				return
			}
			io.WriteString(w, "TEST_TRICKLE\n")
		}
	},
}

// wptNotCompressed answers with what is not compressed as its header says.
func wptNotCompressed(coding string) func(*wptServer, http.ResponseWriter, *http.Request) {
	return func(_ *wptServer, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", coding)
		io.WriteString(w, "not actually "+coding)
	}
}
