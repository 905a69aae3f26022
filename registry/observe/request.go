package observe

import (
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/tool"
)

// A requestLine is the record of a request.
type requestLine struct {
	Time          time.Time      `json:"time"`
	Event         string         `json:"event"`
	Project       string         `json:"project,omitempty"`
	Call          string         `json:"call,omitempty"`
	Method        string         `json:"method"`
	Host          string         `json:"host"`
	Path          string         `json:"path"`
	Rule          string         `json:"rule,omitempty"`
	Approval      *auditApproval `json:"approval,omitempty"`
	Secrets       []string       `json:"secrets,omitempty"`
	Status        int            `json:"status,omitempty"`
	SentBytes     int64          `json:"sentBytes"`
	ReceivedBytes int64          `json:"receivedBytes"`
	DurationMs    float64        `json:"durationMs"`
	Outcome       string         `json:"outcome"`
	Error         string         `json:"error,omitempty"`
}

// Requests returns a function that writes one line of JSON for each request over the network, as [Audit] does for
// calls, to the same file if that was opened with os.O_APPEND. Errors of writing go to failed, if that is not nil.
//
//	time           when it began, in UTC
//	event          "request"
//	project, call  whose it was
//	method, host, path  with the scheme and the port, and without the query
//	rule           the rule that allowed it
//	approval       who has approved or refused it, when, and by which rule, as in the lines of calls
//	secrets        the names of the secrets that were put in
//	status         that of the response
//	sentBytes, receivedBytes  the sizes of the bodies
//	durationMs     the duration in milliseconds
//	outcome        [network.Record.Outcome]
//	error          the error
func Requests(w io.Writer, failed func(error)) func(network.Record) {
	var mu sync.Mutex
	return func(r network.Record) {
		line := requestLine{
			Time: r.Time.UTC(), Event: "request", Project: r.Project, Call: r.Run,
			Method: r.Method, Host: r.Host, Path: r.Path,
			Rule: r.Rule, Secrets: r.Secrets, Status: r.Status, SentBytes: r.Sent, ReceivedBytes: r.Received,
			DurationMs: float64(r.Duration.Microseconds()) / 1000, Outcome: r.Outcome(),
		}
		if a := r.Approval; a != nil {
			line.Approval = newAuditApproval(tool.Approval{
				Rule: a.Rule, By: a.By, Time: a.Time, Approved: a.Refusal == "",
			})
		}
		if r.Err != nil {
			line.Error = plaintext.Clean(r.Err.Error(), maxCause)
		}
		data, err := json.Marshal(line)
		if err == nil {
			mu.Lock()
			_, err = w.Write(append(toASCII(data), '\n'))
			mu.Unlock()
		}
		if err != nil && failed != nil {
			failed(err)
		}
	}
}
