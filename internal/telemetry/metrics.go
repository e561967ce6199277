// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics is one process's set of metrics. Its labels are bounded: routes are
// patterns, codes come from the problem table, reasons from the decision
// table. Nothing is labelled with a tenant but the longest few backlogs.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight *prometheus.GaugeVec
	bodies   *prometheus.GaugeVec
	streams  *prometheus.GaugeVec
	shed     *prometheus.CounterVec
	gates    *prometheus.CounterVec
	updates  *prometheus.CounterVec
	jobs     *prometheus.CounterVec
	jobTime  prometheus.Histogram
	jobWait  prometheus.Histogram
	fenced   prometheus.Counter
	sent     *prometheus.CounterVec
	sendTime prometheus.Histogram
}

// NewMetrics makes a registry with the process and Go collectors in it.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "printmarket_http_requests_total",
			Help: "Requests answered, by listener, route pattern, method, status and problem code.",
		}, []string{"listener", "route", "method", "status", "code"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "printmarket_http_request_duration_seconds",
			Help:    "Time from the request's arrival to the end of the answer.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"listener", "route"}),
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "printmarket_http_requests_in_flight",
			Help: "Requests that are being answered now.",
		}, []string{"listener"}),
		bodies: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "printmarket_http_bodies_awaited",
			Help: "Requests whose bodies are being awaited now.",
		}, []string{"listener"}),
		streams: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "printmarket_http_streams_open",
			Help: "Answers that go on as something happens.",
		}, []string{"listener"}),
		shed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "printmarket_http_requests_shed_total",
			Help: "Requests refused as too many, by listener and what was lacking: slots, files, bodies, unsigned, streams, organization.",
		}, []string{"listener", "lack"}),
		gates: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "printmarket_gate_decisions_total",
			Help: "Decisions of the gates, by capability and reason.",
		}, []string{"capability", "reason"}),
		updates: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "printmarket_xjmf_updates_total",
			Help: "Statuses of jobs in callbacks, by what became of them, and callbacks that came again.",
		}, []string{"outcome"}),
		jobs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "printmarket_preflight_attempts_total",
			Help: "Attempts at preflight jobs, by outcome.",
		}, []string{"outcome"}),
		jobTime: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "printmarket_preflight_run_seconds",
			Help:    "Time from taking a job to storing its outcome.",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120},
		}),
		jobWait: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "printmarket_preflight_wait_seconds",
			Help:    "Time that a job could have been taken by a worker and was not; each attempt waits anew.",
			Buckets: []float64{.001, .005, .025, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800},
		}),
		fenced: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "printmarket_preflight_fenced_total",
			Help: "Attempts that came to their end after their worker had lost the job; their work was thrown away.",
		}),
		sent: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "printmarket_webhook_deliveries_total",
			Help: "Claimed webhook deliveries, by outcome.",
		}, []string{"outcome"}),
		sendTime: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "printmarket_webhook_attempt_seconds",
			Help:    "Time from dialling a webhook endpoint to the end of its answer.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15},
		}),
	}
	m.registry.MustRegister(m.requests, m.duration, m.inFlight, m.bodies, m.streams, m.shed, m.gates, m.updates, m.jobs, m.jobTime, m.jobWait, m.fenced, m.sent, m.sendTime,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Gauge registers a metric that is read when it is scraped.
func (m *Metrics) Gauge(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
}

// GaugeIf is as Gauge, for a value that is not always known: while it is not,
// the metric is absent, as another value would look like knowledge.
func (m *Metrics) GaugeIf(name, help string, read func() (value float64, known bool)) {
	m.registry.MustRegister(optional{prometheus.NewDesc(name, help, nil, nil), prometheus.GaugeValue, read})
}

// CounterIf is as Counter, for a count that is not always known. One that began at
// 0 in place of nothing would look like a rise.
func (m *Metrics) CounterIf(name, help string, read func() (value float64, known bool)) {
	m.registry.MustRegister(optional{prometheus.NewDesc(name, help, nil, nil), prometheus.CounterValue, read})
}

// Gauges registers a metric with one value for each combination of labels, read
// when it is scraped. read calls set with the values of the labels.
func (m *Metrics) Gauges(name, help string, labels []string, read func(set func(value float64, labels ...string))) {
	m.registry.MustRegister(labelled{prometheus.NewDesc(name, help, labels, nil), read})
}

// labelled is a gauge whose labels are known when it is scraped.
type labelled struct {
	desc *prometheus.Desc
	read func(set func(value float64, labels ...string))
}

// Describe is part of prometheus.Collector.
func (l labelled) Describe(out chan<- *prometheus.Desc) { out <- l.desc }

// Collect is part of prometheus.Collector.
func (l labelled) Collect(out chan<- prometheus.Metric) {
	l.read(func(value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(l.desc, prometheus.GaugeValue, value, labels...)
	})
}

// Counter registers a count that is read when it is scraped, and never falls.
func (m *Metrics) Counter(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, read))
}

