// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics is the set of metrics of one process. Its labels are bounded: routes are patterns,
// codes come from the problem table, reasons from the decision table. Only the metric of the
// longest backlogs has tenants as labels.
type Metrics struct {
	registry *prometheus.Registry
	// hidden metrics are counted but not served.
	hidden bool
	// registered lists the project's metrics in the order of their registration.
	registered []Description
	requests   *prometheus.CounterVec
	duration   *prometheus.HistogramVec
	inFlight   *prometheus.GaugeVec
	bodies     *prometheus.GaugeVec
	streams    *prometheus.GaugeVec
	shed       *prometheus.CounterVec
	handshakes *prometheus.CounterVec
	gates      *prometheus.CounterVec
	uses       *prometheus.CounterVec
	useTime    *prometheus.HistogramVec
	updates    *prometheus.CounterVec
	signIns    *prometheus.CounterVec
	jobs       *prometheus.CounterVec
	jobTime    prometheus.Observer
	jobWait    prometheus.Observer
	fenced     prometheus.Counter
	sent       *prometheus.CounterVec
	sendTime   prometheus.Observer
	spans      *prometheus.CounterVec

	// Each request uses some of the metrics above; these find them by their labels.
	answered  series[requestLabels, requestSeries]
	listeners series[string, prometheus.Gauge]
	decisions series[decisionLabels, prometheus.Counter]
	capable   series[useLabels, useSeries]
}

// Description describes a metric.
type Description struct {
	Name, Help string
	// Type is counter, gauge or histogram.
	Type   string
	Labels []string
}

// Descriptions returns the project's registered metrics, without those of the Go runtime and
// of the process.
func (m *Metrics) Descriptions() []Description { return slices.Clone(m.registered) }

// Work is a kind of counted work. A process serves the metrics of its own work only: a metric
// of other work would stay at zero and suggest that none of it is done.
type Work int

// The kinds of work.
const (
	Requests Work = iota
	Preflight
	Webhooks
	// Reconciliations are counted by the controller library.
	Reconciliations
)

// NewMetrics returns a registry with the process and Go collectors, for a process that does
// the given kinds of work; without arguments, all kinds.
func NewMetrics(done ...Work) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for work, metrics := range []func(){Requests: m.ofRequests, Preflight: m.ofPreflight, Webhooks: m.ofWebhooks} {
		m.hidden = len(done) > 0 && !slices.Contains(done, Work(work))
		metrics()
	}
	m.hidden = false
	m.spans = m.counter("printmarket_trace_spans_total",
		"Spans sent to a collector, by outcome: exported, failed.", "outcome")
	return m
}

// RegisterSpans adds the metrics of spans to another registry, for a process that serves that
// registry.
func (m *Metrics) RegisterSpans(with prometheus.Registerer) error { return with.Register(m.spans) }

// ofRequests creates the metrics of requests.
func (m *Metrics) ofRequests() {
	m.requests = m.counter("printmarket_http_requests_total",
		"Requests answered, by listener, route pattern, method, status and problem code.", "listener", "route", "method", "status", "code")
	m.duration = m.histogram("printmarket_http_request_duration_seconds",
		"Time from the arrival of a request to the end of its response.",
		[]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}, "listener", "route")
	m.inFlight = m.gauge("printmarket_http_requests_in_flight",
		"Requests in progress.", "listener")
	m.bodies = m.gauge("printmarket_http_bodies_awaited",
		"Requests whose bodies are being read.", "listener")
	m.streams = m.gauge("printmarket_http_streams_open",
		"Open event streams.", "listener")
	m.shed = m.counter("printmarket_http_requests_shed_total",
		"Requests and connections rejected by a limit, by listener and exhausted resource: slots, files, bodies, unsigned, sender, streams, uploads, organization, connections, address.", "listener", "lack")
	m.handshakes = m.counter("printmarket_mtls_handshake_failures_total",
		"Failed handshakes of the mutual TLS listener, by reason: no_certificate, certificate_expired, server_certificate_rejected, protocol, aborted, other. "+
			"Clients reject a server certificate of an authority that they do not know. The protocol is TLS 1.3 with HTTP/1.1. An expired certificate may also be one that is not valid yet.", "reason")
	m.gates = m.counter("printmarket_gate_decisions_total",
		"Decisions of the gates, by capability and reason.", "capability", "reason")
	m.uses = m.counter("printmarket_capability_requests_total",
		"Requests for a capability, by cohort (test keys: test; live keys: percent of the step of the ramp that admits the partner, all without a ramp, outside if refused) and outcome: success, client_error, server_error, refused.",
		"capability", "cohort", "outcome")
	m.useTime = m.histogram("printmarket_capability_request_duration_seconds",
		"Time from the arrival of a request for a capability to the end of its response, if the gates allowed it; without event streams.",
		[]float64{.005, .025, .1, .25, .5, 1, 2.5, 10}, "capability", "cohort")
	m.updates = m.counter("printmarket_xjmf_updates_total",
		"Job statuses in XJMF callbacks, and repeated callbacks, by outcome.", "outcome")
	m.signIns = m.counter("printmarket_dashboard_sign_ins_total",
		"Attempts to sign in to a dashboard, by listener, method (key, oidc) and outcome: in, or the reason of the rejection.", "listener", "way", "outcome")
}

