package observe_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/observe"
	"github.com/toolrun/toolrun/tool"
)

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

func audited(t *testing.T, options *observe.AuditOptions, call tool.Call,
	inner ...registry.Middleware) (tool.Result, []map[string]any) {
	t.Helper()
	var b bytes.Buffer
	r := newRegistry(t, append([]registry.Middleware{observe.Audit(&b, options)}, inner...)...)
	result := dispatch(t, r, call)
	require.Equal(t, strings.ToValidUTF8(b.String(), "?"), b.String())
	return result, lines(t, &b)
}

func TestAudit(t *testing.T) {
	for _, test := range outcomes {
		t.Run(test.tool, func(t *testing.T) {
			t.Parallel()
			call := callOf(test.tool)
			result, all := audited(t, &observe.AuditOptions{Now: steppingClock()}, call)
			encoded, err := result.MarshalJSON()
			require.NoError(t, err)
			require.Equal(t, []map[string]any{{
				"time":         "2025-03-01T12:00:01Z",
				"seq":          1.0,
				"event":        "call",
				"tool":         test.tool,
				"project":      "notes",
				"chat":         "chat-7",
				"client":       "ci",
				"call":         "call-1",
				"durationMs":   1000.0,
				"outcome":      test.outcome,
				"inputBytes":   14.0,
				"inputSha256":  sum(call.Input),
				"outputBytes":  float64(len(result.Text())),
				"outputSha256": sum(encoded),
			}}, all)
		})
	}
}

func TestAuditWhole(t *testing.T) {
	whole := &observe.AuditOptions{WholeInput: true, WholeOutput: true}
	result, all := audited(t, whole, callOf("greet"))
	require.Equal(t, map[string]any{"name": "Ada"}, all[0]["input"])
	encoded, err := result.MarshalJSON()
	require.NoError(t, err)
	output, err := json.Marshal(all[0]["output"])
	require.NoError(t, err)
	require.JSONEq(t, string(encoded), string(output))
	require.Equal(t, sum(encoded), all[0]["outputSha256"])

	for name, input := range map[string]string{
		"malformed":     "{\"name\": \n",
		"not UTF-8":     "{\"name\": \"\xff\"}",
		"two values":    "{}\n{}",
		"deeply nested": strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			_, all := audited(t, whole, tool.Call{Tool: "greet", Input: json.RawMessage(input)})
			require.Len(t, all, 1)
			require.NotContains(t, all[0], "input")
			require.Equal(t, base64.StdEncoding.EncodeToString([]byte(input)), all[0]["inputBase64"])
			require.Equal(t, sum([]byte(input)), all[0]["inputSha256"])
		})
	}

	t.Run("an input that is refused for its size", func(t *testing.T) {
		var b bytes.Buffer
		env := someEnv
		env.Limits.Input = 10
		newRegistry(t, observe.Audit(&b, whole)).Dispatch(t.Context(), callOf("greet"), env)
		require.NotContains(t, lines(t, &b)[0], "input")
		require.Equal(t, "invalid_input", lines(t, &b)[0]["outcome"])
	})
	t.Run("no input", func(t *testing.T) {
		_, all := audited(t, whole, tool.Call{Tool: "greet"})
		require.NotContains(t, all[0], "input")
		require.EqualValues(t, 0, all[0]["inputBytes"])
	})
}

