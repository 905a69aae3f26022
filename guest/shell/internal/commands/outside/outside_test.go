package outside_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/shelltest"
)

// TestNetwork has requests to a server, which real commands make for -update. systemtest/guests makes some in the
// sandbox.
func TestNetwork(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header()["Date"] = nil
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/echo?redirected", http.StatusFound)
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "nothing here\n")
		case "/never":
			<-r.Context().Done()
		case "/file.txt":
			_, _ = io.WriteString(w, "1\n2\n3\n")
		default:
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprintf(w, "%s %s\n", r.Method, r.URL)
			for _, name := range []string{"Accept", "Authorization", "Content-Type", "Cookie", "Range", "Referer",
				"User-Agent", "X-Own"} {
				for _, value := range r.Header[name] {
					value, _, _ = strings.Cut(value, "boundary=")
					if name == "User-Agent" {
						value, _, _ = strings.Cut(value, "/")
					}
					fmt.Fprintf(w, "%s: %s\n", name, value)
				}
			}
			if boundary, _, ok := strings.Cut(string(body), "\r\n"); ok {
				body = []byte(strings.ReplaceAll(string(body), strings.TrimPrefix(boundary, "--"), "BOUNDARY"))
			}
			_, _ = w.Write(body)
		}
	}))
	t.Cleanup(server.Close)
	shelltest.RunWith(t, "testdata/network/*.txt", shelltest.Setup{
		Env: []string{"SERVER=" + server.URL}, Outside: requests{},
	})
}

// requests makes requests as the host of a sandbox does.
type requests struct{ command.Inside }

func (requests) Do(ctx context.Context, request command.Request) (*command.Response, error) {
	r, err := http.NewRequestWithContext(ctx, request.Method, request.URL, strings.NewReader(string(request.Body)))
	if err != nil {
		return nil, err
	}
	for _, h := range request.Headers {
		value := make([]byte, 0, len(h[1]))
		for _, char := range h[1] {
			value = append(value, byte(char))
		}
		r.Header.Add(h[0], string(value))
	}
	client := http.Client{CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		r.Header.Del("Referer")
		return nil
	}}
	if request.Redirect == "manual" {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	response, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	answer := &command.Response{
		Status: response.StatusCode, StatusText: http.StatusText(response.StatusCode),
		URL: response.Request.URL.String(), Body: response.Body,
	}
	for name, values := range response.Header {
		for _, value := range values {
			answer.Headers = append(answer.Headers, [2]string{name, value})
		}
	}
	slices.SortFunc(answer.Headers, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return answer, nil
}
