package observe_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/observe"
	"github.com/toolrun/toolrun/registry/waiting"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestWhoApprovedIsLoggedOnce has a call wait, go on by an operator or when it is made again, and its result handed out
// to the model. Of these lines, one says who has decided, and the last says whose result it repeats.
func TestWhoApprovedIsLoggedOnce(t *testing.T) {
	for name, test := range map[string]struct {
		approved, goesOn bool
		outcome, by      string
	}{
		"an operator approves":                {true, true, "ok", "approved_by"},
		"an operator refuses":                 {false, true, "refused", "refused_by"},
		"it goes on when it is made again":    {true, false, "ok", "approved_by"},
		"it is refused when it is made again": {false, false, "refused", "refused_by"},
	} {
		t.Run(name, func(t *testing.T) {
			var audit, log bytes.Buffer
			exporter := tracetest.NewInMemoryExporter()
			tools := newRegistry(t, observe.Audit(&audit, nil),
				observe.Slog(slog.New(slog.NewJSONHandler(&log, nil)), nil),
				observe.OpenTelemetry(newProvider(t, sdktrace.WithSyncer(exporter)), nil))
			waiting, err := waiting.New(local.NewMemoryStore(nil), nil)
			require.NoError(t, err)
			env := someEnv
			env.Waiting, env.Selection.Ask = waiting.In("notes"), []string{"greet"}
			first := tools.Dispatch(t.Context(), callOf("greet"), env)
			require.NotNil(t, first.Pending)
			token := first.Pending.Token
			decision := map[string]registry.Decision{"call-1": {Approved: test.approved, By: "ada"}}
			if test.goesOn {
				operator := env
				operator.Client = "operator"
				done, err := waiting.In("notes").ResumeFor(t.Context(), tools, operator, token, decision)
				require.NoError(t, err)
				require.Equal(t, "ada", done.Approval.By)
				require.Empty(t, done.Repeats)
			} else {
				_, err := waiting.Decide(t.Context(), token, decision)
				require.NoError(t, err)
			}
			call := callOf("greet")
			call.ID = "call-2"
			again := tools.Dispatch(t.Context(), call, env)
			require.Equal(t, token, again.Repeats)
			require.Nil(t, again.Approval)
			next := tools.Dispatch(t.Context(), call, env)
			require.NotNil(t, next.Pending, "the result is given once")
			require.NotEqual(t, token, next.Pending.Token)

			type expected struct {
				call, outcome         string
				waits, repeats, ruled any
			}
			want := []expected{
				{"call-1", "pending", token, nil, nil},
				{"call-1", test.outcome, nil, nil, "ada"},
				{"call-2", test.outcome, nil, token, nil},
				{"call-2", "pending", next.Pending.Token, nil, nil},
			}
			records, logged := lines(t, &audit), lines(t, &log)
			require.Len(t, records, len(want))
			require.Len(t, logged, len(want))
			for i, w := range want {
				for name, record := range map[string]map[string]any{"audit": records[i], "slog": logged[i]} {
					require.Equal(t, w, expected{record["call"].(string), record["outcome"].(string), record["waits"],
						record["repeats"],
						ruled(record, test.by)}, name)
				}
			}
			spans := exporter.GetSpans()
			require.Len(t, spans, len(want))
			for i, w := range want {
				require.Equal(t, w.repeats, attributes(spans[i].Attributes)["toolrun.repeats"])
			}
		})
	}
}

// ruled returns who has decided by a line.
func ruled(record map[string]any, by string) any {
	if approval, ok := record["approval"].(map[string]any); ok {
		return approval["by"]
	}
	return record[by]
}
