package registry

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/spf13/afero"
	"github.com/toolrun/toolrun/tool"
)

// An Env is everything that one call may touch. The zero value has no project, and enables the default tools.
type Env struct {
	// Project and Chat identify the project and the conversation; tools may put them into their results.
	Project, Chat string
	// Client identifies who makes the call, if a project has several clients. Scarce resources, such as places for
	// scripts, are shared fairly among projects, and among the clients of each.
	Client string
	// Files are the project's files, or nil if there is no project: a [vfs.Project], or a [vfs.View] of one. Each call
	// gets them through [vfs.BeginCall]: its changes belong together in the history, and when it ends, its open files
	// are closed and it can do nothing more. With any other file system each call fails with a [*vfs.NoCallsError].
	Files afero.Fs
	// Selection decides which tools are enabled, with which options.
	Selection Selection
	// Limits apply to this call.
	Limits Limits
	// Progress, if not nil, receives the progress of running calls, and what their code prints while it prints it.
	// The tools' goroutines call it and wait for it: several at once if several calls run, and possibly once more
	// after Dispatch has returned. If it panics, that is logged, and the call goes on. It also gets the progress of
	// calls that tools make, under their own ids.
	Progress func(tool.Progress)
	// Logger gets records for the host. Nil logs nothing. The registry gives each of its records a second; a logger
	// that panics loses the record.
	Logger *slog.Logger

	// Checkpoint says when calls make checkpoints of the files, which must be those of a [vfs.Project] then. If
	// one cannot be made, the call is not made.
	Checkpoint CheckpointMode
	// Approve decides on calls for which Selection.Ask wants that. If it is nil, such calls are not made.
	Approve Approver
	// Waiting keeps calls for which nobody decides now, and the code that waits for them. If it is nil, such calls are
	// not made.
	Waiting Keeper

	// SealKey, if not nil, returns the secret with which tools seal what they keep with the project and must recognise
	// as their own, such as the variables of sessions: see [vfs.SealKey]. If it is nil, they use one that is gone with
	// the process.
	SealKey func(ctx context.Context) ([]byte, error)

	// HideErrors keeps the texts of unexpected errors and panics of tools from the model, which gets a generic text
	// with an id instead. Logger gets both, as records "tool failed" and "tool panicked". Errors made by [tool.Errorf]
	// are for the model in any case.
	HideErrors bool

	// course is the state of the call, for middleware.
	course *course
	// call is the call being executed. Before its execution, it is the call that made it, or nil.
	call *running
	// resumed is the suspended call that continues, or nil. number identifies the call to the code that made it; nil
	// means that it cannot wait.
	resumed *Continuation
	number  *int
}

// Limits limit a call. Zero means the default.
type Limits struct {
	// Timeout is how long a call may take; it replaces the timeout of the tool's Spec. [tool.NoTimeout] means no limit.
	// When a tool is executed, it is the timeout in effect.
	Timeout time.Duration
	// Input is the largest input in bytes. Zero means [DefaultInput].
	Input int
	// Inline is the largest text of a result in bytes. A longer text is kept in a file, and the model gets its
	// beginning and its end. Data has the same limit, and is left out beyond it, except that of tools with an
	// OutputSchema. Zero means [DefaultInline].
	Inline int
	// Output is the largest result in bytes, all parts and the data together; the rest is dropped. Zero means
	// [DefaultOutput].
	Output int

	// data is the largest data in bytes, if that is more than Inline: programs can handle more than models.
	data int
}

// Default limits of calls.
const (
	DefaultInput  = 16 << 20
	DefaultInline = 32 << 10
	DefaultOutput = 16 << 20
)

func (l Limits) input() int  { return orDefault(l.Input, DefaultInput) }
func (l Limits) inline() int { return orDefault(l.Inline, DefaultInline) }
func (l Limits) output() int { return orDefault(l.Output, DefaultOutput) }
func (l Limits) most() int   { return min(max(l.inline(), l.data), l.output()) } // of data

func orDefault(n, fallback int) int {
	if n <= 0 {
		return fallback
	}
	return n
}

// Setting implements [tool.Host].
func (c *running) Setting(name string) json.RawMessage { return c.env.Selection.Settings.Field(name) }

// Watched implements [tool.Host].
func (c *running) Watched() bool { return c.env.Progress != nil }

// Report implements [tool.Host].
func (c *running) Report(p tool.Progress) {
	if c.env.Progress == nil || c.ended.Load() {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			c.env.log(context.Background(), slog.LevelError, "reporting progress panicked",
				"tool", c.tool, "call", c.id, "panic", p)
		}
	}()
	p.CallID, p.Tool = c.id, c.tool
	c.env.Progress(p)
}

// logTime limits how long a call waits for the host's logger.
const logTime = time.Second

// log writes a record. It starts a goroutine for each, so that a logger that panics or hangs does not delay the call.
// Use it for rare events.
func (e Env) log(ctx context.Context, level slog.Level, message string, args ...any) {
	if e.Logger == nil {
		return
	}
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		defer func() { _ = recover() }() // nowhere to report it
		e.Logger.Log(ctx, level, message, args...)
	}()
	timer := time.NewTimer(logTime)
	defer timer.Stop()
	select {
	case <-logged:
	case <-timer.C:
	}
}
