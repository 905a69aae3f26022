package registry

import (
	"context"
	"log/slog"
	"time"

	"github.com/spf13/afero"
)

// An Env is everything that one call may touch. The zero value has no project, and enables what is enabled by default.
type Env struct {
	// Project and Chat say whose call it is; tools may put them into what they return.
	Project, Chat string
	// Client is who makes the call, if several do for a project. Tools share what is scarce, such as places for scripts, fairly among
	// projects, and among the clients of each.
	Client string
	// Files are the project's files, or nil if there is no project: a [vfs.Project], a view of one, or another [vfs.CallFs].
	// Each call gets them by [vfs.BeginCall]: what it changes belongs together in the history, and when it ends, what it has
	// left open is closed and nothing more can be done. With any other file system each call fails, and the result's error
	// is a [*vfs.NoCallsError].
	Files afero.Fs
	// Selection says what is enabled and how it is set.
	Selection Selection
	// Limits are for this call.
	Limits Limits
	// Progress, if not nil, gets what calls report while they run. It is called by the goroutines of the tools, which wait
	// for it: by several at once if several calls run, and once more after Dispatch has returned if it takes its time. If it
	// panics, that is logged, and the call goes on.
	Progress func(Progress)
	// Logger is for what the host should know. Nil means that nothing is logged. What the registry logs has a second for
	// each record; a logger that panics loses it.
	Logger *slog.Logger

	// Options are those of the tool. They are set for [Tool.Execute].
	Options Options

	// call is the one that is being executed. Before that, it is the one that makes the call, or nil.
	call *running
}

// Limits limit a call. Zero means the default in each case.
type Limits struct {
	// Timeout is how long a call may take, instead of the time that the tool's Spec has. [NoTimeout] means forever. When a
	// tool is executed it is the time that holds.
	Timeout time.Duration
	// Input is how many bytes the input may have. Zero means [DefaultInput].
	Input int
	// Depth is how deeply arrays and objects may be nested in the input. Zero means [DefaultDepth].
	Depth int
	// Inline is how many bytes of text a result may have; what is larger is kept in a file, and the model gets its beginning and
	// its end. Data may have as many, and is left out if it has more. Zero means [DefaultInline].
	Inline int
	// Output is how many bytes a result may have at all, all parts and the data together; the rest is dropped. Zero means
	// [DefaultOutput].
	Output int

	// data is how many bytes the data may have, where that is more than Inline: programs can take more than models.
	data int
}

// The limits of calls unless others are set.
const (
	DefaultInput  = 16 << 20
	DefaultDepth  = 128
	DefaultInline = 32 << 10
	DefaultOutput = 16 << 20
)

func (l Limits) input() int  { return orDefault(l.Input, DefaultInput) }
func (l Limits) depth() int  { return orDefault(l.Depth, DefaultDepth) }
func (l Limits) inline() int { return orDefault(l.Inline, DefaultInline) }
func (l Limits) output() int { return orDefault(l.Output, DefaultOutput) }
func (l Limits) most() int   { return min(max(l.inline(), l.data), l.output()) } // of data

func orDefault(n, fallback int) int {
	if n <= 0 {
		return fallback
	}
	return n
}

// Progress is how far a call has come.
type Progress struct {
	// CallID and Tool are those of the call.
	CallID, Tool string
	// Message is for people. It can be empty.
	Message string
	// Done of Total is done, in whatever unit. Total is 0 if it is not known.
	Done, Total float64
}

// Report reports progress, if somebody wants to know. After the call has ended it does nothing.
func (e Env) Report(message string, done, total float64) {
	if e.Progress == nil || e.call == nil || e.call.ended.Load() {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			e.log(context.Background(), slog.LevelError, "reporting progress panicked", "tool", e.call.tool, "call", e.call.id, "panic", p)
		}
	}()
	e.Progress(Progress{CallID: e.call.id, Tool: e.call.tool, Message: message, Done: done, Total: total})
}

// logTime is how long the host's logger may take.
const logTime = time.Second

// log is for what happens seldom. A logger that panics or hangs does not keep a call from its end.
func (e Env) log(ctx context.Context, level slog.Level, message string, args ...any) {
	if e.Logger == nil {
		return
	}
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		defer func() { _ = recover() }() // there is nobody to tell
		e.Logger.Log(ctx, level, message, args...)
	}()
	timer := time.NewTimer(logTime)
	defer timer.Stop()
	select {
	case <-logged:
	case <-timer.C:
	}
}
