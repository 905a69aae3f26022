package mcphttp

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/toolrun/toolrun/registry"
)

// Metrics count what a server does, for Prometheus:
//
//	toolrun_calls_total{project,tool,outcome}    calls of tools; the outcome is "ok" or the code of the error
//	toolrun_calls_running{project}               calls that run
//	toolrun_call_seconds{project,tool,quantile}  how long calls have taken, in the last five minutes
//	toolrun_sessions                             sessions of clients
//	toolrun_http_requests_total{method,status}   HTTP requests
//
// and the usual metrics of the process and of Go.
//
// https://prometheus.io/docs/instrumenting/exposition_formats
type Metrics struct {
	set       *metrics.Set
	byProject bool
}

// NewMetrics returns metrics with all counts at zero. Unless they are by project, the label is empty: for servers whose
// number of projects is unlimited.
func NewMetrics(byProject bool) *Metrics { return &Metrics{metrics.NewSet(), byProject} }

// label quotes the value of a label.
func label(value string) string { return `"` + labelEscapes.Replace(value) + `"` }

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// Middleware counts calls. Names of unknown tools do not become labels, because they are unlimited.
func (m *Metrics) Middleware(next registry.Handler) registry.Handler {
	return func(ctx context.Context, call registry.Call, env registry.Env) registry.Result {
		project := label("")
		if m.byProject {
			project = label(env.Project)
		}
		running := m.set.GetOrCreateGauge("toolrun_calls_running{project="+project+"}", nil)
		running.Inc()
		defer running.Dec()
		start := time.Now()
		result := next(ctx, call, env)
		tool, outcome := call.Tool, "ok"
		if result.Code == registry.CodeUnknownTool {
			tool = ""
		}
		if result.IsError() {
			outcome = string(result.Code)
		}
		m.set.GetOrCreateCounter(fmt.Sprintf("toolrun_calls_total{project=%s,tool=%s,outcome=%q}", project, label(tool),
			outcome)).Inc()
		m.set.GetOrCreateSummary(fmt.Sprintf("toolrun_call_seconds{project=%s,tool=%s}", project, label(tool))).
			UpdateDuration(start)
		return result
	}
}

// sessions adds how many sessions there are.
func (m *Metrics) sessions(count func() int) {
	m.set.NewGauge("toolrun_sessions", func() float64 { return float64(count()) })
}

// ServeHTTP writes the metrics.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	m.set.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
	metrics.WriteFDMetrics(w)
}

// count counts requests, and calls done after each one.
func (m *Metrics) count(next http.Handler, done func(r *http.Request, status int)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(s, r)
		done(r, s.status)
		method := r.Method
		switch method {
		case http.MethodGet, http.MethodPost, http.MethodDelete, http.MethodOptions:
		default:
			method = "other"
		}
		m.set.GetOrCreateCounter(fmt.Sprintf("toolrun_http_requests_total{method=%q,status=\"%d\"}", method,
			s.status)).Inc()
	})
}

// A statusWriter remembers the status.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