// TestAuditOfCommands records who has decided on a command of a script, before it runs, and no command that nobody was
// asked about.
func TestAuditOfCommands(t *testing.T) {
	var b bytes.Buffer
	var decisions []registry.Decision
	var ran []string
	script := tool.JSONFunc(tool.Spec{Name: "sh", Description: "Runs.", AsksForCommands: true},
		func(ctx context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
			for _, command := range []string{"rm", "ls", "rm", "curl", "rm"} {
				if err := env.ApproveCommand(ctx, command, []string{"-r", "a\n"}); err != nil {
					ran = append(ran, "not "+command)
				} else {
					ran = append(ran, command)
				}
			}
			return tool.Text("done"), nil
		})
	outer := tool.JSONFunc(tool.Spec{Name: "outer", Description: "Calls it."},
		func(ctx context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
			return env.Dispatch(ctx, tool.Call{Tool: "sh"}), nil
		})
	tools, err := registry.New(script, outer)
	require.NoError(t, err)
	env := someEnv
	env.Selection.Ask = []string{"sh:rm", "sh:curl"}
	env.Approve = func(context.Context, registry.ApprovalRequest) (registry.Decision, error) {
		decision := decisions[0]
		decisions = decisions[1:]
		return decision, nil
	}
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	edited := registry.Decision{Approved: true, By: "eve", Input: json.RawMessage(`{"command":"ls","args":[]}`)}
	given := func() []registry.Decision {
		return []registry.Decision{{Approved: true, By: "ada", Time: when}, edited,
			{Reason: "no", By: "bob", Time: when},
			{Later: true, By: "eve"}, {Approved: true, By: "ada", Time: when}}
	}
	decisions = given()
	audit := tools.Using(observe.Audit(&b, &observe.AuditOptions{WholeInput: true, Now: steppingClock()}))
	require.Equal(t, "done", audit.Dispatch(t.Context(), tool.Call{ID: "c", Tool: "outer"}, env).Text())
	require.Equal(t, []string{"rm", "ls", "not rm", "not curl", "rm"}, ran)
	all := lines(t, &b)
	var got []string
	for _, line := range all {
		approval, _ := line["approval"].(map[string]any)
		got = append(got, fmt.Sprint(line["event"], " ", line["tool"], " ", line["outcome"], " ", approval["by"], " ",
			approval["rule"], " ", approval["approved"], " ", line["parent"] == nil))
	}
	require.Equal(t, []string{
		"command sh:rm ok ada sh:rm true false",
		"command sh:rm refused bob sh:rm false false",
		"command sh:curl approval_needed <nil> <nil> <nil> false",
		"command sh:rm ok ada sh:rm true false",
		"call sh ok <nil> <nil> <nil> false",
		"call outer ok <nil> <nil> <nil> true",
	}, got)
	require.Equal(t, all[4]["call"], all[0]["parent"], "the call that runs the script")
	require.Equal(t, map[string]any{"command": "rm", "args": []any{"-r", "a\n"}}, all[0]["input"])
	require.Equal(t, "2026-01-02T03:04:05Z", all[0]["approval"].(map[string]any)["time"])

	// A command that must be recorded, and cannot be, does not run.
	decisions, ran = given(), nil
	required := tools.Using(observe.Audit(&faultyWriter{fail: failing(2)}, // after the attempt
		&observe.AuditOptions{Required: true}))
	required.Dispatch(t.Context(), tool.Call{ID: "c", Tool: "sh"}, env)
	require.Equal(t, []string{"not rm", "ls", "not rm", "not curl", "rm"}, ran)
}

// TestAuditForgery checks that nothing in a call can produce text that looks like another line.
func TestAuditForgery(t *testing.T) {
	for _, forgery := range []string{
		"x\n{\"event\":\"call\"}", "x\r\n", "x\u2028{}", "x\u2029{}", "x\u0085{}", "x\x00", "x\x1b[2K", "x\u009b2K",
		"x\x7f",
		"x\",\"outcome\":\"ok", "x\xff\xfe\n", "x\u202egnp", "😀\n", strings.Repeat("\n", 10_000),
	} {
		var b bytes.Buffer
		input, err := json.Marshal(map[string]string{"name": forgery})
		require.NoError(t, err)
		raw := bytes.ReplaceAll(input, []byte(`\u2028`), []byte("\u2028"))
		r := newRegistry(t, observe.Audit(&b, &observe.AuditOptions{WholeInput: true, WholeOutput: true,
			Required: true}))
		for _, call := range []tool.Call{
			{ID: forgery, Tool: forgery, Input: json.RawMessage(forgery)},
			{ID: forgery, Tool: "greet", Input: raw},
		} {
			b.Reset()
			r.Dispatch(t.Context(), call, registry.Env{Project: forgery, Chat: forgery})
			text := b.String()
			require.Equal(t, 2, strings.Count(text, "\n"))
			for _, c := range []byte(text) {
				require.True(t, c == '\n' || c >= ' ' && c < 0x7f, "%q has %q in it", text, c)
			}
			all := lines(t, &b)
			require.Equal(t, []any{"attempt", "call"}, []any{all[0]["event"], all[1]["event"]})
			if call.Tool == "greet" {
				require.Equal(t, "ok", all[1]["outcome"])
				var meant map[string]any
				require.NoError(t, json.Unmarshal(input, &meant))
				require.Equal(t, meant, all[0]["input"])
			}
			require.LessOrEqual(t, len(all[0]["project"].(string)), 256+len("..."))
		}
	}
}

