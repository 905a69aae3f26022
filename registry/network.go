package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/tool"
)

// NetworkTool is the name of requests over the network in an [ApprovalRequest], which no tool can have. The input of
// such a call has what code wants to send, without secrets: "method", such as "GET as DELETE" if a header or the query
// makes some servers take the request for another one, "url", "headers" by their names, if there are any, "body", if
// that is text, cut after 4,000 bytes, and "bytes", the size of the body. It cannot be changed, and it has no ID, since
// it cannot wait: [Decision].Later is as if nobody could be asked.
//
// It is a rule of [Selection].Ask, too. AskNetwork, AskAll and AskExternal are also for requests, and so are AskWrites
// and AskDestructive for those with other methods than GET and HEAD.
const NetworkTool = "network:request"

// networkSpec describes requests that servers can take to have any of some methods.
func networkSpec(methods []string) *tool.Spec {
	reads := !slices.ContainsFunc(methods, func(method string) bool { return method != "GET" && method != "HEAD" })
	return &tool.Spec{Name: NetworkTool, DisplayName: "Request over the network",
		Description: "A request over the network by code that runs.",
		Annotations: tool.Annotations{ReadOnly: reads, Destructive: !reads, OpenWorld: true}}
}

// policy returns what the selection's network allows, or nil if that is nothing.
func (s *Selection) policy() *network.Policy {
	if s.Network == nil || !s.Network.Policy().On() {
		return nil
	}
	return s.Network.Policy()
}

// Network implements [tool.Host]. Requests that the policy allows and for which a rule of Selection.Ask wants it, wait
// for an approval: see [NetworkTool].
func (c *running) Network() network.Run {
	if c.env.Selection.policy() == nil {
		return nil
	}
	return approvedRun{c.env.Selection.Network.Run(c.id), c}
}

// approvedRun makes requests that have been approved, if they need that.
type approvedRun struct {
	network.Run
	call *running
}

func (r approvedRun) Do(ctx context.Context, request *network.Request) (*network.Response, error) {
	methods := network.Methods(cmp.Or(strings.ToUpper(request.Method), "GET"), request.URL, request.Header)
	spec := networkSpec(methods)
	method := strings.Join(methods, " as ")
	call := tool.Call{Tool: NetworkTool, Input: shown(method, request), Parent: r.call.id}
	selection := r.call.env.Selection
	rule, ok := r.call.registry.asks(&selection, &call, spec)
	for _, method := range methods {
		if allowed, err := selection.policy().Allows(method, request.URL); !ok || err != nil || allowed == nil {
			return r.Run.Do(ctx, request) // which refuses it, if it must
		}
	}
	approval, err := r.approve(ctx, call, spec, rule, method+" "+request.URL)
	if err != nil {
		return nil, err
	}
	decided := *request
	decided.Approval = approval
	return r.Run.Do(ctx, &decided)
}

// maxBody is how much of a body is shown, in bytes.
const maxBody = 4000

// shown is what a person sees of a request.
func shown(method string, request *network.Request) json.RawMessage {
	headers := map[string][]string{}
	for _, h := range request.Header {
		headers[h.Name] = append(headers[h.Name], h.Value)
	}
	body := ""
	if utf8.Valid(request.Body) {
		body = plaintext.Cut(string(request.Body), maxBody)
	}
	input, _ := json.Marshal(struct { // strings and numbers do not fail
		Method  string              `json:"method"`
		URL     string              `json:"url"`
		Headers map[string][]string `json:"headers,omitempty"`
		Body    string              `json:"body,omitempty"`
		Bytes   int                 `json:"bytes"`
	}{method, request.URL, headers, body, len(request.Body)})
	return input
}

func (r approvedRun) approve(ctx context.Context, call tool.Call, spec *tool.Spec, rule,
	name string) (*network.Approval, error) {
	env := r.call.env
	what := "the request " + plaintext.Cut(name, maxReason)
	nobody := &network.Error{Kind: network.KindDenied,
		Message: what + " needs the approval of a person, and there is nobody here who could give it: " +
			"do without it, or ask the user to allow it"}
	if env.Approve == nil {
		return nil, nobody
	}
	a, decision, err := r.call.approveNow(ctx, call, spec, rule, "a request over the network")
	if err != nil {
		return nil, err
	}
	approval := &network.Approval{Rule: a.Rule, By: a.By, Time: a.Time}
	switch {
	case decision.Approved:
		return approval, nil
	case decision.Later: // a request cannot be put off
		return nil, nobody
	}
	approval.Refusal = because("a person has refused "+what, decision.Reason)
	return approval, nil
}

// approveNow asks, by the Approver that there must be, about something that a call does while it runs, which cannot be
// changed.
func (c *running) approveNow(ctx context.Context, call tool.Call, spec *tool.Spec, rule,
	what string) (*tool.Approval, Decision, error) {
	request := c.env.approvalRequest(spec, rule)
	request.Call = call
	resume := pauseAll(ctx, c)
	defer resume()
	for {
		decision, err := c.env.Approve(ctx, request)
		if err != nil || !decision.Approved || decision.Input == nil || string(decision.Input) == string(call.Input) {
			return ApprovalOf(rule, decision), decision, err
		}
		request.Problem = what + " cannot be changed: approve or refuse it as it is"
	}
}
