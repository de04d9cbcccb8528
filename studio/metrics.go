package studio

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the daemon's own numbers. Labels come from fixed sets: route
// patterns, methods, status codes, rule names; never from a client.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refused  *prometheus.CounterVec
	streams  prometheus.Gauge
	// Of the fleet: looks at the store's change counter, readings, streams that
	// were too slow, connections to pods, methods handed to pods.
	fleetLooks   prometheus.Counter
	fleetReads   prometheus.Counter
	fleetDropped prometheus.Counter
	fleetPods    prometheus.Gauge
	podCalls     *prometheus.CounterVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "podium_studio_requests_total", Help: "Requests answered by a route.",
		}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "podium_studio_request_seconds", Help: "Time from the start of a request to its last byte, streams excepted.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "podium_studio_refused_total", Help: "Requests refused before their route, by rule.",
		}, []string{"rule"}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "podium_studio_streams", Help: "Open event streams.",
		}),
		fleetLooks: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "podium_studio_fleet_looks_total", Help: "Looks at the store's change counter for a fleet stream.",
		}),
		fleetReads: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "podium_studio_fleet_reads_total", Help: "Readings of the fleet from the store.",
		}),
		fleetDropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "podium_studio_fleet_dropped_total", Help: "Fleet streams that were ended because their client was too slow.",
		}),
		fleetPods: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "podium_studio_fleet_pods", Help: "Pods that are followed for fleet streams.",
		}),
		podCalls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "podium_studio_pod_calls_total", Help: "Methods handed to pods, by method and outcome.",
		}, []string{"method", "outcome"}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.refused, m.streams,
		m.fleetLooks, m.fleetReads, m.fleetDropped, m.fleetPods, m.podCalls,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// observe counts one answered request.
func (m *metrics) observe(rt *route, method string, status int, took time.Duration) {
	m.requests.WithLabelValues(rt.path, method, strconv.Itoa(status)).Inc()
	if rt.stream == nil {
		m.seconds.WithLabelValues(rt.path).Observe(took.Seconds())
	}
}

// statusWriter remembers the status that was sent.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets a response controller reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
