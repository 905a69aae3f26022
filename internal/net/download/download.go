// Package download makes the client with which the host fetches files for itself, such as modules and packages. It is
// not for requests of code in a sandbox: those are package egress's.
package download

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// limit is how long a download can take.
const limit = 10 * time.Minute

// Client returns a client that follows up to 10 redirects, to https only, and gives up after ten minutes. If the
// transport is nil, that is [http.DefaultTransport].
func Client(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport: transport,
		Timeout:   limit,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if req.URL.Scheme != "https" {
				return fmt.Errorf("it leads to %s, which is not https", req.URL.Redacted())
			}
			if len(via) >= 10 {
				return errors.New("there are more than 10 redirects")
			}
			return nil
		},
	}
}
