package mcphttp

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// Metrics count what a server does, for Prometheus:
//
//	toolrun_calls_total{project,tool,outcome}    calls of tools; the outcome is "ok" or the code of the error
//	toolrun_calls_running{project}               calls that run
//	toolrun_call_seconds{project,tool,quantile}  how long calls have taken, in the last five minutes
//	toolrun_requests_total{project,outcome}      requests of code to the network; the outcome is "ok" or an error's kind
//	toolrun_request_bytes_total{project,way}     bytes of their bodies; the way is "sent" or "received"
//	toolrun_project_bytes{project}               size of a project's files
//	toolrun_project_files{project}               number of its files and directories
//	toolrun_project_history_bytes{project}       size of its history
//	toolrun_project_quota_bytes{project}         how large the files may be together
//	toolrun_project_quota_files{project}         how many files and directories there may be
//	toolrun_sessions                             sessions of clients
//	toolrun_replicas                             servers that share the rates of requests, with this one
//	toolrun_http_requests_total{method,status}   HTTP requests
//
// and the usual metrics of the process and of Go.
//
// https://prometheus.io/docs/instrumenting/exposition_formats
type Metrics struct {
	set       *metrics.Set
	byProject bool

	mu       sync.Mutex
	projects map[*project]struct{}
}

// A project is a project as one of its clients has it.
type project struct {
	id    string
	usage func(context.Context) (vfs.Usage, error)
}

// NewMetrics returns metrics with all counts at zero. Unless they are by project, the label is empty: for servers whose
// number of projects is unlimited.
func NewMetrics(byProject bool) *Metrics {
	return &Metrics{set: metrics.NewSet(), byProject: byProject}
}

// label quotes the value of a label.
func label(value string) string { return `"` + labelEscapes.Replace(value) + `"` }

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// Middleware counts calls. Names of unknown tools do not become labels, because they are unlimited.
func (m *Metrics) Middleware(next registry.Handler) registry.Handler {
	return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
		project := label("")
		if m.byProject {
			project = label(env.Project)
		}
		running := m.set.GetOrCreateGauge("toolrun_calls_running{project="+project+"}", nil)
		running.Inc()
		defer running.Dec()
		start := time.Now()
		result := next(ctx, call, env)
		t, outcome := call.Tool, "ok"
		if result.Code == tool.CodeUnknownTool {
			t = ""
		}
		if result.IsError() {
			outcome = string(result.Code)
		}
		m.set.GetOrCreateCounter(fmt.Sprintf("toolrun_calls_total{project=%s,tool=%s,outcome=%q}", project, label(t),
			outcome)).Inc()
		m.set.GetOrCreateSummary(fmt.Sprintf("toolrun_call_seconds{project=%s,tool=%s}", project, label(t))).
			UpdateDuration(start)
		return result
	}
}

// Request counts a request of code.
func (m *Metrics) Request(r network.Record) {
	project := label("")
	if m.byProject {
		project = label(r.Project)
	}
	m.set.GetOrCreateCounter(fmt.Sprintf("toolrun_requests_total{project=%s,outcome=%q}", project, r.Outcome())).Inc()
	for way, n := range map[string]int64{"sent": r.Sent, "received": r.Received} {
		m.set.GetOrCreateCounter(
			fmt.Sprintf("toolrun_request_bytes_total{project=%s,way=%q}", project, way)).AddInt64(n)
	}
}

// Project adds the sizes of a project until remove is called. Clients of the same project can have different quotas;
// the smallest ones are shown. Usage is called each time that the metrics are read.
func (m *Metrics) Project(id string, usage func(context.Context) (vfs.Usage, error)) (remove func()) {
	p := &project{id, usage}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.projects == nil {
		m.projects = map[*project]struct{}{}
	}
	m.projects[p] = struct{}{}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.projects, p)
	}
}

// usages returns what each project holds. Those that cannot be read now are left out.
func (m *Metrics) usages(ctx context.Context) map[string]vfs.Usage {
	m.mu.Lock()
	projects := slices.Collect(maps.Keys(m.projects))
	m.mu.Unlock()
	found := map[string]vfs.Usage{}
	for _, p := range projects {
		usage, err := p.usage(ctx)
		if err != nil {
			continue
		}
		if other, ok := found[p.id]; ok {
			usage.Quota.Bytes = min(usage.Quota.Bytes, other.Quota.Bytes)
			usage.Quota.Files = min(usage.Quota.Files, other.Quota.Files)
		}
		found[p.id] = usage
	}
	return found
}

// writeProjects writes the sizes of projects.
func (m *Metrics) writeProjects(ctx context.Context, w io.Writer) {
	found := m.usages(ctx)
	for _, gauge := range []struct {
		name  string
		value func(vfs.Usage) int64
	}{
		{"bytes", func(u vfs.Usage) int64 { return u.Bytes }},
		{"files", func(u vfs.Usage) int64 { return u.Files }},
		{"history_bytes", func(u vfs.Usage) int64 { return u.HistoryBytes }},
		{"quota_bytes", func(u vfs.Usage) int64 { return u.Quota.Bytes }},
		{"quota_files", func(u vfs.Usage) int64 { return u.Quota.Files }},
	} {
		for _, id := range slices.Sorted(maps.Keys(found)) {
			fmt.Fprintf(w, "toolrun_project_%s{project=%s} %d\n", gauge.name, label(id), gauge.value(found[id]))
		}
	}
}

// gauge adds something that is counted when the metrics are read.
func (m *Metrics) gauge(name string, count func() int) {
	m.set.NewGauge(name, func() float64 { return float64(count()) })
}

// ServeHTTP writes the metrics.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	m.set.WritePrometheus(w)
	m.writeProjects(r.Context(), w)
	metrics.WriteProcessMetrics(w)
	metrics.WriteFDMetrics(w)
}

// count counts requests, and calls done after each one.
func (m *Metrics) count(next http.Handler, done func(r *http.Request, status int, reason string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(s, r)
		done(r, s.status, s.reason)
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

// A statusWriter remembers the status, and what a client is told that may not come from where it comes.
type statusWriter struct {
	http.ResponseWriter
	status int
	reason string
}

// maxReason is how much of a reason is remembered, in bytes.
const maxReason = 500

func (w *statusWriter) Write(data []byte) (int, error) {
	if w.status == http.StatusForbidden && w.reason == "" &&
		strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.reason = strings.TrimSpace(string(data[:min(len(data), maxReason)]))
	}
	return w.ResponseWriter.Write(data)
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