// optional is a value that may be absent.
type optional struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func() (float64, bool)
}

// Describe is part of prometheus.Collector.
func (o optional) Describe(out chan<- *prometheus.Desc) { out <- o.desc }

// Collect is part of prometheus.Collector.
func (o optional) Collect(out chan<- prometheus.Metric) {
	if value, known := o.read(); known {
		out <- prometheus.MustNewConstMetric(o.desc, o.kind, value)
	}
}

// Handler serves the metrics in the Prometheus text format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Request counts one answered request.
func (m *Metrics) Request(listener, route, method, status, code string, took time.Duration) {
	m.requests.WithLabelValues(listener, route, method, status, code).Inc()
	m.duration.WithLabelValues(listener, route).Observe(took.Seconds())
}

// InFlight moves the gauge of requests being answered.
func (m *Metrics) InFlight(listener string, by float64) { m.inFlight.WithLabelValues(listener).Add(by) }

// Awaits moves requests from those that are being answered to those whose
// bodies are awaited, or back.
func (m *Metrics) Awaits(listener string, by float64) {
	m.inFlight.WithLabelValues(listener).Add(-by)
	m.bodies.WithLabelValues(listener).Add(by)
}

// Streams adds to the open streams. A request that has become one is no more in
// flight, where those are counted.
func (m *Metrics) Streams(listener string, by float64) { m.streams.WithLabelValues(listener).Add(by) }

// Shed counts one request refused as too many.
func (m *Metrics) Shed(listener, lack string) { m.shed.WithLabelValues(listener, lack).Inc() }

// Decision counts one decision of the gates.
func (m *Metrics) Decision(capability, reason string) {
	m.gates.WithLabelValues(capability, reason).Inc()
}

// Update counts one status that a callback told, or one callback that came again.
func (m *Metrics) Update(outcome string) { m.updates.WithLabelValues(outcome).Inc() }

// Waited notes how long a job that was taken has waited for a worker.
func (m *Metrics) Waited(d time.Duration) { m.jobWait.Observe(d.Seconds()) }

// Attempt counts one ended attempt at a preflight job.
func (m *Metrics) Attempt(outcome string, took time.Duration) {
	if outcome == "lost" || outcome == "fenced" {
		m.fenced.Inc()
	}
	m.jobs.WithLabelValues(outcome).Inc()
	m.jobTime.Observe(took.Seconds())
}

// Sent counts one attempt at a webhook delivery.
func (m *Metrics) Sent(outcome string, took time.Duration) {
	m.sent.WithLabelValues(outcome).Inc()
	m.sendTime.Observe(took.Seconds())
}

// Unsent counts one webhook delivery that was claimed and given back.
func (m *Metrics) Unsent(outcome string) { m.sent.WithLabelValues(outcome).Inc() }