// ofPreflight creates the metrics of attempts at jobs.
func (m *Metrics) ofPreflight() {
	m.jobs = m.counter("printmarket_preflight_attempts_total",
		"Attempts at preflight jobs, by outcome.", "outcome")
	m.jobTime = m.histogram("printmarket_preflight_run_seconds",
		"Time from claiming a job to storing its outcome.",
		[]float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}).WithLabelValues()
	m.jobWait = m.histogram("printmarket_preflight_wait_seconds",
		"Time that a job waited for a worker while it was ready to run; measured for each attempt.",
		[]float64{.001, .005, .025, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800}).WithLabelValues()
	m.fenced = m.counter("printmarket_preflight_fenced_total",
		"Attempts whose result was discarded, because the worker had lost the job before they ended.").WithLabelValues()
}

// ofWebhooks creates the metrics of deliveries.
func (m *Metrics) ofWebhooks() {
	m.sent = m.counter("printmarket_webhook_deliveries_total",
		"Claimed webhook deliveries, by outcome.", "outcome")
	m.sendTime = m.histogram("printmarket_webhook_attempt_seconds",
		"Time from connecting to a webhook endpoint to the end of its response.",
		[]float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15}).WithLabelValues()
}

func (m *Metrics) counter(name, help string, labels ...string) *prometheus.CounterVec {
	made := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	m.register(made, Description{Name: name, Help: help, Type: "counter", Labels: labels})
	return made
}

func (m *Metrics) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	made := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	m.register(made, Description{Name: name, Help: help, Type: "gauge", Labels: labels})
	return made
}

func (m *Metrics) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	made := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	m.register(made, Description{Name: name, Help: help, Type: "histogram", Labels: labels})
	return made
}

func (m *Metrics) register(c prometheus.Collector, d Description) {
	if m.hidden {
		return
	}
	m.registry.MustRegister(c)
	m.registered = append(m.registered, d)
}

// Gauge registers a gauge that is read at each scrape.
func (m *Metrics) Gauge(name, help string, read func() float64) {
	m.register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read), Description{Name: name, Help: help, Type: "gauge"})
}

// GaugeIf registers a gauge like Gauge whose value may be unknown. An unknown gauge is absent,
// because any value would look like a measurement.
func (m *Metrics) GaugeIf(name, help string, read func() (value float64, known bool)) {
	m.register(optional{prometheus.NewDesc(name, help, nil, nil), prometheus.GaugeValue, read}, Description{Name: name, Help: help, Type: "gauge"})
}

// CounterIf registers a counter like Counter whose value may be unknown. An unknown counter is
// absent, because a start at 0 would look like an increase later.
func (m *Metrics) CounterIf(name, help string, read func() (value float64, known bool)) {
	m.register(optional{prometheus.NewDesc(name, help, nil, nil), prometheus.CounterValue, read}, Description{Name: name, Help: help, Type: "counter"})
}

// Gauges registers a gauge with one value for each combination of labels, read at each scrape.
// read calls set with the values of the labels.
func (m *Metrics) Gauges(name, help string, labels []string, read func(set func(value float64, labels ...string))) {
	m.register(labelled{prometheus.NewDesc(name, help, labels, nil), read}, Description{Name: name, Help: help, Type: "gauge", Labels: labels})
}

// labelled is a gauge whose labels are known only at the scrape.
type labelled struct {
	desc *prometheus.Desc
	read func(set func(value float64, labels ...string))
}

// Describe implements prometheus.Collector.
func (l labelled) Describe(out chan<- *prometheus.Desc) { out <- l.desc }

// Collect implements prometheus.Collector.
func (l labelled) Collect(out chan<- prometheus.Metric) {
	l.read(func(value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(l.desc, prometheus.GaugeValue, value, labels...)
	})
}

// Counter registers a counter that is read at each scrape; its value must never decrease.
func (m *Metrics) Counter(name, help string, read func() float64) {
	m.register(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, read), Description{Name: name, Help: help, Type: "counter"})
}

// optional is a value that may be absent.
type optional struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func() (float64, bool)
}

// Describe implements prometheus.Collector.
func (o optional) Describe(out chan<- *prometheus.Desc) { out <- o.desc }

