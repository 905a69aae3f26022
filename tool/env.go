package tool

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/network"
)

// An Env is everything that one call may touch. The registry that runs the call makes it. The zero value has nothing:
// no files, no options, no network, and nobody who sees progress or makes calls.
type Env struct {
	// Project and Chat identify the project and the conversation; tools may put them into their results.
	Project, Chat string
	// Client identifies who makes the call, if a project has several clients. Scarce resources, such as places for
	// scripts, are shared fairly among projects, and among the clients of each.
	Client string
	// Files are the project's files, or nil if there is no project. What the call changes belongs together in their
	// history. When the call ends, its open files are closed and it can do nothing more.
	Files afero.Fs
	// Options are the tool's own options.
	Options Options
	// Timeout is how long the call may take. Zero or less means no limit.
	Timeout time.Duration
	// Policy is which requests code can make, or nil if it has no network. [Env.Network] makes them.
	Policy *network.Policy
	// Logger gets records for the host. It is nil if nobody wants them.
	Logger *slog.Logger
	// SealKey, if not nil, returns the secret with which tools seal what they keep with the project and must recognise
	// as their own, such as the variables of sessions: see [vfs.SealKey]. If it is nil, they use one that is gone with
	// the process.
	SealKey func(ctx context.Context) ([]byte, error)
	// Host, if not nil, does what the methods of Env promise. Tools call those instead.
	Host Host
}

// A Host is whoever runs a call, for [Env]: a registry. Its methods are those of Env, and are safe for concurrent use.
type Host interface {
	Setting(name string) json.RawMessage
	Watched() bool
	Report(Progress)
	Network() network.Run
	Dispatch(ctx context.Context, call Call) Result
	DispatchNumbered(ctx context.Context, call Call, number int) (result Result, later bool)
	Tools() []*Definition
	AskedCommands() []string
	ApproveCommand(ctx context.Context, command string, args []string) error
	Resumed() []byte
	SealingKey(ctx context.Context) ([]byte, error)
}

// A Progress is a report of a call's progress.
type Progress struct {
	// CallID and Tool identify the call.
	CallID, Tool string
	// Message is for people. It can be empty.
	Message string
	// Done of Total units are done. Total is 0 if it is unknown.
	Done, Total float64
	// Console is an entry of the console of code that the call runs, or a part of one. It is nil in other reports,
	// and it is in the call's result too. Message then has its level and text.
	Console *ConsoleEntry
}

// A ConsoleEntry is an entry of the console of code. An unfinished line can arrive in several entries.
type ConsoleEntry struct {
	// Level is LOG, INFO, WARN, ERROR or DEBUG.
	Level string
	// Text may have several lines.
	Text string
	// Library names the library that was being loaded. It is empty for output of the code itself.
	Library string
	// Unfinished means that no newline follows the text: the next entry continues the line.
	Unfinished bool
}

// Setting returns a field of the project's settings, such as the list of its mounts, or nil if it is not set.
func (e Env) Setting(name string) json.RawMessage {
	if e.Host == nil {
		return nil
	}
	return e.Host.Setting(name)
}

// Report reports progress to the host, if somebody watches. After the call has ended, it does nothing.
func (e Env) Report(message string, done, total float64) {
	if e.Host != nil {
		e.Host.Report(Progress{Message: message, Done: done, Total: total})
	}
}

// Print reports a console entry of the code that the call runs, if somebody watches. After the call has ended, it does
// nothing.
func (e Env) Print(entry ConsoleEntry) {
	if e.Host != nil {
		e.Host.Report(Progress{Message: "[" + entry.Level + "] " + entry.Text, Console: &entry})
	}
}

// Watched reports whether somebody sees what Report and Print report.
func (e Env) Watched() bool { return e.Host != nil && e.Host.Watched() }

// Network returns what makes the requests of the call's code, or nil if there is no network. Requests that the policy
// allows may wait for the approval of a person.
func (e Env) Network() network.Run {
	if e.Host == nil {
		return nil
	}
	return e.Host.Network()
}

// Dispatch runs a call of another tool, through all middleware of the host, with what this call may touch and nothing
// more. It is safe for concurrent use while the call runs. Afterwards, and without a Host, the result is an error.
//
// Call.Parent becomes the id of this call, and Call.ID that id with a number, as in "call_1.2"; values set by the tool
// are ignored. The new call has its own timeout and ends at the latest with this one. It works on the project's files
// as this one sees them, and its changes have their own id in the history. Its result can have a text of one MiB before
// the text goes into a file.
//
// A tool cannot call itself, directly or through others, and calls can be nested four deep. While the tool holds
// vfs.Exclusively, it cannot make calls: they would wait for it.
func (e Env) Dispatch(ctx context.Context, call Call) Result {
	if e.Host == nil {
		result := Failure(CodeNested, "Tools can be called by a call that is running, and there is none.")
		result.CallID, result.Tool = call.ID, call.Tool
		return result
	}
	return e.Host.Dispatch(ctx, call)
}

// DispatchNumbered is Dispatch for code that can be suspended. number, which is not negative, identifies the call to
// the code when it goes on. If later is true, the answer comes later: the tool ends with [Suspended] as soon as the
// code has nothing else to do, and makes the call again, with the same number, when the code goes on.
func (e Env) DispatchNumbered(ctx context.Context, call Call, number int) (result Result, later bool) {
	if e.Host == nil {
		return e.Dispatch(ctx, call), false
	}
	return e.Host.DispatchNumbered(ctx, call, number)
}

// Tools returns the definitions of the tools that [Env.Dispatch] can call.
func (e Env) Tools() []*Definition {
	if e.Host == nil {
		return nil
	}
	return e.Host.Tools()
}

// AskedCommands returns the commands of the call's code that a rule wants an approval of, as "bash:rm" does of rm. It
// is for tools with [Spec].AsksForCommands.
func (e Env) AskedCommands() []string {
	if e.Host == nil {
		return nil
	}
	return e.Host.AskedCommands()
}

// ApproveCommand asks a person whether a command of the call's code may be run, if a rule wants that. The error says
// why it may not. The call's time stands still meanwhile.
func (e Env) ApproveCommand(ctx context.Context, command string, args []string) error {
	if e.Host == nil {
		return nil
	}
	return e.Host.ApproveCommand(ctx, command, args)
}

// Resumed returns what [Suspended] was given if the call goes on, and nil if it begins.
func (e Env) Resumed() []byte {
	if e.Host == nil {
		return nil
	}
	return e.Host.Resumed()
}

// SealingKey returns a key with which the tool can seal its state for [Suspended], so that the state is of use for
// nothing but the same call.
func (e Env) SealingKey(ctx context.Context) ([]byte, error) {
	if e.Host == nil {
		return nil, errNoHost
	}
	return e.Host.SealingKey(ctx)
}

var errNoHost = errors.New("tool: the call cannot wait")
