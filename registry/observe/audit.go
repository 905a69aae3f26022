package observe

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// CodeNotRecorded is the code of a result if its call could not be recorded and [AuditOptions].Required is set.
const CodeNotRecorded tool.Code = "not_recorded"

// AuditOptions configure [Audit]. The zero value records hashes of inputs and outputs, and lets calls go on if
// writing fails.
type AuditOptions struct {
	// WholeInput and WholeOutput record inputs and outputs beside their hashes, as JSON without white space, with
	// <, >, & and everything outside ASCII as escapes. The hashes are those of the original bytes. An input that
	// exceeds the call's limit, and is therefore refused, is never recorded whole.
	WholeInput, WholeOutput bool
	// Required means that no call happens without a record. Each call then has two lines: one before it, with the
	// event "attempt", and one after it. If the first cannot be written, the call is not made. If the second cannot
	// be written, the effects of the call stay but its result is withheld. Either way the result is an error with
	// [CodeNotRecorded]. An attempt without a second line means that the process, or the writer, died during the
	// call.
	Required bool
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// Audit returns middleware that writes one line of JSON after each call, or two lines if AuditOptions.Required is
// set. Each line is one Write, and writes do not overlap, so a file opened with os.O_APPEND can be shared with
// other processes. Buffering and durability are up to the writer. An error of writing goes to the logger of the
// call's Env.
//
// A line has these fields. Empty ones are left out, except for the outcome and sizes:
//
//	time          when the call began, in UTC
//	seq           the number of the call, from 1 for each time that Audit is called; both lines of a call have the same
//	event         "attempt" before a call, "call" after it, "command" for a decision about a command of a script
//	tool          the name by which it was called, whether or not such a tool exists
//	project       Env.Project
//	chat          Env.Chat
//	client        Env.Client
//	call          Call.ID
//	parent        Call.Parent, the id of the call that made this one
//	durationMs    the duration in milliseconds
//	outcome       "ok", or the code of the result
//	approval      how a person has decided on it: approved, by, time, rule, edited
//	waits         the token of a call that waits for approval
//	repeats       that token, if the call was made again and got the result of the one that had waited
//	inputBytes    the length of the input as the model sent it
//	inputSha256   the hash of that
//	input         the input, if WholeInput is set and it is JSON
//	inputBase64   the input, if WholeInput is set and it is not JSON, or not UTF-8
//	outputBytes   the length of the result's content
//	outputSha256  the hash of the result as [tool.Result.MarshalJSON] encodes it
//	output        the same JSON, if WholeOutput is set
//	outputError   why there is no output: the result cannot be encoded, or the call has panicked through the middleware
//
// A decision about a command of a script, by a rule such as bash:rm, has a line with the name of the rule as its tool,
// the call that runs the script as its parent, and the arguments as its input. With Required, the command does not run
// if the line cannot be written.
//
// Lines are ASCII: everything else is escaped, also line ends and control characters. So a model's text can neither
// look like another line nor control a terminal. In Required mode only the first line has the whole input.
//
// A call that waits has a line when it begins to wait, and one each time that it goes on, with its id. The approval is
// in that of the call that it is for, once. The line of a call that got its result later repeats it, and has none.
//
// A hash identifies an input or output to those who have it, or can guess it. It does not keep short texts secret.
//
// Audit records the result that comes from within. If other middleware changes results, make Audit the outermost.
func Audit(w io.Writer, options *AuditOptions) registry.Middleware {
	a := &audit{w: w}
	if options != nil {
		a.AuditOptions = *options
	}
	if a.Now == nil {
		a.Now = time.Now
	}
	return func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
			return a.do(ctx, next, call, env)
		}
	}
}

type audit struct {
	AuditOptions
	seq atomic.Int64

	mu sync.Mutex
	w  io.Writer
	// torn means that the last line was written in part.
	torn bool
}