// Collect implements prometheus.Collector.
func (o optional) Collect(out chan<- prometheus.Metric) {
	if value, known := o.read(); known {
		out <- prometheus.MustNewConstMetric(o.desc, o.kind, value)
	}
}

// Handler serves the metrics in the Prometheus text format, or as OpenMetrics with exemplars
// if the client accepts it.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
}

// requestLabels and requestSeries hold the labels and the metrics of answered requests.
type requestLabels struct {
	listener, route, method string
	status                  int
	code                    string
}

type requestSeries struct {
	count    prometheus.Counter
	duration prometheus.Observer
}

// Request counts one answered request. traceID is the id of a sampled trace for the exemplar,
// or empty.
func (m *Metrics) Request(listener, route, method string, status int, code string, took time.Duration, traceID string) {
	s := m.answered.of(requestLabels{listener, route, method, status, code}, func(l requestLabels) requestSeries {
		return requestSeries{
			m.requests.WithLabelValues(l.listener, l.route, l.method, strconv.Itoa(l.status), l.code),
			m.duration.WithLabelValues(l.listener, l.route),
		}
	})
	s.count.Inc()
	if exemplars, ok := s.duration.(prometheus.ExemplarObserver); ok && traceID != "" {
		exemplars.ObserveWithExemplar(took.Seconds(), prometheus.Labels{"trace_id": traceID})
		return
	}
	s.duration.Observe(took.Seconds())
}

// InFlight adds to the gauge of requests that are being answered.
func (m *Metrics) InFlight(listener string, by float64) {
	m.listeners.of(listener, func(listener string) prometheus.Gauge { return m.inFlight.WithLabelValues(listener) }).Add(by)
}

// Awaits moves requests from the gauge of requests that are being answered to the gauge of
// awaited bodies, or back.
func (m *Metrics) Awaits(listener string, by float64) {
	m.inFlight.WithLabelValues(listener).Add(-by)
	m.bodies.WithLabelValues(listener).Add(by)
}

// Streams adds to the gauge of open streams. Requests that became streams are not in flight.
func (m *Metrics) Streams(listener string, by float64) { m.streams.WithLabelValues(listener).Add(by) }

// Shed counts one request that was refused because of a limit on concurrency.
func (m *Metrics) Shed(listener, lack string) { m.shed.WithLabelValues(listener, lack).Inc() }

// FailedHandshake counts one connection whose TLS handshake failed. reason is of a closed set.
func (m *Metrics) FailedHandshake(reason string) { m.handshakes.WithLabelValues(reason).Inc() }

type decisionLabels struct{ capability, reason string }

// Decision counts one decision of the gates.
func (m *Metrics) Decision(capability, reason string) {
	m.decisions.of(decisionLabels{capability, reason}, func(l decisionLabels) prometheus.Counter {
		return m.gates.WithLabelValues(l.capability, l.reason)
	}).Inc()
}

// useLabels and useSeries hold the labels and the metrics of requests for a capability. The
// duration of requests that are not timed is nil.
type useLabels struct {
	capability, cohort, outcome string
	timed                       bool
}

type useSeries struct {
	count    prometheus.Counter
	duration prometheus.Observer
}

// CapabilityRequest counts one answered request for a capability. The time of an event stream is
// not timed: it depends on the client.
func (m *Metrics) CapabilityRequest(capability, cohort, outcome string, took time.Duration, timed bool) {
	s := m.capable.of(useLabels{capability, cohort, outcome, timed && outcome != "refused"}, func(l useLabels) useSeries {
		s := useSeries{count: m.uses.WithLabelValues(l.capability, l.cohort, l.outcome)}
		if l.timed {
			s.duration = m.useTime.WithLabelValues(l.capability, l.cohort)
		}
		return s
	})
	s.count.Inc()
	if s.duration != nil {
		s.duration.Observe(took.Seconds())
	}
}

// Update counts one status in a callback, or one repeated callback.
func (m *Metrics) Update(outcome string) { m.updates.WithLabelValues(outcome).Inc() }

// SignIn counts one attempt to sign in to a dashboard. outcome is of a closed set and contains
// nothing about the user.
func (m *Metrics) SignIn(listener, way, outcome string) {
	m.signIns.WithLabelValues(listener, way, outcome).Inc()
}

// Waited records how long a job waited for its worker.
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

// Unsent counts one webhook delivery that was claimed and released.
func (m *Metrics) Unsent(outcome string) { m.sent.WithLabelValues(outcome).Inc() }

// Spans counts spans that were sent to a collector.
func (m *Metrics) Spans(outcome string, spans int) {
	m.spans.WithLabelValues(outcome).Add(float64(spans))
}
