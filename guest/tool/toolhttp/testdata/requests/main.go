// Command requests is a tool for tests: it makes requests with net/http.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/toolrun/toolrun/guest/tool"
	"github.com/toolrun/toolrun/guest/tool/toolhttp"
)

type input struct {
	Do  string `json:"do"`
	URL string `json:"url"`
}

func init() {
	tool.Register(tool.Spec{
		Name: "requests", Description: "Makes requests.",
		Asks: tool.Asks{Clock: true, Network: []string{"https://example.com"}},
	}, do)
}

func main() { tool.Serve() }

func do(ctx context.Context, in input) (string, error) {
	switch in.Do {
	case "get":
		return text(toolhttp.Client.Get(in.URL))
	case "default":
		http.DefaultTransport = toolhttp.Transport{}
		return text(http.Get(in.URL))
	case "post":
		request, err := http.NewRequestWithContext(ctx, "POST", in.URL, strings.NewReader("ünï"))
		if err != nil {
			return "", err
		}
		request.Header.Set("X-Own", "\xe4")
		request.Header.Set("Authorization", "Bearer "+toolhttp.Secret("TOKEN"))
		return text(toolhttp.Client.Do(request))
	case "many": // at the same time
		var group sync.WaitGroup
		results := make([]string, 5)
		for i := range results {
			group.Go(func() {
				got, err := text(toolhttp.Client.Get(fmt.Sprintf("%s?%d", in.URL, i)))
				results[i] = fmt.Sprint(got, err)
			})
		}
		group.Wait()
		return strings.Join(results, "\n"), nil
	case "timeout":
		client := &http.Client{Transport: toolhttp.Transport{}, Timeout: 50 * time.Millisecond}
		_, err := text(client.Get(in.URL))
		return fmt.Sprint(errors.Is(err, context.DeadlineExceeded)), nil
	case "cancel": // when the first part of the response is there
		ctx, cancel := context.WithCancel(ctx)
		request, err := http.NewRequestWithContext(ctx, "GET", in.URL, nil)
		if err != nil {
			return "", err
		}
		response, err := toolhttp.Client.Do(request)
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		first := make([]byte, 4)
		if _, err = io.ReadFull(response.Body, first); err != nil {
			return "", err
		}
		go cancel()
		_, err = io.ReadAll(response.Body)
		return fmt.Sprintf("%s %v", first, err), nil
	}
	return "", errors.New("nothing to do")
}

// text returns the status, a header and the body of a response.
func text(response *http.Response, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if n := len(body); n > 1000 {
		body = fmt.Appendf(nil, "%d bytes", n)
	}
	return fmt.Sprintf("%s %q %s", response.Status, response.Header.Get("X-Answer"), body), err
}
