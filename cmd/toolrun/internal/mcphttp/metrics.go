package mcphttp

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/toolrun/toolrun/registry"
)

// Metrics count what a server does, for Prometheus.
type Metrics struct {
	registry *prometheus.Registry
	calls    *prometheus.CounterVec
	running  prometheus.Gauge
	seconds  *prometheus.HistogramVec
	requests *prometheus.CounterVec
}

// NewMetrics returns metrics that have counted nothing.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "toolrun_calls_total", Help: "Calls of tools, by tool and outcome: ok, or the code of the error.",
		}, []string{"tool", "outcome"}),
		running: prometheus.NewGauge(prometheus.GaugeOpts{Name: "toolrun_calls_running", Help: "Calls of tools that run."}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "toolrun_call_seconds", Help: "How long calls of tools have taken, by tool.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"tool"}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "toolrun_http_requests_total", Help: "HTTP requests, by method and status.",
		}, []string{"method", "status"}),
	}
	m.registry.MustRegister(m.calls, m.running, m.seconds, m.requests, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Middleware counts calls. A name that no tool has is not a label: there would be no end of them.
func (m *Metrics) Middleware(next registry.Handler) registry.Handler {
	return func(ctx context.Context, call registry.Call, env registry.Env) registry.Result {
		m.running.Inc()
		defer m.running.Dec()
		start := time.Now()
		result := next(ctx, call, env)
		tool, outcome := call.Tool, "ok"
		if result.Code == registry.CodeUnknownTool {
			tool = ""
		}
		if result.IsError() {
			outcome = string(result.Code)
		}
		m.calls.WithLabelValues(tool, outcome).Inc()
		m.seconds.WithLabelValues(tool).Observe(time.Since(start).Seconds())
		return result
	}
}

// sessions adds how many sessions there are.
func (m *Metrics) sessions(count func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "toolrun_sessions", Help: "Sessions of clients."},
		func() float64 { return float64(count()) }))
}

// handler serves the metrics.
func (m *Metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

// count counts requests.
func (m *Metrics) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(s, r)
		method := r.Method
		switch method {
		case http.MethodGet, http.MethodPost, http.MethodDelete, http.MethodOptions:
		default:
			method = "other"
		}
		m.requests.WithLabelValues(method, strconv.Itoa(s.status)).Inc()
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