// TestAuditPanics checks that a call without a result is recorded, too.
func TestAuditPanics(t *testing.T) {
	result, all := audited(t, &observe.AuditOptions{WholeOutput: true}, callOf("greet"), panicking)
	require.Equal(t, tool.CodeFailed, result.Code)
	require.Len(t, all, 1)
	require.Equal(t, "tool_failed", all[0]["outcome"])
	require.Equal(t, "panic: in middleware", all[0]["outputError"])
	require.NotContains(t, all[0], "output")
}

func TestAuditCanceled(t *testing.T) {
	var b bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	env := someEnv
	env.Limits.Timeout = tool.NoTimeout
	newRegistry(t, observe.Audit(&b, nil)).Dispatch(ctx, callOf("hang"), env)
	require.Len(t, lines(t, &b), 1)
	require.Equal(t, "canceled", lines(t, &b)[0]["outcome"])
}

type unencodable struct{}

func (unencodable) MarshalJSON() ([]byte, error) { panic("not to be encoded") }

func TestAuditOfWhatCannotBeEncoded(t *testing.T) {
	for want, data := range map[string]any{"panic: not to be encoded": unencodable{}, "unsupported type": func() {}} {
		_, all := audited(t, nil, callOf("greet"), func(registry.Handler) registry.Handler {
			return func(context.Context, tool.Call, registry.Env) tool.Result {
				return tool.Result{Data: data}
			}
		})
		require.Len(t, all, 1)
		require.Equal(t, "ok", all[0]["outcome"])
		require.Contains(t, all[0]["outputError"], want)
		require.NotContains(t, all[0], "outputSha256")
	}
}

// A faultyWriter fails when fail says so.
type faultyWriter struct {
	bytes.Buffer
	writes int
	fail   func(write int) (n int, err error)
}

func (w *faultyWriter) Write(p []byte) (int, error) {
	w.writes++
	if n, err := w.fail(w.writes); n >= 0 {
		w.Buffer.Write(p[:n])
		return n, err
	}
	return w.Buffer.Write(p)
}

var errFull = errors.New("the disk is full")

// failing makes these writes fail.
func failing(writes ...int) func(int) (int, error) {
	return func(write int) (int, error) {
		for _, w := range writes {
			if w == write {
				return 0, errFull
			}
		}
		return -1, nil
	}
}

func TestAuditThatFails(t *testing.T) {
	var log bytes.Buffer
	env := someEnv
	env.Logger = slog.New(slog.NewJSONHandler(&log, nil))
	r := newRegistry(t, observe.Audit(&faultyWriter{fail: failing(1)}, nil))
	result := r.Dispatch(t.Context(), callOf("greet"), env)
	require.Equal(t, "Hello, Ada!", result.Text(), "calls go on unless records are required")
	record := lines(t, &log)[0]
	require.Equal(t, "call not recorded", record["msg"])
	require.Equal(t, "audit: call 1: the disk is full", record["cause"])

	r = newRegistry(t, observe.Audit(&faultyWriter{fail: failing(1)}, nil))
	require.False(t, r.Dispatch(t.Context(), callOf("greet"), someEnv).IsError(), "without a logger nobody is told")
}