func (a *audit) do(ctx context.Context, next registry.Handler, call tool.Call, env registry.Env) tool.Result {
	start := a.Now()
	line := auditLine{
		Time: start.UTC(), Seq: a.seq.Add(1), Tool: label(call.Tool),
		Project: label(env.Project), Chat: label(env.Chat), Client: label(env.Client), Call: label(call.ID),
		Parent: label(call.Parent),
	}
	line.setInput(call.Input, a.WholeInput && len(call.Input) <= inputLimit(env))
	if a.Required {
		line.Event = "attempt"
		if err := a.write(ctx, env, &line); err != nil {
			return notRecorded("The call was not made, since it cannot be recorded. "+
				"Nothing is wrong with the call itself.", err)
		}
		line.Input, line.InputBase64 = nil, nil
	}
	line.Event = "call"
	env.Approve = a.approver(call, env)
	var failed error
	result := watch(ctx, next, call, env, func(result tool.Result, returned bool) {
		took := float64(a.Now().Sub(start).Microseconds()) / 1000
		line.DurationMs, line.Outcome = &took, outcome(result)
		line.setApproval(result)
		line.setOutput(call, result, returned, a.WholeOutput)
		failed = a.write(ctx, env, &line)
	})
	if failed != nil && a.Required {
		return notRecorded("The call was made, but its result cannot be recorded, and is withheld.", failed)
	}
	return result
}

// approver records the decisions about commands of scripts that the call runs.
func (a *audit) approver(call tool.Call, env registry.Env) registry.Approver {
	ask := env.Approve
	if ask == nil {
		return nil
	}
	return func(ctx context.Context, request registry.ApprovalRequest) (registry.Decision, error) {
		command := request.Call
		decision, err := ask(ctx, request)
		changed := decision.Approved && decision.Input != nil && string(decision.Input) != string(command.Input)
		if err != nil || changed || command.Parent != call.ID || !registry.IsCommand(command.Tool) {
			return decision, err // a command cannot be changed: the approver is asked again
		}
		line := auditLine{
			Time: a.Now().UTC(), Seq: a.seq.Add(1), Event: "command", Tool: label(command.Tool),
			Project: label(env.Project), Chat: label(env.Chat), Client: label(env.Client), Parent: label(call.ID),
		}
		line.setInput(command.Input, a.WholeInput)
		switch approval := registry.ApprovalOf(request.Rule, decision); {
		case decision.Approved:
			line.Outcome, line.Approval = "ok", newAuditApproval(*approval)
		case decision.Later:
			line.Outcome = string(tool.CodeNeedsApproval)
		default:
			line.Outcome, line.Approval = string(tool.CodeRefused), newAuditApproval(*approval)
		}
		if err := a.write(ctx, env, &line); err != nil && a.Required {
			return registry.Decision{}, err
		}
		return decision, nil
	}
}

func notRecorded(text string, err error) tool.Result {
	result := tool.Failure(CodeNotRecorded, text)
	result.Err = err
	return result
}

// inputLimit returns the largest input in bytes.
func inputLimit(env registry.Env) int {
	if env.Limits.Input > 0 {
		return env.Limits.Input
	}
	return registry.DefaultInput
}

// write writes a line, and reports it if that fails.
func (a *audit) write(ctx context.Context, env registry.Env, line *auditLine) error {
	encoded, err := line.encode()
	if err == nil {
		err = a.writeLine(encoded)
	}
	if err == nil {
		return nil
	}
	err = fmt.Errorf("audit: call %d: %w", line.Seq, err)
	if env.Logger != nil {
		env.Logger.LogAttrs(ctx, slog.LevelError, "call not recorded",
			slog.String("tool", line.Tool), slog.String("call", line.Call), slog.String("cause", err.Error()))
	}
	return err
}

func (a *audit) writeLine(line []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.torn {
		line = append([]byte("\n"), line...) // end the partial line
	}
	n, err := a.w.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err == nil {
		a.torn = false
	} else if n > 0 {
		a.torn = n < len(line)
	}
	return err
}
