package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/tool"
)

// Execute sends a call to the server. It returns when the context ends, whatever the server does.
func (t *remoteTool) Execute(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
	c := t.server.connection()
	if c == nil {
		return tool.Result{}, t.lost("is not connected now. Try again later, or do without it.", errLost)
	}
	callCtx, cancel := context.WithCancel(context.WithValue(ctx, callContext{}, true))
	defer cancel()
	token, reports := c.calls.begin()
	defer c.calls.end(token)
	type answer struct {
		result *sdk.CallToolResult
		err    error
	}
	done := make(chan answer, 1)
	go func() { // in a goroutine, because writing to a server that does not read takes time
		params := &sdk.CallToolParams{Name: t.remote, Arguments: call.Input, Meta: sdk.Meta{"progressToken": token}}
		result, err := c.session.CallTool(callCtx, params)
		done <- answer{result, err}
	}()
	tell := func(report progress) {
		env.Report(cleanLine(t.server.secrets.text(report.Message), 1000), report.Progress, report.Total)
	}
	silent := time.NewTicker(silentTime)
	defer silent.Stop()
	for {
		select {
		case report := <-reports:
			tell(report)
			silent.Reset(silentTime)
		case <-silent.C:
			env.Report("waiting for the MCP server "+t.server.name, 0, 0)
		case <-ctx.Done():
			return tool.Result{}, context.Cause(ctx)
		case a := <-done:
			select {
			case report := <-reports: // a report that arrived before the answer
				tell(report)
			default:
			}
			if a.err != nil {
				return tool.Result{}, t.failure(ctx, c, a.err)
			}
			raw, err := c.filter.fetch(a.result.Meta)
			if err != nil {
				return tool.Result{}, t.failure(ctx, c, err)
			}
			return t.result(raw)
		}
	}
}

// failure returns the error that a model gets for a call that failed without a result.
func (t *remoteTool) failure(ctx context.Context, c *connection, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if wrong, ok := errors.AsType[*jsonrpc.Error](err); ok && answered(err) {
		text := cleanText(t.server.secrets.text(wrong.Message), 4000)
		return &tool.ModelError{
			Text: fmt.Sprintf("The MCP server %s has refused the call: %s", t.server.name, text),
			Err:  &ServerError{Server: t.server.name, Err: err, secrets: t.server.secrets},
		}
	}
	reason := c.because(err)
	if large, ok := errors.AsType[*tooLargeError](reason); ok {
		return t.lost(fmt.Sprintf("has sent more than %s at once, and was disconnected. Ask for less at a time.",
			bytesText(large.limit)), reason)
	}
	if errors.Is(reason, io.EOF) || errors.Is(reason, sdk.ErrConnectionClosed) {
		reason = errLost
	}
	why := cleanLine(t.server.secrets.text(implementation.Replace(reason.Error())), 500)
	return t.lost(fmt.Sprintf("has not answered the call: %s. It is not known whether the call has been done: look "+
		"before you make it again.",
		why), reason)
}

// implementation removes the prefixes that the SDK adds to errors.
var implementation = strings.NewReplacer(`calling "tools/call": `, "", `sending "tools/call": `, "",
	"rejected by transport: ", "")

func (t *remoteTool) lost(what string, err error) error {
	return &tool.ModelError{
		Text: fmt.Sprintf("The MCP server %s %s", t.server.name, what),
		Code: tool.CodeFailed,
		Err:  &ServerError{Server: t.server.name, Err: err, secrets: t.server.secrets},
	}
}

// answered reports whether an error is an answer of the server. The SDK uses other codes for its own failures.
func answered(err error) bool {
	wrong, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && (wrong.Code > -32003 || wrong.Code < -32005)
}