func TestAuditRequired(t *testing.T) {
	made := 0
	counting := func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
			made++
			return next(ctx, call, env)
		}
	}
	whole := observe.AuditOptions{Required: true, WholeInput: true, WholeOutput: true}
	t.Run("two lines", func(t *testing.T) {
		result, all := audited(t, &whole, callOf("greet"))
		require.Equal(t, "Hello, Ada!", result.Text())
		require.Len(t, all, 2)
		require.Equal(t, "attempt", all[0]["event"])
		require.NotContains(t, all[0], "outcome")
		require.Contains(t, all[0], "input")
		require.Equal(t, "call", all[1]["event"])
		require.Equal(t, "ok", all[1]["outcome"])
		require.NotContains(t, all[1], "input")
		require.Contains(t, all[1], "output")
		for _, same := range []string{"seq", "time", "tool", "project", "chat", "call", "inputBytes", "inputSha256"} {
			require.Equal(t, all[0][same], all[1][same])
		}
	})
	t.Run("an attempt that cannot be written", func(t *testing.T) {
		made = 0
		w := &faultyWriter{fail: failing(1)}
		result := newRegistry(t, observe.Audit(w, &whole), counting).Dispatch(t.Context(), callOf("greet"), someEnv)
		require.Equal(t, observe.CodeNotRecorded, result.Code)
		require.Contains(t, result.Text(), "was not made")
		require.ErrorIs(t, result.Err, errFull)
		require.Zero(t, made)
		require.Zero(t, w.Len())
	})
	t.Run("an outcome that cannot be written", func(t *testing.T) {
		made = 0
		w := &faultyWriter{fail: failing(2)}
		result := newRegistry(t, observe.Audit(w, &whole), counting).Dispatch(t.Context(), callOf("greet"), someEnv)
		require.Equal(t, observe.CodeNotRecorded, result.Code)
		require.Contains(t, result.Text(), "was made")
		require.NotContains(t, result.Text(), "Ada")
		require.ErrorIs(t, result.Err, errFull)
		require.Equal(t, 1, made)
		require.Len(t, lines(t, &w.Buffer), 1, "the attempt is there")
	})
	t.Run("a panic", func(t *testing.T) {
		_, all := audited(t, &whole, callOf("greet"), panicking)
		require.Len(t, all, 2)
	})
}

// TestAuditTornLine checks that a partially written line does not damage the next one.
func TestAuditTornLine(t *testing.T) {
	for name, tear := range map[string]func(int) (int, error){
		"with an error":    func(int) (int, error) { return 10, errFull },
		"without an error": func(int) (int, error) { return 10, nil },
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			env := someEnv
			env.Logger = slog.New(slog.NewJSONHandler(&log, nil))
			w := &faultyWriter{fail: func(write int) (int, error) {
				if write == 2 {
					return tear(write)
				}
				return failing(3)(write)
			}}
			r := newRegistry(t, observe.Audit(w, nil))
			for range 5 {
				r.Dispatch(t.Context(), callOf("greet"), env)
			}
			all := strings.Split(w.String(), "\n")
			require.Len(t, all, 5)
			for i, line := range all {
				require.Equal(t, i != 1 && i != 4, json.Valid([]byte(line)), "%q", line)
			}
			records := lines(t, &log)
			require.Len(t, records, 2)
			want := "audit: call 2: the disk is full"
			if name == "without an error" {
				want = "audit: call 2: " + io.ErrShortWrite.Error()
			}
			require.Equal(t, want, records[0]["cause"])
		})
	}
}

// oneAtATime is a writer that requires whole lines and no concurrent use.
type oneAtATime struct {
	t    testing.TB
	busy sync.Mutex
	seen map[float64]int
}

func (w *oneAtATime) Write(p []byte) (int, error) {
	if !w.busy.TryLock() {
		w.t.Error("two writes at once")
		return len(p), nil
	}
	defer w.busy.Unlock()
	var line struct{ Seq float64 }
	if err := json.Unmarshal(p, &line); err != nil {
		w.t.Error(err)
	}
	w.seen[line.Seq]++
	return len(p), nil
}

func TestAuditConcurrently(t *testing.T) {
	w := &oneAtATime{t: t, seen: map[float64]int{}}
	r := newRegistry(t, observe.Audit(w, nil))
	more, err := r.With(tool.Func(tool.Spec{Name: "another", Description: "Another tool."},
		func(context.Context, struct{}, tool.Env) (string, error) { return "done", nil }))
	require.NoError(t, err)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			for range 20 {
				// The registries have the same middleware.
				[]*registry.Registry{r, more}[i%2].Dispatch(t.Context(),
					callOf([]string{"greet", "refuse", "panic"}[i%3]), someEnv)
			}
		})
	}
	all.Wait()
	require.Len(t, w.seen, 400)
}

// TestAuditToAFile checks that the lines of several files opened for appending do not mix.
func TestAuditToAFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.jsonl")
	var all sync.WaitGroup
	for range 4 {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		require.NoError(t, err)
		r := newRegistry(t, observe.Audit(f, &observe.AuditOptions{WholeInput: true, WholeOutput: true}))
		all.Go(func() {
			defer f.Close()
			for range 50 {
				r.Dispatch(t.Context(), callOf("greet"), someEnv)
			}
		})
	}
	all.Wait()
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Len(t, lines(t, bytes.NewBuffer(content)), 200)
}
