package mcphttp_test

import (
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/mcphttp"
	"github.com/toolrun/toolrun/network"
)

func TestRequestsAreCounted(t *testing.T) {
	for byProject, project := range map[bool]string{true: "one", false: ""} {
		m := mcphttp.NewMetrics(byProject)
		m.Request(network.Record{Project: "one", Sent: 3, Received: 4})
		m.Request(network.Record{Project: "one", Sent: 1})
		m.Request(network.Record{Project: "one", Err: &network.Error{Kind: network.KindDenied}})
		m.Request(network.Record{Project: "one", Err: errors.New("stopped")})
		w := httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		for _, line := range []string{
			`toolrun_requests_total{project="` + project + `",outcome="ok"} 2`,
			`toolrun_requests_total{project="` + project + `",outcome="denied"} 1`,
			`toolrun_requests_total{project="` + project + `",outcome="failed"} 1`,
			`toolrun_request_bytes_total{project="` + project + `",way="sent"} 4`,
			`toolrun_request_bytes_total{project="` + project + `",way="received"} 4`,
		} {
			require.Contains(t, w.Body.String(), line+"\n")
		}
	}
}
