package mcpclient_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpclient"
)

// A deaf transport never answers.
type deaf struct{}

func (deaf) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// An absent transport fails at once.
type absent struct{}

func (absent) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New("no route") }

func TestServersThatSayNothingAreNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		named := make(chan string, 10)
		after := make(chan time.Duration, 10)
		config := mcpclient.Config{Servers: map[string]mcpclient.ServerConfig{"slow": {URL: "http://slow.example.com"}}}
		start := time.Now()
		options := &mcpclient.Options{Transport: deaf{}, Silent: func(server string) {
			named <- server
			after <- time.Since(start)
		}}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		set, err := mcpclient.Open(ctx, config, options)
		require.NoError(t, err)
		require.Equal(t, "slow", <-named)
		require.Equal(t, 5*time.Second, <-after)
		require.Empty(t, named, "once")
		require.NoError(t, set.Close())

		options.Transport = absent{}
		set, err = mcpclient.Open(t.Context(), config, options)
		require.NoError(t, err)
		require.ErrorContains(t, set.Status()[0].Err, "no route")
		time.Sleep(time.Minute) // of the bubble's clock
		require.Empty(t, named, "a server that is not there is not silent")
		require.NoError(t, set.Close())
	})
}
