package observe_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/registry/observe"
)

func TestRequests(t *testing.T) {
	var out strings.Builder
	record := observe.Requests(&out, func(err error) { t.Error(err) })
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	record(network.Record{Project: "p", Run: "c", Time: at, Method: "GET", Host: "https://a.example", Path: "/ä\x7f",
		Rule:     "https://a.example",
		Approval: &network.Approval{Rule: "network", By: "ann", Time: at}, Secrets: []string{"KEY"}, Status: 200,
		Received: 5, Duration: 1500 * time.Microsecond})
	record(network.Record{Time: at, Method: "GET", Host: "https://b.example", Path: "/",
		Err: &network.Error{Kind: network.KindDenied, Message: "no\nrule"}})
	require.Equal(t,
		`{"time":"2026-01-02T03:04:05Z","event":"request","project":"p",`+
			`"call":"c","method":"GET","host":"https://a.example","path":"/\u00e4\u007f",`+
			`"rule":"https://a.example",`+
			`"approval":{"approved":true,"by":"ann","time":"2026-01-02T03:04:05Z","rule":"network"},`+
			`"secrets":["KEY"],"status":200,"sentBytes":0,"receivedBytes":5,"durationMs":1.5,"outcome":"ok"}`+"\n"+
			`{"time":"2026-01-02T03:04:05Z","event":"request","method":"GET",`+
			`"host":"https://b.example","path":"/","sentBytes":0,"receivedBytes":0,`+
			`"durationMs":0,"outcome":"denied","error":"no\nrule"}`+"\n", out.String())
	failed := errors.New("")
	observe.Requests(broken{}, func(err error) { failed = err })(network.Record{})
	require.EqualError(t, failed, "broken")
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }
