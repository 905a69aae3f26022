package mcpserver

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// How much of a call a user is shown, in bytes.
const (
	maxAskedInput = 4000
	maxAskedCode  = 8000
	maxAskedFiles = 20
)

// roundTrips is the version of the protocol since which a server asks by a result, and the client calls again with the
// answer.
const roundTrips = "2026-07-28"

// questions are those of a call to the user of its client.
type questions struct {
	request *sdk.CallToolRequest

	mu    sync.Mutex
	asked sdk.InputRequestMap // that the client answers by calling again
}

// ask has the client ask its user about calls that need approval, if it can and the host decides nothing itself.
func (s *Server) ask(request *sdk.CallToolRequest, env *registry.Env) *questions {
	q := &questions{request: request, asked: sdk.InputRequestMap{}}
	params := request.Session.InitializeParams()
	if env.Approve != nil || params == nil || params.Capabilities == nil || params.Capabilities.Elicitation == nil {
		return q
	}
	if params.ProtocolVersion >= roundTrips {
		if env.Waiting != nil { // otherwise there is nothing to go on with
			env.Approve = q.askLater
		}
		return q
	}
	asked := s.approver(request.Session)
	began := time.Now()
	env.Approve = func(ctx context.Context, r registry.ApprovalRequest) (registry.Decision, error) {
		wait := cmp.Or(s.options.ApprovalTime, 2*time.Minute)
		if s.options.ApprovalTime == 0 && request.Params.GetProgressToken() == nil { // the client may go away
			if wait = tool.MCPTimeout - time.Since(began); wait <= 0 {
				return registry.Decision{Later: true}, nil
			}
		}
		inTime, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		decision, err := asked(inTime, r)
		if inTime.Err() != nil && ctx.Err() == nil && !decision.Approved {
			return registry.Decision{Later: true}, nil
		}
		return decision, err
	}
	return q
}

// approver asks the user of a session's client, and waits for the answer. It remembers what is always approved as long
// as the session lasts.
func (s *Server) approver(session *sdk.ServerSession) registry.Approver {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ask := s.approvers[session]; ask != nil {
		return ask
	}
	ask := registry.RememberApprovals(func(ctx context.Context,
		request registry.ApprovalRequest) (registry.Decision, error) {
		answer, err := session.Elicit(ctx, question(request, true))
		if err != nil && ctx.Err() == nil { // a client that promises it and cannot do it, or has gone
			return registry.Decision{Later: true}, nil
		}
		return decision(answer, request.Client, true), err
	})
	s.approvers[session] = ask
	go func() {
		_ = session.Wait() // however it has ended
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.approvers, session)
	}()
	return ask
}

// askLater takes the answer that has come with the call, or has the result ask for it.
func (q *questions) askLater(_ context.Context, request registry.ApprovalRequest) (registry.Decision, error) {
	if strings.Contains(request.Spec.Name, ":") { // a request or a command: it cannot wait until the client calls again
		return registry.Decision{Later: true}, nil
	}
	key := answerKey(request.Call)
	q.mu.Lock()
	defer q.mu.Unlock()
	if answer, ok := q.request.Params.InputResponses[key].(*sdk.ElicitResult); ok && request.Problem == "" {
		return decision(answer, request.Client, false), nil
	}
	q.asked[key] = question(request, false)
	return registry.Decision{Later: true}, nil
}

// answerKey names the answer for a call with one input.
func answerKey(call tool.Call) string {
	h := sha256.New()
	for _, part := range []string{call.ID, call.Tool, string(call.Input)} {
		fmt.Fprintf(h, "%d %s", len(part), part)
	}
	return fmt.Sprintf("approve-%x", h.Sum(nil)[:16])
}

// result asks the client, if the call waits for its user.
func (q *questions) result(result tool.Result) *sdk.CallToolResult {
	q.mu.Lock()
	defer q.mu.Unlock()
	if result.Pending == nil || len(q.asked) == 0 {
		return nil
	}
	return &sdk.CallToolResult{InputRequests: q.asked, RequestState: result.Pending.Token}
}

// decision is what the user of a client has answered. Whoever does not answer decides later.
func decision(answer *sdk.ElicitResult, client string, always bool) registry.Decision {
	if answer == nil {
		return registry.Decision{Later: true}
	}
	d := registry.Decision{By: cmp.Or(client, "the client's user")}
	d.Reason, _ = answer.Content["reason"].(string)
	switch choice, _ := answer.Content["decision"].(string); {
	case answer.Action == "accept" && choice == "approve":
		d.Approved = true
	case answer.Action == "accept" && choice == "always" && always:
		d.Approved, d.Always = true, true
	case answer.Action == "decline", answer.Action == "accept" && choice == "refuse":
	default:
		d = registry.Decision{Later: true}
	}
	return d
}

// answerSchema is that of an answer, which can be one for the rest of a session.
func answerSchema(always bool) json.RawMessage {
	about, choices := "Whether the call is made", `"approve","refuse"`
	if always {
		about, choices = about+"; always is for later calls of the tool in this session, too",
			`"approve","always","refuse"`
	}
	return json.RawMessage(`{"type":"object","properties":{` +
		`"decision":{"type":"string","title":"Decision","description":"` + about + `","enum":[` + choices + `]},` +
		`"reason":{"type":"string","title":"Reason","description":"Why it is refused, for the model"}` +
		`},"required":["decision"]}`)
}

// question is what the user is asked about a call.
func question(request registry.ApprovalRequest, always bool) *sdk.ElicitParams {
	var b strings.Builder
	fmt.Fprintf(&b, "The call of the tool %s needs your approval", request.Call.Tool)
	if request.Rule != "" {
		fmt.Fprintf(&b, " (%s)", request.Rule)
	}
	fmt.Fprintf(&b, ". Its arguments:\n%s\n", quoted(string(request.Call.Input), maxAskedInput))
	for _, caller := range slices.Backward(request.Callers) {
		var in struct{ Code string }
		if json.Unmarshal(caller.Input, &in) != nil || in.Code == "" {
			in.Code = string(caller.Input)
		}
		fmt.Fprintf(&b, "It is called by %s:\n%s\n", caller.Tool, quoted(in.Code, maxAskedCode))
	}
	if request.Problem != "" {
		fmt.Fprintf(&b, "The arguments could not be used:\n%s\n", quoted(request.Problem, maxAskedInput))
	}
	for i, c := range request.Changed {
		if i == 0 {
			b.WriteString("Files that others have changed since it waits:\n")
		}
		if i == maxAskedFiles {
			fmt.Fprintf(&b, "and %d more\n", len(request.Changed)-i)
			break
		}
		fmt.Fprintf(&b, "%s\n", quoted(string(c.Op)+" "+c.Path, maxAskedInput))
	}
	return &sdk.ElicitParams{
		Mode: "form", Message: strings.TrimSpace(b.String()), RequestedSchema: answerSchema(always),
	}
}

// quoted marks each line of a text that a model or code has written.
func quoted(text string, most int) string {
	lines := strings.Split(text, "\n")
	cut := 0
	for i, line := range lines {
		line = plaintext.Clean(line, most)
		if cut += len(line); cut > most {
			return strings.Join(lines[:i], "\n") + fmt.Sprintf("\n> (%d more lines)", len(lines)-i)
		}
		lines[i] = "> " + line
	}
	return strings.Join(lines, "\n")
}
